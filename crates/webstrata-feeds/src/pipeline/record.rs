//! The line that goes out for a page: its record, and where it came from.

use serde::{Deserialize, Serialize};
use webstrata::Record;

use webstrata_archive::columns;
use webstrata_archive::export::{Cells, Row};

/// Where a record of a stream came from: its field `stream`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The number of the record in its stream: the first is 1, none is left out, none is there twice.
    pub sequence: u64,
    /// The site.
    pub site: String,
    /// The feed that named the page first.
    pub feed: String,
    /// The URL key, where the address has one.
    pub url_key: Option<String>,
    /// The address in the feed.
    pub request_url: String,
    /// The address that answered.
    pub response_url: String,
    /// The item's title.
    pub title: String,
    /// The item's date, by RFC 3339; never later than when it was seen.
    pub published: Option<String>,
    /// The date that the item claims, where that was in the future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// When the page came.
    pub fetched: String,
    /// The page broke off at every attempt, and this is what came.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A page of a stream: a [`Record`] with where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// The page.
    #[serde(flatten)]
    pub record: Record,
    /// Where it came from.
    pub stream: Origin,
}

impl StreamRecord {
    /// The line that goes out, without its break.
    pub fn to_line(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// Reads such a line, without what a record has only on request: tables have no columns for that, and
    /// rows wait in memory for their group to be full.
    pub fn for_table(line: &[u8]) -> Result<StreamRecord, serde_json::Error> {
        let mut read: StreamRecord = serde_json::from_slice(line)?;
        let record = &mut read.record;
        (record.blocks, record.metadata, record.links) = (None, None, None);
        (record.markdown, record.html) = (None, None);
        Ok(read)
    }
}

impl Row for StreamRecord {
    const COLUMNS: &'static [(&'static str, Cells<StreamRecord>)] = columns! {
        ("sequence", Cells::Long(|page| i64::try_from(page.stream.sequence).ok())),
        ("site", Cells::Text(|page| Some(page.stream.site.clone()))),
        ("feed", Cells::Text(|page| Some(page.stream.feed.clone()))),
        ("url_key", Cells::Text(|page| page.stream.url_key.clone())),
        ("request_url", Cells::Text(|page| Some(page.stream.request_url.clone()))),
        ("response_url", Cells::Text(|page| Some(page.stream.response_url.clone()))),
        ("published", Cells::Text(|page| page.stream.published.clone())),
        ("claimed", Cells::Text(|page| page.stream.claimed.clone())),
        ("fetched", Cells::Text(|page| Some(page.stream.fetched.clone()))),
        ("truncated", Cells::Flag(|page| Some(page.stream.truncated))),
        ("item_title", Cells::Text(|page| Some(page.stream.title.clone()))),
    };

    fn size(&self) -> usize {
        self.record.text.len() + 1024
    }
}
