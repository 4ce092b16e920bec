//! Many pages at once, results in the order of the pages.
//!
//! Workers run at most a window ahead of the page whose result is due, so many pages and so many bytes,
//! so that a slow page holds up the others before they fill the memory.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;

use webstrata_archive::{Problem, ProblemKind};

use crate::input::{Input, Inputs};
use crate::panics;
use crate::report::Report;

/// Results that wait for their turn, per worker.
const WINDOW: usize = 4;

/// Bytes of pages that wait for their turn, all in all. A page that has more goes alone.
const WINDOW_BYTES: usize = 256 << 20;

/// Calls `work` on every item, on `jobs` threads, and `each` with the results in the items' order,
/// on this thread. A panic in `work` is that item's result. The first error of `each` ends it all.
///
/// Items are asked for one at a time, by whichever worker is free: asking may take as long as reading
/// and unpacking a page does. `size` says how many bytes an item holds.
pub fn ordered<T: Send, R: Send, E>(
    mut items: impl Iterator<Item = T> + Send,
    jobs: usize,
    size: impl Fn(&T) -> usize + Sync,
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(&T, Result<R, String>) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 {
        return items.try_for_each(|item| each(&item, panics::caught(|| work(&item))));
    }
    let queue = Queue::new(WINDOW * jobs, WINDOW_BYTES);
    let items = Mutex::new(items);
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((index, item)) = queue.take(&items, &size) {
                    let result = panics::caught(|| work(&item));
                    queue.put(index, (item, result));
                }
            });
        }
        // Also when `each` fails or panics: the scope ends only when the workers do.
        let _stop = StopOnDrop(&queue);
        while let Some((item, result)) = queue.next() {
            each(&item, result)?;
        }
        Ok(())
    })
}

/// Calls `work` on every item, on `jobs` threads; results stand in the order of the items, and may borrow
/// from them.
pub fn side_by_side<'a, T: Sync, R: Send>(
    items: &'a [T],
    jobs: usize,
    work: impl Fn(&'a T) -> R + Sync,
) -> Vec<R> {
    let size = items.len().div_ceil(jobs.max(1)).max(1);
    thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> = items
            .chunks(size)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let results = parts.into_iter().map(|part| match part.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.flatten().collect()
    })
}

/// Works on all pages on `jobs` threads and hands the results to `write`, in order. Beside its result,
/// a page may have something that a person should know. What goes wrong is reported, the rest goes on.
pub fn pages<R: Send>(
    inputs: &Inputs,
    jobs: usize,
    report: &mut Report,
    results_on_terminal: bool,
    work: impl Fn(&Input) -> Result<(R, Option<String>), String> + Sync,
    mut write: impl FnMut(R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for (name, problem) in &inputs.problems {
        report.error(name, problem);
    }
    report.progress(inputs.count(), results_on_terminal);
    let work = |input: &Result<Input, Problem>| match input {
        Ok(input) => work(input),
        Err(problem) => Err(problem.message.clone()),
    };
    let jobs = inputs.count().map_or(jobs, |count| jobs.min(count));
    let size = |input: &Result<Input, Problem>| {
        let arrival = input.as_ref().ok().and_then(Input::arrival);
        arrival.map_or(0, |arrival| arrival.bytes.len())
    };
    let written = ordered(inputs.each(), jobs, size, work, |input, done| {
        match (done.and_then(|done| done), input) {
            (Ok((result, note)), input) => {
                write(result)?;
                if let (Some(note), Ok(input)) = (note, input) {
                    report.note(format_args!("{}: {note}", input.name()));
                }
            }
            // Lists of addresses have dead ones; who fetches them counts them.
            (Err(message), Err(problem)) if problem.kind == ProblemKind::NotFetched => {
                report.note(format_args!("{}: {message}", problem.place()));
            }
            (Err(message), Err(problem)) => {
                report.error_in(&problem.file, &problem.place(), message);
            }
            (Err(message), Ok(input)) => report.error(&input.name(), message),
        }
        report.advance();
        anyhow::Ok(())
    });
    report.finish();
    written
}

/// How many items were taken, and the results that are not due yet.
struct Queue<R> {
    state: Mutex<State<R>>,
    /// Signalled when a result has left the window.
    room: Condvar,
    /// Signalled when the result that is due has come, or when there will be no more.
    due: Condvar,
    window: usize,
    window_bytes: usize,
}

struct State<R> {
    /// The number of the first of `results`, whose turn it is.
    due: usize,
    /// A place for the result of every item that was taken and is not delivered, with the item's size.
    results: VecDeque<(usize, Option<R>)>,
    /// The sum of these sizes.
    bytes: usize,
    /// There are no more items, or nobody wants them.
    stopped: bool,
}

impl<R> Queue<R> {
    fn new(window: usize, window_bytes: usize) -> Queue<R> {
        let results = VecDeque::with_capacity(window);
        let state = Mutex::new(State { due: 0, results, bytes: 0, stopped: false });
        Queue { state, room: Condvar::new(), due: Condvar::new(), window, window_bytes }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// The next item to work on, as soon as there is room for its result; `None` after the last.
    fn take<T>(
        &self,
        items: &Mutex<impl Iterator<Item = T>>,
        size: impl Fn(&T) -> usize,
    ) -> Option<(usize, T)> {
        // Held while the item is made, so that items are numbered as they come. The state is not: results
        // are delivered meanwhile.
        let mut items = items.lock().expect("panics are caught below");
        let full = |state: &mut State<R>| {
            let is_full = state.results.len() >= self.window || state.bytes >= self.window_bytes;
            !state.stopped && is_full
        };
        if self.room.wait_while(self.lock(), full).expect("see `lock`").stopped {
            return None;
        }
        // Pages catch their own panics and tell of them; should there be others, it ends here.
        let item = panics::caught(|| items.next()).ok().flatten();
        let mut state = self.lock();
        if let Some(item) = &item {
            let size = size(item);
            state.bytes = state.bytes.saturating_add(size);
            state.results.push_back((size, None));
        } else {
            state.stopped = true;
            self.due.notify_one();
        }
        let index = state.due + state.results.len();
        item.map(|item| (index - 1, item))
    }

    fn put(&self, index: usize, result: R) {
        let mut state = self.lock();
        let place = index - state.due;
        state.results[place].1 = Some(result);
        if place == 0 {
            self.due.notify_one();
        }
    }

    /// Waits for the result that is due and makes room for another one; `None` after the last.
    fn next(&self) -> Option<R> {
        let missing = |state: &mut State<R>| match state.results.front() {
            Some((_, result)) => result.is_none(),
            None => !state.stopped,
        };
        let mut state = self.due.wait_while(self.lock(), missing).expect("see `lock`");
        let (size, result) = state.results.pop_front()?;
        state.due += 1;
        state.bytes -= size;
        self.room.notify_one();
        result
    }
}

struct StopOnDrop<'a, R>(&'a Queue<R>);

impl<R> Drop for StopOnDrop<'_, R> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_keep_the_order() {
        let items: Vec<usize> = (0..1000).collect();
        for jobs in [1, 2, 7, 2000] {
            let mut seen = Vec::new();
            // Work of uneven length, so that workers overtake each other.
            let work =
                |n: &&usize| (0..**n % 7 * 1000).fold(**n, |sum, _| std::hint::black_box(sum));
            let done = ordered(
                items.iter(),
                jobs,
                |_| 1,
                work,
                |_, result| {
                    seen.push(result.unwrap());
                    Ok::<(), Infallible>(())
                },
            );
            assert_eq!(done, Ok(()));
            assert_eq!(seen, items, "with {jobs} jobs");
        }
    }

    #[test]
    fn items_that_end_in_a_panic() {
        panics::install();
        let items = (0..100).map(|n| if n == 50 { panic!("no more") } else { n });
        let mut seen = Vec::new();
        let done = ordered(
            items,
            3,
            |_| 0,
            |n| *n,
            |_, result| {
                seen.push(result.unwrap());
                Ok::<(), Infallible>(())
            },
        );
        assert_eq!(done, Ok(()));
        assert_eq!(seen, (0..50).collect::<Vec<i32>>());
    }

    #[test]
    fn workers_wait_for_room() {
        let items: Vec<usize> = (0..500).collect();
        let (started, delivered) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let jobs = 3;
        let work = |_: &&usize| {
            let before = started.fetch_add(1, Ordering::SeqCst);
            let ahead = (before + 1).saturating_sub(delivered.load(Ordering::SeqCst));
            // One more than the window: the result just taken out of it is still being delivered.
            assert!(ahead <= WINDOW * jobs + 1, "{ahead} ahead");
        };
        let done = ordered(
            items.iter(),
            jobs,
            |_| 0,
            work,
            |_, result| {
                delivered.fetch_add(1, Ordering::SeqCst);
                result
            },
        );
        assert_eq!(done, Ok(()));
    }

    /// Pages that are longer than the window go one by one, also when the first of them is slow.
    #[test]
    fn workers_wait_for_bytes() {
        let (held, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items = (0..60).inspect(|_| {
            let now = held.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
        });
        let size = |_: &usize| WINDOW_BYTES / 2;
        let work = |n: &usize| (0..n % 3 * 100_000).fold(*n, |sum, _| std::hint::black_box(sum));
        let mut seen = Vec::new();
        let done = ordered(items, 4, size, work, |_, result| {
            held.fetch_sub(1, Ordering::SeqCst);
            seen.push(result.unwrap());
            Ok::<(), Infallible>(())
        });
        assert_eq!((done, seen), (Ok(()), (0..60).collect()));
        // Two fill the window; one more is the result that has just left it and is being delivered.
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn a_panic_is_a_result() {
        panics::install();
        for jobs in [1, 2] {
            let mut seen = Vec::new();
            let work = |n: &u32| if *n == 1 { panic!("a\nbug") } else { *n };
            let done = ordered(
                [0, 1, 2].into_iter(),
                jobs,
                |_| 0,
                work,
                |_, result| {
                    seen.push(result);
                    Ok::<(), Infallible>(())
                },
            );
            assert_eq!(done, Ok(()));
            assert_eq!((&seen[0], &seen[2]), (&Ok(0), &Ok(2)));
            let message = seen[1].as_ref().unwrap_err();
            assert!(message.starts_with("internal error, panicked at "), "{message}");
            assert!(message.contains(": a bug; please report it"), "{message}");
        }
    }

    #[test]
    fn an_error_stops_the_workers() {
        let items: Vec<usize> = (0..100_000).collect();
        let started = AtomicUsize::new(0);
        let work = |_: &&usize| started.fetch_add(1, Ordering::SeqCst);
        let done = ordered(
            items.iter(),
            2,
            |_| 0,
            work,
            |item, _| if **item == 10 { Err("full") } else { Ok(()) },
        );
        assert_eq!(done, Err("full"));
        assert!(started.into_inner() <= 10 + 1 + WINDOW * 2);
    }
}
