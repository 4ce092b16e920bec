//! One word at a level, as a query of tantivy's.

use std::sync::Arc;

use tantivy::columnar::Column;
use tantivy::fastfield::AliveBitSet;
use tantivy::query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError};

use super::union::Union;
use super::{END, Key, Keys, length};
use crate::schema::LENGTHS;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// How many words the pages of an index have under each key. Counted once for each state of the index.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    documents: u64,
    words: Vec<(Key, u64)>,
}

impl Totals {
    pub(crate) fn count(searcher: &tantivy::Searcher) -> tantivy::Result<Totals> {
        let mut words = std::collections::BTreeMap::new();
        let mut documents = 0;
        for segment in searcher.segment_readers() {
            let lengths = lengths_of(segment)?;
            for doc in segment.doc_ids_alive() {
                documents += 1;
                for (key, count) in lengths.values_for_doc(doc).map(length) {
                    *words.entry(key).or_insert(0) += count;
                }
            }
        }
        Ok(Totals { documents, words: words.into_iter().collect() })
    }

    /// Words of a page at a level, in the mean.
    fn mean(&self, keys: Keys) -> f32 {
        let words = self.words.iter().filter(|(key, _)| keys.contains(*key));
        let sum: u64 = words.map(|(_, count)| count).sum();
        (sum as f64 / self.documents.max(1) as f64).max(f64::MIN_POSITIVE) as f32
    }
}

fn lengths_of(segment: &SegmentReader) -> tantivy::Result<Column<u64>> {
    // A segment without a single word has no such column.
    let column = segment.fast_fields().column_opt::<u64>(LENGTHS)?;
    Ok(column.unwrap_or_else(|| Column::build_empty_column(segment.max_doc())))
}

/// A word at a level.
#[derive(Clone, Debug)]
pub(crate) struct LevelTerm {
    pub(crate) field: Field,
    pub(crate) word: String,
    pub(crate) keys: Keys,
    pub(crate) totals: Arc<Totals>,
}

impl LevelTerm {
    /// The pages of a segment that have the word under any of the keys.
    fn union(&self, segment: &SegmentReader) -> tantivy::Result<Union> {
        let index = segment.inverted_index(self.field)?;
        let bound =
            |key: Key| -> String { self.word.chars().chain([END]).chain(key.chars()).collect() };
        let range = index.terms().range();
        let mut keys = range.ge(bound(self.keys.from)).le(bound(self.keys.to)).into_stream()?;
        let mut lists = Vec::new();
        while keys.advance() {
            let list =
                index.read_postings_from_terminfo(keys.value(), IndexRecordOption::WithFreqs)?;
            lists.push(list);
        }
        Ok(Union::new(lists))
    }

    /// How many pages have the word.
    fn documents(&self, searcher: &tantivy::Searcher) -> tantivy::Result<u64> {
        let mut documents = 0;
        for segment in searcher.segment_readers() {
            let mut union = self.union(segment)?;
            documents += count(&mut union, segment.alive_bitset());
        }
        Ok(documents)
    }
}

fn count(pages: &mut Union, alive: Option<&AliveBitSet>) -> u64 {
    let mut count = 0;
    while pages.doc() != TERMINATED {
        count += u64::from(alive.is_none_or(|alive| alive.is_alive(pages.doc())));
        pages.advance();
    }
    count
}

impl Query for LevelTerm {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let (mut gain, mut mean) = (0.0, 1.0);
        if let EnableScoring::Enabled { searcher, .. } = scoring {
            let (all, with) = (self.totals.documents as f32, self.documents(searcher)? as f32);
            let idf = (1.0 + ((all - with).max(0.0) + 0.5) / (with + 0.5)).ln();
            gain = idf * (K1 + 1.0);
            mean = self.totals.mean(self.keys);
        }
        Ok(Box::new(LevelWeight { term: self.clone(), gain, mean }))
    }
}

struct LevelWeight {
    term: LevelTerm,
    /// What a page gets that has nothing but the word.
    gain: f32,
    /// The mean length of pages.
    mean: f32,
}

impl Weight for LevelWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let union = self.term.union(segment)?;
        if union.doc() == TERMINATED {
            return Ok(Box::new(EmptyScorer));
        }
        Ok(Box::new(LevelScorer {
            union,
            lengths: lengths_of(segment)?,
            keys: self.term.keys,
            gain: self.gain * boost,
            mean: self.mean,
        }))
    }

    fn explain(&self, segment: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        let mut scorer = self.scorer(segment, 1.0)?;
        if scorer.seek(doc) != doc {
            let line = format!("document {doc} does not have the word");
            return Err(TantivyError::InvalidArgument(line));
        }
        Ok(Explanation::new("BM25 of a word at a level", scorer.score()))
    }
}

struct LevelScorer {
    union: Union,
    lengths: Column<u64>,
    keys: Keys,
    gain: f32,
    mean: f32,
}

impl DocSet for LevelScorer {
    fn advance(&mut self) -> DocId {
        self.union.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.union.seek(target)
    }

    fn doc(&self) -> DocId {
        self.union.doc()
    }

    fn size_hint(&self) -> u32 {
        self.union.size_hint()
    }
}

impl Scorer for LevelScorer {
    fn score(&mut self) -> Score {
        let count = self.union.count() as f32;
        let lengths = self.lengths.values_for_doc(self.union.doc()).map(length);
        let words: u64 =
            lengths.filter(|(key, _)| self.keys.contains(*key)).map(|(_, count)| count).sum();
        let norm = K1 * (1.0 - B + B * words as f32 / self.mean);
        self.gain * count / (count + norm)
    }
}
