//! What was dropped, as it is kept on request.

use serde::Serialize;
use webstrata_archive::record::PageRecord;

/// A record that was dropped, with the reason: a line of JSON.
#[derive(Debug, Serialize)]
pub struct Rejected<'a> {
    /// The step and its reason.
    pub rejected: &'a str,
    /// The id of the page that it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<&'a str>,
    /// How similar they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The record itself.
    #[serde(flatten)]
    pub record: &'a PageRecord,
}
