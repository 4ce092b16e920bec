//! When each host may be asked again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Hosts that are remembered. Of more, those that are free the longest are forgotten.
const MOST: usize = 16_384;

/// When each host may be asked again.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    free: Mutex<HashMap<String, Instant>>,
}

impl Hosts {
    /// From when on a host may be asked.
    pub(super) fn ready_at(&self, host: &str, now: Instant) -> Instant {
        self.lock().get(host).map_or(now, |free| now.max(*free))
    }

    /// Takes the next turn at a host, and keeps others away for `delay` from then on. Returns how long to
    /// wait for that turn; as an error if it is longer than `longest`, and then no turn was taken.
    pub(super) fn reserve(
        &self,
        host: &str,
        now: Instant,
        delay: Duration,
        longest: Duration,
    ) -> Result<Duration, Duration> {
        let mut free = self.lock();
        let turn = free.get(host).map_or(now, |free| now.max(*free));
        let wait = turn - now;
        if wait > longest {
            return Err(wait);
        }
        set(&mut free, host, turn + delay);
        Ok(wait)
    }

    /// Blocks requests to this host until then.
    pub(super) fn block_until(&self, host: &str, until: Instant) {
        let mut free = self.lock();
        let until = free.get(host).map_or(until, |free| until.max(*free));
        set(&mut free, host, until);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn set(free: &mut HashMap<String, Instant>, host: &str, until: Instant) {
    if free.len() >= MOST && !free.contains_key(host) {
        // Half of them at once, so that it is rarely done.
        let mut times: Vec<Instant> = free.values().copied().collect();
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable(middle);
        let median = *median;
        free.retain(|_, until| *until > median);
    }
    free.insert(host.to_owned(), until);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn turns_at_a_host_are_a_delay_apart() {
        let (hosts, now) = (Hosts::default(), Instant::now());
        for turn in 0..5 {
            assert_eq!(hosts.reserve("a", now, SECOND, 10 * SECOND), Ok(turn * SECOND));
        }
        assert_eq!(hosts.reserve("b", now, SECOND, SECOND), Ok(Duration::ZERO));
        assert_eq!(hosts.ready_at("a", now), now + 5 * SECOND);
        assert_eq!(hosts.ready_at("c", now), now);
        let later = now + 7 * SECOND;
        assert_eq!(hosts.reserve("a", later, SECOND, SECOND), Ok(Duration::ZERO));
    }

    #[test]
    fn a_turn_that_is_far_away_is_not_taken() {
        let (hosts, now) = (Hosts::default(), Instant::now());
        hosts.block_until("a", now + 60 * SECOND);
        hosts.block_until("a", now + 5 * SECOND);
        assert_eq!(hosts.reserve("a", now, SECOND, 59 * SECOND), Err(60 * SECOND));
        assert_eq!(hosts.reserve("a", now, SECOND, 60 * SECOND), Ok(60 * SECOND));
    }

    #[test]
    fn hosts_are_forgotten_that_have_been_free_for_long() {
        let (hosts, now) = (Hosts::default(), Instant::now());
        for host in 0..3 * MOST as u32 {
            let time = now + host * Duration::from_millis(1);
            let _ = hosts.reserve(&host.to_string(), time, SECOND, SECOND);
            assert!(hosts.lock().len() <= MOST);
        }
        assert!(hosts.lock().contains_key(&(3 * MOST - 1).to_string()));
        assert!(!hosts.lock().contains_key("0"));
    }
}
