//! The best pages for several mixes of ranks, in one pass over the pages that match.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader, TantivyError};

use crate::ranks::ReadyMix;

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
struct Best {
    pages: BinaryHeap<Worst>,
    /// What a page needs to come into question.
    least: f32,
}

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
    fn new() -> Best {
        Best { pages: BinaryHeap::new(), least: f32::NEG_INFINITY }
    }

    fn push(&mut self, top: Top, most: usize) {
        if self.pages.len() < most {
            self.pages.push(Worst(top));
        } else if let Some(mut worst) = self.pages.peek_mut()
            && top.order(&worst.0).is_lt()
        {
            *worst = Worst(top);
        }
        if self.pages.len() >= most {
            self.least = self.pages.peek().map_or(f32::INFINITY, |worst| worst.0.score);
        }
    }

    fn into_sorted(self) -> Vec<Top> {
        self.pages.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

/// Collects the best pages for each mix, and counts all.
pub(crate) struct Bests {
    pub(crate) mixes: Arc<[ReadyMix]>,
    pub(crate) most: usize,
    /// The numbers of pages, for each segment.
    pub(crate) numbers: Arc<[Numbers]>,
}

/// The numbers of a segment's pages.
pub(crate) type Numbers = Arc<dyn ColumnValues<u64>>;

/// How many pages matched, and the best for each mix.
pub(crate) type Found = (u64, Vec<Vec<Top>>);

impl Collector for Bests {
    type Fruit = Found;
    type Child = SegmentBests;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        _: &SegmentReader,
    ) -> tantivy::Result<SegmentBests> {
        let numbers = self.numbers.get(segment as usize).map(Arc::clone);
        Ok(SegmentBests {
            segment,
            numbers: numbers.ok_or_else(|| {
                TantivyError::InternalError("a segment that the searcher does not know".into())
            })?,
            mixes: Arc::clone(&self.mixes),
            most: self.most,
            count: 0,
            bests: self.mixes.iter().map(|_| Best::new()).collect(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, found: Vec<Found>) -> tantivy::Result<Found> {
        let mut count = 0;
        let mut bests: Vec<Best> = self.mixes.iter().map(|_| Best::new()).collect();
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
    numbers: Numbers,
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
            // Nearly all pages end here.
            if score < best.least {
                continue;
            }
            best.push(Top { number, score, text_score, rank, address }, self.most);
        }
    }

    fn harvest(self) -> Found {
        (self.count, self.bests.into_iter().map(Best::into_sorted).collect())
    }
}
