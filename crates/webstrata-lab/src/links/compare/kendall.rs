//! Kendall's tau-b by Knight's algorithm.
//!
//! Of all pairs of pages, those that both rankings order in the same way minus those that they order in opposite
//! ways, divided by the geometric mean of the pairs that each of them orders at all:
//!
//! τ_b = (C − D) / √((n₀ − n₁)(n₀ − n₂)), n₀ = n(n − 1)/2, n₁ and n₂ the pairs that are tied in one and in the other.
//!
//! Sorted by the first ranking, discordant pairs are the exchanges that a merge sort by the second makes (Knight,
//! 1966), so all of it takes n log n.

use webstrata_links::rank::sortable;

/// The tau-b of two rankings over the pages that both have: 1 for the same order, −1 for the opposite one.
///
/// Where a ranking orders no pair (it is constant, or has fewer than two pages) the formula has no value. Two such
/// rankings say the same, which is 1; one beside a ranking that does order pages says nothing of it, which is 0.
pub fn tau_b<A: Copy + Into<f64>, B: Copy + Into<f64>>(a: &[A], b: &[B]) -> f64 {
    let scores = a.iter().zip(b).map(|(a, b)| (sortable(*a), sortable(*b)));
    let pairs = Pairs::count(scores.collect());
    match (pairs.all - pairs.tied_in_a, pairs.all - pairs.tied_in_b) {
        (0, 0) => 1.0,
        (0, _) | (_, 0) => 0.0,
        (ordered_by_a, ordered_by_b) => {
            let difference = pairs.concordant as f64 - pairs.discordant as f64;
            let mean = (ordered_by_a as f64).sqrt() * (ordered_by_b as f64).sqrt();
            (difference / mean).clamp(-1.0, 1.0)
        }
    }
}

/// What two rankings say about the pairs of pages.
pub(super) struct Pairs {
    pub(super) all: u64,
    pub(super) concordant: u64,
    pub(super) discordant: u64,
    pub(super) tied_in_a: u64,
    pub(super) tied_in_b: u64,
}

impl Pairs {
    /// Counts them from the two scores of each page, none of them NaN.
    pub(super) fn count(mut pages: Vec<(f64, f64)>) -> Pairs {
        pages.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
        let tied_in_a = tied_pairs(&pages, |page| page.0);
        let tied_in_both = tied_pairs(&pages, |page| page);
        let mut second: Vec<f64> = pages.into_iter().map(|page| page.1).collect();
        let discordant = sort_counting_exchanges(&mut second);
        let tied_in_b = tied_pairs(&second, |score| score);
        let all = pairs(second.len());
        let concordant = all + tied_in_both - tied_in_a - tied_in_b - discordant;
        Pairs { all, concordant, discordant, tied_in_a, tied_in_b }
    }
}

fn pairs(items: usize) -> u64 {
    let items = items as u64;
    items * items.saturating_sub(1) / 2
}

/// How many pairs of a sorted slice have the same key.
fn tied_pairs<T: Copy, K: PartialEq>(sorted: &[T], key: impl Fn(T) -> K) -> u64 {
    sorted.chunk_by(|x, y| key(*x) == key(*y)).map(|run| pairs(run.len())).sum()
}

/// Sorts by merging, and counts the pairs that were in the wrong order.
fn sort_counting_exchanges(values: &mut Vec<f64>) -> u64 {
    let mut exchanges = 0;
    let mut merged = Vec::with_capacity(values.len());
    let mut width = 1;
    while width < values.len() {
        merged.clear();
        for run in values.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            exchanges += merge(left, right, &mut merged);
        }
        std::mem::swap(values, &mut merged);
        width *= 2;
    }
    exchanges
}

fn merge(mut left: &[f64], mut right: &[f64], merged: &mut Vec<f64>) -> u64 {
    let mut exchanges = 0;
    while let ([first, rest_of_left @ ..], [second, rest_of_right @ ..]) = (left, right) {
        if second < first {
            // It passes all that are left on the left.
            exchanges += left.len() as u64;
            merged.push(*second);
            right = rest_of_right;
        } else {
            merged.push(*first);
            left = rest_of_left;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    exchanges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, pair by pair.
    fn naive(a: &[f64], b: &[f64]) -> f64 {
        let (mut difference, mut in_a, mut in_b) = (0.0, 0.0_f64, 0.0_f64);
        for j in 0..a.len() {
            for i in 0..j {
                let sign = |x: f64, y: f64| if x == y { 0.0 } else { (x - y).signum() };
                let (first, second) = (sign(a[i], a[j]), sign(b[i], b[j]));
                difference += first * second;
                in_a += first.abs();
                in_b += second.abs();
            }
        }
        match (in_a == 0.0, in_b == 0.0) {
            (true, true) => 1.0,
            (true, false) | (false, true) => 0.0,
            _ => difference / (in_a * in_b).sqrt(),
        }
    }

    #[test]
    fn values_of_scipy() {
        // scipy.stats.kendalltau (1.17.1) of the same lists.
        let tau = tau_b(&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0]);
        assert!((tau - -0.471_404_520_791_031_6).abs() < 1e-15, "{tau}");
        let a = [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 9.0, 2.0];
        let b = [0.5, 0.1, 0.1, 0.7, 0.7, 0.2, 0.9, 0.3, 0.8, 0.1];
        let tau = tau_b(&a, &b);
        assert!((tau - 0.543_251_278_157_274_3).abs() < 1e-15, "{tau}");
    }

    #[test]
    fn rankings_that_order_nothing() {
        let (none, one, same): ([f64; 0], _, _) = ([], [0.5], [0.5, 0.5, 0.5]);
        assert_eq!(tau_b(&none, &none), 1.0);
        assert_eq!(tau_b(&one, &[7.0]), 1.0);
        assert_eq!(tau_b(&same, &[2.0, 2.0, 2.0]), 1.0);
        assert_eq!(tau_b(&same, &[1.0, 2.0, 3.0]), 0.0);
        assert_eq!(tau_b(&[1.0, 2.0, 3.0], &same), 0.0);
        assert_eq!(tau_b(&[0.0, -0.0], &[f64::NAN, f64::NEG_INFINITY]), 1.0);
    }

    #[test]
    fn the_same_and_the_opposite_order() {
        let up: Vec<f32> = (0..1000).map(|page| page as f32).collect();
        let down: Vec<f32> = up.iter().map(|score| -score).collect();
        assert_eq!(tau_b(&up, &up), 1.0);
        assert_eq!(tau_b(&up, &down), -1.0);
    }

    proptest! {
        #[test]
        fn as_the_definition_says(scores in prop::collection::vec((-4..4, -4..4), 0..60)) {
            let (a, b): (Vec<f64>, Vec<f64>) =
                scores.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).unzip();
            prop_assert!((tau_b(&a, &b) - naive(&a, &b)).abs() < 1e-12);
            prop_assert_eq!(tau_b(&a, &b), tau_b(&b, &a));
        }

        #[test]
        fn any_scores_have_an_answer(
            a in prop::collection::vec(prop::num::f64::ANY, 0..20),
            b in prop::collection::vec(prop::num::f64::ANY, 0..20),
        ) {
            prop_assert!((-1.0..=1.0).contains(&tau_b(&a, &b)));
        }
    }
}
