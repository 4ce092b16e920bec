//! Block Fusion: Algorithm 4.1 and its variants.
//!
//! The algorithm goes through all blocks again and again until nothing is fused any more, which takes
//! the square of their number where each round fuses little. What a test says depends on three
//! neighbours only: as long as none of them changes, it need not be made again. So a round makes the
//! tests of blocks beside those that the round before it fused, in the same order, and the outcome is
//! the same. A fusion asks for three tests at most, so all rounds together cost a fixed number
//! of tests for each block, however many rounds there are. A test in `tests.rs` compares with the
//! algorithm as it is printed.

use super::{Method, Segment, Segmenter};

/// A page's segments, and how they came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The segments, in page order.
    pub segments: Vec<Segment>,
    /// How often the algorithm goes through the blocks; the last time in vain, unless it was stopped.
    pub iterations: usize,
    /// How often a block was compared with its neighbours: at most four times the number of blocks.
    pub comparisons: usize,
}

/// The density up to which blocks are sparse (footnote 6).
const SPARSE: f64 = 5.0;

/// No block: there is none on that side.
const NONE: usize = usize::MAX;

pub(crate) fn fuse(blocks: Vec<Segment>, segmenter: &Segmenter) -> Fused {
    let mut fusion = Fusion::new(blocks, segmenter);
    let iterations = fusion.run();
    let comparisons = fusion.comparisons;
    Fused { segments: fusion.finish(), iterations, comparisons }
}

/// Blocks in a doubly linked list; a fused block is in the place of its last one.
struct Fusion<'a> {
    segmenter: &'a Segmenter,
    blocks: Vec<Segment>,
    previous: Vec<usize>,
    next: Vec<usize>,
    is_fused: Vec<bool>,
    comparisons: usize,
}

impl<'a> Fusion<'a> {
    fn new(blocks: Vec<Segment>, segmenter: &'a Segmenter) -> Fusion<'a> {
        let count = blocks.len();
        Fusion {
            segmenter,
            blocks,
            previous: (0..count).map(|block| block.checked_sub(1).unwrap_or(NONE)).collect(),
            next: (1..=count).map(|block| if block == count { NONE } else { block }).collect(),
            is_fused: vec![false; count],
            comparisons: 0,
        }
    }

    /// Fuses until nothing changes, and says how often the algorithm would go through all blocks.
    fn run(&mut self) -> usize {
        let mut todo: Vec<usize> = match self.segmenter.method {
            Method::WordWrap | Method::TagGap => Vec::new(),
            _ => (1..self.blocks.len()).collect(),
        };
        let mut iterations = 0;
        while self.segmenter.iterations.is_none_or(|most| iterations < most) {
            iterations += 1;
            todo = self.round(&todo);
            if todo.is_empty() {
                break;
            }
        }
        iterations
    }

    /// Goes through the blocks that have to be looked at, ascending, and returns those of the next
    /// round: none if nothing was fused.
    fn round(&mut self, todo: &[usize]) -> Vec<usize> {
        let mut again: Vec<usize> = Vec::new();
        let mut has_fused = false;
        // Blocks up to here had their turn.
        let mut done = 0;
        for &block in todo {
            let mut block = block;
            while block != NONE && block > done && !self.is_fused[block] {
                done = block;
                let Some(into) = self.test(block) else { break };
                has_fused = true;
                done = into;
                // The neighbours of a fused block are looked at again: the one behind it now, itself
                // and the one before it in the next round.
                while again.last().is_some_and(|last| self.is_fused[*last]) {
                    again.pop();
                }
                let before = self.previous[into];
                if before != NONE && again.last() != Some(&before) {
                    again.push(before);
                }
                again.push(into);
                block = self.next[into];
            }
        }
        if has_fused { again } else { Vec::new() }
    }

    /// Lines 4 to 15 of the algorithm: fuses the block with its neighbours if it should be, and says
    /// into which one.
    fn test(&mut self, block: usize) -> Option<usize> {
        self.comparisons += 1;
        let (before, after) = (self.previous[block], self.next[block]);
        if before == NONE {
            return None;
        }
        if after != NONE && self.is_dominated(before, block, after) {
            self.take(before, block);
            self.take(block, after);
            return Some(after);
        }
        self.is_similar(before, block).then(|| {
            self.take(before, block);
            block
        })
    }

    /// Line 4: is the block between two of higher density that are alike? A tag that always parts
    /// segments is stronger: with an infinite threshold only these do (4.2.2).
    fn is_dominated(&self, before: usize, block: usize, after: usize) -> bool {
        let [before, block, after] = [before, block, after].map(|block| &self.blocks[block]);
        let alike = match self.segmenter.method {
            Method::Smoothed => is_equal(before, after),
            Method::RuleBased => is_equal(before, after) && !block.gap.parts && !after.gap.parts,
            Method::SmoothedSparse => before.density() <= SPARSE && after.density() <= SPARSE,
            Method::Plain | Method::JustRules | Method::WordWrap | Method::TagGap => false,
        };
        alike && product(block, before) < product(before, block)
    }

    /// Line 11: is the slope between two neighbours below the threshold (Equations 4.7 and 4.8)?
    fn is_similar(&self, before: usize, block: usize) -> bool {
        let (before, block) = (&self.blocks[before], &self.blocks[block]);
        match self.segmenter.method {
            Method::JustRules => !block.gap.parts,
            Method::RuleBased if block.gap.parts => false,
            Method::RuleBased if block.gap.joins => true,
            _ => slope(before.density(), block.density()) <= self.segmenter.threshold,
        }
    }

    /// Puts a block in front of the one behind it.
    fn take(&mut self, before: usize, block: usize) {
        let (left, right) = self.blocks.split_at_mut(block);
        left[before].append(&right[0]);
        std::mem::swap(&mut left[before], &mut right[0]);
        self.is_fused[before] = true;
        let previous = self.previous[before];
        self.previous[block] = previous;
        if previous != NONE {
            self.next[previous] = block;
        }
    }

    fn finish(self) -> Vec<Segment> {
        let rest = self.blocks.into_iter().zip(self.is_fused);
        rest.filter(|(_, is_fused)| !is_fused).map(|(block, _)| block).collect()
    }
}

/// Δρ of Equation 4.7; 0 for two blocks without density.
pub(crate) fn slope(x: f64, y: f64) -> f64 {
    let higher = x.max(y);
    if higher == 0.0 { 0.0 } else { (x - y).abs() / higher }
}

/// Densities are compared as fractions: no rounding makes equal ones differ.
fn is_equal(x: &Segment, y: &Segment) -> bool {
    product(x, y) == product(y, x)
}

/// The density of `x`, times the denominators of both.
fn product(x: &Segment, y: &Segment) -> u64 {
    u64::from(x.density_parts().0) * u64::from(y.density_parts().1)
}
