//! Exact duplicates: pages with the same text, or with the same URL key.

use std::collections::{HashMap, VecDeque};

use xxhash_rust::xxh3::Xxh3;

use super::index::{Decision, Tally};

/// A number that two texts share if they are equal but for white space. Of 2⁶⁴ texts, two would share one by chance.
///
/// ```
/// use webstrata_corpus::similarity::text_key;
///
/// assert_eq!(text_key("High water\n\nat noon.\n"), text_key("High water at noon."));
/// assert_ne!(text_key("High water at noon."), text_key("high water at noon."));
/// assert_eq!(text_key(" \n"), None);
/// ```
pub fn text_key(text: &str) -> Option<u128> {
    let mut hasher = Xxh3::new();
    let mut any = false;
    for word in text.split_whitespace() {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
        any = true;
    }
    any.then(|| hasher.digest128())
}

/// The keys of pages that were kept, in bounded memory: where that is full, the oldest are forgotten.
#[derive(Debug)]
pub struct ExactIndex {
    memory: usize,
    bytes: usize,
    names: HashMap<u128, Box<str>>,
    /// The oldest first.
    order: VecDeque<u128>,
    tally: Tally,
}

/// What a page takes beside its name, in two tables that grow by doubling.
const PAGE: usize = 2 * (size_of::<(u128, Box<str>)>() + 1) + 2 * size_of::<u128>();

impl ExactIndex {
    /// An empty index that takes about `memory` bytes at most.
    pub fn new(memory: usize) -> ExactIndex {
        let (names, order) = (HashMap::new(), VecDeque::new());
        ExactIndex { memory, bytes: 0, names, order, tally: Tally::default() }
    }

    /// Decides what a page is, and keeps it if it is the first with its key.
    pub fn add(&mut self, name: &str, key: u128) -> Decision<'_> {
        if self.names.contains_key(&key) {
            self.tally.duplicates += 1;
            return Decision::Duplicate { of: &self.names[&key], similarity: 1.0 };
        }
        self.keep(name, key);
        Decision::Kept
    }

    /// The kept page with this key. Keeps and counts nothing.
    pub fn find(&self, key: u128) -> Option<&str> {
        self.names.get(&key).map(|name| &**name)
    }

    /// Keeps a page, unless one with its key is there.
    pub fn keep(&mut self, name: &str, key: u128) {
        if self.names.contains_key(&key) {
            return;
        }
        self.names.insert(key, name.into());
        self.order.push_back(key);
        self.bytes += PAGE + name.len();
        self.tally.kept += 1;
        while self.bytes > self.memory && self.order.len() > 1 {
            self.forget();
        }
    }

    /// The counts so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    fn forget(&mut self) {
        if let Some(name) = self.order.pop_front().and_then(|key| self.names.remove(&key)) {
            self.bytes -= PAGE + name.len();
            self.tally.forgotten += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_kept() {
        let mut index = ExactIndex::new(1 << 20);
        assert_eq!(index.add("a", 7), Decision::Kept);
        assert_eq!(index.add("b", 8), Decision::Kept);
        assert_eq!(index.add("c", 7), Decision::Duplicate { of: "a", similarity: 1.0 });
        let wanted = Tally { kept: 2, duplicates: 1, ..Tally::default() };
        assert_eq!(index.tally(), wanted);
    }

    #[test]
    fn the_oldest_leave_where_the_memory_is_full() {
        let mut index = ExactIndex::new(10 * PAGE);
        (0..100).for_each(|key| assert_eq!(index.add("", key), Decision::Kept));
        assert_eq!(index.tally().forgotten, 90);
        assert_eq!(index.add("again", 0), Decision::Kept);
        assert!(matches!(index.add("again", 99), Decision::Duplicate { .. }));
    }
}
