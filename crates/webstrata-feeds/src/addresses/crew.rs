//! Fetches many addresses: several hosts side by side, each host one address at a time.

use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use xxhash_rust::xxh3::xxh3_128;

use super::kept::Missed;
use super::queue::{Job, Next, Queue, pause};
use super::sitemaps::Found;
use crate::fetch::{Answer, Failure, FailureKind, Fetcher, Response, Validators, address};

/// Hosts that are asked at the same time.
const AT_ONCE: usize = 16;

/// Addresses that wait in memory. Of longer lists, more are read as these are fetched.
const MOST_WAITING: usize = 100_000;

/// How often an address is asked for that fails for now.
const ATTEMPTS: u32 = 3;

/// How often in a row a host may be silent before the rest of its addresses is given up.
const SILENCES: u32 = 6;

/// The longest that the addresses of a host wait because it asked for it.
const PATIENCE: Duration = Duration::from_secs(600);

/// Addresses, and hosts, in vain, with nothing reached before, after which the network is taken for gone.
const OFFLINE: (usize, usize) = (24, 3);

/// What became of an address, or is known on the way.
#[derive(Debug)]
pub(super) enum Event {
    /// A page, and when it came.
    Page(String, Box<Response>, SystemTime),
    /// None came.
    Failed(String, Failure),
    /// None is to be had, as was known without asking for it.
    Missed(String, Missed),
    /// What was named cannot be read: a sitemap or a list.
    Problem {
        /// Which.
        url: String,
        /// Why.
        message: String,
    },
    /// Worth knowing.
    Note(String),
    /// Nothing can be reached: these were tried in vain, and no more will come.
    Offline(Vec<(String, Failure)>),
}

/// The address as it is fetched, by which it is told from others.
///
/// # Errors
///
/// Where it is no address of the Web.
pub fn normal(written: &str) -> Result<String, Failure> {
    address(written).map(String::from)
}

/// Tells an address from others.
pub(super) fn key(normal: &str) -> u128 {
    xxh3_128(normal.as_bytes())
}

struct State {
    queue: Queue,
    /// No more addresses come.
    is_fed: bool,
    is_stopped: bool,
    busy: usize,
    /// Something answered.
    is_reached: bool,
    /// What failed before anything answered.
    held: Vec<(String, Failure)>,
    held_hosts: HashSet<String>,
}

struct Shared {
    fetcher: Arc<Fetcher>,
    state: Mutex<State>,
    changed: Condvar,
}

/// Fetches addresses as they come; see [`Event`]. Dropping it ends the fetching.
pub(super) struct Crew {
    events: Receiver<Event>,
    shared: Arc<Shared>,
}

impl Crew {
    /// Begins to fetch. Addresses in `known`, by their [`key`], are passed over, and none is fetched twice.
    pub(super) fn start(
        fetcher: Arc<Fetcher>,
        found: impl Iterator<Item = Found> + Send + 'static,
        known: HashSet<u128>,
    ) -> Crew {
        // Each thread holds one page at most until somebody takes it.
        let (sender, events) = sync_channel(0);
        let state = State {
            queue: Queue::default(),
            is_fed: false,
            is_stopped: false,
            busy: 0,
            is_reached: false,
            held: Vec::new(),
            held_hosts: HashSet::new(),
        };
        let shared =
            Arc::new(Shared { fetcher, state: Mutex::new(state), changed: Condvar::new() });
        for _ in 0..AT_ONCE {
            let (shared, sender) = (shared.clone(), sender.clone());
            thread::spawn(move || shared.work(&sender));
        }
        thread::spawn({
            let shared = shared.clone();
            move || shared.feed(found, known, &sender)
        });
        Crew { events, shared }
    }
}

impl Iterator for Crew {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.events.recv().ok()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// Sends an event; who no longer listens wants nothing more.
    fn send(&self, sender: &SyncSender<Event>, event: Event) {
        if sender.send(event).is_err() {
            self.stop();
        }
    }

    /// Puts addresses into the queue as long as there is room.
    fn feed(
        &self,
        mut found: impl Iterator<Item = Found>,
        mut known: HashSet<u128>,
        sender: &SyncSender<Event>,
    ) {
        loop {
            // A bug must not leave the others waiting for ever.
            let next = panic::catch_unwind(AssertUnwindSafe(|| found.next()));
            let is_bug = next.is_err();
            let next = next.unwrap_or_else(|_| {
                let (url, message) = ("addresses".into(), "a bug in reading them".into());
                Some(Found::Problem { url, message })
            });
            let Some(next) = next else { break };
            match next {
                Found::Address(written) => match address(&written) {
                    Ok(url) if known.insert(key(url.as_str())) => {
                        let host = url.host_str().unwrap_or_default().to_owned();
                        self.push(Job { url: url.into(), host, failures: 0 });
                    }
                    Err(failure) if known.insert(key(&written)) => {
                        self.send(sender, Event::Failed(written, failure));
                    }
                    Ok(_) | Err(_) => {}
                },
                Found::Missed(url, why) => self.send(sender, Event::Missed(url, why)),
                Found::Problem { url, message } => {
                    self.send(sender, Event::Problem { url, message });
                }
                Found::Note(note) => self.send(sender, Event::Note(note)),
            }
            if is_bug || self.lock().is_stopped {
                break;
            }
        }
        self.lock().is_fed = true;
        self.changed.notify_all();
    }

    fn push(&self, job: Job) {
        let full = |state: &mut State| state.queue.waiting() >= MOST_WAITING && !state.is_stopped;
        let state = self.changed.wait_while(self.lock(), full);
        let ready = self.ready(&job.url);
        state.unwrap_or_else(PoisonError::into_inner).queue.push(job, ready);
        self.changed.notify_all();
    }

    /// From when on the host may be asked; at once if that is too far away, so that the fetcher says so.
    fn ready(&self, url: &str) -> Instant {
        let (now, ready) = (Instant::now(), self.fetcher.ready_at(url));
        if ready > now + PATIENCE { now } else { ready }
    }

    /// The next address, as soon as there is one; `None` after the last.
    fn take(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.is_stopped {
                return None;
            }
            let now = Instant::now();
            match state.queue.next(now) {
                Next::Take(job) => {
                    state.busy += 1;
                    return Some(job);
                }
                Next::Wait(until) => {
                    let pause = until.saturating_duration_since(now);
                    let waited = self.changed.wait_timeout(state, pause);
                    state = waited.map_or_else(|error| error.into_inner().0, |(state, _)| state);
                }
                Next::Nothing if state.is_fed && state.busy == 0 => return None,
                Next::Nothing => {
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn work(&self, sender: &SyncSender<Event>) {
        while let Some(job) = self.take() {
            let get = || self.fetcher.get(&job.url, &Validators::default());
            let answer = panic::catch_unwind(AssertUnwindSafe(get)).unwrap_or_else(|_| {
                let message = "a bug in fetching it";
                Err(Failure::new(FailureKind::Protocol, &job.url, message))
            });
            let events = self.settled(job, answer);
            for event in events {
                self.send(sender, event);
            }
            self.lock().busy -= 1;
            self.changed.notify_all();
        }
        // The last one tells of what was held back, if nothing was ever reached.
        let held = std::mem::take(&mut self.lock().held);
        if !held.is_empty() {
            self.send(sender, Event::Offline(held));
        }
    }

    /// What an answer leads to; the address may go back into the queue.
    fn settled(&self, mut job: Job, answer: Result<Answer, Failure>) -> Vec<Event> {
        let host = job.host.clone();
        let ready = self.ready(&job.url);
        let failure = match answer {
            Ok(Answer::Page(page)) => {
                let event = Event::Page(job.url, page, SystemTime::now());
                return self.reached(&host, ready, None, vec![event]);
            }
            Ok(Answer::NotModified { url, .. }) => {
                // Nobody asked for that; a server that says so has no page for us.
                Failure::new(FailureKind::Protocol, &url, "the server sent no page")
            }
            Err(failure) => failure,
        };
        let is_silent = is_silent(failure.kind());
        job.failures += 1;
        let waits = failure.retry_after.unwrap_or_default();
        // A page is worth waiting for; a host that does not answer is not.
        let is_page = matches!(failure.kind(), FailureKind::Status(_));
        let patience = if is_page { PATIENCE } else { PATIENCE / 10 };
        let again = failure.is_temporary() && job.failures < ATTEMPTS && waits <= patience;
        let ready =
            if again { ready.max(Instant::now() + waits.max(pause(job.failures))) } else { ready };
        let url = job.url.clone();
        let again = again.then_some(job);
        let failed =
            if again.is_none() { vec![Event::Failed(url, failure.clone())] } else { vec![] };
        if !is_silent {
            // What was refused here says nothing of the network.
            let is_answer = !matches!(failure.kind(), FailureKind::Refused | FailureKind::BadUrl);
            return if is_answer {
                self.reached(&host, ready, again, failed)
            } else {
                self.done(&host, ready, again, false);
                failed
            };
        }
        let given_up = self.done(&host, ready, again, true);
        let given_up = given_up.into_iter().map(|job| {
            let message =
                format!("{}; its host was silent {SILENCES} times in a row", failure.message());
            let failure = Failure::new(failure.kind(), &job.url, message);
            Event::Failed(job.url, failure)
        });
        let failed: Vec<Event> = failed.into_iter().chain(given_up).collect();
        self.hold(host, failed)
    }

    fn done(&self, host: &str, ready: Instant, again: Option<Job>, is_silent: bool) -> Vec<Job> {
        self.lock().queue.done(host, ready, again, is_silent, SILENCES)
    }

    /// Something answered: what was held back before is no sign of a missing network.
    fn reached(
        &self,
        host: &str,
        ready: Instant,
        again: Option<Job>,
        events: Vec<Event>,
    ) -> Vec<Event> {
        self.done(host, ready, again, false);
        let mut state = self.lock();
        state.is_reached = true;
        let held = std::mem::take(&mut state.held).into_iter();
        held.map(|(url, failure)| Event::Failed(url, failure)).chain(events).collect()
    }

    /// Holds failures back as long as nothing was reached; ends it all if that looks like no network.
    fn hold(&self, host: String, failed: Vec<Event>) -> Vec<Event> {
        let mut state = self.lock();
        if state.is_reached {
            return failed;
        }
        state.held_hosts.insert(host);
        for event in failed {
            if let Event::Failed(url, failure) = event {
                state.held.push((url, failure));
            }
        }
        let is_offline = state.held.len() >= OFFLINE.0 && state.held_hosts.len() >= OFFLINE.1;
        if is_offline && !state.is_stopped {
            state.is_stopped = true;
            self.changed.notify_all();
        }
        Vec::new()
    }
}

/// Was there no answer at all?
fn is_silent(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Network | FailureKind::Timeout)
}
