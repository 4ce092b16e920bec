//! Counts by small whole numbers: densities, lengths, sizes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Densities and token lengths from here on are counted together.
pub const LARGEST_BIN: usize = 63;
/// Sizes below this are counted one by one.
const EXACT: u32 = 4096;

/// How much there is of each rounded value from 0 to [`LARGEST_BIN`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bins(Vec<u64>);

impl Default for Bins {
    fn default() -> Bins {
        Bins(vec![0; LARGEST_BIN + 1])
    }
}

impl Bins {
    /// The bin of a value: the nearest whole number.
    pub fn bin(value: f64) -> usize {
        // Not a number becomes 0.
        (value.round() as usize).min(LARGEST_BIN)
    }

    /// Adds an amount to a bin.
    pub fn add(&mut self, bin: usize, amount: u64) {
        self.0[bin.min(LARGEST_BIN)] += amount;
    }

    /// The amounts, from 0 on.
    pub fn amounts(&self) -> &[u64] {
        &self.0
    }

    /// All amounts together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The amounts up to a bin.
    pub fn up_to(&self, bin: usize) -> u64 {
        self.0.iter().take(bin + 1).sum()
    }

    /// Bin by bin.
    pub fn merge(&mut self, other: &Bins) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            *ours += theirs;
        }
    }
}

/// How many things there are of each size. From 4096 on, sizes are kept to three digits, so that
/// there are at most some ten thousand different ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes(BTreeMap<u32, u64>);

impl Sizes {
    /// Counts one thing.
    pub fn add(&mut self, size: u32) {
        *self.0.entry(shortened(size)).or_default() += 1;
    }

    /// Pairs of size and number, ascending.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (u32, u64)> + '_ {
        self.0.iter().map(|(size, number)| (*size, *number))
    }

    /// How many things there are.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Size by size.
    pub fn merge(&mut self, other: &Sizes) {
        for (size, number) in &other.0 {
            *self.0.entry(*size).or_default() += number;
        }
    }

    /// The sizes from the largest to the smallest at some of their ranks, from 1 on: every rank up to
    /// 100, then about 100 for each power of ten, and the last one.
    pub fn ranks(&self) -> Vec<(u64, u32)> {
        let mut wanted = some_ranks(self.total()).into_iter().peekable();
        let mut ranks = Vec::new();
        let mut above = 0;
        for (size, number) in self.pairs().rev() {
            above += number;
            while let Some(rank) = wanted.next_if(|rank| *rank <= above) {
                ranks.push((rank, size));
            }
        }
        ranks
    }
}

/// Ranks that show a curve on a logarithmic axis as well as all of them do.
pub(crate) fn some_ranks(last: u64) -> Vec<u64> {
    let spread = (200..=2000).map(|step| 10f64.powf(f64::from(step) / 100.0) as u64);
    let mut ranks: Vec<u64> = (1..=100).chain(spread).take_while(|rank| *rank < last).collect();
    if last > 0 {
        ranks.push(last);
    }
    ranks.dedup();
    ranks
}

fn shortened(size: u32) -> u32 {
    if size < EXACT {
        return size;
    }
    let step = size.ilog2() - 9;
    size >> step << step
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_rounded_and_kept_in_range() {
        let values = [0.0, 0.49, 0.5, 5.5, 12.4, 63.0, 1e9, -3.0, f64::NAN];
        assert_eq!(values.map(Bins::bin), [0, 0, 1, 6, 12, 63, 63, 0, 0]);
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_a_sorted_list(sizes in prop::collection::vec(0u32..3000, 0..400)) {
            let mut counted = Sizes::default();
            sizes.iter().for_each(|size| counted.add(*size));
            let mut sorted = sizes.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let ranks = counted.ranks();
            prop_assert_eq!(ranks.last().map(|(rank, _)| *rank).unwrap_or(0), sizes.len() as u64);
            for (rank, size) in ranks {
                prop_assert_eq!(sorted[rank as usize - 1], size);
            }
        }

        #[test]
        fn large_sizes_lose_little(size in 0u32..) {
            let short = shortened(size);
            prop_assert!(short <= size && f64::from(size - short) <= f64::from(size) / 500.0);
        }
    }
}
