//! What the clerk does beside the stream: letting go of what is old, and bringing back what is too far away.

use super::super::plan::latest;
use super::{Clerk, Extract, seconds};
use crate::store::{Change, Error, Place};

/// Seconds between two trims of the queue.
const TRIM: u64 = 60;
/// Seconds between two times of forgetting.
const FORGET: u64 = 6 * 3600;
/// Items that are brought back at once from a time that is too far away.
const LATE: usize = 1_000;

impl<E: Extract> Clerk<'_, E> {
    /// Items that a wrong clock put off for years are due at the latest time that a right one would say.
    pub(super) fn bring_back(&mut self, now: i64) -> Result<(), Error> {
        for site in 0..self.plan.sites.len() {
            let name = self.plan.sites[site].name.clone();
            let latest = latest(now, self.plan.sites[site].interval, self.context.settings);
            loop {
                let late = self.store.late(&name, latest, LATE)?;
                if late.is_empty() {
                    break;
                }
                for (place, item) in late {
                    let sooner = Place { not_before: latest, ..place.clone() };
                    self.batch.push(Change::Remove { place });
                    self.batch.push(Change::Add { place: sooner, item });
                }
                self.commit()?;
            }
        }
        Ok(())
    }

    /// Lets go of old records, items and keys, now and then.
    pub(in crate::pipeline) fn housekeeping(&mut self, now: i64) -> Result<(), Error> {
        // By the difference: clocks are also set back.
        if now.abs_diff(self.forgot) >= FORGET {
            self.forgot = now;
            let memory = self.context.settings.memory();
            self.patiently(|clerk| clerk.store.forget(memory, now))?;
        }
        if now.abs_diff(self.trimmed) >= TRIM {
            self.trimmed = now;
            let since = now.saturating_sub(seconds(self.context.settings.keep));
            let (below, is_all) = self.store.first_since(since, self.position.next)?;
            self.batch.trims_on = !is_all;
            self.batch.push(Change::Trim { below });
        }
        Ok(())
    }
}
