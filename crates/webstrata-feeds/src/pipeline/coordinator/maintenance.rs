//! Maintenance: removes old records, items and keys, and reschedules items that are due too late.

use super::super::plan::latest;
use super::{Coordinator, Extract, seconds};
use crate::store::{Change, Error, Place};

/// Seconds between two trims of the queue.
const TRIM_INTERVAL: u64 = 60;
/// Seconds between two times of forgetting.
const FORGET_INTERVAL: u64 = 6 * 3600;
/// Items that are rescheduled in one transaction.
const LATE_BATCH: usize = 1_000;

impl<E: Extract> Coordinator<'_, E> {
    /// Reschedules items that a wrong clock has put off for years: to the latest time that a right clock allows.
    pub(super) fn reschedule_late(&mut self, now: i64) -> Result<(), Error> {
        for site in 0..self.plan.sites.len() {
            let name = self.plan.sites[site].name.clone();
            let latest = latest(now, self.plan.sites[site].interval, self.context.settings);
            loop {
                let late = self.store.late(&name, latest, LATE_BATCH)?;
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

    /// Removes old records, items and keys from time to time.
    pub(in crate::pipeline) fn maintain(&mut self, now: i64) -> Result<(), Error> {
        // By the difference: clocks are also set back.
        if now.abs_diff(self.forgot) >= FORGET_INTERVAL {
            self.forgot = now;
            let retention = self.context.settings.retention();
            self.retry_disk(|coordinator| coordinator.store.forget(retention, now))?;
        }
        if now.abs_diff(self.trimmed) >= TRIM_INTERVAL {
            self.trimmed = now;
            let since = now.saturating_sub(seconds(self.context.settings.keep));
            let (below, is_all) = self.store.first_since(since, self.position.next)?;
            self.batch.has_more_to_trim = !is_all;
            self.batch.push(Change::Trim { below });
        }
        Ok(())
    }
}
