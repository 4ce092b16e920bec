//! Trainers: labelled blocks in, a [`Model`](webstrata::Model) out, which the core runs.
//!
//! All of them give the same model for the same examples and the same seed, on any number of threads.

pub mod boost;
pub mod svm;

pub use boost::{Boost, Forest};
pub use svm::Svm;

/// Random numbers that stay the same from release to release, which those of a crate need not
/// (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`; the lower ones are more likely by less than one in a billion.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Puts `count` elements, drawn from all, at the front, in random order.
    fn shuffle<T>(&mut self, elements: &mut [T], count: usize) {
        for place in 0..count.min(elements.len()) {
            let other = place + self.below(elements.len() - place);
            elements.swap(place, other);
        }
    }
}
