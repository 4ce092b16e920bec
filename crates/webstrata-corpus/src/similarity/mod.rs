//! Near-duplicates, without comparing each page with each.
//!
//! There are three ways:
//!
//! - [`NearIndex`]: main texts, by MinHash with bands; candidates are verified exactly. The one for cleaning corpora.
//! - [`Index`]: parts of pages, by a few min-hashes (thesis, 4.2.5).
//! - [`ExactIndex`]: equal texts, or equal URL keys.
//!
//! # The thesis' way
//!
//! The text of a page becomes a set of *shingles*, runs of six tokens. Two pages are as similar as these
//! sets are: the Jaccard coefficient, what both have divided by what either has. Sets are not compared;
//! each is reduced to a [`Fingerprint`] of a few min-hashes, and the share of min-hashes that two
//! fingerprints have in common is an unbiased estimate of the coefficient. Two pages are duplicates if
//! that share is at least one half.
//!
//! An [`Index`] holds the fingerprints of the pages that were kept, and answers for each page that comes
//! whether it repeats one of them. Bands of the fingerprint lead to the few pages that can; there are
//! just enough bands that none is overlooked ([`SimilarityOptions::bands`]).
//!
//! ```
//! use webstrata_corpus::similarity::{Decision, Index, SimilarityOptions, Sketch};
//!
//! let settings = SimilarityOptions::default();
//! let sketch = Sketch::new(settings);
//! let mut index = Index::new(settings, 64 << 20);
//! let tides = "High water comes half an hour later than the printed table of the harbour says.";
//! let first = sketch.text(tides).unwrap();
//! assert_eq!(index.add("tides.html", &first), Decision::Kept);
//! let again = sketch.text(&tides.replace(' ', "\n")).unwrap();
//! assert_eq!(index.add("print.html", &again), Decision::Duplicate { of: "tides.html", similarity: 1.0 });
//! ```

mod bands;
mod exact;
mod fingerprint;
mod index;
mod near;
mod part;
mod sets;
mod tokens;

use webstrata_base::Error;

pub use exact::{ExactIndex, text_key};
pub use fingerprint::{Fingerprint, Sketch};
pub use index::{Decision, Index, Tally};
pub use near::{NearIndex, NearOptions, NearSketch, NearText};
pub use part::Part;
pub use tokens::for_each_token;

/// The most tokens in a shingle and the most min-hashes: beyond these nothing is gained, and a slip of
/// the keyboard shall not fill the memory.
const MAX_SHINGLE: usize = 100;
const MAX_HASHES: usize = 1024;

/// When two pages are duplicates. The default is the thesis': shingles of 6 tokens, 8 min-hashes, one
/// half of them shared.
///
/// ```
/// use webstrata_corpus::similarity::SimilarityOptions;
///
/// // Eight min-hashes are a coarse measure: pages that have one third in common are found too often,
/// // pages that have two thirds in common too rarely.
/// let (thesis, sharp) = (SimilarityOptions::default(), SimilarityOptions::sharp());
/// assert!((thesis.found(0.5) - 0.637).abs() < 0.001);
/// assert!(thesis.found(0.33) > 0.25 && sharp.found(0.33) < 0.01);
/// assert!(thesis.found(0.67) < 0.92 && sharp.found(0.67) > 0.99);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarityOptions {
    shingle: usize,
    hashes: usize,
    share: f64,
}

impl Default for SimilarityOptions {
    fn default() -> SimilarityOptions {
        SimilarityOptions { shingle: 6, hashes: 8, share: 0.5 }
    }
}

impl SimilarityOptions {
    /// Shingles of `shingle` tokens; duplicates share at least `share` of `hashes` min-hashes.
    pub fn new(shingle: usize, hashes: usize, share: f64) -> Result<SimilarityOptions, Error> {
        let check =
            |is_right, wrong: String| if is_right { Ok(()) } else { Err(Error::new(wrong)) };
        let sizes = format!("shingle {shingle}: expected 1 to {MAX_SHINGLE} tokens");
        check((1..=MAX_SHINGLE).contains(&shingle), sizes)?;
        let counts = format!("hashes {hashes}: expected 1 to {MAX_HASHES}");
        check((1..=MAX_HASHES).contains(&hashes), counts)?;
        let shares = format!("share {share}: expected more than 0 and at most 1, such as 0.5");
        check(share > 0.0 && share <= 1.0, shares)?;
        Ok(SimilarityOptions { shingle, hashes, share })
    }

    /// What we recommend where duplicates are thrown away: the thesis' settings with 64 min-hashes, so
    /// that the line is drawn at one half and not somewhere around it.
    pub fn sharp() -> SimilarityOptions {
        SimilarityOptions { hashes: 64, ..SimilarityOptions::default() }
    }

    /// The tokens of a shingle.
    pub fn shingle(self) -> usize {
        self.shingle
    }

    /// The min-hashes of a fingerprint.
    pub fn hashes(self) -> usize {
        self.hashes
    }

    /// How many min-hashes two duplicates have in common, at least.
    pub fn needed(self) -> usize {
        // 0.7 of 10 is 7, though the product of the two is a little more.
        let needed = (self.share * self.hashes as f64 - 1e-9).ceil();
        (needed as usize).clamp(1, self.hashes)
    }

    /// The bands of a fingerprint that lead to possible duplicates, each a few places in it: those of a
    /// page agree with it in one whole band at least, so that looking for equal bands finds them all.
    ///
    /// Seven pairs of places for the thesis' settings, 35 for the sharp ones.
    pub fn bands(self) -> Vec<Vec<usize>> {
        bands::covering(self.hashes, self.needed())
    }

    /// The probability that two pages of this similarity (Jaccard coefficient) are found: the S-curve
    /// of these settings. Min-hashes agree independently, each with that probability.
    pub fn found(self, similarity: f64) -> f64 {
        bands::at_least(self.needed(), self.hashes, similarity.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed() {
        for (hashes, share, needed, bands) in [
            (8, 0.5, 4, 7),
            (8, 0.51, 5, 4),
            (10, 0.7, 7, 4),
            (64, 0.5, 32, 35),
            (3, 0.01, 1, 3),
            (5, 1.0, 5, 1),
            (1, 0.5, 1, 1),
        ] {
            let settings = SimilarityOptions::new(6, hashes, share).unwrap();
            assert_eq!((settings.needed(), settings.bands().len()), (needed, bands));
        }
    }

    #[test]
    fn settings_that_make_no_sense() {
        for (shingle, hashes, share, wanted) in [
            (0, 8, 0.5, "shingle 0: expected 1 to 100 tokens"),
            (6, 2000, 0.5, "hashes 2000: expected 1 to 1024"),
            (6, 8, 0.0, "share 0: expected more than 0 and at most 1, such as 0.5"),
            (6, 8, f64::NAN, "share NaN: expected more than 0 and at most 1, such as 0.5"),
        ] {
            assert_eq!(
                SimilarityOptions::new(shingle, hashes, share).unwrap_err().to_string(),
                wanted
            );
        }
    }
}
