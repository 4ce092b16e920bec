//! Records on their way out: as JSON lines or Parquet, in parts that survive the program.

mod columns;
mod parts;
mod reading;
#[cfg(feature = "parquet")]
mod table;

use std::str::FromStr;

use crate::record::PageRecord;

pub use self::columns::{Cells, Row};
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
                let mut line = page.to_line()?;
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
    /// A line of JSON of one's own, without its line break, for parts of lines.
    pub fn line(mut line: Vec<u8>) -> Piece {
        line.push(b'\n');
        Piece(Made::Line(line))
    }

    /// Its bytes before they are packed, by and large.
    pub fn size(&self) -> usize {
        match &self.0 {
            Made::Line(line) => line.len(),
            Made::Row(page) => page.size(),
        }
    }
}
