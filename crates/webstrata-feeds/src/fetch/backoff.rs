//! Pauses after failures.

use std::time::Duration;

use webstrata_base::random::Random;

/// How long to wait after so many failures in a row: twice as long each time, up to a bound, and by chance
/// somewhat less, so that what failed together does not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The longest pause after the first failure.
    pub first: Duration,
    /// The longest pause of all.
    pub most: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { first: Duration::from_secs(60), most: Duration::from_secs(24 * 60 * 60) }
    }
}

impl Backoff {
    /// The pause after `failures` failures in a row: none after none, otherwise between a half and the
    /// whole of `first` doubled with each further failure; never less than the server asked for.
    pub fn pause(
        &self,
        failures: u32,
        retry_after: Option<Duration>,
        random: &mut Random,
    ) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else {
            return retry_after.unwrap_or_default();
        };
        let factor = 2_u32.saturating_pow(doublings.min(31));
        let whole = self.first.saturating_mul(factor).min(self.most);
        let pause = whole.mul_f64(0.5 + random.unit() / 2.0);
        pause.max(retry_after.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pauses_stay_in_their_bounds(
            first in 1..10_000_u64,
            most in 1..1_000_000_u64,
            failures: u32,
            after in proptest::option::of(0..1_000_000_u64),
            seed: u64,
        ) {
            let backoff = Backoff {
                first: Duration::from_millis(first),
                most: Duration::from_millis(most),
            };
            let after = after.map(Duration::from_millis);
            let pause = backoff.pause(failures, after, &mut Random::new(seed));
            prop_assert!(pause >= after.unwrap_or_default());
            prop_assert!(pause <= backoff.most.max(after.unwrap_or_default()));
            prop_assert_eq!(pause, backoff.pause(failures, after, &mut Random::new(seed)));
            if failures > 0 && after.is_none() {
                // The naive way: doubled again and again.
                let mut whole = u128::from(first);
                for _ in 1..failures.min(100) {
                    whole = (whole * 2).min(u128::from(most));
                }
                let whole = whole.min(u128::from(most)) as f64 / 1000.0;
                let pause = pause.as_secs_f64();
                prop_assert!(pause >= whole * 0.499 && pause <= whole * 1.001, "{pause} of {whole}");
            }
        }
    }

    #[test]
    fn after_no_failure_there_is_no_pause() {
        assert!(Backoff::default().pause(0, None, &mut Random::new(1)).is_zero());
    }

    #[test]
    fn those_that_failed_together_come_back_apart() {
        let mut random = Random::new(7);
        let mut pauses: Vec<_> =
            (0..100).map(|_| Backoff::default().pause(5, None, &mut random)).collect();
        pauses.sort();
        pauses.dedup();
        assert!(pauses.len() > 90);
    }
}
