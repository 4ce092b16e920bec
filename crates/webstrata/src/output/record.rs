//! The record of a page: the one JSON shape that every program of the project writes.

use serde::{Deserialize, Serialize};

use super::{MarkupOptions, html, markdown};
use crate::class::Class;
use crate::document::{Counts, Document};
use crate::links::Link;
use crate::metadata::Metadata;
use crate::page::Page;
use crate::selectors::Selectors;
use crate::strata::PageType;

/// The version of [`Record`]'s shape. Fields may be added without a new version; a field that goes
/// away or changes its meaning makes one.
pub const RECORD_VERSION: u32 = 2;

/// An extracted page as data. A [`Document`] is not serialised itself, because its fields may change;
/// those of a record do not.
///
/// ```
/// let document = webstrata::extract(b"<title>Tides</title><p>High water is at noon.");
/// let record = webstrata::Record::new(&document);
/// let json = serde_json::to_value(&record).unwrap();
/// assert_eq!(json["version"], 2);
/// assert_eq!(json["title"], "Tides");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Record {
    /// The version of this shape: 2.
    pub version: u32,
    /// The page's `<title>`.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub title: Option<String>,
    /// The main text, one line a block.
    pub text: String,
    /// The language that the page declares.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub language: Option<String>,
    /// The address of the page, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The encoding that the page was decoded from.
    pub encoding: String,
    /// The extractor that found the text. Not the one asked for if that one found fewer than ten words.
    pub extractor: String,
    /// The type of the page, if the extractor determines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_type: Option<PageType>,
    /// The probability that at least nine tenths of the text are right, if the extractor estimates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1))]
    pub confidence: Option<f32>,
    /// Words in the main text.
    pub words: u32,
    /// Words in all blocks, content or not.
    pub page_words: u32,
    /// The limits that the page ran into; empty for nearly all pages.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<crate::limits::Limit>))]
    pub limits: Vec<String>,
    /// Every block of the page, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<BlockRecord>>,
    /// What the page says about itself, on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The links of the page, on request; their `block` is an index into `blocks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
    /// The main text as Markdown, on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// The main text as clean HTML, on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}

/// What a [`Record`] has only on request.
// Not `non_exhaustive`: who passes records on wants to be told of a new part when compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// [`Record::blocks`].
    Blocks,
    /// [`Record::metadata`].
    Metadata,
    /// [`Record::links`].
    Links,
    /// [`Record::markdown`].
    Markdown,
    /// [`Record::html`].
    Html,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 5] =
        [Part::Blocks, Part::Metadata, Part::Links, Part::Markdown, Part::Html];

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 5] = ["blocks", "metadata", "links", "markdown", "html"];

    /// What the field of the record is called.
    pub const fn name(self) -> &'static str {
        Part::NAMES[self as usize]
    }

    /// The part with this name.
    pub fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// One piece of the page's text and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct BlockRecord {
    /// The text, whitespace collapsed.
    pub text: String,
    /// Is it part of the main text?
    pub content: bool,
    /// What the text is for, if the extractor tells more than content from boilerplate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// What the filters found out: `title`, `end-of-text`, …
    pub labels: Vec<String>,
    /// The classifier's probability of content.
    pub score: f32,
    /// What was counted in the text.
    pub counts: Counts,
    /// Words per full line of wrapped text (Equation 1).
    pub text_density: f64,
    /// The share of words in links.
    pub link_density: f64,
    /// The names of the elements around the text: `html/body/div/p`. On pages whose paths and selectors would
    /// be many times as long as the page, only the first blocks have them.
    pub path: String,
    /// A CSS selector for the element that holds the text.
    pub selector: String,
    /// How many pages of the site have it, where other pages are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<SeenRecord>,
}

/// On how many pages of a site a text, and any text in its place, was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SeenRecord {
    /// The pages of the site that are known.
    pub of: u32,
    /// Those with the text.
    pub pages: u32,
    /// Those with a text in such a place.
    pub place: u32,
    /// Those on which a text in such a place was content by itself.
    pub kept: u32,
}

impl Record {
    /// A document that an extractor was applied to.
    pub fn new(document: &Document) -> Record {
        let content = document.content_atoms();
        let words = |kept: bool| -> u32 {
            let atoms = document.atoms.iter().zip(&content);
            atoms.filter(|(_, content)| **content || !kept).map(|(atom, _)| atom.counts.words).sum()
        };
        Record {
            version: RECORD_VERSION,
            title: document.title.clone(),
            text: document.text(),
            language: document.language.clone(),
            url: document.url.clone(),
            encoding: document.encoding.to_owned(),
            extractor: document.extractor.clone(),
            page_type: document.page_type,
            confidence: document.confidence,
            words: words(true),
            page_words: words(false),
            limits: document.limits.names().map(str::to_owned).collect(),
            blocks: None,
            metadata: None,
            links: None,
            markdown: None,
            html: None,
        }
    }

    /// A page that an extractor was applied to, with the parts asked for: all outputs come
    /// from its one parse.
    ///
    /// ```
    /// use webstrata::output::{MarkupOptions, Part};
    /// use webstrata::{Extractor, Options, Record};
    ///
    /// let extractor = Extractor::named("keep-all").unwrap();
    /// let page =
    ///     extractor.extract_page(b"<h1>Tides</h1><p>High at noon.", &Options::default());
    /// let parts = [Part::Markdown, Part::Metadata];
    /// let record = Record::of(&page, &parts, &MarkupOptions::default());
    /// assert_eq!(record.text, "Tides\nHigh at noon.\n");
    /// assert_eq!(record.markdown.unwrap(), "# Tides\n\nHigh at noon.\n");
    /// assert_eq!(record.metadata.unwrap().title.unwrap().value, "Tides");
    /// ```
    pub fn of(page: &Page<'_>, parts: &[Part], markup: &MarkupOptions) -> Record {
        let has = |part: Part| parts.contains(&part);
        Record {
            blocks: has(Part::Blocks).then(|| blocks(page)),
            metadata: has(Part::Metadata).then(|| page.metadata()),
            links: has(Part::Links).then(|| page.links()),
            markdown: has(Part::Markdown).then(|| markdown(page, markup)),
            html: has(Part::Html).then(|| html(page, markup)),
            ..Record::new(&page.document)
        }
    }
}

/// Bytes of paths and selectors that any page may have, however short it is.
const LEAST_WAYS: usize = 1 << 20;

/// The same for each byte of the page. A text of one letter, 48 elements deep, has a thousand.
const WAYS_A_BYTE: usize = 4;

fn blocks(page: &Page<'_>) -> Vec<BlockRecord> {
    let Page { tree, document } = page;
    let mut blocks: Vec<BlockRecord> = Vec::with_capacity(document.atoms.len());
    let content = document.content_atoms();
    let selectors = Selectors::new(tree);
    let mut room = LEAST_WAYS + WAYS_A_BYTE * tree.source.len();
    for (index, atom) in document.atoms.iter().enumerate() {
        let node = atom.nodes.start;
        let (path, selector) = match room {
            0 => (String::new(), String::new()),
            _ => (tree.path(node), selectors.of(node)),
        };
        room = room.saturating_sub(path.len() + selector.len());
        blocks.push(BlockRecord {
            text: document.atom_text(index).to_owned(),
            content: content[index],
            class: None,
            labels: Vec::new(),
            score: 0.0,
            counts: atom.counts,
            text_density: atom.counts.text_density(),
            link_density: atom.counts.link_density(),
            path,
            selector,
            site: document.site.as_deref().and_then(|site| {
                let seen = site.sightings.get(index)?;
                let (pages, place, kept) = (seen.pages, seen.place, seen.kept);
                Some(SeenRecord { of: site.pages, pages, place, kept })
            }),
        });
    }
    for block in &document.blocks {
        for atom in block.atoms() {
            blocks[atom].labels = block.labels.names().collect();
            blocks[atom].score = block.score;
            blocks[atom].class = block.class;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extractor, Options};

    #[test]
    fn ways_to_blocks_are_no_way_to_fill_memory() {
        let deep: String = (0..60).map(|i| format!("<{}{i}>", "deep-element-".repeat(4))).collect();
        let page = deep + &"<p>a".repeat(5_000);
        let extractor = Extractor::named("keep-all").expect("built in");
        let options = Options::default();
        let read = extractor.extract_page(page.as_bytes(), &options);
        let blocks = blocks(&read);
        assert_eq!(blocks.len(), 5_000);
        let ways: usize = blocks.iter().map(|block| block.path.len() + block.selector.len()).sum();
        assert!(ways < LEAST_WAYS + WAYS_A_BYTE * page.len() + (1 << 14), "{ways}");
        assert!(blocks[0].path.ends_with("/p") && blocks[4_999].selector.is_empty());
    }
}
