//! A page as the rest of the library sees it: a [`Document`] of text [`Block`]s.
//!
//! Cutting a page (see [`mod@crate::cutting`]) gives *atoms*: the smallest pieces of text, with their
//! [`Counts`]. Atoms never change. A [`Block`] is one atom or several fused ones, plus what the
//! filters found out about it: labels, a score, and whether it is content. Filters only ever touch
//! blocks, so every verdict can be traced back to the page.
//!
//! ```
//! use webstrata::Extractor;
//!
//! let page = b"<title>Tide tables</title><p>High water is at noon.";
//! let document = Extractor::named("keep-all").unwrap().extract(page);
//! assert_eq!(document.title.as_deref(), Some("Tide tables"));
//! assert_eq!(document.blocks[0].counts.words, 5);
//! assert_eq!(document.text(), "High water is at noon.\n");
//! ```

use std::ops::{AddAssign, BitOr, BitOrAssign, Range};

use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::clock::Clock;
use crate::limits::{Limit, LimitsHit, Spare};
use crate::options::Hidden;
use crate::site::Site;
use crate::strata::reasons::Judge;
use crate::strata::{Observations, PageType};
use crate::tree::NodeId;
use crate::ziegler::Markup;

/// A main text of fewer words is a reason to try another extractor.
const MIN_WORDS: u32 = 10;

/// A page cut into text blocks. What an extractor works on and what every output is written from.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The text of `<title>`, whitespace collapsed; `None` where the page has none. The title without the name of the
    /// site is in the page's [metadata](crate::metadata).
    pub title: Option<String>,
    /// The language that the page declares (`<html lang>`), as written there.
    pub language: Option<String>,
    /// Where the page came from, if the caller knows.
    pub url: Option<String>,
    /// The character encoding that the bytes were decoded from, by its WHATWG name.
    pub encoding: &'static str,
    /// The extractor that found the main text: the one that was asked for, or one that it falls back
    /// to. Empty where none was applied.
    pub extractor: String,
    /// The type of the page, if the extractor determines it.
    pub page_type: Option<PageType>,
    /// The probability that at least nine tenths of the main text are right, if the extractor estimates
    /// it.
    pub confidence: Option<f32>,
    /// What is known from other pages of the site, if the caller knows any.
    pub site: Option<Box<Site>>,
    /// The pieces of text exactly as the page was cut. Filters never change them.
    pub atoms: Vec<Atom>,
    /// The blocks, in page order. Filters label, keep, drop, fuse and split these.
    pub blocks: Vec<Block>,
    /// What was cut short while reading the page.
    pub(crate) limits: LimitsHit,
    /// The time that is left for it.
    pub(crate) clock: Clock,
    /// The memory that is left for what is written of it.
    pub(crate) spare: Spare,
    /// The texts of all atoms; an atom holds its span.
    pub(crate) text: String,
    /// The text nodes whose text is in an atom, a bit each: an atom's range may also hold nodes that
    /// were skipped.
    pub(crate) shown: Vec<u64>,
    /// For BTE: how many tags stand before each atom, and in the whole page.
    pub(crate) tags: u32,
    /// The elements that were removed from each atom; empty unless the cutting records them. Apart
    /// from the atoms, so that pages cut otherwise do not carry them.
    pub(crate) markup: Vec<Markup>,
    /// What is to become of text that the page hides, where that was not decided while cutting.
    pub(crate) hidden: Hidden,
    /// What the learned extractor looks at; `None` unless the page was cut for it.
    pub(crate) observations: Option<Box<Observations>>,
    /// The model that has judged them.
    pub(crate) judge: Option<Judge>,
}

/// One piece of text as cut from the page: its text, its counts and where it stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atom {
    /// Span in the document's text; read it with [`Document::atom_text`].
    pub(crate) text: Range<u32>,
    /// What was counted in the text.
    pub counts: Counts,
    /// First text node of the atom and the one after its last, as indices into the [`Tree`](crate::Tree).
    pub nodes: Range<u32>,
    /// How many separating elements are open around the text.
    pub tag_level: u16,
    /// The elements of interest that enclose the text.
    pub enclosing: Enclosing,
    /// Whether the page hides this text from its readers.
    pub hidden: bool,
    /// Whether it is hidden only until a reader opens it. Recorded for the learned extractor only.
    pub openable: bool,
    /// How many tags stand before the text in the page (for [`KeepLeastTags`](crate::filters::KeepLeastTags)).
    pub(crate) tags_before: u32,
}

/// One or several atoms and the verdict on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The atoms of the block, as indices into [`Document::atoms`]: the first run of them…
    first: Range<u32>,
    /// … and further runs, ascending, where a fusion skipped some. Mostly empty: no allocation.
    more: Vec<Range<u32>>,
    /// The sum of the atoms' counts.
    pub counts: Counts,
    /// What filters found out.
    pub labels: Labels,
    /// Whether the block belongs to the main text.
    pub is_content: bool,
    /// What the block is for, if the extractor tells more than content from boilerplate.
    pub class: Option<Class>,
    /// The probability of content that the last classifier gave, between 0 and 1.
    pub score: f32,
    /// The lowest tag level of its atoms.
    pub tag_level: u16,
}

impl Block {
    /// The block of one atom, not content yet.
    pub fn of_atom(index: u32, atom: &Atom) -> Block {
        Block {
            first: index..index + 1,
            more: Vec::new(),
            counts: atom.counts,
            labels: if atom.hidden { Label::Hidden.into() } else { Labels::default() },
            is_content: false,
            class: None,
            score: 0.0,
            tag_level: atom.tag_level,
        }
    }

    /// Takes `next`, a block further down the page, into this one. Content if either was.
    pub fn fuse(&mut self, next: Block) {
        for range in std::iter::once(next.first).chain(next.more) {
            let last = self.more.last_mut().unwrap_or(&mut self.first);
            if last.end == range.start {
                last.end = range.end;
            } else {
                self.more.push(range);
            }
        }
        self.counts += next.counts;
        self.labels |= next.labels;
        self.is_content |= next.is_content;
        self.class = self.class.or(next.class);
        self.score = self.score.max(next.score);
        self.tag_level = self.tag_level.min(next.tag_level);
    }

    /// Indices of the block's atoms, ascending.
    pub fn atoms(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(&self.first).chain(&self.more).cloned().flatten().map(|i| i as usize)
    }

    /// The index of the first atom: the block's position in the page.
    pub fn first_atom(&self) -> usize {
        self.first.start as usize
    }

    /// The index of the last atom.
    pub fn last_atom(&self) -> usize {
        self.more.last().unwrap_or(&self.first).end as usize - 1
    }
}

impl Document {
    /// What was cut short, of the page and of what was written of it so far; empty for nearly all pages.
    pub fn limits(&self) -> LimitsHit {
        let mut limits = self.limits;
        if self.clock.is_late() {
            limits.add(Limit::Deadline);
        }
        if self.spare.is_short() {
            limits.add(Limit::Memory);
        }
        limits
    }

    /// The main text: the content blocks, one line an atom. No-break spaces, which count as tokens
    /// inside a block, are ordinary spaces here, and empty lines are left out.
    pub fn text(&self) -> String {
        let kept = || self.blocks.iter().filter(|block| block.is_content).flat_map(Block::atoms);
        let length = kept().map(|i| self.atoms[i].text.len() + 1).sum();
        let mut text = String::with_capacity(length);
        for line in kept().map(|i| self.atom_text(i)) {
            let start = text.len();
            if has_no_break_space(line) {
                for word in line.split_whitespace() {
                    if text.len() > start {
                        text.push(' ');
                    }
                    text.push_str(word);
                }
            } else {
                text.push_str(line);
            }
            if text.len() > start {
                text.push('\n');
            }
        }
        text
    }

    /// The text of one atom: whitespace collapsed, no line break inside.
    pub fn atom_text(&self, index: usize) -> &str {
        let span = &self.atoms[index].text;
        &self.text[span.start as usize..span.end as usize]
    }

    /// The text of one block, one line an atom.
    pub fn block_text(&self, block: &Block) -> String {
        let lines: Vec<&str> = block.atoms().map(|i| self.atom_text(i)).collect();
        lines.join("\n")
    }

    /// Calls `test` with the text of `block`, which is copied only if the block has several atoms.
    pub fn with_text<T>(&self, block: &Block, test: impl FnOnce(&str) -> T) -> T {
        if block.first.len() == 1 && block.more.is_empty() {
            test(self.atom_text(block.first_atom()))
        } else {
            test(&self.block_text(block))
        }
    }

    /// Has the main text fewer than ten words? There are such pages, but another extractor may find more.
    pub fn has_few_words(&self) -> bool {
        let content = self.blocks.iter().filter(|block| block.is_content);
        content.map(|block| block.counts.words).sum::<u32>() < MIN_WORDS
    }

    /// What the learned extractor looks at, if the page was cut for it.
    #[cfg(feature = "training")]
    pub fn observations(&self) -> Option<&Observations> {
        self.observations.as_deref()
    }

    /// The atoms that begin among these nodes.
    pub(crate) fn atoms_in(&self, nodes: Range<NodeId>) -> Range<usize> {
        let first = self.atoms.partition_point(|atom| atom.nodes.start < nodes.start);
        first..self.atoms.partition_point(|atom| atom.nodes.start < nodes.end).max(first)
    }

    /// For each atom, whether it is in a content block.
    pub fn content_atoms(&self) -> Vec<bool> {
        let mut content = vec![false; self.atoms.len()];
        for atom in self.blocks.iter().filter(|block| block.is_content).flat_map(Block::atoms) {
            content[atom] = true;
        }
        content
    }
}

/// Has the text one of the spaces that cutting does not collapse: U+00A0, U+2007, U+202F?
pub(crate) fn has_no_break_space(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Their first bytes are also those of quotes and dashes, which many lines have.
    memchr::memchr2_iter(0xc2, 0xe2, bytes)
        .any(|at| matches!(&bytes[at..], [0xc2, 0xa0, ..] | [0xe2, 0x80, 0x87 | 0xaf, ..]))
}

/// What is counted in a text. Integers only, so that fused blocks are sums; ratios are methods.
///
/// *Words* are tokens with at least one letter or digit (section 3.3 of the WSDM paper), *tokens*
/// include the others, such as a lone `|` or a no-break space. A
/// [`WordRule`](crate::words::WordRule) says how text is split into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Counts {
    /// Tokens with a letter or digit.
    pub words: u32,
    /// Words inside links.
    pub linked_words: u32,
    /// All tokens.
    pub tokens: u32,
    /// Lines of the wrapped text without the last one; 1 if there is only one.
    pub full_lines: u32,
    /// Words on those lines.
    pub words_in_full_lines: u32,
    /// Characters in words, for the average word length.
    pub word_chars: u32,
    /// Sentence ends: runs of `.`, `?`, `!`, `;` at the end of a token.
    pub sentences: u32,
    /// Full stops.
    pub full_stops: u32,
    /// Words that start with an uppercase letter.
    pub upper_start: u32,
    /// Words whose letters are all uppercase.
    pub upper_all: u32,
    /// Tokens that look like a date or a time.
    pub dates: u32,
    /// Vertical bars.
    pub bars: u32,
}

impl Counts {
    /// Equation 1: words per full line of the text wrapped at `w_max` columns; all words where there
    /// is only one line.
    pub fn text_density(&self) -> f64 {
        ratio(self.words_in_full_lines, self.full_lines)
    }

    /// The share of words that are inside links.
    pub fn link_density(&self) -> f64 {
        ratio(self.linked_words, self.words)
    }

    /// Characters per word.
    pub fn average_word_length(&self) -> f64 {
        ratio(self.word_chars, self.words)
    }

    /// Words per sentence; a text without any sentence end is one sentence.
    pub fn average_sentence_length(&self) -> f64 {
        ratio(self.words, self.sentences.max(1))
    }

    /// The share of words that start with an uppercase letter or consist of them.
    pub fn upper_ratio(&self) -> f64 {
        ratio(self.upper_start, self.words)
    }

    /// Full stops per word.
    pub fn full_stop_ratio(&self) -> f64 {
        ratio(self.full_stops, self.words)
    }

    /// The words, if the text is dense enough to be running text, else 0.
    pub(crate) fn full_text_words(&self, min_text_density: f64) -> u32 {
        if self.text_density() >= min_text_density { self.words } else { 0 }
    }
}

fn ratio(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.words += other.words;
        self.linked_words += other.linked_words;
        self.tokens += other.tokens;
        self.full_lines += other.full_lines;
        self.words_in_full_lines += other.words_in_full_lines;
        self.word_chars += other.word_chars;
        self.sentences += other.sentences;
        self.full_stops += other.full_stops;
        self.upper_start += other.upper_start;
        self.upper_all += other.upper_all;
        self.dates += other.dates;
        self.bars += other.bars;
        if self.words_in_full_lines == 0 {
            // Nothing but empty texts: a block of no words has one line, however many were fused.
            self.full_lines = 1;
        }
    }
}

/// What a filter may find out about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Label {
    /// The text is the page's title, or the longest part of it.
    Title,
    /// What follows is not the article any more ("Post a comment").
    EndOfText,
    /// Dropped by a rough filter; a finer one may take it back.
    MightBeContent,
    /// Never content, even if it is fused with content.
    StrictlyNotContent,
    /// Date and author lines.
    ArticleMetadata,
    /// The page hides this text from its readers.
    Hidden,
}

impl Label {
    /// All labels with their names, in the order of their bits.
    pub const ALL: [(Label, &'static str); 6] = [
        (Label::Title, "title"),
        (Label::EndOfText, "end-of-text"),
        (Label::MightBeContent, "might-be-content"),
        (Label::StrictlyNotContent, "strictly-not-content"),
        (Label::ArticleMetadata, "article-metadata"),
        (Label::Hidden, "hidden"),
    ];
}

/// A set of [`Label`]s, and of those that the block above it has (written `^title`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels(u16);

impl Labels {
    const PRECEDING: u32 = 8;

    /// Is the label in the set?
    pub fn has(self, label: Label) -> bool {
        self.0 & (1 << label as u16) != 0
    }

    /// Adds a label.
    pub fn add(&mut self, label: Label) {
        self.0 |= 1 << label as u16;
    }

    /// Takes a label away.
    pub fn remove(&mut self, label: Label) {
        self.0 &= !(1 << label as u16);
    }

    /// No label at all?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// These labels as those of a preceding block: `title` becomes `^title`.
    pub fn as_preceding(self) -> Labels {
        Labels((self.0 & ((1 << Labels::PRECEDING) - 1)) << Labels::PRECEDING)
    }

    /// The names of the labels in the set.
    pub fn names(self) -> impl Iterator<Item = String> {
        let preceding = Labels(self.0 >> Labels::PRECEDING);
        let own = Label::ALL.into_iter().filter(move |(label, _)| self.has(*label));
        let above = Label::ALL.into_iter().filter(move |(label, _)| preceding.has(*label));
        own.map(|(_, name)| name.to_owned()).chain(above.map(|(_, name)| format!("^{name}")))
    }
}

impl From<Label> for Labels {
    fn from(label: Label) -> Labels {
        Labels(1 << label as u16)
    }
}

impl BitOr for Labels {
    type Output = Labels;
    fn bitor(self, other: Labels) -> Labels {
        Labels(self.0 | other.0)
    }
}

impl BitOrAssign for Labels {
    fn bitor_assign(&mut self, other: Labels) {
        self.0 |= other.0;
    }
}

/// Which of the elements of section 3.2 enclose a text: `h1`-`h6`, `p`, `div`, `a`; and `li`, which
/// fusion by markup needs besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enclosing(pub(crate) u16);

impl Enclosing {
    /// The elements, in the order of their bits.
    pub const NAMES: [&'static str; 10] =
        ["h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "a", "li"];

    /// Does an element of this name (one of [`Enclosing::NAMES`]) enclose the text?
    pub fn has(self, name: &str) -> bool {
        Enclosing::NAMES.iter().position(|n| *n == name).is_some_and(|bit| self.0 & (1 << bit) != 0)
    }

    /// Does any heading enclose the text?
    pub fn heading(self) -> bool {
        self.0 & 0b11_1111 != 0
    }

    /// The names of the enclosing elements.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Enclosing::NAMES
            .into_iter()
            .enumerate()
            .filter(move |(i, _)| self.0 & (1 << i) != 0)
            .map(|(_, n)| n)
    }
}
