//! What a page says of its posts by schema.org: elements that have the type of a post, and JSON-LD, which
//! says who wrote a text and when.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::{Map, Value};

use super::groups::{self, Own, Region};
use super::marks::Marks;
use super::names::flag::{BODY, NAMED, UNSEEN, WHOLE};
use crate::html::tag::Tag;
use crate::metadata::linked_data;
use crate::tree::{NodeId, Tree};

/// Characters of a text by which a post is found again.
const BEGINNING: usize = 48;
/// Objects that are looked at.
const MOST: usize = 20_000;

/// Types of posts.
const POSTS: [&str; 5] =
    ["DiscussionForumPosting", "Comment", "Answer", "Question", "UserComments"];

/// What an object says about a post.
#[derive(Clone, Debug, Default)]
pub(super) struct Stated {
    pub(super) author: Option<String>,
    pub(super) time: Option<String>,
    pub(super) votes: Option<i64>,
    pub(super) accepted: bool,
}

/// The posts of the page's scripts by the beginning of their texts.
pub(super) fn read(tree: &Tree<'_>, marks: &mut Marks) -> HashMap<String, Stated> {
    let mut posts = HashMap::new();
    for node in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Script)) {
        let Some(value) = linked_data(tree, node) else { continue };
        let mut open = vec![(&value, false)];
        let mut seen = 0;
        while let Some((value, accepted)) = open.pop() {
            seen += 1;
            if seen > MOST {
                break;
            }
            match value {
                Value::Array(values) => open.extend(values.iter().map(|value| (value, accepted))),
                Value::Object(object) => {
                    let mut is_post = false;
                    for kind in kinds(object) {
                        marks.types.add(kind);
                        is_post |= POSTS.contains(&kind);
                    }
                    if is_post && let Some(text) = text(object) {
                        posts.entry(beginning(text)).or_insert_with(|| stated(object, accepted));
                    }
                    let inner =
                        ["@graph", "mainEntity", "comment", "suggestedAnswer", "mainEntityOfPage"];
                    open.extend(inner.iter().filter_map(|key| Some((object.get(*key)?, false))));
                    open.extend(object.get("acceptedAnswer").map(|value| (value, true)));
                }
                _ => {}
            }
        }
    }
    posts.remove("");
    posts
}

/// The types of an object.
fn kinds(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let kinds = match object.get("@type") {
        Some(Value::Array(kinds)) => &kinds[..],
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    let kinds = kinds.iter().take(8).filter_map(Value::as_str);
    kinds.map(|kind| kind.rsplit(['/', ':']).next().unwrap_or_default())
}

/// The elements that have the type of a post and a text of their own. One that holds the whole thread is
/// a post only where it has a box for its text.
pub(super) fn typed(marks: &Marks) -> Vec<Region> {
    let is_shown = |node: &NodeId| marks.is(*node, NAMED);
    let nodes = marks.typed.iter().copied().filter(is_shown);
    let all: Vec<Region> = nodes.map(|node| Region { anchor: node, node }).collect();
    if all.is_empty() {
        return all;
    }
    let own = Own::of(marks, &all);
    let has_box = has_box(marks, &all);
    let is_post =
        |at: &usize| own[*at].text > 0 && (has_box[*at] || !marks.is(all[*at].node, WHOLE));
    (0..all.len()).filter(is_post).map(|at| all[at]).collect()
}

/// Has each of these an element whose name says that it holds a text, and that none inside it has?
fn has_box(marks: &Marks, all: &[Region]) -> Vec<bool> {
    let mut has = vec![false; all.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for key in &marks.keys {
        while next < all.len() && all[next].node <= key.node {
            open.push(next);
            next += 1;
        }
        while open.last().is_some_and(|at| !marks.contains(all[*at].node, key.node)) {
            open.pop();
        }
        if let Some(at) = open.last()
            && key.says & BODY != 0
            && key.node != all[*at].node
        {
            has[*at] |= marks.range_text(key.node) > 0;
        }
    }
    has
}

/// The elements whose texts begin as JSON-LD says that posts do.
pub(super) fn written(
    tree: &Tree<'_>,
    marks: &Marks,
    stated: &HashMap<String, Stated>,
) -> Vec<Region> {
    // Of each text the outermost and the innermost element that begins with it.
    let mut places: HashMap<&str, (NodeId, NodeId)> = HashMap::new();
    for node in tree.nodes().filter(|node| tree.tag(*node).is_some()) {
        let is_page = matches!(tree.tag(node), Some(Tag::Html | Tag::Body | Tag::Main));
        if is_page || marks.is(node, UNSEEN) || marks.range_all(node) == 0 {
            continue;
        }
        let text = beginning(&first_words(tree, node, marks.end[node as usize]));
        let Some((key, _)) = stated.get_key_value(&text) else { continue };
        match places.entry(key) {
            Entry::Vacant(place) => _ = place.insert((node, node)),
            Entry::Occupied(mut place) if marks.contains(place.get().1, node) => {
                place.get_mut().1 = node;
            }
            Entry::Occupied(_) => {}
        }
    }
    if let [(outer, anchor)] = places.values().copied().collect::<Vec<_>>()[..] {
        return vec![Region { anchor, node: outer }];
    }
    let mut anchors: Vec<NodeId> = places.into_values().map(|(_, inner)| inner).collect();
    anchors.sort_unstable();
    if anchors.is_empty() { Vec::new() } else { groups::regions(tree, marks, &anchors, 4) }
}

/// Enough of an element's text to tell how it begins.
fn first_words(tree: &Tree<'_>, node: NodeId, end: NodeId) -> String {
    let mut words = String::new();
    for inner in node..end.min(node + 64) {
        let text = tree.text(inner);
        words.push_str(text.get(..text.len().min(8 * BEGINNING)).unwrap_or(text));
        words.push(' ');
        if words.len() > 8 * BEGINNING {
            break;
        }
    }
    words
}

fn text(object: &Map<String, Value>) -> Option<&str> {
    ["text", "articleBody", "commentText", "description"]
        .iter()
        .find_map(|key| object.get(*key).and_then(Value::as_str))
}

fn stated(object: &Map<String, Value>, accepted: bool) -> Stated {
    let author = match object.get("author").or(object.get("creator")) {
        Some(Value::Array(authors)) => authors.first(),
        author => author,
    };
    let author = author.and_then(|author| match author {
        Value::String(name) => Some(name.as_str()),
        author => author.get("name").and_then(Value::as_str),
    });
    let time = ["datePublished", "dateCreated"].iter().find_map(|key| object.get(*key)?.as_str());
    let votes = object.get("upvoteCount").and_then(|votes| {
        votes.as_i64().or_else(|| votes.as_str().and_then(|votes| votes.trim().parse().ok()))
    });
    Stated {
        author: author.and_then(super::fields::clean_name),
        time: time.and_then(crate::metadata::date_in),
        votes,
        accepted,
    }
}

/// The first letters of a text, without markup, spaces and marks: texts are written in many ways.
pub(super) fn beginning(text: &str) -> String {
    let mut letters = String::new();
    let mut in_tag = false;
    let mut rest = text.chars();
    let mut count = 0;
    while let Some(c) = rest.next() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            // A character reference.
            '&' if !in_tag => {
                let name: String = rest.clone().take(8).collect();
                if let Some(end) = name.find(';') {
                    rest.by_ref().take(name[..=end].chars().count()).for_each(drop);
                }
            }
            c if !in_tag && c.is_alphanumeric() => {
                letters.extend(c.to_lowercase());
                count += 1;
            }
            _ => {}
        }
        if count == BEGINNING {
            break;
        }
    }
    letters
}
