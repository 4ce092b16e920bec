//! The eight features that tell signal from noise in Ziegler & Skubacz, *Content Extraction from
//! News Pages Using Particle Swarm Optimization on Linguistic and Structural Features* (2007).
//!
//! Four are linguistic (section 3.3) and four structural (section 3.4). The structural ones ask how
//! many elements were removed from a block while the page was cut, which is recorded for
//! [`Cutting::Ziegler`](crate::cutting::Cutting::Ziegler) only; with any other cutting the last
//! three are 0.
//!
//! Where the paper names a ratio of two parts (stop-words to other words, linked to other words,
//! alphanumeric to other characters), this is the share of the first in both. One rises with the
//! other, so that a threshold on a share is a threshold on the ratio, and a share has a value where
//! the second part is empty.
//!
//! ```
//! use webstrata::cutting::Cutting;
//! use webstrata::{Options, training::ziegler};
//!
//! let page = b"<p>The ferry is back. It <b>runs</b> on the hour.</p>";
//! let document = webstrata::read(page, Cutting::Ziegler, &Options::default());
//! let signals = ziegler::signals(&document, &document.blocks[0]);
//! assert_eq!(signals.value("sentences"), Some(2.0));
//! assert_eq!(signals.value("format-tags"), Some(1.0 / 9.0));
//! assert_eq!(signals.language, Some("en"));
//! ```

use std::ops::AddAssign;

use crate::document::{Block, Document};
use crate::html::tag::Tag;
use crate::stop_words;

/// One of the eight features, as models and people call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name.
    pub name: &'static str,
    /// What it measures, in one phrase.
    pub doc: &'static str,
    /// On which side of the threshold content lies.
    pub bound: Bound,
}

/// On which side of a threshold content lies (section 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Content has at least this value.
    AtLeast,
    /// Content has at most this value.
    AtMost,
}

impl Bound {
    /// Does a value satisfy the threshold?
    pub fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Bound::AtLeast => value >= threshold,
            Bound::AtMost => value <= threshold,
        }
    }

    /// The threshold that every value satisfies.
    pub fn permissive(self) -> f64 {
        match self {
            Bound::AtLeast => 0.0,
            Bound::AtMost => 1.0,
        }
    }
}

/// How many features there are.
pub const COUNT: usize = 8;

/// The features in the order of the paper.
pub const SIGNALS: [Signal; COUNT] = [
    signal("sentence-length", "words per sentence", Bound::AtLeast),
    signal("sentences", "number of sentence ends", Bound::AtLeast),
    signal("alphanumerics", "share of characters that are letters or digits", Bound::AtLeast),
    signal("stop-words", "share of words that are stop-words of one language", Bound::AtLeast),
    signal("anchors", "share of words inside links", Bound::AtMost),
    signal("format-tags", "formatting elements per word, at most 1", Bound::AtLeast),
    signal("list-tags", "list elements per word, at most 1", Bound::AtMost),
    signal(
        "structure-tags",
        "headings, paragraphs and the like per word, at most 1",
        Bound::AtLeast,
    ),
];

const fn signal(name: &'static str, doc: &'static str, bound: Bound) -> Signal {
    Signal { name, doc, bound }
}

/// The features of one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signals {
    /// The values, in the order of [`SIGNALS`].
    pub values: [f64; COUNT],
    /// The language whose stop-words are the most frequent: ISO 639-1, `None` where there are none.
    pub language: Option<&'static str>,
}

impl Signals {
    /// The value of a feature, by its name.
    pub fn value(&self, name: &str) -> Option<f64> {
        SIGNALS.iter().position(|signal| signal.name == name).map(|index| self.values[index])
    }
}

/// The eight features of a block.
pub fn signals(document: &Document, block: &Block) -> Signals {
    let Counted { sentence_length, sentences, anchors, format, list, structure } =
        Counted::of(document, block);
    document.with_text(block, |text| {
        let (stop_words, language) = stop_words::largest_share(text);
        let characters = alphanumerics(text);
        let values =
            [sentence_length, sentences, characters, stop_words, anchors, format, list, structure];
        Signals { values, language }
    })
}

/// Does the block satisfy all thresholds, given in the order of [`SIGNALS`]? The same as asking the
/// [`signals`], but the text is read only where all that is counted already has passed.
pub fn accepts(document: &Document, block: &Block, thresholds: &[f64; COUNT]) -> bool {
    let [length, sentences, characters, stop_words, anchors, format, list, structure] = *thresholds;
    let counted = Counted::of(document, block);
    counted.sentence_length >= length
        && counted.sentences >= sentences
        && counted.anchors <= anchors
        && counted.format >= format
        && counted.list <= list
        && counted.structure >= structure
        && document.with_text(block, |text| {
            alphanumerics(text) >= characters
                && (stop_words <= 0.0 || stop_words::largest_share(text).0 >= stop_words)
        })
}

/// The features that are known without looking at the text again.
struct Counted {
    sentence_length: f64,
    sentences: f64,
    anchors: f64,
    format: f64,
    list: f64,
    structure: f64,
}

impl Counted {
    fn of(document: &Document, block: &Block) -> Counted {
        let (counts, markup) = (&block.counts, Markup::of(document, block));
        let per_word = |tags: u32| if tags == 0 { 0.0 } else { share(tags, counts.words) };
        Counted {
            sentence_length: counts.average_sentence_length(),
            sentences: f64::from(counts.sentences),
            anchors: counts.link_density(),
            format: per_word(markup.format),
            list: per_word(markup.list),
            structure: per_word(markup.structure),
        }
    }
}

/// Elements per word, at most 1: a block of more elements than words is no more of a list than one
/// of as many.
fn share(tags: u32, words: u32) -> f64 {
    if tags >= words { 1.0 } else { f64::from(tags) / f64::from(words) }
}

/// The share of characters that are letters or digits. Spaces are characters, too.
fn alphanumerics(text: &str) -> f64 {
    let (mut found, mut all) = (0u32, 0u32);
    for character in text.chars() {
        found += u32::from(character.is_alphanumeric());
        all += 1;
    }
    if all == 0 { 0.0 } else { f64::from(found) / f64::from(all) }
}

/// How many elements of each kind were removed from a text while the page was cut (section 3.1).
///
/// An element counts where it begins, or at the start of the text that follows it. The paper gives
/// examples of each kind; the rest is what Figure 2 removes. `span` and `div` say nothing of how
/// their text looks and are in no kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    /// Elements that say how letters look: `b`, `em`, `small`, `font`, …
    pub format: u32,
    /// Elements of lists: `ul`, `ol`, `li`, `dl`, `dt`, `dd`.
    pub list: u32,
    /// Elements that structure or align a text: `h1` to `h6`, `p`, `center`.
    pub structure: u32,
}

impl Markup {
    /// The elements that were removed from a block; none where the cutting did not record them.
    pub fn of(document: &Document, block: &Block) -> Markup {
        let mut markup = Markup::default();
        if !document.markup.is_empty() {
            for recorded in block.atoms().filter_map(|atom| document.markup.get(atom)) {
                markup += *recorded;
            }
        }
        markup
    }

    pub(crate) fn add(&mut self, tag: Tag) {
        match tag {
            Tag::B
            | Tag::Big
            | Tag::Blink
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::S
            | Tag::Small
            | Tag::Strike
            | Tag::Strong
            | Tag::Sub
            | Tag::Sup
            | Tag::U
            | Tag::Var => self.format += 1,
            Tag::Dd | Tag::Dl | Tag::Dt | Tag::Li | Tag::Ol | Tag::Ul => self.list += 1,
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::P | Tag::Center => {
                self.structure += 1;
            }
            _ => {}
        }
    }
}

impl AddAssign for Markup {
    fn add_assign(&mut self, other: Markup) {
        self.format += other.format;
        self.list += other.list;
        self.structure += other.structure;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutting::Cutting;
    use crate::{Hidden, Options};

    fn read(page: &str, cutting: Cutting) -> Document {
        crate::read(page.as_bytes(), cutting, &Options::default())
    }

    fn check_markup(page: &str, expect: &[(&str, [u32; 3])]) {
        let document = read(page, Cutting::Ziegler);
        let blocks = document.blocks.iter().map(|block| {
            let Markup { format, list, structure } = Markup::of(&document, block);
            (document.block_text(block), [format, list, structure])
        });
        let expect: Vec<_> = expect.iter().map(|(text, m)| ((*text).to_owned(), *m)).collect();
        assert_eq!(blocks.collect::<Vec<_>>(), expect, "{page}");
    }

    #[test]
    fn removed_elements_are_recorded_in_their_block() {
        check_markup(
            "<table><tr><td><h1>Tides</h1><p>High <b>water</b> at <i><u>noon</u></i></p>\
             <td><ul><li><a href=x>Map</a><li>Fares</ul></table>",
            &[("Tides High water at noon", [3, 0, 2]), ("Map Fares", [0, 3, 0])],
        );
        // Nothing is left over from where no text followed, or was pruned, or is hidden.
        check_markup(
            "<table><tr><td><p></p><td><p><button><b>Go</b></button><p>Low<p hidden><b>x</b></table>",
            &[("Low", [0, 0, 1])],
        );
        // What stands empty beside a text is part of it; what the tree repeats is not.
        check_markup("<p>One<br><p></p><p><b>two<p>three</b>", &[("One two three", [1, 0, 4])]);
        check_markup("", &[]);
    }

    #[test]
    fn what_is_pruned_and_comments_separate() {
        let blocks = |page: &str, cutting| {
            let document = read(page, cutting);
            let texts: Vec<_> = document.blocks.iter().map(|b| document.block_text(b)).collect();
            texts.join(" / ")
        };
        let check = |page: &str, expect: &str| {
            assert_eq!(blocks(page, Cutting::Ziegler), expect, "{page}");
        };
        check("<div>a</div><img src=x><div>b</div>", "a / b");
        check("<div>a</div> <!-- end --> <div>b</div>", "a / b");
        check("a<!---->b<!-- x --> c", "a / b / c");
        check("a&amp;<!-- x -->b", "a& / b");
        check("<!-- x --><p title='<!--'>a<p>b</p title='-->'>", "a b");
        check("<b>a<p><!-- x -->b</b> c", "a / b c");
        check("<!-- x -->", "");
        assert_eq!(blocks("a<!-- x -->b<img>c", Cutting::Stream), "ab / c");
    }

    #[test]
    fn hidden_blocks_have_markup_of_their_own() {
        let options = Options { hidden: Hidden::Mark, ..Options::default() };
        let document = crate::read(b"<p>a<p hidden><b>b</b></p>c", Cutting::Ziegler, &options);
        let format: Vec<_> = document.blocks.iter().map(|b| Markup::of(&document, b)).collect();
        assert_eq!(format.iter().map(|m| m.format).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(format.iter().map(|m| m.structure).collect::<Vec<_>>(), [1, 1, 0]);
    }

    #[test]
    fn other_cuttings_record_nothing() {
        for (cutting, _) in Cutting::ALL.into_iter().filter(|(c, _)| !c.records_markup()) {
            let document = read("<p><b>a</b>", cutting);
            assert!(document.markup.is_empty());
            for block in &document.blocks {
                assert_eq!(Markup::of(&document, block), Markup::default());
            }
        }
    }

    #[test]
    fn a_fused_block_has_the_markup_of_its_atoms() {
        let mut document = read("<table><tr><td><b>a</b><td><p><i>b</i></table>", Cutting::Ziegler);
        let next = document.blocks.pop().unwrap();
        document.blocks[0].fuse(next);
        let expect = Markup { format: 2, list: 0, structure: 1 };
        assert_eq!(Markup::of(&document, &document.blocks[0]), expect);
    }

    #[test]
    fn values() {
        let page = "<ul><li>The <a href=x>ferry</a> is back!</ul><p><b>It</b> is late, again.";
        let document = read(page, Cutting::Ziegler);
        let Signals { values, language } = signals(&document, &document.blocks[0]);
        // The ferry is back! It is late, again.
        let expect = [4.0, 2.0, 27.0 / 37.0, 5.0 / 8.0, 1.0 / 8.0, 1.0 / 8.0, 2.0 / 8.0, 1.0 / 8.0];
        assert_eq!((values, language), (expect, Some("en")));
        let document = read("<ul><li>|</ul>", Cutting::Ziegler);
        let values = signals(&document, &document.blocks[0]).values;
        assert_eq!(values, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
