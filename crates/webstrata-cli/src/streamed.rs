//! Many pages at once, of which nobody knows how many will come; results in the order of the pages.
//!
//! As in [`crate::batch`], but the pages come from an iterator: this thread reads them and delivers the
//! results, others work. No more pages are read than may wait for their turn.

use std::collections::BTreeMap;
use std::sync::{Mutex, mpsc};
use std::thread;

use crate::panics;

/// Pages that are read and not delivered, per worker.
const WINDOW: usize = 8;

/// Calls `work` on every item, on `jobs` threads, and `each` with the results in the items' order, on
/// this thread. A panic in `work` is that item's result. The first error of `each` ends it all.
pub(crate) fn ordered<T: Send, R: Send, E>(
    mut items: impl Iterator<Item = T>,
    jobs: usize,
    work: impl Fn(T) -> R + Sync,
    mut each: impl FnMut(Result<R, String>) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 {
        return items.try_for_each(|item| each(panics::caught(|| work(item))));
    }
    let (to_workers, waiting) = mpsc::channel::<(usize, T)>();
    let (to_us, results) = mpsc::channel();
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        // Dropped here, whether we end or fail: the workers' sign to end.
        let to_workers = to_workers;
        for _ in 0..jobs {
            let (to_us, waiting, work) = (to_us.clone(), &waiting, &work);
            scope.spawn(move || {
                while let Some((number, item)) = take(waiting) {
                    // Nobody listens any more if `each` has failed.
                    let _ = to_us.send((number, panics::caught(|| work(item))));
                }
            });
        }
        let (mut read, mut due) = (0, 0);
        let mut early = BTreeMap::new();
        loop {
            while read - due < WINDOW * jobs
                && let Some(item) = items.next()
            {
                let _ = to_workers.send((read, item));
                read += 1;
            }
            if read == due {
                return Ok(());
            }
            let Ok((number, result)) = results.recv() else { return Ok(()) };
            early.insert(number, result);
            while let Some(result) = early.remove(&due) {
                due += 1;
                each(result)?;
            }
        }
    })
}

fn take<T>(waiting: &Mutex<mpsc::Receiver<T>>) -> Option<T> {
    waiting.lock().ok()?.recv().ok()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn results_keep_the_order_and_few_items_wait() {
        for jobs in [1, 2, 7] {
            let (read, delivered) = (Cell::new(0), Cell::new(0));
            let items = (0..1000).inspect(|_| {
                read.set(read.get() + 1);
                assert!(read.get() - delivered.get() <= WINDOW * jobs);
            });
            // Work of uneven length, so that workers overtake each other.
            let work = |n: usize| (0..n % 7 * 1000).fold(n, |sum, _| std::hint::black_box(sum));
            let done = ordered(items, jobs, work, |result| {
                assert_eq!(result, Ok(delivered.get()), "with {jobs} jobs");
                delivered.set(delivered.get() + 1);
                Ok::<(), Infallible>(())
            });
            assert_eq!((done, delivered.get()), (Ok(()), 1000));
        }
    }

    #[test]
    fn a_panic_is_a_result_and_an_error_ends_it() {
        panics::install();
        for jobs in [1, 2] {
            let mut seen = 0;
            let work = |n: usize| assert!(n != 1, "a bug");
            let done = ordered(0.., jobs, work, |result| {
                seen += 1;
                assert_eq!(result.is_err(), seen == 2);
                if seen == 100 { Err("full") } else { Ok(()) }
            });
            assert_eq!((done, seen), (Err("full"), 100));
        }
    }
}
