//! The best pages of a ranking.

use std::cmp::Ordering;

/// The best `count` pages of a ranking, the best first; of equal pages, those first that come first.
pub fn top<T: Copy + Into<f64>>(scores: &[T], count: usize) -> Vec<usize> {
    let mut pages: Vec<usize> = (0..scores.len()).collect();
    let better = |a: &usize, b: &usize| -> Ordering {
        sortable(scores[*b]).total_cmp(&sortable(scores[*a])).then(a.cmp(b))
    };
    if count < pages.len() {
        pages.select_nth_unstable_by(count, better);
        pages.truncate(count);
    }
    pages.sort_unstable_by(better);
    pages
}

/// A score that can be sorted: no NaN, one zero.
pub fn sortable(score: impl Into<f64>) -> f64 {
    let score: f64 = score.into();
    if score.is_nan() { f64::NEG_INFINITY } else { score + 0.0 }
}
