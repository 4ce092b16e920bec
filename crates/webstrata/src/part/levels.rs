//! The elements around the current atom, with what they hint at: each element is looked at once.

use super::names::{self, Hints};
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::NodeId;

/// Words that an element may have to be what its name says: a byline of three paragraphs is none.
const MOST_BYLINE: u32 = 40;
const MOST_DATE: u32 = 20;
const MOST_META: u32 = 60;
const MOST_SUBTITLE: u32 = 80;
const MOST_CAPTION: u32 = 150;
const MOST_SIGNATURE: u32 = 150;
/// Words of the main text that a notice, or what is there to share it, has.
const MOST_NOTICE: u64 = 80;
/// The share of the main text, in per cent, that something else than main text has at most.
const MOST_SHARE: u64 = 30;

/// An open element.
#[derive(Clone, Copy)]
struct Level {
    node: NodeId,
    /// The hints of this element and those of all around it that hold for whatever is inside.
    structure: Hints,
    /// The innermost element from here outwards that hints at something, as an index; or none.
    hinting: Option<u32>,
}

/// An element that hints at something.
#[derive(Clone, Copy)]
pub(super) struct Hinting {
    /// The node behind the element.
    pub(super) end: NodeId,
    pub(super) hints: Hints,
    /// The next one outwards.
    outer: Option<u32>,
    /// How many levels are open around it.
    depth: u32,
}

/// The way from the root to the current atom.
pub(super) struct Levels<'a, 't> {
    page: &'a Page<'t>,
    /// The tables that hold data.
    tables: &'a [NodeId],
    /// Words of the main text, and of all text, before each atom and behind the last.
    kept_before: Vec<u32>,
    words_before: Vec<u32>,
    open: Vec<Level>,
    hinting: Vec<Hinting>,
    /// The node that the way leads to.
    at: Option<NodeId>,
    fresh: Vec<NodeId>,
}

impl<'a, 't> Levels<'a, 't> {
    pub(super) fn new(page: &'a Page<'t>, tables: &'a [NodeId], kept: &[bool]) -> Levels<'a, 't> {
        let atoms = &page.document.atoms;
        let sums = |counts: &dyn Fn(usize) -> bool| {
            let mut sum = 0u32;
            let mut sums = Vec::with_capacity(atoms.len() + 1);
            sums.push(0);
            for (index, atom) in atoms.iter().enumerate() {
                sum = sum.saturating_add(if counts(index) { atom.counts.words } else { 0 });
                sums.push(sum);
            }
            sums
        };
        Levels {
            page,
            tables,
            kept_before: sums(&|index| kept[index]),
            words_before: sums(&|_| true),
            open: Vec::with_capacity(64),
            hinting: Vec::with_capacity(16),
            at: None,
            fresh: Vec::with_capacity(64),
        }
    }

    /// Goes on to a text further down the page.
    pub(super) fn go_to(&mut self, text: NodeId) {
        let tree = &self.page.tree;
        self.fresh.clear();
        let mut element = tree.parent(text);
        // An element that began before the last text, and is still open, is on the way to that text, too.
        while let Some(node) = element.filter(|node| self.at.is_none_or(|at| *node > at)) {
            self.fresh.push(node);
            element = tree.parent(node);
        }
        let shared = self.open.partition_point(|level| Some(level.node) <= element);
        self.open.truncate(shared);
        while self.hinting.last().is_some_and(|hinting| hinting.depth as usize >= shared) {
            self.hinting.pop();
        }
        self.at = Some(text);
        while let Some(node) = self.fresh.pop() {
            self.enter(node);
        }
    }

    fn enter(&mut self, node: NodeId) {
        let tree = &self.page.tree;
        let tag = tree.tag(node).unwrap_or(Tag::Other);
        let outer = self.open.last().copied();
        let mut own = names::hints(tree, node, tag);
        if own.has(Hints::TABLE) && self.tables.binary_search(&node).is_err() {
            own = own.without(Hints::TABLE);
        }
        let around = outer.map_or(Hints::NONE, |outer| outer.structure);
        let structure = around.or(own.only(Hints::STRUCTURE));
        let rest = own.without(Hints::STRUCTURE);
        let mut hinting = outer.and_then(|outer| outer.hinting);
        if rest != Hints::NONE {
            let end = tree.end_of(node);
            let hints = self.believed(rest, node, end);
            if hints != Hints::NONE {
                let depth = self.open.len() as u32;
                self.hinting.push(Hinting { end, hints, outer: hinting, depth });
                hinting = Some(self.hinting.len() as u32 - 1);
            }
        }
        self.open.push(Level { node, structure, hinting });
    }

    /// The hints that fit what is in the element.
    fn believed(&self, hints: Hints, start: NodeId, end: NodeId) -> Hints {
        let atoms = &self.page.document.atoms;
        let first = atoms.partition_point(|atom| atom.nodes.start < start);
        let behind = first + atoms[first..].partition_point(|atom| atom.nodes.start < end);
        let words = self.words_before[behind] - self.words_before[first];
        let kept = u64::from(self.kept_before[behind] - self.kept_before[first]);
        let all = u64::from(self.kept_before[atoms.len()]);
        let mut believed = hints;
        for (hint, most) in [
            (Hints::BYLINE, MOST_BYLINE),
            (Hints::DATE, MOST_DATE),
            (Hints::META, MOST_META),
            (Hints::SUBTITLE, MOST_SUBTITLE),
            (Hints::PAGE_TITLE, MOST_SUBTITLE),
            (Hints::CAPTION.or(Hints::FIGURE), MOST_CAPTION),
            (Hints::SIGNATURE, MOST_SIGNATURE),
        ] {
            if words > most {
                believed = believed.without(hint);
            }
        }
        if kept > MOST_NOTICE {
            believed = believed.without(Hints::NOTICE.or(Hints::SHARE).or(Hints::CONSENT));
        }
        if kept > 0 && 100 * kept > MOST_SHARE * all {
            let regions = Hints::COMMENT
                .or(Hints::RELATED)
                .or(Hints::MENU)
                .or(Hints::NAVIGATION)
                .or(Hints::SHARE)
                .or(Hints::NOTICE)
                .or(Hints::MARGIN)
                .or(Hints::LOGO);
            believed = believed.without(regions);
        }
        believed
    }

    /// What encloses the text: code, tables, quotes, lists.
    pub(super) fn structure(&self) -> Hints {
        self.open.last().map_or(Hints::NONE, |level| level.structure)
    }

    /// The elements around the text that hint at something and reach to `end`, innermost first.
    pub(super) fn hinting(&self, end: NodeId) -> impl Iterator<Item = Hints> + '_ {
        let innermost = self.open.last().and_then(|level| level.hinting);
        let at = |index: Option<u32>| self.hinting.get(index? as usize);
        let all = std::iter::successors(at(innermost), move |inner| at(inner.outer));
        all.filter(move |hinting| hinting.end >= end).map(|hinting| hinting.hints)
    }
}
