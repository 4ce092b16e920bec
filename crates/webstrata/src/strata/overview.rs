//! What is known of a page before the features of its blocks are written down.

use std::ops::Range;

use super::containers::{Containers, NONE};
use super::head::Head;
use super::tokens::{self, TokenSet};
use crate::document::{Counts, Document};
use crate::tree::Tree;

/// What is known of a page before its rows are written.
pub(super) struct Page<'a> {
    pub(super) document: &'a Document,
    pub(super) head: Head,
    pub(super) title: TokenSet,
    pub(super) description: TokenSet,
    pub(super) body: TokenSet,
    pub(super) containers: Containers,
    pub(super) sums: Vec<Sums>,
    pub(super) stats: Vec<Stats>,
    pub(super) briefs: Vec<Brief>,
    pub(super) best: Best,
    pub(super) signatures: Signatures,
    /// For each block, how many blocks have its text.
    pub(super) same_text: Vec<u32>,
    /// The first block in an `h1`.
    pub(super) h1: Option<usize>,
    pub(super) deepest: f32,
    /// For each block, how many blocks above the last heading stands.
    pub(super) since_heading: Vec<f32>,
}

/// Sums over the blocks above one; differences of two are sums over a range.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) words: f32,
    pub(super) linked: f32,
    pub(super) full_stops: f32,
    pub(super) long: f32,
    pub(super) listed: f32,
    pub(super) paragraphs: f32,
}

/// What a container holds.
#[derive(Clone, Copy, Default)]
pub(super) struct Stats {
    pub(super) words: f32,
    pub(super) link_density: f32,
    pub(super) blocks: f32,
    pub(super) long: f32,
    pub(super) full_stops: f32,
    pub(super) listed: f32,
    pub(super) paragraphs: f32,
    pub(super) score: f32,
}

/// What neighbours ask of a block.
#[derive(Clone, Copy)]
pub(super) struct Brief {
    pub(super) words: f32,
    pub(super) link_density: f32,
    pub(super) text_density: f32,
    /// The separating containers around it, innermost first.
    pub(super) around: [u32; 5],
    pub(super) signature: u32,
    pub(super) depth: u16,
}

/// What is marked up alike: tag and class of the innermost containers of blocks.
pub(super) struct Signatures {
    /// For each block, the number of its signature.
    pub(super) number: Vec<u32>,
    /// For each number, the words and the blocks.
    pub(super) sums: Vec<(f32, f32)>,
}

/// The container that looks most like an article.
pub(super) struct Best {
    pub(super) blocks: Range<usize>,
    pub(super) share: f32,
    /// For each container, how many separating ones it is up to one that holds the best, too.
    pub(super) up: Vec<u32>,
    /// For each container in the best, how many separating ones it is up to that.
    pub(super) down: Vec<Option<u16>>,
}

/// How much a block speaks for the containers around it: length, sentences, few links.
fn worth(counts: &Counts) -> f32 {
    let words = counts.words as f32;
    let sentences = 1.0 + (words / 10.0).min(5.0) + 0.5 * counts.full_stops as f32;
    sentences * (1.0 - counts.linked_words as f32 / words.max(1.0))
}

impl<'a> Page<'a> {
    pub(super) fn of(tree: &Tree<'_>, document: &'a Document) -> Page<'a> {
        let containers = Containers::of(tree, document);
        let head = Head::of(tree, &document.clock);
        let blocks = document.atoms.len();
        let mut briefs = Vec::with_capacity(blocks);
        let mut sums = Vec::with_capacity(blocks + 1);
        let mut sum = Sums::default();
        sums.push(sum);
        let mut scores = vec![0.0f32; containers.len()];
        let (mut h1, mut last_heading) = (None, None);
        let mut since_heading = Vec::with_capacity(blocks);
        for (block, atom) in document.atoms.iter().enumerate() {
            let counts = &atom.counts;
            let (words, linked) = (counts.words as f32, counts.linked_words as f32);
            let mut around = [NONE; 5];
            around.iter_mut().zip(containers.separating(block)).for_each(|(to, from)| *to = from);
            let own = containers.get(around[0]);
            let signature = own.map_or(0, |container| container.signature);
            let depth = own.map_or(0, |container| container.depth);
            briefs.push(Brief {
                words,
                link_density: counts.link_density() as f32,
                text_density: counts.text_density() as f32,
                around,
                signature,
                depth,
            });
            let innermost = containers.get(containers.of_block[block]);
            let tags = innermost.map_or(0, |container| container.tags);
            let heading = innermost.map_or(0, |container| container.heading);
            let is = |bit: u32| if tags & 1 << bit != 0 { words } else { 0.0 };
            sum.words += words;
            sum.linked += linked;
            sum.full_stops += counts.full_stops as f32;
            sum.long += if words > 15.0 && linked < 0.3 * words { words } else { 0.0 };
            sum.paragraphs += is(0);
            sum.listed += is(1);
            sums.push(sum);
            if words >= 5.0 {
                let worth = worth(counts);
                for (step, container) in around.into_iter().take(4).enumerate() {
                    if let Some(score) = scores.get_mut(container as usize) {
                        *score += worth / (1 + step) as f32;
                    }
                }
            }
            since_heading.push(last_heading.map_or(-1.0, |last| (block - last) as f32));
            if heading > 0 {
                last_heading = Some(block);
            }
            if heading == 1 && h1.is_none() {
                h1 = Some(block);
            }
        }
        let stats = stats(&containers, &sums, &scores);
        let best = Best::of(&containers, &stats, blocks);
        let set = |text: &str| TokenSet::of(tokens::of_text(tokens::WORD, text));
        let deepest = briefs.iter().map(|brief| brief.depth).max().unwrap_or(0);
        Page {
            document,
            title: set(document.title.as_deref().unwrap_or_default()),
            description: set(&head.description),
            body: set(&head.body),
            head,
            containers,
            sums,
            stats,
            signatures: Signatures::of(&briefs),
            same_text: same_text(document),
            briefs,
            best,
            h1,
            deepest: f32::from(deepest).max(1.0),
            since_heading,
        }
    }

    pub(super) fn total(&self) -> f32 {
        self.sums[self.briefs.len()].words.max(1.0)
    }
}

fn stats(containers: &Containers, sums: &[Sums], scores: &[f32]) -> Vec<Stats> {
    let of = |index: usize| {
        let container = containers.get(index as u32)?;
        if container.separating != index as u32 {
            return None;
        }
        let (low, high) =
            (sums[container.blocks.start as usize], sums[container.blocks.end as usize]);
        let words = high.words - low.words;
        let share = |part: f32| part / words.max(1.0);
        Some(Stats {
            words,
            link_density: share(high.linked - low.linked),
            blocks: container.blocks.len() as f32,
            long: share(high.long - low.long),
            full_stops: share(high.full_stops - low.full_stops),
            listed: share(high.listed - low.listed),
            paragraphs: share(high.paragraphs - low.paragraphs),
            score: scores[index],
        })
    };
    let mut stats: Vec<Stats> =
        (0..containers.len()).map(|index| of(index).unwrap_or_default()).collect();
    let weighed = |stats: &Stats| stats.score * (1.0 - stats.link_density);
    let greatest = stats.iter().map(weighed).fold(1.0, f32::max);
    stats.iter_mut().for_each(|stats| stats.score /= greatest);
    stats
}

impl Best {
    fn of(containers: &Containers, stats: &[Stats], blocks: usize) -> Best {
        let weighed = stats.iter().map(|stats| stats.score * (1.0 - stats.link_density));
        let mut best = (NONE, 0.0);
        for (index, weight) in weighed.enumerate() {
            if weight > best.1 {
                best = (index as u32, weight);
            }
        }
        let (container, _) = best;
        let mut up = vec![u32::MAX; containers.len()];
        for (index, _) in containers.chain(container) {
            up[index as usize] = 0;
        }
        let mut down: Vec<Option<u16>> = vec![None; containers.len()];
        // Parents come first. Only separating containers are asked for.
        for index in 0..containers.len() {
            let Some(parent) = containers.get(index as u32).map(|own| own.parent) else { break };
            let around = containers.get(parent).map_or(NONE, |parent| parent.separating) as usize;
            if up[index] > 0 {
                up[index] = up.get(around).map_or(99, |up| up.saturating_add(1).min(99));
            }
            down[index] = if index as u32 == container {
                Some(0)
            } else {
                down.get(around).copied().flatten().map(|steps| steps + 1)
            };
        }
        let range =
            containers.get(container).map(|c| c.blocks.start as usize..c.blocks.end as usize);
        let all = stats.first().map_or(1.0, |stats| stats.words.max(1.0));
        let share = stats.get(container as usize).map_or(1.0, |stats| stats.words / all);
        Best { blocks: range.unwrap_or(0..blocks), share, up, down }
    }
}

impl Signatures {
    fn of(briefs: &[Brief]) -> Signatures {
        // Sorted, not hashed: no page can make that slow. As one number, which is quicker to compare than two.
        let number = |(brief, block): (&Brief, u64)| u64::from(brief.signature) << 32 | block;
        let mut order: Vec<u64> = briefs.iter().zip(0..).map(number).collect();
        order.sort_unstable();
        let mut signatures = Signatures { number: vec![0; briefs.len()], sums: Vec::new() };
        let mut last = None;
        for (signature, block) in order.into_iter().map(|both| (both >> 32, both as u32)) {
            if last != Some(signature) {
                signatures.sums.push((0.0, 0.0));
                last = Some(signature);
            }
            let number = signatures.sums.len() - 1;
            signatures.number[block as usize] = number as u32;
            let sums = &mut signatures.sums[number];
            *sums = (sums.0 + briefs[block as usize].words, sums.1 + 1.0);
        }
        signatures
    }
}

/// For each block, how many blocks have its text, as far as hashes tell.
fn same_text(document: &Document) -> Vec<u32> {
    let hash = |block: usize| {
        let step =
            |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bytes = document.atom_text(block).as_bytes();
        let (words, rest) = bytes.as_chunks::<8>();
        let hash =
            words.iter().fold(bytes.len() as u64, |h, word| step(h, u64::from_le_bytes(*word)));
        let rest = rest.iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
        // 48 bits of the hash, and the block: numbers of this size are sorted in half the time of larger ones.
        step(hash, rest) & !0xffff | block as u64
    };
    const { assert!(super::observations::Observations::MAX_BLOCKS < 1 << 16) };
    let mut order: Vec<u64> = (0..document.atoms.len()).map(hash).collect();
    order.sort_unstable();
    let mut counts = vec![0; order.len()];
    for same in order.chunk_by(|a, b| a >> 16 == b >> 16) {
        same.iter().for_each(|both| counts[(*both & 0xffff) as usize] = same.len() as u32);
    }
    counts
}
