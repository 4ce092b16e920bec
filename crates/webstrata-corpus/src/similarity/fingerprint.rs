//! Texts reduced to a few numbers that are as similar as the texts are.
//!
//! Every min-hash orders all shingles in an order of its own and remembers which of the text's shingles
//! comes first. Two texts remember the same one if the first of all their shingles is one that both
//! have, so with a probability equal to the Jaccard coefficient (Broder, 1997).
//!
//! The orders are independent multiplications of one xxh3 value per shingle. Permuting once and cutting
//! the values into bins needs one operation per shingle instead of one per min-hash, but draws without
//! replacement: on texts of few shingles the S-curve is another one, and empty bins must be filled from
//! neighbours. The price of independence is small, see docs/dedup.md.

use webstrata_base::random::Random;
use xxhash_rust::xxh3::xxh3_64;

use super::SimilarityOptions;
use super::tokens::for_each_token;

/// Fingerprints of all versions and machines are comparable as long as this stays.
pub(super) const SEED: u64 = 0x0077_6562_7374_7261;

/// The min-hashes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    hashes: Box<[u32]>,
    tokens: u32,
}

impl Fingerprint {
    /// The min-hashes, always in the same order.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// The tokens of the text.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// How many min-hashes two fingerprints of the same settings have in common. Divided by all, this
    /// estimates the Jaccard coefficient of their shingles.
    pub fn shared(&self, other: &Fingerprint) -> usize {
        shared(&self.hashes, &other.hashes)
    }
}

/// Equal numbers at equal places.
pub(super) fn shared(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum::<u32>() as usize
}

/// Makes fingerprints.
#[derive(Clone, Debug)]
pub struct Sketch {
    shingle: usize,
    /// A number to flip bits by and an odd one to multiply with, for each min-hash.
    orders: Vec<(u64, u64)>,
}

impl Sketch {
    /// Fingerprints by these settings; those of other settings cannot be compared with them.
    pub fn new(settings: SimilarityOptions) -> Sketch {
        Sketch::seeded(settings, SEED)
    }

    /// The same with other orders: for experiments, since what is found of pages that have a text in
    /// common, such as the pages of a site, depends on where the few orders happen to put it.
    pub fn seeded(settings: SimilarityOptions, seed: u64) -> Sketch {
        Sketch::of_orders(settings.shingle(), settings.hashes(), Random::new(seed))
    }

    pub(super) fn of_orders(shingle: usize, hashes: usize, mut random: Random) -> Sketch {
        let orders = (0..hashes).map(|_| (random.bits(), random.bits() | 1)).collect();
        Sketch { shingle, orders }
    }

    /// The fingerprint of a text; `None` if it has no token.
    pub fn text(&self, text: &str) -> Option<Fingerprint> {
        self.texts([text])
    }

    /// The same of a text in pieces, each of which ends a token.
    pub fn texts<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Option<Fingerprint> {
        self.of(&hashed(texts))
    }

    /// The shingles themselves, as a sorted set of numbers: for those who compare pages exactly.
    pub fn shingles<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Vec<u64> {
        let mut set = Vec::new();
        shingles(&hashed(texts), self.shingle, |shingle| set.push(shingle));
        set.sort_unstable();
        set.dedup();
        set
    }

    /// The same for given tokens.
    pub fn tokens<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> Option<Fingerprint> {
        let hashes: Vec<u64> = tokens.into_iter().map(|token| xxh3_64(token.as_bytes())).collect();
        self.of(&hashes)
    }

    fn of(&self, tokens: &[u64]) -> Option<Fingerprint> {
        let mut runs = Vec::with_capacity(tokens.len());
        shingles(tokens, self.shingle, |shingle| runs.push(shingle));
        self.of_shingles(&runs, tokens.len())
    }

    /// The fingerprint of these shingles of so many tokens; `None` if there are none.
    pub(super) fn of_shingles(&self, shingles: &[u64], tokens: usize) -> Option<Fingerprint> {
        // One order after the other: its least value stays in a register.
        let least = |(flip, factor): &(u64, u64)| {
            let values = shingles.iter().map(|shingle| (shingle ^ flip).wrapping_mul(*factor));
            spread(values.min().unwrap_or(u64::MAX))
        };
        let hashes = self.orders.iter().map(least).collect();
        let count = u32::try_from(tokens).unwrap_or(u32::MAX);
        (!shingles.is_empty()).then_some(Fingerprint { hashes, tokens: count })
    }
}

fn hashed<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<u64> {
    let mut hashes = Vec::new();
    for text in texts {
        for_each_token(text, |token| hashes.push(xxh3_64(token.as_bytes())));
    }
    hashes
}

/// Calls `each` with a number for every run of `size` tokens; a shorter text is one run.
pub(super) fn shingles(tokens: &[u64], size: usize, mut each: impl FnMut(u64)) {
    let mut bytes = Vec::with_capacity(8 * size);
    for run in tokens.windows(size.clamp(1, tokens.len().max(1))) {
        bytes.clear();
        run.iter().for_each(|token| bytes.extend_from_slice(&token.to_le_bytes()));
        each(xxh3_64(&bytes));
    }
}

/// Least values are small numbers; spread over 32 bits, two different ones are equal in one of four
/// billion cases, however long the texts are.
fn spread(least: u64) -> u32 {
    let mixed = (least ^ (least >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fingerprints_never_change() {
        // Kept by users and compared with those of later versions.
        let print = Sketch::new(SimilarityOptions::default())
            .text("The tide turns at noon today, they say.");
        let print = print.unwrap();
        assert_eq!(print.tokens(), 8);
        assert_eq!(
            print.hashes(),
            [
                3979852487, 1743592451, 1694548520, 125009920, 2443684759, 2719537942, 3146023474,
                208072600
            ]
        );
    }

    #[test]
    fn texts_without_shingles() {
        let sketch = Sketch::new(SimilarityOptions::default());
        assert_eq!(sketch.text(" – "), None);
        let short = sketch.text("High water").unwrap();
        assert_eq!(sketch.text("high, WATER!"), Some(short.clone()));
        assert_eq!(sketch.texts(["high", "water"]), Some(short.clone()));
        assert_eq!(sketch.tokens(["high", "water"]), Some(short.clone()));
        assert!(sketch.text("water high").unwrap().shared(&short) < 2);
    }

    /// Two sets of numbers with a known Jaccard coefficient, as tokens of shingles of one.
    fn pair(common: usize, own: usize, random: &mut Random) -> [Vec<u64>; 2] {
        let mut draw = |count| (0..count).map(|_| random.bits()).collect::<Vec<u64>>();
        let both = draw(common);
        [draw(own), draw(own)].map(|own| [both.as_slice(), own.as_slice()].concat())
    }

    #[test]
    fn the_mean_of_estimates_is_the_coefficient() {
        let hashes = 16;
        let sketch = Sketch::new(SimilarityOptions::new(1, hashes, 0.5).unwrap());
        let mut random = Random::new(3);
        for (common, own) in [(5, 95), (30, 35), (100, 50), (9, 1), (300, 30), (0, 50), (1, 1)] {
            let truth = common as f64 / (common + 2 * own) as f64;
            let pairs = 2000;
            let mut sums = [0.0, 0.0];
            for _ in 0..pairs {
                let [a, b] = pair(common, own, &mut random).map(|set| sketch.of(&set).unwrap());
                let estimate = a.shared(&b) as f64 / hashes as f64;
                sums[0] += estimate;
                sums[1] += (estimate - truth).powi(2);
            }
            let [mean, variance] = sums.map(|sum| sum / f64::from(pairs));
            let expected = truth * (1.0 - truth) / hashes as f64;
            let error = (expected / f64::from(pairs)).sqrt();
            assert!((mean - truth).abs() <= 4.0 * error, "{common}, {own}: {mean}, not {truth}");
            // Of independent min-hashes, and so is the S-curve that of coins.
            assert!((variance - expected).abs() <= 0.15 * expected, "{common}, {own}: {variance}");
        }
    }

    proptest! {
        #[test]
        fn shingles_are_runs_of_tokens(tokens in prop::collection::vec(0..9u64, 0..40), size in 1..9usize) {
            let mut seen = Vec::new();
            shingles(&tokens, size, |shingle| seen.push(shingle));
            let runs: HashSet<&[u64]> = tokens.windows(size.min(tokens.len().max(1))).collect();
            let different: HashSet<u64> = seen.iter().copied().collect();
            prop_assert_eq!(different.len(), runs.len());
            prop_assert_eq!(seen.len(), if tokens.is_empty() { 0 } else { (tokens.len() + 1).saturating_sub(size).max(1) });
        }

        #[test]
        fn the_order_of_shingles_does_not_matter(tokens in prop::collection::vec(any::<u64>(), 1..50)) {
            let sketch = Sketch::new(SimilarityOptions::new(1, 8, 0.5).unwrap());
            let mut sorted = tokens.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sketch.of(&tokens).unwrap().hashes, sketch.of(&sorted).unwrap().hashes);
        }
    }
}
