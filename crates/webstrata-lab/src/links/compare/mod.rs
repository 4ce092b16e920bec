//! How alike two rankings are.
//!
//! A ranking is a slice of scores, one for each page, at the page's position; more is better. Scores that are no
//! number count as the lowest there is, so that every comparison has an answer:
//!
//! - [`tau_b`]: Kendall's correlation over all pages, ties allowed, in n log n.
//! - [`top`], [`TopLists`]: the best pages of each, and how alike two such lists are though neither has the other's
//!   pages.
//! - [`l1`], [`farthest`]: how far the scores themselves are apart.
//! - [`ScoreFile`]: rankings from files.

mod file;
mod kendall;
mod top;

pub use file::{Compared, Moved, ScoreFile};
pub use kendall::tau_b;
pub use top::TopLists;
pub use webstrata_links::rank::top;

/// The sum of the absolute differences of two rankings' scores, over the pages that both have.
pub fn l1<A: Copy + Into<f64>, B: Copy + Into<f64>>(a: &[A], b: &[B]) -> f64 {
    // The sum of nothing is -0 in Rust.
    distances(a, b).sum::<f64>() + 0.0
}

/// The page with the largest difference of scores, and that difference; nothing where there is no page.
pub fn farthest<A: Copy + Into<f64>, B: Copy + Into<f64>>(
    a: &[A],
    b: &[B],
) -> Option<(usize, f64)> {
    distances(a, b).enumerate().reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Scores that are no finite number have no distance from anything.
fn distances<A: Copy + Into<f64>, B: Copy + Into<f64>>(
    a: &[A],
    b: &[B],
) -> impl Iterator<Item = f64> {
    a.iter().zip(b).map(|(a, b)| {
        let distance = ((*a).into() - (*b).into()).abs();
        if distance.is_finite() { distance } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_scores() {
        let (a, b) = ([0.5_f32, 0.25, 0.25], [0.25_f64, 0.25, 0.5]);
        assert_eq!(l1(&a, &b), 0.5);
        assert_eq!(farthest(&a, &b), Some((0, 0.25)));
        assert_eq!(l1::<f64, f64>(&[], &[]), 0.0);
        assert_eq!(farthest::<f64, f64>(&[], &[]), None);
        assert_eq!(l1(&[f64::NAN, 1.0], &[0.0, f64::INFINITY]), 0.0);
    }
}
