//! Counts of very many different things in bounded memory.
//!
//! A table counts exactly as long as it has at most so many entries. Where it grows beyond that, the
//! rarest leave, until at most half are left (lossy counting). An entry that left and comes back begins
//! anew, so its count is too low by at most [`Table::error`], the sum of the counts that it took to
//! stay; counts are never too high.

use std::collections::HashMap;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

/// What is counted about one thing.
pub(crate) trait Entry {
    /// How often it was seen: the rarest leave a full table first.
    fn count(&self) -> u32;
    /// Adds what another table knows about the same thing.
    fn merge(&mut self, other: Self);
    /// Something that stays in the table for longer; it may forget what only frequent things need.
    fn settle(&mut self) {}
}

/// A table of at most so many entries.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "K: Serialize + serde::de::DeserializeOwned + Hash + Eq + Ord, \
                 E: Serialize + serde::de::DeserializeOwned")]
pub(crate) struct Table<K, E> {
    #[serde(with = "pairs")]
    entries: HashMap<K, E>,
    capacity: usize,
    error: u32,
    dropped: u64,
}

impl<K: Hash + Eq, E: Entry> Table<K, E> {
    pub(crate) fn new(capacity: usize) -> Table<K, E> {
        Table { entries: HashMap::new(), capacity, error: 0, dropped: 0 }
    }

    /// By how much a count may be too low.
    pub(crate) fn error(&self) -> u32 {
        self.error
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many entries left; those that came back and left again count again.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, key: &K) -> Option<&E> {
        self.entries.get(key)
    }

    /// In no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &E)> {
        self.entries.iter()
    }

    pub(crate) fn add(&mut self, key: K, entry: E) {
        match self.entries.entry(key) {
            std::collections::hash_map::Entry::Occupied(mut known) => known.get_mut().merge(entry),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(entry);
            }
        }
    }

    /// Takes over another table, and drops the rarest if there are too many now.
    pub(crate) fn merge(&mut self, other: Table<K, E>) {
        self.error += other.error;
        self.dropped += other.dropped;
        for (key, mut entry) in other.entries {
            match self.entries.entry(key) {
                std::collections::hash_map::Entry::Occupied(mut known) => {
                    known.get_mut().merge(entry);
                }
                std::collections::hash_map::Entry::Vacant(free) => {
                    entry.settle();
                    free.insert(entry);
                }
            }
        }
        self.prune();
    }

    fn prune(&mut self) {
        if self.entries.len() <= self.capacity {
            return;
        }
        let mut counts: Vec<u32> = self.entries.values().map(Entry::count).collect();
        let (_, least, _) = counts.select_nth_unstable(self.entries.len() - self.capacity / 2 - 1);
        let least = *least;
        let before = self.entries.len();
        self.entries.retain(|_, entry| entry.count() > least);
        self.dropped += (before - self.entries.len()) as u64;
        self.error += least;
    }
}

/// Maps as sorted lists of pairs: the same table is the same bytes, whatever its hasher.
mod pairs {
    use std::collections::HashMap;
    use std::hash::Hash;

    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<K: Serialize + Ord, E: Serialize, S: Serializer>(
        entries: &HashMap<K, E>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut pairs: Vec<(&K, &E)> = entries.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        serializer.collect_seq(pairs)
    }

    pub(super) fn deserialize<'de, K, E, D>(deserializer: D) -> Result<HashMap<K, E>, D::Error>
    where
        K: DeserializeOwned + Hash + Eq,
        E: DeserializeOwned,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, E)>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Entry for u32 {
        fn count(&self) -> u32 {
            *self
        }
        fn merge(&mut self, other: u32) {
            *self += other;
        }
    }

    /// Counts the items by tables of four, one after the other.
    fn counted(items: &[u8], capacity: usize) -> Table<u8, u32> {
        let mut total = Table::new(capacity);
        for chunk in items.chunks(4) {
            let mut table = Table::new(capacity);
            chunk.iter().for_each(|item| table.add(*item, 1));
            total.merge(table);
        }
        total
    }

    proptest! {
        #[test]
        fn counts_are_as_exact_as_is_said(items in prop::collection::vec(0u8..40, 0..400)) {
            for capacity in [4, 8, 64] {
                let table = counted(&items, capacity);
                prop_assert!(table.len() <= capacity);
                for item in 0..40 {
                    let truth = items.iter().filter(|other| **other == item).count() as u32;
                    let count = table.get(&item).copied().unwrap_or(0);
                    prop_assert!(count <= truth && truth <= count + table.error());
                }
                prop_assert!(capacity < 40 || table.error() == 0);
            }
        }

        #[test]
        fn a_table_survives_json(items in prop::collection::vec(0u8..40, 0..100)) {
            let table = counted(&items, 8);
            let json = serde_json::to_string(&table).unwrap();
            let again: Table<u8, u32> = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(serde_json::to_string(&again).unwrap(), json);
        }
    }

    #[test]
    fn the_frequent_stay() {
        let items: Vec<u8> = (0..200).flat_map(|n| [n, 250]).collect();
        let table = counted(&items, 8);
        assert!(table.get(&250).is_some_and(|count| count + table.error() >= 200));
        assert!(table.dropped() > 100);
    }
}
