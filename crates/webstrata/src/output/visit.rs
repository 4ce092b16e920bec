//! The one walk over the tree that the outputs share.

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// What an output does at each node.
pub(super) trait Visitor {
    fn text(&mut self, node: NodeId);
    fn enter(&mut self, node: NodeId, tag: Tag);
    /// The element that was entered last, of those not left yet, ends.
    fn leave(&mut self);
    /// Is the element done with, and all that is in it? Then it is neither entered nor left.
    fn passes_over(&mut self, _node: NodeId, _tag: Tag) -> bool {
        false
    }
}

/// Visits all nodes before `end` in page order.
pub(super) fn walk(tree: &Tree<'_>, end: NodeId, visitor: &mut impl Visitor) {
    let mut open: Vec<NodeId> = Vec::with_capacity(64);
    let mut node = 0;
    while node < end {
        let parent = tree.parent(node);
        while open.last().is_some_and(|open| Some(*open) != parent) {
            open.pop();
            visitor.leave();
        }
        match tree.tag(node) {
            Some(tag) if visitor.passes_over(node, tag) => {
                node = tree.end_of(node);
                continue;
            }
            Some(tag) => {
                visitor.enter(node, tag);
                open.push(node);
            }
            None => visitor.text(node),
        }
        node += 1;
    }
    open.iter().for_each(|_| visitor.leave());
}
