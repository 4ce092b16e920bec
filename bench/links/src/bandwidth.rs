//! How many bytes the memory gives a second, to say which share of it a solver uses.

use std::hint::black_box;
use std::time::Instant;

const WORDS_PER_THREAD: usize = 1 << 26;
const ROUNDS: usize = 7;

/// The median of several sums over large arrays, one for each thread.
pub fn measure(threads: usize) -> f64 {
    let arrays: Vec<Vec<u64>> =
        (0..threads).map(|_| (0..WORDS_PER_THREAD as u64).collect()).collect();
    let mut speeds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for array in &arrays {
                    scope.spawn(|| {
                        black_box(array.iter().fold(0u64, |sum, word| sum.wrapping_add(*word)))
                    });
                }
            });
            (threads * WORDS_PER_THREAD * 8) as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    speeds.sort_by(f64::total_cmp);
    speeds[ROUNDS / 2]
}
