//! Random numbers that are the same on every machine and in every version.

/// SplitMix64 (Steele, Lea and Flood, 2014): small, good enough for folds, swarms and bootstraps.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// A sequence of its own for one of several purposes that share a seed.
    pub fn for_purpose(seed: u64, purpose: &str) -> Random {
        let mut random = Random::new(seed);
        for byte in purpose.bytes() {
            random.state = random.bits() ^ u64::from(byte);
        }
        random
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        // The high half of the product is even enough below a few million.
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles items; all orders are equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        self.draw(items, items.len());
    }

    /// Puts `count` items, drawn from all, at the front, in any order.
    pub fn draw<T>(&mut self, items: &mut [T], count: usize) {
        for place in 0..count.min(items.len()) {
            let other = place + self.below(items.len() - place);
            items.swap(place, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn purposes_differ_as_seeds_do() {
        let first = |seed, purpose| Random::for_purpose(seed, purpose).bits();
        assert_eq!(first(1, "split"), first(1, "split"));
        assert_ne!(first(1, "split"), first(1, "swarm"));
        assert_ne!(first(1, "split"), first(2, "split"));
        assert_eq!(first(1, ""), Random::new(1).bits());
    }

    #[test]
    fn numbers_stay_in_their_range_and_shuffles_lose_nothing() {
        let mut random = Random::new(7);
        assert!((0..1000).all(|_| random.below(3) < 3));
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01);
        let mut items: Vec<u32> = (0..100).collect();
        random.shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
