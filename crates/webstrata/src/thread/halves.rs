//! Posts that are in two pieces: the author or the time stands in an element beside the text.

use super::groups::{Own, Region};
use super::marks::Marks;
use crate::tree::{NONE, NodeId, Tree};

/// Text of an element beside a post, in bytes: a line that says when, and perhaps a number.
const MOST_BESIDE: u32 = 80;

/// Posts that are two elements beside each other, one with the author and one with the time: for each
/// post that is left, the element before or behind it that belongs to it.
pub(super) fn pairs(
    tree: &Tree<'_>,
    marks: &Marks,
    posts: &mut Vec<Region>,
) -> Vec<Option<NodeId>> {
    let own = Own::of(marks, posts);
    let are_halves = |at: usize| {
        let (Some(a), Some(b)) = (own.get(at), own.get(at + 1)) else { return false };
        let complementary = (a.authors == 0) != (b.authors == 0)
            && (a.times == 0) != (b.times == 0)
            && (a.authors == 0) != (a.times == 0);
        complementary && next_element(tree, posts[at].node) == Some(posts[at + 1].node)
    };
    let mut kept = Vec::new();
    let mut others = Vec::new();
    let mut at = 0;
    while at < posts.len() {
        if are_halves(at) {
            // The one with more text is the post.
            let second = own[at + 1].text >= own[at].text;
            kept.push(posts[at + usize::from(second)]);
            others.push(Some(posts[at + usize::from(!second)].node));
            at += 2;
        } else {
            kept.push(posts[at]);
            others.push(None);
            at += 1;
        }
    }
    // A few may stand so by chance.
    if others.iter().flatten().count() * 2 < kept.len() {
        return vec![None; posts.len()];
    }
    *posts = kept;
    others
}

/// For posts most of which have no time, or no author: the elements right above them, or right below, that
/// have it and nothing else.
pub(super) fn beside(
    tree: &Tree<'_>,
    marks: &Marks,
    posts: &[Region],
    others: &mut [Option<NodeId>],
) {
    let own = Own::of(marks, posts);
    let lacks = |count: fn(&Own) -> u32| {
        let without = own.iter().filter(|own| count(own) == 0).count();
        posts.len() > 1 && without * 10 >= posts.len() * 8
    };
    for count in [|own: &Own| own.times, |own: &Own| own.authors] {
        if !lacks(count) {
            continue;
        }
        let neighbours = |next: fn(&Tree<'_>, NodeId) -> Option<NodeId>| -> Vec<Option<NodeId>> {
            let fits = |node: &NodeId| {
                let own = Own::whole(marks, *node);
                let at = posts.partition_point(|post| post.node < *node);
                let is_post = posts.get(at).is_some_and(|post| marks.contains(*node, post.node));
                count(&own) > 0 && own.text < MOST_BESIDE && !is_post
            };
            posts.iter().map(|post| next(tree, post.node).filter(fits)).collect()
        };
        let (above, below) = (neighbours(previous_element), neighbours(next_element));
        let number = |all: &[Option<NodeId>]| all.iter().flatten().count();
        let best = if number(&below) > number(&above) { below } else { above };
        if number(&best) * 10 < posts.len() * 8 {
            continue;
        }
        for (other, found) in others.iter_mut().zip(best) {
            *other = other.or(found);
        }
    }
}

fn next_element(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let siblings = std::iter::successors(tree.next(node), |node| tree.next(*node));
    siblings.take(4).find(|node| tree.tag(*node).is_some())
}

fn previous_element(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let previous = |node: NodeId| match tree.nodes[node as usize].previous {
        NONE => None,
        previous => Some(previous),
    };
    let siblings = std::iter::successors(previous(node), |node| previous(*node));
    siblings.take(4).find(|node| tree.tag(*node).is_some())
}
