//! Pages ready to be judged many times: their blocks' features, and terms as numbers.

use std::collections::HashMap;

use webstrata::cutting::Cutting;
use webstrata::training::ziegler::{self, COUNT, SIGNALS};
use webstrata::{Options, Page};

use crate::scores::cosine::{Sums, terms};
use crate::sets::Entry;
use webstrata_base::error::Error;

/// A page of the set: its blocks, and what to compare them with.
pub(super) struct Judged {
    pub(super) id: String,
    pub(super) site: String,
    pub(super) blocks: Vec<JudgedBlock>,
    /// How many different terms the blocks have: their numbers are smaller.
    vocabulary: usize,
    /// Terms of the gold text and the square of its vector's length.
    gold: (u64, u64),
    /// The similarity of all text nodes and the gold text (TB in Table 1).
    pub(super) all_text: f64,
}

/// One block of such a page.
pub(super) struct JudgedBlock {
    /// The features, in the order of [`SIGNALS`].
    pub(super) values: [f64; COUNT],
    /// Its words: how much it counts in the scale of a feature.
    pub(super) words: u32,
    /// Each of its terms with its frequency.
    terms: Vec<(u32, u32)>,
    /// All its terms, and its share of the product with the gold text's vector.
    length: u64,
    dot: u64,
}

impl Judged {
    /// Reads a page; `None` where its gold text has no terms, so that nothing can be like it.
    pub(super) fn read(entry: &Entry) -> Result<Option<Judged>, Error> {
        let (bytes, gold_text) = (entry.read_page()?, entry.read_gold()?.to_lowercase());
        let mut gold: HashMap<&str, u64> = HashMap::new();
        terms(&gold_text).for_each(|term| *gold.entry(term).or_default() += 1);
        if gold.is_empty() {
            return Ok(None);
        }
        let Page { tree, document, .. } = Page::read(&bytes, Cutting::Ziegler, &Options::default());
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let texts = document.blocks.iter().map(|block| document.block_text(block).to_lowercase());
        let texts: Vec<String> = texts.collect();
        let blocks = document.blocks.iter().zip(&texts).map(|(block, text)| {
            let mut counts: Vec<(u32, u32)> = Vec::new();
            let (mut length, mut dot) = (0, 0);
            for term in terms(text) {
                let next = numbers.len() as u32;
                counts.push((*numbers.entry(term).or_insert(next), 1));
                length += 1;
                dot += gold.get(term).copied().unwrap_or(0);
            }
            counts.sort_unstable();
            counts.dedup_by(|next, first| {
                let same = next.0 == first.0;
                first.1 += u32::from(same) * next.1;
                same
            });
            let values = ziegler::signals(&document, block).values;
            JudgedBlock { values, words: block.counts.words, terms: counts, length, dot }
        });
        let blocks = blocks.collect();
        let vocabulary = numbers.len();
        let mut all: HashMap<&str, u64> = HashMap::new();
        let nodes: Vec<String> = tree.nodes().map(|node| tree.text(node).to_lowercase()).collect();
        for term in nodes.iter().flat_map(|text| terms(text)) {
            *all.entry(term).or_default() += 1;
        }
        let gold_sums = (gold.values().sum(), squares(&gold));
        let all_text = Sums {
            dot: all.iter().map(|(term, n)| n * gold.get(term).copied().unwrap_or(0)).sum(),
            squares: (squares(&all), gold_sums.1),
            lengths: (all.values().sum(), gold_sums.0),
        };
        Ok(Some(Judged {
            id: entry.id.clone(),
            site: entry.site(&tree),
            blocks,
            vocabulary,
            gold: gold_sums,
            all_text: all_text.similarity(),
        }))
    }

    /// The similarity of some of the blocks and the gold text. `scratch` is only here to be used
    /// again; it is, and stays, all zeros.
    fn similarity(&self, kept: impl Iterator<Item = usize> + Clone, scratch: &mut Vec<u32>) -> f64 {
        scratch.resize(scratch.len().max(self.vocabulary), 0);
        let mut sums = Sums { squares: (0, self.gold.1), lengths: (0, self.gold.0), dot: 0 };
        for block in kept.clone().map(|index| &self.blocks[index]) {
            sums.dot += block.dot;
            sums.lengths.0 += block.length;
            for (term, count) in &block.terms {
                // (s + c)² = s² + c (2 s + c)
                let sum = &mut scratch[*term as usize];
                sums.squares.0 += u64::from(*count) * (2 * u64::from(*sum) + u64::from(*count));
                *sum += count;
            }
        }
        for (term, _) in kept.flat_map(|index| &self.blocks[index].terms) {
            scratch[*term as usize] = 0;
        }
        sums.similarity()
    }

    /// The similarity of the blocks that satisfy all thresholds (FE in Table 1); with permissive
    /// ones, of all blocks (PR).
    pub(super) fn extracted(&self, thresholds: &[f64; COUNT]) -> f64 {
        let satisfies = |index: &usize| {
            let mut signals = self.blocks[*index].values.iter().zip(SIGNALS).zip(thresholds);
            signals.all(|((value, signal), threshold)| signal.bound.holds(*value, *threshold))
        };
        self.similarity((0..self.blocks.len()).filter(satisfies), &mut Vec::new())
    }
}

fn squares(counts: &HashMap<&str, u64>) -> u64 {
    counts.values().map(|count| count * count).sum()
}

/// A page that remembers its verdicts. Particles of a swarm that has nearly agreed keep the same
/// blocks of a page again and again.
pub(super) struct CachedPage<'a> {
    page: &'a Judged,
    /// For each block, the place of its values among those of the training pages.
    ranks: Vec<[u32; COUNT]>,
    /// The similarity of each set of blocks that was asked for, a bit a block.
    known: HashMap<Box<[u64]>, f64>,
    kept: Vec<u64>,
    scratch: Vec<u32>,
}

impl<'a> CachedPage<'a> {
    pub(super) fn new(page: &'a Judged, ranks: Vec<[u32; COUNT]>) -> CachedPage<'a> {
        let kept = vec![0; page.blocks.len().div_ceil(64)];
        CachedPage { page, ranks, known: HashMap::new(), kept, scratch: Vec::new() }
    }

    /// The similarity of the blocks with ranks from `low` to `high` in all features.
    pub(super) fn similarity(&mut self, low: &[u32; COUNT], high: &[u32; COUNT]) -> f64 {
        self.kept.fill(0);
        for (index, ranks) in self.ranks.iter().enumerate() {
            if (0..COUNT).all(|at| low[at] <= ranks[at] && ranks[at] <= high[at]) {
                self.kept[index / 64] |= 1 << (index % 64);
            }
        }
        if let Some(known) = self.known.get(self.kept.as_slice()) {
            return *known;
        }
        let kept = &self.kept;
        let bits = (0..self.ranks.len()).filter(|index| kept[index / 64] >> (index % 64) & 1 == 1);
        let similarity = self.page.similarity(bits, &mut self.scratch);
        self.known.insert(self.kept.clone().into(), similarity);
        similarity
    }
}
