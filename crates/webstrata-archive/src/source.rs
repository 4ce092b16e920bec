//! All pages of some files and folders, in order.

use std::collections::VecDeque;
use std::fs;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::arrival::{Arrival, Limits, Problem, ProblemKind};
use crate::columns::Columns;
use crate::folder;
use crate::input::{Input, ReadSeek};
use crate::json_lines::{JsonLines, Lines};
use crate::pipe::{Pipe, is_packed};
use crate::saved;
use crate::statuses::Statuses;
#[cfg(feature = "parquet")]
use crate::table::Table;
use crate::unpack::{Damage, Packing, Unpacked, damage_kind};
use crate::warc::{self, Records};
use crate::zip::{self, Member, Shared, ZipError};

/// Bytes by which the kind of a file is told: more than the longest block of zstd, before which nothing is unpacked.
const ENOUGH_TO_TELL: u64 = 256 * 1024;

/// What a file holds, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// One page.
    Page,
    /// A web archive, compressed or not, or several of them in a WACZ file.
    Archive,
    /// One page per line, as JSON, compressed or not.
    Lines,
    /// A table with a column of pages: Parquet or Arrow.
    Table,
}

impl InputKind {
    /// The extensions of archives.
    pub const ARCHIVES: [&str; 4] = ["warc", "warc.gz", "warc.zst", "wacz"];
    /// The extensions of files with lines of JSON.
    pub const LINES: [&str; 3] = ["jsonl", "jsonl.gz", "jsonl.zst"];
    /// The extensions of pages.
    pub const PAGES: [&str; 8] =
        ["html", "htm", "xhtml", "shtml", "html.gz", "html.zst", "mhtml", "mht"];
    /// The extensions of tables.
    pub const TABLES: [&str; 3] = ["parquet", "arrow", "feather"];

    /// What a file of this name holds.
    pub fn of(path: &Path) -> InputKind {
        if folder::has_extension(path, &InputKind::ARCHIVES) {
            InputKind::Archive
        } else if folder::has_extension(path, &InputKind::LINES) {
            InputKind::Lines
        } else if folder::has_extension(path, &InputKind::TABLES) {
            InputKind::Table
        } else {
            InputKind::Page
        }
    }

    /// The same; where the name says nothing, the first bytes do.
    pub fn of_file(path: &Path) -> InputKind {
        let kind = InputKind::of(path);
        if kind != InputKind::Page || folder::has_extension(path, &InputKind::PAGES) {
            return kind;
        }
        // What cannot be read twice is not looked at.
        let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
        match File::open(path) {
            Ok(mut file) if is_file => told(&mut file, path).unwrap_or(kind),
            _ => kind,
        }
    }
}

/// What a file holds by its first bytes; it is at its beginning afterwards.
fn told(file: &mut (impl Read + Seek), path: &Path) -> io::Result<InputKind> {
    let mut start = Vec::new();
    file.take(ENOUGH_TO_TELL).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(match () {
        () if start.starts_with(zip::START) => InputKind::Archive,
        () if start.starts_with(b"PAR1") || start.starts_with(b"ARROW1") => InputKind::Table,
        () => {
            let pipe = Pipe::new(io::Cursor::new(start), path);
            pipe.map_or(InputKind::Page, |pipe| pipe.kind())
        }
    })
}

/// All pages of files, folders, archives and JSON lines, in order. What goes wrong is an item, too; the
/// next page comes behind it.
pub struct Source {
    waiting: VecDeque<Result<PathBuf, Problem>>,
    extensions: Vec<String>,
    reader: Option<Reader>,
    limits: Limits,
    statuses: Statuses,
    takes_records: bool,
    is_verified: bool,
    columns: Columns,
    /// Where to go on.
    begin_at: Option<(PathBuf, Cursor)>,
    /// Archives of the WACZ file that is being read, which come next.
    members: VecDeque<Member>,
    bundle: Option<(Arc<Path>, Shared)>,
}

/// A place to resume reading: it gives the same pages as reading without a break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Where the record begins, as in [`Arrival::offset`].
    pub offset: u64,
    /// As in [`Arrival::within`].
    pub within: u64,
    /// Bytes that were read once more behind damage before this place: there is a bound on them for
    /// each file.
    pub reread: u64,
}

enum Reader {
    Records(Box<Records>),
    Lines(Box<Lines>),
    #[cfg(feature = "parquet")]
    Table(Box<Table>),
    /// Of a file that is one page; none once it was taken.
    Page(Option<Box<Result<Arrival, Problem>>>),
}

impl Reader {
    /// Nothing but a problem.
    fn problem(problem: Problem) -> Reader {
        Reader::Page(Some(Box::new(Err(problem))))
    }
}

impl Source {
    /// The pages of these paths. In folders, pages and archives are read, at any depth and sorted; JSON lines
    /// only where they are named, since results lie about as such.
    pub fn open(paths: &[PathBuf], limits: Limits) -> Source {
        let extensions: Vec<&str> = [&InputKind::PAGES[..], &InputKind::ARCHIVES[..]].concat();
        Source::open_with(paths, &extensions, limits)
    }

    /// The same, with other files of folders: those whose names end so.
    pub fn open_with(paths: &[PathBuf], extensions: &[impl AsRef<str>], limits: Limits) -> Source {
        let extensions = extensions.iter().map(|one| one.as_ref().to_owned()).collect();
        let waiting = paths.iter().cloned().map(Ok).collect();
        let statuses = Statuses::default();
        Source {
            waiting,
            extensions,
            reader: None,
            limits,
            statuses,
            takes_records: false,
            is_verified: false,
            columns: Columns::default(),
            begin_at: None,
            members: VecDeque::new(),
            bundle: None,
        }
    }

    /// The same with other columns of tables than one would guess.
    pub fn with_columns(mut self, columns: Columns) -> Source {
        self.columns = columns;
        self
    }

    /// The pages of an archive that lies anywhere; `name` stands for its path. Of what cannot go back by
    /// itself, make a [`Streamed`](crate::Streamed) first.
    pub fn archive(
        reader: impl Read + Seek + Send + 'static,
        name: &Path,
        limits: Limits,
    ) -> Source {
        let mut source = Source::open(&[], limits);
        let reader = source.archive_reader(Box::new(reader), name, None);
        // A problem of the first archive in a file comes before the others.
        source.reader = Some(reader.unwrap_or_else(Reader::problem));
        source
    }

    /// The pages of a file that lies anywhere and is what its name says, or where that says nothing, its first bytes: a
    /// page, an archive or JSON lines. Tables are read by [`Source::table`].
    pub fn file(
        mut reader: impl Read + Seek + Send + 'static,
        name: &Path,
        limits: Limits,
    ) -> Source {
        let mut kind = InputKind::of(name);
        if kind == InputKind::Page && !folder::has_extension(name, &InputKind::PAGES) {
            kind = told(&mut reader, name).unwrap_or(kind);
        }
        match kind {
            InputKind::Archive => return Source::archive(reader, name, limits),
            InputKind::Lines => {}
            InputKind::Table => {
                let mut source = Source::open(&[], limits);
                let why = "a table is read only where it is a file on this machine";
                let problem = Problem::of_file(name, ProblemKind::Unreadable, why);
                source.waiting.push_back(Err(problem));
                return source;
            }
            InputKind::Page => {
                let mut source = Source::open(&[], limits);
                let page = source.page(reader, name);
                source.reader = Some(Reader::Page(Some(Box::new(page))));
                return source;
            }
        }
        match unpacked(Input::new(Box::new(reader)), name, None) {
            Ok(unpacked) => Source::of_unpacked(unpacked, InputKind::Lines, name.into(), limits),
            Err(problem) => {
                let mut source = Source::open(&[], limits);
                source.waiting.push_back(Err(problem));
                source
            }
        }
    }

    /// The pages of a table that is a file on this machine; `name` stands for its path.
    #[cfg(feature = "parquet")]
    pub fn table(file: File, name: &Path, columns: &Columns, limits: Limits) -> Source {
        let mut source = Source::open(&[], limits);
        let table = Table::open(file, name, columns, 0, limits);
        let reader = table.map(|table| Reader::Table(Box::new(table)));
        source.reader = Some(reader.unwrap_or_else(Reader::problem));
        source
    }

    /// The pages of a stream whose kind is known.
    pub(crate) fn of_unpacked(
        unpacked: Unpacked,
        kind: InputKind,
        name: Arc<Path>,
        limits: Limits,
    ) -> Source {
        let mut source = Source::open(&[], limits);
        source.reader = Some(match kind {
            InputKind::Lines => Reader::Lines(Box::new(Lines::new(unpacked, name, limits))),
            _ => Reader::Records(Box::new(Records::new(unpacked, name, limits))),
        });
        source
    }

    /// Goes on in an archive or a file of lines: the first page is the one with this
    /// [`offset`](Arrival::offset) and [`within`](Arrival::within).
    pub fn open_at(path: &Path, offset: u64, within: u64, limits: Limits) -> Source {
        Source::resume(path, Cursor { offset, within, reread: 0 }, limits)
    }

    /// The same from a [`Cursor`]: gives the same pages as reading without a break.
    pub fn resume(path: &Path, cursor: Cursor, limits: Limits) -> Source {
        let mut source = Source::open(&[], limits);
        source.begin_at = Some((path.to_owned(), cursor));
        source
    }

    /// Opens what was named to go on in, once all settings are known.
    fn go_on(&mut self) {
        let Some((path, cursor)) = self.begin_at.take() else { return };
        let reader = self.reader(&path, Some(cursor));
        self.reader = Some(reader.unwrap_or_else(Reader::problem));
    }

    /// Reads pages with these HTTP statuses instead of 200 to 299.
    pub fn with_statuses(mut self, statuses: Statuses) -> Source {
        if let Some(Reader::Records(records)) = &mut self.reader {
            records.set_statuses(statuses.clone());
        }
        self.statuses = statuses;
        self
    }

    /// Takes lines of JSON with the field `text` for records of pages, not for pages: see [`Arrival::is_record`].
    pub fn with_records(mut self) -> Source {
        if let Some(Reader::Lines(lines)) = &mut self.reader {
            lines.take_records(true);
        }
        self.takes_records = true;
        self
    }

    /// Compares the digests of archives with what their records hold. A page whose digest is another is left out, as a
    /// problem of the kind [`WrongDigest`](ProblemKind::WrongDigest). Digests by SHA-1 and SHA-2 are known, others are not
    /// compared.
    pub fn verified(mut self) -> Source {
        if let Some(Reader::Records(records)) = &mut self.reader {
            records.verify();
        }
        self.is_verified = true;
        self
    }

    /// Where [`Source::resume`] has to go on so that this page, the last one that came, comes first.
    pub fn cursor(&self, page: &Arrival) -> Cursor {
        let reread = match &self.reader {
            Some(Reader::Records(records)) => records.reread(),
            _ => 0,
        };
        Cursor { offset: page.offset, within: page.within, reread }
    }

    /// The pages of one path; `None` if they come from a reader, or if there are none.
    fn enter(&mut self, path: &Path) -> Option<Result<Arrival, Problem>> {
        if path.is_dir() {
            let files = folder::files(path, &self.extensions);
            if files.is_empty() {
                let extensions = self.extensions.join(", ");
                let message =
                    format!("no pages in this folder, that is, no files *.{{{extensions}}}");
                return Some(Err(Problem::of_file(path, ProblemKind::Unreadable, message)));
            }
            files.into_iter().rev().for_each(|file| self.waiting.push_front(file));
            return None;
        }
        if InputKind::of_file(path) == InputKind::Page {
            let file = File::open(path);
            let unreadable = |error| Problem::of_file(path, ProblemKind::Unreadable, error);
            return Some(file.map_err(unreadable).and_then(|file| self.page(file, path)));
        }
        match self.reader(path, None) {
            Ok(reader) => {
                self.reader = Some(reader);
                None
            }
            Err(problem) => Some(Err(problem)),
        }
    }

    fn page(
        &self,
        mut file: impl Read + Seek + Send + 'static,
        path: &Path,
    ) -> Result<Arrival, Problem> {
        let mut bytes = Vec::new();
        let limit = self.limits.page;
        let most = (limit as u64).saturating_add(1);
        let read = (&mut file).take(most).read_to_end(&mut bytes);
        let read = read.and_then(|_| unpacked_page(&mut bytes, file, path, most));
        read.map_err(|error| Problem::of_file(path, ProblemKind::Unreadable, error))?;
        if bytes.len() > limit {
            let message = format!("a page of more than {limit} bytes; left out");
            return Err(Problem::of_file(path, ProblemKind::TooLong, message));
        }
        let saved = saved::unwrapped(&mut bytes)
            .map_err(|why| Problem::of_file(path, ProblemKind::NoPage, why))?;
        Ok(Arrival {
            name: path.display().to_string(),
            id: None,
            url: saved.url,
            fetched: saved.date,
            status: None,
            content_type: saved.charset.map(|charset| format!("text/html; charset={charset}")),
            digest: None,
            file: path.into(),
            offset: 0,
            within: 0,
            truncated: false,
            bytes,
        })
    }

    fn reader(&mut self, path: &Path, at: Option<Cursor>) -> Result<Reader, Problem> {
        let kind = InputKind::of_file(path);
        if kind == InputKind::Table {
            return self.rows(path, at);
        }
        if kind == InputKind::Lines {
            let unpacked = unpacked(opened(path)?, path, at)?;
            let mut lines = Lines::new(unpacked, path.into(), self.limits);
            lines.take_records(self.takes_records);
            return Ok(Reader::Lines(Box::new(lines)));
        }
        let unreadable = |error| Problem::of_file(path, ProblemKind::Unreadable, error);
        let file = File::open(path).map_err(unreadable)?;
        self.archive_reader(Box::new(file), path, at)
    }

    /// The records of an archive, or of several in a WACZ file.
    fn archive_reader(
        &mut self,
        reader: Box<dyn ReadSeek>,
        path: &Path,
        at: Option<Cursor>,
    ) -> Result<Reader, Problem> {
        let unreadable = |error| Problem::of_file(path, ProblemKind::Unreadable, error);
        let file = Shared::new(reader);
        let mut input = Input::new(Box::new(file.clone()));
        if input.peek(zip::START.len()).map_err(unreadable)?.starts_with(zip::START) {
            return self.bundle(file, path, at);
        }
        let unpacked = unpacked(input, path, at)?;
        Ok(Reader::Records(Box::new(self.records(unpacked, path.into()))))
    }

    fn records(&self, unpacked: Unpacked, file: Arc<Path>) -> Records {
        let mut records = Records::new(unpacked, file, self.limits);
        records.set_statuses(self.statuses.clone());
        if self.is_verified {
            records.verify();
        }
        records
    }

    /// The archives of a WACZ file, one after the other; places in them are those in the file.
    fn bundle(
        &mut self,
        mut file: Shared,
        path: &Path,
        at: Option<Cursor>,
    ) -> Result<Reader, Problem> {
        let problem = |message| Problem::of_file(path, ProblemKind::Unreadable, message);
        let members = zip::archives(&mut file).map_err(|error| match error {
            ZipError::Wrong(why) => problem(why),
            ZipError::Io(error) => problem(error.to_string()),
        })?;
        let from = at.map_or(0, |cursor| cursor.offset);
        self.members = members.into_iter().filter(|member| member.last() > from).collect();
        self.bundle = Some((path.into(), file));
        let first = self.members.pop_front();
        let gone = || problem("the file has no archive at this place".into());
        self.member(&first.ok_or_else(gone)?, at)
    }

    /// An archive of a WACZ file.
    fn member(&self, member: &Member, at: Option<Cursor>) -> Result<Reader, Problem> {
        let Some((path, file)) = &self.bundle else { return Ok(Reader::Page(None)) };
        let unreadable = |error| Problem::of_file(&**path, ProblemKind::Unreadable, error);
        let mut input = Input::new(member.open(file.clone()));
        input.seek(member.first()).map_err(unreadable)?;
        // How it is packed, its own name says; messages name the file.
        let unpacked = unpacked(input, Path::new(&member.name), at).map_err(|problem| {
            let message = format!("{}: {}", member.name, problem.message);
            Problem::of_file(&**path, problem.kind, message)
        })?;
        Ok(Reader::Records(Box::new(self.records(unpacked, path.clone()))))
    }

    #[cfg(feature = "parquet")]
    fn rows(&self, path: &Path, at: Option<Cursor>) -> Result<Reader, Problem> {
        let from = at.map_or(0, |cursor| cursor.offset);
        let unreadable = |error| Problem::of_file(path, ProblemKind::Unreadable, error);
        let file = File::open(path).map_err(unreadable)?;
        let table = Table::open(file, path, &self.columns, from, self.limits)?;
        Ok(Reader::Table(Box::new(table)))
    }

    #[cfg(not(feature = "parquet"))]
    fn rows(&self, path: &Path, _: Option<Cursor>) -> Result<Reader, Problem> {
        let message =
            "a table, which this build does not read; build it with the feature `parquet`";
        Err(Problem::of_file(path, ProblemKind::Unreadable, message))
    }
}

impl JsonLines {
    /// The lines of a file.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn open(path: &Path, limits: Limits) -> Result<JsonLines, Problem> {
        let unpacked = unpacked(opened(path)?, path, None)?;
        Ok(JsonLines(Box::new(Lines::new(unpacked, path.into(), limits))))
    }
}

impl Iterator for Source {
    type Item = Result<Arrival, Problem>;

    fn next(&mut self) -> Option<Result<Arrival, Problem>> {
        self.go_on();
        loop {
            let next = match &mut self.reader {
                #[cfg(feature = "parquet")]
                Some(Reader::Table(table)) => table.next(),
                Some(Reader::Records(records)) => records.next(),
                Some(Reader::Lines(lines)) => lines.next(),
                Some(Reader::Page(page)) => page.take().map(|page| *page),
                None => None,
            };
            if next.is_some() {
                return next;
            }
            self.reader = None;
            if let Some(member) = self.members.pop_front() {
                match self.member(&member, None) {
                    Ok(reader) => self.reader = Some(reader),
                    Err(problem) => return Some(Err(problem)),
                }
                continue;
            }
            let entered = match self.waiting.pop_front()? {
                Ok(path) => self.enter(&path),
                Err(problem) => Some(Err(problem)),
            };
            if entered.is_some() {
                return entered;
            }
        }
    }
}

/// Unpacks a page that is packed, as far as the limit allows.
fn unpacked_page(
    bytes: &mut Vec<u8>,
    mut file: impl Read + Seek + Send + 'static,
    path: &Path,
    most: u64,
) -> io::Result<()> {
    if is_packed(bytes) {
        file.seek(SeekFrom::Start(0))?;
        let pipe = Pipe::new(file, path).map_err(|problem| io::Error::other(problem.message))?;
        bytes.clear();
        pipe.take(most).read_to_end(bytes)?;
    }
    Ok(())
}

fn opened(path: &Path) -> Result<Input, Problem> {
    let unreadable = |error| Problem::of_file(path, ProblemKind::Unreadable, error);
    Ok(Input::new(Box::new(File::open(path).map_err(unreadable)?)))
}

/// A file's bytes, unpacked; from a place on, where one is given.
pub(crate) fn unpacked(
    mut input: Input,
    path: &Path,
    at: Option<Cursor>,
) -> Result<Unpacked, Problem> {
    let open = || -> Result<Unpacked, Damage> {
        let packing = packing(path, input.peek(warc::START.len())?);
        let mut unpacked = Unpacked::new(input, packing)?;
        if let Some(Cursor { offset, within, reread }) = at {
            unpacked.set_reread(reread);
            unpacked.seek(offset)?;
            if within > 0 {
                unpacked.next_member()?;
                unpacked.skip(within)?;
            }
        }
        Ok(unpacked)
    };
    open().map_err(|damage| match damage {
        Damage::Broken(message) => Problem::of_file(path, damage_kind(message), message),
        Damage::Unreadable(error) => Problem::of_file(path, ProblemKind::Unreadable, error),
    })
}

/// By the first bytes; by the name only where these say nothing, as in a file whose start is damaged.
fn packing(path: &Path, start: &[u8]) -> Packing {
    let by_name = || {
        let is_plain = start.starts_with(warc::START) || start.trim_ascii_start().starts_with(b"{");
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if is_plain => Packing::Plain,
            Some("gz") => Packing::Gzip,
            Some("zst") => Packing::Zstd,
            _ => Packing::Plain,
        }
    };
    Packing::of(start).unwrap_or_else(by_name)
}

/// How messages call a record.
pub(crate) fn name(file: &Path, (offset, within): (u64, u64)) -> String {
    match within {
        0 => format!("{}#{offset}", file.display()),
        _ => format!("{}#{offset}+{within}", file.display()),
    }
}
