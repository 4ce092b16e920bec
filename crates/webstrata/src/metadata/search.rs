//! Where to look, and what is there: parsing the attributes of every element would cost more than reading the page.

use std::ops::Range;

use memchr::memmem;

use crate::html::noted::NotedName;
use crate::html::tag::Tag;
use crate::tree::{Node, NodeId, Tree};

/// Nodes and characters of an element that are read for a name or a date.
pub(super) const NEAR_NODES: NodeId = 64;
const SHORT_TEXT: usize = 300;

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

/// Where a word stands in the page: one fast search instead of one for each start tag. By default nowhere.
#[derive(Default)]
pub(super) struct Hits<'a> {
    all: Option<memmem::FindIter<'a, 'static>>,
    next: Option<usize>,
}

impl<'a> Hits<'a> {
    pub(super) fn new(tree: &'a Tree<'_>, word: &'static str) -> Hits<'a> {
        let mut all = memmem::find_iter(tree.source.as_bytes(), word);
        Hits { next: all.next(), all: Some(all) }
    }

    /// Is it anywhere from here on?
    pub(super) fn has_any(&self) -> bool {
        self.next.is_some()
    }

    /// Is it in the start tag of this element? Asked in page order.
    #[inline]
    pub(super) fn is_in(&mut self, tree: &Tree<'_>, node: NodeId) -> bool {
        let node = &tree.nodes[node as usize];
        if self.next.is_none_or(|hit| hit >= node.end as usize) {
            return false;
        }
        while self.next.is_some_and(|hit| hit < node.start as usize) {
            self.next = self.all.as_mut().and_then(Iterator::next);
        }
        self.next.is_some_and(|hit| hit < node.end as usize)
    }
}

/// What the names of an element may be about, read off their bytes at once.
#[derive(Clone, Copy, Default)]
pub(super) struct Hints {
    pub(super) property: bool,
    pub(super) byline: bool,
    pub(super) date: bool,
}

/// The bytes that [`Hints::read`] looks around: each word has one of them, and other words seldom do.
const RARE: [bool; 256] = crate::bytes::set(b"dDmbywW");

impl Hints {
    /// Addresses and styles, which are most of a start tag, are passed over.
    pub(super) fn of(tree: &Tree<'_>, node: NodeId) -> Hints {
        let mut hints = Hints::default();
        let source = tree.source.as_bytes();
        let Node { start, end, .. } = tree.nodes[node as usize];
        // Too short for a name, a space and one of these with a value.
        if end - start < "p id=x".len() as u32 {
            return hints;
        }
        if let Some(noted) = tree.noted_attributes(node) {
            for attribute in noted {
                match attribute.name {
                    NotedName::Class | NotedName::Id | NotedName::DataTestid => {
                        hints.read(tree.written(attribute).as_bytes());
                    }
                    NotedName::Property => hints.property = true,
                    _ => {}
                }
            }
            return hints;
        }
        let mut attributes = tree.attributes_of_tag(start, end);
        while let Some(span) = attributes.read_next() {
            let name = &source[span.name.0..span.name.1];
            let value = &source[span.value.0..span.value.1];
            let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
            match name.len() {
                2 | 5 | 11 if is("class") || is("id") || is("data-testid") => hints.read(value),
                8 => hints.property |= is("property"),
                _ => {}
            }
        }
        hints
    }

    /// Of words only as much is compared as is written in one way.
    fn read(&mut self, names: &[u8]) {
        for (at, byte) in names.iter().enumerate() {
            if !RARE[usize::from(*byte)] {
                continue;
            }
            let (before, after) = (&names[..at], &names[at + 1..]);
            match byte {
                b'd' => self.date |= after.starts_with(b"ate") || before.ends_with(b"oste"),
                b'D' => self.date |= after.starts_with(b"ate"),
                b'm' => {
                    let begins = before.ends_with(b"ti") || before.ends_with(b"Ti");
                    self.date |= begins && after.starts_with(b"e");
                }
                b'b' => self.date |= before.ends_with(b"u") && after.starts_with(b"li"),
                b'y' => self.byline |= after.starts_with(b"line"),
                b'w' | b'W' => self.byline |= after.starts_with(b"riter"),
                _ => {}
            }
        }
    }
}

/// The text of an element, as far as a name or a title goes; with a space between elements or as
/// written.
pub(super) fn text(tree: &Tree<'_>, node: NodeId, spaced: bool) -> String {
    let mut text = String::new();
    let end = tree.end_of(node).min(node.saturating_add(NEAR_NODES));
    let mut at = node;
    while at < end && text.len() < SHORT_TEXT * 4 {
        match tree.tag(at) {
            Some(Tag::Script | Tag::Style | Tag::Template | Tag::Noscript | Tag::Svg) => {
                at = tree.end_of(at).max(at + 1);
                continue;
            }
            Some(tag) => {
                let inline = matches!(
                    tag,
                    Tag::Span
                        | Tag::A
                        | Tag::B
                        | Tag::I
                        | Tag::Em
                        | Tag::Strong
                        | Tag::Font
                        | Tag::Code
                        | Tag::Sup
                        | Tag::Sub
                        | Tag::Mark
                        | Tag::Small
                        | Tag::U
                );
                if spaced || !inline {
                    text.push(' ');
                }
            }
            None => {
                let piece = tree.text(at);
                let mut cut = piece.len().min(SHORT_TEXT * 8);
                while !piece.is_char_boundary(cut) {
                    cut -= 1;
                }
                text.push_str(&piece[..cut]);
                if spaced {
                    text.push(' ');
                }
            }
        }
        at += 1;
    }
    text
}
