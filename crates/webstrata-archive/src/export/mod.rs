//! Pages on their way out: records with their provenance, as JSON lines or Parquet, in parts that survive
//! the program.

mod columns;
mod parts;
#[cfg(feature = "parquet")]
mod table;

use std::path::MAIN_SEPARATOR;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use webstrata::output::{MarkupOptions, Part};
use webstrata::{Page, Record};

use crate::arrival::Arrival;

pub use self::columns::{Cells, Row};
pub use self::parts::{Parts, PartsError, Plan};
#[cfg(feature = "parquet")]
pub use self::table::Table;

/// The columns of a row that has a [`Record`]: its own, and those of every record.
#[macro_export]
macro_rules! columns {
    ($($own:expr,)+) => {
        &[
            $($own,)+
            ("title", $crate::export::Cells::Text(|page| page.record.title.clone())),
            ("language", $crate::export::Cells::Text(|page| page.record.language.clone())),
            ("encoding", $crate::export::Cells::Text(|page| Some(page.record.encoding.clone()))),
            ("extractor", $crate::export::Cells::Text(|page| Some(page.record.extractor.clone()))),
            ("page_type", $crate::export::Cells::Text(|page| page.record.page_type.map(|kind| kind.name().to_owned()))),
            ("confidence", $crate::export::Cells::Number(|page| page.record.confidence)),
            ("words", $crate::export::Cells::Integer(|page| i32::try_from(page.record.words).ok())),
            ("page_words", $crate::export::Cells::Integer(|page| i32::try_from(page.record.page_words).ok())),
            ("limits", $crate::export::Cells::Text(|page| Some(page.record.limits.join(",")))),
            ("text", $crate::export::Cells::Text(|page| Some(page.record.text.clone()))),
        ]
    };
}

/// An extracted page and where it came from: a [`Record`] with more fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// Tells pages apart: the archive and the record's place in it.
    pub id: String,
    /// The page.
    #[serde(flatten)]
    pub record: Record,
    /// The language that the main text is written in, where it says enough.
    pub text_language: Option<String>,
    /// Where the page came from.
    pub warc: Provenance,
}

impl PageRecord {
    /// A page that arrived and was extracted, with the parts asked for.
    pub fn of(arrival: &Arrival, page: &Page<'_>, parts: &[Part]) -> PageRecord {
        PageRecord {
            id: arrival.name.replace(MAIN_SEPARATOR, "/"),
            record: Record::of(page, parts, &MarkupOptions::default()),
            text_language: page.document.text_language().map(str::to_owned),
            warc: Provenance::of(arrival),
        }
    }
}

impl Row for PageRecord {
    const COLUMNS: &'static [(&'static str, Cells<PageRecord>)] = columns! {
        ("id", Cells::Text(|page| Some(page.id.clone()))),
        ("url", Cells::Text(|page| page.record.url.clone().or(page.warc.target_uri.clone()))),
        ("date", Cells::Text(|page| page.warc.date.clone())),
        ("digest", Cells::Text(|page| page.warc.payload_digest.clone())),
        ("record_id", Cells::Text(|page| page.warc.record_id.clone())),
        ("file", Cells::Text(|page| Some(page.warc.file.clone()))),
        ("offset", Cells::Long(|page| i64::try_from(page.warc.offset).ok())),
        ("within", Cells::Long(|page| i64::try_from(page.warc.within).ok())),
        ("status", Cells::Integer(|page| page.warc.status.map(i32::from))),
        ("content_type", Cells::Text(|page| page.warc.content_type.clone())),
        ("truncated", Cells::Flag(|page| Some(page.warc.truncated))),
        ("text_language", Cells::Text(|page| page.text_language.clone())),
    };

    fn size(&self) -> usize {
        self.record.text.len() + 512
    }
}

/// What an archive says about a page, and where it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// `WARC-Record-ID`.
    pub record_id: Option<String>,
    /// `WARC-Target-URI`.
    pub target_uri: Option<String>,
    /// `WARC-Date`.
    pub date: Option<String>,
    /// `WARC-Payload-Digest`; nobody checked it.
    pub payload_digest: Option<String>,
    /// What the server answered with.
    pub status: Option<u16>,
    /// What kind of page the server said it is.
    pub content_type: Option<String>,
    /// The archive.
    pub file: String,
    /// Where the record begins in it, as it lies on the disk.
    pub offset: u64,
    /// The unpacked bytes before it in its member; none where records are packed one by one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub within: u64,
    /// Not all of the page was stored.
    pub truncated: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Provenance {
    /// Where a page came from.
    pub fn of(page: &Arrival) -> Provenance {
        Provenance {
            record_id: page.id.clone(),
            target_uri: page.url.clone(),
            date: page.date.clone(),
            payload_digest: page.digest.clone(),
            status: page.status,
            content_type: page.content_type.clone(),
            file: page.file.to_string_lossy().into_owned(),
            offset: page.offset,
            within: page.within,
            truncated: page.truncated,
        }
    }
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON for each.
    Lines(Compression),
    /// A row of a table; see [`Row`].
    Parquet,
}

impl Format {
    /// How names of files end.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Lines(Compression::None) => "jsonl",
            Format::Lines(Compression::Gzip) => "jsonl.gz",
            Format::Lines(Compression::Zstd) => "jsonl.zst",
            Format::Parquet => "parquet",
        }
    }

    /// Can this build write it?
    pub fn is_built(self) -> bool {
        cfg!(feature = "parquet") || self != Format::Parquet
    }

    /// Does what can be done on any thread before a record is written in its turn.
    pub fn piece(self, page: PageRecord) -> serde_json::Result<Piece> {
        let made = match self {
            Format::Lines(_) => {
                // Room for the text at once; growing step by step would copy it again and again.
                let mut line = Vec::with_capacity(page.record.text.len() * 9 / 8 + 1024);
                serde_json::to_writer(&mut line, &page)?;
                line.push(b'\n');
                Made::Line(line)
            }
            Format::Parquet => Made::Row(Box::new(page)),
        };
        Ok(Piece(made))
    }
}

/// How lines are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As gzip, which every tool reads.
    Gzip,
    /// As Zstandard, smaller and much faster.
    #[default]
    Zstd,
}

impl Compression {
    /// All of them with their names.
    pub const ALL: [(Compression, &'static str); 3] =
        [(Compression::None, "none"), (Compression::Gzip, "gzip"), (Compression::Zstd, "zstd")];
}

impl FromStr for Compression {
    type Err = String;

    fn from_str(written: &str) -> Result<Compression, String> {
        let named = Compression::ALL.iter().find(|(_, name)| *name == written);
        named.map(|(one, _)| *one).ok_or_else(|| "expected none, gzip or zstd".into())
    }
}

/// A record ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece(Made);

#[derive(Clone, Debug, PartialEq)]
enum Made {
    Line(Vec<u8>),
    Row(Box<PageRecord>),
}

impl Piece {
    /// Its bytes before they are packed, by and large.
    pub fn size(&self) -> usize {
        match &self.0 {
            Made::Line(line) => line.len(),
            Made::Row(page) => page.size(),
        }
    }
}
