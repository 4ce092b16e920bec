//! Pages cut into segments by the density of their text (thesis, 4.2).
//!
//! A page is a row of *atomic blocks*, the texts between any two tags but `a`. Block Fusion
//! (Algorithm 4.1) joins neighbours whose densities differ little, again and again, until none do.
//! What is left are the segments: a menu, an article, a footer. No tag says what they are, the number
//! of words on their lines does.
//!
//! ```
//! use webstrata::Options;
//! use webstrata_corpus::segmentation::{AtomicPage, Method, Segmenter};
//!
//! let html = b"<ul><li>Home<li>Tides<li>Contact</ul><p>High water is at noon today, the harbour \
//!     office says, and the ferry to the islands leaves an hour earlier than it does on other days.";
//! let segmenter = Segmenter::new(Method::Plain);
//! let page = AtomicPage::read(html, &Options::default(), segmenter.width);
//! let segments = segmenter.segment(&page);
//! assert_eq!(segments.len(), 2);
//! assert_eq!(page.text(&segments[0]), "Home\nTides\nContact");
//! assert!(segments[0].density() < segments[1].density());
//! ```

mod fusion;
pub mod gold;
pub mod measures;
mod page;
mod record;
mod templates;
mod tokens;
mod wrap;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub use fusion::Fused;
pub use page::{AtomicPage, Gap};
pub use record::{SEGMENTS_VERSION, SegmentRecord, SegmentsRecord};
pub use templates::TemplateRemoval;
pub use tokens::{Token, tokens};

/// The threshold ϑ_max of plain and smoothed Block Fusion (4.2.4).
pub const THRESHOLD: f64 = 0.38;
/// The same of Block Fusion with rules (4.2.4).
pub const RULES_THRESHOLD: f64 = 0.6;
/// Columns at which text is wrapped for its density, w_max (4.2.1).
pub const WIDTH: u32 = 80;

/// How a page is cut into segments, in the order of Table 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// WORDWRAP: all text as one, every wrapped line is a segment.
    WordWrap,
    /// TAGGAP: every atomic block is a segment.
    TagGap,
    /// BF-PLAIN: neighbours of similar density are fused.
    Plain,
    /// BF-SMOOTHED: besides, a block between two of the same, higher density is fused with both.
    Smoothed,
    /// The same with the criterion of footnote 6: both neighbours have a density of at most 5.
    SmoothedSparse,
    /// BF-RULEBASED: as smoothed, but some tags always part blocks and some never do
    /// (Equation 4.8).
    RuleBased,
    /// JUSTRULES: only the tags that always part blocks do.
    JustRules,
}

impl Method {
    /// All methods with their names.
    pub const ALL: [(Method, &'static str); 7] = [
        (Method::WordWrap, "word-wrap"),
        (Method::TagGap, "tag-gap"),
        (Method::Plain, "plain"),
        (Method::Smoothed, "smoothed"),
        (Method::SmoothedSparse, "smoothed-sparse"),
        (Method::RuleBased, "rule-based"),
        (Method::JustRules, "just-rules"),
    ];

    /// The method's name.
    pub fn name(self) -> &'static str {
        Method::ALL[self as usize].1
    }

    /// Does the threshold ϑ_max matter?
    pub fn has_threshold(self) -> bool {
        !matches!(self, Method::WordWrap | Method::TagGap | Method::JustRules)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no [`Method`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMethod(String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Method::ALL.map(|(_, name)| name).join(", ");
        write!(f, "unknown method `{}`, expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownMethod {}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Method, UnknownMethod> {
        let found = Method::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(method, _)| *method).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// Cuts pages into segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segmenter {
    /// How.
    pub method: Method,
    /// ϑ_max: blocks are fused where their densities differ by at most this part of the higher one.
    pub threshold: f64,
    /// w_max: the columns at which text is wrapped. The page must have been read with the same.
    pub width: u32,
    /// How often the blocks are gone through at most; until nothing changes where `None`.
    pub iterations: Option<usize>,
}

impl Segmenter {
    /// A method with the thesis' parameters.
    pub fn new(method: Method) -> Segmenter {
        let threshold = if method == Method::RuleBased { RULES_THRESHOLD } else { THRESHOLD };
        Segmenter { method, threshold, width: WIDTH, iterations: None }
    }

    /// Reads a page at this width and cuts it.
    pub fn read(&self, bytes: &[u8], options: &webstrata::Options) -> (AtomicPage, Vec<Segment>) {
        let page = AtomicPage::read(bytes, options, self.width);
        let segments = self.segment(&page);
        (page, segments)
    }

    /// The segments of a page in page order. Every word is in one; a page without words has none.
    pub fn segment(&self, page: &AtomicPage) -> Vec<Segment> {
        match self.method {
            Method::WordWrap => wrap::lines(page, self.width),
            _ => self.fuse(page).segments,
        }
    }

    /// The same, telling how often the blocks were gone through. [`Method::WordWrap`] fuses nothing:
    /// to it, the page is as [`Method::TagGap`] leaves it.
    pub fn fuse(&self, page: &AtomicPage) -> Fused {
        fusion::fuse(page.blocks(), self)
    }
}

/// A part of a page whose text belongs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its atoms, as indices into the atoms of the page's document. Two lines of
    /// [`Method::WordWrap`] may share one.
    pub atoms: Range<usize>,
    /// Where its text stands among the texts of all atoms, in bytes.
    pub span: Range<usize>,
    /// Lines of its wrapped text. Each atom begins a line of its own, also after a fusion.
    pub lines: u32,
    /// Tokens: words that have a letter or digit (4.2.1).
    pub tokens: u32,
    /// Tokens on the last line.
    pub tokens_on_last_line: u32,
    /// Tokens inside links. Of an atom that several lines share, each has its part.
    pub linked_tokens: u32,
    /// Full stops at the ends of tokens.
    pub full_stops: u32,
    /// The tags before its first atom.
    pub gap: Gap,
}

impl Segment {
    /// Equation 4.6: tokens per line without the last one; all tokens where there is only one line.
    pub fn density(&self) -> f64 {
        let (tokens, lines) = self.density_parts();
        if lines == 0 { 0.0 } else { f64::from(tokens) / f64::from(lines) }
    }

    /// The share of tokens that are inside links.
    pub fn link_density(&self) -> f64 {
        let tokens = f64::from(self.tokens);
        if self.tokens == 0 { 0.0 } else { f64::from(self.linked_tokens) / tokens }
    }

    /// Numerator and denominator of the density.
    pub(crate) fn density_parts(&self) -> (u32, u32) {
        if self.lines > 1 {
            (self.tokens - self.tokens_on_last_line, self.lines - 1)
        } else {
            (self.tokens, 1)
        }
    }

    /// Takes the segment that follows into this one: from the first line of this to the last of that.
    pub(crate) fn append(&mut self, next: &Segment) {
        self.atoms.end = next.atoms.end;
        self.span.end = next.span.end;
        self.lines += next.lines;
        self.tokens += next.tokens;
        self.tokens_on_last_line = next.tokens_on_last_line;
        self.linked_tokens += next.linked_tokens;
        self.full_stops += next.full_stops;
    }
}

#[cfg(test)]
mod tests;
