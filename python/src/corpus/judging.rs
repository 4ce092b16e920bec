//! The pages of a file, judged.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use pyo3::prelude::*;
use webstrata_archive::Arrival;
use webstrata_corpus::pipeline::{Judged, Judging, NO_PAGE, Outcome};

use super::Inner;
use crate::archive_tables::{Reading, Trouble};
use crate::columns::{self, Columns};
use crate::errors::caught;
use crate::tables::to_python;

/// The bits of a position that number the rows of a file.
pub(super) const ITEM_BITS: u32 = 40;

/// The pages of a file, judged: an iterator of batches.
#[pyclass(module = "webstrata._webstrata")]
pub(crate) struct JudgedBatches {
    pub(super) inner: Arc<Inner>,
    pub(super) reading: Reading,
    /// The position of the next row.
    pub(super) next: i64,
    pub(super) keeps_dropped: bool,
}

/// A page that was read: its bytes, and what was found.
struct ReadPage {
    bytes: i64,
    found: Result<Found, (&'static str, String)>,
}

struct Found {
    record: Option<String>,
    headings: Option<String>,
    reason: Option<String>,
    words: i32,
    buckets: Vec<u64>,
    units: Vec<Option<u64>>,
}

impl Inner {
    fn judge(&self, arrival: &Arrival, keeps_dropped: bool) -> ReadPage {
        let judging = Judging { request: &self.request, pipeline: &self.pipeline };
        let found = match caught(|| judging.page(arrival)) {
            Ok(Ok(judged)) => self.found(judged, keeps_dropped).map_err(|why| ("internal", why)),
            Ok(Err(why)) => Err((NO_PAGE, why)),
            Err(panic) => Err(("internal", panic)),
        };
        ReadPage { bytes: arrival.bytes.len() as i64, found }
    }

    fn found(&self, judged: Judged, keeps_dropped: bool) -> Result<Found, String> {
        let Judged { record, headings, outcome } = judged;
        let words = record.record.words as i32;
        let json = || serde_json::to_string(&record).map_err(|error| error.to_string());
        let methods = &self.pipeline.deduplicate;
        Ok(match outcome {
            Outcome::Dropped(reason) => {
                let record = keeps_dropped.then(json).transpose()?;
                let (buckets, units) = (Vec::new(), Vec::new());
                Found { record, headings: None, reason: Some(reason), words, buckets, units }
            }
            Outcome::Stays(keys) => {
                let headings = self.pipeline.chunk.map(|_| serde_json::to_string(&headings));
                let headings = headings.transpose().map_err(|error| error.to_string())?;
                let (buckets, units) = (keys.buckets(methods), keys.into_units());
                Found { record: Some(json()?), headings, reason: None, words, buckets, units }
            }
        })
    }
}

impl JudgedBatches {
    fn batch(&mut self, rows: &[Result<ReadPage, Trouble>]) -> PyResult<RecordBatch> {
        let mut columns = Columns::default();
        let first = self.next;
        self.next += rows.len() as i64;
        let page = || rows.iter().map(|row| row.as_ref().ok());
        let found = || page().map(|page| page?.found.as_ref().ok());
        columns.push("position", columns::longs((first..self.next).map(Some)));
        columns.push("bytes", columns::longs(page().map(|page| Some(page?.bytes))));
        columns.push("words", columns::integers(found().map(|found| Some(found?.words))));
        columns.push("reason", columns::texts(found().map(|found| found?.reason.as_deref()))?);
        let problem = |row: &'_ Result<ReadPage, Trouble>| match row {
            Ok(ReadPage { found: Ok(_), .. }) => None,
            Ok(ReadPage { found: Err((kind, why)), .. }) => Some((*kind, why.clone())),
            Err(trouble) => {
                Some((trouble.kind(), format!("{}: {}", trouble.place, trouble.message())))
            }
        };
        let problems: Vec<_> = rows.iter().map(problem).collect();
        let each = || problems.iter().map(Option::as_ref);
        columns.push("problem", columns::texts(each().map(|problem| Some(problem?.0)))?);
        columns.push("message", columns::texts(each().map(|problem| Some(problem?.1.as_str())))?);
        columns.push("record", columns::texts(found().map(|found| found?.record.as_deref()))?);
        columns.push("headings", columns::texts(found().map(|found| found?.headings.as_deref()))?);
        let buckets =
            found().map(|found| found.map(|found| found.buckets.iter().copied().map(Some)));
        columns.push("buckets", numbers(buckets));
        let units = found().map(|found| found.map(|found| found.units.iter().copied()));
        columns.push("units", numbers(units));
        columns.batch(rows.len())
    }
}

/// Lists of numbers of 64 bits, as Spark has them: with a sign.
fn numbers(lists: impl Iterator<Item = Option<impl Iterator<Item = Option<u64>>>>) -> ArrayRef {
    let mut made = ListBuilder::new(Int64Builder::new());
    for list in lists {
        let is_there = list.is_some();
        list.into_iter().flatten().for_each(|number| {
            made.values().append_option(number.map(|number| number as i64));
        });
        made.append(is_there);
    }
    Arc::new(made.finish())
}

#[pymethods]
impl JudgedBatches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (inner, keeps_dropped) = (self.inner.clone(), self.keeps_dropped);
        let judge = move |page: Arrival| {
            let page = inner.judge(&page, keeps_dropped);
            let size = page.found.as_ref().ok().and_then(|found| found.record.as_ref());
            let size = size.map_or(0, String::len);
            Some((Ok(page), size))
        };
        let rows = self.reading.rows(py, judge)?;
        if rows.is_empty() {
            return self.reading.raised().map_or(Ok(None), Err);
        }
        let batch = self.batch(&rows)?;
        to_python(py, batch).map(Some)
    }
}
