//! What of a post is its text, and what is a quotation, a signature or the author's card.

use std::collections::HashMap;
use std::ops::Range;

use super::groups::Region;
use super::marks::{Key, Marks};
use super::names::flag::{AUTHOR, BODY, CARD, CONTROL, QUOTE, SIGNATURE, STATED, TIME, UNSEEN};
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// The parts of a post.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) body: Vec<Range<NodeId>>,
    pub(super) quotes: Vec<NodeId>,
    pub(super) signature: Vec<NodeId>,
    pub(super) card: Vec<NodeId>,
}

/// The nodes of a post that are not of a post inside it.
pub(super) fn own(marks: &Marks, posts: &[Region], at: usize) -> Vec<Range<NodeId>> {
    let node = posts[at].node;
    let end = marks.end[node as usize];
    let mut ranges = Vec::new();
    let mut start = node;
    for inner in posts[at + 1..].iter().take_while(|inner| inner.node < end) {
        if inner.node >= start {
            if inner.node > start {
                ranges.push(start..inner.node);
            }
            start = marks.end[inner.node as usize];
        }
    }
    if start < end {
        ranges.push(start..end);
    }
    ranges
}

/// What a name holds in the posts that have it.
#[derive(Default, Clone, Copy)]
struct Holds {
    posts: u32,
    last: u32,
    until: NodeId,
    text: u64,
    all_text: u64,
    marked: u32,
    first: NodeId,
    /// The name says so.
    is_body: bool,
    /// So does schema.org.
    is_stated: bool,
}

/// The parts of all posts. The text is in the elements of the name that holds most of it in most posts
/// and no author and no time.
pub(super) fn parts(tree: &Tree<'_>, marks: &Marks, owns: &[Vec<Range<NodeId>>]) -> Vec<Parts> {
    let mut bodies: Vec<Vec<Range<NodeId>>> = vec![Vec::new(); owns.len()];
    let mut open: Vec<usize> = (0..owns.len()).collect();
    for _ in 0..4 {
        if open.is_empty() {
            break;
        }
        let Some(best) = best_name(marks, owns, &open, false) else { break };
        let before = open.len();
        open.retain(|post| {
            let found = named(marks, &owns[*post], best);
            let is_there = !found.is_empty();
            bodies[*post] = found;
            !is_there
        });
        if open.len() == before {
            break;
        }
    }
    // A post with names of its own, such as the first one: what a name says of it is believed.
    for post in open {
        if let Some(name) = best_name(marks, owns, &[post], true) {
            bodies[post] = named(marks, &owns[post], name);
        }
    }
    let all = bodies.into_iter().zip(owns);
    all.map(|(body, own)| {
        let is_whole = body.is_empty();
        let body = if is_whole { own.clone() } else { body };
        let mut parts = Parts { body, ..Parts::default() };
        parts.take_out(tree, marks, own, is_whole);
        parts
    })
    .collect()
}

fn keys_in<'a>(
    marks: &'a Marks,
    range: &Range<NodeId>,
) -> impl Iterator<Item = (Key, NodeId)> + use<'a> {
    let start = marks.keys.partition_point(|key| key.node < range.start);
    let end = range.end;
    let keys = marks.keys[start..].iter().take_while(move |key| key.node < end);
    keys.map(|key| (*key, key.node))
}

/// The name that holds the texts of posts; `sure`: only one that says so.
fn best_name(
    marks: &Marks,
    owns: &[Vec<Range<NodeId>>],
    open: &[usize],
    sure: bool,
) -> Option<u64> {
    let mut names: HashMap<u64, Holds> = HashMap::new();
    for (number, post) in open.iter().enumerate() {
        let number = number as u32 + 1;
        for range in &owns[*post] {
            for (key, node) in keys_in(marks, range) {
                let end = marks.end[node as usize];
                if end > range.end || marks.is(node, UNSEEN | SIGNATURE | QUOTE | CARD) {
                    continue;
                }
                let holds = names.entry(key.hash).or_default();
                holds.is_body |= key.says & BODY != 0;
                holds.is_stated |= key.says & STATED != 0;
                if holds.last == number && node < holds.until {
                    continue;
                }
                let has_marks = marks.range_marks(node) > 0;
                if holds.last != number {
                    holds.posts += 1;
                    holds.marked += u32::from(has_marks);
                    holds.last = number;
                    holds.first = node;
                }
                holds.until = end;
                holds.text += u64::from(marks.range_text(node));
                holds.all_text += u64::from(marks.range_all(node));
            }
        }
    }
    let least = (open.len() as u32 * 3).div_ceil(5);
    let fits = |holds: &&Holds| {
        let most_marked = if holds.is_body { 2 } else { 3 };
        holds.posts >= least && holds.marked * most_marked <= holds.posts && holds.text > 0
    };
    let stated = names.iter().find(|(_, holds)| holds.is_stated && fits(holds));
    if let Some((key, _)) = stated {
        return Some(*key);
    }
    let most = names.values().filter(fits).map(|holds| holds.text).max()?;
    // Of those that hold all the text, the one that holds the least besides. What has the name of a
    // text may hold less: cards and headings that nothing names count as text, too.
    let holds_all = |holds: &&Holds| holds.text * 10 >= most * if holds.is_body { 6 } else { 9 };
    let named = |holds: &&Holds| fits(holds) && holds_all(holds) && holds.is_body;
    let has_named = names.values().any(|holds| named(&holds));
    let best_named = names.values().filter(named).map(|holds| holds.text).max().unwrap_or(0);
    let best = names
        .iter()
        .filter(|(_, holds)| match has_named {
            true => named(holds) && holds.text * 10 >= best_named * 7,
            false => !sure && fits(holds) && holds_all(holds),
        })
        .min_by_key(|(key, holds)| (holds.all_text, std::cmp::Reverse(holds.first), **key));
    best.map(|(key, _)| *key)
}

fn named(marks: &Marks, own: &[Range<NodeId>], name: u64) -> Vec<Range<NodeId>> {
    let mut found: Vec<Range<NodeId>> = Vec::new();
    for range in own {
        for (key, node) in keys_in(marks, range) {
            let end = marks.end[node as usize].min(range.end);
            let is_new = found.last().is_none_or(|last| last.end <= node);
            if key.hash == name && is_new && !marks.is(node, UNSEEN | SIGNATURE | QUOTE | CARD) {
                found.push(node..end);
            }
        }
    }
    found
}

impl Parts {
    /// Finds what stands in the text and is none. Where the text is the whole post, author and time
    /// stand in it, too.
    fn take_out(&mut self, tree: &Tree<'_>, marks: &Marks, own: &[Range<NodeId>], is_whole: bool) {
        // Both go forward through the page.
        let mut at = 0;
        for range in own {
            let mut node = range.start;
            while node < range.end {
                let end = marks.end[node as usize];
                while self.body.get(at).is_some_and(|body| body.end <= node) {
                    at += 1;
                }
                let next = self.body.get(at).cloned().unwrap_or(NodeId::MAX..NodeId::MAX);
                let in_body = next.contains(&node);
                let small = || marks.range_all(node) <= super::marks::LONGEST_CONTROL;
                let is_element = tree.tag(node).is_some();
                let list = match () {
                    () if !is_element && !is_whole => None,
                    () if marks.is(node, UNSEEN) => Some(&mut self.card),
                    () if marks.is(node, QUOTE) => Some(&mut self.quotes),
                    () if marks.is(node, SIGNATURE) => Some(&mut self.signature),
                    () if marks.is(node, CARD) && small() => Some(&mut self.card),
                    () if in_body && marks.is(node, CONTROL) && small() => Some(&mut self.card),
                    () if is_whole && marks.is(node, AUTHOR | TIME) && small() => {
                        Some(&mut self.card)
                    }
                    () => None,
                };
                match list {
                    // What holds the text is not beside it.
                    Some(list) if !(node..end).contains(&next.start) => {
                        list.push(node);
                        node = end.max(node + 1);
                    }
                    _ => node += 1,
                }
            }
        }
        self.lines_below(tree, marks);
    }

    /// A signature without a name: what stands below `--` or `____` at the end of the text.
    fn lines_below(&mut self, tree: &Tree<'_>, marks: &Marks) {
        let Some(last) = self.body.last().cloned() else { return };
        let is_rule = |node: &NodeId| {
            let text = tree.text(*node).trim();
            text == "--"
                || (text.len() > 4 && text.bytes().all(|byte| byte == b'_'))
                || (text.len() > 4 && text.bytes().all(|byte| byte == b'-'))
        };
        let within = last.start.max(last.end.saturating_sub(40))..last.end;
        let Some(rule) = within.rev().find(is_rule) else { return };
        let below = marks.all_text[last.end as usize] - marks.all_text[rule as usize];
        let body = marks.all_text[last.end as usize] - marks.all_text[last.start as usize];
        if below > 400 || below * 3 > body * 2 {
            return;
        }
        let mut node = rule;
        while node < last.end {
            // A box that goes on beyond the text is taken apart.
            if tree.tag(node) != Some(Tag::Pre) && marks.end[node as usize] <= last.end {
                self.signature.push(node);
                node = marks.end[node as usize];
            } else {
                node += 1;
            }
        }
    }
}
