//! Which address comes next: one at a time of each host, and none before its host may be asked again.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// An address that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) url: String,
    pub(super) host: String,
    /// How often it was asked for in vain.
    pub(super) failures: u32,
}

/// What to do now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Ask for this one; its host is busy until [`Queue::done`].
    Take(Job),
    /// Nothing is ready before then.
    Wait(Instant),
    /// Nothing waits that could become ready by itself.
    Nothing,
}

#[derive(Debug, Default)]
struct Host {
    jobs: VecDeque<Job>,
    is_busy: bool,
    /// Under which time it stands among the ready ones.
    ready: Option<Instant>,
    /// How often in a row there was no answer.
    silent: u32,
}

/// The addresses that wait, by host.
#[derive(Debug, Default)]
pub(super) struct Queue {
    hosts: HashMap<String, Host>,
    /// Hosts that are not busy and have addresses, by the time from which on they may be asked.
    ready: BTreeSet<(Instant, String)>,
    waiting: usize,
}

impl Queue {
    /// How many addresses wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// One more address. Its host may be asked from `ready` on, if that is not known already.
    pub(super) fn push(&mut self, job: Job, ready: Instant) {
        let name = job.host.clone();
        let host = self.hosts.entry(name.clone()).or_default();
        host.jobs.push_back(job);
        self.waiting += 1;
        if !host.is_busy && host.ready.is_none() {
            host.ready = Some(ready);
            self.ready.insert((ready, name));
        }
    }

    /// The address to ask for.
    pub(super) fn next(&mut self, now: Instant) -> Next {
        let Some((ready, _)) = self.ready.first() else { return Next::Nothing };
        if *ready > now {
            return Next::Wait(*ready);
        }
        while let Some((_, name)) = self.ready.pop_first() {
            let Some(host) = self.hosts.get_mut(&name) else { continue };
            host.ready = None;
            if let Some(job) = host.jobs.pop_front() {
                host.is_busy = true;
                self.waiting -= 1;
                return Next::Take(job);
            }
        }
        Next::Nothing
    }

    /// The host of an address has answered, or has not; it may be asked again from `ready` on. `again` is an address
    /// of it that is asked for once more, behind the others. Returns those that are given up, since the host has been
    /// silent `most` times in a row.
    pub(super) fn done(
        &mut self,
        name: &str,
        ready: Instant,
        again: Option<Job>,
        is_silent: bool,
        most: u32,
    ) -> Vec<Job> {
        let Some(host) = self.hosts.get_mut(name) else { return Vec::new() };
        host.is_busy = false;
        host.silent = if is_silent { host.silent.saturating_add(1) } else { 0 };
        self.waiting += usize::from(again.is_some());
        host.jobs.extend(again);
        if host.silent >= most {
            let given_up = Vec::from(std::mem::take(&mut host.jobs));
            self.waiting -= given_up.len();
            // Kept, so that the next address gets one trial and no more.
            return given_up;
        }
        if host.jobs.is_empty() {
            if host.silent == 0 {
                self.hosts.remove(name);
            }
        } else {
            host.ready = Some(ready);
            self.ready.insert((ready, name.to_owned()));
        }
        Vec::new()
    }
}

/// The pause after so many failures: a second, then twice as long each time.
pub(super) fn pause(failures: u32) -> Duration {
    Duration::from_secs(1 << failures.saturating_sub(1).min(5))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn job(host: u8, number: usize) -> Job {
        Job { url: format!("http://{host}/{number}"), host: host.to_string(), failures: 0 }
    }

    proptest! {
        /// Against a plain list: each address is taken once, in the order of its host, never while the host is busy or
        /// before its time, and whenever there is one that could be taken, one is.
        #[test]
        fn each_address_comes_once_and_in_its_turn(
            moves in prop::collection::vec((0..4u8, 0..3u8, 0..50u64), 0..200)
        ) {
            let start = Instant::now();
            let (mut queue, mut now) = (Queue::default(), start);
            let mut lists: HashMap<String, VecDeque<Job>> = HashMap::new();
            let mut free: HashMap<String, Instant> = HashMap::new();
            let mut busy: Vec<Job> = Vec::new();
            for (number, (kind, host, time)) in moves.into_iter().enumerate() {
                match kind {
                    0 => {
                        let job = job(host, number);
                        let ready = free.get(&job.host).copied().unwrap_or(start);
                        lists.entry(job.host.clone()).or_default().push_back(job.clone());
                        queue.push(job, ready);
                    }
                    1 => {
                        let could = lists.iter().any(|(host, jobs)| {
                            !jobs.is_empty()
                                && busy.iter().all(|job| job.host != *host)
                                && free.get(host).is_none_or(|free| *free <= now)
                        });
                        match queue.next(now) {
                            Next::Take(job) => {
                                prop_assert!(could);
                                let first = lists.get_mut(&job.host).unwrap().pop_front();
                                prop_assert_eq!(first.as_ref(), Some(&job));
                                busy.push(job);
                            }
                            _ => prop_assert!(!could),
                        }
                    }
                    2 => now += Duration::from_millis(time),
                    _ => if let Some(job) = busy.pop() {
                        let ready = now + Duration::from_millis(time);
                        free.insert(job.host.clone(), ready);
                        prop_assert!(queue.done(&job.host, ready, None, false, 3).is_empty());
                    }
                }
                let waiting: usize = lists.values().map(VecDeque::len).sum();
                prop_assert_eq!(queue.waiting(), waiting);
            }
        }
    }

    #[test]
    fn a_silent_host_is_given_up() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        (0..5).for_each(|number| queue.push(job(1, number), now));
        for round in 0..3 {
            let Next::Take(taken) = queue.next(now) else { panic!("one is ready") };
            let again = Some(Job { failures: 1, ..taken });
            let given_up = queue.done("1", now, again, true, 3);
            assert_eq!(given_up.len(), if round == 2 { 5 } else { 0 });
        }
        assert_eq!((queue.next(now), queue.waiting()), (Next::Nothing, 0));
        queue.push(job(1, 9), now);
        assert!(matches!(queue.next(now), Next::Take(_)));
        assert!(queue.done("1", now, None, true, 3).is_empty());
        queue.push(job(1, 10), now);
        assert!(matches!(queue.next(now), Next::Take(_)));
        queue.done("1", now, None, false, 3);
        assert!(queue.hosts.is_empty());
    }

    #[test]
    fn pauses_grow() {
        assert_eq!([1, 2, 3, 90].map(pause).map(|it| it.as_secs()), [1, 2, 4, 32]);
    }
}
