//! Records on their way out: as lines, tables, archives or XML, in parts that survive the program.

#[cfg(feature = "parquet")]
mod arrow;
mod columns;
mod parts;
mod reading;
#[cfg(feature = "parquet")]
mod table;
pub mod xml;

use std::borrow::Cow;
use std::io;
use std::str::FromStr;

use serde_json::json;

use crate::record::PageRecord;
use crate::warc_writer;

pub use self::columns::{Cells, Column, Row};
pub use self::parts::{Parts, PartsError, Plan};
pub use self::reading::{ReadBack, digest, read_back};
#[cfg(feature = "parquet")]
pub use self::table::Table;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON for each.
    Lines(Compression),
    /// A row of a table; see [`Row`].
    Parquet,
    /// The same in Arrow's format of files.
    Arrow,
    /// The same as comma-separated values, with a head.
    Csv(Compression),
    /// Two lines of JSON for each, as the bulk interface of OpenSearch and Elasticsearch takes them.
    Bulk(Compression),
    /// A `conversion` record of a web archive for each, as in the WET files of Common Crawl.
    Wet,
}

impl Format {
    /// All of them, with the ends of their files' names.
    pub const ALL: [(Format, &'static str); 12] = [
        (Format::Lines(Compression::Zstd), "jsonl.zst"),
        (Format::Lines(Compression::Gzip), "jsonl.gz"),
        (Format::Lines(Compression::None), "jsonl"),
        (Format::Parquet, "parquet"),
        (Format::Arrow, "arrow"),
        (Format::Csv(Compression::Zstd), "csv.zst"),
        (Format::Csv(Compression::Gzip), "csv.gz"),
        (Format::Csv(Compression::None), "csv"),
        (Format::Bulk(Compression::Zstd), "bulk.jsonl.zst"),
        (Format::Bulk(Compression::Gzip), "bulk.jsonl.gz"),
        (Format::Bulk(Compression::None), "bulk.jsonl"),
        (Format::Wet, "warc.wet.gz"),
    ];

    /// How names of files end.
    pub fn extension(self) -> &'static str {
        Format::ALL.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    /// Can this build write it?
    pub fn is_built(self) -> bool {
        cfg!(feature = "parquet") || !matches!(self, Format::Parquet | Format::Arrow)
    }

    /// Can [`read_back`] read it?
    pub fn reads_back(self) -> bool {
        matches!(self, Format::Lines(_) | Format::Parquet)
    }

    /// How the bytes of its files are packed as a whole.
    fn compression(self) -> Compression {
        match self {
            Format::Lines(how) | Format::Csv(how) | Format::Bulk(how) => how,
            Format::Parquet | Format::Arrow | Format::Wet => Compression::None,
        }
    }

    /// What a file begins with.
    fn head(self, columns: &[Column<PageRecord>]) -> io::Result<Vec<u8>> {
        match self {
            Format::Csv(_) => csv_line(columns.iter().map(|(name, _)| Some(Cow::Borrowed(*name)))),
            _ => Ok(Vec::new()),
        }
    }

    /// Does what can be done on any thread before a record is written in its turn.
    ///
    /// # Errors
    ///
    /// Where it cannot be written as JSON or packed.
    pub fn piece(self, page: PageRecord, columns: &[Column<PageRecord>]) -> io::Result<Piece> {
        let made = match self {
            Format::Lines(_) => {
                let mut line = page.to_line()?;
                line.push(b'\n');
                Made::Bytes(line)
            }
            Format::Parquet | Format::Arrow => Made::Row(Box::new(page)),
            Format::Csv(_) => {
                Made::Bytes(csv_line(columns.iter().map(|(_, cells)| cells.text(&page)))?)
            }
            Format::Bulk(_) => {
                let mut lines = serde_json::to_vec(&json!({"index": {"_id": page.id}}))?;
                lines.push(b'\n');
                lines.extend(page.to_line()?);
                lines.push(b'\n');
                Made::Bytes(lines)
            }
            Format::Wet => Made::Bytes(warc_writer::conversion(&page)?),
        };
        Ok(Piece(made))
    }
}

/// A line of comma-separated values, quoted where it is needed (RFC 4180).
fn csv_line<'c>(cells: impl Iterator<Item = Option<Cow<'c, str>>>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for cell in cells {
        writer.write_field(cell.unwrap_or_default().as_bytes())?;
    }
    writer.write_record(None::<&[u8]>)?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
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
    Bytes(Vec<u8>),
    Row(Box<PageRecord>),
}

impl Piece {
    /// A line of JSON of one's own, without its line break, for parts of lines.
    pub fn line(mut line: Vec<u8>) -> Piece {
        line.push(b'\n');
        Piece(Made::Bytes(line))
    }

    /// Its bytes before they are packed, by and large.
    pub fn size(&self) -> usize {
        match &self.0 {
            Made::Bytes(bytes) => bytes.len(),
            Made::Row(page) => page.size(),
        }
    }
}
