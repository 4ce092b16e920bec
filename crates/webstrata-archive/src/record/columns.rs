//! Records as rows of tables. A column has the name of the field.

use std::borrow::Cow;

use webstrata::output::RecordPart;

use super::PageRecord;
use crate::export::{Cells, Column, Row};

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

fn json<T: serde::Serialize>(value: Option<&T>) -> Option<Cow<'static, str>> {
    serde_json::to_string(value?).ok().map(Cow::Owned)
}

fn part_column(part: RecordPart) -> Column<PageRecord> {
    let cells = match part {
        RecordPart::Blocks => Cells::Text(|page: &PageRecord| json(page.record.blocks.as_ref())),
        RecordPart::Metadata => {
            Cells::Text(|page: &PageRecord| json(page.record.metadata.as_ref()))
        }
        RecordPart::Links => Cells::Text(|page: &PageRecord| json(page.record.links.as_ref())),
        RecordPart::Markdown => {
            Cells::Text(|page: &PageRecord| page.record.markdown.as_deref().map(Cow::Borrowed))
        }
        RecordPart::Html => {
            Cells::Text(|page: &PageRecord| page.record.html.as_deref().map(Cow::Borrowed))
        }
        RecordPart::Posts => Cells::Text(|page: &PageRecord| json(page.record.posts.as_ref())),
    };
    (part.name(), cells)
}

impl PageRecord {
    /// The columns of a table of an archive's records that have these parts, too: what is no text as JSON.
    pub fn columns_with(parts: &[RecordPart]) -> Vec<Column<PageRecord>> {
        let asked =
            RecordPart::ALL.into_iter().filter(|part| parts.contains(part)).map(part_column);
        PageRecord::COLUMNS.iter().copied().chain(asked).collect()
    }

    /// Where a piece of a page was cut from, as JSON.
    pub const CHUNK_COLUMN: Column<PageRecord> =
        ("chunk", Cells::Text(|page: &PageRecord| json(page.chunk.as_ref())));

    /// The columns of a table of a stream's records.
    pub const STREAM_COLUMNS: &'static [Column<PageRecord>] = columns! {
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
    const COLUMNS: &'static [Column<PageRecord>] = columns! {
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
        let record = &self.record;
        let lengths =
            [&record.markdown, &record.html].map(|text| text.as_ref().map_or(0, String::len));
        // A rough measure of what becomes JSON.
        let lists = record.blocks.as_ref().map_or(0, |blocks| blocks.len() * 300)
            + record.links.as_ref().map_or(0, |links| links.len() * 150)
            + record.posts.as_ref().map_or(0, |posts| posts.len() * 500);
        record.text.len() + lengths.iter().sum::<usize>() + lists + 1024
    }
}
