//! Records as rows of tables. A column has the name of the field.

use std::borrow::Cow;

use super::PageRecord;
use crate::export::{Cells, Row};

/// A column of texts that may be missing.
macro_rules! text {
    ($name:ident, $($path:ident).+) => {
        (stringify!($name), Cells::Text(|page| page.$($path.)+$name.as_deref().map(Cow::Borrowed)))
    };
}

/// Columns of the origin, between those that all tables have.
macro_rules! columns {
    ($($own:expr,)+) => {
        &[
            ("id", Cells::Text(|page| Some(Cow::Borrowed(&page.id)))),
            text!(url, record),
            $($own,)+
            ("text_language", Cells::Text(|page| page.text_language.as_deref().map(Cow::Borrowed))),
            text!(title, record),
            text!(language, record),
            ("encoding", Cells::Text(|page| Some(Cow::Borrowed(&page.record.encoding)))),
            ("extractor", Cells::Text(|page| Some(Cow::Borrowed(&page.record.extractor)))),
            ("page_type", Cells::Text(|page| page.record.page_type.map(|kind| Cow::Borrowed(kind.name())))),
            ("confidence", Cells::Number(|page| page.record.confidence)),
            ("words", Cells::Integer(|page| i32::try_from(page.record.words).ok())),
            ("page_words", Cells::Integer(|page| i32::try_from(page.record.page_words).ok())),
            ("limits", Cells::Text(|page| Some(Cow::Owned(page.record.limits.join(","))))),
            ("text", Cells::Text(|page| Some(Cow::Borrowed(&page.record.text)))),
        ]
    };
}

impl PageRecord {
    /// The columns of a table of a stream's records.
    pub const STREAM_COLUMNS: &'static [(&'static str, Cells<PageRecord>)] = columns! {
        ("sequence", Cells::Long(|page| i64::try_from(page.origin.sequence?).ok())),
        text!(site, origin),
        text!(feed, origin),
        text!(url_key, origin),
        text!(request_url, origin),
        text!(response_url, origin),
        text!(published, origin),
        text!(claimed, origin),
        text!(fetched, origin),
        ("truncated", Cells::Flag(|page| Some(page.origin.truncated))),
        text!(item_title, origin),
    };
}

/// The columns of a table of an archive's records.
impl Row for PageRecord {
    const COLUMNS: &'static [(&'static str, Cells<PageRecord>)] = columns! {
        text!(fetched, origin),
        text!(digest, origin),
        text!(record_id, origin),
        text!(file, origin),
        ("offset", Cells::Long(|page| i64::try_from(page.origin.offset?).ok())),
        ("within", Cells::Long(|page| i64::try_from(page.origin.within).ok())),
        ("status", Cells::Integer(|page| page.origin.status.map(i32::from))),
        text!(content_type, origin),
        ("truncated", Cells::Flag(|page| Some(page.origin.truncated))),
    };

    fn size(&self) -> usize {
        self.record.text.len() + 1024
    }
}
