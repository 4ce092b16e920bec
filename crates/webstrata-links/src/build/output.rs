//! A graph that is being written: beside the one that is there, if there is one, until it is complete.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use webstrata_report::Error;

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
    lock: Option<File>,
    is_new: bool,
    is_done: bool,
}

impl Output {
    /// A new graph in a folder that is empty or not there.
    pub(crate) fn create(folder: &Path) -> Result<Output, Error> {
        files::machine_fits(folder)?;
        let wrong = |error| Error::at(folder, error);
        let is_new = !folder.exists();
        if !is_new {
            if About::find(folder)?.is_some() {
                let message = "there is a graph already; add to it with --add, or remove it";
                return Err(Error::at(folder, message));
            }
            for entry in fs::read_dir(folder).map_err(wrong)? {
                let name = entry.map_err(wrong)?.file_name();
                if !is_ours(&name.to_string_lossy()) {
                    let name = name.to_string_lossy();
                    let message = format!("no graph, and not empty ({name}); name another folder");
                    return Err(Error::at(folder, message));
                }
            }
        }
        fs::create_dir_all(folder).map_err(wrong)?;
        Output::begin(folder, 1, is_new)
    }

    /// The next generation of the graph in a folder, and the graph as it is.
    pub(crate) fn add_to(folder: &Path) -> Result<(Output, Graph), Error> {
        // Opened twice: the first time for the sake of the message, the second time under the lock.
        let generation = Graph::open(folder)?.about().generation;
        let mut output = Output::begin(folder, generation.saturating_add(1), false)?;
        let graph = Graph::open(folder)?;
        let generation = graph.about().generation.saturating_add(1);
        if output.files.folder() != Files::new(folder, generation).folder() {
            let message = "another program has added to the graph just now; try again";
            output.is_done = true;
            return Err(Error::at(folder, message));
        }
        Ok((output, graph))
    }

    fn begin(folder: &Path, generation: u64, is_new: bool) -> Result<Output, Error> {
        let lock = lock(folder)?;
        let files = Files::new(folder, generation);
        // What a program that was killed has left.
        let current = files::folder_name(generation - 1);
        for entry in fs::read_dir(folder).map_err(|error| Error::at(folder, error))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("data-") && is_ours(&name) && name != current {
                fs::remove_dir_all(entry.path())
                    .map_err(|error| Error::at(&entry.path(), error))?;
            }
        }
        fs::create_dir_all(files.folder()).map_err(|error| Error::at(files.folder(), error))?;
        let (folder, kept) = (folder.to_owned(), BTreeMap::new());
        Ok(Output { folder, files, kept, lock: Some(lock), is_new, is_done: false })
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
        About { version: VERSION, generation, pages, hosts, links, rules, files: self.kept.clone() }
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
        Graph::open(&self.folder)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = fs::remove_dir_all(self.files.folder());
        }
        let _ = fs::remove_file(self.folder.join(LOCK));
        self.lock = None;
        if !self.is_done && self.is_new {
            // Only if it is empty.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

fn is_ours(name: &str) -> bool {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    name == LOCK || name.strip_prefix("data-").is_some_and(is_number)
}

fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|error| Error::at(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Error::at(folder, "another program is writing this graph; wait for it"))
        }
        // Some file systems have no locks; then there is nobody to wait for either.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}
