//! Which nodes of a page the extractor kept, and the text that the cutting made of each.

use std::ops::Range;

use crate::document::Document;
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// The nodes that an output writes: texts of content atoms, and what has no text of its own but stands
/// between two such texts.
pub(crate) struct Kept {
    marked: Vec<bool>,
    /// The first kept node, and the one behind the last.
    pub(crate) range: Range<NodeId>,
    /// The page has formulas: only then are class names looked at for what doubles them.
    pub(crate) formulas: bool,
}

impl Kept {
    pub(crate) fn of(page: &Page<'_>) -> Kept {
        let Page { tree, document } = page;
        let mut marked = vec![false; tree.nodes.len()];
        for (atom, content) in document.atoms.iter().zip(document.content_atoms()) {
            let nodes = atom.nodes.start as usize..atom.nodes.end as usize;
            for node in nodes.filter(|_| content) {
                marked[node] = is_shown(document, node as NodeId);
            }
        }
        let mut formulas = false;
        // Images, rules and the sources of formulas since the last text, and whether it was kept.
        let mut between = Vec::new();
        let mut after_kept = false;
        for node in tree.nodes() {
            match tree.tag(node) {
                None if is_shown(document, node) => {
                    let is_kept = marked[node as usize];
                    for node in between.drain(..).filter(|_| is_kept && after_kept) {
                        marked[node as usize] = true;
                    }
                    after_kept = is_kept;
                }
                Some(Tag::Img | Tag::Hr) if after_kept => between.push(node),
                Some(Tag::Script) if is_tex(tree, node) => {
                    formulas = true;
                    between.push(node);
                }
                Some(Tag::Math) => formulas = true,
                _ => {}
            }
        }
        // A formula behind the last text ends a sentence more often than it begins a menu.
        for node in between.into_iter().filter(|node| tree.tag(*node) == Some(Tag::Script)) {
            marked[node as usize] = after_kept;
        }
        let first = marked.iter().position(|kept| *kept).unwrap_or(marked.len());
        let last = marked.iter().rposition(|kept| *kept).map_or(first, |last| last + 1);
        Kept { marked, range: first as NodeId..last as NodeId, formulas }
    }

    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.marked[node as usize]
    }

    /// The first kept node from this one on; the end of all where there is none.
    pub(crate) fn next(&self, node: NodeId) -> NodeId {
        (node..self.range.end).find(|node| self.has(*node)).unwrap_or(self.range.end)
    }

    /// Is any of these nodes kept?
    pub(crate) fn any(&self, start: NodeId, end: NodeId) -> bool {
        self.marked[start as usize..end as usize].contains(&true)
    }
}

fn is_shown(document: &Document, node: NodeId) -> bool {
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

    /// Is the node part of any atom?
    pub(crate) fn shows(&self, node: NodeId) -> bool {
        is_shown(self.document, node)
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
        let mut left = crate::blocks::visible_length(source.as_bytes());
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
