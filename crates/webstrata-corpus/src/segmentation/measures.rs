//! How much two segmentations of a page agree (thesis, 4.2.4).
//!
//! A segmentation is a vector of labels: for each token, the segment that it is in. What the labels
//! are called does not matter.

use super::{AtomicPage, Segment, tokens};

/// How segments agree with those that somebody made by hand.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Agreement {
    /// [`adjusted_rand`].
    pub adjusted_rand: f64,
    /// [`normalized_mutual_information`].
    pub normalized_mutual_information: f64,
}

/// For each token of the page, the number of its segment. Spans may leave gaps: a token between two
/// segments belongs to the one before it.
pub fn labels(page: &AtomicPage, segments: &[Segment]) -> Vec<u32> {
    let mut labels = Vec::new();
    let mut segment = 0;
    for atom in 0..page.document.atoms.len() {
        let start = page.start(atom);
        for token in tokens(page.document.atom_text(atom)) {
            let at = start + token.span.start;
            while segments.get(segment + 1).is_some_and(|next| next.span.start <= at) {
                segment += 1;
            }
            labels.push(segment as u32);
        }
    }
    labels
}

/// How two labellings overlap: sizes of the labels of each, and of the pairs of labels.
struct Overlap {
    both: Vec<u64>,
    left: Vec<u64>,
    right: Vec<u64>,
    tokens: u64,
}

impl Overlap {
    /// # Panics
    ///
    /// Where the labellings are not of the same tokens.
    fn of(left: &[u32], right: &[u32]) -> Overlap {
        assert_eq!(left.len(), right.len(), "labels of different tokens");
        let mut pairs: Vec<(u32, u32)> = left.iter().copied().zip(right.iter().copied()).collect();
        pairs.sort_unstable();
        let both = run_lengths(&pairs);
        let left: Vec<u32> = pairs.iter().map(|(left, _)| *left).collect();
        let mut right: Vec<u32> = pairs.iter().map(|(_, right)| *right).collect();
        right.sort_unstable();
        let tokens = pairs.len() as u64;
        Overlap { both, left: run_lengths(&left), right: run_lengths(&right), tokens }
    }
}

/// How often each value stands in a sorted list.
fn run_lengths<T: PartialEq>(sorted: &[T]) -> Vec<u64> {
    sorted.chunk_by(PartialEq::eq).map(|run| run.len() as u64).collect()
}

/// The Rand index, corrected for chance (Hubert and Arabie): 1 for the same segmentation, about 0 for
/// unrelated ones, below 0 for worse than that. Where chance leaves no room (one segment, or as many as
/// tokens, on both sides), the segmentations are the same: 1.
///
/// # Panics
///
/// Where the labels are not of the same tokens.
pub fn adjusted_rand(left: &[u32], right: &[u32]) -> f64 {
    let Overlap { both, left, right, tokens } = Overlap::of(left, right);
    let pairs = |sizes: &[u64]| sizes.iter().map(|n| *n as f64 * (*n as f64 - 1.0) / 2.0).sum();
    let (both, left, right): (f64, f64, f64) = (pairs(&both), pairs(&left), pairs(&right));
    let all: f64 = pairs(&[tokens]);
    let expected = if all == 0.0 { 0.0 } else { left * right / all };
    let most = f64::midpoint(left, right);
    if most - expected <= 0.0 { 1.0 } else { (both - expected) / (most - expected) }
}

/// Normalised mutual information, I / √(H·H) (Strehl and Ghosh): 1 for the same segmentation, 0 for
/// independent ones. Where one side is a single segment it tells nothing: 0, or 1 if the other is, too.
///
/// # Panics
///
/// Where the labels are not of the same tokens.
pub fn normalized_mutual_information(left: &[u32], right: &[u32]) -> f64 {
    let Overlap { both, left, right, tokens } = Overlap::of(left, right);
    let entropy = |sizes: &[u64]| -> f64 {
        let share = |size: &u64| *size as f64 / tokens as f64;
        sizes.iter().map(share).map(|share| -share * share.ln()).sum()
    };
    if left.len() <= 1 || right.len() <= 1 {
        return if left.len() == right.len() { 1.0 } else { 0.0 };
    }
    let (h_left, h_right) = (entropy(&left), entropy(&right));
    let mutual = h_left + h_right - entropy(&both);
    (mutual / (h_left * h_right).sqrt()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: of all pairs of tokens, those on which both agree.
    fn by_pairs(left: &[u32], right: &[u32]) -> f64 {
        let (mut both, mut in_left, mut in_right, mut all) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..left.len() {
            for j in 0..i {
                let (l, r) = (left[i] == left[j], right[i] == right[j]);
                all += 1.0;
                in_left += f64::from(u8::from(l));
                in_right += f64::from(u8::from(r));
                both += f64::from(u8::from(l && r));
            }
        }
        let expected = if all == 0.0 { 0.0 } else { in_left * in_right / all };
        let most = (in_left + in_right) / 2.0;
        if most == expected { 1.0 } else { (both - expected) / (most - expected) }
    }

    fn two_labellings() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        prop::collection::vec((0..5u32, 0..5u32), 0..40).prop_map(|pairs| pairs.into_iter().unzip())
    }

    proptest! {
        #[test]
        fn measures_are_what_they_should_be((left, right) in two_labellings()) {
            let rand = adjusted_rand(&left, &right);
            prop_assert!((rand - by_pairs(&left, &right)).abs() < 1e-12);
            let renamed: Vec<u32> = right.iter().map(|label| (label * 7 + 3) % 5).collect();
            for measure in [adjusted_rand, normalized_mutual_information] {
                let value = measure(&left, &right);
                prop_assert!((-1.0..=1.0).contains(&value), "{value}");
                prop_assert!((value - measure(&right, &left)).abs() < 1e-12);
                prop_assert!((value - measure(&left, &renamed)).abs() < 1e-12);
                prop_assert!((measure(&left, &left) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn by_hand() {
        // Six tokens; one of them moves from the second segment to the first.
        let (left, right) = ([0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]);
        // Pairs: both 3 + 0 + 1 = 4, left 6, right 7, all 15: (4 − 2.8) / (6.5 − 2.8).
        assert!((adjusted_rand(&left, &right) - 1.2 / 3.7).abs() < 1e-12);
        let (ln2, half) = (2f64.ln(), 0.5f64);
        let h_right = -(2.0 / 3.0) * (2f64 / 3.0).ln() - (1.0 / 3.0) * (1f64 / 3.0).ln();
        let h_both =
            -half * half.ln() - (1.0 / 6.0) * (1f64 / 6.0).ln() - (1.0 / 3.0) * (1f64 / 3.0).ln();
        let expect = (ln2 + h_right - h_both) / (ln2 * h_right).sqrt();
        assert!((normalized_mutual_information(&left, &right) - expect).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_disagree_on() {
        for measure in [adjusted_rand, normalized_mutual_information] {
            assert_eq!(measure(&[], &[]), 1.0);
            assert_eq!(measure(&[4], &[7]), 1.0);
            assert_eq!(measure(&[1, 1], &[2, 2]), 1.0);
            assert_eq!(measure(&[1, 2], &[5, 3]), 1.0);
            assert_eq!(measure(&[1, 1, 1], &[1, 2, 3]), 0.0);
        }
    }
}
