//! The best pages for several mixes of ranks, in one pass over the pages that match.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::ranks::ReadyMix;
use crate::schema::NUMBER;

/// A page among the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// The page's number, which is its place in vectors of ranks.
    pub number: u64,
    /// Text and rank together (Equation 3.5).
    pub score: f32,
    /// The text alone.
    pub text_score: f32,
    /// The rank that was multiplied with it.
    pub rank: f32,
    pub(crate) address: DocAddress,
}

impl Top {
    /// Better ones first, and of equals those that came first.
    fn order(&self, other: &Top) -> Ordering {
        other.score.total_cmp(&self.score).then(self.number.cmp(&other.number))
    }
}

/// The best of many pages, the worst of them on top.
#[derive(Default)]
struct Best(BinaryHeap<Worst>);

struct Worst(Top);

impl Ord for Worst {
    fn cmp(&self, other: &Worst) -> Ordering {
        self.0.order(&other.0)
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Worst) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Worst) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worst {}

impl Best {
    fn push(&mut self, top: Top, most: usize) {
        if self.0.len() < most {
            self.0.push(Worst(top));
        } else if let Some(mut worst) = self.0.peek_mut()
            && top.order(&worst.0).is_lt()
        {
            *worst = Worst(top);
        }
    }

    fn into_sorted(self) -> Vec<Top> {
        self.0.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

/// Collects the best pages for each mix, and counts all.
pub(crate) struct Bests {
    pub(crate) mixes: Arc<[ReadyMix]>,
    pub(crate) most: usize,
}

/// How many pages matched, and the best for each mix.
pub(crate) type Found = (u64, Vec<Vec<Top>>);

impl Collector for Bests {
    type Fruit = Found;
    type Child = SegmentBests;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SegmentBests> {
        Ok(SegmentBests {
            segment,
            numbers: reader.fast_fields().u64(NUMBER)?.first_or_default_col(0),
            mixes: Arc::clone(&self.mixes),
            most: self.most,
            count: 0,
            bests: self.mixes.iter().map(|_| Best::default()).collect(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, found: Vec<Found>) -> tantivy::Result<Found> {
        let mut count = 0;
        let mut bests: Vec<Best> = self.mixes.iter().map(|_| Best::default()).collect();
        for (of_segment, tops) in found {
            count += of_segment;
            for (best, tops) in bests.iter_mut().zip(tops) {
                tops.into_iter().for_each(|top| best.push(top, self.most));
            }
        }
        Ok((count, bests.into_iter().map(Best::into_sorted).collect()))
    }
}

pub(crate) struct SegmentBests {
    segment: SegmentOrdinal,
    numbers: Arc<dyn ColumnValues<u64>>,
    mixes: Arc<[ReadyMix]>,
    most: usize,
    count: u64,
    bests: Vec<Best>,
}

impl SegmentCollector for SegmentBests {
    type Fruit = Found;

    fn collect(&mut self, doc: DocId, text_score: Score) {
        self.count += 1;
        if self.most == 0 {
            return;
        }
        let number = self.numbers.get_val(doc);
        let address = DocAddress::new(self.segment, doc);
        for (mix, best) in self.mixes.iter().zip(&mut self.bests) {
            let rank = mix.rank(number);
            let score = mix.score(text_score, rank);
            best.push(Top { number, score, text_score, rank, address }, self.most);
        }
    }

    fn harvest(self) -> Found {
        (self.count, self.bests.into_iter().map(Best::into_sorted).collect())
    }
}
