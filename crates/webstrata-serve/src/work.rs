//! Work on pages: as many threads as there are processors, first come, first served.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::refusal::Refusal;

/// The workers and the queue before them.
pub(crate) struct Workers {
    /// tokio's semaphore gives its permits in the order in which they were asked for, so that nobody waits
    /// much longer than others.
    free: Arc<Semaphore>,
    workers: usize,
    waiting: AtomicUsize,
    queue: usize,
    queue_time: Duration,
    /// What there is too much of, for those who are refused.
    name: &'static str,
}

/// A place in the queue; it is free again when this is dropped, also where a client has gone.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    pub(crate) fn new(
        name: &'static str,
        workers: usize,
        queue: usize,
        queue_time: Duration,
    ) -> Workers {
        let free = Arc::new(Semaphore::new(workers));
        Workers { free, workers, waiting: AtomicUsize::new(0), queue, queue_time, name }
    }

    /// Does a piece of work as soon as a worker is free. Work that has begun is done to its end, even if
    /// nobody waits for it any more.
    pub(crate) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Refusal> {
        let worker = self.free_worker().await?;
        Workers::begin(worker, work).await
    }

    /// The same outside of the queue, for callers that limit themselves: they wait as long as it takes.
    pub(crate) async fn run_unqueued<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Refusal> {
        let worker = self.free.clone().acquire_owned().await;
        let worker = worker.map_err(|_| Refusal::busy("the server ends"))?;
        Workers::begin(worker, work).await
    }

    async fn begin<R: Send + 'static>(
        worker: OwnedSemaphorePermit,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Refusal> {
        let done = spawn_blocking(move || {
            let result = work();
            drop(worker);
            result
        });
        done.await.map_err(|_| {
            let remedy = "this is a mistake of the server, please report the page";
            let message = format!("the work was given up, {remedy}");
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
        })
    }

    async fn free_worker(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(worker) = self.free.clone().try_acquire_owned() {
            return Ok(worker);
        }
        let _place = self.place()?;
        match timeout(self.queue_time, self.free.clone().acquire_owned()).await {
            Ok(Ok(worker)) => Ok(worker),
            _ => Err(Refusal::busy(&format!("{} have been waiting for too long", self.name))),
        }
    }

    fn place(&self) -> Result<Place<'_>, Refusal> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.waiting);
        if before < self.queue {
            return Ok(place);
        }
        Err(Refusal::busy(&format!("too many {} are waiting already", self.name)))
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many are worked on.
    pub(crate) fn busy(&self) -> usize {
        self.workers.saturating_sub(self.free.available_permits())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::future::join_all;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
    }

    #[test]
    fn those_who_come_first_are_served_first() {
        runtime().block_on(async {
            let workers = Workers::new("pages", 1, 100, Duration::from_secs(60));
            let (sender, receiver) = mpsc::channel();
            let jobs = (0..100).map(|number| {
                let sender = sender.clone();
                workers.run(move || sender.send(number))
            });
            assert!(join_all(jobs).await.iter().all(Result::is_ok));
            drop(sender);
            assert!(receiver.iter().eq(0..100));
            assert_eq!((workers.waiting(), workers.busy()), (0, 0));
        });
    }

    #[test]
    fn a_full_queue_refuses_and_a_panic_is_an_answer() {
        runtime().block_on(async {
            let workers = Workers::new("pages", 1, 2, Duration::from_secs(60));
            let (sender, receiver) = mpsc::channel::<()>();
            let (first, second, third, fourth, release) = tokio::join!(
                workers.run(move || receiver.recv().is_ok()),
                workers.run(|| true),
                workers.run(|| true),
                workers.run(|| true),
                async { sender.send(()) },
            );
            assert_eq!((first, second, third), (Ok(true), Ok(true), Ok(true)));
            assert_eq!(release, Ok(()));
            let refusal = fourth.expect_err("there are two places");
            assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(refusal.retry_after, Some(Duration::from_secs(1)));
            let gone = workers.run(|| -> bool { std::panic::resume_unwind(Box::new(())) }).await;
            assert_eq!(gone.map_err(|r| r.status), Err(StatusCode::INTERNAL_SERVER_ERROR));
            assert_eq!(workers.run(|| 7).await, Ok(7), "the worker is free again");
        });
    }
}
