//! Web archives: their pages, one after the other.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};
use webstrata_archive::{Arrival, Limits, Problem};

use crate::input::Input;
use crate::reader::{Archive, statuses};

/// As long as pages that the command line takes by default.
pub(crate) const MOST_BYTES: usize = 128 << 20;

/// Problems that are kept; all are counted.
const KEPT_PROBLEMS: usize = 1000;

/// A page of a web archive, and what the archive says about it. Give it to `extract` or `extract_many` as it is:
/// its address and the charset that the server named are used.
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct ArchivedPage {
    /// Without the page's bytes.
    arrival: Arrival,
    page: Py<PyBytes>,
}

impl ArchivedPage {
    fn new(py: Python<'_>, mut arrival: Arrival) -> ArchivedPage {
        let bytes = std::mem::take(&mut arrival.bytes);
        ArchivedPage { arrival, page: PyBytes::new(py, &bytes).unbind() }
    }

    pub(crate) fn input(&self, py: Python<'_>) -> Input {
        let bytes: PyBackedBytes = self.page.bind(py).clone().into();
        let known = self.arrival.options(&webstrata::Options::default());
        Input::archived(bytes, known.url, known.charset)
    }
}

#[pymethods]
impl ArchivedPage {
    /// The bytes of the page, its transfer and content encodings undone.
    #[getter]
    fn page(&self, py: Python<'_>) -> Py<PyBytes> {
        self.page.clone_ref(py)
    }

    /// How messages and records call it: the archive and the record's place in it.
    #[getter]
    fn id(&self) -> &str {
        &self.arrival.name
    }

    /// Where the page came from.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.arrival.url.as_deref()
    }

    /// When the page was fetched, as the archive has it.
    #[getter]
    fn fetched(&self) -> Option<&str> {
        self.arrival.fetched.as_deref()
    }

    /// What the server answered with, such as 200.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.arrival.status
    }

    /// The `Content-Type` of the server.
    #[getter]
    fn content_type(&self) -> Option<&str> {
        self.arrival.content_type.as_deref()
    }

    /// The charset that the server named.
    #[getter]
    fn charset(&self) -> Option<&str> {
        self.arrival.charset()
    }

    /// The digest of the payload that the archive has; it is not verified.
    #[getter]
    fn digest(&self) -> Option<&str> {
        self.arrival.digest.as_deref()
    }

    /// The record's own id.
    #[getter]
    fn record_id(&self) -> Option<&str> {
        self.arrival.id.as_deref()
    }

    /// The archive.
    #[getter]
    fn file(&self) -> String {
        self.arrival.file.to_string_lossy().into_owned()
    }

    /// Where the record begins in the archive, as it lies on the disk.
    #[getter]
    fn offset(&self) -> u64 {
        self.arrival.offset
    }

    /// The unpacked bytes that come before it in its compressed member; 0 in nearly all archives.
    #[getter]
    fn within(&self) -> u64 {
        self.arrival.within
    }

    /// Does the archive have only a part of the page?
    #[getter]
    fn truncated(&self) -> bool {
        self.arrival.truncated
    }

    fn __repr__(&self) -> String {
        let what = self.arrival.url.as_deref().unwrap_or(&self.arrival.name);
        format!("<webstrata.ArchivedPage {what:?}>")
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<ArchivedPage>().getattr("_restore")?;
        let Arrival { name, id, url, fetched, status, content_type, digest, .. } = &self.arrival;
        let texts = (name, id, url, fetched, status, content_type, digest);
        let place = (self.file(), self.arrival.offset, self.arrival.within, self.arrival.truncated);
        Ok((restore, (texts, place, self.page.clone_ref(py)).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(texts: Texts, place: (String, u64, u64, bool), page: Py<PyBytes>) -> ArchivedPage {
        let (name, id, url, fetched, status, content_type, digest) = texts;
        let (file, offset, within, truncated) = place;
        let file = std::path::Path::new(&file).into();
        let bytes = Vec::new();
        let arrival = Arrival {
            name,
            id,
            url,
            fetched,
            status,
            content_type,
            digest,
            file,
            offset,
            within,
            truncated,
            bytes,
        };
        ArchivedPage { arrival, page }
    }
}

type Texts = (
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<u16>,
    Option<String>,
    Option<String>,
);

/// The pages of an archive: an iterator. What is broken is passed over, counted and listed.
#[pyclass(module = "webstrata")]
pub(crate) struct ArchiveReader {
    archive: Option<Archive>,
    problems: Vec<String>,
    counts: BTreeMap<&'static str, u64>,
    on_problem: Option<Py<PyAny>>,
}

impl ArchiveReader {
    fn note(&mut self, py: Python<'_>, problem: &Problem) -> PyResult<()> {
        *self.counts.entry(problem.kind.name()).or_default() += 1;
        let message = problem.to_string();
        if let Some(tell) = &self.on_problem {
            tell.call1(py, (&message,))?;
        }
        if self.problems.len() < KEPT_PROBLEMS {
            self.problems.push(message);
        }
        Ok(())
    }
}

#[pymethods]
impl ArchiveReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<ArchivedPage>> {
        loop {
            let Some(archive) = &mut self.archive else { return Ok(None) };
            let next = py.detach(|| archive.next());
            match next {
                None => self.archive = None,
                Some(Err(error)) => {
                    self.archive = None;
                    return Err(error);
                }
                Some(Ok(Ok(arrival))) => return Ok(Some(ArchivedPage::new(py, arrival))),
                Some(Ok(Err(problem))) => self.note(py, &problem)?,
            }
        }
    }

    /// What was passed over so far, a line each: the first thousand.
    #[getter]
    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// How often something was passed over so far, by kind: `damaged`, `cut-off`, `too-long`, …
    #[getter]
    fn problem_counts(&self) -> BTreeMap<&'static str, u64> {
        self.counts.clone()
    }
}

/// The limits on records; by default those of the command line.
pub(crate) fn limits(max_bytes: Option<usize>) -> Limits {
    let most = max_bytes.unwrap_or(MOST_BYTES);
    Limits { record: most, page: most }
}

/// Reads the pages of a web archive (WARC 1.0 and 1.1; gzip, zstd or plain, by its content): an iterator of
/// `ArchivedPage`.
///
/// `source` is a path, or any file that was opened in binary mode, also one that lies elsewhere: what fsspec,
/// pyarrow or an HTTP library opens. `statuses` are the answers of servers that are taken, `"200-299"` by default;
/// `max_bytes` is how long a page may be. Broken records are passed over; the iterator's `problems` and
/// `problem_counts` tell, and `on_problem` is called with a line for each. A file that cannot be read raises
/// `ArchiveError`.
///
/// >>> import io, webstrata
/// >>> answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>High water is at noon today."
/// >>> record = (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://harbour.example/\r\n"
/// ...     b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(answer), answer))
/// >>> pages = webstrata.read_warc(io.BytesIO(record))
/// >>> for document in webstrata.extract_many(pages, extractor="keep-all"):
/// ...     print(document.url, document.text, end="")
/// https://harbour.example/ High water is at noon today.
/// >>> pages.problems
/// []
#[pyfunction]
#[pyo3(signature = (source, /, *, statuses = None, max_bytes = None, name = None, on_problem = None))]
pub(crate) fn read_warc(
    source: &Bound<'_, PyAny>,
    statuses: Option<&Bound<'_, PyAny>>,
    max_bytes: Option<&Bound<'_, PyAny>>,
    name: Option<&str>,
    on_problem: Option<Py<PyAny>>,
) -> PyResult<ArchiveReader> {
    let limits = limits(most_bytes(max_bytes)?);
    let archive = Archive::open(source, name, limits, self::statuses(statuses)?)?;
    Ok(ArchiveReader {
        archive: Some(archive),
        problems: Vec::new(),
        counts: BTreeMap::new(),
        on_problem,
    })
}

pub(crate) fn most_bytes(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    crate::options::max_bytes(value)
}
