//! The URL Tree: how often texts stand on a site's pages (URL Tree paper, section 4).
//!
//! ```
//! use webstrata_site::url_key::Rules;
//! use webstrata_site::url_tree::{Heuristic, UrlTree, Visit, text_key};
//!
//! let mut tree = UrlTree::default();
//! for number in 0..6 {
//!     let url = format!("https://example.org/news/{number}.html");
//!     let key = Rules::default().key(&url, "").unwrap();
//!     let texts = vec![text_key("Subscribe now!"), text_key(["one", "two", "three", "four", "five", "six"][number])];
//!     tree.insert(&mut Visit { key: key.clone(), time: number as i64, texts, places: vec![] });
//!     let view = tree.view(&key);
//!     let node = view.select(Heuristic::Strict);
//!     // With five pages below /news the tree knows what is boilerplate there.
//!     assert_eq!(view.count(node, text_key("subscribe NOW")), number as u32 + 1);
//! }
//! ```
//!
//! A page is a set of keys: the hashes of its texts and, beyond the paper, of the places where they
//! stand. The tree is exactly what its documents make it: it can be rebuilt from the [`Visit`]s that it
//! still holds ([`UrlTree::restore`]), and a document that leaves takes its counts with it.
//!
//! **Counts are kept where they can matter.** Most keys are on one page only: of these, the tree knows
//! the page and no counts. Nodes with few documents have no counts either; their documents are few
//! enough to be asked. That is what makes a document cost a third of the paper's 6.5 kB
//! (`docs/streams.md`).

mod blocks;
#[cfg(test)]
mod naive;
mod nodes;
pub mod saved;
pub mod similar;
mod view;
mod visit;

use std::collections::{BTreeSet, HashMap, VecDeque};

use self::blocks::{Blocks, grow_slowly};
use self::nodes::{Counts, NONE, Nodes, ROOT};
pub use self::view::{Heuristic, NodeId, View};
pub use self::visit::{Visit, VisitError, text_key};

/// Documents below a node from which on its keys are counted: the least that any heuristic asks for.
const COUNTED: u32 = 5;
/// Parts of a key that have nodes; what is longer ends in one node.
const MAX_DEPTH: usize = 16;

/// What a tree may hold (section 6 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Documents of a domain.
    pub documents: usize,
    /// Seconds that a document may be older than the newest of its domain…
    pub age: i64,
    /// … unless it is among so many that came last.
    pub least: usize,
    /// Bytes of memory, by [`UrlTree::memory`]; the oldest documents of all leave first.
    pub memory: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { documents: 10_000, age: 14 * 24 * 3600, least: 100, memory: 1 << 30 }
    }
}

/// How often keys stand on the pages of sites.
#[derive(Clone, Debug)]
pub struct UrlTree {
    bounds: Bounds,
    is_similar: bool,
    nodes: Nodes,
    blocks: Blocks,
    counts: Counts,
    documents: Vec<Document>,
    free: Vec<u32>,
    /// Keys of all documents, for [`UrlTree::memory`].
    keys: usize,
    /// By the node of a domain, its documents in the order in which they came.
    domains: HashMap<u32, VecDeque<u32>>,
    /// For each domain, the serial of its oldest document.
    oldest: BTreeSet<(u64, u32)>,
    /// Where texts are counted by similarity: by domain and band, the sketches that live there.
    sketches: HashMap<(u32, u32), Vec<u64>>,
    /// Entries of all these lists.
    sketched: usize,
    next_serial: u64,
    evicted: Vec<u64>,
}

#[derive(Clone, Debug)]
struct Document {
    serial: u64,
    time: i64,
    node: u32,
    /// The next document of the node.
    next: u32,
    /// The numbers of its keys, ascending; those of texts that others may resemble come from `sketches`.
    blocks: Box<[u32]>,
}

impl Default for UrlTree {
    fn default() -> UrlTree {
        UrlTree::new(Bounds::default())
    }
}

impl UrlTree {
    /// An empty tree.
    pub fn new(bounds: Bounds) -> UrlTree {
        UrlTree {
            bounds,
            is_similar: false,
            nodes: Nodes::new(),
            blocks: Blocks::default(),
            counts: Counts::default(),
            documents: Vec::new(),
            free: Vec::new(),
            keys: 0,
            domains: HashMap::new(),
            oldest: BTreeSet::new(),
            sketches: HashMap::new(),
            sketched: 0,
            next_serial: 0,
            evicted: Vec::new(),
        }
    }

    /// An empty tree whose texts are [sketches](similar::sketch), of which those that are
    /// [alike](similar::alike) count as one.
    pub fn of_similar(bounds: Bounds) -> UrlTree {
        UrlTree { is_similar: true, ..UrlTree::new(bounds) }
    }

    /// Are texts that are nearly the same counted as one?
    pub fn is_similar(&self) -> bool {
        self.is_similar
    }

    /// Inserts a document and returns its serial number. Older documents may leave
    /// ([`UrlTree::take_evicted`]).
    ///
    /// The visit is changed to what the tree made of it, which is what [`UrlTree::restore`] wants: keys are
    /// sorted, sketches become those that are known, and the time is not before that of the domain's
    /// last document.
    pub fn insert(&mut self, visit: &mut Visit) -> u64 {
        let serial = self.next_serial;
        let domain = self.nodes.child_or_new(ROOT, visit.key.domain());
        if self.is_similar {
            self.recognise(domain, &mut visit.texts);
        }
        visit.tidy();
        if let Some(last) = self.domains.get(&domain).and_then(|documents| documents.back()) {
            visit.time = visit.time.max(self.documents[*last as usize].time);
        }
        self.restore(serial, visit);
        self.keep_bounds(domain, visit.time);
        serial
    }

    /// Inserts a document that the tree held before, and that [`UrlTree::insert`] has changed. No
    /// other leaves. Documents come in the order of their serial numbers.
    pub fn restore(&mut self, serial: u64, visit: &Visit) {
        let (domain, leaf) = self.grow_branch(visit);
        let number = self.number_document();
        // Each key once, or a key that is given twice would be counted twice and taken out once.
        let mut keys: Vec<u64> = visit.texts.iter().chain(&visit.places).copied().collect();
        keys.sort_unstable();
        keys.dedup();
        let mut blocks: Vec<u32> = keys.iter().map(|key| self.blocks.add(*key, number)).collect();
        if self.is_similar {
            visit.texts.iter().for_each(|sketch| self.remember(domain, *sketch));
        }
        blocks.sort_unstable();
        self.keys += blocks.len();
        let next = self.nodes.get(leaf).first_document;
        let (time, blocks) = (visit.time, blocks.into_boxed_slice());
        self.documents[number as usize] = Document { serial, time, node: leaf, next, blocks };
        self.nodes.get_mut(leaf).first_document = number;
        self.count_in(number);
        let queue = self.domains.entry(domain).or_default();
        if queue.is_empty() {
            self.oldest.insert((serial, domain));
        }
        queue.push_back(number);
        self.next_serial = self.next_serial.max(serial + 1);
    }

    fn grow_branch(&mut self, visit: &Visit) -> (u32, u32) {
        let domain = self.nodes.child_or_new(ROOT, visit.key.domain());
        let mut leaf = domain;
        for part in visit.key.branch().skip(1).take(MAX_DEPTH) {
            leaf = self.nodes.child_or_new(leaf, part);
        }
        (domain, leaf)
    }

    fn number_document(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            grow_slowly(&mut self.documents);
            let blocks = Box::default();
            self.documents.push(Document { serial: 0, time: 0, node: ROOT, next: NONE, blocks });
            self.documents.len() as u32 - 1
        })
    }

    /// Counts a document whose keys are in `blocks` already.
    fn count_in(&mut self, number: u32) {
        let Document { node: leaf, ref blocks, .. } = self.documents[number as usize];
        for &block in blocks {
            let known = self.blocks.get(block);
            if known.documents == 2 {
                // The key was on one page, which nobody counted.
                let other = &self.documents[(known.joined ^ number) as usize];
                add_above(&self.nodes, &mut self.counts, other.node, block);
            }
            if known.documents >= 2 {
                add_above(&self.nodes, &mut self.counts, leaf, block);
            }
        }
        let above: Vec<u32> = self.nodes.up(leaf).collect();
        self.nodes.get_mut(ROOT).documents += 1;
        for node in above {
            self.nodes.get_mut(node).documents += 1;
            if self.nodes.get(node).documents >= COUNTED && !self.nodes.get(node).is_counted {
                self.nodes.get_mut(node).is_counted = true;
                self.each_shared(node, |counts, block| counts.add(node, block));
            }
        }
    }

    /// Calls `each` for every key of every document below a node that other documents have, too.
    fn each_shared(&mut self, node: u32, each: impl Fn(&mut Counts, u32)) {
        for document in documents_below(&self.nodes, &self.documents, node) {
            for &block in &self.documents[document as usize].blocks {
                if self.blocks.get(block).documents >= 2 {
                    each(&mut self.counts, block);
                }
            }
        }
    }

    fn keep_bounds(&mut self, domain: u32, now: i64) {
        while let Some(queue) = self.domains.get(&domain) {
            let Some(oldest) = queue.front() else { break };
            let is_old =
                now.saturating_sub(self.documents[*oldest as usize].time) > self.bounds.age;
            let too_many = queue.len() > self.bounds.documents.max(1);
            if !too_many && (!is_old || queue.len() <= self.bounds.least.max(1)) {
                break;
            }
            self.evict(domain);
        }
        // The document that just came stays, whatever the budget.
        while self.memory() > self.bounds.memory && self.nodes.get(ROOT).documents > 1 {
            let Some(&(_, domain)) = self.oldest.first() else { break };
            self.evict(domain);
        }
    }

    /// The oldest document of a domain leaves.
    fn evict(&mut self, domain: u32) {
        let Some(queue) = self.domains.get_mut(&domain) else { return };
        let Some(number) = queue.pop_front() else { return };
        let serial = self.documents[number as usize].serial;
        self.oldest.remove(&(serial, domain));
        match queue.front() {
            Some(next) => {
                self.oldest.insert((self.documents[*next as usize].serial, domain));
            }
            None => {
                self.domains.remove(&domain);
            }
        }
        self.evicted.push(serial);
        self.count_out(number);
        self.unlink(number);
        let blocks = std::mem::take(&mut self.documents[number as usize].blocks);
        self.keys -= blocks.len();
        for block in blocks {
            let left = self.blocks.remove(block, number);
            if left.documents == 1 {
                // The key is on one page again, which nobody counts.
                let other = &self.documents[left.joined as usize];
                remove_above(&self.nodes, &mut self.counts, other.node, block);
            }
            if self.is_similar && (left.documents == 0 || self.count(domain, block) == 0) {
                self.forget(domain, left.key);
            }
        }
        self.prune(self.documents[number as usize].node);
        self.free.push(number);
    }

    fn count_out(&mut self, number: u32) {
        let Document { node: leaf, ref blocks, .. } = self.documents[number as usize];
        for &block in blocks {
            if self.blocks.get(block).documents >= 2 {
                remove_above(&self.nodes, &mut self.counts, leaf, block);
            }
        }
        let above: Vec<u32> = self.nodes.up(leaf).collect();
        self.nodes.get_mut(ROOT).documents -= 1;
        for node in above {
            self.nodes.get_mut(node).documents -= 1;
        }
    }

    /// Takes a document out of the list of its node, and the counts of nodes that have too few left.
    fn unlink(&mut self, number: u32) {
        let Document { node: leaf, next, .. } = self.documents[number as usize];
        let mut at = self.nodes.get(leaf).first_document;
        if at == number {
            self.nodes.get_mut(leaf).first_document = next;
        } else {
            while self.documents[at as usize].next != number {
                at = self.documents[at as usize].next;
            }
            self.documents[at as usize].next = next;
        }
        let few = |node: &u32| {
            let node = self.nodes.get(*node);
            node.is_counted && node.documents < COUNTED
        };
        let few: Vec<u32> = self.nodes.up(leaf).filter(few).collect();
        for node in few {
            self.each_shared(node, |counts, block| counts.remove(node, block));
            self.nodes.get_mut(node).is_counted = false;
        }
    }

    fn prune(&mut self, leaf: u32) {
        let empty = |node: &u32| self.nodes.get(*node).documents == 0;
        let empty: Vec<u32> = self.nodes.up(leaf).take_while(empty).collect();
        empty.into_iter().for_each(|node| self.nodes.remove(node));
    }

    /// Replaces sketches by those of the domain that are alike.
    fn recognise(&self, domain: u32, texts: &mut [u64]) {
        for text in texts {
            let lists = similar::bands(*text).map(|band| self.sketches.get(&(domain, band)));
            let known = lists.into_iter().flatten().flatten();
            // The least of them, whichever came first: a tree that was restored must take the same one.
            if let Some(alike) = known.filter(|known| similar::alike(**known, *text)).min() {
                *text = *alike;
            }
        }
    }

    fn remember(&mut self, domain: u32, sketch: u64) {
        for band in similar::bands(sketch) {
            let list = self.sketches.entry((domain, band)).or_default();
            if !list.contains(&sketch) {
                list.push(sketch);
                self.sketched += 1;
            }
        }
    }

    fn forget(&mut self, domain: u32, sketch: u64) {
        for band in similar::bands(sketch) {
            if let Some(list) = self.sketches.get_mut(&(domain, band)) {
                let before = list.len();
                list.retain(|known| *known != sketch);
                self.sketched -= before - list.len();
                if list.is_empty() {
                    self.sketches.remove(&(domain, band));
                }
            }
        }
    }

    /// The documents below a node that have a key.
    fn count(&self, node: u32, block: u32) -> u32 {
        let known = self.blocks.get(block);
        if node == ROOT {
            return known.documents;
        }
        if !self.nodes.get(node).is_counted {
            let below = documents_below(&self.nodes, &self.documents, node);
            let has = |document: &&u32| {
                self.documents[**document as usize].blocks.binary_search(&block).is_ok()
            };
            return below.iter().filter(has).count() as u32;
        }
        if known.documents == 1 {
            let leaf = self.documents[known.joined as usize].node;
            return self.nodes.up(leaf).any(|above| above == node).into();
        }
        self.counts.get(node, block)
    }

    /// The serial numbers of the documents that left since the last call.
    pub fn take_evicted(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.evicted)
    }

    /// How many documents it holds.
    pub fn len(&self) -> usize {
        self.nodes.get(ROOT).documents as usize
    }

    /// Does it hold none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many domains it holds documents of.
    pub fn domains(&self) -> usize {
        self.domains.len()
    }

    /// The serial number that the next document gets.
    pub fn next_serial(&self) -> u64 {
        self.next_serial
    }

    /// So many bytes are enough for what the tree holds, however tables have grown for it: what bounds go
    /// by. Room that a stream of other pages once needed is not given back.
    pub fn memory(&self) -> usize {
        // A table that has just grown is 7/16 full.
        let table = |entries: usize, size: usize| entries * (size + 1) * 16 / 7;
        let list = |entries: usize, size: usize| entries * size * 9 / 8;
        list(self.blocks.len(), size_of::<blocks::Block>() + 4)
            + table(self.blocks.len(), 4)
            + table(self.counts.len(), 12)
            + list(self.nodes.len(), size_of::<nodes::Node>())
            + table(self.nodes.len(), 4)
            // The queue of a domain doubles.
            + self.len() * (size_of::<Document>() * 9 / 8 + 16 + 8)
            + self.keys * 4
            + table(self.domains.len(), 40) + self.domains.len() * 40
            + table(self.sketches.len(), 32)
            // A list begins with room for four and doubles.
            + self.sketches.len() * 32
            + self.sketched * 16
    }

    /// How many bytes are taken, but for what the allocator adds.
    pub fn allocated(&self) -> usize {
        let queues: usize = self.domains.values().map(|queue| queue.capacity() * 4).sum();
        let lists: usize = self.sketches.values().map(|list| list.capacity() * 8).sum();
        self.blocks.allocated()
            + self.counts.allocated()
            + self.nodes.allocated()
            + self.documents.capacity() * size_of::<Document>()
            + self.free.capacity() * 4
            + self.keys * 4
            + self.domains.capacity() * 41
            + queues
            + self.sketches.capacity() * 33
            + lists
    }
}

fn add_above(nodes: &Nodes, counts: &mut Counts, leaf: u32, block: u32) {
    for node in nodes.up(leaf).filter(|node| nodes.get(*node).is_counted) {
        counts.add(node, block);
    }
}

fn remove_above(nodes: &Nodes, counts: &mut Counts, leaf: u32, block: u32) {
    for node in nodes.up(leaf).filter(|node| nodes.get(*node).is_counted) {
        counts.remove(node, block);
    }
}

fn documents_below(nodes: &Nodes, documents: &[Document], node: u32) -> Vec<u32> {
    let mut below = Vec::new();
    for node in nodes.below(node) {
        let mut document = nodes.get(node).first_document;
        while document != NONE {
            below.push(document);
            document = documents[document as usize].next;
        }
    }
    below
}
