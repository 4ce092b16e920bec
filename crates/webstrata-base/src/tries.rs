//! Work that may kill the process: what was under way when a process died, and what is not tried a third time.
//!
//! A page may take more memory than there is, or meet a bug that aborts. A program that begins anew with the same page
//! would die again, for ever. [`Tries`] writes down in a file what is under way. What was under way when the process
//! died is tried once more, and then alone: if the process dies again, it was this one, and it is set aside.
//!
//! The file is not synced: it survives the death of the process, which is enough. A machine that loses its power tells
//! nothing about a page.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::error::Error;
use crate::files::write_whole;

/// Bytes of the file for each name that is under way. Longer names are cut.
const SLOT: usize = 64;
/// How often a process may die of a name before it is set aside.
const MOST_DEATHS: u32 = 2;
/// Names that are remembered; a folder that is killed more often forgets some.
const MOST_NAMES: usize = 10_000;

/// What is under way, and how often the process died of it.
///
/// ```
/// use webstrata_base::Tries;
///
/// let folder = std::env::temp_dir().join(format!("tries-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).unwrap();
/// let tries = Tries::open(&folder, "under-way").unwrap();
/// assert_eq!(tries.run("page 7", 5_000_000, || 1 + 1), Some(2));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
#[derive(Debug)]
pub struct Tries {
    slots: Mutex<Slots>,
    deaths: Mutex<BTreeMap<String, u32>>,
    deaths_path: PathBuf,
    /// What the process died of before is tried alone: others are not under way then.
    gate: RwLock<()>,
}

#[derive(Debug)]
struct Slots {
    file: File,
    is_used: Vec<bool>,
}

impl Tries {
    /// Bytes from which on work is watched: a megabyte.
    pub const LEAST_BYTES: usize = 1_000_000;

    /// Opens the file of this name in a folder, and counts what an earlier process has left in it. One process at a
    /// time may do so.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn open(folder: &Path, name: &str) -> Result<Tries, Error> {
        let (path, deaths_path) = (folder.join(name), folder.join(format!("{name}.deaths")));
        let left = fs::read(&path).unwrap_or_default();
        let mut deaths = read_deaths(&deaths_path);
        let left: Vec<String> = left.chunks(SLOT).filter_map(name_of).collect();
        for name in &left {
            *deaths.entry(name.clone()).or_default() += 1;
        }
        while deaths.len() > MOST_NAMES {
            deaths.pop_first();
        }
        if !left.is_empty() {
            write_deaths(&deaths_path, &deaths)?;
        }
        // Only now: whoever is killed between the two counts once too often, not never.
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(|error| Error::io(&path, &error))?;
        let slots = Mutex::new(Slots { file, is_used: Vec::new() });
        Ok(Tries { slots, deaths: Mutex::new(deaths), deaths_path, gate: RwLock::new(()) })
    }

    /// Does the work on so many bytes under this name; `None` if the process has died of it twice already. Work on less
    /// than [`Tries::LEAST_BYTES`] is not watched: it cannot take much, and processes are also killed from outside.
    pub fn run<T>(&self, name: &str, bytes: usize, work: impl FnOnce() -> T) -> Option<T> {
        if bytes < Tries::LEAST_BYTES {
            return Some(work());
        }
        let name = cut(name);
        let deaths = locked(&self.deaths).get(name).copied().unwrap_or(0);
        match deaths {
            0 => {
                let _with_others = self.gate.read().unwrap_or_else(PoisonError::into_inner);
                let _slot = Slot::take(self, name);
                Some(work())
            }
            MOST_DEATHS.. => None,
            _ => {
                let _alone = self.gate.write().unwrap_or_else(PoisonError::into_inner);
                let slot = Slot::take(self, name);
                let done = work();
                drop(slot);
                Some(done)
            }
        }
    }

    /// All is done: nothing is under way any more. What was set aside stays known.
    pub fn finish(self) {
        let Tries { slots, deaths, deaths_path, .. } = self;
        drop(slots);
        let _ = fs::remove_file(deaths_path.with_extension(""));
        if deaths.into_inner().unwrap_or_else(PoisonError::into_inner).is_empty() {
            let _ = fs::remove_file(deaths_path);
        }
    }

    /// Forgets what an earlier process has left in a folder.
    pub fn forget(folder: &Path, name: &str) {
        let _ = fs::remove_file(folder.join(name));
        let _ = fs::remove_file(folder.join(format!("{name}.deaths")));
    }

    /// This name is done for good, and not under suspicion any more.
    pub fn done(&self, name: &str) {
        let mut deaths = locked(&self.deaths);
        if deaths.remove(cut(name)).is_some() {
            // If the disk is full, the name is tried alone once more, if ever.
            let _ = write_deaths(&self.deaths_path, &deaths);
        }
    }
}

/// A name that is under way, until this is dropped.
struct Slot<'a> {
    tries: &'a Tries,
    index: usize,
}

impl Slot<'_> {
    fn take<'a>(tries: &'a Tries, name: &str) -> Slot<'a> {
        let mut slots = locked(&tries.slots);
        let free = slots.is_used.iter().position(|is_used| !is_used);
        let index = free.unwrap_or(slots.is_used.len());
        if index == slots.is_used.len() {
            slots.is_used.push(true);
        }
        slots.is_used[index] = true;
        slots.write(index, name);
        Slot { tries, index }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut slots = locked(&self.tries.slots);
        slots.is_used[self.index] = false;
        slots.write(self.index, "");
    }
}

impl Slots {
    fn write(&mut self, index: usize, name: &str) {
        let mut bytes = [b' '; SLOT];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytes[SLOT - 1] = b'\n';
        let mut write = || -> io::Result<()> {
            self.file.seek(SeekFrom::Start((index * SLOT) as u64))?;
            self.file.write_all(&bytes)
        };
        // Where this fails, the work goes on as if nobody watched it.
        let _ = write();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cut(name: &str) -> &str {
    let end = (0..SLOT.min(name.len() + 1)).rev().find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

fn name_of(slot: &[u8]) -> Option<String> {
    let name = str::from_utf8(slot).ok()?.trim_end();
    (!name.is_empty() && slot.len() == SLOT).then(|| name.to_owned())
}

fn read_deaths(path: &Path) -> BTreeMap<String, u32> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| {
        let (count, name) = line.split_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

fn write_deaths(path: &Path, deaths: &BTreeMap<String, u32>) -> Result<(), Error> {
    let lines: String = deaths.iter().map(|(name, count)| format!("{count} {name}\n")).collect();
    write_whole(path, lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::panic::{self, AssertUnwindSafe};

    use super::*;

    const LARGE: usize = Tries::LEAST_BYTES;

    /// A process that dies at this name.
    fn die(folder: &Path, name: &str) -> bool {
        let tries = Tries::open(folder, "under-way").unwrap();
        // The file as it is when the process ends here.
        let mut left = Vec::new();
        let ran = tries.run(name, LARGE, || left = fs::read(folder.join("under-way")).unwrap());
        drop(tries);
        if ran.is_some() {
            fs::write(folder.join("under-way"), left).unwrap();
        }
        ran.is_some()
    }

    #[test]
    fn what_kills_twice_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        assert!(die(folder.path(), "page 7"));
        assert!(die(folder.path(), "page 7"));
        assert!(!die(folder.path(), "page 7"));
        assert!(!die(folder.path(), "page 7"));
        assert!(die(folder.path(), "page 8"));
    }

    #[test]
    fn small_work_is_not_watched() {
        let folder = tempfile::tempdir().unwrap();
        let tries = Tries::open(folder.path(), "under-way").unwrap();
        tries.run("page 7", LARGE - 1, || {
            assert!(fs::read(folder.path().join("under-way")).unwrap().is_empty());
        });
    }

    #[test]
    fn what_ends_is_not_under_suspicion() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..5 {
            let tries = Tries::open(folder.path(), "under-way").unwrap();
            assert_eq!(tries.run("page 7", LARGE, || 1), Some(1));
            let ended =
                panic::catch_unwind(AssertUnwindSafe(|| tries.run("page 7", LARGE, || panic!())));
            assert!(ended.is_err());
        }
        for _ in 0..5 {
            assert!(die(folder.path(), "page 7"));
            let tries = Tries::open(folder.path(), "under-way").unwrap();
            assert_eq!(tries.run("page 7", LARGE, || 1), Some(1));
            tries.done("page 7");
        }
    }

    #[test]
    fn nothing_is_left_of_what_ended_well() {
        let folder = tempfile::tempdir().unwrap();
        let tries = Tries::open(folder.path(), "under-way").unwrap();
        tries.run("page 7", LARGE, || ());
        tries.finish();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(die(folder.path(), "page 7") && die(folder.path(), "page 7"));
        Tries::forget(folder.path(), "under-way");
        assert!(die(folder.path(), "page 7"), "it has another chance");
    }

    #[test]
    fn a_suspect_is_tried_alone() {
        let folder = tempfile::tempdir().unwrap();
        die(folder.path(), "suspect");
        let tries = Tries::open(folder.path(), "under-way").unwrap();
        tries.run("suspect", LARGE, || {
            assert!(tries.gate.try_read().is_err());
            let left = fs::read_to_string(folder.path().join("under-way")).unwrap();
            assert_eq!(left.split_whitespace().collect::<Vec<_>>(), ["suspect"]);
        });
        tries.run("another", LARGE, || assert!(tries.gate.try_read().is_ok()));
    }

    #[test]
    fn names_of_any_length() {
        let folder = tempfile::tempdir().unwrap();
        let long = "ü".repeat(99);
        assert!(die(folder.path(), &long) && die(folder.path(), &long));
        assert!(!die(folder.path(), &long));
        let none = Tries::open(&folder.path().join("missing"), "under-way");
        assert!(none.is_err());
    }
}
