//! What a page says about itself: title, authors, dates, site and more, each with its [`Source`].
//!
//! ```
//! use webstrata::cutting::Cutting;
//! use webstrata::metadata::Source;
//! use webstrata::{Options, Page};
//!
//! let html = br#"<title>Tide tables | The Harbour Post</title>
//!     <meta property="og:site_name" content="The Harbour Post">
//!     <h1>Tide tables</h1><p class=byline>By Jane Doe</p><time datetime=2025-09-04>Thursday</time>"#;
//! let page = Page::read(html, Cutting::default(), &Options::default());
//! let metadata = page.metadata();
//! assert_eq!(metadata.title.unwrap().value, "Tide tables");
//! assert_eq!(metadata.authors[0].value, "Jane Doe");
//! assert_eq!(metadata.authors[0].source, Source::Byline);
//! assert_eq!(metadata.published.unwrap().value, "2025-09-04");
//! ```
//!
//! # Whom to believe
//!
//! Per field, the first source that has a valid value:
//!
//! | field | sources, in order |
//! |---|---|
//! | title | a heading that other sources agree with; JSON-LD (article), Open Graph, other `<meta>`, microdata and JSON-LD (page), `<title>`, heading; without the site's name |
//! | authors | JSON-LD, `<meta>`, microdata, `rel=author`, bylines by their class, `By …` below the heading; accounts such as `jane-doe` and the site itself only where there is nobody else |
//! | published | JSON-LD (article), Open Graph, `<meta>`, microdata, JSON-LD (page), the address, the date nearest the heading (`<time>`, by its class, in a line that says so or is little else), other `<time>`; a stated time of Greenwich gives way to the day that the page shows; the last change where there is nothing else |
//! | modified | JSON-LD, Open Graph, `<meta>`, microdata, `<time>`, dates that say `updated` |
//! | site | Open Graph, JSON-LD (site), `<meta>`, JSON-LD (publisher) |
//! | description | Open Graph, `<meta>`, JSON-LD |
//! | language | the text, where it says enough; then, and where both agree, `<html lang>`, `<meta>`, JSON-LD, `og:locale` |
//! | canonical | `rel=canonical`, `og:url` |
//! | image | Open Graph, `<meta>`, JSON-LD, `rel=image_src` |
//! | tags | all of the first source that has any: Open Graph, JSON-LD, `<meta>`, `rel=tag` |
//! | licence | `rel=license`, JSON-LD, `<meta>` |
//! | page type | JSON-LD, Open Graph, microdata |
//!
//! Where several elements of a kind are in the page (bylines, times), the first one below the main
//! heading counts; teasers of other pages stand above it or further down.
//!
//! Work and memory are bounded by the page's size: values are cut off, lists end after
//! 64 values, scripts of JSON-LD beyond a megabyte are not read.

mod authors;
mod collect;
pub(crate) mod dates;
mod json_ld;
mod names;
mod search;
#[cfg(test)]
mod tests;
pub(crate) mod titles;
mod values;

use serde::{Deserialize, Serialize};

use crate::addresses::Addresses;
use crate::bytes::is_collapsed;
use crate::document::{Block, Document};
use crate::html::tag::Tag;
use crate::language;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// How many authors or tags a page has at most.
pub(crate) const MOST_VALUES: usize = 64;

/// Characters of a value; a description is a paragraph, a title a line.
const LONGEST_VALUE: usize = 2_000;

/// The date in an attribute or a short text, as ISO 8601.
pub(crate) fn date_in(text: &str) -> Option<String> {
    dates::parse(text)
}

/// Is `day` the day of `time`, a time of Greenwich, somewhere on the earth?
pub(crate) use dates::is_local_day;

/// The value of a script of JSON-LD, if it is one and not too large. What is no JSON is repaired once.
pub(crate) fn linked_data(tree: &Tree<'_>, script: NodeId) -> Option<serde_json::Value> {
    if tree.tag(script) != Some(Tag::Script) || !json_ld::is_linked_data(tree, script) {
        return None;
    }
    let text: String = tree.children(script).map(|child| tree.text(child)).collect();
    let objects = memchr::memchr_iter(b'{', text.as_bytes()).count();
    let is_short = objects <= json_ld::MOST_OBJECTS && text.len() <= json_ld::LONGEST_SCRIPT;
    let parse = |json: &str| serde_json::from_str(json);
    is_short.then(|| parse(&text).or_else(|_| parse(&json_ld::repaired(&text))).ok()).flatten()
}

/// What a page says about itself. Fields that it does not say are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Metadata {
    /// The title, without the name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Sourced>,
    /// The authors, one name each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Sourced>,
    /// When the page was published: an ISO 8601 day, day and time, or month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Sourced>,
    /// When the page was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<Sourced>,
    /// The name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<Sourced>,
    /// The page in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Sourced>,
    /// The language of the main text: as the page declares it, unless the text is in another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Sourced>,
    /// The address that the page declares as its own; absolute if its address or `<base>` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Sourced>,
    /// The address of the main image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Sourced>,
    /// Key words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Sourced>,
    /// The licence: its address, or words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<Sourced>,
    /// The type that the page declares, as written (`NewsArticle`, `website`, `Product`), or else the
    /// type that the extractor determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type: Option<Sourced>,
}

/// A value and where it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Sourced {
    /// The value: trimmed, whitespace collapsed, character references decoded.
    pub value: String,
    /// Where it was found.
    pub source: Source,
}

/// Where in a page a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Source {
    /// A script of type `application/ld+json`.
    JsonLd,
    /// `<meta property="og:…">` and `article:…`.
    OpenGraph,
    /// Any other `<meta>`: `author`, `dc.*`, `citation_*`, `parsely-*`, `sailthru.*`, `twitter:*`.
    Meta,
    /// Microdata or RDFa: `itemprop`, `property`.
    Microdata,
    /// `<h1>`.
    Heading,
    /// `<title>`.
    Title,
    /// `<time>`, or an element whose class says that it holds a date.
    Time,
    /// A link with `rel=author`.
    AuthorLink,
    /// An element whose class says that it names the author.
    Byline,
    /// Text below the heading: `By …`, a date.
    Text,
    /// `<link rel=…>` or a link with `rel=license`, `rel=tag`.
    Link,
    /// `<html lang>`.
    Lang,
    /// The page's address.
    Url,
    /// The page as a whole: the words of its main text, what its blocks are like.
    Detected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Title,
    Author,
    Published,
    Modified,
    Site,
    Description,
    Language,
    Canonical,
    Image,
    Tag,
    Licence,
    Kind,
}

/// A value that some source has for a field; the smaller the rank, the more it is believed.
#[derive(Debug)]
struct Finding {
    field: Field,
    source: Source,
    rank: u8,
    node: NodeId,
    value: String,
}

/// All values that were found.
#[derive(Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    /// How many there are of a field and a source.
    counts: [[u16; 14]; 12],
    wanted: json_ld::Wanted,
}

impl Findings {
    fn of_wanted(wanted: json_ld::Wanted) -> Findings {
        Findings { wanted, ..Findings::default() }
    }

    /// Is there room for one more of this kind? Asked before an expensive value is made.
    fn has_room(&self, field: Field, source: Source) -> bool {
        usize::from(self.counts[field as usize][source as usize]) < MOST_VALUES
            && self.wanted.has(field)
    }

    pub(crate) fn add(
        &mut self,
        field: Field,
        source: Source,
        rank: u8,
        node: NodeId,
        value: &str,
    ) {
        if !self.has_room(field, source) {
            return;
        }
        let value = collapse(value, LONGEST_VALUE);
        if !value.is_empty() {
            self.counts[field as usize][source as usize] += 1;
            self.all.push(Finding { field, source, rank, node, value });
        }
    }

    fn of(&self, field: Field) -> Vec<&Finding> {
        let mut found: Vec<_> = self.all.iter().filter(|finding| finding.field == field).collect();
        found.sort_by_key(|finding| finding.rank);
        found
    }

    /// The most believed value that `valid` accepts.
    fn first(&self, field: Field, valid: impl Fn(&str) -> Option<String>) -> Option<Sourced> {
        self.of(field).into_iter().find_map(|finding| {
            Some(Sourced { value: valid(&finding.value)?, source: finding.source })
        })
    }
}

impl Page<'_> {
    /// What the page says about itself. The [module](crate::metadata) lists the sources of each field.
    pub fn metadata(&self) -> Metadata {
        self.document.clock.write();
        self.what_it_says()
    }

    /// The same as part of a record.
    pub(crate) fn what_it_says(&self) -> Metadata {
        let findings = collect::collect(&self.tree, &self.document.clock);
        let addresses = Addresses::of(self);
        let any = |value: &str| Some(value.to_owned());
        let address = |value: &str| address(&addresses, value);
        let canonical = findings.first(Field::Canonical, address);
        let own = self.document.url.as_deref().or(canonical.as_ref().map(|url| url.value.as_str()));
        let site = findings.first(Field::Site, any);
        let site_name = site.as_ref().map(|site| site.value.as_str());
        let (title, heading) = titles::choose(&self.tree, &findings, site_name, own);
        let modified = date_of(&findings, Field::Modified, heading, None);
        Metadata {
            authors: authors_of(&findings, heading, site_name),
            // Many pages date only their last change.
            published: date_of(&findings, Field::Published, heading, own)
                .or_else(|| modified.clone()),
            modified,
            description: findings.first(Field::Description, |value| {
                Some(values::without_tags(value)).filter(|text| !text.is_empty())
            }),
            language: language_of(findings.first(Field::Language, language_tag), &self.document),
            image: findings.first(Field::Image, address),
            tags: tags_of(&findings),
            licence: findings.first(Field::Licence, |value| {
                let url = values::is_address(value).then(|| addresses.resolve(value)).flatten();
                url.map(|url| url.to_string()).or_else(|| any(value))
            }),
            page_type: findings.first(Field::Kind, any).or_else(|| {
                let value = self.document.page_type?.name().to_owned();
                Some(Sourced { value, source: Source::Detected })
            }),
            title,
            site,
            canonical,
        }
    }

    /// The title and the language that [`metadata`](Page::metadata) has, for a fraction of what that
    /// costs: those of the page's record.
    ///
    /// ```
    /// use webstrata::cutting::Cutting;
    /// use webstrata::{Options, Page};
    ///
    /// let html = b"<html lang=en><title>Tide tables | The Harbour Post</title><h1>Tide tables</h1>";
    /// let page = Page::read(html, Cutting::default(), &Options::default());
    /// let (title, language) = page.title_and_language();
    /// assert_eq!(title.as_deref(), Some("Tide tables"));
    /// assert_eq!(language.as_deref(), Some("en"));
    /// ```
    pub fn title_and_language(&self) -> (Option<String>, Option<String>) {
        let findings = collect::collect_titles(self);
        let (title, _) = titles::choose_for(self, &findings);
        let language = language_of(findings.first(Field::Language, language_tag), &self.document);
        (title.map(|title| title.value), language.map(|language| language.value))
    }
}

/// An address as an absolute one, if the page says what it is relative to.
fn address(addresses: &Addresses, value: &str) -> Option<String> {
    let absolute = addresses.resolve(value).map(|url| url.to_string());
    absolute.or_else(|| (!addresses.has_base()).then(|| value.to_owned()))
}

/// Findings of one rank as they are believed: what is marked up as the page's own in its order, then
/// what stands below the heading, then what stands above.
fn near(mut found: Vec<&Finding>, heading: Option<NodeId>) -> Vec<&Finding> {
    if let Some(heading) = heading {
        let is_above =
            |finding: &Finding| finding.node < heading && finding.source != Source::Microdata;
        found.sort_by_key(|finding| (finding.rank, is_above(finding)));
    }
    found
}

fn authors_of(findings: &Findings, heading: Option<NodeId>, site: Option<&str>) -> Vec<Sourced> {
    // Members of a forum have no other names.
    let kinds = ["forum", "discussion", "question", "qapage", "comment"];
    let is_forum = |finding: &&Finding| {
        let kind = finding.value.to_lowercase();
        kinds.iter().any(|known| kind.contains(known))
    };
    let has_members = findings.of(Field::Kind).iter().any(is_forum);
    // Sites name themselves where their software wants an author.
    let is_nobody = |author: &Sourced| {
        (!has_members && authors::is_account(&author.value))
            || site.is_some_and(|site| site.to_lowercase() == author.value.to_lowercase())
    };
    let found = near(findings.of(Field::Author), heading);
    let mut nobody = Vec::new();
    for group in found.chunk_by(|a, b| a.rank == b.rank) {
        let mut authors: Vec<Sourced> = Vec::new();
        for finding in group {
            let in_page =
                !matches!(finding.source, Source::JsonLd | Source::Meta | Source::OpenGraph);
            let names = match in_page {
                true => authors::in_byline(&finding.value),
                false if finding.source == Source::Meta && finding.rank == CITATION_RANK => {
                    vec![authors::in_citation(&finding.value)]
                }
                false => authors::in_field(&finding.value),
            };
            for value in names {
                let known = |author: &Sourced| author.value.eq_ignore_ascii_case(&value);
                if !authors.iter().any(known) && authors.len() < MOST_VALUES {
                    authors.push(Sourced { value, source: finding.source });
                }
            }
            // Elements of the page are teasers' as well: the first one that names somebody.
            if in_page && authors.iter().any(|author| !is_nobody(author)) {
                break;
            }
        }
        let (accounts, people): (Vec<_>, Vec<_>) = authors.into_iter().partition(is_nobody);
        if !people.is_empty() {
            return people;
        }
        if nobody.is_empty() {
            nobody = accounts;
        }
    }
    nobody.truncate(1);
    nobody
}

/// The rank of `citation_author`, each of which is one name, as libraries write it.
const CITATION_RANK: u8 = 1;

/// The rank of the address among the sources of a date: what the page states for machines is more
/// exact, what it shows may be another page's date.
const URL_RANK: u8 = 5;

/// How far from the heading, in nodes, a date counts as the page's own whatever its element is called.
const NEAR_HEADING: NodeId = 150;

fn date_of(
    findings: &Findings,
    field: Field,
    heading: Option<NodeId>,
    url: Option<&str>,
) -> Option<Sourced> {
    let dated = |finding: &&Finding| {
        let value = dates::parse(&finding.value)?;
        let is_declared = finding.rank <= URL_RANK;
        (is_declared || dates::is_shown(&value))
            .then_some(Sourced { value, source: finding.source })
    };
    let mut stated = findings.of(field);
    let mut shown = stated.split_off(stated.partition_point(|found| found.rank <= URL_RANK));
    // Of what is shown near the heading, the nearest; above it stand teasers more often than dates.
    let distance = |finding: &Finding| {
        let heading = heading.unwrap_or(NodeId::MAX);
        let below = finding.node.checked_sub(heading);
        below.unwrap_or_else(|| (heading - finding.node).saturating_mul(3))
    };
    let is_near = |finding: &Finding| distance(finding) < NEAR_HEADING;
    shown.sort_by_key(|finding| match is_near(finding) {
        true => (0, distance(finding)),
        false => (finding.rank, NodeId::from(heading.is_some_and(|at| finding.node < at))),
    });
    let in_url = url.and_then(dates::in_url).map(|value| Sourced { value, source: Source::Url });
    let near = shown.iter().take_while(|finding| is_near(finding)).find_map(dated);
    let Some(stated) = stated.iter().find_map(dated) else {
        return in_url.or_else(|| shown.iter().find_map(dated));
    };
    // Machines are told the time in Greenwich, where it may be another day than where the page was
    // written.
    let is_same_time = |other: &Sourced| dates::is_local_day(&stated.value, &other.value);
    let local = [in_url, near].into_iter().flatten().find(is_same_time);
    Some(local.unwrap_or(stated))
}

fn tags_of(findings: &Findings) -> Vec<Sourced> {
    let found = findings.of(Field::Tag);
    let Some(source) = found.first().map(|finding| finding.source) else { return Vec::new() };
    let mut tags: Vec<Sourced> = Vec::new();
    for finding in found.iter().filter(|finding| finding.source == source) {
        for tag in finding.value.split([',', ';']) {
            let value = tag.trim();
            let known = |tag: &Sourced| tag.value.eq_ignore_ascii_case(value);
            if !value.is_empty() && tags.len() < MOST_VALUES && !tags.iter().any(known) {
                tags.push(Sourced { value: value.to_owned(), source });
            }
        }
    }
    tags
}

/// The language of a text as ISO 639-1 has it, with a confidence from 0 to 1; `None` where the text says too little.
///
/// The confidence is the share of such answers that are right: 1 where the script is enough, else by how much the function
/// words of the language outweigh those of the next one. Where languages are close to each other it is 0.6 to 0.9; for a
/// paragraph of another one, 0.99 is usual.
///
/// ```
/// let text = "Das Wasser steht am Mittag so hoch, dass es nicht mehr in den Hafen passt und über die Mauer geht.";
/// let (language, confidence) = webstrata::metadata::identify_language(text).unwrap();
/// assert!(language == "de" && confidence > 0.9);
/// ```
pub fn identify_language(text: &str) -> Option<(&'static str, f32)> {
    language::identify(text)
}

/// Languages that are written so alike that the page knows better which one it is.
const ALIKE: &[&[&str]] = &[
    &["no", "nb", "nn", "da"],
    &["hr", "sr", "bs", "sh", "me"],
    &["id", "ms", "in"],
    &["he", "iw"],
];

impl Document {
    /// The language of the main text as ISO 639-1 has it, whatever the page declares; `None` where the text
    /// says too little.
    ///
    /// ```
    /// let page = b"<html lang=en><p>Das Wasser steht am Mittag so hoch, dass es nicht mehr in den Hafen passt.";
    /// assert_eq!(webstrata::extract(page).document.text_language(), Some("de"));
    /// ```
    pub fn text_language(&self) -> Option<&'static str> {
        language::detect(&sample(self))
    }

    /// That language or, where the text says too little, the one that `<html>` declares.
    pub(crate) fn main_language(&self) -> Option<String> {
        let declared = self.language.as_deref().and_then(language_tag);
        let declared = declared.map(|value| Sourced { value, source: Source::Lang });
        language_of(declared, self).map(|language| language.value)
    }
}

/// What the page declares, unless its text is in another language.
fn language_of(declared: Option<Sourced>, document: &Document) -> Option<Sourced> {
    let Some(detected) = document.text_language() else { return declared };
    let agrees = declared.as_ref().is_some_and(|declared| {
        let named = declared.value.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let alike = |group: &&[&str]| group.contains(&named.as_str()) && group.contains(&detected);
        named == detected || ALIKE.iter().any(alike)
    });
    if agrees {
        return declared;
    }
    Some(Sourced { value: detected.to_owned(), source: Source::Detected })
}

/// Bytes of a text that tell its language.
const SAMPLE: usize = 1_500;

/// The beginning of the main text; of the whole page where there is none.
fn sample(document: &Document) -> String {
    let text = |content: bool| {
        let mut text = String::new();
        let blocks = document.blocks.iter().filter(|block| !content || block.is_content);
        for atom in blocks.flat_map(Block::atoms) {
            let line = document.atom_text(atom);
            let mut end = line.len().min(SAMPLE);
            while !line.is_char_boundary(end) {
                end -= 1;
            }
            text.push_str(&line[..end]);
            text.push('\n');
            if text.len() > SAMPLE {
                break;
            }
        }
        text
    };
    let main = text(true);
    if main.trim().is_empty() { text(false) } else { main }
}

/// A language tag such as `en-GB`; Open Graph writes `en_GB`.
fn language_tag(value: &str) -> Option<String> {
    let tag = value.split(',').next().unwrap_or_default().trim().replace('_', "-");
    let parts = || tag.split('-');
    let valid = tag.len() <= 35
        && parts().next().is_some_and(|first| (2..=3).contains(&first.len()))
        && parts().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric()));
    valid.then_some(tag)
}

/// Whitespace collapsed, character references of a second layer decoded (JSON-LD has `&amp;` where
/// its writer knew only HTML), cut off.
pub(crate) fn collapse(text: &str, longest: usize) -> String {
    if text.len() <= longest && is_collapsed(text) && !text.contains('&') {
        return text.to_owned();
    }
    let mut end = text.len().min(longest * 4);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = htmlize::unescape(&text[..end]);
    let mut out = String::with_capacity(text.len().min(256));
    let mut chars = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
            chars += 1;
        }
        for c in word.chars().filter(|c| !matches!(c, '\u{200b}' | '\u{feff}' | '\u{ad}')) {
            if chars >= longest {
                return out;
            }
            out.push(c);
            chars += 1;
        }
    }
    out
}
