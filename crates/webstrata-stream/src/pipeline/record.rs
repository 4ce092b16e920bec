//! The line that goes out for a page: its record, and where it came from.

use serde::Serialize;
use webstrata::Record;

/// Where a record of a stream came from: its field `stream`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin<'a> {
    /// The number of the record in its stream: the first is 1, none is left out, none is there twice.
    pub sequence: u64,
    /// The site.
    pub site: &'a str,
    /// The feed that named the page first.
    pub feed: &'a str,
    /// The URL key, where the address has one.
    pub url_key: Option<&'a str>,
    /// The address in the feed.
    pub request_url: &'a str,
    /// The address that answered.
    pub response_url: &'a str,
    /// The item's title.
    pub title: &'a str,
    /// The item's date, by RFC 3339; never later than when it was seen.
    pub published: Option<String>,
    /// The date that the item claims, where that was in the future.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// When the page came.
    pub fetched: String,
    /// The page broke off at every attempt, and this is what came.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    record: &'a Record,
    stream: &'a Origin<'a>,
}

/// The line, without its break.
pub(super) fn line(record: &Record, origin: &Origin<'_>) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Line { record, stream: origin })
}
