//! Formatting elements (`b`, `a`, `font`, …), which the spec carries on over misnested tags: the list
//! of active ones, their reconstruction in a new block, and the adoption agency algorithm.

use super::builder::{Builder, Open, Place, Space};
use super::tag::{Tag, flag};
use super::tokenizer::StartTag;
use crate::limits::Limit;
use crate::tree::{NONE, Node, NodeId};

/// Formatting elements that are kept in mind at once. Browsers have no bound; pages that need more
/// than this were made to be expensive.
const MAX_ENTRIES: usize = 64;

/// Entries with the markers that separate cells and objects, of which as many are open as fit into
/// the depth limit.
const MAX_MARKERS: usize = 2048;

/// The list of active formatting elements.
pub(crate) struct Formatting {
    entries: Vec<Entry>,
    /// How many elements may still be repeated. Without a bound, a page of n open `<b>` and n `<p>`
    /// has n² nodes.
    repeats_left: usize,
}

#[derive(Clone, Copy)]
struct Entry {
    /// `NONE` for a marker.
    node: NodeId,
    tag: Tag,
    /// Is the element still on the stack of open elements?
    open: bool,
}

impl Formatting {
    pub(crate) fn new(page_length: usize) -> Formatting {
        Formatting { entries: Vec::new(), repeats_left: 4096 + page_length / 16 }
    }

    pub(crate) fn push_marker(&mut self) {
        // Cells that end before an `<object>` inside them leave its marker behind, in browsers too.
        if self.entries.len() >= MAX_MARKERS {
            self.entries.drain(..MAX_MARKERS / 2);
        }
        self.entries.push(Entry { node: NONE, tag: Tag::Other, open: true });
    }

    pub(crate) fn clear_to_marker(&mut self) {
        while self.entries.pop().is_some_and(|entry| entry.node != NONE) {}
    }

    pub(crate) fn closed(&mut self, node: NodeId) {
        if let Some(position) = self.position(node) {
            self.entries[position].open = false;
        }
    }

    pub(crate) fn remove(&mut self, node: NodeId) {
        if let Some(position) = self.position(node) {
            self.entries.remove(position);
        }
    }

    /// The last element of this tag after the last marker.
    pub(crate) fn last(&self, tag: Tag) -> Option<NodeId> {
        self.since_marker().iter().rev().find(|entry| entry.tag == tag).map(|entry| entry.node)
    }

    fn position(&self, node: NodeId) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.node == node)
    }

    fn since_marker(&self) -> &[Entry] {
        let marker = self.entries.iter().rposition(|entry| entry.node == NONE);
        &self.entries[marker.map_or(0, |marker| marker + 1)..]
    }
}

impl Builder<'_> {
    /// Opens the formatting elements again that an end tag closed but the page did not end.
    #[inline]
    pub(crate) fn reconstruct_formatting(&mut self) {
        if self.formatting.entries.last().is_some_and(|entry| !entry.open) {
            self.reconstruct_closed_formatting();
        }
    }

    fn reconstruct_closed_formatting(&mut self) {
        let entries = &self.formatting.entries;
        let first = entries.iter().rposition(|entry| entry.open).map_or(0, |open| open + 1);
        for i in first..self.formatting.entries.len() {
            if self.formatting.repeats_left == 0 {
                self.limits.add(Limit::Formatting);
                return;
            }
            self.formatting.repeats_left -= 1;
            let Entry { node, tag, .. } = self.formatting.entries[i];
            let copy = self.copy_of(node);
            self.nodes[copy as usize].carried = true;
            let current = self.stack.last().map_or(NONE, |open| open.node);
            let place = self.place_for(current);
            self.attach(copy, place);
            let open = self.push(copy, tag, Space::Html);
            self.formatting.entries[i] = Entry { node: copy, tag, open: true };
            if !open {
                return;
            }
        }
    }

    /// A new element like `node`, not in the tree yet.
    fn copy_of(&mut self, node: NodeId) -> NodeId {
        let Node { kind, tag, start, end, href, carried, .. } = self.nodes[node as usize];
        self.create(Node { href, carried, ..Node::new(kind, tag, start, end) })
    }

    pub(crate) fn insert_formatting(&mut self, tag: &StartTag) {
        self.forget_fourth_equal(tag);
        let node = self.insert(tag);
        if self.is_current(node) {
            self.formatting.entries.push(Entry { node, tag: tag.tag, open: true });
            let mut elements = (0..).zip(&self.formatting.entries).filter(|(_, e)| e.node != NONE);
            if let Some((oldest, _)) = elements.next()
                && elements.count() >= MAX_ENTRIES
            {
                self.limits.add(Limit::Formatting);
                self.formatting.entries.remove(oldest);
            }
        }
    }

    /// The "Noah's Ark clause": of equal elements, only the last three are active.
    fn forget_fourth_equal(&mut self, tag: &StartTag) {
        let same_tag = self.formatting.since_marker().iter().filter(|entry| entry.tag == tag.tag);
        if same_tag.clone().count() < 3 {
            return;
        }
        let equal: Vec<NodeId> = same_tag
            .filter(|entry| self.same_attributes(entry.node, tag))
            .map(|e| e.node)
            .collect();
        if equal.len() >= 3 {
            self.formatting.remove(equal[0]);
        }
    }

    /// Are the attributes written the same? Browsers also see through another order or quoting; of
    /// four open elements of one kind, that is not worth parsing all of them.
    fn same_attributes(&self, node: NodeId, tag: &StartTag) -> bool {
        let Node { start, end, .. } = self.nodes[node as usize];
        let name_end = start as usize + (tag.name_end - tag.start);
        self.source[name_end..end as usize] == self.source[tag.name_end..tag.end]
    }

    /// The end tag of a formatting element: closes it, also where blocks were opened inside it and
    /// are still open ("adoption agency algorithm").
    pub(crate) fn adoption_agency(&mut self, tag: Tag, end_tag_name: (usize, usize)) {
        let current = *self.stack.last().expect("an element is open in every body");
        if current.tag == tag && self.formatting.position(current.node).is_none() {
            self.pop();
            return;
        }
        for _ in 0..8 {
            let Some(element) = self.formatting.last(tag) else {
                self.any_other_end_tag(tag, end_tag_name);
                return;
            };
            let Some(at) = self.stack.iter().rposition(|open| open.node == element) else {
                self.formatting.remove(element);
                return;
            };
            if !self.node_in_scope(element) {
                return;
            }
            let block = self.stack[at..].iter().position(|open| open.tag.is(flag::SPECIAL));
            let Some(block) = block.map(|offset| at + offset) else {
                while self.stack.len() > at {
                    self.pop();
                }
                self.formatting.remove(element);
                return;
            };
            self.adopt(element, at, block);
        }
    }

    /// One round of the algorithm: the furthest block leaves the formatting element at `at`, and a
    /// copy of the element goes into the block.
    fn adopt(&mut self, element: NodeId, at: usize, block_at: usize) {
        self.reordered = true;
        let block = self.stack[block_at].node;
        let ancestor = self.stack[at - 1].node;
        let mut bookmark = self.formatting.position(element).expect("an active element");
        let mut last = block;
        let mut inner = 0;
        let mut i = block_at;
        loop {
            inner += 1;
            i -= 1;
            let Open { node, .. } = self.stack[i];
            if node == element {
                break;
            }
            let mut entry = self.formatting.position(node);
            if inner > 3
                && let Some(position) = entry.take()
            {
                self.formatting.entries.remove(position);
                bookmark -= usize::from(position < bookmark);
            }
            let Some(entry) = entry else {
                let open = self.stack.remove(i);
                self.closed(open);
                continue;
            };
            let copy = self.copy_of(node);
            self.stack[i].node = copy;
            self.formatting.entries[entry].node = copy;
            if last == block {
                bookmark = entry + 1;
            }
            self.detach(last);
            self.attach(last, Place::Into(copy));
            last = copy;
        }
        self.detach(last);
        let place = self.place_for(ancestor);
        self.attach(last, place);
        let copy = self.copy_of(element);
        self.move_children(block, copy);
        self.attach(copy, Place::Into(block));
        let tag = self.nodes[element as usize].tag;
        let old = self.formatting.position(element).expect("an active element");
        self.formatting.entries.remove(old);
        bookmark -= usize::from(old < bookmark);
        self.formatting.entries.insert(bookmark, Entry { node: copy, tag, open: true });
        self.remove_from_stack(element);
        let block_at = self.stack.iter().rposition(|open| open.node == block);
        let block_at = block_at.expect("the block stays open");
        self.stack.insert(block_at + 1, Open { node: copy, tag, space: Space::Html });
    }
}
