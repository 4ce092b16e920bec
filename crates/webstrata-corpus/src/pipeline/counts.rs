//! What a run has counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What came in, what was written, and why the rest was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages and records that were read.
    pub read: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Records that were written.
    pub written: u64,
    /// Words of their main texts.
    pub words: u64,
    /// Pages that were dropped, by step and reason, such as `gopher-quality/too-few-words`.
    pub dropped: BTreeMap<String, u64>,
    /// Words of their main texts, by the same names.
    #[serde(default)]
    pub dropped_words: BTreeMap<String, u64>,
    /// Lines and paragraphs of written records that were taken out because other pages have them.
    #[serde(default)]
    pub repeated: u64,
    /// What was broken or refused, by kind.
    pub problems: BTreeMap<String, u64>,
}

impl Counts {
    /// One more page was dropped, with a main text of so many words.
    pub fn drop(&mut self, reason: &str, words: u64) {
        *self.dropped.entry(reason.to_owned()).or_default() += 1;
        *self.dropped_words.entry(reason.to_owned()).or_default() += words;
    }

    /// One more problem; returns how many of its kind there are.
    pub fn problem(&mut self, kind: &str) -> u64 {
        let count = self.problems.entry(kind.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// All pages are accounted for: each was written, dropped, or had a problem as it was judged.
    pub fn dropped_in_all(&self) -> u64 {
        self.dropped.values().sum()
    }
}
