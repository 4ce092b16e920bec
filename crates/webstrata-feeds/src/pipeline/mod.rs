//! The stream: fetches feeds and pages and delivers records, without losing a page.
//!
//! One thread, the coordinator, owns the plan, the store and the URL Tree, and decides everything in one
//! order. The workers only fetch and cut. Another thread hands records to the output. A page counts when
//! its transaction is on the disk: the removed item, the URL key, the place in the tree, what left the
//! tree, the record and the counters are one transaction. So after `kill -9` a page either still waits or
//! is done completely.
//!
//! Everything is bounded: requests under way, items in memory, bytes of a transaction, records that wait
//! for the output.

mod archive;
mod coordinator;
mod delivery;
mod metrics;
mod plan;
#[cfg(test)]
#[path = "../../tests/it/server.rs"]
#[allow(dead_code)]
mod server;
mod settings;
mod status;
#[cfg(test)]
mod tests;
mod workers;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use webstrata_archive::record::{Origin, PageRecord};
use webstrata_base::{Progress, Tries};

pub use self::archive::Archive;
pub use self::metrics::Metrics;
pub use self::settings::StreamSettings;
pub use self::status::{STATUS_VERSION, SharedStatus, SiteStatus, Status, status_file};

use self::coordinator::Coordinator;
use self::delivery::{deliver, known_position};
use self::plan::Next;
use self::workers::{Done, Job, Workers};
use crate::feeds::FeedSite;
use crate::fetch::{Fetcher, Response};
use crate::sinks::Sink;
use crate::store::{Error, KeptRecord, Store};
use webstrata_site::url_key::Rules;
use webstrata_site::url_tree::{UrlTree, Visit};

/// The file in the store's folder that says which pages are being read.
const UNDER_WAY: &str = "under-way";
/// How long a stop waits for the output to take what is left.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the status is written.
const STATUS_INTERVAL: Duration = Duration::from_secs(3);

/// What the URL Tree counts of a page, see [`Visit`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageKeys {
    /// The keys of its texts.
    pub texts: Vec<u64>,
    /// The keys of the places where they stand.
    pub places: Vec<u64>,
}

/// Makes records of pages, in two steps: what needs only the page is done by many threads, what needs the
/// URL Tree in the order of the stream.
pub trait Extract: Sync {
    /// What is left of a page between the steps.
    type Cut: Send;

    /// Reads and cuts a page.
    fn cut(&self, page: &Response) -> Self::Cut;

    /// What the tree counts of the page, in any order.
    fn keys(&self, cut: &Self::Cut) -> PageKeys;

    /// The record of a page, which is in the tree already; unless its address has no URL key.
    fn record(
        &self,
        cut: Self::Cut,
        tree: &UrlTree,
        visit: Option<&Visit>,
        origin: Origin,
    ) -> PageRecord;
}

/// The parts of a stream.
pub struct Stream<'a, E> {
    /// The sites.
    pub sites: &'a [FeedSite],
    /// A fetcher for each site.
    pub fetchers: &'a [Fetcher],
    /// How it runs.
    pub settings: &'a StreamSettings,
    /// How URL keys are made.
    pub rules: &'a Rules,
    /// Makes records.
    pub extract: &'a E,
    /// Takes records.
    pub sink: Box<dyn Sink>,
    /// Keeps pages.
    pub archive: Option<Archive>,
    /// Ask each feed once, fetch what is due, and end.
    pub once: bool,
    /// Finish what is under way, and end.
    pub stop: &'a AtomicBool,
    /// Receives messages for people.
    pub progress: &'a dyn Progress,
    /// The latest status, for other threads.
    pub shared_status: SharedStatus,
    /// The file that the status is written to.
    pub status: Option<PathBuf>,
    /// The second since 1970.
    pub clock: &'a (dyn Fn() -> i64 + Sync),
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Pages put out in this run.
    pub pages: u64,
    /// Pages that were there before.
    pub duplicates: u64,
    /// Feeds that answered.
    pub feeds: u64,
    /// Failures, of feeds and pages.
    pub errors: u64,
    /// Items given up.
    pub lost: u64,
    /// Items that wait to be fetched.
    pub waiting: u64,
    /// Records that the output has not got.
    pub undelivered: u64,
    /// Why the output has not got them, where it failed.
    pub stuck: Option<String>,
}

/// Runs a stream until it is stopped, or done.
pub fn run<E: Extract>(store: Store, stream: Stream<'_, E>) -> Result<Summary, Error> {
    let jobs = stream.settings.jobs;
    let (job_sender, job_receiver) = mpsc::sync_channel::<Job>(jobs);
    // Room for all that can be under way: no thread waits for the coordinator to take a result.
    let (done_sender, done) = mpsc::sync_channel::<Done<E::Cut>>(jobs + 4);
    let (record_sender, records) = mpsc::sync_channel::<Vec<KeptRecord>>(1);
    let job_receiver = Mutex::new(job_receiver);
    let give_up = AtomicBool::new(stream.once);
    let Stream { mut sink, archive, .. } = stream;
    // Header fields of a site go to its own servers only, not to those that its feeds link to.
    let fetchers: Vec<Fetcher> = (stream.fetchers.iter().zip(stream.sites))
        .map(|(fetcher, site)| fetcher.for_feeds(&site.feeds))
        .collect();
    let tries = Tries::open(store.folder(), UNDER_WAY).map_err(|error| store.unusable(&error))?;
    let workers = Workers {
        extract: stream.extract,
        fetchers: &fetchers,
        rules: stream.rules,
        tries: &tries,
        is_archived: archive.is_some(),
        attempts: stream.settings.attempts,
    };
    let context = Context {
        settings: stream.settings,
        sites: stream.sites,
        rules: stream.rules,
        tries: &tries,
        once: stream.once,
        stop: stream.stop,
        progress: stream.progress,
    };
    let now = (stream.clock)();
    let known = known_position(&store, &*sink)?;
    sink.begin(known.as_ref()).map_err(Error::output)?;
    let mut coordinator = Coordinator::new(store, stream.extract, context, &*sink, archive, now)?;
    let position = coordinator.position().clone();
    thread::scope(|scope| {
        let (workers, job_receiver, give_up) = (&workers, &job_receiver, &give_up);
        for _ in 0..jobs {
            let done = done_sender.clone();
            scope.spawn(move || workers.work(job_receiver, &done));
        }
        scope.spawn(move || deliver(&mut *sink, position, &records, &done_sender, give_up));
        let mut run = Run {
            jobs: job_sender,
            done,
            records: record_sender,
            fetchers: stream.fetchers,
            shared_status: &stream.shared_status,
            status: stream.status.as_ref(),
            clock: stream.clock,
            give_up,
            in_flight: 0,
            is_delivering: false,
            stuck: None,
            stopping: None,
            status_published: None,
        };
        let ended = run.run_loop(&mut coordinator, context);
        // Workers end when there are no more jobs. The output ends when `give_up` is set.
        give_up.store(true, Ordering::Relaxed);
        run.publish_status(&coordinator, false);
        ended.map(|()| coordinator.summary(run.stuck.take()))
    })
}

/// What the coordinator and the run share.
#[derive(Clone, Copy)]
struct Context<'a> {
    settings: &'a StreamSettings,
    sites: &'a [FeedSite],
    rules: &'a Rules,
    tries: &'a Tries,
    once: bool,
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
}

impl Context<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// May it wait for an output or a disk without limit?
    fn may_wait(&self) -> bool {
        !self.once && !self.is_stopped()
    }
}

/// The channels of a run, and what is under way in them.
struct Run<'a, C> {
    jobs: SyncSender<Job>,
    done: Receiver<Done<C>>,
    records: SyncSender<Vec<KeptRecord>>,
    fetchers: &'a [Fetcher],
    shared_status: &'a SharedStatus,
    status: Option<&'a PathBuf>,
    clock: &'a (dyn Fn() -> i64 + Sync),
    give_up: &'a AtomicBool,
    in_flight: usize,
    is_delivering: bool,
    stuck: Option<String>,
    stopping: Option<Instant>,
    status_published: Option<Instant>,
}

impl<C: Send> Run<'_, C> {
    /// The loop: hand out what is due, take what is done, commit, deliver.
    fn run_loop<E: Extract<Cut = C>>(
        &mut self,
        coordinator: &mut Coordinator<'_, E>,
        context: Context<'_>,
    ) -> Result<(), Error> {
        loop {
            let (wait, is_idle) = self.assign_jobs(coordinator, context)?;
            coordinator.maintain((self.clock)())?;
            self.offer_records(coordinator)?;
            if self.status_published.is_none_or(|at| at.elapsed() > STATUS_INTERVAL) {
                self.publish_status(coordinator, true);
            }
            if self.in_flight == 0 && is_idle {
                if coordinator.has_changes() {
                    coordinator.commit()?;
                    continue;
                }
                if self.is_over(coordinator, context) {
                    return Ok(());
                }
            }
            let wait = coordinator.commit_in().map_or(wait, |due| due.min(wait));
            match self.done.recv_timeout(wait) {
                Ok(done) => self.take(done, coordinator)?,
                Err(RecvTimeoutError::Timeout) => {}
                // The output's thread has a sender as long as the run has one of its receivers.
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            // What else is done already goes into the same transaction.
            while !coordinator.is_full() {
                let Ok(done) = self.done.try_recv() else { break };
                self.take(done, coordinator)?;
            }
            if coordinator.is_full() || coordinator.commit_in().is_some_and(|due| due.is_zero()) {
                coordinator.commit()?;
            }
        }
    }

    /// Gives work to all threads that have none. How long until there may be more, and whether there is
    /// nothing to do at all.
    fn assign_jobs<E: Extract<Cut = C>>(
        &mut self,
        coordinator: &mut Coordinator<'_, E>,
        context: Context<'_>,
    ) -> Result<(Duration, bool), Error> {
        if context.is_stopped() {
            self.stopping.get_or_insert_with(Instant::now);
            self.give_up.store(true, Ordering::Relaxed);
            return Ok((Duration::from_millis(100), true));
        }
        while self.in_flight < context.settings.jobs {
            match coordinator.next(self.fetchers, (self.clock)())? {
                Next::Job(job) => {
                    if self.jobs.send(job).is_ok() {
                        self.in_flight += 1;
                    }
                }
                Next::Wait(wait) => return Ok((wait.max(Duration::from_millis(1)), false)),
                Next::Idle(wait) => return Ok((wait, true)),
            }
        }
        Ok((STATUS_INTERVAL, false))
    }

    fn take<E: Extract<Cut = C>>(
        &mut self,
        done: Done<C>,
        coordinator: &mut Coordinator<'_, E>,
    ) -> Result<(), Error> {
        let now = (self.clock)();
        match done {
            Done::Polled { site, feed, result } => {
                self.in_flight -= 1;
                coordinator.polled(site, feed, result, now)?;
            }
            Done::Page { site, place, item, result } => {
                self.in_flight -= 1;
                coordinator.page(site, place, item, result, now)?;
            }
            Done::Delivered(position) => {
                self.is_delivering = false;
                coordinator.delivered(position);
            }
            Done::Late(message) => coordinator.note(&message),
            Done::Stuck(message) => self.stuck = Some(message),
        }
        Ok(())
    }

    /// Hands the next records to the output, if it has nothing to do.
    fn offer_records<E: Extract<Cut = C>>(
        &mut self,
        coordinator: &Coordinator<'_, E>,
    ) -> Result<(), Error> {
        if self.is_delivering || self.stuck.is_some() {
            return Ok(());
        }
        let records = coordinator.undelivered_records()?;
        if !records.is_empty() && self.records.send(records).is_ok() {
            self.is_delivering = true;
        }
        Ok(())
    }

    fn is_over<E: Extract<Cut = C>>(
        &self,
        coordinator: &Coordinator<'_, E>,
        context: Context<'_>,
    ) -> bool {
        let is_delivered = coordinator.undelivered() == 0 && !self.is_delivering;
        let is_late = self.stopping.is_some_and(|since| since.elapsed() > STOP_TIMEOUT);
        (context.once || context.is_stopped()) && (is_delivered || is_late || self.stuck.is_some())
    }

    /// Publishes the status: to the file and to [`SharedStatus`].
    fn publish_status<E: Extract<Cut = C>>(
        &mut self,
        coordinator: &Coordinator<'_, E>,
        running: bool,
    ) {
        self.status_published = Some(Instant::now());
        let status = coordinator.status((self.clock)(), running);
        if let (Some(path), Ok(json)) = (self.status, serde_json::to_vec_pretty(&status)) {
            // If the disk is full, the old file stays.
            let _ = webstrata_base::write_whole(path, &json);
        }
        self.shared_status.set(status);
    }
}
