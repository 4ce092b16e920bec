//! The pipelines of `webstrata corpus run`, in steps that a cluster can place: pages are judged anywhere, what repeats
//! other pages is decided in the order of the sources, and records are written anywhere again.

mod deciding;
mod judging;

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use pyo3::prelude::*;
use webstrata::Request;
use webstrata_archive::export::Cells;
use webstrata_archive::record::PageRecord;
use webstrata_corpus::chunks::Headings;
use webstrata_corpus::pipeline::{
    Decision, Duplicates, Method, Pipeline, Rejected, Written, pieces,
};

use self::deciding::{Decided, decided};
use self::judging::ITEM_BITS;
use crate::archive_tables::{Reading, Size};
use crate::columns::{self, Columns};
use crate::errors::{DataError, wrong_option};
use crate::extractor::Steps;
use crate::reader::Archive;
use crate::tables::{Given, Texts, to_python};

pub(crate) use self::deciding::CorpusDuplicates;
pub(crate) use self::judging::JudgedBatches;

/// A pipeline as its file has it.
#[pyclass(frozen, module = "webstrata._webstrata")]
pub(crate) struct CorpusPipeline {
    inner: Arc<Inner>,
}

struct Inner {
    pipeline: Pipeline,
    request: Request,
}

#[pymethods]
impl CorpusPipeline {
    /// Reads a pipeline; `name` is what messages call its file. `extractor` stands for the one that it names, where
    /// that is a file which this machine may not have.
    #[new]
    #[pyo3(signature = (text, /, *, name = "the pipeline", extractor = None))]
    fn new(text: &str, name: &str, extractor: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let pipeline = Pipeline::from_toml(text).map_err(|error| {
            wrong_option(match error.line() {
                Some(line) => format!("{name}:{line}: {}", error.message()),
                None => format!("{name}: {error}"),
            })
        })?;
        let steps = match extractor.filter(|extractor| !extractor.is_none()) {
            Some(extractor) => Steps::of(extractor)?,
            None => Steps::of_name(&pipeline.extract.extractor)?,
        };
        let request = pipeline
            .request(steps.shared())
            .map_err(|error| wrong_option(format!("{name}: {error}")))?;
        Ok(CorpusPipeline { inner: Arc::new(Inner { pipeline, request }) })
    }

    /// Where pages come from, as the file has it; behind them where the command keeps what it has fetched.
    #[getter]
    fn sources(&self) -> Vec<String> {
        let Pipeline { sources, fetched, .. } = &self.inner.pipeline;
        let fetched = fetched.iter().map(|folder| folder.display().to_string());
        sources.iter().cloned().chain(fetched).collect()
    }

    /// The extractor that it names.
    #[getter]
    fn extractor(&self) -> &str {
        &self.inner.pipeline.extract.extractor
    }

    /// Where records go, as the file has it.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.inner.pipeline.output.folder.clone()
    }

    /// How records are written; None where each page is a file of its own.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        match self.inner.pipeline.output.written {
            Written::Parts(format) => Some(format.extension()),
            Written::Files(_) => None,
        }
    }

    /// The size of a part before compression.
    #[getter]
    fn part_size(&self) -> u64 {
        self.inner.pipeline.output.part_size
    }

    /// The names of the methods of deduplication, in order.
    #[getter]
    fn methods(&self) -> Vec<&'static str> {
        self.inner.pipeline.deduplicate.iter().map(|method| method.name()).collect()
    }

    /// How often a line or paragraph stays, if lines or paragraphs that repeat are all that is looked for, and no page
    /// that goes can change what stays of others; None if pages must be decided one after the other.
    #[getter]
    fn first_of_each(&self) -> Option<u8> {
        match self.inner.pipeline.deduplicate.as_slice() {
            [Method::Repeated(options)] if options.min_left <= 1 => Some(options.keep),
            _ => None,
        }
    }

    /// Reads a file of pages, an archive, JSON lines, or a table that is named by its path, and judges its pages: an
    /// iterator of `RecordBatch`.
    ///
    /// `position` tells rows apart and orders them: the file's `number` and the row's. `reason` says why a page was
    /// dropped, `problem` and `message` why there is none. Pages that share none of the `buckets` do not repeat each
    /// other; `units` are the keys of lines or paragraphs. What is dropped has a `record` only if `rejected`.
    #[pyo3(signature = (source, /, *, name, number, rejected = false, batch_rows = None, batch_bytes = None))]
    fn judge(
        &self,
        source: &Bound<'_, PyAny>,
        name: &str,
        number: i64,
        rejected: bool,
        batch_rows: Option<&Bound<'_, PyAny>>,
        batch_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<JudgedBatches> {
        let size = Size::read(batch_rows, batch_bytes)?;
        let archive = Archive::any(source, name, self.inner.pipeline.columns.clone())?;
        let reading = Reading::new(archive, size);
        let next = number << ITEM_BITS;
        Ok(JudgedBatches { inner: self.inner.clone(), reading, next, keeps_dropped: rejected })
    }

    /// What decides about pages one after the other.
    fn decide(&self) -> PyResult<CorpusDuplicates> {
        CorpusDuplicates::new(self.inner.clone())
    }

    /// Takes the lines or paragraphs at the places `gone` out of texts: for `first_of_each`. The columns are those of
    /// `CorpusDuplicates.add`.
    fn cut<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let [Method::Repeated(options)] = self.inner.pipeline.deduplicate.as_slice() else {
            return Err(wrong_option("deduplicate: not a single method of repeated lines"));
        };
        let given = Given::of(pages, "record")?;
        let cut = |batch: &RecordBatch| {
            let rows = Rows::of(batch)?;
            let gone = batch.column_by_name("gone").and_then(|column| column.as_list_opt::<i32>());
            let mut made = Vec::with_capacity(batch.num_rows());
            for row in 0..batch.num_rows() {
                let mut record = rows.record(row)?;
                let places = gone.filter(|gone| gone.is_valid(row)).map(|gone| gone.value(row));
                let places =
                    places.as_ref().and_then(|places| places.as_primitive_opt::<Int32Type>());
                let places: Vec<usize> = places
                    .into_iter()
                    .flat_map(|places| places.values().iter().map(|place| *place as usize))
                    .collect();
                record.set_text(options.without(&record.record.text, &places));
                let decision = match record.record.words < options.min_left {
                    true => Decision::LittleLeft(self.inner.pipeline.deduplicate[0].name()),
                    false => Decision::Kept { removed: places.len() as u64 },
                };
                made.push(Decided::new(
                    rows.position(row),
                    decision,
                    record,
                    !places.is_empty(),
                    0,
                ));
            }
            decided(&made)
        };
        let made = given.batches.iter().map(|batch| py.detach(|| cut(batch)));
        made.map(|batch| to_python(py, batch?)).collect()
    }

    /// The lines of JSON that are written for records: the column `value`. Where the column `text` has one, it
    /// stands for the record's own.
    fn lines<'py>(
        &self,
        py: Python<'py>,
        records: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.written(
            py,
            records,
            |inner, rows, row, lines| {
                for record in inner.records(rows, row)? {
                    lines.push(line(&record)?);
                }
                Ok(())
            },
            |_, lines: Vec<String>| values(&lines),
        )
    }

    /// The rows that are written for records.
    fn table<'py>(
        &self,
        py: Python<'py>,
        records: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.written(
            py,
            records,
            |inner, rows, row, made| {
                made.extend(inner.records(rows, row)?);
                Ok(())
            },
            |inner, made| inner.table(&made),
        )
    }

    /// The lines of JSON of what was dropped: the column `value`.
    fn rejected<'py>(
        &self,
        py: Python<'py>,
        records: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.written(
            py,
            records,
            |_, rows, row, lines| {
                let record = rows.written_record(row)?;
                let similarity = rows.similarity(row);
                let of = rows.duplicate_of.text(row);
                let rejected = rows.reason.text(row).unwrap_or_default();
                let line = Rejected { rejected, duplicate_of: of, similarity, record: &record };
                let line = serde_json::to_string(&line);
                lines.push(line.map_err(|error| DataError::new_err(error.to_string()))?);
                Ok(())
            },
            |_, lines: Vec<String>| values(&lines),
        )
    }
}

impl CorpusPipeline {
    fn written<'py, T: Send>(
        &self,
        py: Python<'py>,
        records: &Bound<'py, PyAny>,
        each: impl Fn(&Inner, &Rows<'_>, usize, &mut Vec<T>) -> PyResult<()> + Sync,
        finish: impl Fn(&Inner, Vec<T>) -> PyResult<RecordBatch> + Sync,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let given = Given::of(records, "record")?;
        let one = |batch: &RecordBatch| {
            let rows = Rows::of(batch)?;
            let mut made = Vec::with_capacity(batch.num_rows());
            for row in 0..batch.num_rows() {
                each(&self.inner, &rows, row, &mut made)?;
            }
            finish(&self.inner, made)
        };
        let made = given.batches.iter().map(|batch| py.detach(|| one(batch)));
        made.map(|batch| to_python(py, batch?)).collect()
    }
}

impl Inner {
    fn duplicates(&self) -> PyResult<Duplicates> {
        Duplicates::new(&self.pipeline.deduplicate, self.pipeline.memory)
            .map_err(|error| DataError::new_err(error.to_string()))
    }

    /// What is written for a page: its record, or its pieces.
    fn records(&self, rows: &Rows<'_>, row: usize) -> PyResult<Vec<PageRecord>> {
        let record = rows.written_record(row)?;
        let Some(options) = self.pipeline.chunk else { return Ok(vec![record]) };
        let headings: Headings = match rows.headings.text(row) {
            Some(written) => serde_json::from_str(written)
                .map_err(|error| DataError::new_err(format!("headings: {error}")))?,
            None => Headings::default(),
        };
        Ok(pieces(&record, &headings, options))
    }

    fn table(&self, records: &[PageRecord]) -> PyResult<RecordBatch> {
        let mut columns = Columns::default();
        let each = || records.iter();
        for (name, cells) in self.pipeline.columns() {
            let array = match cells {
                Cells::Text(cell) => {
                    let texts: Vec<_> = each().map(cell).collect();
                    columns::texts(texts.iter().map(Option::as_deref))?
                }
                Cells::Number(cell) => columns::numbers(each().map(cell)),
                Cells::Integer(cell) => columns::integers(each().map(cell)),
                Cells::Long(cell) => columns::longs(each().map(cell)),
                Cells::Flag(cell) => columns::flags(each().map(cell)),
            };
            columns.push(name, array);
        }
        columns.batch(records.len())
    }
}

fn line(record: &PageRecord) -> PyResult<String> {
    serde_json::to_string(record).map_err(|error| DataError::new_err(error.to_string()))
}

fn values(lines: &[String]) -> PyResult<RecordBatch> {
    let mut columns = Columns::default();
    columns.push("value", columns::texts(lines.iter().map(|line| Some(line.as_str())))?);
    columns.batch(lines.len())
}

/// Columns of rows that come back from the cluster; those that are not there are empty.
struct Rows<'a> {
    batch: &'a RecordBatch,
    record: Texts<'a>,
    text: Texts<'a>,
    headings: Texts<'a>,
    reason: Texts<'a>,
    duplicate_of: Texts<'a>,
}

impl<'a> Rows<'a> {
    fn of(batch: &'a RecordBatch) -> PyResult<Rows<'a>> {
        let optional = |name: &str| match batch.column_by_name(name) {
            Some(column) => Texts::of(column, name),
            None => Ok(Texts::None),
        };
        Ok(Rows {
            batch,
            record: Texts::column(batch, "record")?,
            text: optional("text")?,
            headings: optional("headings")?,
            reason: optional("reason")?,
            duplicate_of: optional("duplicate_of")?,
        })
    }

    fn record(&self, row: usize) -> PyResult<PageRecord> {
        let line = self.record.bytes(row).unwrap_or_default();
        PageRecord::from_line(line).map_err(|error| DataError::new_err(format!("record: {error}")))
    }

    /// The record with the text that deduplication left of it.
    fn written_record(&self, row: usize) -> PyResult<PageRecord> {
        let mut record = self.record(row)?;
        if let Some(text) = self.text.text(row) {
            record.set_text(text.to_owned());
        }
        Ok(record)
    }

    fn long(&self, name: &str, row: usize) -> Option<i64> {
        let column = self.batch.column_by_name(name).filter(|column| column.is_valid(row))?;
        column.as_primitive_opt::<Int64Type>().map(|column| column.value(row))
    }

    fn position(&self, row: usize) -> i64 {
        self.long("position", row).unwrap_or_default()
    }

    fn similarity(&self, row: usize) -> Option<f64> {
        let column = self.batch.column_by_name("similarity");
        let column = column.filter(|column| column.is_valid(row))?;
        column.as_primitive_opt::<Float64Type>().map(|column| column.value(row))
    }
}
