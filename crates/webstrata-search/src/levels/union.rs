//! Several lists of pages as one, with the sums of their counts.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

/// Pages that are added up at a time.
const WINDOW: usize = 1024;

/// The pages that are in any of some lists. Lists are not compared with each other: each adds its counts
/// to a window of pages, so that a hundred lists cost what their pages cost.
pub(super) struct Union {
    lists: Vec<SegmentPostings>,
    counts: Box<[u32; WINDOW]>,
    /// The first page of the window.
    start: DocId,
    doc: DocId,
    size: u32,
}

impl Union {
    pub(super) fn new(lists: Vec<SegmentPostings>) -> Union {
        let size = lists.iter().fold(0_u32, |sum, list| sum.saturating_add(list.size_hint()));
        let mut union =
            Union { lists, counts: Box::new([0; WINDOW]), start: 0, doc: TERMINATED, size };
        union.fill();
        union
    }

    /// How often the page that it stands at has the word.
    pub(super) fn count(&self) -> u32 {
        let at = self.doc.wrapping_sub(self.start) as usize;
        self.counts.get(at).copied().unwrap_or(0)
    }

    /// Moves the window to the next page of any list.
    fn fill(&mut self) {
        self.lists.retain(|list| list.doc() != TERMINATED);
        let Some(start) = self.lists.iter().map(DocSet::doc).min() else {
            self.doc = TERMINATED;
            return;
        };
        self.counts.fill(0);
        self.start = start;
        self.doc = start;
        let end = start.saturating_add(WINDOW as u32).min(TERMINATED);
        for list in &mut self.lists {
            let mut doc = list.doc();
            while doc < end {
                let count = &mut self.counts[(doc - start) as usize];
                *count = count.saturating_add(list.term_freq());
                doc = list.advance();
            }
        }
    }

    /// Goes to the first page of the window from this one on, or to the next window.
    fn scan(&mut self, from: DocId) -> DocId {
        let at = (from - self.start) as usize;
        match self.counts.get(at..).unwrap_or_default().iter().position(|count| *count > 0) {
            Some(ahead) => self.doc = from + ahead as u32,
            None => self.fill(),
        }
        self.doc
    }
}

impl DocSet for Union {
    fn advance(&mut self) -> DocId {
        if self.doc == TERMINATED {
            return TERMINATED;
        }
        self.scan(self.doc + 1)
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        if (target - self.start) as usize >= WINDOW {
            for list in self.lists.iter_mut().filter(|list| list.doc() < target) {
                list.seek(target);
            }
            self.fill();
            return self.doc;
        }
        self.scan(target)
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        self.size
    }
}
