//! The state of a stream, in one file that survives `kill -9` and power cuts.
//!
//! A [`Store`] takes [`Change`]s in batches, each one transaction: all of it is on the disk when
//! [`Store::commit`] returns, or nothing is. Applying the same batch again gives the same store, so that a
//! batch that failed (the disk is full) can be tried again after [`Store::reopen`].
//!
//! Only one process at a time can open redb. To look at a running stream, read the status file that it
//! writes beside the store, see [`crate::pipeline`].

mod change;
mod error;
mod state;
mod tables;
#[cfg(test)]
pub(crate) mod tests;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::Duration;

use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata};
use serde::de::DeserializeOwned;

pub use change::Change;
use change::{forget, prepare, write};
pub use error::{Error, StoreErrorKind};
pub use state::{Counters, FeedState, Pending, Place, Position};
use tables::{COUNTERS, FEEDS, FORMAT, HISTORY, KEYS, META, PENDING, POSITIONS, QUEUE, VISITS};

use webstrata_base::{make_folders, sync_folder};
use webstrata_site::url_tree::Visit;

/// The file in the store's folder.
pub(crate) const FILE: &str = "store.redb";
/// Pages of the file that are held in memory. redb's own default is a gigabyte.
const CACHE: usize = 32 << 20;

/// Records that are looked at when the queue is trimmed.
const STEP: usize = 1000;

/// The numbers that come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextNumbers {
    /// Of the next record.
    pub sequence: u64,
    /// Of the next document in the URL Tree.
    pub serial: u64,
    /// Of the next item to fetch.
    pub pending: u64,
}

/// A record that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRecord {
    /// Its number.
    pub sequence: u64,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// A line of JSON, without the line break.
    pub record: Vec<u8>,
}

/// How long items and URL keys are remembered. Both are forgotten when they have not been seen for `age`;
/// where there are more than `entries` of them, the age is halved until they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Default 90 days.
    pub age: Duration,
    /// Of each kind, default 10 million: about a gigabyte of disk.
    pub entries: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { age: Duration::from_secs(90 * 24 * 3600), entries: 10_000_000 }
    }
}

type Opener = Box<dyn Fn(&redb::Builder) -> Result<Database, redb::DatabaseError> + Send + Sync>;

/// The store of a stream.
pub struct Store {
    path: PathBuf,
    open: Opener,
    /// `None` after the disk failed and until it is opened again.
    database: Option<Database>,
}

impl Store {
    /// Opens the store in a folder; makes both where they are missing.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        make_folders(folder).map_err(|error| Error::io(folder, &error))?;
        let path = folder.join(FILE);
        if !path.exists() {
            make(&path)?;
        }
        Store::open_existing(folder)
    }

    /// Opens the store in a folder, if there is one.
    pub fn open_existing(folder: &Path) -> Result<Store, Error> {
        let path = folder.join(FILE);
        if !path.exists() {
            let remedy = "no store here; `webstrata stream run --store` makes one";
            return Err(Error::new(StoreErrorKind::Damaged, folder, remedy));
        }
        let file = path.clone();
        Store::open_with(&path, Box::new(move |builder| builder.open(&file)))
    }

    /// Opens a store that lies elsewhere than in a file, as tests do; `path` is for messages.
    pub fn open_with(path: &Path, open: Opener) -> Result<Store, Error> {
        let mut store = Store { path: path.to_owned(), open, database: None };
        store.reopen()?;
        Ok(store)
    }

    /// Opens the file again. After a failure of the disk nothing else works.
    pub fn reopen(&mut self) -> Result<(), Error> {
        // The lock of the old one must be gone first.
        self.close();
        let database =
            guarded(&self.path, || Ok((self.open)(Database::builder().set_cache_size(CACHE))?))?;
        self.database = Some(database);
        self.check_format().inspect_err(|_| self.close())
    }

    /// Writes all changes, or none. They are on the disk when this returns.
    pub fn commit(&mut self, changes: &[Change]) -> Result<(), Error> {
        let written =
            self.database().and_then(|database| guarded(&self.path, || write(database, changes)));
        if written.is_err() {
            // redb refuses everything after a failed write, until it is opened again.
            self.close();
        }
        written
    }

    /// The numbers that come next.
    pub fn numbers(&self) -> Result<NextNumbers, Error> {
        self.read(|read| {
            let meta = read.open_table(META)?;
            let number = |name| -> Result<u64, redb::Error> {
                Ok(meta.get(name)?.map_or(1, |number| number.value()))
            };
            Ok(NextNumbers {
                sequence: number("sequence")?,
                serial: number("serial")?,
                pending: number("pending")?,
            })
        })
    }

    /// When this item was seen last, if ever.
    pub fn seen(&self, site: &str, hash: u128) -> Result<Option<i64>, Error> {
        self.read(|read| {
            let time = read.open_table(HISTORY)?.get((site, hash))?.map(|time| time.value());
            Ok(time)
        })
    }

    /// The record of the first page with this URL key.
    pub fn key(&self, hash: u128) -> Result<Option<u64>, Error> {
        self.read(|read| {
            let first = read.open_table(KEYS)?.get(hash)?.map(|first| first.value().0);
            Ok(first)
        })
    }

    /// The state of a feed.
    pub fn feed(&self, url: &str) -> Result<Option<FeedState>, Error> {
        let bytes = self.read(|read| {
            let bytes = read.open_table(FEEDS)?.get(url)?.map(|bytes| bytes.value().to_vec());
            Ok(bytes)
        })?;
        bytes.map(|bytes| self.parse(&bytes)).transpose()
    }

    /// Up to `most` items of a site that may be fetched now and that `skip` does not name, earliest first.
    pub fn due(
        &self,
        site: &str,
        now: i64,
        most: usize,
        skip: impl Fn(&Place) -> bool,
    ) -> Result<Vec<(Place, Pending)>, Error> {
        let found = self.read(|read| {
            let table = read.open_table(PENDING)?;
            let mut found = Vec::new();
            for entry in table.range((site, i64::MIN, 0)..=(site, now, u64::MAX))? {
                let (key, value) = entry?;
                let (site, not_before, number) = key.value();
                let place = Place { site: site.to_owned(), not_before, number };
                if found.len() == most {
                    break;
                }
                if !skip(&place) {
                    found.push((place, value.value().to_vec()));
                }
            }
            Ok(found)
        })?;
        found.into_iter().map(|(place, bytes)| Ok((place, self.parse(&bytes)?))).collect()
    }

    /// When the next item of a site may be fetched, that comes behind `now`.
    pub fn next_due(&self, site: &str, now: i64) -> Result<Option<i64>, Error> {
        self.read(|read| {
            let table = read.open_table(PENDING)?;
            let first = table
                .range((site, now.saturating_add(1), 0)..=(site, i64::MAX, u64::MAX))?
                .next()
                .transpose()?;
            Ok(first.map(|(key, _)| key.value().1))
        })
    }

    /// Up to `most` items of a site that may be fetched only behind `time`.
    pub fn late(&self, site: &str, time: i64, most: usize) -> Result<Vec<(Place, Pending)>, Error> {
        let found = self.read(|read| {
            let table = read.open_table(PENDING)?;
            let range =
                table.range((site, time.saturating_add(1), 0)..=(site, i64::MAX, u64::MAX))?;
            let mut found = Vec::new();
            for entry in range.take(most) {
                let (key, value) = entry?;
                let (site, not_before, number) = key.value();
                let place = Place { site: site.to_owned(), not_before, number };
                found.push((place, value.value().to_vec()));
            }
            Ok(found)
        })?;
        found.into_iter().map(|(place, bytes)| Ok((place, self.parse(&bytes)?))).collect()
    }

    /// How many items of a site wait.
    pub fn waiting(&self, site: &str) -> Result<u64, Error> {
        self.read(|read| {
            let table = read.open_table(PENDING)?;
            let range = table.range((site, i64::MIN, 0)..=(site, i64::MAX, u64::MAX))?;
            range.map(|entry| entry.map(|_| 1).map_err(redb::Error::from)).sum()
        })
    }

    /// The documents of the URL Tree in the order of their insertion, one by one.
    pub fn visits(&self, mut each: impl FnMut(u64, Visit)) -> Result<(), Error> {
        let wrong = self.read(|read| {
            for entry in read.open_table(VISITS)?.iter()? {
                let (serial, bytes) = entry?;
                match Visit::from_bytes(bytes.value()) {
                    Ok(visit) => each(serial.value(), visit),
                    Err(_) => return Ok(Some(serial.value())),
                }
            }
            Ok(None)
        })?;
        match wrong {
            None => Ok(()),
            Some(serial) => Err(Error::damaged(&self.path, format_args!("visit {serial}"))),
        }
    }

    /// Records from a number on, so many or so many bytes at most, but one at least.
    pub fn records(&self, from: u64, most: usize, bytes: usize) -> Result<Vec<KeptRecord>, Error> {
        self.read(|read| {
            let (mut kept, mut size) = (Vec::new(), 0);
            for entry in read.open_table(QUEUE)?.range(from..)? {
                let (sequence, value) = entry?;
                let (time, record) = value.value();
                size += record.len();
                if kept.len() == most || (size > bytes && !kept.is_empty()) {
                    break;
                }
                kept.push(KeptRecord { sequence: sequence.value(), time, record: record.to_vec() });
            }
            Ok(kept)
        })
    }

    /// The number of the first record that is kept and is not older than `time`, at most `end`. No more than
    /// a thousand are looked at, so that trimming goes by small steps; `false` if that was not enough.
    pub fn first_since(&self, time: i64, end: u64) -> Result<(u64, bool), Error> {
        self.read(|read| {
            for (count, entry) in read.open_table(QUEUE)?.range(..end)?.enumerate() {
                let (sequence, value) = entry?;
                let first = sequence.value();
                if value.value().0 >= time {
                    return Ok((first, true));
                }
                if count == STEP {
                    return Ok((first, false));
                }
            }
            Ok((end, true))
        })
    }

    /// How many records are kept.
    pub fn kept(&self) -> Result<u64, Error> {
        self.read(|read| Ok(read.open_table(QUEUE)?.len()?))
    }

    /// The position of an output.
    pub fn position(&self, name: &str) -> Result<Option<Position>, Error> {
        Ok(self.positions()?.into_iter().find(|(known, _)| known == name).map(|(_, at)| at))
    }

    /// How far each output is that there ever was.
    pub fn positions(&self) -> Result<Vec<(String, Position)>, Error> {
        let all = self.read(|read| texts(&read.open_table(POSITIONS)?))?;
        all.into_iter().map(|(name, bytes)| Ok((name, self.parse(&bytes)?))).collect()
    }

    /// What was counted, by site.
    pub fn counters(&self) -> Result<Vec<(String, Counters)>, Error> {
        let all = self.read(|read| texts(&read.open_table(COUNTERS)?))?;
        all.into_iter().map(|(site, bytes)| Ok((site, self.parse(&bytes)?))).collect()
    }

    /// Forgets items and URL keys that were not seen for long. Reads all of them. Time passes here by half a
    /// day at most from one call to the next, so that a clock that jumps ahead does not take all with it.
    pub fn forget(&mut self, retention: Retention, now: i64) -> Result<(), Error> {
        let forgot = self
            .database()
            .and_then(|database| guarded(&self.path, || forget(database, retention, now)));
        if forgot.is_err() {
            self.close();
        }
        forgot
    }

    /// The folder that the store lies in.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Another file in its folder cannot be used.
    pub(crate) fn unusable(&self, error: &webstrata_base::Error) -> Error {
        Error::new(StoreErrorKind::Disk, self.folder(), error)
    }

    /// Another thing on the same disk failed.
    pub(crate) fn failed(&self, place: &str, error: &std::io::Error) -> Error {
        let place = place.split_once(':').map_or(place, |(_, path)| path);
        Error::io(Path::new(place), error)
    }

    /// redb writes once more where it closes, and some kinds of damage make it panic there. What was committed is safe by
    /// then, so there is nothing to say.
    fn close(&mut self) {
        let database = self.database.take();
        let _ = panic::catch_unwind(AssertUnwindSafe(|| drop(database)));
    }

    fn database(&self) -> Result<&Database, Error> {
        self.database.as_ref().ok_or_else(|| Error::of(&self.path, redb::Error::PreviousIo))
    }

    fn read<T>(
        &self,
        look: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, Error> {
        let database = self.database()?;
        guarded(&self.path, || look(&database.begin_read()?))
    }

    fn parse<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(bytes).map_err(|error| Error::damaged(&self.path, error))
    }

    fn check_format(&self) -> Result<(), Error> {
        let written = self.read(|read| match read.open_table(META) {
            Ok(meta) => Ok(meta.get("format")?.map(|format| format.value())),
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        })?;
        match written {
            Some(FORMAT) => Ok(()),
            None => self.database().and_then(|database| guarded(&self.path, || prepare(database))),
            Some(other) => {
                let age = if other > FORMAT { "newer" } else { "older" };
                let message = format_args!(
                    "store of format {other}, made by a {age} release, this one has {FORMAT}; use that release, or another --store"
                );
                Err(Error::new(StoreErrorKind::Format, &self.path, message))
            }
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

/// Some kinds of damage make redb panic where others make it fail: both are a message.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, Error> {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| Error::of(path, error)),
        Err(_) => Err(Error::damaged(path, "its pages contradict each other")),
    }
}

/// Makes a store under another name first: a half-made file never gets the store's name.
fn make(path: &Path) -> Result<(), Error> {
    let half = path.with_extension("redb.new");
    let made = || -> Result<(), Error> {
        let _ = fs::remove_file(&half);
        let database = Database::builder().create(&half);
        let database = database.map_err(|error| Error::of(&half, error.into()))?;
        prepare(&database).map_err(|error| Error::of(&half, error))
    };
    made()?;
    let named = fs::rename(&half, path).and_then(|()| sync_folder(path.parent().unwrap_or(path)));
    named.map_err(|error| Error::io(path, &error))
}

fn texts(
    table: &redb::ReadOnlyTable<&'static str, &'static [u8]>,
) -> Result<Vec<(String, Vec<u8>)>, redb::Error> {
    let mut all = Vec::new();
    for entry in table.iter()? {
        let (name, bytes) = entry?;
        all.push((name.value().to_owned(), bytes.value().to_vec()));
    }
    Ok(all)
}
