//! The 67 features of a block: what a model may ask about it and its two neighbours.
//!
//! A model names the features it uses (see [`mod@crate::model`]), and only those are computed: a
//! [`Features`] is a view of a document, not a matrix in memory. This is also the one place where a
//! block's neighbours are looked at; filters do not look at the previous and the next block.

use crate::document::{Block, Document};

/// One feature of a block.
pub struct Feature {
    /// Its name in models.
    pub name: &'static str,
    /// What it measures, in one phrase.
    pub doc: &'static str,
    value: fn(&Features<'_>, usize) -> f64,
}

/// The features of the blocks of one document.
///
/// ```
/// use webstrata::{Extractor, features::{Features, feature}};
///
/// let document = Extractor::named("keep-all").unwrap().extract(b"<p>High water is at noon.");
/// let words = feature("words").unwrap();
/// assert_eq!(Features::of(&document).value(0, words), 5.0);
/// ```
#[derive(Clone, Copy)]
pub struct Features<'a> {
    document: &'a Document,
    frequencies: &'a [f64],
}

impl<'a> Features<'a> {
    /// The features of the document's blocks as they are now. Corpus frequencies are 0.
    pub fn of(document: &'a Document) -> Features<'a> {
        Features { document, frequencies: &[] }
    }

    /// The same, with the frequency of each block's text in a corpus (section 3.1); 0 for blocks
    /// beyond the end of the slice.
    pub fn with_frequencies(self, frequencies: &'a [f64]) -> Features<'a> {
        Features { frequencies, ..self }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.document.blocks.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.document.blocks.is_empty()
    }

    /// The value of a feature, given by its index in [`FEATURES`]. Blocks before the first and after
    /// the last have 0 everywhere.
    ///
    /// # Panics
    ///
    /// Where there is no such feature.
    pub fn value(&self, block: usize, feature: usize) -> f64 {
        (FEATURES[feature].value)(self, block)
    }

    fn local(&self, block: Option<usize>, value: fn(&Document, &Block) -> f64) -> f64 {
        let block = block.and_then(|index| self.document.blocks.get(index));
        block.map_or(0.0, |block| value(self.document, block))
    }

    fn frequency(&self, block: Option<usize>) -> f64 {
        block.and_then(|index| self.frequencies.get(index)).copied().unwrap_or(0.0)
    }

    /// The block's value divided by that of the block above; where that is 0, the value itself, as
    /// if it were 1: a quotient must rise with the block's value at the top of the page, too.
    fn quotient(&self, block: usize, value: fn(&Document, &Block) -> f64) -> f64 {
        let above = self.local(block.checked_sub(1), value);
        self.local(Some(block), value) / if above == 0.0 { 1.0 } else { above }
    }
}

/// The index of a feature in [`FEATURES`], by its name.
pub fn feature(name: &str) -> Option<usize> {
    FEATURES.iter().position(|feature| feature.name == name)
}

/// Makes the table: every local feature for the block itself, the block above and the block below,
/// then the features that are not measured on a single block.
macro_rules! features {
    (
        local { $($name:literal, $doc:literal: $value:expr;)+ }
        other { $($other:literal, $other_doc:literal: $other_value:expr;)+ }
    ) => {
        &[
            $(Feature {
                name: $name,
                doc: $doc,
                value: |page, block| page.local(Some(block), $value),
            },)+
            $(Feature {
                name: concat!("prev.", $name),
                doc: concat!($doc, ", of the block above"),
                value: |page, block| page.local(block.checked_sub(1), $value),
            },)+
            $(Feature {
                name: concat!("next.", $name),
                doc: concat!($doc, ", of the block below"),
                value: |page, block| page.local(block.checked_add(1), $value),
            },)+
            $(Feature { name: $other, doc: $other_doc, value: $other_value },)+
        ]
    };
}

/// All features, in a fixed order.
///
/// The WSDM paper counts features (Table 2) but does not list them. This is the reading of sections
/// 3.1 to 3.4 and Figure 1 that gives all four of its numbers, with two counts and *one* ratio for
/// the uppercase words:
///
/// | features | row of Table 2 | made of |
/// |---|---|---|
/// | 23 | all local features (C) | the 20 local ones, the 2 positions and the block's own corpus frequency |
/// | 25 | the same + TDQ | those and the 2 quotients |
/// | 64 | all local features (P/C/N) | 3 × 20, the 2 positions, the 2 quotients |
/// | 67 | all local features + global frequency | those and the corpus frequency of the 3 blocks |
pub static FEATURES: &[Feature] = features! {
    local {
        "average-word-length", "characters per word": |_, b| b.counts.average_word_length();
        "average-sentence-length", "words per sentence": |_, b| b.counts.average_sentence_length();
        "words", "number of words": |_, b| f64::from(b.counts.words);
        "upper-start", "words with an uppercase first letter": |_, b| f64::from(b.counts.upper_start);
        "upper-all", "words in uppercase letters only": |_, b| f64::from(b.counts.upper_all);
        "upper-ratio", "share of words that start in uppercase": |_, b| b.counts.upper_ratio();
        "full-stop-ratio", "full stops per word": |_, b| b.counts.full_stop_ratio();
        "dates", "tokens that look like a date or a time": |_, b| f64::from(b.counts.dates);
        "bars", "vertical bars": |_, b| f64::from(b.counts.bars);
        "link-density", "share of words inside links": |_, b| b.counts.link_density();
        "text-density", "words per full line of wrapped text": |_, b| b.counts.text_density();
        "h1", "1 inside <h1>, else 0": |d, b| enclosed(d, b, "h1");
        "h2", "1 inside <h2>, else 0": |d, b| enclosed(d, b, "h2");
        "h3", "1 inside <h3>, else 0": |d, b| enclosed(d, b, "h3");
        "h4", "1 inside <h4>, else 0": |d, b| enclosed(d, b, "h4");
        "h5", "1 inside <h5>, else 0": |d, b| enclosed(d, b, "h5");
        "h6", "1 inside <h6>, else 0": |d, b| enclosed(d, b, "h6");
        "p", "1 inside <p>, else 0": |d, b| enclosed(d, b, "p");
        "div", "1 inside <div>, else 0": |d, b| enclosed(d, b, "div");
        "a", "1 inside <a>, else 0": |d, b| enclosed(d, b, "a");
    }
    other {
        "absolute-position", "blocks above": |_, block| block as f64;
        "relative-position", "position from 0, the first block, to 1, the last": |page, block| {
            block as f64 / page.document.blocks.len().saturating_sub(1).max(1) as f64
        };
        "words-quotient", "number of words divided by that of the block above":
            |page, block| page.quotient(block, |_, b| f64::from(b.counts.words));
        "text-density-quotient", "text density divided by that of the block above":
            |page, block| page.quotient(block, |_, b| b.counts.text_density());
        "corpus-frequency", "frequency of the text in the corpus":
            |page, block| page.frequency(Some(block));
        "prev.corpus-frequency", "frequency of the text in the corpus, of the block above":
            |page, block| page.frequency(block.checked_sub(1));
        "next.corpus-frequency", "frequency of the text in the corpus, of the block below":
            |page, block| page.frequency(block.checked_add(1));
    }
};

/// 1 if the element encloses any atom of the block, else 0 (section 3.2).
fn enclosed(document: &Document, block: &Block, element: &str) -> f64 {
    let any = block.atoms().any(|atom| document.atoms[atom].enclosing.has(element));
    f64::from(u8::from(any))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing;

    fn check(page: Features<'_>, block: usize, expect: &[(&str, f64)]) {
        for (name, value) in expect {
            let feature = feature(name).unwrap_or_else(|| panic!("no feature {name}"));
            assert_eq!(page.value(block, feature), *value, "{name} of block {block}");
        }
    }

    #[test]
    fn the_numbers_of_table_2() {
        let own = |f: &&Feature| !f.name.contains('.');
        let quotient = |f: &&Feature| f.name.ends_with("-quotient");
        let global = |f: &&Feature| f.name.ends_with("corpus-frequency");
        assert_eq!(FEATURES.len(), 67);
        assert_eq!(FEATURES.iter().filter(|f| !global(f)).count(), 64);
        assert_eq!(FEATURES.iter().filter(own).count(), 25);
        assert_eq!(FEATURES.iter().filter(|f| own(f) && !quotient(f)).count(), 23);
        let names: std::collections::HashSet<_> = FEATURES.iter().map(|f| f.name).collect();
        assert_eq!(names.len(), 67);
    }

    #[test]
    fn a_block_and_its_neighbours() {
        let mut document =
            testing::document(&[("One two", 1, false), ("A b c d", 0, false), ("x", 0, false)]);
        document.atoms[1].enclosing.0 = 1 << 6;
        let page = Features::of(&document).with_frequencies(&[5.0, 7.0]);
        check(page, 0, &[("words", 2.0), ("prev.words", 0.0), ("next.words", 4.0)]);
        check(page, 0, &[("link-density", 0.5), ("next.p", 1.0), ("p", 0.0), ("prev.p", 0.0)]);
        check(page, 1, &[("words-quotient", 2.0), ("text-density-quotient", 2.0)]);
        check(page, 0, &[("words-quotient", 2.0), ("absolute-position", 0.0)]);
        check(page, 1, &[("relative-position", 0.5), ("absolute-position", 1.0)]);
        check(page, 2, &[("relative-position", 1.0), ("next.words", 0.0), ("prev.p", 1.0)]);
        check(page, 1, &[("corpus-frequency", 7.0), ("prev.corpus-frequency", 5.0)]);
        check(page, 1, &[("next.corpus-frequency", 0.0), ("next.words", 1.0)]);
    }
}
