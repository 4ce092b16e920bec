//! Fetched pages on the disk: web archives, and a journal that says which address became which record.
//!
//! The journal is one line of JSON for each address, written behind the record of its page. A run that was killed leaves
//! at most a record without a line; it is cut off and fetched again, so that no page is lost and none is there twice.
//!
//! Pages that are fetched together are a round, with archives of its own. A round that has ended never changes: what
//! is made of its archives stays valid when more addresses come.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use webstrata_archive::warc_writer::{Position, WarcWriterOptions, Writer};
use webstrata_archive::{Arrival, Limits, Problem, Source, folder};
use webstrata_base::make_folders;

use super::crew::{key, normal};
use crate::Error;
use crate::calendar::moment;
use crate::fetch::{Failure, FailureKind, Response};

/// The journal's name.
const JOURNAL: &str = "addresses.jsonl";

/// Addresses after which everything is brought to the disk. A power cut costs no more.
const SYNC_AFTER: u32 = 64;

/// A line of the journal.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    round: u32,
    /// The address as it was asked for; none where the round ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Where its record begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// Why there is no page: the name of the reason, such as `status-404`.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// It may be there another time, or with other settings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    again: bool,
    /// How far the archives of the round are behind this line.
    end: Position,
    /// The sitemaps of a round that has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    sitemaps: Option<Vec<String>>,
}

/// How addresses that failed for now are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// A new round asks for them again.
    Again,
    /// They are left alone.
    Stay,
}

/// A folder of fetched pages. One program at a time has it.
pub struct Kept {
    folder: PathBuf,
    journal: File,
    _lock: File,
    writer: Option<Writer>,
    /// The round that is being fetched, or the one that ended last.
    round: u32,
    is_ended: bool,
    known: HashSet<u128>,
    sitemaps: HashSet<String>,
    pages: u64,
    unsynced: u32,
}

impl Kept {
    /// Opens a folder, which is made where it is missing, and cuts off what a run that was killed has left.
    ///
    /// # Errors
    ///
    /// Where it cannot be read or written, or another program has it.
    pub fn open(folder: &Path, failed: Failed) -> Result<Kept, Error> {
        let named = |error: io::Error| Error::io(folder, &error);
        make_folders(folder).map_err(named)?;
        let lock = lock(folder)?;
        let path = folder.join(JOURNAL);
        let options = || OpenOptions::new().append(true).create(true).open(&path);
        let journal = options().map_err(|error| Error::io(&path, &error))?;
        let mut kept = Kept {
            folder: folder.to_owned(),
            journal,
            _lock: lock,
            writer: None,
            round: 0,
            is_ended: true,
            known: HashSet::new(),
            sitemaps: HashSet::new(),
            pages: 0,
            unsynced: 0,
        };
        kept.repair()?;
        kept.learn(failed)?;
        Ok(kept)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(JOURNAL)
    }

    /// Makes journal and archives say the same. What is cut off is no more than what a kill or a power cut leaves behind.
    fn repair(&mut self) -> Result<(), Error> {
        let path = self.path();
        let named = |error: io::Error| Error::io(&path, &error);
        let mut readable = 0;
        for line in lines(&path)? {
            let (line, end) = line?;
            (self.round, self.is_ended, readable) = (line.round, line.sitemaps.is_some(), end);
        }
        self.check_rest(readable)?;
        if self.is_ended {
            self.check_archives(self.round + 1, Position::default())?;
            // The journal's last line may still be cut off, of a round that had only begun.
            self.journal.set_len(readable).map_err(named)?;
            // And so may its first record be that has no line.
            let mut writer = self.writer_of(self.round + 1)?;
            let back = writer.go_back(Position::default());
            return back.map_err(|error| Error::io(&self.folder, &error));
        }
        let mut writer = self.writer_of(self.round)?;
        let there = writer.position();
        let (mut whole, mut end) = (0, Position::default());
        for line in lines(&path)? {
            let (line, behind) = line?;
            if line.round == self.round && line.end > there {
                break;
            }
            whole = behind;
            end = if line.round == self.round { line.end } else { Position::default() };
        }
        self.check_rest(whole)?;
        self.check_archives(self.round, end)?;
        self.journal.set_len(whole).map_err(named)?;
        writer.go_back(end).map_err(|error| Error::io(&self.folder, &error))?;
        self.writer = Some(writer);
        Ok(())
    }

    /// Refuses to cut off lines of the journal that were brought to the disk: those are no traces of a power cut.
    fn check_rest(&self, whole: u64) -> Result<(), Error> {
        let path = self.path();
        let named = |error: io::Error| Error::io(&path, &error);
        let mut reader = BufReader::new(File::open(&path).map_err(named)?);
        reader.seek(SeekFrom::Start(whole)).map_err(named)?;
        let (mut count, mut is_synced) = (0, false);
        for line in reader.split(b'\n') {
            let line = serde_json::from_slice::<Line>(&line.map_err(named)?);
            count += 1;
            is_synced |= count > SYNC_AFTER || line.is_ok_and(|line| line.sitemaps.is_some());
            if is_synced {
                return Err(Error::at(
                    &path,
                    format!(
                        "the line at byte {whole} does not fit its archives or cannot be read, and lines that were whole \
                         stand behind it; mend or restore it, or delete the folder to fetch all again"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Refuses to delete pages of which the journal should know.
    fn check_archives(&self, round: u32, end: Position) -> Result<(), Error> {
        let mut count = 0;
        for file in Kept::files(&self.folder)? {
            let Some(place) = place_of(&file).filter(|place| *place >= (round, end.number)) else {
                continue;
            };
            let offset = if place == (round, end.number) { end.length } else { 0 };
            let behind = Source::open_at(&file, offset, 0, Limits::default());
            count += behind.take(SYNC_AFTER as usize + 2).count();
            if place.0 > round || count > SYNC_AFTER as usize + 1 {
                return Err(Error::at(
                    &file,
                    format!(
                        "has pages that {JOURNAL} beside it does not know; restore that file, or delete the folder to \
                         fetch all again"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Reads what is known of which address.
    fn learn(&mut self, failed: Failed) -> Result<(), Error> {
        for line in lines(&self.path())? {
            let (line, _) = line?;
            self.sitemaps.extend(line.sitemaps.unwrap_or_default());
            let Some(address) = line.address else { continue };
            self.pages += u64::from(line.offset.is_some());
            let is_of_now = !self.is_ended && line.round == self.round;
            if !line.again || is_of_now || failed == Failed::Stay {
                self.known.insert(key(&address));
            }
        }
        Ok(())
    }

    /// The addresses that need not be asked for, for somebody who then knows them instead.
    pub(super) fn take_known(&mut self) -> HashSet<u128> {
        std::mem::take(&mut self.known)
    }

    /// Was this address, as [`normal`](super::normal) has it, asked for?
    pub fn knows(&self, normal: &str) -> bool {
        self.known.contains(&key(normal))
    }

    /// Were the addresses of this sitemap fetched, all of them?
    pub fn knows_sitemap(&self, url: &str) -> bool {
        self.sitemaps.contains(url)
    }

    /// Did the last round come to its end?
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// How many pages there are.
    pub fn count(&self) -> u64 {
        self.pages
    }

    fn writer_of(&self, round: u32) -> Result<Writer, Error> {
        let options = WarcWriterOptions {
            about: vec![("description".into(), "pages of a list of addresses".into())],
            ..WarcWriterOptions::default()
        };
        Writer::create(&self.folder, &prefix(round), options)
            .map_err(|error| Error::io(&self.folder, &error))
    }

    /// The archives of a folder, in the order in which they were written.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be read.
    pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let is_ours = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("pages-") && path.parent() == Some(folder)
        };
        let files = folder::files(folder, &["warc.gz"]).into_iter();
        let files: Vec<PathBuf> = files
            .collect::<Result<_, _>>()
            .map_err(|problem: Problem| Error::new(problem.to_string()))?;
        Ok(files.into_iter().filter(is_ours).collect())
    }

    /// The pages that are there, each with the address that was asked for.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be read.
    pub fn pages(&self, limits: Limits) -> Result<KeptPages, Error> {
        let files = Kept::files(&self.folder)?;
        let lines = lines(&self.path())?;
        Ok(KeptPages { source: Source::open(&files, limits), lines: Box::new(lines) })
    }

    /// Begins a round, if none is under way.
    fn begin(&mut self) -> Result<&mut Writer, Error> {
        if self.is_ended {
            (self.round, self.is_ended) = (self.round + 1, false);
            self.writer = None;
        }
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.writer_of(self.round)?,
        };
        Ok(self.writer.insert(writer))
    }

    /// Keeps a page; returns it as its archive has it.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn page(
        &mut self,
        address: &str,
        page: Response,
        when: SystemTime,
    ) -> Result<Arrival, Error> {
        let folder = self.folder.clone();
        let writer = self.begin()?;
        let written =
            writer.response(&page.exchange(when)).map_err(|error| Error::io(&folder, &error))?;
        let end = writer.position();
        self.note(Line {
            address: Some(address.to_owned()),
            date: Some(date(when)),
            offset: Some(written.offset),
            end,
            ..Line::default()
        })?;
        self.pages += 1;
        Ok(Arrival {
            id: Some(written.id),
            digest: Some(written.digest),
            file: written.file.into(),
            offset: written.offset,
            ..arrival(address, page, when)
        })
    }

    /// Notes that an address has no page.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub fn failed(&mut self, address: &str, why: &Missed) -> Result<(), Error> {
        let end = self.begin()?.position();
        self.note(Line {
            address: Some(address.to_owned()),
            date: Some(date(SystemTime::now())),
            failed: Some(why.reason.clone()),
            message: Some(why.message.clone()),
            again: why.is_temporary,
            end,
            ..Line::default()
        })
    }

    fn note(&mut self, line: Line) -> Result<(), Error> {
        let line = Line { round: self.round, ..line };
        if let Some(address) = &line.address {
            self.known.insert(key(address));
        }
        let path = self.path();
        let write = |journal: &mut File, line: &Line| -> io::Result<()> {
            let mut bytes = serde_json::to_vec(line)?;
            bytes.push(b'\n');
            let before = journal.metadata()?.len();
            journal.write_all(&bytes).inspect_err(|_| {
                // On a full disk there may be half a line; nothing shall stand behind it.
                let _ = journal.set_len(before);
            })
        };
        write(&mut self.journal, &line).map_err(|error| Error::io(&path, &error))?;
        self.unsynced += 1;
        if self.unsynced >= SYNC_AFTER { self.sync() } else { Ok(()) }
    }

    fn sync(&mut self) -> Result<(), Error> {
        let path = self.path();
        let sync = match &mut self.writer {
            Some(writer) => writer.sync(),
            None => Ok(()),
        };
        let sync = sync.and_then(|()| self.journal.sync_data());
        self.unsynced = 0;
        sync.map_err(|error| Error::io(&path, &error))
    }

    /// Ends the round: all addresses were asked for, also those of these sitemaps.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub fn end(&mut self, sitemaps: Vec<String>) -> Result<(), Error> {
        let is_new = sitemaps.iter().any(|sitemap| !self.sitemaps.contains(sitemap));
        if self.is_ended && !is_new {
            return Ok(());
        }
        let end = self.begin()?.position();
        self.sitemaps.extend(sitemaps.iter().cloned());
        self.note(Line { end, sitemaps: Some(sitemaps), ..Line::default() })?;
        self.is_ended = true;
        self.sync()
    }
}

/// An address without a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The name of the reason, for counting: `robots`, `status-404`, `no-page`.
    pub reason: String,
    /// What is wrong, without the address.
    pub message: String,
    /// It may be there another time, or with other settings.
    pub is_temporary: bool,
}

impl Missed {
    /// Why this address has no page. Where a redirect failed, the message says where it led.
    pub fn new(address: &str, failure: &Failure) -> Missed {
        let is_elsewhere = normal(address).is_ok_and(|normal| normal != failure.url());
        let message = match is_elsewhere {
            true => format!("{} ({})", failure.message(), failure.url()),
            false => failure.message().to_owned(),
        };
        let kind = failure.kind();
        // What settings forbid, others may allow.
        let is_by_settings = matches!(
            kind,
            FailureKind::Refused
                | FailureKind::Robots
                | FailureKind::TooLarge
                | FailureKind::TooManyRedirects
        );
        let is_temporary = failure.is_temporary() || is_by_settings;
        Missed { reason: kind.name(), message, is_temporary }
    }
}

/// A page that was fetched and is in no archive. It is called by the address that was asked for.
pub fn arrival(address: &str, page: Response, when: SystemTime) -> Arrival {
    Arrival {
        name: address.to_owned(),
        id: None,
        url: Some(page.url),
        fetched: Some(date(when)),
        status: Some(page.status),
        content_type: page.content_type,
        digest: None,
        file: Path::new("").into(),
        offset: 0,
        within: 0,
        truncated: page.truncated,
        bytes: page.body,
    }
}

fn date(when: SystemTime) -> String {
    let seconds = when.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    moment(i64::try_from(seconds).unwrap_or(i64::MAX))
}

/// See [`Kept::pages`].
pub struct KeptPages {
    source: Source,
    lines: Box<dyn Iterator<Item = Result<(Line, u64), Error>> + Send>,
}

impl Iterator for KeptPages {
    type Item = Result<(String, Arrival), Problem>;

    fn next(&mut self) -> Option<Result<(String, Arrival), Problem>> {
        let mut arrival = match self.source.next()? {
            Ok(arrival) => arrival,
            Err(problem) => return Some(Err(problem)),
        };
        let name = arrival.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_of = |line: &Line| {
            line.offset == Some(arrival.offset)
                && name.starts_with(&format!("{}-{:05}.", prefix(line.round), line.end.number))
        };
        // Lines stand in the order of the records.
        let address = self.lines.by_ref().find_map(|line| match line {
            Ok((line, _)) if is_of(&line) => line.address,
            _ => None,
        });
        let address = address.unwrap_or_else(|| arrival.name.clone());
        arrival.name.clone_from(&address);
        Some(Ok((address, arrival)))
    }
}

fn prefix(round: u32) -> String {
    format!("pages-{round:04}")
}

/// The round of an archive, and its number in it.
fn place_of(file: &Path) -> Option<(u32, u32)> {
    let name = file.file_name()?.to_str()?.strip_prefix("pages-")?;
    let (round, number) = name.split_once('.')?.0.split_once('-')?;
    Some((round.parse().ok()?, number.parse().ok()?))
}

/// The whole lines of a journal, each with where it ends. The first one that is none ends them.
fn lines(path: &Path) -> Result<impl Iterator<Item = Result<(Line, u64), Error>> + use<>, Error> {
    let path = path.to_owned();
    let file = File::open(&path).map_err(|error| Error::io(&path, &error))?;
    let mut reader = BufReader::new(file);
    let (mut bytes, mut end) = (Vec::new(), 0);
    Ok(std::iter::from_fn(move || {
        bytes.clear();
        match reader.read_until(b'\n', &mut bytes) {
            Ok(_) if !bytes.ends_with(b"\n") => None,
            Ok(size) => {
                end += size as u64;
                serde_json::from_slice(&bytes).ok().map(|line| Ok((line, end)))
            }
            Err(error) => Some(Err(Error::io(&path, &error))),
        }
    }))
}

fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(".lock");
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| Error::io(&path, &error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Error::at(folder, "another program is fetching into this folder; wait for it"))
        }
        // Some file systems have no locks; there, whoever starts two programs must know.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

#[cfg(test)]
mod tests;
