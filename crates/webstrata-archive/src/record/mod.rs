//! The one way from a page to a record: what every program of the project writes for a page.
//!
//! A [`PageRecord`] is flat. Its fields have the same names in JSON, Parquet, Arrow and Spark; `docs/record.md` in
//! the repository describes each of them. [`Making`] makes records of pages that arrive.

mod columns;
mod lines;
mod making;
mod stored;

use serde::{Deserialize, Serialize};
use webstrata::words::for_each_word;
use webstrata::{Document, Page, Record, Request};

use crate::arrival::Arrival;

pub use self::making::{Filters, Making, NoRecord};

/// An extracted page, its name, and where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "stored::Stored")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PageRecord {
    /// Tells the pages of an input apart: the path of a file without its extension, the archive and the place of
    /// the record in it, or the number of the record in its stream.
    pub id: String,
    /// The page.
    #[serde(flatten)]
    pub record: Record,
    /// The language that the main text is written in, as ISO 639-1 has it, if the text is long enough to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_language: Option<String>,
    /// Of a piece of a page: where it was cut from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<ChunkPlace>,
    /// Where the page came from.
    #[serde(flatten)]
    pub origin: Origin,
}

/// Where a piece of a page was cut from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChunkPlace {
    /// The id of the page.
    pub page: String,
    /// The number of the piece in the page; the first is 0.
    pub number: u32,
    /// Where it begins in the main text of the page, in characters.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// The headings above it, the highest first.
    pub headings: Vec<String>,
}

impl PageRecord {
    /// The record of a page whose main text was found, with the parts that the request asks for.
    pub fn of(id: String, page: &Page<'_>, request: &Request, origin: Origin) -> PageRecord {
        PageRecord::new(id, request.record_of(page), &page.document, origin)
    }

    /// The same for a record that was made of this document.
    pub fn new(id: String, record: Record, document: &Document, origin: Origin) -> PageRecord {
        let text_language = document.text_language().map(str::to_owned);
        PageRecord { id, record, text_language, chunk: None, origin }
    }

    /// The same for a page of a stream, whose name is its number there.
    pub fn of_stream(record: Record, document: &Document, origin: Origin) -> PageRecord {
        let id = origin.sequence.map(|number| number.to_string()).unwrap_or_default();
        PageRecord::new(id, record, document, origin)
    }

    /// Writes the record as a line of JSON, without its line break.
    pub fn to_line(&self) -> serde_json::Result<Vec<u8>> {
        // Room for the text at once; growing step by step would copy it again and again.
        let mut line = Vec::with_capacity(self.record.text.len() * 9 / 8 + 1024);
        serde_json::to_writer(&mut line, self)?;
        Ok(line)
    }

    /// Reads a line of JSON, also one that an earlier release wrote.
    pub fn from_line(line: &[u8]) -> serde_json::Result<PageRecord> {
        serde_json::from_slice(line)
    }

    /// Writes another main text. Markdown, HTML, blocks and posts of the old one go.
    pub fn set_text(&mut self, text: String) {
        let mut words = 0u32;
        for_each_word(&text, |_| words = words.saturating_add(1));
        let record = &mut self.record;
        (record.text, record.words) = (text, words);
        (record.markdown, record.html, record.blocks, record.posts) = (None, None, None, None);
    }

    /// The record without the parts that it has only on request. Tables have no columns for them, and rows wait
    /// in memory until their group is full.
    #[must_use]
    pub fn without_parts(mut self) -> PageRecord {
        let record = &mut self.record;
        (record.blocks, record.metadata, record.links) = (None, None, None);
        (record.markdown, record.html, record.posts) = (None, None, None);
        self
    }
}

/// Where a page came from, as far as its source says. A field that is not known is left out of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Origin {
    /// The file that the page was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the page begins in a file of many pages, in bytes of the file as it is on the disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The unpacked bytes before the page in its compressed member, if the member has several pages.
    #[serde(skip_serializing_if = "is_zero")]
    pub within: u64,
    /// The name that the source has for the page: `WARC-Record-ID` of a web archive, `id` of a line of JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// When the page was fetched: `WARC-Date` of a web archive, or the time at which a stream fetched it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetched: Option<String>,
    /// The digest of the page in its archive (`WARC-Payload-Digest`). It is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The HTTP status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The `Content-Type` of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// True if the source does not have all of the page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The number of the record in its stream: the first is 1, no number is left out, none is there twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// The name of the site in the stream's list of feeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The feed that named the page first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed: Option<String>,
    /// The URL key of the page, if its address has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_key: Option<String>,
    /// The address of the page in the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_url: Option<String>,
    /// The address that answered, behind all redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_url: Option<String>,
    /// The date of the item in the feed, by RFC 3339. It is never later than the time at which the item was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The date that the item claims, if that was in the future.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// The title of the item in the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_title: Option<String>,
}

impl Origin {
    /// Where a page of a folder, a web archive or a file of JSON lines came from.
    pub fn of(page: &Arrival) -> Origin {
        let has_file = !page.file.as_os_str().is_empty();
        Origin {
            file: has_file.then(|| page.file.to_string_lossy().into_owned()),
            offset: has_file.then_some(page.offset),
            within: page.within,
            record_id: page.id.clone(),
            fetched: page.fetched.clone(),
            digest: page.digest.clone(),
            status: page.status,
            content_type: page.content_type.clone(),
            truncated: page.truncated,
            ..Origin::default()
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
