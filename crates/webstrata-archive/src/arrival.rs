//! Pages as they are read from a source, and problems with them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use webstrata::Options;

/// A page as it was read from a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its name in messages: the path, followed by `#` and the offset if a file has many pages.
    pub name: String,
    /// Its id in the source: the id of the record, or the field `id` of a JSON line.
    pub id: Option<String>,
    /// Where the page came from.
    pub url: Option<String>,
    /// When the page was fetched, as the source has it; in ISO 8601 in web archives.
    pub fetched: Option<String>,
    /// The HTTP status, such as 200, if the archive has it.
    pub status: Option<u16>,
    /// The `Content-Type` of the server.
    pub content_type: Option<String>,
    /// The digest of the payload that the archive has, such as `sha1:…`. It is verified on request only, see
    /// [`Source::verified`](crate::Source::verified).
    pub digest: Option<String>,
    /// The file that it was read from; empty if it was fetched and is in none.
    pub file: Arc<Path>,
    /// Where the record begins in that file, as it lies on the disk: at a compressed member, or at a line.
    pub offset: u64,
    /// The unpacked bytes of that member that come before the record; 0 if it begins the member.
    pub within: u64,
    /// The archive has only a part of the page.
    pub truncated: bool,
    /// The page, its transfer and content encodings undone.
    pub bytes: Vec<u8>,
}

impl Arrival {
    /// The type of arrivals that are records, not pages.
    pub(crate) const RECORD: &str = "application/json; charset=utf-8";

    /// Is it the record of a page, as `extract` and `warc` write them as JSON lines, and not a page? Its bytes are
    /// the line then. Only a [`Source::with_records`](crate::Source::with_records) gives such.
    pub fn is_record(&self) -> bool {
        self.content_type.as_deref() == Some(Arrival::RECORD)
    }

    /// The charset that the server named.
    pub fn charset(&self) -> Option<&str> {
        self.content_type.as_deref().and_then(charset_of)
    }

    /// The options, completed with the address and charset from the source. Options that are set stay.
    pub fn options(&self, options: &Options) -> Options {
        let charset = self.charset().filter(|label| Options::is_charset(label));
        Options {
            url: options.url.clone().or_else(|| self.url.clone()),
            charset: options.charset.clone().or_else(|| charset.map(str::to_owned)),
            ..options.clone()
        }
    }
}

/// The charset that a `Content-Type` names.
pub fn charset_of(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let label = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !label.is_empty()).then_some(label)
    })
}

/// The limits for one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Unpacked bytes of a record or line that are held in memory. Default 64 MiB.
    pub record: usize,
    /// Bytes of a page, its encodings undone. Default 64 MiB.
    pub page: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { record: 64 << 20, page: 64 << 20 }
    }
}

/// Why a page cannot be read: one line that names the file and the place. Reading continues after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub file: Arc<Path>,
    /// Where in it, on the disk.
    pub offset: Option<u64>,
    /// The line, counted from 1, of a file of lines that was read from its beginning.
    pub line: Option<u64>,
    /// What kind of problem it is, for counting.
    pub kind: ProblemKind,
    /// What is wrong, without the file.
    pub message: String,
    /// Bytes that were passed over before something came that can be read: of the file as it lies on the disk, or of an
    /// unpacked member that goes on.
    pub passed: u64,
}

/// Kinds of [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// The file or folder cannot be read, or has nothing in it.
    Unreadable,
    /// Packed data is broken or its checksum wrong.
    Damaged,
    /// The file ends within a record.
    CutOff,
    /// The data is not a record.
    NoRecord,
    /// The record's length is missing or wrong.
    WrongLength,
    /// The record or its page is over the limits.
    TooLong,
    /// The page has an encoding that is not supported.
    Packed,
    /// The line is not a page.
    NoPage,
    /// The record's content has another digest than its head says.
    WrongDigest,
    /// The address has no page: it could not be fetched.
    NotFetched,
    /// A bug in this program.
    Internal,
}

impl ProblemKind {
    /// All kinds and their names.
    pub const ALL: [(ProblemKind, &str); 11] = [
        (ProblemKind::Unreadable, "unreadable"),
        (ProblemKind::Damaged, "damaged"),
        (ProblemKind::CutOff, "cut-off"),
        (ProblemKind::NoRecord, "no-record"),
        (ProblemKind::WrongLength, "wrong-length"),
        (ProblemKind::TooLong, "too-long"),
        (ProblemKind::Packed, "packed"),
        (ProblemKind::NoPage, "no-page"),
        (ProblemKind::WrongDigest, "wrong-digest"),
        (ProblemKind::NotFetched, "not-fetched"),
        (ProblemKind::Internal, "internal"),
    ];

    /// Its name: `cut-off`.
    pub fn name(self) -> &'static str {
        ProblemKind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl Problem {
    /// A problem that lies at no place in the file.
    pub fn new(file: impl Into<PathBuf>, kind: ProblemKind, message: String) -> Problem {
        let file = file.into().into();
        Problem { file, offset: None, line: None, kind, message, passed: 0 }
    }

    /// The file, and where in it: `pages.jsonl:17`, `crawl.warc.gz#4096`.
    pub fn place(&self) -> String {
        match (self.line, self.offset) {
            (Some(line), _) => format!("{}:{line}", self.file.display()),
            (None, Some(offset)) => format!("{}#{offset}", self.file.display()),
            (None, None) => self.file.display().to_string(),
        }
    }

    pub(crate) fn of_file(
        file: impl Into<PathBuf>,
        kind: ProblemKind,
        message: impl fmt::Display,
    ) -> Problem {
        Problem::new(file, kind, one_line(&message))
    }

    pub(crate) fn at(
        file: &Arc<Path>,
        offset: u64,
        kind: ProblemKind,
        message: impl fmt::Display,
    ) -> Problem {
        let (file, offset) = (file.clone(), Some(offset));
        Problem { file, offset, line: None, kind, message: one_line(&message), passed: 0 }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message)
    }
}

impl std::error::Error for Problem {}

fn one_line(message: &impl fmt::Display) -> String {
    message.to_string().replace('\n', ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets() {
        let check = |content_type: &str, expect| {
            let arrival = Arrival {
                name: String::new(),
                id: None,
                url: None,
                fetched: None,
                status: None,
                content_type: Some(content_type.into()),
                digest: None,
                file: Path::new("a").into(),
                offset: 0,
                within: 0,
                truncated: false,
                bytes: Vec::new(),
            };
            assert_eq!(arrival.charset(), expect, "{content_type}");
        };
        check("text/html", None);
        check("text/html; charset=utf-8", Some("utf-8"));
        check("text/html;level=1; Charset=\"gb2312\" ", Some("gb2312"));
        check("text/html; charset=", None);
        check("text/html; charset", None);
    }
}
