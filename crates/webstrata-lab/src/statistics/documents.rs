//! Averages of whole pages, for their ranks (Figure 4.13).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The averages of so many pages are kept; of more, those of a random sample.
pub(crate) const SAMPLE: usize = 20_000;

/// The averages of a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Averages {
    /// The density of its segments, each as often as it has tokens.
    pub density: f64,
    /// Characters in a token.
    pub token_length: f64,
}

impl Averages {
    /// Text density to token length.
    pub fn ratio(&self) -> f64 {
        if self.token_length > 0.0 { self.density / self.token_length } else { 0.0 }
    }
}

/// A sample of pages: those whose numbers have the lowest hashes. Whatever parts the pages come in, the
/// sample is the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Documents {
    kept: BTreeMap<u64, Averages>,
    seen: u64,
}

impl Documents {
    pub(crate) fn add(&mut self, number: u64, averages: Averages) {
        self.seen += 1;
        self.kept.insert(mixed(number), averages);
        self.shrink();
    }

    pub(crate) fn merge(&mut self, other: Documents) {
        self.seen += other.seen;
        self.kept.extend(other.kept);
        self.shrink();
    }

    /// Pages with text that were seen.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn averages(&self) -> impl Iterator<Item = &Averages> {
        self.kept.values()
    }

    fn shrink(&mut self) {
        while self.kept.len() > SAMPLE {
            self.kept.pop_last();
        }
    }
}

/// A one-to-one scrambling of 64 bits (SplitMix64), so that no two pages share a hash.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pages: std::ops::Range<u64>) -> Documents {
        let mut documents = Documents::default();
        for number in pages {
            documents.add(number, Averages { density: number as f64, token_length: 5.0 });
        }
        documents
    }

    #[test]
    fn a_sample_is_the_same_in_parts() {
        let pages = SAMPLE as u64 * 2;
        let whole = sample(0..pages);
        let mut parts = sample(0..pages / 3);
        parts.merge(sample(pages / 3..pages));
        assert_eq!(parts, whole);
        assert_eq!((whole.seen(), whole.averages().count()), (pages, SAMPLE));
        // About half of the sample are pages of the first half.
        let early = whole.averages().filter(|page| page.density < SAMPLE as f64).count();
        assert!(early.abs_diff(SAMPLE / 2) < SAMPLE / 20, "{early}");
    }
}
