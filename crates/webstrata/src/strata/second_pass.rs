//! What the second pass looks at besides: the scores that the first pass gave to the block, to those
//! around it, to its containers, and to the blocks marked up like it.

use super::observations::Observations;

/// The features' names, in the order of [`features`].
pub const NAMES: [&str; 23] = [
    "score.above-4",
    "score.above-3",
    "score.above-2",
    "score.above",
    "score",
    "score.below",
    "score.below-2",
    "score.below-3",
    "score.below-4",
    "score.page",
    "score.all-above",
    "score.all-below",
    "score.above-10",
    "score.below-10",
    "score.parent",
    "score.grandparent",
    "score.ancestor-3",
    "score.ancestor-5",
    "score.signature",
    "score.since-first",
    "score.until-last",
    "score.words-kept",
    "score.greatest",
];

const NEIGHBOURS: isize = 4;
/// Blocks in the windows above and below.
const WINDOW: usize = 10;
/// A block that is content almost surely: the first and the last of them frame the text.
const SURE: f32 = 0.6;

/// The features of every block, given the words and the first score of each.
pub fn features(page: &Observations, words: &[f32], scores: &[f32]) -> Vec<[f32; NAMES.len()]> {
    let blocks = scores.len();
    let weight = |block: usize| words[block].max(0.3);
    let mut sums = Vec::with_capacity(blocks + 1);
    sums.push((0.0f32, 0.0f32));
    let mut signatures = vec![(0.0f32, 0.0f32); blocks];
    for block in 0..blocks {
        let (weighed, weights) = sums[block];
        let weight = weight(block);
        sums.push((weighed + weight * scores[block], weights + weight));
        let same = &mut signatures[page.signature(block) as usize];
        *same = (same.0 + weight * scores[block], same.1 + weight);
    }
    let mean = |from: usize, to: usize| {
        let (low, high) = (sums[from.min(to)], sums[to]);
        if to > from { (high.0 - low.0) / (high.1 - low.1) } else { -1.0 }
    };
    let is_sure = |score: &f32| *score > SURE;
    let first = scores.iter().position(is_sure);
    let last = scores.iter().rposition(is_sure);
    let kept = (0..blocks).filter(|block| scores[*block] > 0.5).map(|block| words[block]).sum();
    let greatest = scores.iter().copied().fold(0.0, f32::max);
    (0..blocks)
        .map(|block| {
            let mut row = [0.0; NAMES.len()];
            let mut at = 0;
            let mut put = |value: f32| {
                row[at] = value;
                at += 1;
            };
            for offset in -NEIGHBOURS..=NEIGHBOURS {
                let other = block.checked_add_signed(offset).and_then(|other| scores.get(other));
                put(other.copied().unwrap_or(-1.0));
            }
            put(mean(0, blocks));
            put(mean(0, block));
            put(mean(block + 1, blocks));
            put(mean(block.saturating_sub(WINDOW), block));
            put(mean(block + 1, (block + 1 + WINDOW).min(blocks)));
            for range in page.around(block) {
                put(mean(range.start as usize, range.end as usize));
            }
            let (weighed, weights) = signatures[page.signature(block) as usize];
            put(weighed / weights);
            put(first.map_or(-1.0, |first| block as f32 - first as f32));
            put(last.map_or(-1.0, |last| last as f32 - block as f32));
            put(kept);
            put(greatest);
            row
        })
        .collect()
}
