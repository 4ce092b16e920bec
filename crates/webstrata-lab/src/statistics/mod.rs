//! What a corpus is made of, counted in one pass (thesis, 4.2.3, 4.3 and 4.4.4).
//!
//! [`Statistics`] are counts of pages; those of two parts of a corpus can be merged. They take bounded
//! memory, however many pages there are: histograms of fixed size, samples of fixed size, and tables of
//! terms and segments that are exact up to half a million different ones and say beyond that how much
//! too low a count may be. [`Survey`] reads many pages on all processors and goes on where it was
//! interrupted; [`report`] draws what was counted.
//!
//! ```
//! use webstrata::Options;
//! use webstrata_lab::statistics::{Statistics, Strata};
//!
//! let page = b"<ul><li>Home<li>Tides</ul><p>High water is at noon, the harbour office says, and the \
//!     ferry to the islands leaves an hour earlier than it does on other days of the week.";
//! let mut statistics = Statistics::default();
//! statistics.read(page, &Options::default(), 0);
//! assert_eq!(statistics.pages(), 1);
//! assert_eq!(statistics.tokens_up_to(5), 2);
//! ```

mod counts;
mod documents;
mod fingerprint;
mod full_stop;
mod report;
mod segments;
mod summary;
mod survey;
mod table;
mod terms;

pub use counts::{Bins, LARGEST_BIN, Sizes};
pub use documents::Averages;
pub use fingerprint::{Fingerprint, normalized};
pub use full_stop::has_full_stop;
pub use report::{Described, report};
pub use survey::{RawPage, Survey};
pub use terms::{Typical, typicality};

use serde::{Deserialize, Serialize};
use webstrata::{Class, Counts, Options};

use documents::Documents;
use segments::{Place, Segments};
use terms::{PageTerms, Terms};
use webstrata_corpus::segmentation::{AtomicPage, Method, Segment, Segmenter};

/// The highest density of π1, the border between the two classes of text (4.3.2).
pub const LOW: usize = 8;
/// The highest density of text that the thesis takes for template text (4.3.3).
pub const SPARSE: usize = 5;
/// Blocks of more linked words than this share are mostly boilerplate (4.4.4).
const LINKED: f64 = 1.0 / 3.0;
/// Classes of density quotients from here on are counted together; no law holds for that class.
const LARGEST_QUOTIENT: usize = 99;

/// What was counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Statistics {
    pages: u64,
    /// Those of them that ended in a panic.
    broken: u64,
    documents: Documents,
    blocks: Blocks,
    /// The blocks of pages of which boilerpipe's were to be counted, too ([`RawPage::twice`]).
    other_blocks: Blocks,
    strata: Strata,
    segments: Segments,
    terms: Terms,
    /// Density quotients of neighbours by their class, from 1 on (Equation 4.9).
    quotients: Vec<u64>,
}

/// The blocks of the corpus as the page is cut, by group (Figures 4.23 and 4.24).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Blocks {
    groups: Vec<Group>,
}

/// Blocks of one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Group {
    /// Blocks by their number of words.
    words: Sizes,
    /// Words by the density of their block.
    densities: Bins,
}

/// What tells blocks apart where nobody has labelled them.
const UNLABELLED: [&str; 3] = ["mostly links", "no full stop", "full stop"];

/// The segments of the corpus by density, with and without a full stop (Figures 4.14 to 4.17).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strata {
    /// Tokens by density, of segments without and with a full stop.
    pub tokens: [Bins; 2],
    /// Segments by density, the same.
    pub segments: [Bins; 2],
    /// Tokens by the average token length of their segment.
    pub lengths: Bins,
    /// Segments by their number of tokens.
    pub sizes: Sizes,
}

impl Default for Statistics {
    fn default() -> Statistics {
        Statistics::with_capacity(segments::CAPACITY, terms::CAPACITY)
    }
}

impl Statistics {
    /// Statistics whose tables are exact up to so many different segments and terms.
    pub fn with_capacity(segments: usize, terms: usize) -> Statistics {
        Statistics {
            pages: 0,
            broken: 0,
            documents: Documents::default(),
            blocks: Blocks::default(),
            other_blocks: Blocks::default(),
            strata: Strata::default(),
            segments: Segments::new(segments),
            terms: Terms::new(terms),
            quotients: vec![0; LARGEST_QUOTIENT + 1],
        }
    }

    /// Reads a page, cuts it by Block Fusion with rules, as the thesis does (4.3.2), and counts it.
    /// `number` is its place in the corpus; no two pages share it.
    pub fn read(&mut self, bytes: &[u8], options: &Options, number: u64) {
        let (page, segments) = Segmenter::new(Method::RuleBased).read(bytes, options);
        self.add(&page, &segments, number);
    }

    /// Counts a page. Where its blocks have a class, the blocks of the corpus are told apart by it.
    pub fn add(&mut self, page: &AtomicPage, segments: &[Segment], number: u64) {
        self.pages += 1;
        for (block, atom) in page.document.blocks.iter().zip(&page.document.atoms) {
            if atom.counts.words > 0 {
                let text = page.document.atom_text(block.first_atom());
                self.blocks.add(&atom.counts, block.class, text);
            }
        }
        let mut terms = PageTerms::default();
        let mut document = (0.0, 0u64, 0u64);
        for segment in segments.iter().filter(|segment| segment.tokens > 0) {
            let text = page.text(segment);
            let characters = characters(page, segment);
            self.add_segment(segment, &text, characters);
            let density = Bins::bin(segment.density());
            terms.add(&text, density <= LOW, density <= SPARSE);
            document.0 += segment.density() * f64::from(segment.tokens);
            document.1 += u64::from(segment.tokens);
            document.2 += characters;
        }
        self.add_quotients(segments);
        terms.finish(&mut self.terms);
        let (weighted, tokens, characters) = document;
        if tokens > 0 {
            let density = weighted / tokens as f64;
            let token_length = characters as f64 / tokens as f64;
            self.documents.add(number, Averages { density, token_length });
        }
    }

    fn add_segment(&mut self, segment: &Segment, text: &str, characters: u64) {
        let tokens = u64::from(segment.tokens);
        let density = Bins::bin(segment.density());
        let full_stop = has_full_stop(text);
        let strata = &mut self.strata;
        strata.tokens[usize::from(full_stop)].add(density, tokens);
        strata.segments[usize::from(full_stop)].add(density, 1);
        strata.lengths.add(Bins::bin(characters as f64 / tokens as f64), tokens);
        strata.sizes.add(segment.tokens);
        let place = Place { density: density as u8, full_stop, tokens: segment.tokens };
        self.segments.add(text, place, density <= SPARSE);
    }

    /// Equation 4.9: how many times its density a segment differs from the one before it, rounded up.
    /// Neighbours of the same density are one.
    fn add_quotients(&mut self, segments: &[Segment]) {
        let densities: Vec<f64> = segments.iter().map(Segment::density).collect();
        for pair in densities.windows(2) {
            let difference = (pair[0] - pair[1]).abs();
            if difference > 0.0 && pair[1] > 0.0 {
                let class = (difference / pair[1]).ceil() as usize;
                self.quotients[class.clamp(1, LARGEST_QUOTIENT)] += 1;
            }
        }
    }

    /// Adds what was counted in another part of the corpus. Where the tables overflow, the order of
    /// the parts matters; otherwise it does not.
    pub fn merge(&mut self, other: Statistics) {
        self.pages += other.pages;
        self.broken += other.broken;
        self.documents.merge(other.documents);
        self.blocks.merge(&other.blocks);
        self.other_blocks.merge(&other.other_blocks);
        self.strata.merge(&other.strata);
        self.segments.merge(other.segments);
        self.terms.merge(other.terms);
        for (ours, theirs) in self.quotients.iter_mut().zip(other.quotients) {
            *ours += theirs;
        }
    }

    /// The pages that were read.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The pages that could not be counted because of an internal error; they have no text here.
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// The pages that have text.
    pub fn pages_with_text(&self) -> u64 {
        self.documents.seen()
    }

    /// The tokens of all segments.
    pub fn tokens(&self) -> u64 {
        self.strata.all_tokens().total()
    }

    /// The tokens of segments whose rounded density is at most this.
    pub fn tokens_up_to(&self, density: usize) -> u64 {
        self.strata.all_tokens().up_to(density)
    }
}

/// Characters of the tokens of a segment.
fn characters(page: &AtomicPage, segment: &Segment) -> u64 {
    let atoms = page.document.atoms.get(segment.atoms.clone()).unwrap_or_default();
    atoms.iter().map(|atom| u64::from(atom.counts.word_chars)).sum()
}

impl Blocks {
    /// Groups without a label come first, then the classes.
    fn add(&mut self, counts: &Counts, class: Option<Class>, text: &str) {
        let group = match class {
            Some(class) => UNLABELLED.len() + class as usize,
            None if counts.link_density() > LINKED => 0,
            None => 1 + usize::from(has_full_stop(text)),
        };
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, Group::default);
        }
        let group = &mut self.groups[group];
        group.words.add(counts.words);
        group.densities.add(Bins::bin(counts.text_density()), u64::from(counts.words));
    }

    fn merge(&mut self, other: &Blocks) {
        if self.groups.len() < other.groups.len() {
            self.groups.resize_with(other.groups.len(), Group::default);
        }
        for (ours, theirs) in self.groups.iter_mut().zip(&other.groups) {
            ours.words.merge(&theirs.words);
            ours.densities.merge(&theirs.densities);
        }
    }

    /// The groups that have blocks, with their names.
    fn named(&self) -> impl Iterator<Item = (&'static str, &Group)> {
        let names = UNLABELLED.into_iter().chain(Class::ALL.map(|(_, name)| name));
        names.zip(&self.groups).filter(|(_, group)| group.words.total() > 0)
    }

    /// Blocks by their number of words, whatever group they are in.
    fn words(&self) -> Sizes {
        let mut words = Sizes::default();
        self.groups.iter().for_each(|group| words.merge(&group.words));
        words
    }

    /// Words by the density of their block, the same.
    fn densities(&self) -> Bins {
        let mut densities = Bins::default();
        self.groups.iter().for_each(|group| densities.merge(&group.densities));
        densities
    }
}

impl Strata {
    fn merge(&mut self, other: &Strata) {
        for (ours, theirs) in self.tokens.iter_mut().zip(&other.tokens) {
            ours.merge(theirs);
        }
        for (ours, theirs) in self.segments.iter_mut().zip(&other.segments) {
            ours.merge(theirs);
        }
        self.lengths.merge(&other.lengths);
        self.sizes.merge(&other.sizes);
    }

    /// Tokens by density.
    pub fn all_tokens(&self) -> Bins {
        let mut tokens = self.tokens[0].clone();
        tokens.merge(&self.tokens[1]);
        tokens
    }
}

#[cfg(test)]
mod tests;
