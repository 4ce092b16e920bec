//! Records into files of a folder, each exactly once, even after a kill.
//!
//! A file is called after the day and the first record in it, `2026-11-15-000000000042.jsonl`, so that the
//! same records make the same files however often the run was stopped. What lies behind the committed
//! position was written by a run that was killed before it could commit: it is cut off and written anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use webstrata_base::{make_folders, sync_folder};

use super::{Failed, Sink};
use crate::calendar::day;
use crate::store::{KeptRecord, Position};

/// How files are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// A gzip member for each delivery.
    Gzip,
    /// A Zstandard frame for each delivery.
    Zstd,
}

impl Compression {
    fn extension(self) -> &'static str {
        match self {
            Compression::None => "jsonl",
            Compression::Gzip => "jsonl.gz",
            Compression::Zstd => "jsonl.zst",
        }
    }

    /// The bytes packed so that they can be unpacked behind others.
    fn pack(self, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Compression::None => Ok(bytes),
            Compression::Gzip => {
                let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::default());
                gzip.write_all(&bytes)?;
                gzip.finish()
            }
            Compression::Zstd => zstd::bulk::compress(&bytes, 3),
        }
    }
}

/// When a file ends, and how it is packed. It also ends with the day (UTC) of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSettings {
    /// Bytes behind which a new file begins, default 256 MiB.
    pub size: u64,
    /// Default none.
    pub compression: Compression,
}

impl Default for FileSettings {
    fn default() -> FileSettings {
        FileSettings { size: 256 << 20, compression: Compression::None }
    }
}

/// What the sink asks of a file: a test can say that the disk is full.
trait Target: Write + Send {
    fn length(&self) -> io::Result<u64>;
    /// Cuts it to this length; writing goes on there.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

type Open = Box<dyn Fn(&Path) -> io::Result<Box<dyn Target>> + Send>;

/// The file that is being written.
struct Current {
    name: String,
    file: Box<dyn Target>,
    length: u64,
}

/// Lines of JSON in the files of a folder.
pub struct Files {
    /// As no link and no working directory can change it: the store knows it by this name.
    folder: PathBuf,
    settings: FileSettings,
    open: Open,
    current: Option<Current>,
}

impl Files {
    /// Files of this folder, which is made where it is missing.
    pub fn new(folder: &Path, settings: FileSettings) -> io::Result<Files> {
        // What is not there has no name yet that stays the same.
        make_folders(folder)?;
        let folder = fs::canonicalize(folder)?;
        Ok(Files { folder, settings, open: Box::new(open), current: None })
    }

    fn try_deliver(&mut self, position: &Position, records: &[KeptRecord]) -> io::Result<Position> {
        let mut position = position.clone();
        // Numbers have no gaps, so that the next one can be counted.
        position.next = records.first().map_or(position.next, |first| first.sequence);
        let mut rest = records;
        while let Some(first) = rest.first() {
            self.open_file_for(&mut position, first)?;
            let room = self.settings.size.saturating_sub(position.offset);
            let (lines, count) = lines(rest, room);
            let packed = self.settings.compression.pack(lines)?;
            position.offset += packed.len() as u64;
            if let Some(current) = &mut self.current {
                current.file.write_all(&packed)?;
                current.file.sync()?;
                current.length = position.offset;
            }
            position.next += count as u64;
            rest = &rest[count..];
        }
        Ok(position)
    }

    /// Makes the file that this record belongs into the current one, as long as the position says.
    fn open_file_for(&mut self, position: &mut Position, first: &KeptRecord) -> io::Result<()> {
        if let Some(name) =
            position.file.clone().filter(|name| self.belongs_to(name, position, first))
        {
            let is_current = |it: &Current| it.name == name && it.length == position.offset;
            if self.current.as_ref().is_some_and(is_current) {
                return Ok(());
            }
            let path = self.folder.join(&name);
            // Whoever took the file away has what is in it; a shorter one is not ours to mend.
            if path.exists() {
                let mut file = (self.open)(&path)?;
                if file.length()? >= position.offset {
                    file.cut(position.offset)?;
                    self.current = Some(Current { name, file, length: position.offset });
                    return Ok(());
                }
            }
        }
        let extension = self.settings.compression.extension();
        let name = format!("{}-{:012}.{extension}", day(first.time), first.sequence);
        let mut file = (self.open)(&self.folder.join(&name))?;
        file.cut(0)?;
        sync_folder(&self.folder)?;
        self.current = Some(Current { name: name.clone(), file, length: 0 });
        (position.file, position.offset) = (Some(name), 0);
        Ok(())
    }

    /// Does the record belong into this file?
    fn belongs_to(&self, name: &str, position: &Position, first: &KeptRecord) -> bool {
        let (begun, extension) = name.split_once('.').unwrap_or_default();
        position.offset < self.settings.size
            && begun.starts_with(&day(first.time))
            && extension == self.settings.compression.extension()
    }

    /// The files of records in the folder, each with its first record.
    fn written(&self) -> io::Result<Vec<(String, u64)>> {
        let mut written = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            written.extend(first_record(&name).map(|first| (name, first)));
        }
        Ok(written)
    }

    /// Removes files of records that were never committed.
    fn remove_orphans(&self, position: &Position) -> io::Result<()> {
        for (name, first) in self.written()? {
            if first >= position.next && position.file.as_ref() != Some(&name) {
                fs::remove_file(self.folder.join(&name))?;
            }
        }
        Ok(())
    }
}

impl Sink for Files {
    fn name(&self) -> String {
        format!("files:{}", self.folder.display())
    }

    fn is_at(&self, position: &Position) -> bool {
        let Some(name) = &position.file else { return false };
        let length = fs::metadata(self.folder.join(name)).map(|file| file.len());
        length.is_ok_and(|length| length >= position.offset)
    }

    fn begin(&mut self, known: Option<&Position>) -> Result<(), Failed> {
        let failed = |error| Failed::new(self.folder.display(), error);
        let Some(position) = known else {
            if self.written().map_err(failed)?.is_empty() {
                return Ok(());
            }
            let message = "has records of another store, or of this one before it was moved; \
                           move these files away, or choose another folder with --out";
            return Err(Failed::new(self.folder.display(), message));
        };
        self.remove_orphans(position).map_err(failed)
    }

    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed> {
        self.try_deliver(position, records).map_err(|error| {
            // The next attempt begins with cutting back what this one left.
            self.current = None;
            Failed::new(self.folder.display(), error)
        })
    }
}

/// The lines of the first records, of one day and as many as there is room for before they are packed, but
/// one at least; and how many they are.
fn lines(records: &[KeptRecord], room: u64) -> (Vec<u8>, usize) {
    let mut lines = Vec::new();
    let mut count = 0;
    for kept in records {
        let fits = (lines.len() as u64) < room && day(kept.time) == day(records[0].time);
        if count > 0 && !fits {
            break;
        }
        lines.extend_from_slice(&kept.record);
        lines.push(b'\n');
        count += 1;
    }
    (lines, count)
}

/// The number of the first record in a file of ours, by its name: `2026-11-15-000000000042.jsonl`.
fn first_record(name: &str) -> Option<u64> {
    let (begun, extension) = name.split_once('.')?;
    let ours = [Compression::None, Compression::Gzip, Compression::Zstd];
    ours.iter().find(|packing| packing.extension() == extension)?;
    let (day, number) = begun.split_at_checked(10)?;
    let is_day = day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let number = number.strip_prefix('-')?;
    (is_day && number.len() >= 12).then(|| number.parse().ok())?
}

fn open(path: &Path) -> io::Result<Box<dyn Target>> {
    let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    Ok(Box::new(file))
}

impl Target for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        // It is open for appending: writing goes on at the end, wherever that is.
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

#[cfg(test)]
mod tests;
