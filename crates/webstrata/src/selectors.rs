//! CSS selectors that find a text's element again.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::clock::{Clock, NODES_PER_CHECK, Steps};
use crate::html::tag::Tag;
use crate::tree::{NodeId, PATH, Tree};

/// Makes selectors for the nodes of one tree.
///
/// ```
/// use webstrata::{Limits, Selectors, Tree};
///
/// let tree = Tree::parse("<div id=a><p>one<p>two", &Limits::default());
/// let two = tree.nodes().last().unwrap();
/// assert_eq!(Selectors::new(&tree).of(two), "div#a > p:nth-of-type(2)");
/// ```
pub struct Selectors<'a, 't> {
    tree: &'a Tree<'t>,
    /// For each element its number among siblings of the same name; 0 where it is the only one.
    numbers: Vec<u32>,
    /// The elements that have an `id` fit for a selector.
    ids: HashMap<NodeId, String>,
}

impl<'a, 't> Selectors<'a, 't> {
    /// Numbers the elements of the tree, once for all selectors.
    pub fn new(tree: &'a Tree<'t>) -> Selectors<'a, 't> {
        Selectors::in_time(tree, &Clock::default()).expect("a clock without an end")
    }

    /// The same, unless the time is over before.
    pub(crate) fn in_time(tree: &'a Tree<'t>, clock: &Clock) -> Option<Selectors<'a, 't>> {
        type Siblings<'n> = (NodeId, Tag, Option<Cow<'n, str>>);
        let mut seen: HashMap<Siblings<'_>, (NodeId, u32)> = HashMap::new();
        let mut numbers = vec![0; tree.nodes().count()];
        let mut ids = HashMap::new();
        let mut steps = Steps::default();
        for node in tree.nodes() {
            if steps.are_over(clock, NODES_PER_CHECK) {
                return None;
            }
            let (Some(parent), Some(tag)) = (tree.parent(node), tree.tag(node)) else { continue };
            // Copies of a formatting element have its attributes, but an id is for one element.
            let id = (!tree.nodes[node as usize].carried).then(|| tree.attribute(node, "id"));
            if let Some(id) = id.flatten().filter(|id| is_plain(id)) {
                ids.insert(node, id.into_owned());
            }
            let name = (tag == Tag::Other).then(|| tree.name(node)).flatten();
            let (first, count) = seen.entry((parent, tag, name)).or_insert((node, 0));
            *count += 1;
            if *count > 1 {
                numbers[*first as usize] = 1;
                numbers[node as usize] = *count;
            }
        }
        Some(Selectors { tree, numbers, ids })
    }

    /// The way to the node's element from the nearest `id`, or from the root, or, where elements nest
    /// deeper than [`PATH`], from that far up.
    pub fn of(&self, node: NodeId) -> String {
        let mut parts = Vec::new();
        let elements = self.tree.ancestors(node).filter(|node| self.tree.tag(*node).is_some());
        for element in elements.take(PATH) {
            let name = self.tree.short_name(element).unwrap_or_default();
            // Names such as `o:p` would need escaping; `*` finds them as well.
            let name = if is_plain(&name) { name } else { "*".into() };
            if let Some(id) = self.ids.get(&element) {
                parts.push(format!("{name}#{id}"));
                break;
            }
            parts.push(match self.numbers[element as usize] {
                0 => name.into_owned(),
                number => format!("{name}:nth-of-type({number})"),
            });
        }
        parts.reverse();
        parts.join(" > ")
    }
}

/// A name or `id` that needs no escaping in a selector.
fn is_plain(id: &str) -> bool {
    id.len() <= 64
        && id.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && id.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}
