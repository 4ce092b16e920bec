//! Which nodes of a page are written, and the text that the cutting made of each.
//!
//! One decision for text, Markdown and HTML. It begins with the atoms that the extractor kept, and goes on
//! by atoms: holes are filled, noise and second copies are taken out. Then it is by nodes.

mod complete;
mod headings;
mod lists;
mod noise;
mod places;
mod repetition;
mod sections;
mod tables;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::math;
use crate::document::Document;
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// The nodes that an output writes: texts of written atoms, and what has no text of its own but stands
/// between two such texts.
pub(crate) struct Kept {
    marked: Bits,
    /// Elements inside written atoms of which nothing is written, in page order.
    skipped: Vec<NodeId>,
    /// The first kept node, and the one behind the last.
    pub(crate) range: Range<NodeId>,
    /// The page has formulas: only then are class names looked at for what doubles them.
    pub(crate) formulas: bool,
}

impl Kept {
    /// What is written of a page. `written` says for each atom whether it is, as far as the extractor and
    /// the parts that were asked for decide that; `never` has those that do not fill holes. `tables` are those that hold
    /// data. `with_ways` is whether lines that lead to other pages are wanted.
    pub(crate) fn of(
        page: &Page<'_>,
        mut written: Vec<bool>,
        never: &[bool],
        tables: &[NodeId],
        with_ways: bool,
    ) -> Kept {
        let Page { tree, document } = page;
        written.resize(document.atoms.len(), false);
        let before = written.clone();
        let clock = &document.clock;
        let mut places = Vec::new();
        if !clock.passed() {
            places = complete::complete(tree, document, tables, &mut written);
        }
        for (written, never) in written.iter_mut().zip(never) {
            *written &= !never;
        }
        complete::leave_out_template(tree, document, tables, &before, &mut written);
        let mut skipped = Vec::new();
        if !places.is_empty() && !clock.passed() {
            skipped = noise::remove(tree, document, &places, with_ways, &mut written);
        }
        if !places.is_empty() && !clock.passed() {
            repetition::remove(tree, document, &places, &mut written);
        }
        Kept::of_atoms(tree, document, &written, skipped)
    }

    fn of_atoms(
        tree: &Tree<'_>,
        document: &Document,
        atoms: &[bool],
        skipped: Vec<NodeId>,
    ) -> Kept {
        let mut marked = Bits::new(tree.nodes.len());
        for (atom, written) in document.atoms.iter().zip(atoms) {
            for node in atom.nodes.clone().filter(|node| *written && is_shown(document, *node)) {
                marked.set(node);
            }
        }
        let mut formulas = false;
        // Rules and the sources of formulas since the last text, and whether it was kept.
        let mut between = Vec::new();
        let mut after_kept = false;
        for node in tree.nodes() {
            match tree.tag(node) {
                None if is_shown(document, node) => {
                    let is_kept = marked.has(node);
                    for node in between.drain(..).filter(|_| is_kept && after_kept) {
                        marked.set(node);
                    }
                    after_kept = is_kept;
                }
                Some(Tag::Hr) if after_kept => between.push(node),
                Some(Tag::Script) if is_tex(tree, node) => {
                    formulas = true;
                    between.push(node);
                }
                Some(Tag::Img) if math::is_image(tree, node) => {
                    formulas = true;
                    between.push(node);
                }
                Some(Tag::Math) => formulas = true,
                _ => {}
            }
        }
        // A formula behind the last text ends a sentence more often than it begins a menu.
        for node in between.into_iter().filter(|node| tree.tag(*node) != Some(Tag::Hr)) {
            if after_kept {
                marked.set(node);
            }
        }
        let mut kept = Kept { marked, skipped, range: 0..0, formulas };
        kept.set_range(tree);
        kept
    }

    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.marked.has(node)
    }

    /// Is the element a permalink or the like, of which nothing is written? Its texts are kept all the
    /// same: whoever walks asks [`Texts::next`] for them, in order, and throws them away.
    pub(crate) fn skips(&self, node: NodeId) -> bool {
        !self.skipped.is_empty() && self.skipped.binary_search(&node).is_ok()
    }

    /// Adds images, and all text inside captions, both in page order.
    pub(crate) fn add_figures(&mut self, images: &[NodeId], captions: &[NodeId], page: &Page<'_>) {
        let Page { tree, document } = page;
        images.iter().for_each(|image| self.marked.set(*image));
        let mut atoms = document.atoms.iter().peekable();
        for caption in captions {
            let end = tree.end_of(*caption);
            while atoms.next_if(|atom| atom.nodes.end <= *caption).is_some() {}
            while let Some(atom) = atoms.next_if(|atom| atom.nodes.start < end) {
                let shown = atom.nodes.clone().filter(|node| is_shown(document, *node));
                shown.for_each(|node| self.marked.set(node));
            }
        }
        self.set_range(tree);
    }

    /// To be called behind the last change.
    fn set_range(&mut self, tree: &Tree<'_>) {
        self.marked.index();
        let first = self.marked.next(0).unwrap_or(tree.nodes.len() as NodeId);
        self.range = first..self.marked.last().map_or(first, |last| last + 1);
    }

    /// The first kept node from this one on; the end of all where there is none.
    pub(crate) fn next(&self, node: NodeId) -> NodeId {
        self.marked.next(node).unwrap_or(self.range.end)
    }

    /// Is any of these nodes kept?
    pub(crate) fn any(&self, start: NodeId, end: NodeId) -> bool {
        start < end && self.marked.next(start).is_some_and(|next| next < end)
    }
}

/// A set of nodes that finds the next one at once.
struct Bits {
    words: Vec<u64>,
    /// By word: the first from it on that has any bit.
    next: Vec<u32>,
}

impl Bits {
    fn new(nodes: usize) -> Bits {
        Bits { words: vec![0; nodes.div_ceil(64)], next: Vec::new() }
    }

    fn set(&mut self, node: NodeId) {
        self.words[node as usize / 64] |= 1 << (node % 64);
    }

    fn has(&self, node: NodeId) -> bool {
        self.words.get(node as usize / 64).is_some_and(|word| word & (1 << (node % 64)) != 0)
    }

    /// Has to be called behind the last change, before the first look for the next node.
    fn index(&mut self) {
        self.next = vec![u32::MAX; self.words.len()];
        let mut next = u32::MAX;
        for (index, word) in self.words.iter().enumerate().rev() {
            next = if *word == 0 { next } else { index as u32 };
            self.next[index] = next;
        }
    }

    fn next(&self, node: NodeId) -> Option<NodeId> {
        let index = node as usize / 64;
        let here = self.words.get(index)? & (u64::MAX << (node % 64));
        if here != 0 {
            return Some(index as NodeId * 64 + here.trailing_zeros());
        }
        let index = *self.next.get(index + 1)?;
        let word = self.words.get(index as usize)?;
        Some(index * 64 + word.trailing_zeros())
    }

    fn last(&self) -> Option<NodeId> {
        let index = self.words.iter().rposition(|word| *word != 0)?;
        Some(index as NodeId * 64 + 63 - self.words[index].leading_zeros())
    }
}

pub(crate) fn is_shown(document: &Document, node: NodeId) -> bool {
    document.shown.get(node as usize / 64).is_some_and(|bits| bits & (1 << (node % 64)) != 0)
}

/// Is this script the source of a formula, as MathJax has them?
pub(crate) fn is_tex(tree: &Tree<'_>, script: NodeId) -> bool {
    let kind = tree.attribute(script, "type").unwrap_or_default();
    let kind = kind.trim_start().as_bytes();
    kind.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"math/tex"))
}

/// Reads the texts of nodes, in page order, off the atoms: the cutting has decided where words end.
pub(crate) struct Texts<'a> {
    document: &'a Document,
    atom: usize,
    /// How much of the atom's text the nodes before have.
    at: usize,
}

/// The text of one node, by the atom that it is in.
pub(crate) struct Text<'a> {
    /// Single spaces only, and only inside.
    pub(crate) text: &'a str,
    /// It is the first of its atom: what stands before it is a word apart.
    pub(crate) starts_atom: bool,
    /// The cutting has a space before it.
    pub(crate) space: bool,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(document: &'a Document) -> Texts<'a> {
        Texts { document, atom: 0, at: 0 }
    }

    /// The text of a node. All kept nodes must be asked for, in their order: an atom is kept as a whole.
    pub(crate) fn next(&mut self, node: NodeId, source: &str) -> Option<Text<'a>> {
        let atoms = &self.document.atoms;
        while atoms.get(self.atom).is_some_and(|atom| atom.nodes.end <= node) {
            self.atom += 1;
            self.at = 0;
        }
        let atom = atoms.get(self.atom)?;
        if node < atom.nodes.start || !is_shown(self.document, node) {
            return None;
        }
        let all = self.document.atom_text(self.atom);
        if atom.nodes.len() == 1 {
            return Some(Text { text: all, starts_atom: true, space: false });
        }
        let starts_atom = self.at == 0;
        let space = all.as_bytes().get(self.at) == Some(&b' ');
        let start = self.at + usize::from(space);
        let mut left = crate::whitespace::visible_length(source.as_bytes());
        let visible = |byte: &u8| {
            left -= usize::from(*byte != b' ').min(left);
            left > 0
        };
        let rest = &all.as_bytes()[start..];
        let end = rest.iter().position({
            let mut visible = visible;
            move |byte| !visible(byte)
        });
        let end = end.map_or(all.len(), |end| start + end + 1);
        // A text that the deadline cut off may end anywhere.
        let end = (end..=all.len()).find(|end| all.is_char_boundary(*end)).unwrap_or(all.len());
        self.at = end;
        Some(Text { text: &all[start..end], starts_atom, space })
    }
}
