//! Threads that work on pages, for one iterator of documents.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::document::Document;
use crate::input::Input;
use crate::options::PageOptions;

/// How long to wait before looking whether anybody wants to stop.
const PAUSE: Duration = Duration::from_millis(100);

/// Threads that end when this is dropped, each behind the page that it has at hand.
pub(crate) struct Workers {
    tasks: Sender<Task>,
    waiting: Arc<Mutex<Receiver<Task>>>,
    settings: Arc<PageOptions>,
    stopped: Arc<AtomicBool>,
    started: usize,
    most: usize,
}

struct Task {
    input: Input,
    url: Option<String>,
    done: SyncSender<Document>,
}

/// A document that will come.
pub(crate) struct Due {
    document: Receiver<Document>,
    come: Option<Document>,
}

impl Workers {
    /// As many threads at most; they start as there is work for them.
    pub(crate) fn new(most: usize, settings: Arc<PageOptions>) -> Workers {
        let (tasks, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        Workers { tasks, waiting, settings, stopped: Arc::default(), started: 0, most }
    }

    /// Hands over a page, which must not have anything of Python's.
    pub(crate) fn work(&mut self, input: Input, url: Option<String>) -> Due {
        if self.started < self.most {
            self.start();
        }
        let (done, document) = sync_channel(1);
        // The receiver is here, so this cannot fail.
        let _ = self.tasks.send(Task { input, url, done });
        Due { document, come: None }
    }

    fn start(&mut self) {
        let (waiting, settings) = (self.waiting.clone(), self.settings.clone());
        let stopped = self.stopped.clone();
        // Held while waiting: only one thread can wait for a channel.
        let next = move || waiting.lock().ok()?.recv().ok();
        let work = move || {
            while let Some(Task { input, url, done }) = next() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let document = Document::of(input, url.as_deref(), &settings);
                // Where nobody waits any more, nobody is told.
                let _ = done.send(document);
            }
        };
        if thread::Builder::new().name("webstrata".into()).spawn(work).is_ok() {
            self.started += 1;
        }
    }

    /// Is there any thread? Without one, nothing would ever come.
    pub(crate) fn any(&self) -> bool {
        self.started > 0
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl Due {
    /// Has it come?
    pub(crate) fn is_ready(&mut self) -> bool {
        if self.come.is_none() {
            self.come = self.document.try_recv().ok();
        }
        self.come.is_some()
    }

    /// Waits for it, a while: `None` if it has not come then.
    pub(crate) fn wait(&mut self) -> Option<Document> {
        let waited = || match self.document.recv_timeout(PAUSE) {
            Ok(document) => Some(document),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Document::failed("internal error, a thread has ended; please report it"))
            }
        };
        self.come.take().or_else(waited)
    }
}
