//! Many pages at once, results in the order of the pages.
//!
//! The thread that asks for results takes pages from Python's iterator, so that generators run where their
//! author expects them; the workers never touch Python. They run at most a window ahead of the page whose result
//! is due, so many pages and so many bytes.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::{process, thread};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyTuple};

use crate::document::Document;
use crate::errors::InternalError;
use crate::input::Input;
use crate::options::{Settings, Shared, within};

/// Pages that wait for their turn, per worker.
const WINDOW: usize = 8;

/// Bytes of pages that wait for their turn, all in all. A page that has more goes alone.
const WINDOW_BYTES: usize = 256 << 20;

/// More threads than any machine has processors.
const MOST_JOBS: usize = 4096;

/// The main texts of many pages: an iterator of documents in the order of the pages.
#[pyclass(module = "webstrata")]
pub(crate) struct Many {
    pages: Py<PyIterator>,
    settings: Shared,
    workers: Option<Workers>,
    /// Results that are not delivered yet, the next one first, with the sizes of their pages.
    due: VecDeque<(usize, Due)>,
    bytes: usize,
    window: usize,
    ended: bool,
    /// Threads do not follow into a forked process.
    process: u32,
    /// What the pages' iterator raised; it comes behind the results of the pages before.
    raised: Option<PyErr>,
}

type Due = Mutex<Receiver<Document>>;

struct Task {
    input: Input,
    url: Option<String>,
    done: std::sync::mpsc::SyncSender<Document>,
}

/// Threads that end when this is dropped.
struct Workers(Sender<Task>);

impl Workers {
    fn start(count: usize, settings: &Shared) -> Workers {
        let (sender, tasks) = channel::<Task>();
        let tasks = Arc::new(Mutex::new(tasks));
        for _ in 0..count {
            let (tasks, settings) = (tasks.clone(), settings.clone());
            let work = move || {
                // Held while waiting, as only one thread can wait for a channel.
                while let Ok(task) =
                    tasks.lock().map_err(drop).and_then(|next| next.recv().map_err(drop))
                {
                    let document = Document::of(task.input, task.url.as_deref(), &settings);
                    // Where nobody waits any more, nobody is told.
                    let _ = task.done.send(document);
                }
            };
            // Without a thread, tasks would wait for ever; one is enough.
            let _ = thread::Builder::new().name("webstrata".into()).spawn(work);
        }
        Workers(sender)
    }
}

impl Many {
    pub(crate) fn new(
        pages: &Bound<'_, PyAny>,
        jobs: Option<&Bound<'_, PyAny>>,
        settings: Settings,
    ) -> PyResult<Many> {
        if settings.options.url.is_some() {
            return Err(PyTypeError::new_err(
                "url is the address of one page; give pairs of a page and its address",
            ));
        }
        let jobs = jobs_of(jobs)?;
        let settings = Arc::new(settings);
        let workers = (jobs > 1).then(|| Workers::start(jobs, &settings));
        Ok(Many {
            pages: pages.try_iter()?.unbind(),
            settings,
            workers,
            due: VecDeque::new(),
            bytes: 0,
            window: jobs * WINDOW,
            ended: false,
            process: process::id(),
            raised: None,
        })
    }

    /// The next page and its address.
    fn page(&mut self, py: Python<'_>) -> Option<PyResult<(Input, Option<String>)>> {
        let next = self.pages.bind(py).clone().next()?;
        Some(next.and_then(|item| page_of(&item)))
    }

    /// Hands pages to the workers until the window is full.
    fn fill(&mut self, py: Python<'_>) {
        while !self.ended && self.due.len() < self.window && self.bytes < WINDOW_BYTES {
            let (input, url) = match self.page(py) {
                Some(Ok(page)) => page,
                end => {
                    self.ended = true;
                    self.raised = end.and_then(Result::err);
                    return;
                }
            };
            let size = input.bytes().len();
            let (done, result) = sync_channel(1);
            if let Some(Workers(sender)) = &self.workers {
                // The receiver is there as long as a worker is.
                let _ = sender.send(Task { input, url, done });
            }
            self.bytes += size;
            self.due.push_back((size, Mutex::new(result)));
        }
    }
}

/// How many threads are asked for; as many as there are processors where nobody says.
pub(crate) fn jobs_of(jobs: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    match jobs {
        Some(jobs) if !jobs.is_none() => within("jobs", jobs, 1, MOST_JOBS),
        _ => Ok(thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// A page of many: a page alone, or with its address.
fn page_of(item: &Bound<'_, PyAny>) -> PyResult<(Input, Option<String>)> {
    if let Ok(pair) = item.cast::<PyTuple>() {
        let (page, url): (Bound<'_, PyAny>, Option<String>) = pair.extract().map_err(|_| {
            PyTypeError::new_err("expected a page, or a pair of a page and its address")
        })?;
        return Ok((Input::of(&page)?, url));
    }
    Ok((Input::of(item)?, None))
}

#[pymethods]
impl Many {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Document>> {
        if self.workers.is_none() {
            if self.ended {
                return Ok(None);
            }
            let Some(page) = self.page(py) else {
                self.ended = true;
                return Ok(None);
            };
            let (input, url) = page.inspect_err(|_| self.ended = true)?;
            let settings = &self.settings;
            return Ok(Some(py.detach(|| Document::of(input, url.as_deref(), settings))));
        }
        if self.process != process::id() {
            let message = "this iterator is another process's; make one behind the fork";
            return Err(PyRuntimeError::new_err(message));
        }
        self.fill(py);
        let Some((size, result)) = self.due.pop_front() else {
            self.workers = None;
            return self.raised.take().map_or(Ok(None), Err);
        };
        self.bytes -= size;
        let wait = || result.into_inner().ok().and_then(|result| result.recv().ok());
        let document = py.detach(wait);
        document.map(Some).ok_or_else(|| InternalError::new_err("no thread could be started"))
    }
}

/// Extracts many pages, on `jobs` threads (as many as there are processors by default), and yields their documents
/// in the order of the pages.
///
/// `pages` is any iterable of pages, or of pairs of a page and its address; generators are read only a few pages
/// ahead. The other options are those of `extract`. A page that meets a mistake of ours yields an empty document
/// whose `error` says so; no page stops the others.
///
/// >>> import webstrata
/// >>> pages = ("<p>High water is at %s today, the harbour office says." % hour for hour in ("noon", "one"))
/// >>> for document in webstrata.extract_many(pages, jobs=2, extractor="keep-all"):
/// ...     print(document.text, end="")
/// High water is at noon today, the harbour office says.
/// High water is at one today, the harbour office says.
#[pyfunction]
#[pyo3(signature = (pages, /, *, jobs = None, **options), text_signature = "(pages, /, *, jobs=None, extractor='strata', favor='balanced', formats='text', links=False, images=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=False)")]
pub(crate) fn extract_many(
    pages: &Bound<'_, PyAny>,
    jobs: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Many> {
    Many::new(pages, jobs, Settings::read(options, None, false)?)
}
