//! The pages that were kept, and which of them a new page repeats.
//!
//! A page is compared with kept pages only, never with duplicates of them. So whatever is dropped is
//! similar to something that is kept; clusters that grow from neighbour to neighbour could drop pages
//! that resemble nothing that is left.
//!
//! In memory, a kept page is a row of numbers: its min-hashes, and for every band the page that came
//! before it in the same bucket. A bucket is thus a chain from the latest page to the earliest, and a
//! table of `bands` times as many entries as there are pages has the latest ones. No key is stored:
//! the fingerprints themselves say whether a page in a chain is a duplicate. With the thesis' settings
//! that is 92 to 120 bytes for a page, and its name; `Index::bytes` has the sum.

use std::collections::VecDeque;

use super::SimilarityOptions;
use super::fingerprint::{Fingerprint, shared};

/// Pages that are forgotten together where the memory is full.
const BLOCK: usize = 1024;

/// The pages of a bucket that are looked at.
const BUCKET: usize = 4000;

/// The decision on a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision<'a> {
    /// The first of its kind. It is in the index now.
    Kept,
    /// It repeats a page that came earlier and was kept: of several, the most similar one; of equally
    /// similar ones, the earliest.
    Duplicate {
        /// The name of that page.
        of: &'a str,
        /// How similar they are: the share of min-hashes that both have, or the Jaccard coefficient of their
        /// shingles where that was computed.
        similarity: f64,
    },
}

/// The counts of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pages that were kept.
    pub kept: u64,
    /// Pages that repeat one of these.
    pub duplicates: u64,
    /// Kept pages that left the index because the memory was full. Pages that repeat them are kept, too.
    pub forgotten: u64,
    /// Pages for which a bucket was too full to look at all of it. A duplicate may have been overlooked,
    /// unless another bucket has led to it.
    pub cut: u64,
}

/// Kept pages with their fingerprints, in bounded memory.
#[derive(Clone, Debug)]
pub struct Index {
    needed: usize,
    hashes: usize,
    bands: Vec<Vec<usize>>,
    memory: usize,
    bucket: usize,
    /// The oldest first; all but the last are full.
    blocks: VecDeque<Block>,
    /// The number of the first page in `blocks`. Numbers start at 1, since 0 ends a chain.
    first: u32,
    /// For each band, 2^`bits` chains: the number of the latest page in each.
    latest: Vec<u32>,
    bits: u32,
    tally: Tally,
}

/// A thousand pages.
#[derive(Clone, Debug, Default)]
struct Block {
    /// For each page its min-hashes and, for each band, the page before it in the chain.
    rows: Vec<u32>,
    names: String,
    ends: Vec<u32>,
}

impl Index {
    /// An empty index that takes about `memory` bytes at most; where that is less than a thousand pages
    /// need, it still holds the last thousand.
    pub fn new(settings: SimilarityOptions, memory: usize) -> Index {
        Index::with_bands(settings.bands(), settings.hashes(), settings.needed(), memory)
    }

    /// The same with bands of one's own: a page is compared with those that agree with it in a whole band.
    pub(super) fn with_bands(
        bands: Vec<Vec<usize>>,
        hashes: usize,
        needed: usize,
        memory: usize,
    ) -> Index {
        let mut index = Index {
            needed,
            hashes,
            bands,
            memory,
            bucket: BUCKET,
            blocks: VecDeque::new(),
            first: 1,
            latest: Vec::new(),
            bits: BLOCK.ilog2(),
            tally: Tally::default(),
        };
        index.latest = vec![0; index.bands.len() << index.bits];
        index
    }

    /// The same, but at most `pages` are looked at in a bucket (otherwise 4,000). Texts that many pages
    /// share, such as terms of use, fill buckets with pages that have nothing else in common.
    pub fn with_bucket(self, pages: usize) -> Index {
        Index { bucket: pages.max(1), ..self }
    }

    /// Decides what a page is, and keeps it if it is the first of its kind.
    ///
    /// # Panics
    ///
    /// If the fingerprint has another number of min-hashes than the settings of the index.
    pub fn add(&mut self, name: &str, fingerprint: &Fingerprint) -> Decision<'_> {
        assert_eq!(fingerprint.hashes().len(), self.hashes, "a fingerprint of other settings");
        match self.find(fingerprint.hashes()) {
            Some((page, shared)) => {
                self.tally.duplicates += 1;
                let similarity = shared as f64 / self.hashes as f64;
                Decision::Duplicate { of: self.name(page), similarity }
            }
            None => {
                self.keep(name, fingerprint.hashes());
                Decision::Kept
            }
        }
    }

    /// The counts so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The bytes that the index takes.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum::<usize>() + 4 * self.latest.len()
    }

    /// The number of the first page in the index; those behind it have the next numbers.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// One more page is a duplicate: for those who decide that themselves.
    pub(super) fn count_duplicate(&mut self) {
        self.tally.duplicates += 1;
    }

    /// Not all pages that could be duplicates of one were looked at.
    pub(super) fn count_cut(&mut self) {
        self.tally.cut += 1;
    }

    /// The pages in the index.
    pub(super) fn len(&self) -> usize {
        let last = self.blocks.back().map_or(0, |block| block.ends.len());
        self.blocks.len().saturating_sub(1) * BLOCK + last
    }

    /// The kept page that shares most with these min-hashes, if it shares enough.
    fn find(&mut self, hashes: &[u32]) -> Option<(u32, usize)> {
        let mut best: Option<(u32, usize)> = None;
        self.candidates(hashes, |page, count| {
            let is_better = |(of, most): (u32, usize)| count > most || (count == most && page < of);
            if best.is_none_or(is_better) {
                best = Some((page, count));
            }
        });
        best
    }

    /// Calls `each` with the kept pages that agree with these min-hashes in a band and share enough, and how many
    /// they share. A page that agrees in several bands comes several times.
    pub(super) fn candidates(&mut self, hashes: &[u32], mut each: impl FnMut(u32, usize)) {
        let mut is_cut = false;
        for band in 0..self.bands.len() {
            let mut page = self.latest[self.chain(band, hashes)];
            let mut looked_at = 0;
            // Pages in a chain become earlier, so that after a forgotten one there are only such.
            while page >= self.first && looked_at < self.bucket {
                let row = self.row(page);
                let count = shared(row, hashes);
                // Chains are shared by bands of other content; whether it leads on must not depend on how long
                // the table is.
                if count >= self.needed && self.agrees(band, row, hashes) {
                    each(page, count);
                }
                page = row[self.hashes + band];
                looked_at += 1;
            }
            is_cut |= page >= self.first;
        }
        self.tally.cut += u64::from(is_cut);
    }

    /// Puts a page into the index.
    pub(super) fn keep(&mut self, name: &str, hashes: &[u32]) {
        if self.blocks.back().is_none_or(|block| block.ends.len() == BLOCK) {
            self.begin_block();
        }
        let page = self.first + self.len() as u32;
        let links: Vec<u32> =
            (0..self.bands.len()).map(|band| self.link(band, hashes, page)).collect();
        if let Some(block) = self.blocks.back_mut() {
            block.rows.extend_from_slice(hashes);
            block.rows.extend_from_slice(&links);
            block.names.push_str(name);
            block.ends.push(u32::try_from(block.names.len()).unwrap_or(u32::MAX));
        }
        self.tally.kept += 1;
    }

    /// Puts the page at the head of its chain; returns the one that was there.
    fn link(&mut self, band: usize, hashes: &[u32], page: u32) -> u32 {
        let chain = self.chain(band, hashes);
        std::mem::replace(&mut self.latest[chain], page)
    }

    /// Do two pages have the same content of a band?
    fn agrees(&self, band: usize, row: &[u32], hashes: &[u32]) -> bool {
        self.bands[band].iter().all(|place| row[*place] == hashes[*place])
    }

    /// Where the chain of a band with this content begins.
    fn chain(&self, band: usize, hashes: &[u32]) -> usize {
        let mix = |mixed: u64, place: &usize| {
            (mixed.rotate_left(5) ^ u64::from(hashes[*place])).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let mixed = self.bands[band].iter().fold(0, mix);
        (band << self.bits) + (mixed >> (64 - self.bits)) as usize
    }

    fn place(&self, page: u32) -> (&Block, usize) {
        let place = (page - self.first) as usize;
        (&self.blocks[place / BLOCK], place % BLOCK)
    }

    fn row(&self, page: u32) -> &[u32] {
        let (block, place) = self.place(page);
        let size = self.hashes + self.bands.len();
        &block.rows[place * size..(place + 1) * size]
    }

    /// The name of a page in the index.
    pub(super) fn name(&self, page: u32) -> &str {
        let (block, place) = self.place(page);
        let start = if place == 0 { 0 } else { block.ends[place - 1] as usize };
        block.names.get(start..block.ends[place] as usize).unwrap_or_default()
    }

    /// Makes room for a thousand more pages: in the tables, and in the memory by forgetting the oldest.
    fn begin_block(&mut self) {
        if let Some(full) = self.blocks.back_mut() {
            full.names.shrink_to_fit();
        }
        let row = self.hashes + self.bands.len();
        let rows = Vec::with_capacity(BLOCK * row);
        self.blocks.push_back(Block { rows, ends: Vec::with_capacity(BLOCK), ..Block::default() });
        let room = self.blocks.len() * BLOCK;
        let doubled = 4 * self.latest.len();
        if room > 1 << self.bits && self.bytes() + doubled <= self.memory {
            self.double();
        }
        while self.blocks.len() > 1 && self.bytes() > self.memory {
            self.forget();
        }
        // Numbers of pages have 32 bits; after four billion kept pages we begin anew.
        if self.first > u32::MAX - (room + BLOCK) as u32 {
            while self.blocks.len() > 1 {
                self.forget();
            }
            self.first = 1;
            self.latest.fill(0);
        }
    }

    /// Twice as many chains, so that they stay short.
    fn double(&mut self) {
        self.bits += 1;
        // The old table goes before the new one comes.
        self.latest = Vec::new();
        self.latest = vec![0; self.bands.len() << self.bits];
        let size = self.hashes + self.bands.len();
        for index in 0..self.blocks.len() {
            let mut rows = std::mem::take(&mut self.blocks[index].rows);
            for (place, row) in rows.chunks_exact_mut(size).enumerate() {
                let page = self.first + (index * BLOCK + place) as u32;
                let (hashes, links) = row.split_at_mut(self.hashes);
                for (band, link) in links.iter_mut().enumerate() {
                    *link = self.link(band, hashes, page);
                }
            }
            self.blocks[index].rows = rows;
        }
    }

    /// The oldest pages go. Links to them stay behind and are known by their numbers.
    fn forget(&mut self) {
        if let Some(oldest) = self.blocks.pop_front() {
            self.first += BLOCK as u32;
            self.tally.forgotten += oldest.ends.len() as u64;
        }
    }
}

impl Block {
    fn bytes(&self) -> usize {
        4 * (self.rows.capacity() + self.ends.capacity()) + self.names.capacity()
    }
}

#[cfg(test)]
mod tests;
