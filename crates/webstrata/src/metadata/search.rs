//! Where to look: parsing the attributes of every element would cost more than reading the page.

use std::ops::Range;

use memchr::memmem;

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// How far around a heading elements are asked by their class, in nodes.
const ABOVE: NodeId = 100;
const BELOW: NodeId = 400;

/// Where names and dates are looked for that only a class or their text tells: around the main
/// headings, or where the page begins.
pub(super) fn around_headings(tree: &Tree<'_>) -> Vec<Range<NodeId>> {
    for (tag, most) in [(Tag::H1, 8), (Tag::H2, 2)] {
        let found = tree.nodes().filter(|node| tree.tag(*node) == Some(tag)).take(most);
        let around: Vec<_> = found.map(|node| node.saturating_sub(ABOVE)..node + BELOW).collect();
        if !around.is_empty() {
            return around;
        }
    }
    vec![Range { start: 0, end: 2 * BELOW }]
}

/// Where a word stands in the page: one fast search instead of one for each start tag.
pub(super) struct Hits<'a> {
    all: memmem::FindIter<'a, 'static>,
    next: Option<usize>,
}

impl<'a> Hits<'a> {
    pub(super) fn new(tree: &'a Tree<'_>, word: &'static str) -> Hits<'a> {
        let mut all = memmem::find_iter(tree.source.as_bytes(), word);
        Hits { next: all.next(), all }
    }

    /// Is it anywhere from here on?
    pub(super) fn has_any(&self) -> bool {
        self.next.is_some()
    }

    /// Is it in the start tag of this element? Asked in page order.
    pub(super) fn is_in(&mut self, tree: &Tree<'_>, node: NodeId) -> bool {
        let node = &tree.nodes[node as usize];
        while self.next.is_some_and(|hit| hit < node.start as usize) {
            self.next = self.all.next();
        }
        self.next.is_some_and(|hit| hit < node.end as usize)
    }
}

/// What the attributes of a start tag may be about, read off its bytes at once.
#[derive(Clone, Copy, Default)]
pub(super) struct Hints {
    pub(super) property: bool,
    pub(super) byline: bool,
    pub(super) date: bool,
}

/// The bytes that [`Hints::of`] looks behind.
const BEGINS: [bool; 256] = crate::bytes::set(b"dDtTuoyrp");

impl Hints {
    /// Of words only as much is compared as is written in one way.
    pub(super) fn of(start_tag: &str) -> Hints {
        let mut hints = Hints::default();
        let bytes = start_tag.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            // Most bytes begin none of the words.
            if !BEGINS[usize::from(*byte)] {
                continue;
            }
            let goes_on = |end: &[u8]| bytes[at + 1..].starts_with(end);
            match byte {
                b'd' | b'D' => hints.date |= goes_on(b"ate"),
                b't' | b'T' => hints.date |= goes_on(b"ime"),
                b'u' => hints.date |= goes_on(b"bli"),
                b'o' => hints.date |= goes_on(b"sted"),
                b'y' => hints.byline |= goes_on(b"line"),
                b'r' => hints.byline |= goes_on(b"iter"),
                b'p' => hints.property |= goes_on(b"roperty"),
                _ => {}
            }
        }
        hints
    }
}
