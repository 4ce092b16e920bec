//! Writes web archives: requests and responses, one file after the other.
//!
//! ```
//! use std::time::SystemTime;
//! use webstrata_archive::warc_writer::{Exchange, WarcWriterOptions, Writer};
//! use webstrata_archive::{Limits, Source};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let mut writer = Writer::create(folder.path(), "harbour", WarcWriterOptions::default())?;
//! let written = writer.response(&Exchange {
//!     response_head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
//!     body: b"<p>High water is at noon.",
//!     ..Exchange::new("https://example.org/tides", SystemTime::now())
//! })?;
//! writer.sync()?;
//! let mut source = Source::open_at(&written.file, written.offset, 0, Limits::default());
//! assert_eq!(source.next().unwrap().unwrap().bytes, b"<p>High water is at noon.");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Records are those of WARC/1.1, each a gzip member or zstd frame of its own, so that reading can begin at
//! any of them. A program that is killed leaves at most one record that is not whole; the next [`Writer`]
//! of the same name cuts it off and goes on behind the last whole one.

mod record;
mod repair;

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use webstrata_base::{make_folders, sync_folder};

pub(crate) use self::record::date;
use self::record::{Record, clean};
use crate::digest::digest;
use crate::http;
use crate::record::PageRecord;

/// How records are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// Not at all: `.warc`.
    Plain,
    /// A gzip member each, which every tool reads: `.warc.gz`.
    #[default]
    Gzip,
    /// A zstd frame each, without a dictionary: `.warc.zst`.
    Zstd,
}

impl Packing {
    const ALL: [Packing; 3] = [Packing::Plain, Packing::Gzip, Packing::Zstd];

    fn extension(self) -> &'static str {
        match self {
            Packing::Plain => "warc",
            Packing::Gzip => "warc.gz",
            Packing::Zstd => "warc.zst",
        }
    }
}

/// How archives are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarcWriterOptions {
    /// How records are packed. Default gzip.
    pub packing: Packing,
    /// Bytes after which a file ends and the next one begins. Default 1 GiB, as is the custom.
    pub size: u64,
    /// What every file says about its origin: `operator`, `description`, `robots` and the like.
    pub about: Vec<(String, String)>,
}

impl Default for WarcWriterOptions {
    fn default() -> WarcWriterOptions {
        WarcWriterOptions { packing: Packing::default(), size: 1 << 30, about: Vec::new() }
    }
}

/// A request and what came back.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// The address that was asked for.
    pub url: &'a str,
    /// When.
    pub date: SystemTime,
    /// The address of the server.
    pub ip: Option<IpAddr>,
    /// The request as it was sent; nothing is written of an empty one.
    pub request_head: &'a [u8],
    /// Status line and fields of the response, as they came.
    pub response_head: &'a [u8],
    /// The body.
    pub body: &'a [u8],
    /// Chunks and content encodings of the body were undone. The head is then written so that it fits: the
    /// fields that tell of them are kept under names that begin with `X-Archive-Orig-`.
    pub is_decoded: bool,
    /// Why there is not all of the body, if so.
    pub truncated: Option<Truncated>,
}

impl<'a> Exchange<'a> {
    /// An exchange of which nothing else is known yet.
    pub fn new(url: &'a str, date: SystemTime) -> Exchange<'a> {
        let none = &[][..];
        let (request_head, response_head, body) = (none, none, none);
        let (is_decoded, truncated, ip) = (false, None, None);
        Exchange { url, date, ip, request_head, response_head, body, is_decoded, truncated }
    }
}

/// The main text of a page as a `conversion` record, a gzip member of its own, as in the WET files of Common Crawl. Its
/// date is that of the page; 1970 where it has none.
///
/// # Errors
///
/// Where it cannot be packed.
pub fn conversion(page: &PageRecord) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    Record::conversion(page).pack(
        &page.id,
        page.record.text.as_bytes(),
        Packing::Gzip,
        &mut packed,
    )?;
    Ok(packed)
}

/// Why a body was not stored to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncated {
    /// It was too long.
    Length,
    /// It took too long.
    Time,
    /// The connection broke.
    Disconnect,
    /// Something else.
    Unspecified,
}

impl Truncated {
    fn name(self) -> &'static str {
        match self {
            Truncated::Length => "length",
            Truncated::Time => "time",
            Truncated::Disconnect => "disconnect",
            Truncated::Unspecified => "unspecified",
        }
    }
}

/// Where a record was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub file: PathBuf,
    /// Where the record begins in it, as it lies on the disk.
    pub offset: u64,
    /// The record's id: `urn:uuid:…`.
    pub id: String,
    /// The digest of the payload: `sha1:…`.
    pub digest: String,
}

/// The record that a page was stored in before; see [`Writer::revisit`].
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    /// The record's id.
    pub id: &'a str,
    /// The address it was stored under.
    pub url: &'a str,
    /// When.
    pub date: SystemTime,
}

/// The position of a writer; see [`Writer::go_back`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The number of the file.
    pub number: u32,
    /// Bytes in it.
    pub length: u64,
}

/// Writes the archives `PREFIX-00000.warc.gz`, `PREFIX-00001.warc.gz`, … of a folder. There must be one
/// writer of a name at a time.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    prefix: String,
    settings: WarcWriterOptions,
    number: u32,
    /// The file that is being written, if it was begun.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    path: PathBuf,
    length: u64,
    /// The id of the record that the file begins with, if we wrote it.
    info: Option<String>,
}

impl Writer {
    /// Begins to write, or goes on behind the last whole record of the last file of this name. What is
    /// broken behind it is cut off. Makes the folder where it is missing.
    pub fn create(folder: &Path, prefix: &str, settings: WarcWriterOptions) -> io::Result<Writer> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if prefix.is_empty() || prefix.starts_with('.') || !prefix.chars().all(plain) {
            let rule = "letters, digits, `-`, `_` and `.` only, no `.` in front";
            let message = format!("`{prefix}`: no name for archives; {rule}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        make_folders(folder).map_err(|error| at(folder, &error))?;
        let (folder, prefix) = (folder.to_owned(), prefix.to_owned());
        let mut writer = Writer { folder, prefix, settings, number: 0, open: None };
        if let Some((number, path)) = writer.files()?.pop() {
            writer.number = number;
            writer.go_on(path)?;
        }
        Ok(writer)
    }

    /// Writes a response, and the request that asked for it if there is one. Returns where the response is.
    pub fn response(&mut self, exchange: &Exchange<'_>) -> io::Result<Written> {
        let head = response_head(exchange);
        let block = [&head[..], exchange.body].concat();
        let digest = digest(exchange.body);
        let mut record = Record::new("response", exchange);
        record.add("WARC-Payload-Digest", &digest);
        record.add("Content-Type", "application/http; msgtype=response");
        if let Some(truncated) = exchange.truncated {
            record.add("WARC-Truncated", truncated.name());
        }
        self.write_exchange(record, &block, exchange, digest)
    }

    /// Writes that the answer was what another record has: its head, and where the body is. An answer of 304
    /// is one that the server said has not changed, any other one whose digest is the same.
    pub fn revisit(
        &mut self,
        exchange: &Exchange<'_>,
        original: &Original<'_>,
    ) -> io::Result<Written> {
        let head = response_head(exchange);
        let is_unchanged = http::Head::parse(&head).status == Some(304);
        let profile = if is_unchanged { "server-not-modified" } else { "identical-payload-digest" };
        let profile = format!("http://netpreserve.org/warc/1.1/revisit/{profile}");
        let mut record = Record::new("revisit", exchange);
        record.add("WARC-Profile", &profile);
        record.add("WARC-Refers-To", &format!("<{}>", original.id));
        record.add("WARC-Refers-To-Target-URI", original.url);
        record.add("WARC-Refers-To-Date", &date(original.date));
        let digest = digest(exchange.body);
        if !is_unchanged {
            record.add("WARC-Payload-Digest", &digest);
        }
        record.add("Content-Type", "application/http; msgtype=response");
        self.write_exchange(record, &head, exchange, digest)
    }

    /// Writes what else is known about a record: the feed that led to it, the title that it had there.
    pub fn metadata(
        &mut self,
        about: &Written,
        url: &str,
        when: SystemTime,
        fields: &[(&str, &str)],
    ) -> io::Result<Written> {
        let mut record = Record::new("metadata", &Exchange::new(url, when));
        record.add("WARC-Concurrent-To", &format!("<{}>", about.id));
        record.add("Content-Type", "application/warc-fields");
        let block = warc_fields(fields.iter().copied());
        self.begin(when)?;
        self.write(vec![(record, Cow::Owned(block))], String::new())
    }

    /// Flushes to the disk: what was written before survives a loss of power.
    pub fn sync(&mut self) -> io::Result<()> {
        let Some(open) = &self.open else { return Ok(()) };
        open.file.sync_data().map_err(|error| at(&open.path, &error))
    }

    /// The position of the writer. Save it after a [`Writer::sync`] to be able to go back
    /// to it after a crash, so that archives and notes tell the same.
    pub fn position(&self) -> Position {
        let length = self.open.as_ref().map_or(0, |open| open.length);
        Position { number: self.number, length }
    }

    /// Goes back: what was written behind this position is deleted.
    pub fn go_back(&mut self, to: Position) -> io::Result<()> {
        self.open = None;
        for (number, path) in self.files()?.into_iter().rev() {
            if number > to.number || (number == to.number && to.length == 0) {
                fs::remove_file(&path).map_err(|error| at(&path, &error))?;
            } else if number == to.number {
                let length = fs::metadata(&path).map_err(|error| at(&path, &error))?.len();
                if length < to.length {
                    let message =
                        format!("has {length} bytes, but {} were written; restore it", to.length);
                    return Err(at(&path, &io::Error::other(message)));
                }
                self.open = Some(Open::at(path, to.length)?);
            }
        }
        self.number = to.number;
        sync_folder(&self.folder)
    }

    /// The files of this name, in the order of their numbers.
    fn files(&self) -> io::Result<Vec<(u32, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| at(&self.folder, &error))? {
            let entry = entry.map_err(|error| at(&self.folder, &error))?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| self.number_of(name));
            files.extend(number.map(|number| (number, entry.path())));
        }
        files.sort();
        Ok(files)
    }

    fn number_of(&self, name: &str) -> Option<u32> {
        let rest = name.strip_prefix(&self.prefix)?.strip_prefix('-')?;
        let (number, extension) = rest.split_once('.')?;
        let is_number = number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_ours = Packing::ALL.iter().any(|packing| packing.extension() == extension);
        number.parse().ok().filter(|_| is_number && is_ours)
    }

    /// Goes on in a file, or behind it if it is full or packed otherwise.
    fn go_on(&mut self, path: PathBuf) -> io::Result<()> {
        let whole = repair::whole_length(&path).map_err(|error| at(&path, &error))?;
        let open = Open::at(path, whole)?;
        let name = open.path.to_string_lossy();
        if name.ends_with(&format!(".{}", self.settings.packing.extension())) {
            self.open = Some(open);
        } else {
            self.number = next(self.number)?;
        }
        Ok(())
    }

    /// Makes sure that there is a file to write to and that it says what it is.
    fn begin(&mut self, when: SystemTime) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|open| open.length >= self.settings.size) {
            self.sync()?;
            self.number = next(self.number)?;
            self.open = None;
        }
        if self.open.is_none() {
            let extension = self.settings.packing.extension();
            let name = format!("{}-{:05}.{extension}", self.prefix, self.number);
            self.open = Some(Open::at(self.folder.join(name), 0)?);
            sync_folder(&self.folder)?;
        }
        if self.position().length == 0 { self.info(when) } else { Ok(()) }
    }

    /// Writes the record that a file begins with.
    fn info(&mut self, when: SystemTime) -> io::Result<()> {
        let name = self.open.as_ref().and_then(|open| open.path.file_name());
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        let mut record = Record::new("warcinfo", &Exchange::new("", when));
        record.add("WARC-Filename", &name);
        record.add("Content-Type", "application/warc-fields");
        let ours = [
            ("software", concat!("webstrata/", env!("CARGO_PKG_VERSION"))),
            ("format", "WARC File Format 1.1"),
            (
                "conformsTo",
                "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            ),
        ];
        let theirs = self.settings.about.iter().map(|(name, value)| (&name[..], &value[..]));
        let block = warc_fields(ours.into_iter().chain(theirs));
        let written = self.write(vec![(record, Cow::Owned(block))], String::new())?;
        if let Some(open) = &mut self.open {
            open.info = Some(written.id);
        }
        Ok(())
    }

    fn write_exchange(
        &mut self,
        record: Record,
        block: &[u8],
        exchange: &Exchange<'_>,
        digest: String,
    ) -> io::Result<Written> {
        self.begin(exchange.date)?;
        let mut records = vec![(record, Cow::Borrowed(block))];
        if !exchange.request_head.is_empty() {
            let mut request = Record::new("request", exchange);
            request.add("Content-Type", "application/http; msgtype=request");
            records.push((request, Cow::Owned(ended(exchange.request_head))));
        }
        self.write(records, digest)
    }

    /// Writes records that belong together, all at once; returns where the first one is.
    fn write(
        &mut self,
        records: Vec<(Record, Cow<'_, [u8]>)>,
        digest: String,
    ) -> io::Result<Written> {
        let Some(open) = &mut self.open else {
            return Err(io::Error::other("no archive is open"));
        };
        let (mut packed, mut first) = (Vec::new(), None);
        for (mut record, block) in records {
            if let Some(info) = &open.info {
                record.add("WARC-Warcinfo-ID", &format!("<{info}>"));
            }
            if let Some(first) = &first {
                record.add("WARC-Concurrent-To", &format!("<{first}>"));
            }
            let name = open.path.file_name().unwrap_or_default().to_string_lossy();
            let place = format!("{name}#{}", open.length + packed.len() as u64);
            let id = record.pack(&place, &block, self.settings.packing, &mut packed)?;
            first.get_or_insert(id);
        }
        let offset = open.length;
        open.append(&packed)?;
        Ok(Written { file: open.path.clone(), offset, id: first.unwrap_or_default(), digest })
    }
}

impl Open {
    /// Opens a file, cut off at so many bytes.
    fn at(path: PathBuf, length: u64) -> io::Result<Open> {
        let open = || -> io::Result<File> {
            // Appending: there is no position that could be wrong after a failed write.
            let file = OpenOptions::new().append(true).create(true).open(&path)?;
            if file.metadata()?.len() != length {
                file.set_len(length)?;
                file.sync_data()?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| at(&path, &error))?;
        Ok(Open { file, path, length, info: None })
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            // On a full disk there may be half a record; nobody shall find it.
            self.file.set_len(self.length).map_err(|error| at(&self.path, &error))?;
            return Err(at(&self.path, &error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// The head as it is to be written, with the empty line that ends it.
fn response_head(exchange: &Exchange<'_>) -> Vec<u8> {
    if !exchange.is_decoded {
        return ended(exchange.response_head);
    }
    let mut head = Vec::with_capacity(exchange.response_head.len() + 64);
    for line in exchange.response_head.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii_end();
        if text.is_empty() {
            break;
        }
        let name = text.split(|byte| *byte == b':').next().unwrap_or_default();
        let described = ["Content-Encoding", "Transfer-Encoding", "Content-Length"];
        if described.iter().any(|described| name.eq_ignore_ascii_case(described.as_bytes())) {
            head.extend_from_slice(b"X-Archive-Orig-");
        }
        head.extend_from_slice(text);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(format!("Content-Length: {}\r\n\r\n", exchange.body.len()).as_bytes());
    head
}

/// A head that ends as heads do.
fn ended(head: &[u8]) -> Vec<u8> {
    if head.ends_with(b"\r\n\r\n") {
        return head.to_vec();
    }
    [head.trim_ascii_end(), b"\r\n\r\n"].concat()
}

fn warc_fields<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let line = |(name, value): (&str, &str)| format!("{}: {}\r\n", clean(name), clean(value));
    fields.map(line).collect::<String>().into_bytes()
}

fn next(number: u32) -> io::Result<u32> {
    number.checked_add(1).ok_or_else(|| io::Error::other("no number is left for an archive"))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
