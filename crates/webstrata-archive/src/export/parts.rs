//! Long outputs in parts, and how far they have come.
//!
//! A part is written under another name, synced and then renamed; the state says what is behind it and is
//! replaced by renaming, too. Whatever happens to the program, there are whole parts and a state that
//! belongs to them or, for a moment, to all of them but the last, which is then written once more.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use flate2::GzBuilder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use webstrata_base::{make_folders, sync_folder, write_whole};

#[cfg(feature = "parquet")]
use super::Table;
#[cfg(feature = "parquet")]
use super::arrow::ArrowTable;
use super::{Column, Compression, Format, Made, Piece, digest};
use crate::record::PageRecord;

const STATE: &str = "state.json";

/// The version of the state's shape.
const VERSION: u32 = 1;

/// Levels at which lines cost little beside their extraction.
const ZSTD_LEVEL: i32 = 3;
const GZIP_LEVEL: u32 = 4;

/// Digits of the digest in the name of a part.
const DIGITS: usize = 12;

/// Bytes that are given to the system at once.
const BUFFER: usize = 1 << 18;

/// What is written, and out of what.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the parts go.
    pub folder: PathBuf,
    /// How they are written.
    pub format: Format,
    /// Bytes after which a part ends, before they are packed.
    pub size: u64,
    /// The columns of tables.
    pub columns: Vec<Column<PageRecord>>,
    /// Do the names of parts have a piece of the digest of their content?
    pub is_named_by_content: bool,
    /// All that the output depends on, by name: options, inputs, the program.
    pub settings: BTreeMap<String, String>,
}

/// Why parts cannot be written.
#[derive(Debug)]
pub enum PartsError {
    /// The folder holds what other settings made: what differs.
    OtherSettings(String),
    /// Something is wrong with a file.
    Io(io::Error),
}

impl fmt::Display for PartsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartsError::OtherSettings(what) => f.write_str(what),
            PartsError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PartsError {}

impl From<io::Error> for PartsError {
    fn from(error: io::Error) -> PartsError {
        PartsError::Io(error)
    }
}

/// The parts of an output, `part-00000.jsonl.zst` and so on, and beside them `state.json`.
pub struct Parts {
    plan: Plan,
    /// The names of the parts that are whole.
    names: Vec<String>,
    part: Option<Part>,
}

struct Part {
    path: PathBuf,
    encoder: Encoder,
    bytes: u64,
}

enum Encoder {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    Zstd(Box<zstd::Encoder<'static, BufWriter<File>>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<Table<BufWriter<File>>>),
    #[cfg(feature = "parquet")]
    Arrow(Box<ArrowTable<BufWriter<File>, PageRecord>>),
}

#[derive(Serialize, Deserialize)]
struct State<S> {
    version: u32,
    settings: BTreeMap<String, String>,
    /// Parts that are whole.
    parts: u32,
    /// Their names, if these are not just numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    state: S,
}

impl Parts {
    /// Begins an output, or goes on with one that the same settings began. Returns what was kept with
    /// the last whole part.
    pub fn open<S: DeserializeOwned>(plan: Plan) -> Result<(Parts, Option<S>), PartsError> {
        let folder = &plan.folder;
        make_folders(folder).map_err(|error| at(folder, &error))?;
        let path = folder.join(STATE);
        let kept: Option<State<S>> = match fs::read(&path) {
            Ok(bytes) => {
                let read = serde_json::from_slice(&bytes);
                let wrong = |error| PartsError::OtherSettings(format!("{STATE}: {error}"));
                Some(read.map_err(wrong)?)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(at(&path, &error).into()),
        };
        let mut parts = Parts { plan, names: Vec::new(), part: None };
        match &kept {
            Some(kept) => parts.check(kept.version, &kept.settings)?,
            None if parts.files(is_part)?.is_empty() => {}
            None => return Err(PartsError::OtherSettings("parts without a state".into())),
        }
        remove(&parts.files(is_left)?)?;
        let Some(kept) = kept else { return Ok((parts, None)) };
        parts.names = match kept.names.is_empty() {
            true => (0..kept.parts).map(|number| parts.name(number, None)).collect(),
            false => kept.names,
        };
        if parts.plan.is_named_by_content {
            // What is not in the state is written once more, and may have another name then.
            let names = &parts.names;
            let is_later = |name: &str| is_part(name) && !names.iter().any(|known| known == name);
            remove(&files(&parts.plan.folder, is_later)?)?;
        }
        Ok((parts, Some(kept.state)))
    }

    /// Deletes what an earlier run has written here.
    pub fn restart(folder: &Path) -> io::Result<()> {
        if !folder.exists() {
            return Ok(());
        }
        // The state first: parts without one are nobody's.
        let state = folder.join(STATE);
        if state.exists() {
            remove(&[state])?;
        }
        remove(&files(folder, |name| is_part(name) || is_left(name))?)
    }

    fn check(&self, version: u32, kept: &BTreeMap<String, String>) -> Result<(), PartsError> {
        if version != VERSION {
            let message = format!("{STATE} has version {version}, expected {VERSION}");
            return Err(PartsError::OtherSettings(message));
        }
        let ours = &self.plan.settings;
        let names = ours.keys().chain(kept.keys());
        let Some(name) = names.into_iter().find(|name| ours.get(*name) != kept.get(*name)) else {
            return Ok(());
        };
        let shown = |value: Option<&String>| match value {
            Some(value) if value.len() <= 80 => format!("`{value}`"),
            Some(_) => "another".into(),
            None => "not given".into(),
        };
        let (was, is) = (shown(kept.get(name)), shown(ours.get(name)));
        Err(PartsError::OtherSettings(format!("{name} was {was} and is now {is}")))
    }

    /// Goes on behind so many parts: for parts whose state is kept with that of others. Later ones are written again.
    ///
    /// # Errors
    ///
    /// Where a later part cannot be deleted.
    pub fn go_on_behind(&mut self, number: u32) -> io::Result<()> {
        while self.names.len() > number as usize {
            let Some(name) = self.names.pop() else { break };
            let path = self.plan.folder.join(name);
            if path.exists() {
                remove(&[path])?;
            }
        }
        Ok(())
    }

    /// The files of the parts that are whole.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.names.iter().map(|name| self.plan.folder.join(name))
    }

    fn name(&self, number: u32, digest: Option<&str>) -> String {
        let extension = self.plan.format.extension();
        match digest {
            Some(digest) => format!("part-{number:05}-{digest}.{extension}"),
            None => format!("part-{number:05}.{extension}"),
        }
    }

    /// How many parts are whole.
    pub fn count(&self) -> u32 {
        self.names.len() as u32
    }

    /// The same with the one that is being written.
    pub fn count_with_open(&self) -> u32 {
        self.count() + u32::from(self.part.is_some())
    }

    /// How records are written.
    pub fn format(&self) -> Format {
        self.plan.format
    }

    /// The columns of tables.
    pub fn columns(&self) -> &[Column<PageRecord>] {
        &self.plan.columns
    }

    /// Bytes after which a part ends.
    pub fn size(&self) -> u64 {
        self.plan.size
    }

    /// Has the part that is being written as many bytes as it should?
    pub fn is_full(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.bytes >= self.plan.size)
    }

    /// Adds a record to the part.
    pub fn write(&mut self, piece: Piece) -> io::Result<()> {
        let part = match &mut self.part {
            Some(part) => part,
            None => {
                let path = self.temporary();
                let part = Part::create(&path, &self.plan);
                self.part.insert(part.map_err(|error| at(&path, &error))?)
            }
        };
        part.bytes += piece.size() as u64;
        part.encoder.write(piece).map_err(|error| at(&part.path, &error))
    }

    /// Ends the part, if anything is in it, and keeps the state that belongs behind it.
    pub fn end<S: Serialize>(&mut self, state: &S) -> io::Result<()> {
        if let Some(part) = self.part.take() {
            let temporary = part.path.clone();
            let finish = || {
                part.encoder.finish()?.sync_all()?;
                let digest = match self.plan.is_named_by_content {
                    true => Some(digest(&temporary)?.0),
                    false => None,
                };
                let digits = digest.as_ref().and_then(|digest| digest.split(':').nth(1));
                let name = self.name(self.count(), digits.map(|digits| &digits[..DIGITS]));
                fs::rename(&temporary, self.plan.folder.join(&name))?;
                sync_folder(&self.plan.folder)?;
                Ok::<_, io::Error>(name)
            };
            let name = finish().map_err(|error| at(&temporary, &error))?;
            self.names.push(name);
        }
        let settings = self.plan.settings.clone();
        let names = if self.plan.is_named_by_content { self.names.clone() } else { Vec::new() };
        let state = State { version: VERSION, settings, parts: self.count(), names, state };
        let path = self.plan.folder.join(STATE);
        let mut bytes = serde_json::to_vec_pretty(&state).map_err(io::Error::other)?;
        bytes.push(b'\n');
        write_whole(&path, &bytes).map_err(io::Error::other)
    }

    /// Of this process: should two write here by mistake, one of them fails, and no part is of both.
    fn temporary(&self) -> PathBuf {
        let extension = self.plan.format.extension();
        let name = format!(".part-{:05}.{extension}.{}.part", self.count(), process::id());
        self.plan.folder.join(name)
    }

    fn files(&self, is_wanted: fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
        files(&self.plan.folder, is_wanted)
    }
}

impl Part {
    fn create(path: &Path, plan: &Plan) -> io::Result<Part> {
        let mut file = BufWriter::with_capacity(BUFFER, File::create(path)?);
        let head = plan.format.head(&plan.columns)?;
        let encoder = match (plan.format, plan.format.compression()) {
            #[cfg(feature = "parquet")]
            (Format::Parquet, _) => {
                Encoder::Parquet(Box::new(Table::with_columns(file, &plan.columns)?))
            }
            #[cfg(feature = "parquet")]
            (Format::Arrow, _) => Encoder::Arrow(Box::new(ArrowTable::new(file, &plan.columns)?)),
            #[cfg(not(feature = "parquet"))]
            (Format::Parquet | Format::Arrow, _) => {
                let why = "this build writes no Parquet and no Arrow; build it with the feature `parquet`";
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            (_, Compression::None) => {
                file.write_all(&head)?;
                Encoder::Plain(file)
            }
            (_, Compression::Gzip) => {
                // No time in the head: the same lines give the same bytes.
                let level = flate2::Compression::new(GZIP_LEVEL);
                let mut encoder = GzBuilder::new().write(file, level);
                encoder.write_all(&head)?;
                Encoder::Gzip(Box::new(encoder))
            }
            (_, Compression::Zstd) => {
                let mut encoder = zstd::Encoder::new(file, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                encoder.write_all(&head)?;
                Encoder::Zstd(Box::new(encoder))
            }
        };
        Ok(Part { path: path.to_owned(), encoder, bytes: 0 })
    }
}

impl Encoder {
    fn write(&mut self, piece: Piece) -> io::Result<()> {
        match (self, piece.0) {
            (Encoder::Plain(file), Made::Bytes(bytes)) => file.write_all(&bytes),
            (Encoder::Gzip(encoder), Made::Bytes(bytes)) => encoder.write_all(&bytes),
            (Encoder::Zstd(encoder), Made::Bytes(bytes)) => encoder.write_all(&bytes),
            #[cfg(feature = "parquet")]
            (Encoder::Parquet(table), Made::Row(row)) => table.write(*row),
            #[cfg(feature = "parquet")]
            (Encoder::Arrow(table), Made::Row(row)) => table.write(*row),
            _ => Err(io::Error::other("a record of another format than the part's")),
        }
    }

    fn finish(self) -> io::Result<File> {
        let file = match self {
            Encoder::Plain(file) => file,
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Zstd(encoder) => encoder.finish()?,
            #[cfg(feature = "parquet")]
            Encoder::Parquet(table) => table.finish()?,
            #[cfg(feature = "parquet")]
            Encoder::Arrow(table) => table.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

fn is_part(name: &str) -> bool {
    let rest = name.strip_prefix("part-").and_then(|rest| rest.split_once('.'));
    rest.is_some_and(|(number, extension)| {
        let (number, digest) = number.split_once('-').unwrap_or((number, ""));
        number.len() >= 5
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
            && Format::ALL.iter().any(|(_, known)| *known == extension)
    })
}

/// What a program that was killed has left behind.
fn is_left(name: &str) -> bool {
    let ours = [".part-", ".state.json.", ".summary.json.", ".manifest.json.", ".datacard.md."];
    ours.iter().any(|begin| name.starts_with(begin)) && name.ends_with(".part")
}

fn files(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| at(folder, &error))? {
        let entry = entry.map_err(|error| at(folder, &error))?;
        if entry.file_name().to_str().is_some_and(&is_wanted) {
            files.push(entry.path());
        }
    }
    Ok(files)
}

fn remove(files: &[PathBuf]) -> io::Result<()> {
    files.iter().try_for_each(|file| fs::remove_file(file).map_err(|error| at(file, &error)))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use webstrata::Record;

    use super::*;
    use crate::export::Row;
    use crate::record::Origin;

    fn plan(folder: &Path, format: Format) -> Plan {
        let settings = BTreeMap::from([("--words".to_owned(), "5".to_owned())]);
        let columns = PageRecord::COLUMNS.to_vec();
        let folder = folder.to_owned();
        Plan { folder, format, size: 1000, columns, is_named_by_content: false, settings }
    }

    fn piece(number: u32, format: Format) -> Piece {
        let document = webstrata::extract(b"<p>High water is at noon.").document;
        let record = Record::new(&document);
        let page = PageRecord::new(number.to_string(), record, &document, Origin::default());
        format.piece(page, PageRecord::COLUMNS).unwrap()
    }

    /// Writes numbers from where the state says on, a part every five, and stops before `stop` as if killed.
    fn run(folder: &Path, format: Format, stop: u32) {
        let (mut parts, kept) = Parts::open::<u32>(plan(folder, format)).unwrap();
        for number in kept.unwrap_or(0)..20 {
            if number % 5 == 0 {
                parts.end(&number).unwrap();
            }
            if number == stop {
                return;
            }
            parts.write(piece(number, format)).unwrap();
        }
        parts.end(&20).unwrap();
    }

    fn all(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let names = files(folder, |_| true).unwrap();
        let file = |path: PathBuf| {
            let bytes = fs::read(&path).unwrap();
            (path.strip_prefix(folder).unwrap().to_owned(), bytes)
        };
        names.into_iter().map(file).collect()
    }

    #[test]
    fn stopped_anywhere_and_begun_again() {
        let formats = [Format::Lines(Compression::Zstd), Format::Parquet];
        for format in formats.into_iter().filter(|format| format.is_built()) {
            let whole = tempfile::tempdir().unwrap();
            run(whole.path(), format, u32::MAX);
            assert_eq!(all(whole.path()).len(), 5);
            for stop in 0..20 {
                let folder = tempfile::tempdir().unwrap();
                run(folder.path(), format, stop);
                run(folder.path(), format, u32::MAX);
                assert_eq!(all(folder.path()), all(whole.path()), "{stop}");
            }
        }
    }

    #[test]
    fn stopped_between_a_part_and_its_state() {
        let format = Format::Lines(Compression::Gzip);
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), format, 11);
        let state = fs::read(folder.path().join(STATE)).unwrap();
        run(folder.path(), format, u32::MAX);
        let whole = all(folder.path());
        // Parts are there that the state knows nothing of.
        fs::write(folder.path().join(STATE), state).unwrap();
        run(folder.path(), format, u32::MAX);
        assert_eq!(all(folder.path()), whole);
    }

    #[test]
    fn other_settings() {
        let format = Format::Lines(Compression::None);
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), format, 7);
        let mut other = plan(folder.path(), format);
        other.settings.insert("--words".into(), "6".into());
        let error = Parts::open::<u32>(other.clone()).err().unwrap().to_string();
        assert_eq!(error, "--words was `5` and is now `6`");
        fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        Parts::restart(folder.path()).unwrap();
        assert_eq!(all(folder.path()).len(), 1, "what is not ours stays");
        assert!(Parts::open::<u32>(other).unwrap().1.is_none());
        fs::write(folder.path().join(STATE), "{").unwrap();
        assert!(Parts::open::<u32>(plan(folder.path(), format)).is_err());
    }
}
