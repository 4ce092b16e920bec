//! The record of a page: the one JSON shape that every program of the project writes.

use serde::{Deserialize, Serialize};

use super::html::html_of;
use super::markdown::markdown_of;
use super::selection::select;
use super::table::data_tables;
use super::text::text_of;
use super::{OutputOptions, TextShape};
use crate::class::Class;
use crate::clock::{ATOMS_PER_CHECK, Steps};
use crate::document::{Counts, Document};
use crate::links::Link;
use crate::metadata::Metadata;
use crate::metadata::titles::{BestTitle, heading_with};
use crate::page::Page;
use crate::part::{self, Part};
use crate::selectors::Selectors;
use crate::strata::PageType;
use crate::strata::reasons::{Reasons, reasons_of};
use crate::thread::{LazyThread, Post};

/// The version of [`Record`]'s shape. Fields may be added without a new version; a field that goes
/// away or changes its meaning makes one.
pub const RECORD_VERSION: u32 = 2;

/// An extracted page as data. A [`Document`] is not serialised itself, because its fields may change;
/// those of a record do not.
///
/// ```
/// let record = webstrata::Request::default().record(b"<title>Tides</title><p>High water is at noon.");
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
    /// The title of the page without the name of the site, as its metadata have it.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub title: Option<String>,
    /// The main text: structured, or one line a block where that was asked for.
    pub text: String,
    /// The language of the main text, or the one that the page declares if the text says too little.
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
    /// The posts of a discussion or the comments below a text, on request; empty where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posts: Option<Vec<Post>>,
}

/// What a [`Record`] has only on request.
// Not `non_exhaustive`: who passes records on wants to be told of a new part when compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPart {
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
    /// [`Record::posts`].
    Posts,
}

impl RecordPart {
    /// All parts.
    pub const ALL: [RecordPart; 6] = [
        RecordPart::Blocks,
        RecordPart::Metadata,
        RecordPart::Links,
        RecordPart::Markdown,
        RecordPart::Html,
        RecordPart::Posts,
    ];

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 6] =
        ["blocks", "metadata", "links", "markdown", "html", "posts"];

    /// What the field of the record is called.
    pub const fn name(self) -> &'static str {
        RecordPart::NAMES[self as usize]
    }

    /// The part with this name.
    pub fn named(name: &str) -> Option<RecordPart> {
        RecordPart::ALL.into_iter().find(|part| part.name() == name)
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
    /// What it is on its page: `title`, `body`, `caption`, `navigation`, … Records of earlier releases
    /// do not say; they are read as `body`.
    #[serde(default)]
    pub part: Part,
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
    /// Why the trees of `strata` score it so, on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Reasons>,
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
    /// A document that an extractor was applied to. A document alone knows only the `<title>` of its page and the
    /// language of `<html>`, and its text is flat: where the page is at hand, [`Record::of`] makes a better record.
    pub fn new(document: &Document) -> Record {
        let language = document.main_language();
        Record { language, ..Record::with_text(document, None) }
    }

    /// The flat text where there is no other. The language is not looked for, which takes a while.
    fn with_text(document: &Document, text: Option<String>) -> Record {
        let content = document.content_atoms();
        let words = |kept: bool| -> u32 {
            let atoms = document.atoms.iter().zip(&content);
            atoms.filter(|(_, content)| **content || !kept).map(|(atom, _)| atom.counts.words).sum()
        };
        Record {
            version: RECORD_VERSION,
            title: document.title.clone(),
            text: text.unwrap_or_else(|| document.text()),
            language: None,
            url: document.url.clone(),
            encoding: document.encoding.to_owned(),
            extractor: document.extractor.clone(),
            page_type: document.page_type,
            confidence: document.confidence,
            words: words(true),
            page_words: words(false),
            limits: document.limits().names().map(str::to_owned).collect(),
            blocks: None,
            metadata: None,
            links: None,
            markdown: None,
            html: None,
            posts: None,
        }
    }

    /// A page that an extractor was applied to, with the parts asked for: all outputs come
    /// from its one parse.
    ///
    /// ```
    /// use webstrata::output::{OutputOptions, RecordPart};
    /// use webstrata::{Extractor, Options, Record};
    ///
    /// let extractor = Extractor::named("keep-all").unwrap();
    /// let page =
    ///     extractor.extract_page(b"<h1>Tides</h1><p>High at noon.", &Options::default());
    /// let parts = [RecordPart::Markdown, RecordPart::Metadata];
    /// let record = Record::of(&page, &parts, &OutputOptions::default());
    /// assert_eq!(record.text, "High at noon.\n");
    /// assert_eq!(record.markdown.unwrap(), "# Tides\n\nHigh at noon.\n");
    /// assert_eq!(record.metadata.unwrap().title.unwrap().value, "Tides");
    /// ```
    pub fn of(page: &Page<'_>, parts: &[RecordPart], markup: &OutputOptions) -> Record {
        let has = |part: RecordPart| parts.contains(&part);
        page.document.clock.write();
        let metadata = has(RecordPart::Metadata).then(|| page.what_it_says());
        let (title, language) = match &metadata {
            Some(metadata) => (
                metadata.title.as_ref().map(|title| title.value.clone()),
                metadata.language.as_ref().map(|language| language.value.clone()),
            ),
            None => page.title_and_language(),
        };
        let heading =
            title.clone().map(|value| BestTitle { node: heading_with(page, &value), value });
        let is_flat = markup.text == TextShape::Flat;
        let thread = LazyThread::of(page);
        let above = has(RecordPart::Blocks).then(|| heading.clone());
        // The text first: it is what most want, should time run out.
        let record = if is_flat && !has(RecordPart::Markdown) && !has(RecordPart::Html) {
            Record::with_text(&page.document, None)
        } else {
            select(&thread, markup, heading, |selection| {
                let text = (!is_flat).then(|| text_of(selection));
                Record {
                    markdown: has(RecordPart::Markdown).then(|| markdown_of(selection)),
                    html: has(RecordPart::Html).then(|| html_of(selection)),
                    ..Record::with_text(&page.document, text)
                }
            })
        };
        let record = Record {
            title,
            language,
            metadata,
            links: has(RecordPart::Links).then(|| page.where_links_lead()),
            blocks: above.map(|above| {
                let mut blocks = blocks(page, above.as_ref());
                if markup.reasons {
                    let with = blocks.iter_mut().zip(reasons_of(page));
                    with.for_each(|(block, reasons)| block.reasons = Some(reasons));
                }
                blocks
            }),
            posts: has(RecordPart::Posts).then(|| thread.posts()),
            ..record
        };
        let limits = page.document.limits();
        Record { limits: limits.names().map(str::to_owned).collect(), ..record }
    }
}

/// Bytes of paths and selectors that any page may have, however short it is.
const LEAST_WAYS: usize = 1 << 20;

/// The same for each byte of the page. A text of one letter, 48 elements deep, has a thousand.
const WAYS_A_BYTE: usize = 4;

fn blocks(page: &Page<'_>, title: Option<&BestTitle>) -> Vec<BlockRecord> {
    let Page { tree, document } = page;
    let mut blocks: Vec<BlockRecord> = Vec::with_capacity(document.atoms.len());
    if document.atoms.is_empty() || document.clock.passed() {
        return blocks;
    }
    let content = document.content_atoms();
    let parts = part::parts_of(page, &data_tables(tree), title);
    let Some(selectors) = Selectors::in_time(tree, &document.clock) else { return blocks };
    let room = LEAST_WAYS + WAYS_A_BYTE * tree.source.len();
    let mut room = room.min(document.spare.for_output());
    let mut steps = Steps::default();
    for (index, atom) in document.atoms.iter().enumerate() {
        if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
            break;
        }
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
            part: parts[index],
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
            reasons: None,
        });
    }
    for block in &document.blocks {
        for atom in block.atoms() {
            // Those behind the deadline are not there.
            let Some(record) = blocks.get_mut(atom) else { break };
            record.labels = block.labels.names().collect();
            record.score = block.score;
            record.class = block.class;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extractor, Options};

    #[test]
    fn titles_do_not_depend_on_what_else_is_asked_for() {
        let page = b"<html lang=en><title>Tides | Harbour Post</title><h1>Tides</h1><p>Das Wasser steht am Mittag so \
            hoch, dass es nicht mehr in den Hafen passt, und die Boote liegen auf der Wiese.";
        let page =
            Extractor::named("keep-all").expect("built in").extract_page(page, &Options::default());
        for parts in [&[][..], &[RecordPart::Metadata]] {
            let record = Record::of(&page, parts, &OutputOptions::default());
            assert_eq!(record.title.as_deref(), Some("Tides"));
            assert_eq!(record.language.as_deref(), Some("de"));
        }
        let record = Record::new(&page.document);
        assert_eq!(record.title.as_deref(), Some("Tides | Harbour Post"));
        assert_eq!(record.language.as_deref(), Some("de"));
    }

    #[test]
    fn ways_to_blocks_are_no_way_to_fill_memory() {
        let deep: String = (0..60).map(|i| format!("<{}{i}>", "deep-element-".repeat(4))).collect();
        let page = deep + &"<p>a".repeat(5_000);
        let extractor = Extractor::named("keep-all").expect("built in");
        let options = Options::default();
        let read = extractor.extract_page(page.as_bytes(), &options);
        let blocks = blocks(&read, None);
        assert_eq!(blocks.len(), 5_000);
        let ways: usize = blocks.iter().map(|block| block.path.len() + block.selector.len()).sum();
        assert!(ways < LEAST_WAYS + WAYS_A_BYTE * page.len() + (1 << 14), "{ways}");
        assert!(blocks[0].path.ends_with("/p") && blocks[4_999].selector.is_empty());
    }
}
