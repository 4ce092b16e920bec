//! The nodes of the tree, and how often keys stand below them.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use super::blocks::grow_slowly;

/// No node, or no document.
pub(super) const NONE: u32 = u32::MAX;
/// The root.
pub(super) const ROOT: u32 = 0;

/// A part of a URL key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    name: u64,
    pub(super) parent: u32,
    pub(super) first_child: u32,
    pub(super) next: u32,
    previous: u32,
    /// Documents below, n_s.
    pub(super) documents: u32,
    /// The first of the documents whose keys end here.
    pub(super) first_document: u32,
    /// Are the keys below counted in [`Counts`]?
    pub(super) is_counted: bool,
}

/// All nodes.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    free: Vec<u32>,
    children: HashTable<u32>,
}

impl Nodes {
    pub(super) fn new() -> Nodes {
        let root = Node::new(0, NONE);
        Nodes { nodes: vec![root], free: Vec::new(), children: HashTable::new() }
    }

    pub(super) fn get(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn get_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.children.len() + 1
    }

    /// The child of that name.
    pub(super) fn child(&self, parent: u32, name: &str) -> Option<u32> {
        self.named(parent, xxh3_64(name.as_bytes()))
    }

    fn named(&self, parent: u32, name: u64) -> Option<u32> {
        let is = |node: &u32| {
            let node = self.get(*node);
            node.parent == parent && node.name == name
        };
        self.children.find(place(parent, name), is).copied()
    }

    /// The child of that name, made where there is none.
    pub(super) fn child_or_new(&mut self, parent: u32, name: &str) -> u32 {
        let name = xxh3_64(name.as_bytes());
        if let Some(child) = self.named(parent, name) {
            return child;
        }
        let mut node = Node::new(name, parent);
        node.next = self.get(parent).first_child;
        let next = node.next;
        let child = match self.free.pop() {
            Some(child) => {
                self.nodes[child as usize] = node;
                child
            }
            None => {
                grow_slowly(&mut self.nodes);
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        if next != NONE {
            self.get_mut(next).previous = child;
        }
        self.get_mut(parent).first_child = child;
        let nodes = &self.nodes;
        let hash = |node: &u32| place(nodes[*node as usize].parent, nodes[*node as usize].name);
        self.children.insert_unique(place(parent, name), child, hash);
        child
    }

    /// Takes a node without children out.
    pub(super) fn remove(&mut self, node: u32) {
        let Node { name, parent, next, previous, .. } = *self.get(node);
        if let Ok(entry) = self.children.find_entry(place(parent, name), |other| *other == node) {
            entry.remove();
        }
        match previous {
            NONE => self.get_mut(parent).first_child = next,
            _ => self.get_mut(previous).next = next,
        }
        if next != NONE {
            self.get_mut(next).previous = previous;
        }
        self.free.push(node);
    }

    /// A node and those above it, but for the root.
    pub(super) fn up(&self, node: u32) -> impl Iterator<Item = u32> {
        let parent = |node: &u32| Some(self.get(*node).parent).filter(|parent| *parent != ROOT);
        std::iter::successors(Some(node).filter(|node| *node != ROOT), parent)
    }

    /// All nodes below a node, and itself.
    pub(super) fn below(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut open = vec![node];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            let mut child = self.get(node).first_child;
            while child != NONE {
                open.push(child);
                child = self.get(child).next;
            }
            Some(node)
        })
    }

    pub(super) fn allocated(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.free.capacity() * size_of::<u32>()
            + self.children.allocation_size()
    }
}

impl Node {
    fn new(name: u64, parent: u32) -> Node {
        Node {
            name,
            parent,
            first_child: NONE,
            next: NONE,
            previous: NONE,
            documents: 0,
            first_document: NONE,
            is_counted: false,
        }
    }
}

/// How many documents below a node have a key, where the node is counted and other documents of the
/// tree have the key, too.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    counts: HashTable<Count>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    node: u32,
    block: u32,
    documents: u32,
}

impl Counts {
    pub(super) fn get(&self, node: u32, block: u32) -> u32 {
        let is = |count: &Count| count.node == node && count.block == block;
        self.counts.find(pair(node, block), is).map_or(0, |count| count.documents)
    }

    pub(super) fn add(&mut self, node: u32, block: u32) {
        let is = |count: &Count| count.node == node && count.block == block;
        let hash = |count: &Count| pair(count.node, count.block);
        let entry = self.counts.entry(pair(node, block), is, hash);
        let new = || Count { node, block, documents: 0 };
        entry.or_insert_with(new).get_mut().documents += 1;
    }

    pub(super) fn remove(&mut self, node: u32, block: u32) {
        let is = |count: &Count| count.node == node && count.block == block;
        if let Ok(mut entry) = self.counts.find_entry(pair(node, block), is) {
            entry.get_mut().documents -= 1;
            if entry.get().documents == 0 {
                entry.remove();
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn allocated(&self) -> usize {
        self.counts.allocation_size()
    }
}

fn place(parent: u32, name: u64) -> u64 {
    (name ^ u64::from(parent)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn pair(node: u32, block: u32) -> u64 {
    let both = u64::from(node) << 32 | u64::from(block);
    let spread = both.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The low bits of a product know nothing of the high bits of its factors.
    (spread ^ spread >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
