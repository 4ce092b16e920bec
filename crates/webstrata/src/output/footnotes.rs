//! Which links lead to the footnotes of a page, and which elements are these.
//!
//! A note is an element that a link of the text leads to by its `id`, and that leads back: by a link to
//! the `id` of the reference, or by a role or a name of its own (`doc-footnote`, `fn…`, `cite_note…`). Both
//! must be kept, or a reader of Markdown would show a reference to nothing.

use std::collections::{HashMap, HashSet};

use super::elements::is_drawn;
use super::kept::Kept;
use crate::clock::{ATOMS_PER_CHECK, Steps};
use crate::html::tag::{Tag, flag};
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// Characters of a reference: `12`, `[12]`, `*`, `note 3`.
const MAX_REFERENCE: usize = 12;
/// Nodes of an element that may hold nothing but ways back.
const MAX_SIGNS: usize = 64;
/// Elements around a reference that may have the `id` that the note leads back to.
const MAX_AROUND: usize = 3;

/// The footnotes of a page.
#[derive(Default)]
pub(super) struct Footnotes {
    /// By link: the note.
    references: HashMap<NodeId, NodeId>,
    /// By note: what it is called.
    labels: HashMap<NodeId, String>,
    /// Links from notes to their references.
    ways_back: HashSet<NodeId>,
}

/// A link inside the page.
struct Link {
    node: NodeId,
    target: String,
}

impl Footnotes {
    /// Where the time is over before, there are none.
    pub(super) fn of(page: &Page<'_>, kept: &Kept) -> Footnotes {
        let Page { tree, document } = page;
        let links = links(tree, kept);
        let mut found = Footnotes::default();
        if links.is_empty() {
            return found;
        }
        let by_id = ids(tree);
        // What links inside notes lead to: the references, or elements around them.
        let mut led_back: HashMap<NodeId, Vec<(NodeId, NodeId)>> = HashMap::new();
        let mut steps = Steps::default();
        for link in &links {
            if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
                return found;
            }
            let (Some(note), Some(to)) = (note_around(tree, link.node), by_id.get(&*link.target))
            else {
                continue;
            };
            led_back.entry(note).or_default().push((link.node, *to));
        }
        let mut used = HashSet::new();
        for link in &links {
            if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
                return Footnotes::default();
            }
            let Some(note) = by_id.get(&*link.target).and_then(|id| note_around(tree, *id)) else {
                continue;
            };
            // A note stands behind its reference, and not in it; otherwise every way back would be a reference, too.
            if tree.end_of(link.node) > note || !stands_free(tree, note) {
                continue;
            }
            let around: Vec<NodeId> = tree.ancestors(link.node).take(MAX_AROUND).collect();
            let back = led_back.get(&note).map(Vec::as_slice).unwrap_or_default();
            let back = back.iter().filter(|(_, to)| around.contains(to)).map(|(way, _)| *way);
            let ways: Vec<NodeId> = back.collect();
            let is_known = found.labels.contains_key(&note);
            if !is_known && ways.is_empty() && !(is_named(tree, note) && is_raised(tree, link.node))
            {
                continue;
            }
            found.references.insert(link.node, note);
            found.ways_back.extend(ways);
            if !is_known {
                let label = label(&tree.text_content(link.node), &mut used);
                found.labels.insert(note, label);
            }
        }
        found.drop_incomplete(tree, kept);
        found.widen_ways_back(tree);
        found
    }

    /// Notes of which nothing would be written, and notes in notes, are none.
    fn drop_incomplete(&mut self, tree: &Tree<'_>, kept: &Kept) {
        let notes: HashSet<NodeId> = self.labels.keys().copied().collect();
        let is_way_back = |node| tree.ancestors(node).take(4).any(|n| self.ways_back.contains(&n));
        self.labels.retain(|note, _| {
            let texts = *note..tree.end_of(*note);
            let mut texts = texts.filter(|node| tree.tag(*node).is_none() && kept.has(*node));
            let has_words = |node| {
                let mut around = tree.ancestors(node).take_while(|around| around != note);
                tree.text(node).contains(char::is_alphanumeric)
                    && !around.any(|around| tree.tag(around).is_some_and(is_drawn))
            };
            texts.any(|node| has_words(node) && !is_way_back(node))
                && !tree.ancestors(*note).skip(1).any(|around| notes.contains(&around))
        });
        let (labels, ways_back) = (&self.labels, &self.ways_back);
        self.references.retain(|link, note| labels.contains_key(note) && !ways_back.contains(link));
        // One may have lost its only reference: it was the way back of another.
        let referred: HashSet<NodeId> = self.references.values().copied().collect();
        self.labels.retain(|note, _| referred.contains(note));
        let labels = &self.labels;
        self.ways_back.retain(|way| tree.ancestors(*way).any(|node| labels.contains_key(&node)));
    }

    /// What the note is called that a link refers to.
    pub(super) fn reference(&self, link: NodeId) -> Option<&str> {
        self.label(*self.references.get(&link)?)
    }

    /// What the note is called that an element is.
    pub(super) fn label(&self, note: NodeId) -> Option<&str> {
        self.labels.get(&note).map(String::as_str)
    }

    /// Does a link lead from a note to its reference, or an element hold nothing else?
    pub(super) fn leads_back(&self, node: NodeId) -> bool {
        !self.ways_back.is_empty() && self.ways_back.contains(&node)
    }

    /// Elements that hold nothing but ways back and signs, such as `^ a b` and `[1]`, go with them.
    fn widen_ways_back(&mut self, tree: &Tree<'_>) {
        let links: Vec<NodeId> = self.ways_back.iter().copied().collect();
        for link in links {
            for around in tree.ancestors(link).skip(1).take(MAX_AROUND) {
                if self.labels.contains_key(&around) || self.ways_back.contains(&around) {
                    break;
                }
                let mut texts = (around..tree.end_of(around)).take(MAX_SIGNS).filter(|node| {
                    // `<a><sup><i><b>a</b></i></sup></a>`
                    let mut ways = tree.ancestors(*node).take(MAX_AROUND + 3);
                    tree.tag(*node).is_none() && !ways.any(|node| self.ways_back.contains(&node))
                });
                let is_long = tree.end_of(around) - around > MAX_SIGNS as NodeId;
                if is_long || texts.any(|node| tree.text(node).contains(char::is_alphanumeric)) {
                    break;
                }
                self.ways_back.insert(around);
            }
        }
    }
}

/// The page's own word for a note, if no other has it; else a number that none has.
fn label(written: &str, used: &mut HashSet<String>) -> String {
    let own: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
    let numbers = (used.len() + 1..).map(|number| number.to_string());
    let mut names = (!own.is_empty()).then_some(own).into_iter().chain(numbers);
    let name = names.find(|name| !used.contains(name)).unwrap_or_default();
    used.insert(name.clone());
    name
}

/// Is the note no part of a list, quote or table that goes on around it?
fn stands_free(tree: &Tree<'_>, note: NodeId) -> bool {
    let holds = |tag: Option<Tag>| {
        use Tag::*;
        // A heading is one line, whatever stands in it.
        tag.is_some_and(|tag| tag.is(flag::HEADING))
            || matches!(tag, Some(Li | Dd | Blockquote | Table | Pre | Listing | Xmp | Plaintext))
    };
    !tree.ancestors(note).skip(1).any(|around| holds(tree.tag(around)))
}

/// The kept links inside the page that are as short as references are.
fn links(tree: &Tree<'_>, kept: &Kept) -> Vec<Link> {
    let is_anchor = |node: &NodeId| {
        let node = &tree.nodes[*node as usize];
        node.href && node.tag == Tag::A
    };
    let mut found = Vec::new();
    for node in (0..kept.range.end).filter(is_anchor) {
        // Few links stay in the page: the others are told by one fast look.
        if memchr::memchr(b'#', tree.start_tag(node).as_bytes()).is_none() {
            continue;
        }
        let end = tree.end_of(node);
        let length: usize = (node..end).map(|node| tree.text(node).trim().len()).sum();
        if !(1..=MAX_REFERENCE).contains(&length) || !kept.any(node, end) {
            continue;
        }
        let href = tree.attribute(node, "href").unwrap_or_default();
        if let Some(target) = href.trim().strip_prefix('#').filter(|id| !id.is_empty()) {
            found.push(Link { node, target: target.to_owned() });
        }
    }
    found
}

/// Elements by their `id`; the first counts, as in browsers.
fn ids(tree: &Tree<'_>) -> HashMap<String, NodeId> {
    let mut ids = HashMap::new();
    for node in tree.nodes().filter(|node| tree.tag(*node).is_some()) {
        // Most tags are too short to have one.
        if tree.start_tag(node).len() < "p id=x".len() && tree.merged.is_empty() {
            continue;
        }
        let (id, name) = match tree.tag(node) {
            Some(Tag::A) => tree.attributes_named(node, ["id", "name"]).into(),
            _ => (tree.attribute(node, "id"), None),
        };
        let id = id.filter(|id| !id.is_empty());
        for id in [id, name].into_iter().flatten() {
            ids.entry(id.into_owned()).or_insert(node);
        }
    }
    ids
}

/// The element that would be the note where a link leads to, or from, this node.
fn note_around(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let is_note = |tag| matches!(tag, Some(Tag::Li | Tag::P | Tag::Dd | Tag::Aside));
    let mut around = tree.ancestors(node).take(6);
    let inner = around.find(|node| is_note(tree.tag(*node)) || is_named(tree, *node))?;
    // A paragraph may be all of an item.
    let parent = tree.parent(inner).filter(|node| tree.tag(*node) == Some(Tag::Li));
    Some(parent.filter(|_| tree.tag(inner) == Some(Tag::P)).unwrap_or(inner))
}

fn is_named(tree: &Tree<'_>, node: NodeId) -> bool {
    let is_block = matches!(
        tree.tag(node),
        Some(Tag::Li | Tag::P | Tag::Dd | Tag::Aside | Tag::Div | Tag::Section)
    );
    is_block
        && (tree
            .attribute(node, "role")
            .is_some_and(|role| matches!(&*role, "doc-footnote" | "doc-endnote" | "note"))
            || tree.attribute(node, "id").is_some_and(|id| {
                let id = id.to_ascii_lowercase();
                let rest = ["cite_note", "footnote", "endnote", "fn"]
                    .into_iter()
                    .find_map(|start| id.strip_prefix(start));
                rest.is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()))
            }))
}

/// Is the link set as references are?
fn is_raised(tree: &Tree<'_>, link: NodeId) -> bool {
    let role = tree.attribute(link, "role");
    role.is_some_and(|role| role == "doc-noteref")
        || tree.ancestors(link).skip(1).take(2).any(|node| tree.tag(node) == Some(Tag::Sup))
        || tree.children(link).any(|node| tree.tag(node) == Some(Tag::Sup))
}
