//! Near-duplicates by their main texts: MinHash with bands, each candidate verified exactly.
//!
//! The words of a text make runs of five, and the runs make a set. 112 min-hashes of the set lie in 14 bands of 8.
//! Two texts are candidates if all 8 min-hashes of at least one band agree. Texts of similarity *J* (Jaccard
//! coefficient) become candidates with the probability 1 − (1 − *J*⁸)¹⁴, the S-curve of FineWeb's settings.
//!
//! Candidates are verified: the sets themselves are compared. So every text that is called a duplicate has at least
//! the similarity that was asked for, whatever the min-hashes say. The sets lie in a temporary file without a name,
//! four bytes for a run, so that memory holds min-hashes only.

use std::collections::VecDeque;

use webstrata::words::for_each_word;
use webstrata_base::{Error, Random};
use xxhash_rust::xxh3::xxh3_64;

use super::fingerprint::{Fingerprint, SEED, Sketch, shingles};
use super::index::{Decision, Index, Tally};
use super::sets::{Place, Sets};
use super::{MAX_HASHES, MAX_SHINGLE};

/// Candidates of a text that are verified, the most promising first.
const MOST_VERIFIED: usize = 64;

/// Standard errors by which min-hashes may underestimate a candidate that is verified all the same.
const MARGIN: f64 = 5.0;

/// When two texts are near-duplicates. The default is FineWeb's banding: runs of 5 words, 14 bands of 8 min-hashes; and
/// a similarity of at least 0.7.
///
/// ```
/// use webstrata_corpus::similarity::NearOptions;
///
/// let options = NearOptions::default();
/// assert_eq!((options.shingle(), options.bands(), options.rows()), (5, 14, 8));
/// assert!((options.found(0.75) - 0.772).abs() < 0.001);
/// assert_eq!(options.found(0.6), 0.0); // a candidate in one case of five, but never called a duplicate
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearOptions {
    shingle: usize,
    bands: usize,
    rows: usize,
    threshold: f64,
}

impl Default for NearOptions {
    fn default() -> NearOptions {
        NearOptions { shingle: 5, bands: 14, rows: 8, threshold: 0.7 }
    }
}

impl NearOptions {
    /// Runs of `shingle` words, `bands` of `rows` min-hashes; duplicates have a Jaccard coefficient of at least
    /// `threshold`.
    ///
    /// # Errors
    ///
    /// Where a number makes no sense.
    pub fn new(
        shingle: usize,
        bands: usize,
        rows: usize,
        threshold: f64,
    ) -> Result<NearOptions, Error> {
        if !(1..=MAX_SHINGLE).contains(&shingle) {
            return Err(Error::new(format!(
                "shingle {shingle}: expected 1 to {MAX_SHINGLE} words"
            )));
        }
        if bands == 0 || rows == 0 || bands.saturating_mul(rows) > MAX_HASHES {
            let message = format!(
                "{bands} bands of {rows} rows: expected at least 1 of each, and {MAX_HASHES} min-hashes at most"
            );
            return Err(Error::new(message));
        }
        if !(threshold > 0.0 && threshold <= 1.0) {
            let message =
                format!("threshold {threshold}: expected more than 0 and at most 1, such as 0.7");
            return Err(Error::new(message));
        }
        Ok(NearOptions { shingle, bands, rows, threshold })
    }

    /// The words of a run.
    pub fn shingle(self) -> usize {
        self.shingle
    }

    /// How many bands there are.
    pub fn bands(self) -> usize {
        self.bands
    }

    /// The min-hashes of a band.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// The least Jaccard coefficient of duplicates.
    pub fn threshold(self) -> f64 {
        self.threshold
    }

    /// The min-hashes of a text.
    pub fn hashes(self) -> usize {
        self.bands * self.rows
    }

    /// The probability that two texts of this similarity share a band.
    pub fn candidate(self, similarity: f64) -> f64 {
        let band = similarity.clamp(0.0, 1.0).powi(self.rows as i32);
        1.0 - (1.0 - band).powi(self.bands as i32)
    }

    /// The probability that two texts of this similarity are found to be duplicates: the S-curve from the threshold
    /// on, nothing below it.
    pub fn found(self, similarity: f64) -> f64 {
        if similarity >= self.threshold { self.candidate(similarity) } else { 0.0 }
    }

    /// The min-hashes that a candidate shares at least. Fewer, and it would be below the threshold but for one case
    /// in millions.
    fn least_shared(self) -> usize {
        let (t, k) = (self.threshold, self.hashes() as f64);
        let least = k * t - MARGIN * (k * t * (1.0 - t)).sqrt();
        (least.floor().max(1.0) as usize).clamp(1, self.hashes())
    }

    fn places(self) -> Vec<Vec<usize>> {
        (0..self.bands).map(|band| (band * self.rows..(band + 1) * self.rows).collect()).collect()
    }
}

/// What is compared of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearText {
    print: Fingerprint,
    /// Sorted, none twice.
    set: Vec<u32>,
}

impl NearText {
    /// The words of the text.
    pub fn words(&self) -> u32 {
        self.print.tokens()
    }

    /// Its min-hashes.
    pub fn print(&self) -> &Fingerprint {
        &self.print
    }

    /// The Jaccard coefficient of the runs of words of two texts.
    pub fn similarity(&self, other: &NearText) -> f64 {
        jaccard(&self.set, &other.set)
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        4 * (self.set.len() + self.print.hashes().len())
    }
}

/// Makes what is compared of texts.
#[derive(Clone, Debug)]
pub struct NearSketch {
    shingle: usize,
    sketch: Sketch,
}

impl NearSketch {
    /// For texts that are compared by these options.
    pub fn new(options: NearOptions) -> NearSketch {
        NearSketch::seeded(options, SEED)
    }

    /// The same with other orders of the min-hashes, for experiments.
    pub fn seeded(options: NearOptions, seed: u64) -> NearSketch {
        let sketch = Sketch::of_orders(options.shingle, options.hashes(), Random::new(seed));
        NearSketch { shingle: options.shingle, sketch }
    }

    /// What is compared of a text: its words without case and punctuation, as webstrata counts words; `None` if it
    /// has none.
    pub fn text(&self, text: &str) -> Option<NearText> {
        let (mut plain, mut tokens) = (String::new(), Vec::new());
        for_each_word(text, |word| {
            plain.clear();
            let letters = word.chars().filter(|c| c.is_alphanumeric());
            letters.for_each(|c| match c.is_ascii() {
                true => plain.push(c.to_ascii_lowercase()),
                false => plain.extend(c.to_lowercase()),
            });
            tokens.push(xxh3_64(plain.as_bytes()));
        });
        let mut runs = Vec::with_capacity(tokens.len());
        shingles(&tokens, self.shingle, |run| runs.push(run));
        runs.sort_unstable();
        runs.dedup();
        let print = self.sketch.of_shingles(&runs, tokens.len())?;
        let mut set: Vec<u32> = runs.into_iter().map(|run| (run >> 32) as u32).collect();
        set.dedup();
        Some(NearText { print, set })
    }
}

/// What two sorted sets have in common, divided by what either has.
fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0usize);
    while i < a.len() && j < b.len() {
        both += usize::from(a[i] == b[j]);
        let (one, other) = (a[i], b[j]);
        i += usize::from(one <= other);
        j += usize::from(other <= one);
    }
    let either = a.len() + b.len() - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

/// The texts that were kept, and which of them a new text repeats.
///
/// ```
/// use webstrata_corpus::similarity::{Decision, NearIndex, NearOptions, NearSketch};
///
/// let options = NearOptions::default();
/// let sketch = NearSketch::new(options);
/// let mut index = NearIndex::new(options, 64 << 20)?;
/// let tides = "High water comes half an hour later than the printed table of the harbour says.";
/// let first = sketch.text(tides).unwrap();
/// assert_eq!(index.add("tides.html", &first)?, Decision::Kept);
/// let again = sketch.text(&tides.to_uppercase()).unwrap();
/// assert_eq!(index.add("print.html", &again)?, Decision::Duplicate { of: "tides.html", similarity: 1.0 });
/// # Ok::<(), webstrata_base::Error>(())
/// ```
#[derive(Debug)]
pub struct NearIndex {
    threshold: f64,
    index: Index,
    sets: Sets,
    /// Where the sets of the pages in the index lie; the first is the page with the first number.
    places: VecDeque<Place>,
}

impl NearIndex {
    /// An empty index that takes about `memory` bytes at most. Where that is full, the texts that came first are
    /// forgotten. The sets of runs lie in the system's folder for temporary files.
    ///
    /// # Errors
    ///
    /// Where no temporary file can be made.
    pub fn new(options: NearOptions, memory: usize) -> Result<NearIndex, Error> {
        // A place takes 16 bytes beside some 600 of a row.
        let memory = memory - memory / 32;
        let index =
            Index::with_bands(options.places(), options.hashes(), options.least_shared(), memory);
        let (sets, places) = (Sets::new()?, VecDeque::new());
        Ok(NearIndex { threshold: options.threshold, index, sets, places })
    }

    /// Decides what a text is, and keeps it if it is the first of its kind. Of several texts that it repeats, the most
    /// similar one is named; of equally similar ones, the earliest.
    ///
    /// # Errors
    ///
    /// Where the temporary file cannot be written or read.
    pub fn add(&mut self, name: &str, text: &NearText) -> Result<Decision<'_>, Error> {
        match self.best(text)? {
            Some((page, similarity)) => {
                self.index.count_duplicate();
                Ok(Decision::Duplicate { of: self.index.name(page), similarity })
            }
            None => {
                self.keep(name, text)?;
                Ok(Decision::Kept)
            }
        }
    }

    /// The kept text that this one repeats, and how similar they are. Keeps and counts nothing.
    ///
    /// # Errors
    ///
    /// Where the temporary file cannot be read.
    pub fn find(&mut self, text: &NearText) -> Result<Option<(&str, f64)>, Error> {
        let best = self.best(text)?;
        Ok(best.map(|(page, similarity)| (self.index.name(page), similarity)))
    }

    /// The counts so far.
    pub fn tally(&self) -> Tally {
        self.index.tally()
    }

    /// The bytes of memory that the index takes.
    pub fn bytes(&self) -> usize {
        self.index.bytes() + self.places.capacity() * size_of::<Place>()
    }

    fn best(&mut self, text: &NearText) -> Result<Option<(u32, f64)>, Error> {
        let mut candidates = Vec::new();
        self.index.candidates(text.print.hashes(), |page, shared| candidates.push((page, shared)));
        candidates.sort_unstable_by_key(|(page, shared)| (std::cmp::Reverse(*shared), *page));
        candidates.dedup();
        if candidates.len() > MOST_VERIFIED {
            self.index.count_cut();
        }
        let mut best: Option<(u32, f64)> = None;
        for (page, _) in candidates.into_iter().take(MOST_VERIFIED) {
            let place = self.places[(page - self.index.first()) as usize];
            // Sizes alone bound the coefficient: no need to read.
            let (one, other) = (place.count as usize, text.set.len());
            if (one.min(other) as f64) < self.threshold * one.max(other) as f64 - 1e-9 {
                continue;
            }
            let similarity = jaccard(self.sets.read(place)?, &text.set);
            let is_better = |(of, most)| similarity > most || (similarity == most && page < of);
            if similarity >= self.threshold && best.is_none_or(is_better) {
                best = Some((page, similarity));
            }
        }
        Ok(best)
    }

    /// Keeps a text, whatever it repeats.
    ///
    /// # Errors
    ///
    /// Where the temporary file cannot be written.
    pub fn keep(&mut self, name: &str, text: &NearText) -> Result<(), Error> {
        let place = self.sets.write(&text.set)?;
        self.index.keep(name, text.print.hashes());
        self.places.push_back(place);
        while self.places.len() > self.index.len() {
            self.places.pop_front();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
