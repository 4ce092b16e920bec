//! Archives as tables: their pages, or the records that the command line makes of them.

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use webstrata_archive::{Arrival, Problem};
use webstrata_site::url_key::Rules;

use crate::columns::{self, Columns};
use crate::errors::wrong_option;
use crate::options::within;
use crate::page_records::Maker;
use crate::reader::{Archive, statuses};
use crate::tables::to_python;
use crate::warc::{limits, most_bytes};

/// The site of pages whose address is none of the Web, as the command line has it.
const FILES: &str = "files";

/// Why there is no page or record, as a row.
pub(crate) struct Trouble {
    pub(crate) place: String,
    pub(crate) file: String,
    pub(crate) offset: Option<i64>,
    kind: &'static str,
    message: String,
}

impl Trouble {
    fn of(problem: &Problem) -> Trouble {
        Trouble {
            place: problem.place(),
            file: problem.file.to_string_lossy().into_owned(),
            offset: problem.offset.and_then(|offset| i64::try_from(offset).ok()),
            kind: problem.kind.name(),
            message: problem.message.clone(),
        }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) fn of_page(page: &Arrival, kind: &'static str, message: String) -> Trouble {
        let file = page.file.to_string_lossy().into_owned();
        let offset = i64::try_from(page.offset).ok();
        Trouble { place: page.name.clone(), file, offset, kind, message }
    }
}

/// How much goes into a batch.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

impl Size {
    pub(crate) fn read(
        rows: Option<&Bound<'_, PyAny>>,
        bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Size> {
        let read = |name, value: Option<&Bound<'_, PyAny>>, most, default| match value {
            Some(value) if !value.is_none() => within(name, value, 1, most),
            _ => Ok(default),
        };
        Ok(Size {
            rows: read("batch_rows", rows, 1 << 20, 1024)?,
            bytes: read("batch_bytes", bytes, 1 << 30, 32 << 20)?,
        })
    }
}

/// Pages between two looks at whether somebody wants to stop.
const PAGES_A_LOOK: usize = 64;

/// The pages of an archive in batches: an iterator of them.
#[pyclass(module = "webstrata")]
pub(crate) struct ArchiveBatches {
    reading: Reading,
    number: Option<i32>,
    /// What makes records of pages, if they are wanted.
    maker: Option<Maker>,
}

/// An archive that is read batch by batch.
pub(crate) struct Reading {
    archive: Option<Archive>,
    /// What was read to its end; it may have a file of Python's, which is dropped with the lock.
    ended: Option<Archive>,
    size: Size,
    /// What could not be read any more; it comes behind what could.
    raised: Option<PyErr>,
}

impl Reading {
    pub(crate) fn new(archive: Archive, size: Size) -> Reading {
        Reading { archive: Some(archive), ended: None, size, raised: None }
    }

    /// What could not be read any more, once.
    pub(crate) fn raised(&mut self) -> Option<PyErr> {
        self.raised.take()
    }

    /// Rows for the next batch, and how long each of them is; `make` may leave pages out.
    pub(crate) fn rows<T: Send>(
        &mut self,
        py: Python<'_>,
        make: impl Fn(Arrival) -> Option<(Result<T, Trouble>, usize)> + Sync,
    ) -> PyResult<Vec<Result<T, Trouble>>> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while rows.len() < self.size.rows && bytes < self.size.bytes && self.archive.is_some() {
            py.detach(|| self.some(&mut rows, &mut bytes, &make));
            self.ended = None;
            py.check_signals()?;
        }
        Ok(rows)
    }

    /// Some pages, until it is time to look whether somebody wants to stop.
    fn some<T>(
        &mut self,
        rows: &mut Vec<Result<T, Trouble>>,
        bytes: &mut usize,
        make: &impl Fn(Arrival) -> Option<(Result<T, Trouble>, usize)>,
    ) {
        for _ in 0..PAGES_A_LOOK {
            if rows.len() >= self.size.rows || *bytes >= self.size.bytes {
                return;
            }
            let Some(archive) = &mut self.archive else { return };
            match archive.next() {
                None => self.ended = self.archive.take(),
                Some(Err(error)) => {
                    self.ended = self.archive.take();
                    self.raised = Some(error);
                }
                Some(Ok(Err(problem))) => rows.push(Err(Trouble::of(&problem))),
                Some(Ok(Ok(page))) => {
                    if let Some((row, size)) = make(page) {
                        *bytes += size;
                        rows.push(row);
                    }
                }
            }
        }
    }
}

impl ArchiveBatches {
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let ArchiveBatches { reading, number, maker } = self;
        let made = match maker {
            None => {
                let whole = |page: Arrival| {
                    let size = page.bytes.len();
                    Some((Ok(page), size))
                };
                let rows = reading.rows(py, whole)?;
                (!rows.is_empty()).then(|| pages(&rows, *number)).transpose()?
            }
            Some(maker) => {
                let record = |page: Arrival| maker.sized(&page.bytes, &page);
                let rows = reading.rows(py, record)?;
                (!rows.is_empty()).then(|| maker.batch(&rows, *number)).transpose()?
            }
        };
        match made {
            Some(made) => Ok(Some(made)),
            None => reading.raised().map_or(Ok(None), Err),
        }
    }
}

#[pymethods]
impl ArchiveBatches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py)?.map(|batch| to_python(py, batch)).transpose()
    }
}

/// The site of a page.
fn domain(url: Option<&str>) -> String {
    let key = url.and_then(|url| Rules::default().key(url, ""));
    key.map_or_else(|| FILES.to_owned(), |key| key.domain().to_owned())
}

fn pages(rows: &[Result<Arrival, Trouble>], number: Option<i32>) -> PyResult<RecordBatch> {
    let mut columns = Columns::default();
    let each = || rows.iter().map(|row| row.as_ref().ok());
    if number.is_some() {
        columns.push("archive", columns::integers(rows.iter().map(|_| number)));
    }
    let places = rows.iter().map(|row| match row {
        Ok(page) => Some(page.name.as_str()),
        Err(trouble) => Some(trouble.place.as_str()),
    });
    columns.push("id", columns::texts(places)?);
    columns.push("url", columns::texts(each().map(|page| page?.url.as_deref()))?);
    let domains: Vec<Option<String>> =
        each().map(|page| page.map(|page| domain(page.url.as_deref()))).collect();
    columns.push("domain", columns::texts(domains.iter().map(Option::as_deref))?);
    columns.push("fetched", columns::texts(each().map(|page| page?.fetched.as_deref()))?);
    columns.push("digest", columns::texts(each().map(|page| page?.digest.as_deref()))?);
    columns.push("record_id", columns::texts(each().map(|page| page?.id.as_deref()))?);
    let files: Vec<String> = rows
        .iter()
        .map(|row| match row {
            Ok(page) => page.file.to_string_lossy().into_owned(),
            Err(trouble) => trouble.file.clone(),
        })
        .collect();
    columns.push("file", columns::texts(files.iter().map(|file| Some(file.as_str())))?);
    columns.push(
        "offset",
        columns::longs(rows.iter().map(|row| match row {
            Ok(page) => i64::try_from(page.offset).ok(),
            Err(trouble) => trouble.offset,
        })),
    );
    columns.push("within", columns::longs(each().map(|page| i64::try_from(page?.within).ok())));
    columns.push("status", columns::integers(each().map(|page| page?.status.map(i32::from))));
    let content_types = each().map(|page| page?.content_type.as_deref());
    columns.push("content_type", columns::texts(content_types)?);
    columns.push("truncated", columns::flags(each().map(|page| Some(page?.truncated))));
    columns.push("html", columns::bytes(each().map(|page| Some(page?.bytes.as_slice())))?);
    troubles(rows, &mut columns)?;
    columns.batch(rows.len())
}

pub(crate) fn troubles<T>(rows: &[Result<T, Trouble>], columns: &mut Columns) -> PyResult<()> {
    let each = || rows.iter().map(|row| row.as_ref().err());
    columns.push("problem", columns::texts(each().map(|trouble| Some(trouble?.kind)))?);
    columns.push("message", columns::texts(each().map(|trouble| Some(&*trouble?.message)))?);
    Ok(())
}

/// Reads a web archive into Arrow batches: an iterator of `RecordBatch`, the pages as binary in the column `html`.
///
/// `source`, `statuses`, `max_bytes` and `name` are those of `read_warc`. A batch ends with the page that makes it
/// `batch_bytes` long (32 MiB by default) or `batch_rows` high. The columns are id, url, domain (the registrable
/// one), fetched, digest, record_id, file, offset, within, status, content_type, truncated, html, problem and message.
/// A broken record is a row with the kind of `problem` and a `message`, and no page.
///
/// >>> import io, webstrata
/// >>> answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>High water is at noon today."
/// >>> record = (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://www.harbour.example/\r\n"
/// ...     b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(answer), answer))
/// >>> [batch] = webstrata.warc_batches(io.BytesIO(record))
/// >>> batch.to_pydict()["html"], batch.to_pydict()["domain"]
/// ([b'<p>High water is at noon today.'], ['harbour.example'])
#[pyfunction]
#[pyo3(signature = (source, /, *, statuses = None, max_bytes = None, name = None, batch_rows = None, batch_bytes = None, archive = None), text_signature = "(source, /, *, statuses=None, max_bytes=None, name=None, batch_rows=1024, batch_bytes=33554432, archive=None)")]
pub(crate) fn warc_batches(
    source: &Bound<'_, PyAny>,
    statuses: Option<&Bound<'_, PyAny>>,
    max_bytes: Option<&Bound<'_, PyAny>>,
    name: Option<&str>,
    batch_rows: Option<&Bound<'_, PyAny>>,
    batch_bytes: Option<&Bound<'_, PyAny>>,
    archive: Option<i32>,
) -> PyResult<ArchiveBatches> {
    let size = Size::read(batch_rows, batch_bytes)?;
    let limits = limits(most_bytes(max_bytes)?);
    let opened = Archive::open(source, name, limits, self::statuses(statuses)?)?;
    Ok(ArchiveBatches { reading: Reading::new(opened, size), number: archive, maker: None })
}

/// Extracts the pages of a web archive into Arrow batches: the records of `webstrata warc`, an iterator of
/// `RecordBatch`.
///
/// The columns are those of the command's Parquet files, then what `formats` asks for (`json` is the command's
/// line of JSON in the column `record`), then problem and message, for what was passed over. `min_words` and
/// `languages` leave pages out as the command does. `source` and what else there is are those of `warc_batches`
/// and `extract`.
#[pyfunction]
#[pyo3(signature = (source, /, *, statuses = None, name = None, min_words = 0, languages = None, batch_rows = None, batch_bytes = None, archive = None, **options))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python's")]
pub(crate) fn warc_records(
    source: &Bound<'_, PyAny>,
    statuses: Option<&Bound<'_, PyAny>>,
    name: Option<&str>,
    min_words: u32,
    languages: Option<&Bound<'_, PyAny>>,
    batch_rows: Option<&Bound<'_, PyAny>>,
    batch_bytes: Option<&Bound<'_, PyAny>>,
    archive: Option<i32>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArchiveBatches> {
    let maker = Maker::read(min_words, languages, options)?;
    if maker.asks_for_site() {
        return Err(wrong_option(
            "extractor: an archive is read once here, before its sites are known; use strata, webstrata.spark, or the command",
        ));
    }
    let size = Size::read(batch_rows, batch_bytes)?;
    let opened = Archive::open(source, name, maker.limits(), self::statuses(statuses)?)?;
    Ok(ArchiveBatches { reading: Reading::new(opened, size), number: archive, maker: Some(maker) })
}
