//! The URL Tree of a stream, with the numbers that the store knows its documents by.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::Key;
use crate::store::{Error, KeptVisit, Store};

/// How URL keys are made.
#[derive(Debug, Default)]
pub struct Keys;

impl Keys {
    /// The key of a page.
    pub(super) fn key(&self, url: &str, _title: &str) -> Option<Key> {
        let text = url.split('#').next()?.to_owned();
        Some(Key { hash: xxh3_128(text.as_bytes()), text })
    }
}

/// The URL Tree of a stream.
#[derive(Debug, Default)]
pub struct SiteTree {
    next: u64,
}

/// What an insertion changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inserted {
    /// The store's number of the new document.
    pub(super) serial: u64,
    /// Those of documents that had to leave.
    pub(super) evicted: Vec<u64>,
}

impl SiteTree {
    /// The tree that the store has.
    pub(super) fn load(store: &Store) -> Result<SiteTree, Error> {
        let mut tree = SiteTree { next: store.numbers()?.serial };
        store.visits(|serial, _| tree.next = tree.next.max(serial + 1))?;
        Ok(tree)
    }

    pub(super) fn insert(&mut self, _visit: &KeptVisit) -> Inserted {
        self.next += 1;
        Inserted { serial: self.next - 1, evicted: Vec::new() }
    }

    /// Documents in it.
    pub fn documents(&self) -> u64 {
        self.next
    }
}

/// The hash of a block's text.
pub fn block_hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}
