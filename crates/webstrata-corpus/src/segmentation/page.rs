//! A page as atomic blocks with the tags between them.

use std::ops::Range;

use webstrata::cutting::Cutting;
use webstrata::{Counts, Document, NodeId, Options, Page, Tag, Tree};

use super::Segment;

/// What stands between a block and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// How many tags, opening and closing.
    pub tags: u32,
    /// One of them always parts segments (T_ForceGap).
    pub parts: bool,
    /// All of them only format text (T_NoGap): none ever parts segments.
    pub joins: bool,
}

impl Default for Gap {
    fn default() -> Gap {
        Gap { tags: 0, parts: false, joins: true }
    }
}

impl Gap {
    fn add(&mut self, tag: Tag) {
        self.tags = self.tags.saturating_add(1);
        self.parts |= forces_gap(tag);
        self.joins &= avoids_gap(tag);
    }

    /// The gap that is left where nothing to read stands between this gap and the next.
    fn join(&mut self, next: Gap) {
        self.tags = self.tags.saturating_add(next.tags);
        self.parts |= next.parts;
        self.joins &= next.joins;
    }
}

/// T_ForceGap of 4.2.2.
fn forces_gap(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6
            | Tag::Ul
            | Tag::Dl
            | Tag::Ol
            | Tag::Hr
            | Tag::Table
            | Tag::Address
            | Tag::Img
            | Tag::Script
    )
}

/// T_NoGap of 4.2.2.
fn avoids_gap(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::A
            | Tag::B
            | Tag::Br
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::S
            | Tag::Span
            | Tag::Strong
            | Tag::Sub
            | Tag::Sup
            | Tag::U
            | Tag::Tt
    )
}

/// A page that was cut at every tag but `a` (4.2.1), once for all segmenters of one width.
pub struct AtomicPage {
    /// The page's text and its counts; a block for each atom.
    pub document: Document,
    /// For each atom, what stands before it.
    pub gaps: Vec<Gap>,
    /// The columns at which its text was wrapped.
    pub width: u32,
    /// For each atom, what groups it with its neighbours: the nearest list, table cell, division or the
    /// like around it that holds another block, too. Numbers that are equal for the same element.
    pub containers: Vec<usize>,
    /// How many bytes of text stand before each atom, and in all.
    starts: Vec<usize>,
}

impl AtomicPage {
    /// Reads a page and wraps its text at `width` columns, whatever `options` say.
    pub fn read(bytes: &[u8], options: &Options, width: u32) -> AtomicPage {
        let options = Options { width: Some(width), ..options.clone() };
        let Page { tree, document } = Page::read(bytes, Cutting::Atomic, &options);
        let (gaps, containers) = surroundings(&tree, &document);
        let mut starts = vec![0];
        let mut length = 0;
        for atom in 0..document.atoms.len() {
            length += document.atom_text(atom).len();
            starts.push(length);
        }
        AtomicPage { document, gaps, width, containers, starts }
    }

    /// The text of a segment, one line an atom or part of it.
    pub fn text(&self, segment: &Segment) -> String {
        let mut text = String::with_capacity(segment.span.len() + segment.atoms.len());
        for (index, piece) in self.pieces(segment).enumerate() {
            if index > 0 {
                text.push('\n');
            }
            text.push_str(piece);
        }
        text
    }

    /// The same, atom by atom.
    pub fn pieces<'a>(&'a self, segment: &Segment) -> impl Iterator<Item = &'a str> + use<'a> {
        let Range { start, end } = segment.span;
        segment.atoms.clone().map(move |atom| {
            let before = self.starts[atom];
            let text = self.document.atom_text(atom);
            let end = end.saturating_sub(before).min(text.len());
            text.get(start.saturating_sub(before)..end).unwrap_or_default()
        })
    }

    /// How many bytes of text stand before an atom.
    pub(crate) fn start(&self, atom: usize) -> usize {
        self.starts[atom]
    }

    /// The atomic blocks, as segments. Atoms without any token are no blocks (a lone `|` has no
    /// density that would differ from its neighbours'): they belong to the block before them, or to
    /// the first.
    pub fn blocks(&self) -> Vec<Segment> {
        let mut blocks: Vec<Segment> = Vec::with_capacity(self.document.atoms.len());
        let mut gap = Gap::default();
        let mut first = Some((0, 0));
        for (index, atom) in self.document.atoms.iter().enumerate() {
            let (start, end) = (self.starts[index], self.starts[index + 1]);
            gap.join(self.gaps[index]);
            if atom.counts.words == 0 {
                if let Some(block) = blocks.last_mut() {
                    (block.atoms.end, block.span.end) = (index + 1, end);
                }
                continue;
            }
            let (atoms, span) = first.take().unwrap_or((index, start));
            blocks.push(block(&atom.counts, atoms..index + 1, span..end, gap));
            gap = Gap::default();
        }
        blocks
    }
}

fn block(counts: &Counts, atoms: Range<usize>, span: Range<usize>, gap: Gap) -> Segment {
    // The core counts full lines: all but the last, or the only one.
    let tail = counts.words - counts.words_in_full_lines;
    let (lines, last) = match tail {
        0 => (1, counts.words),
        tail => (counts.full_lines + 1, tail),
    };
    Segment {
        atoms,
        span,
        lines,
        tokens: counts.words,
        tokens_on_last_line: last,
        linked_tokens: counts.linked_words,
        full_stops: counts.full_stops,
        gap,
    }
}

/// Elements that people see as one thing, apart from what stands beside it.
fn is_group(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Body
            | Tag::Div
            | Tag::Td
            | Tag::Th
            | Tag::Table
            | Tag::Ul
            | Tag::Ol
            | Tag::Dl
            | Tag::Form
            | Tag::Article
            | Tag::Section
            | Tag::Nav
            | Tag::Aside
            | Tag::Header
            | Tag::Footer
            | Tag::Main
    )
}

/// An element that groups blocks.
struct Group {
    /// The one around it; its own number at the top.
    parent: usize,
    /// How many blocks are inside.
    blocks: u32,
}

/// For each atom, the tags between it and the text before it, and the element that groups it: one walk
/// through the page.
fn surroundings(tree: &Tree<'_>, document: &Document) -> (Vec<Gap>, Vec<usize>) {
    let count = document.atoms.len();
    let (mut gaps, mut containers) = (Vec::with_capacity(count), Vec::with_capacity(count));
    // The open elements, each with the group that its texts belong to.
    let mut open: Vec<(NodeId, Tag, usize)> = Vec::new();
    let mut groups = vec![Group { parent: 0, blocks: 0 }];
    let mut gap = Gap::default();
    let mut atoms = document.atoms.iter().peekable();
    for node in tree.nodes() {
        let parent = tree.parent(node);
        while let Some((element, tag, _)) = open.last().copied()
            && Some(element) != parent
        {
            gap.add(tag);
            open.pop();
        }
        let around = open.last().map_or(0, |(_, _, group)| *group);
        if let Some(tag) = tree.tag(node) {
            gap.add(tag);
            let group = if is_group(tag) { groups.len() } else { around };
            if is_group(tag) {
                groups.push(Group { parent: around, blocks: 0 });
            }
            open.push((node, tag, group));
        }
        let Some(atom) = atoms.peek() else { break };
        if node == atom.nodes.start {
            gaps.push(gap);
            containers.push(around);
            groups[around].blocks += u32::from(atom.counts.words > 0);
        }
        if node + 1 >= atom.nodes.end {
            gap = Gap::default();
            atoms.next();
        }
    }
    gaps.resize(count, Gap::default());
    containers.resize(count, 0);
    let groups = of_several(groups);
    (gaps, containers.into_iter().map(|group: usize| groups[group]).collect())
}

/// For each group, the nearest one that holds several blocks: a box around one text groups nothing.
fn of_several(mut groups: Vec<Group>) -> Vec<usize> {
    // What is around a group has a smaller number.
    for group in (1..groups.len()).rev() {
        let Group { parent, blocks } = groups[group];
        groups[parent].blocks += blocks;
    }
    let mut nearest: Vec<usize> = Vec::with_capacity(groups.len());
    for (number, Group { parent, blocks }) in groups.iter().enumerate() {
        nearest.push(if number == 0 || *blocks > 1 { number } else { nearest[*parent] });
    }
    nearest
}
