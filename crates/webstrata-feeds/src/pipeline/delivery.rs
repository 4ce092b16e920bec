//! The thread that hands records to the output, again and again until it takes them.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use webstrata_base::random::Random;

use super::workers::Done;
use crate::fetch::Backoff;
use crate::sinks::Sink;
use crate::store::{Error, KeptRecord, Position, Store};

/// Attempts that an output gets when the run wants to end.
const LAST_ATTEMPTS: u32 = 3;

/// Delivers records until there are no more. When the run wants to end, an output that fails is given up.
pub(super) fn deliver<C>(
    sink: &mut dyn Sink,
    mut position: Position,
    records: &Receiver<Vec<KeptRecord>>,
    done: &SyncSender<Done<C>>,
    give_up: &AtomicBool,
) {
    let backoff = Backoff { first: Duration::from_secs(1), most: Duration::from_secs(60) };
    let mut random = Random::new(position.next);
    while let Ok(records) = records.recv() {
        let mut failures = 0;
        loop {
            let failed = match sink.deliver(&position, &records) {
                Ok(further) => {
                    position = further;
                    break;
                }
                Err(failed) => failed,
            };
            failures += 1;
            if give_up.load(Ordering::Relaxed) && failures >= LAST_ATTEMPTS {
                let _ = done.send(Done::Stuck(failed.message));
                return;
            }
            // The first time, and then ever less often.
            if u32::is_power_of_two(failures) {
                let message = format!("{}; trying again, nothing is lost", failed.message);
                if done.send(Done::Late(message)).is_err() {
                    return;
                }
            }
            wait(backoff.pause(failures, failed.retry_after, &mut random), give_up);
        }
        if done.send(Done::Delivered(position.clone())).is_err() {
            return;
        }
    }
}

/// Waits, but not long when the run wants to end.
fn wait(pause: Duration, give_up: &AtomicBool) {
    let start = Instant::now();
    while start.elapsed() < pause {
        if give_up.load(Ordering::Relaxed) && start.elapsed() > Duration::from_millis(500) {
            return;
        }
        thread::sleep(Duration::from_millis(20).min(pause));
    }
}

/// The position of an output in the store. One that lies in the store's own folder is moved with it: it is known by its
/// place there, and by what was written.
pub(super) fn known_position(store: &Store, sink: &dyn Sink) -> Result<Option<Position>, Error> {
    let (own, positions) = (sink.name(), store.positions()?);
    if let Some((_, position)) = positions.iter().find(|(name, _)| *name == own) {
        return Ok(Some(position.clone()));
    }
    let folder = fs::canonicalize(store.folder()).unwrap_or_default();
    let (kind, path) = own.split_once(':').unwrap_or((&own, ""));
    let Some(inside) = path.strip_prefix(&*folder.to_string_lossy()).filter(|it| !it.is_empty())
    else {
        return Ok(None);
    };
    let moved = positions.iter().find(|(name, position)| {
        let is_it = |(of, path): (&str, &str)| of == kind && path.ends_with(inside);
        name.split_once(':').is_some_and(is_it) && sink.is_at(position)
    });
    Ok(moved.map(|(_, position)| position.clone()))
}
