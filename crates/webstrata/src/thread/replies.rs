//! Which post answers which.

use std::collections::HashMap;

use super::groups::Region;
use super::marks::Marks;
use super::names::flag::{IN_REPLY, WHOLE};
use crate::tree::{NodeId, Tree};

/// Attributes in which software states the post that is answered, and how deep an answer is.
const PARENTS: [&str; 4] = ["data-parent-id", "data-parentid", "parentid", "data-parent"];
const CLASS_AND_DEPTHS: [&str; 6] =
    ["class", "data-depth", "data-level", "depth", "aria-level", "indent"];

/// For each post the index of the one that it answers.
pub(super) fn of(
    tree: &Tree<'_>,
    marks: &Marks,
    posts: &[Region],
    owns: &[Vec<std::ops::Range<NodeId>>],
) -> Vec<Option<usize>> {
    let nested = nested(tree, marks, posts);
    let depths = by_depth(tree, marks, posts, owns);
    let stated = stated(tree, marks, owns);
    let all = stated.into_iter().zip(depths).zip(nested);
    all.enumerate()
        .map(|(at, ((stated, depth), nested))| {
            stated.or(depth).or(nested).filter(|answered| *answered != at)
        })
        .collect()
}

/// Posts inside posts, and posts in lists inside the box of a post: `li > (div, ul > li > div)`.
fn nested(tree: &Tree<'_>, marks: &Marks, posts: &[Region]) -> Vec<Option<usize>> {
    let mut found = vec![None; posts.len()];
    // The posts that may still be answered, each with the box that holds its answers.
    let mut open: Vec<(usize, Option<NodeId>)> = Vec::new();
    for at in 0..posts.len() {
        let post = posts[at];
        while let Some((outer, home)) = open.last_mut() {
            if marks.contains(posts[*outer].node, post.node) {
                break;
            }
            // Asked once: of the post right before, and later only whether its box still holds.
            if home.is_none() && *outer + 1 == at {
                *home = home_of(tree, marks, posts[*outer].anchor, post.anchor);
            }
            if home.is_some_and(|home| marks.contains(home, post.node)) {
                break;
            }
            open.pop();
        }
        // What holds the whole thread is answered by all of it, and by none of it more than by another.
        let outer = open.last().map(|(outer, _)| *outer);
        found[at] = outer.filter(|outer| !marks.is(posts[*outer].node, WHOLE));
        open.push((at, None));
    }
    found
}

/// The box that holds a post and its answer, if both are in boxes of the same kind, the answer's
/// inside the post's.
fn home_of(tree: &Tree<'_>, marks: &Marks, post: NodeId, answer: NodeId) -> Option<NodeId> {
    let (height, home) =
        tree.ancestors(post).enumerate().find(|(_, node)| marks.contains(*node, answer))?;
    let other = tree.ancestors(answer).nth(height)?;
    let class = |node: NodeId| {
        let class = tree.attribute(node, "class").unwrap_or_default();
        let first = class.split_ascii_whitespace().next().unwrap_or_default();
        let mut plain = Vec::new();
        super::names::plain(first.as_bytes(), &mut plain);
        plain
    };
    let same = other > home && tree.tag(other) == tree.tag(home) && class(other) == class(home);
    (height > 0 && same).then_some(home)
}

/// Software that writes flat lists says how deep an answer is by a number.
fn by_depth(
    tree: &Tree<'_>,
    marks: &Marks,
    posts: &[Region],
    owns: &[Vec<std::ops::Range<NodeId>>],
) -> Vec<Option<usize>> {
    let depths: Vec<Option<u32>> = owns.iter().map(|own| depth(tree, own)).collect();
    let told = depths.iter().flatten().count();
    let differ = depths.windows(2).any(|pair| pair[0] != pair[1]);
    let mut found = vec![None; posts.len()];
    if told * 2 < posts.len() || !differ {
        return found;
    }
    let mut open: Vec<(u32, usize)> = Vec::new();
    for (at, depth) in depths.into_iter().enumerate() {
        let Some(depth) = depth else { continue };
        while open.last().is_some_and(|(outer, _)| *outer >= depth) {
            open.pop();
        }
        found[at] = open.last().map(|(_, outer)| *outer);
        open.push((depth, at));
    }
    // A region may hold its answers: the tree says it better then.
    let holds = |pair: &[Region]| marks.contains(pair[0].node, pair[1].node);
    if posts.windows(2).any(holds) {
        found.fill(None);
    }
    found
}

fn depth(tree: &Tree<'_>, own: &[std::ops::Range<NodeId>]) -> Option<u32> {
    let first = own.first()?;
    for node in first.start..first.end.min(first.start + 12) {
        if tree.start_tag(node).len() < 6 {
            continue;
        }
        let [class, stated @ ..] = tree.attributes_named(node, CLASS_AND_DEPTHS);
        let stated = stated.into_iter().flatten().find_map(|value| value.trim().parse().ok());
        if stated.is_some() {
            return stated;
        }
        if let Some(class) = class {
            let names = class.split_ascii_whitespace().take(24);
            let mut depths = names.filter_map(|name| {
                let number = name.strip_prefix("depth-").or(name.strip_prefix("level-"));
                number?.parse().ok()
            });
            if let Some(depth) = depths.next() {
                return Some(depth);
            }
        }
    }
    None
}

/// Links and attributes that name the post that is answered by its id.
fn stated(
    tree: &Tree<'_>,
    marks: &Marks,
    owns: &[Vec<std::ops::Range<NodeId>>],
) -> Vec<Option<usize>> {
    let mut found = vec![None; owns.len()];
    let answers = answers(tree, marks, owns);
    if answers.is_empty() {
        return found;
    }
    let mut ids: HashMap<String, usize> = HashMap::new();
    for (at, own) in owns.iter().enumerate() {
        for node in own.iter().cloned().flatten() {
            let start_tag = tree.start_tag(node).as_bytes();
            let is_name =
                |at: usize| start_tag[..at].ends_with(b"id") || start_tag[..at].ends_with(b"name");
            if has_digit(start_tag) && memchr::memchr_iter(b'=', start_tag).any(is_name) {
                let names = tree.attributes_named(node, ["id", "name", "data-id", "data-post-id"]);
                for id in names.into_iter().flatten().filter(|id| id.len() < 64) {
                    if id.bytes().any(|byte| byte.is_ascii_digit()) {
                        ids.entry(digits(&id)).or_insert(at);
                    }
                }
            }
        }
    }
    for (at, id) in answers {
        if found[at].is_none() && !id.is_empty() {
            found[at] = ids.get(&id).copied().filter(|answered| *answered != at);
        }
    }
    found
}

/// The posts that name another one, each with its number.
fn answers(
    tree: &Tree<'_>,
    marks: &Marks,
    owns: &[Vec<std::ops::Range<NodeId>>],
) -> Vec<(usize, String)> {
    let mut answers = Vec::new();
    let parent = memchr::memmem::Finder::new("arent");
    for (at, own) in owns.iter().enumerate() {
        for node in own.iter().cloned().flatten() {
            let start_tag = tree.start_tag(node).as_bytes();
            let is_reply = marks.is(node, IN_REPLY);
            // Short tags have no id, others seldom one with a number.
            if start_tag.len() < 6 || !(is_reply || has_digit(start_tag)) {
                continue;
            }
            if parent.find(start_tag).is_some() {
                let parents = tree.attributes_named(node, PARENTS);
                let parent = parents.into_iter().flatten().find(|id| !id.is_empty());
                answers.extend(parent.map(|parent| (at, digits(&parent))));
            }
            if is_reply {
                let near = node..marks.end[node as usize].min(node + 6);
                let href = near.filter_map(|node| tree.attribute(node, "href")).next();
                let target = href.as_deref().and_then(|href| href.split_once('#'));
                answers.extend(target.map(|(_, id)| (at, digits(id))));
            }
        }
    }
    answers
}

fn has_digit(start_tag: &[u8]) -> bool {
    crate::bytes::count(start_tag, |byte| byte.is_ascii_digit()) > 0
}

/// The last number in an id, or all of it where there is none.
fn digits(id: &str) -> String {
    let id = id.get(..id.len().min(64)).unwrap_or_default();
    let mut runs = id.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.next_back().unwrap_or(id).to_owned()
}
