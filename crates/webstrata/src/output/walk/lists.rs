//! Lists and their items, those that stand in no list, too.

use super::{Undo, Walk};
use crate::html::tag::Tag;
use crate::output::sink::{Container, Gap, Sink};
use crate::tree::NodeId;

/// Numbers the items of a list.
pub(super) struct Numbers {
    pub(super) ordered: bool,
    next: i64,
    step: i64,
}

impl<S: Sink> Walk<'_, '_, '_, S> {
    pub(super) fn begin_list(&mut self, node: NodeId, ordered: bool) -> Undo {
        let holds_notes = |node| {
            self.tree
                .children(node)
                .take(8)
                .any(|item| self.selection.footnotes.label(item).is_some())
        };
        if holds_notes(node) || self.holds_posts(node) {
            return Undo::Boundary(Gap::Paragraph);
        }
        if self.flat_list == Some(node) {
            return Undo::Boundary(Gap::Line);
        }
        let reversed = ordered && self.tree.attribute(node, "reversed").is_some();
        let start = ordered.then(|| self.number(node, "start")).flatten();
        let start = start.unwrap_or_else(|| match reversed {
            true => {
                let items = self.tree.children(node);
                items.filter(|item| self.tree.tag(*item) == Some(Tag::Li)).count() as i64
            }
            false => 1,
        });
        self.lists.push(Numbers { ordered, next: start, step: if reversed { -1 } else { 1 } });
        self.sink.begin(Container::List { ordered });
        Undo::List { ordered }
    }

    pub(super) fn holds_posts(&self, node: NodeId) -> bool {
        self.selection.discussion.has_post(node, self.tree.end_of(node))
    }

    pub(super) fn begin_item(&mut self, node: NodeId) -> Undo {
        if self.holds_posts(node) {
            return Undo::Boundary(Gap::Paragraph);
        }
        if self.lists.last().is_some_and(|list| !list.ordered) {
            self.flat_list = self.only_list(node);
            if self.flat_list.is_some() {
                return Undo::Boundary(Gap::Line);
            }
        }
        let value = self.number(node, "value");
        let Some(list) = self.lists.last_mut() else {
            if self.lone_item.take().is_none() {
                self.boundary(Gap::Paragraph);
                self.sink.begin(Container::List { ordered: false });
            }
            self.sink.begin(Container::Item(None));
            return Undo::LoneItem;
        };
        let number = list.ordered.then(|| {
            let number = value.unwrap_or(list.next).clamp(0, 999_999_999);
            list.next = number + list.step;
            number as u32
        });
        self.sink.begin(Container::Item(number));
        Undo::Container(Container::Item(number))
    }

    /// The list that is all that is written of an item: its items stand for the item, which would be a mark without words.
    fn only_list(&self, item: NodeId) -> Option<NodeId> {
        let (end, first) = (self.tree.end_of(item), self.selection.kept.next(item));
        if first >= end {
            return None;
        }
        let around = self.tree.ancestors(first).take_while(|node| *node != item);
        let list = around.filter(|node| is_list(self.tree.tag(*node))).last()?;
        let is_all = !self.selection.kept.any(self.tree.end_of(list), end);
        (is_all && self.tree.tag(list) != Some(Tag::Ol)).then_some(list)
    }

    /// The item that follows an item which stands in no list, if only whitespace is between them.
    pub(super) fn next_lone_item(&self, item: NodeId) -> Option<NodeId> {
        let mut next = self.tree.next(item)?;
        if self.tree.tag(next).is_none() && self.tree.text(next).trim().is_empty() {
            next = self.tree.next(next)?;
        }
        let is_item = self.tree.tag(next) == Some(Tag::Li)
            && self.selection.kept.any(next, self.tree.end_of(next))
            && self.selection.footnotes.label(next).is_none()
            && !self.holds_posts(next);
        is_item.then_some(next)
    }

    pub(super) fn end_lone_list(&mut self) {
        self.boundary(Gap::Paragraph);
        self.sink.end(Container::List { ordered: false });
    }
}

fn is_list(tag: Option<Tag>) -> bool {
    matches!(tag, Some(Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir))
}
