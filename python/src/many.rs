//! Many pages at once, results in the order of the pages.
//!
//! The thread that asks for results takes pages from Python's iterator, so that generators run where their
//! author expects them; the workers never touch Python. They run at most a window ahead of the page whose result
//! is due, so many pages and so many bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::{mem, process, thread};

use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyIterator, PyMemoryView, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::document::Document;
use crate::errors::InternalError;
use crate::input::Input;
use crate::options::{PageOptions, address, within};
use crate::workers::{Due, Workers};

/// Pages that wait for their turn, per worker.
const WINDOW: usize = 8;

/// Bytes of pages that wait for their turn, all in all, but for the last one.
const WINDOW_BYTES: usize = 256 << 20;

/// More threads than any machine has processors.
const MOST_JOBS: usize = 4096;

/// The main texts of many pages: an iterator of documents in the order of the pages.
///
/// It is for one thread at a time, like a generator. Its threads end with it, or with `close()`.
#[pyclass(frozen, module = "webstrata", name = "Documents")]
pub(crate) struct Many {
    state: Mutex<State>,
    settings: Arc<PageOptions>,
    jobs: usize,
    /// Threads do not follow into a forked process.
    process: u32,
}

struct State {
    /// `None` behind the last page.
    pages: Option<Py<PyIterator>>,
    /// `None` where one job does all.
    workers: Option<Workers>,
    /// Results that are not delivered yet, the next one first, with the sizes of their pages.
    due: VecDeque<(usize, Due)>,
    bytes: usize,
    /// What the pages' iterator raised; it comes behind the results of the pages before.
    raised: Option<Py<PyAny>>,
}

impl Many {
    pub(crate) fn new(
        pages: &Bound<'_, PyAny>,
        jobs: Option<&Bound<'_, PyAny>>,
        settings: PageOptions,
    ) -> PyResult<Many> {
        if settings.request.options.url.is_some() {
            return Err(PyTypeError::new_err(
                "url is the address of one page; give pairs of a page and its address",
            ));
        }
        if is_one_page(pages) {
            return Err(PyTypeError::new_err("this is one page; use extract, or pass [page]"));
        }
        let (jobs, settings) = (jobs_of(jobs)?, Arc::new(settings));
        let state = State {
            pages: Some(pages.try_iter()?.unbind()),
            workers: (jobs > 1).then(|| Workers::new(jobs, settings.clone())),
            due: VecDeque::new(),
            bytes: 0,
            raised: None,
        };
        Ok(Many { state: Mutex::new(state), settings, jobs, process: process::id() })
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, State>> {
        if self.process != process::id() {
            let message = "this iterator is another process's; make one behind the fork";
            return Err(PyRuntimeError::new_err(message));
        }
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyValueError::new_err(
                "extract_many is already executing; its iterator is for one thread at a time",
            )),
        }
    }

    /// Hands pages to the workers: until the window is full, or, where the first result is ready, as many as keep
    /// them all busy. So a source that is slow is not waited for longer than need be.
    fn fill(&self, py: Python<'_>, state: &mut State) -> PyResult<()> {
        while state.due.len() < self.jobs * WINDOW && state.bytes < WINDOW_BYTES {
            if state.due.len() >= self.jobs && state.due[0].1.is_ready() {
                break;
            }
            let (input, url) = match state.page(py) {
                None => break,
                Some(Ok(page)) => page,
                Some(Err(error)) => {
                    state.pages = None;
                    // An interrupt is for now.
                    if !error.is_instance_of::<PyException>(py) {
                        return Err(error);
                    }
                    state.raised = Some(error.into_value(py).into_any());
                    break;
                }
            };
            let size = input.bytes().len();
            let Some(workers) = &mut state.workers else { break };
            let due = workers.work(input.owned(), url);
            if !workers.any() {
                return Err(InternalError::new_err("no thread can be started; use jobs=1"));
            }
            state.bytes += size;
            state.due.push_back((size, due));
        }
        Ok(())
    }
}

impl State {
    /// The next page and its address.
    fn page(&mut self, py: Python<'_>) -> Option<PyResult<(Input, Option<String>)>> {
        let next = self.pages.as_ref()?.bind(py).clone().next();
        if next.is_none() {
            self.pages = None;
        }
        Some(next?.and_then(|item| page_of(&item)))
    }

    /// Works on the next page here and now.
    fn alone(&mut self, py: Python<'_>, settings: &PageOptions) -> PyResult<Option<Document>> {
        let Some(page) = self.page(py) else { return Ok(None) };
        let (input, url) = page.inspect_err(|_| self.pages = None)?;
        Ok(Some(Document::here(py, input, url.as_deref(), settings)))
    }

    fn close(&mut self) {
        *self = State { pages: None, workers: None, due: VecDeque::new(), bytes: 0, raised: None };
    }
}

impl Drop for Many {
    fn drop(&mut self) {
        // In a forked process, a worker that is not here may have held locks of these for ever.
        if self.process != process::id()
            && let Ok(state) = self.state.get_mut()
        {
            mem::forget(state.workers.take());
            mem::forget(mem::take(&mut state.due));
        }
    }
}

/// Would this pass for many pages, of a letter each?
pub(crate) fn is_one_page(pages: &Bound<'_, PyAny>) -> bool {
    pages.is_instance_of::<PyString>()
        || pages.is_instance_of::<PyBytes>()
        || pages.is_instance_of::<PyByteArray>()
        || pages.is_instance_of::<PyMemoryView>()
}

/// The number of threads; by default the number of processors.
pub(crate) fn jobs_of(jobs: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    match jobs {
        Some(jobs) if !jobs.is_none() => within("jobs", jobs, 1, MOST_JOBS),
        _ => Ok(thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// A page of many: a page alone, or with its address.
fn page_of(item: &Bound<'_, PyAny>) -> PyResult<(Input, Option<String>)> {
    let Ok(pair) = item.cast::<PyTuple>() else { return Ok((Input::of(item)?, None)) };
    let wrong = || PyTypeError::new_err("expected a page, or a pair of a page and its address");
    let (page, url): (Bound<'_, PyAny>, Option<Bound<'_, PyString>>) =
        pair.extract().map_err(|_| wrong())?;
    Ok((Input::of(&page)?, url.as_ref().map(address).transpose()?))
}

#[pymethods]
impl Many {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Document>> {
        let mut state = self.lock()?;
        py.check_signals()?;
        if state.workers.is_none() {
            return state.alone(py, &self.settings);
        }
        self.fill(py, &mut state)?;
        let Some((size, due)) = state.due.front_mut() else {
            state.workers = None;
            let raised = state.raised.take();
            return raised.map_or(Ok(None), |error| Err(PyErr::from_value(error.into_bound(py))));
        };
        let size = *size;
        // What a signal interrupts comes the next time.
        let document = loop {
            match py.detach(|| due.wait()) {
                Some(document) => break document,
                None => py.check_signals()?,
            }
        };
        state.due.pop_front();
        state.bytes -= size;
        Ok(Some(document))
    }

    /// Ends the threads; there are no more documents then.
    fn close(&self) -> PyResult<()> {
        self.lock()?.close();
        Ok(())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Whoever is at work on it holds a reference.
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        visit.call(&state.pages)?;
        visit.call(&state.raised)
    }

    fn __clear__(&self) {
        if self.process == process::id()
            && let Ok(mut state) = self.state.try_lock()
        {
            state.close();
        }
    }
}

/// Extracts many pages, on `jobs` threads (as many as there are processors by default), and yields their documents
/// in the order of the pages.
///
/// `pages` is any iterable of pages, or of pairs of a page and its address; generators are read only a few pages
/// ahead: `jobs` where they are slow, eight times as many where pages are. With `jobs=1` none. The other options are those of `extract`. A page that meets a mistake of ours yields an empty document
/// whose `error` says so; no page stops the others.
///
/// >>> import webstrata
/// >>> pages = ("<p>High water is at %s today, the harbour office says." % hour for hour in ("noon", "one"))
/// >>> for document in webstrata.extract_many(pages, jobs=2, extractor="keep-all"):
/// ...     print(document.text, end="")
/// High water is at noon today, the harbour office says.
/// High water is at one today, the harbour office says.
#[pyfunction]
#[pyo3(signature = (pages, /, *, jobs = None, **options), text_signature = "(pages, /, *, jobs=None, extractor='strata', favor='balanced', formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=False)")]
pub(crate) fn extract_many(
    pages: &Bound<'_, PyAny>,
    jobs: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Many> {
    Many::new(pages, jobs, PageOptions::read(options, None, false)?)
}
