//! Archives from anywhere that Python can read: paths, and files that Python has opened.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use webstrata_archive::{
    Columns, InputKind, Limits, Problem, ProblemKind, Source, Statuses, Streamed,
};

use crate::errors::{ArchiveError, wrong_option};
use crate::options::text;

/// What is asked for at once; the lock is held as long as that takes.
const CHUNK: usize = 1 << 20;

/// The first exception that a file of Python's raised.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// An archive that is being read.
pub(crate) struct Archive {
    /// In a lock that nobody waits for, since whoever reads has it alone: so that it can be part of a class.
    source: Mutex<Source>,
    raised: Raised,
}

/// What a file is.
enum Kind {
    /// A web archive, whatever its name.
    Archive(Limits),
    /// What its name says; tables have pages in these columns.
    ByName(Columns),
}

impl Kind {
    fn source(self, file: impl Read + Seek + Send + 'static, name: &Path) -> Source {
        match self {
            Kind::Archive(limits) => Source::archive(file, name, limits),
            Kind::ByName(_) => Source::file(file, name, Limits::default()).with_records(),
        }
    }

    /// The same of a file on this machine, which may be a table.
    fn source_of_file(self, file: File, path: &Path, name: &Path) -> Source {
        let is_table =
            || [InputKind::of(name), InputKind::of_file(path)].contains(&InputKind::Table);
        match self {
            Kind::ByName(columns) if is_table() => {
                Source::table(file, name, &columns, Limits::default())
            }
            kind => kind.source(file, name),
        }
    }
}

/// A page, or a problem that is one record's.
pub(crate) type Item = Result<webstrata_archive::Arrival, Problem>;

impl Archive {
    /// Opens a path, or takes a file object. `name` is what records are called by, where it is not the path.
    pub(crate) fn open(
        source: &Bound<'_, PyAny>,
        name: Option<&str>,
        limits: Limits,
        statuses: Statuses,
    ) -> PyResult<Archive> {
        Archive::opened(source, name, statuses, Kind::Archive(limits))
    }

    /// The same of any file whose kind its name tells: a page, an archive, JSON lines of pages or records, and where
    /// it is named by its path, a table.
    pub(crate) fn any(
        source: &Bound<'_, PyAny>,
        name: &str,
        columns: Columns,
    ) -> PyResult<Archive> {
        Archive::opened(source, Some(name), Statuses::default(), Kind::ByName(columns))
    }

    fn opened(
        source: &Bound<'_, PyAny>,
        name: Option<&str>,
        statuses: Statuses,
        kind: Kind,
    ) -> PyResult<Archive> {
        let raised = Raised::default();
        if !source.hasattr("read")? {
            let path: PathBuf = source.extract().map_err(|_| {
                let kind = source
                    .get_type()
                    .name()
                    .map_or_else(|_| "this".into(), |name| name.to_string());
                PyTypeError::new_err(format!(
                    "an archive is a path or a file opened in binary mode, not {kind}"
                ))
            })?;
            let named = name.map_or(path.clone(), PathBuf::from);
            let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
            let source = kind.source_of_file(file, &path, &named).with_statuses(statuses);
            return Ok(Archive { source: Mutex::new(source), raised });
        }
        let named = name.map_or_else(|| name_of(source), PathBuf::from);
        let file = PythonFile::new(source, raised.clone())?;
        let source = if file.start.is_some() {
            kind.source(file, &named)
        } else {
            kind.source(Streamed::new(file), &named)
        };
        Ok(Archive { source: Mutex::new(source.with_statuses(statuses)), raised })
    }

    /// The next page or problem; an error where nothing can be read any more.
    pub(crate) fn next(&mut self) -> Option<PyResult<Item>> {
        let item = self.source.get_mut().unwrap_or_else(PoisonError::into_inner).next()?;
        match item {
            Err(problem) if problem.kind == ProblemKind::Unreadable => {
                let error = ArchiveError::new_err(problem.to_string());
                let cause = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(cause) = cause else { return Some(Err(error)) };
                Python::attach(|py| {
                    // An interrupt is no trouble of the archive's.
                    if !cause.is_instance_of::<PyException>(py) {
                        return Some(Err(cause));
                    }
                    error.set_cause(py, Some(cause));
                    Some(Err(error))
                })
            }
            item => Some(Ok(item)),
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> PyErr {
    // As Python's own: with the number, so that it is an OSError like others.
    match error.raw_os_error() {
        Some(number) => ArchiveError::new_err((number, plain(error), path.to_owned())),
        None => ArchiveError::new_err(format!("{}: {error}", path.display())),
    }
}

/// Without the number behind it.
fn plain(error: &io::Error) -> String {
    let written = error.to_string();
    written.split(" (os error").next().unwrap_or_default().to_owned()
}

/// What a file object calls itself.
fn name_of(file: &Bound<'_, PyAny>) -> PathBuf {
    let named = ["name", "path", "url"]
        .into_iter()
        .find_map(|attribute| file.getattr(attribute).ok()?.extract::<PathBuf>().ok());
    named.unwrap_or_else(|| PathBuf::from("archive.warc"))
}

/// A file object of Python's. The lock is taken only to ask it for the next mebibyte.
struct PythonFile {
    file: Py<PyAny>,
    /// Where it was when it came, if it can go back.
    start: Option<u64>,
    chunk: Option<PyBackedBytes>,
    used: usize,
    raised: Raised,
}

impl PythonFile {
    fn new(file: &Bound<'_, PyAny>, raised: Raised) -> PyResult<PythonFile> {
        let can_seek = file.call_method0("seekable").and_then(|can| can.is_truthy());
        let start = match can_seek {
            Ok(true) => file.call_method0("tell")?.extract().ok(),
            // What does not say cannot.
            Ok(false) | Err(_) => None,
        };
        Ok(PythonFile { file: file.clone().unbind(), start, chunk: None, used: 0, raised })
    }

    fn failed(&self, error: PyErr) -> io::Error {
        let message = io::Error::other(error.to_string());
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        message
    }
}

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.as_ref().is_none_or(|chunk| self.used == chunk.len()) {
            let old = self.chunk.take();
            let read = Python::attach(|py| -> PyResult<PyBackedBytes> {
                // Here, with the lock: see `Input::owned`.
                drop(old);
                let read = self.file.bind(py).call_method1("read", (CHUNK,))?;
                read.extract().map_err(|_| {
                    PyTypeError::new_err("the file's read() gave no bytes; open it in binary mode")
                })
            });
            self.chunk = Some(read.map_err(|error| self.failed(error))?);
            self.used = 0;
        }
        let rest =
            self.chunk.as_deref().and_then(|chunk| chunk.get(self.used..)).unwrap_or_default();
        let size = rest.len().min(buffer.len());
        buffer[..size].copy_from_slice(&rest[..size]);
        self.used += size;
        Ok(size)
    }
}

impl Seek for PythonFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (SeekFrom::Start(offset), Some(start)) = (to, self.start) else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let old = self.chunk.take();
        self.used = 0;
        let sought = Python::attach(|py| {
            drop(old);
            self.file.call_method1(py, "seek", (start + offset,)).map(drop)
        });
        sought.map_err(|error| self.failed(error))?;
        Ok(offset)
    }
}

/// `statuses`: a number, a range as text (`"200-299,404"`), or several numbers.
pub(crate) fn statuses(value: Option<&Bound<'_, PyAny>>) -> PyResult<Statuses> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(Statuses::default());
    };
    let written = if let Ok(written) = text("statuses", value) {
        written
    } else if let Ok(one) = value.extract::<u16>() {
        one.to_string()
    } else {
        let several: Vec<u16> =
            value.try_iter()?.map(|one| one?.extract()).collect::<PyResult<_>>()?;
        let several: Vec<String> = several.iter().map(u16::to_string).collect();
        several.join(",")
    };
    written.parse().map_err(|message| wrong_option(format!("statuses: {message}")))
}
