//! The stack of open elements, and what the spec asks about it ("in scope").

use super::builder::{Builder, Open, Space};
use super::tag::{Tag, flag};
use crate::limits::Limit;
use crate::tree::NodeId;

impl Builder<'_> {
    #[inline]
    pub(crate) fn current(&self) -> Tag {
        self.stack.last().map_or(Tag::Html, |open| open.tag)
    }

    /// Is this the innermost open element? Not if it nests too deep to have been opened.
    pub(crate) fn is_current(&self, node: NodeId) -> bool {
        self.stack.last().is_some_and(|open| open.node == node)
    }

    /// Opens an element; false if it would nest too deep.
    #[inline]
    pub(crate) fn push(&mut self, node: NodeId, tag: Tag, space: Space) -> bool {
        if self.stack.len() >= self.max_depth {
            self.limits.add(Limit::Depth);
            return false;
        }
        self.open_p += u32::from(tag == Tag::P);
        self.open_templates += u32::from(tag == Tag::Template);
        self.stack.push(Open { node, tag, space });
        true
    }

    /// Is there room for an element that brings insertion modes along, and for the three below it
    /// (a table, its body, a row, a cell) that those modes rely on?
    pub(crate) fn has_room_for_modes(&self) -> bool {
        self.stack.len() + 4 <= self.max_depth
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Open> {
        let open = self.stack.pop()?;
        self.closed(open);
        Some(open)
    }

    pub(crate) fn remove_from_stack(&mut self, node: NodeId) {
        if let Some(position) = self.stack.iter().rposition(|open| open.node == node) {
            let open = self.stack.remove(position);
            self.closed(open);
        }
    }

    /// Keeps the counters right after elements left the stack.
    #[inline]
    pub(crate) fn closed(&mut self, open: Open) {
        self.open_p -= u32::from(open.tag == Tag::P);
        self.open_templates -= u32::from(open.tag == Tag::Template);
        if open.tag.is(flag::FORMATTING) {
            self.formatting.closed(open.node);
        }
    }

    /// Pops elements up to and with the first of this tag.
    pub(crate) fn pop_until(&mut self, tag: Tag) {
        while let Some(open) = self.pop() {
            if open.tag == tag {
                break;
            }
        }
    }

    /// Pops elements until one that has one of the tags is current, or the root.
    pub(crate) fn clear_back_to(&mut self, tags: &[Tag]) {
        while self.stack.len() > 1 && !tags.contains(&self.current()) {
            self.pop();
        }
    }

    #[inline]
    fn find_in_scope(&self, wanted: impl Fn(&Open) -> bool, ends: impl Fn(Tag) -> bool) -> bool {
        for open in self.stack.iter().rev() {
            if wanted(open) {
                return true;
            }
            if ends(open.tag) {
                return false;
            }
        }
        false
    }

    pub(crate) fn in_scope(&self, tag: Tag) -> bool {
        self.find_in_scope(|open| open.tag == tag, |tag| tag.is(flag::SCOPE))
    }

    pub(crate) fn node_in_scope(&self, node: NodeId) -> bool {
        self.find_in_scope(|open| open.node == node, |tag| tag.is(flag::SCOPE))
    }

    pub(crate) fn heading_in_scope(&self) -> bool {
        self.find_in_scope(|open| open.tag.is(flag::HEADING), |tag| tag.is(flag::SCOPE))
    }

    pub(crate) fn in_list_scope(&self, tag: Tag) -> bool {
        let ends = |tag: Tag| tag.is(flag::SCOPE) || matches!(tag, Tag::Ol | Tag::Ul);
        self.find_in_scope(|open| open.tag == tag, ends)
    }

    pub(crate) fn p_in_button_scope(&self) -> bool {
        let ends = |tag: Tag| tag.is(flag::SCOPE) || tag == Tag::Button;
        self.open_p > 0 && self.find_in_scope(|open| open.tag == Tag::P, ends)
    }

    pub(crate) fn in_table_scope(&self, tags: &[Tag]) -> bool {
        self.find_in_scope(|open| tags.contains(&open.tag), |tag| tag.is(flag::TABLE_SCOPE))
    }

    pub(crate) fn generate_implied_end_tags(&mut self, except: Option<Tag>) {
        while self.current().is(flag::IMPLIED) && Some(self.current()) != except {
            self.pop();
        }
    }

    /// Closes the nearest `p`, if one is open here.
    #[inline]
    pub(crate) fn close_p(&mut self) {
        if self.open_p > 0 && self.p_in_button_scope() {
            self.generate_implied_end_tags(Some(Tag::P));
            self.pop_until(Tag::P);
        }
    }
}
