//! A graph that is being written: beside the one that is there, if there is one, until it is complete.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use webstrata_base::Error;

use crate::graph::about::{About, Kept, VERSION};
use crate::graph::files::{self, Files, Writer};
use crate::graph::{Graph, LinkCounts, Rules};

const LOCK: &str = "lock";

/// The next generation of a graph.
pub(crate) struct Output {
    folder: PathBuf,
    files: Files,
    kept: BTreeMap<String, Kept>,
    /// Held until the end: two programs that write the same graph would lose what one of them adds.
    _lock: File,
    is_done: bool,
}

impl Output {
    /// A new graph in a folder that is empty or not there.
    pub(crate) fn create(folder: &Path) -> Result<Output, Error> {
        files::machine_fits(folder)?;
        // Twice: before anything is put into a folder that is not ours, and when nobody else can write to it.
        check_is_free(folder)?;
        fs::create_dir_all(folder).map_err(|error| Error::io(folder, &error))?;
        let lock = lock(folder)?;
        check_is_free(folder)?;
        Output::begin(folder, lock, 0)
    }

    /// The next generation of the graph in a folder, and the graph as it is.
    pub(crate) fn add_to(folder: &Path) -> Result<(Output, Graph), Error> {
        // Twice, for the same reasons.
        Graph::open_unverified(folder)?;
        let lock = lock(folder)?;
        let graph = Graph::open_unverified(folder)?;
        let output = Output::begin(folder, lock, graph.about().generation)?;
        Ok((output, graph))
    }

    /// The generation after the current one, which nobody can replace while the lock is held.
    fn begin(folder: &Path, lock: File, current: u64) -> Result<Output, Error> {
        let Some(generation) = current.checked_add(1) else {
            return Err(Error::at(folder, "no generation can follow; build the graph anew"));
        };
        remove_left_overs(folder, &files::folder_name(current))?;
        let files = Files::new(folder, generation);
        fs::create_dir_all(files.folder()).map_err(|error| Error::io(files.folder(), &error))?;
        let (folder, kept) = (folder.to_owned(), BTreeMap::new());
        Ok(Output { folder, files, kept, _lock: lock, is_done: false })
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Where runs of a sort may lie until the graph is complete.
    pub(crate) fn sort_folder(&self) -> PathBuf {
        self.files.folder().join("sort")
    }

    /// A file is complete.
    pub(crate) fn keep(&mut self, writer: Writer) -> Result<Kept, Error> {
        let (name, kept) = writer.finish()?;
        self.kept.insert(name.to_owned(), kept);
        Ok(kept)
    }

    /// What the graph will say about itself, if it is complete now.
    pub(crate) fn about(&self, counts: (u64, u64), links: LinkCounts, rules: Rules) -> About {
        let (pages, hosts) = counts;
        let generation = self.generation();
        let files = self.kept.clone();
        About { version: VERSION, generation, pages, hosts, links, rules, files, xxh3: None }
    }

    fn generation(&self) -> u64 {
        self.files.generation()
    }

    /// The graph is complete: from now on, this is the one.
    pub(crate) fn finish(mut self, about: &About) -> Result<Graph, Error> {
        let _ = fs::remove_dir_all(self.sort_folder());
        about.write(&self.folder)?;
        self.is_done = true;
        let before = Files::new(&self.folder, about.generation - 1);
        // Whoever reads the old one still has its files open.
        let _ = fs::remove_dir_all(before.folder());
        Graph::open_unverified(&self.folder)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = fs::remove_dir_all(self.files.folder());
        }
    }
}

/// Is there neither a graph nor anything else?
fn check_is_free(folder: &Path) -> Result<(), Error> {
    if !folder.exists() {
        return Ok(());
    }
    if About::find(folder)?.is_some() {
        let message = "there is a graph already; add to it with --add, or remove it";
        return Err(Error::at(folder, message));
    }
    for name in names(folder)? {
        if !is_ours(&name) {
            let message = format!("no graph, and not empty ({name}); name another folder");
            return Err(Error::at(folder, message));
        }
    }
    Ok(())
}

/// Removes what a program that was killed has left.
fn remove_left_overs(folder: &Path, current: &str) -> Result<(), Error> {
    for name in names(folder)? {
        let path = folder.join(&name);
        let removed = match name.as_str() {
            name if is_data(name) && name != current => fs::remove_dir_all(&path),
            name if is_part(name) => fs::remove_file(&path),
            _ => continue,
        };
        removed.map_err(|error| Error::io(&path, &error))?;
    }
    Ok(())
}

fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|e| e.map(name)).collect());
    entries.map_err(|error| Error::io(folder, &error))
}

fn is_ours(name: &str) -> bool {
    name == LOCK || is_data(name) || is_part(name)
}

fn is_data(name: &str) -> bool {
    name.strip_prefix("data-").is_some_and(is_number)
}

/// A description that was not complete yet, as `write_whole` calls it.
fn is_part(name: &str) -> bool {
    let middle = name.strip_prefix(".graph.json.").and_then(|rest| rest.strip_suffix(".part"));
    let numbers = middle.and_then(|middle| middle.split_once('-'));
    numbers.is_some_and(|(process, call)| is_number(process) && is_number(call))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The file stays when the lock is given back: were it removed, one program could lock the removed file and another
/// one the next file of this name, and both would write.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK);
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| Error::io(&path, &error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Error::at(folder, "another program is writing this graph; wait for it"))
        }
        // Some file systems have no locks. There, nothing keeps two programs apart but whoever starts them; to
        // refuse would mean that no graph can be built there at all.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours() {
        for name in ["lock", "data-000001", ".graph.json.123-0.part"] {
            assert!(is_ours(name), "{name}");
        }
        for name in [
            "locks",
            "data-",
            "data-1a",
            ".graph.json.part",
            ".graph.json.1-.part",
            ".other.1-1.part",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }

    #[test]
    fn the_generation_is_read_under_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = lock(folder.path()).unwrap();
        assert!(Output::create(folder.path()).is_err());
        drop(lock);
        let first = Output::create(folder.path()).unwrap();
        assert_eq!(first.generation(), 1);
        drop(first);
        assert!(folder.path().join(LOCK).exists());
        assert!(!folder.path().join("data-000001").exists());
    }

    #[test]
    fn a_file_that_is_there_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::create(folder.path()).unwrap();
        let writer = output.files().create::<u8>("one").unwrap();
        assert!(output.files().create::<u8>("one").is_err());
        writer.discard().unwrap();
        assert!(output.files().create::<u8>("one").is_ok());
    }
}
