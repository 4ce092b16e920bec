//! From a particle's position, 0 to 1 in each dimension, to a threshold on a feature, and back.
//!
//! The paper leaves open how a number from 0 to 1 becomes a number of sentences. Here it is a
//! quantile: at 0.3, the threshold is the value that blocks with 30% of all words of the training
//! pages do not exceed. So a step of a particle moves about as much text in one dimension as in
//! another, however a feature is distributed; blocks count by their words because the similarity
//! does, too. Below 0 and above 1 the scale goes on with its first and its last value.

use webstrata::training::ziegler::Bound;

/// The values of one feature on the training pages.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    bound: Bound,
    /// The different values, ascending. A value's index is its rank.
    values: Vec<f64>,
    /// For each value, the share of words in blocks that do not exceed it.
    shares: Vec<f64>,
}

impl Scale {
    /// The scale of blocks' values, each with its words.
    pub(super) fn new(bound: Bound, mut blocks: Vec<(f64, u32)>) -> Scale {
        blocks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = blocks.iter().map(|(_, words)| f64::from(*words)).sum();
        let (mut values, mut shares, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for (value, words) in blocks {
            sum += f64::from(words);
            if values.last() != Some(&value) {
                values.push(value);
                shares.push(0.0);
            }
            if let Some(share) = shares.last_mut() {
                *share = sum / f64::max(total, 1.0);
            }
        }
        Scale { bound, values, shares }
    }

    /// Do all blocks have the same value, so that there is nothing to learn?
    pub(super) fn is_flat(&self) -> bool {
        self.values.len() < 2
    }

    /// The rank of a value of the training pages.
    pub(super) fn rank(&self, value: f64) -> u32 {
        self.values.partition_point(|known| *known < value) as u32
    }

    /// The rank at a position.
    pub(super) fn rank_at(&self, position: f64) -> u32 {
        let rank = self.shares.partition_point(|share| *share < position);
        rank.min(self.values.len().saturating_sub(1)) as u32
    }

    /// The lowest and the highest rank that satisfy the threshold at a position.
    pub(super) fn range_at(&self, position: f64) -> (u32, u32) {
        match self.bound {
            Bound::AtLeast => (self.rank_at(position), u32::MAX),
            Bound::AtMost => (0, self.rank_at(position)),
        }
    }

    /// The threshold at a position: the number with the fewest digits that divides the values of the
    /// training pages in the same way.
    pub(super) fn threshold_at(&self, position: f64) -> f64 {
        let rank = self.rank_at(position) as usize;
        let Some(value) = self.values.get(rank).copied() else { return self.bound.permissive() };
        let neighbour = match self.bound {
            Bound::AtLeast => rank.checked_sub(1).and_then(|below| self.values.get(below)),
            Bound::AtMost => self.values.get(rank + 1),
        };
        match neighbour {
            // Nothing on the other side: the threshold asks for nothing.
            None => self.bound.permissive(),
            Some(neighbour) => shortest(value, *neighbour),
        }
    }

    /// All thresholds at so many steps from 0 to 1, each once.
    pub(super) fn thresholds(&self, steps: usize) -> Vec<f64> {
        let positions = (0..=steps).map(|step| step as f64 / steps as f64);
        let mut thresholds: Vec<f64> = positions.map(|at| self.threshold_at(at)).collect();
        thresholds.dedup();
        thresholds
    }
}

/// The decimal number with the fewest places from `value` (itself allowed) to before `neighbour`.
fn shortest(value: f64, neighbour: f64) -> f64 {
    for places in 0..15 {
        let power = 10f64.powi(places);
        let rounded =
            if neighbour < value { (value * power).floor() } else { (value * power).ceil() };
        let number = rounded / power;
        let inside = if neighbour < value {
            neighbour < number && number <= value
        } else {
            value <= number && number < neighbour
        };
        if inside {
            return number;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn positions_are_quantiles_of_words() {
        let blocks = vec![(5.0, 60), (1.0, 10), (2.0, 10), (1.0, 20)];
        let scale = Scale::new(Bound::AtLeast, blocks.clone());
        let ranks = [-1.0, 0.0, 0.3, 0.31, 0.4, 0.41, 1.0, 9.0].map(|at| scale.rank_at(at));
        assert_eq!(ranks, [0, 0, 0, 1, 1, 2, 2, 2]);
        assert_eq!([0.0, 0.35, 0.5].map(|at| scale.threshold_at(at)), [0.0, 2.0, 5.0]);
        assert_eq!(scale.range_at(0.5), (2, u32::MAX));
        let scale = Scale::new(Bound::AtMost, blocks);
        assert_eq!([0.0, 0.35, 0.5].map(|at| scale.threshold_at(at)), [1.0, 2.0, 1.0]);
        assert_eq!(scale.range_at(0.35), (0, 1));
    }

    #[test]
    fn flat_and_empty_scales_ask_for_nothing() {
        for bound in [Bound::AtLeast, Bound::AtMost] {
            for blocks in [vec![], vec![(0.4, 7)], vec![(0.4, 0), (0.4, 0)]] {
                let scale = Scale::new(bound, blocks);
                assert!(scale.is_flat());
                assert_eq!(scale.threshold_at(0.7), bound.permissive());
            }
        }
    }

    #[test]
    fn few_digits() {
        assert_eq!(shortest(0.31234, 0.29), 0.3);
        assert_eq!(shortest(0.31234, 0.311), 0.312);
        assert_eq!(shortest(0.31234, 0.4), 0.32);
        assert_eq!(shortest(3.0, 2.0), 3.0);
        assert_eq!(shortest(0.1 + 0.2, 0.3), 0.1 + 0.2);
    }

    proptest! {
        #[test]
        fn thresholds_divide_as_ranks_do(
            blocks in prop::collection::vec((0.0..1.0f64, 0..9u32), 1..30),
            position in -0.5..1.5f64,
            at_least in any::<bool>(),
        ) {
            let bound = if at_least { Bound::AtLeast } else { Bound::AtMost };
            let scale = Scale::new(bound, blocks.clone());
            let (threshold, (low, high)) = (scale.threshold_at(position), scale.range_at(position));
            for (value, _) in blocks {
                let rank = scale.rank(value);
                prop_assert_eq!(bound.holds(value, threshold), low <= rank && rank <= high);
            }
        }
    }
}
