//! All pages of some files and folders, in order.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::arrival::{Arrival, Limits, Problem, ProblemKind};
use crate::folder;
use crate::input::Input;
use crate::json_lines::{JsonLines, Lines};
use crate::pipe::{Pipe, is_packed};
use crate::statuses::Statuses;
use crate::unpack::{Damage, Packing, Unpacked, damage_kind};
use crate::warc::{self, Records};

/// What a file holds, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// One page.
    Page,
    /// A web archive, compressed or not.
    Archive,
    /// One page per line, as JSON, compressed or not.
    Lines,
}

impl InputKind {
    /// The extensions of archives.
    pub const ARCHIVES: [&str; 3] = ["warc", "warc.gz", "warc.zst"];
    /// The extensions of files with lines of JSON.
    pub const LINES: [&str; 3] = ["jsonl", "jsonl.gz", "jsonl.zst"];
    /// The extensions of pages.
    pub const PAGES: [&str; 6] = ["html", "htm", "xhtml", "shtml", "html.gz", "html.zst"];

    /// What a file of this name holds.
    pub fn of(path: &Path) -> InputKind {
        if folder::has_extension(path, &InputKind::ARCHIVES) {
            InputKind::Archive
        } else if folder::has_extension(path, &InputKind::LINES) {
            InputKind::Lines
        } else {
            InputKind::Page
        }
    }
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
        }
    }

    /// The pages of an archive that lies anywhere; `name` stands for its path. Of what cannot go back by
    /// itself, make a [`Streamed`](crate::Streamed) first.
    pub fn archive(
        reader: impl Read + Seek + Send + 'static,
        name: &Path,
        limits: Limits,
    ) -> Source {
        let mut source = Source::open(&[], limits);
        match unpacked(Input::new(Box::new(reader)), name, None) {
            Ok(unpacked) => {
                let records = Records::new(unpacked, name.into(), limits);
                source.reader = Some(Reader::Records(Box::new(records)));
            }
            Err(problem) => source.waiting.push_back(Err(problem)),
        }
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
        match source.reader(path, Some(cursor)) {
            Ok(reader) => source.reader = Some(reader),
            Err(problem) => source.waiting.push_back(Err(problem)),
        }
        source
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
            Some(Reader::Lines(_)) | None => 0,
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
        if InputKind::of(path) == InputKind::Page {
            return Some(self.page(path));
        }
        match self.reader(path, None) {
            Ok(reader) => {
                self.reader = Some(reader);
                None
            }
            Err(problem) => Some(Err(problem)),
        }
    }

    fn page(&self, path: &Path) -> Result<Arrival, Problem> {
        let mut bytes = Vec::new();
        let limit = self.limits.page;
        let most = (limit as u64).saturating_add(1);
        let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        let read = read.and_then(|_| unpacked_page(&mut bytes, path, most));
        read.map_err(|error| Problem::of_file(path, ProblemKind::Unreadable, error))?;
        if bytes.len() > limit {
            let message = format!("a page of more than {limit} bytes; left out");
            return Err(Problem::of_file(path, ProblemKind::TooLong, message));
        }
        Ok(Arrival {
            name: path.display().to_string(),
            id: None,
            url: None,
            fetched: None,
            status: None,
            content_type: None,
            digest: None,
            file: path.into(),
            offset: 0,
            within: 0,
            truncated: false,
            bytes,
        })
    }

    fn reader(&self, path: &Path, at: Option<Cursor>) -> Result<Reader, Problem> {
        let unpacked = unpacked(opened(path)?, path, at)?;
        let file: Arc<Path> = path.into();
        Ok(match InputKind::of(path) {
            InputKind::Lines => {
                let mut lines = Lines::new(unpacked, file, self.limits);
                lines.take_records(self.takes_records);
                Reader::Lines(Box::new(lines))
            }
            _ => {
                let mut records = Records::new(unpacked, file, self.limits);
                records.set_statuses(self.statuses.clone());
                if self.is_verified {
                    records.verify();
                }
                Reader::Records(Box::new(records))
            }
        })
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
        loop {
            let next = match &mut self.reader {
                Some(Reader::Records(records)) => records.next(),
                Some(Reader::Lines(lines)) => lines.next(),
                None => None,
            };
            if next.is_some() {
                return next;
            }
            self.reader = None;
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
fn unpacked_page(bytes: &mut Vec<u8>, path: &Path, most: u64) -> io::Result<()> {
    if is_packed(bytes) {
        let pipe = Pipe::new(File::open(path)?, path)
            .map_err(|problem| io::Error::other(problem.message))?;
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
