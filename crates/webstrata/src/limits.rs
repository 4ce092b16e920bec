//! Bounds on what one page may cost, and the record of those that were hit.

use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// What one page may cost. The defaults suit a crawl: no page that a person would read comes near.
///
/// Fields may be added in any version: write `Limits { depth: 100, ..Limits::default() }`.
// Not `non_exhaustive`, which forbids just that.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of the page that are read; the rest is ignored. Default 128 MiB.
    pub bytes: usize,
    /// How deep elements nest; deeper ones are flattened into their parents. Default 512, as in
    /// browsers.
    pub depth: usize,
    /// Nodes of the tree; what comes after is ignored. Default 16 million.
    pub nodes: usize,
    /// Memory that the page may take beside its own bytes: nodes, text, atoms, blocks, and what is written of them. What
    /// does not fit is cut off. Default 256 MB: room for 8 MB of text.
    pub memory: usize,
    /// How long a page may take, from its first byte to the last output that is written of it in one go, such as a
    /// record. Each stage has its share: reading, cutting, the steps of the extractor, writing. After that, the document
    /// and the outputs hold what was done. The clock is read only where this is set. Default: no deadline.
    pub deadline: Option<Duration>,
    /// What the deadline is measured by: the time since any moment that stays the same. Default: the clock of the
    /// standard library. Platforms that have none there (WebAssembly in browsers) need their host's.
    pub clock: fn() -> Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: 128 << 20,
            depth: 512,
            nodes: 16_000_000,
            memory: 256_000_000,
            deadline: None,
            clock: since_first_call,
        }
    }
}

/// Memory that a byte of text takes at most, in the document and in the outputs: a `<` is four bytes in Markdown and in HTML,
/// and all of that once more as JSON.
const TEXT_COST: usize = 24;
/// The same of a node, in the tree and beside it.
const NODE_COST: usize = 96;
/// The same of an attribute that is noted; a list that grows has room for twice as many.
const ATTRIBUTE_COST: usize = 24;
/// The same of an atom, with its block, its row of features and its part of a record.
const ATOM_COST: usize = 1536;

impl Limits {
    /// Bytes of a page that there is room for if they must be decoded.
    pub(crate) fn decoded_that_fit(&self) -> usize {
        self.memory / 8
    }

    /// Nodes that there is room for: they may take half of it.
    pub(crate) fn nodes_that_fit(&self) -> usize {
        self.memory / 2 / NODE_COST
    }

    /// Attributes that there is room to note.
    pub(crate) fn attributes_that_fit(&self) -> usize {
        self.memory / 16 / ATTRIBUTE_COST
    }

    /// Bytes of texts that there is room for apart from the page, since they have character references.
    pub(crate) fn unescaped_that_fit(&self) -> usize {
        self.memory / 8
    }

    /// The room for atoms and their text beside so many nodes and so many bytes that are held, too. Some is kept for what
    /// is made on request.
    pub(crate) fn room_beside(&self, nodes: usize, held: usize) -> Room {
        let taken = nodes.saturating_mul(NODE_COST).saturating_add(held);
        // An eighth is for what nobody reckons: lists that have room to grow, and gaps between what comes and goes.
        let all = (self.memory - self.memory / 8).saturating_sub(taken);
        Room { all, most: all - all / 8 }
    }
}

/// Memory for atoms and their text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    all: usize,
    /// What of it they may take.
    most: usize,
}

impl Room {
    /// Do so many atoms with so much text take all that they may?
    pub(crate) fn is_full(self, atoms: usize, text: usize) -> bool {
        Room::cost(atoms, text) >= self.most
    }

    /// What the data of the page's scripts may take while it is read.
    pub(crate) fn for_data(self) -> usize {
        self.all / 6
    }

    fn cost(atoms: usize, text: usize) -> usize {
        atoms.saturating_mul(ATOM_COST).saturating_add(text.saturating_mul(TEXT_COST))
    }

    /// What so many atoms with so much text leave.
    pub(crate) fn left(self, atoms: usize, text: usize) -> Spare {
        Spare {
            bytes: self.all.saturating_sub(Room::cost(atoms, text)),
            data: self.for_data(),
            is_short: AtomicBool::new(false),
        }
    }
}

/// Memory that is left for what is not in proportion to nodes and text: links, ways to blocks, attributes that are written. A
/// document carries it, and whoever writes asks it.
#[derive(Debug)]
pub(crate) struct Spare {
    bytes: usize,
    /// See [`Room::for_data`].
    data: usize,
    is_short: AtomicBool,
}

impl Default for Spare {
    /// Enough for anything.
    fn default() -> Spare {
        Spare { bytes: usize::MAX, data: usize::MAX, is_short: AtomicBool::new(false) }
    }
}

impl Clone for Spare {
    fn clone(&self) -> Spare {
        let is_short = AtomicBool::new(self.is_short());
        Spare { bytes: self.bytes, data: self.data, is_short }
    }
}

impl Spare {
    /// What all links may take.
    pub(crate) fn for_links(&self) -> usize {
        self.bytes / 2
    }

    /// Bytes of addresses, attributes or ways that an output may write. Each is there as text, and once more as JSON.
    pub(crate) fn for_output(&self) -> usize {
        self.bytes / 24
    }

    /// The same as [`Room::for_data`], of the same page.
    pub(crate) fn for_data(&self) -> usize {
        self.data
    }

    /// Something was left out, which the document's limits say from now on.
    pub(crate) fn ran_out(&self) {
        self.is_short.store(true, Relaxed);
    }

    /// Was something left out?
    pub(crate) fn is_short(&self) -> bool {
        self.is_short.load(Relaxed)
    }
}

/// The time since the first call, by the clock of the standard library.
fn since_first_call() -> Duration {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed()
}

/// A bound that a page ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Limit {
    /// More bytes than [`Limits::bytes`].
    Bytes,
    /// Elements nested deeper than [`Limits::depth`].
    Depth,
    /// More nodes than [`Limits::nodes`].
    Nodes,
    /// [`Limits::deadline`] passed.
    Deadline,
    /// More formatting elements (`b`, `font`, …) left open than are carried on into new blocks.
    Formatting,
    /// More text, nodes or blocks than fit into [`Limits::memory`].
    Memory,
}

impl Limit {
    /// All limits with their names, in the order of their bits.
    pub const ALL: [(Limit, &'static str); 6] = [
        (Limit::Bytes, "bytes"),
        (Limit::Depth, "depth"),
        (Limit::Nodes, "nodes"),
        (Limit::Deadline, "deadline"),
        (Limit::Formatting, "formatting"),
        (Limit::Memory, "memory"),
    ];
}

/// The bounds that a page ran into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsHit(u8);

impl LimitsHit {
    /// Records that a limit was hit.
    pub fn add(&mut self, limit: Limit) {
        self.0 |= 1 << limit as u8;
    }

    /// Was this limit hit?
    pub fn has(self, limit: Limit) -> bool {
        self.0 & (1 << limit as u8) != 0
    }

    /// Was none hit?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names of the limits hit.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Limit::ALL.into_iter().filter(move |(limit, _)| self.has(*limit)).map(|(_, name)| name)
    }
}

impl<'a> FromIterator<&'a str> for LimitsHit {
    /// The limits of these names, as [`LimitsHit::names`] has them. What is none is left out.
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> LimitsHit {
        let mut hit = LimitsHit::default();
        for name in names {
            let known = Limit::ALL.into_iter().find(|(_, known)| *known == name);
            known.into_iter().for_each(|(limit, _)| hit.add(limit));
        }
        hit
    }
}

impl BitOr for LimitsHit {
    type Output = LimitsHit;
    fn bitor(self, other: LimitsHit) -> LimitsHit {
        LimitsHit(self.0 | other.0)
    }
}

impl BitOrAssign for LimitsHit {
    fn bitor_assign(&mut self, other: LimitsHit) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutting::Cutting;
    use crate::{Options, Page};

    #[test]
    fn a_page_takes_no_more_memory_than_it_may() {
        let pages = [
            "<p>a".repeat(200_000),
            "<i></i>".repeat(200_000),
            "a ".repeat(2_000_000),
            "<table><tr><td>a".repeat(100_000),
            // One atom of many short texts.
            "The quick harbour seal said no, again.</span>".repeat(50_000),
        ];
        for page in pages {
            for memory in [0, 1_000_000, 4_000_000] {
                let options = Options {
                    limits: Limits { memory, ..Limits::default() },
                    ..Options::default()
                };
                for (cutting, name) in Cutting::ALL {
                    let read = Page::read(page.as_bytes(), cutting, &options);
                    let (nodes, atoms) = (read.tree.nodes.len(), read.document.atoms.len());
                    let begin = &page[..16];
                    let is_cut = read.document.limits().has(Limit::Memory);
                    assert!(is_cut || cutting == Cutting::Embedded, "{begin} {name} {memory}");
                    let taken = nodes * NODE_COST + atoms * ATOM_COST;
                    let taken = taken + read.document.text.len() * TEXT_COST;
                    // A few nodes and a piece of text are there in any case.
                    let least = (1 << 16) * TEXT_COST + 200_000;
                    assert!(taken <= memory + least, "{begin} {name} {memory}: {taken}");
                }
            }
        }
    }

    #[test]
    fn what_comes_first_stays() {
        let page =
            format!("<title>Tides</title><p>High water is at noon.</p>{}", "<p>a".repeat(50_000));
        let limits = Limits { memory: 1_000_000, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let page =
            crate::Extractor::named("keep-all").unwrap().extract_page(page.as_bytes(), &options);
        assert_eq!(page.document.title.as_deref(), Some("Tides"));
        assert!(page.document.text().starts_with("High water is at noon.\na\n"));
        assert_eq!(page.document.limits().names().collect::<Vec<_>>(), ["memory"]);
    }

    #[test]
    fn the_default_clock_runs_forwards() {
        let clock = Limits::default().clock;
        let (first, second) = (clock(), clock());
        assert!(second >= first);
    }
}
