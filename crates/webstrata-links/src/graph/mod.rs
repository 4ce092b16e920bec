//! The web graph on disk, mapped into memory.
//!
//! A graph is a folder: `graph.json` tells what is in it and which sub-folder has the files of this generation. A
//! page is a pair of host and local number (3.2.1); neither changes when pages and hosts are added. Files are never
//! written to again: a batch that is added makes a new generation, and `graph.json` is replaced in one step.

pub mod about;
pub(crate) mod files;
pub(crate) mod map;
pub(crate) mod names;
pub(crate) mod rows;
pub mod stats;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use about::{About, Choice, LinkCounts, Naming, Rules, Wanted};
use webstrata_base::Error;

use self::files::Files;
use self::names::Names;
use self::rows::{ByStratum, Rows};
use crate::build::address;
use crate::links::{InLinks, Source, Stratum};

/// A page: its host and its number inside of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Page {
    /// The number of the host.
    pub host: u32,
    /// The number of the page among those of its host.
    pub local: u32,
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.local)
    }
}

/// A graph on disk. To read it costs no memory but that of the pages that the system keeps of its files.
#[derive(Debug)]
pub struct Graph {
    folder: PathBuf,
    about: About,
    rows: Rows,
    out_degrees: ByStratum,
    hosts: Option<Names>,
    pages: Option<Names>,
}

impl Graph {
    /// Opens the graph in a folder, also while somebody adds to it, and compares every file with its checksum.
    ///
    /// # Errors
    ///
    /// If it is none, of another version, or if a file is missing or not as it was written.
    pub fn open(folder: &Path) -> Result<Graph, Error> {
        loop {
            let graph = Graph::open_unverified(folder)?;
            let Err(error) = graph.verify() else { return Ok(graph) };
            // Whoever adds to a graph removes the files of the generation before, maybe just now.
            match About::find(folder)? {
                Some(now) if now.generation > graph.about.generation => {}
                _ => return Err(error),
            }
        }
    }

    /// The same without reading all of it: one byte that is wrong may then give other links and ranks, though never a
    /// panic.
    ///
    /// # Errors
    ///
    /// If it is none, of another version, or if a file is missing or has another length than it should have.
    pub fn open_unverified(folder: &Path) -> Result<Graph, Error> {
        files::machine_fits(folder)?;
        let Some(mut about) = About::find(folder)? else {
            let message = "no graph, that is, no folder with a graph.json; make one with: webstrata links build";
            return Err(Error::at(folder, message));
        };
        loop {
            let generation = about.generation;
            let error = match Graph::open_as(folder, about) {
                Ok(graph) => return Ok(graph),
                Err(error) => error,
            };
            // Whoever adds to a graph removes the files of the generation before, maybe just now.
            match About::find(folder)? {
                Some(now) if now.generation > generation => about = now,
                _ => return Err(error),
            }
        }
    }

    fn open_as(folder: &Path, about: About) -> Result<Graph, Error> {
        let files = Files::new(folder, about.generation);
        let rows = Rows::open(&files, &about)?;
        let out_degrees = rows::by_stratum(&files, &about, rows::OUT_DEGREES)?;
        let hosts = Names::open(&files, &about, &names::HOSTS)?;
        let pages = Names::open(&files, &about, &names::PAGES)?;
        let fit = |names: &Option<Names>, count: u64| {
            names.as_ref().is_none_or(|names| names.len() as u64 == count && names.is_whole())
        };
        let has_names = about.rules.names != Naming::Numbers;
        let is_whole = out_degrees.iter().flatten().all(|array| array.len() as u64 == about.pages)
            && fit(&hosts, about.hosts)
            && fit(&pages, about.pages)
            && (hosts.is_some(), pages.is_some()) == (has_names, has_names);
        if !is_whole {
            let message = "files of other lengths than graph.json says; build it anew";
            return Err(Error::at(folder, message));
        }
        Ok(Graph { folder: folder.to_owned(), about, rows, out_degrees, hosts, pages })
    }

    /// Compares every file with its checksum: reads all of the graph.
    ///
    /// # Errors
    ///
    /// Names the first file that is not as it was written.
    pub fn verify(&self) -> Result<(), Error> {
        let files = Files::new(&self.folder, self.about.generation);
        for (name, kept) in &self.about.files {
            let file = std::fs::File::open(files.folder().join(name));
            let sum = file.and_then(|file| files::checksum_of(&file));
            let same = sum.is_ok_and(|sum| sum == kept.xxh3);
            if !same {
                let path = files.folder().join(name);
                return Err(Error::at(&path, "not as it was written; build the graph anew"));
            }
        }
        Ok(())
    }

    /// Has somebody added to the graph since this was opened?
    pub fn has_grown(&self) -> bool {
        let now = About::find(&self.folder).ok().flatten();
        now.is_some_and(|now| now.generation > self.about.generation)
    }

    /// Values of the pages of an earlier generation, at their places in this one: no batch changes a page's host and
    /// number. Pages that are new have 0.
    pub(crate) fn carried(&self, earlier: &Graph, values: &[f32]) -> Vec<f32> {
        let mut here = vec![0.0; self.pages()];
        let (old, new) = (earlier.rows.starts(), self.rows.starts());
        for (from, to) in old.windows(2).zip(new.windows(2)) {
            let pages = (from[1] - from[0]).min(to[1] - to[0]);
            here[to[0]..to[0] + pages].copy_from_slice(&values[from[0]..from[0] + pages]);
        }
        here
    }

    /// The description of the graph: counts and rules.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The page at a position.
    pub fn page(&self, position: usize) -> Page {
        let host = self.host_of(position);
        let start = self.rows.starts().get(host).copied().unwrap_or_default();
        Page { host: host as u32, local: position.saturating_sub(start) as u32 }
    }

    /// Where a page is, if it is there.
    pub fn position(&self, page: Page) -> Option<usize> {
        let start = *self.rows.starts().get(page.host as usize)?;
        let end = *self.rows.starts().get(page.host as usize + 1)?;
        let position = start + page.local as usize;
        (position < end).then_some(position)
    }

    /// The number of the host of the page at a position.
    pub fn host_of(&self, position: usize) -> usize {
        self.rows.starts().partition_point(|start| *start <= position).saturating_sub(1)
    }

    /// A host's name. Empty in a graph that knows no hosts.
    pub fn host_name(&self, host: usize) -> String {
        let key = self.hosts.as_ref().map(|hosts| hosts.get(host)).unwrap_or_default();
        address::host_of_key(&String::from_utf8_lossy(key))
    }

    /// The number of a host by its name.
    pub fn find_host(&self, name: &str) -> Option<usize> {
        self.find_host_key(address::key_of_host(&name.to_ascii_lowercase()).as_bytes())
    }

    /// The address of the page at a position, its name, or its number in a graph of numbers.
    pub fn name(&self, position: usize) -> String {
        let Some(pages) = &self.pages else { return position.to_string() };
        let name = String::from_utf8_lossy(pages.get(position));
        match self.about.rules.names {
            Naming::Hosts | Naming::Domains => {
                address::url_of(&self.host_name(self.host_of(position)), &name)
            }
            Naming::Plain | Naming::Numbers => name.into_owned(),
        }
    }

    /// The position of the page with this address, name or number. Addresses are normalised as when a graph is built.
    pub fn find(&self, name: &str) -> Option<usize> {
        if self.pages.is_none() {
            return name.parse().ok().filter(|position| *position < self.pages());
        }
        let mut key = Vec::new();
        address::write_key(self.about.rules.names, name, &mut key).ok()?;
        let (host, name) = address::split_key(&key);
        let host = self.find_host_key(host)?;
        let local = self.find_in_host(host, name)?;
        Some(self.rows.starts()[host] + local)
    }

    pub(crate) fn size_of_host(&self, host: usize) -> usize {
        self.positions_of_host(host).len()
    }

    /// The positions of a host's pages; none if there is no such host.
    pub fn positions_of_host(&self, host: usize) -> Range<usize> {
        match self.rows.starts().get(host..host.saturating_add(2)) {
            Some(&[start, end]) => start..end,
            _ => 0..0,
        }
    }

    pub(crate) fn find_host_key(&self, key: &[u8]) -> Option<usize> {
        let hosts = self.hosts.as_ref()?;
        hosts.find(0..hosts.len(), key)
    }

    pub(crate) fn find_in_host(&self, host: usize, name: &[u8]) -> Option<usize> {
        let starts = self.rows.starts();
        self.pages.as_ref()?.find(*starts.get(host)?..*starts.get(host + 1)?, name)
    }

    pub(crate) fn host_names(&self) -> Option<&Names> {
        self.hosts.as_ref()
    }

    pub(crate) fn page_names(&self) -> Option<&Names> {
        self.pages.as_ref()
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }
}

impl InLinks for Graph {
    fn pages(&self) -> usize {
        self.about.pages as usize
    }

    fn hosts(&self) -> &[usize] {
        self.rows.starts()
    }

    fn out_degrees(&self, page: usize) -> [u32; Stratum::COUNT] {
        let degree = |array: &Option<map::Mapped<u32>>| {
            array.as_ref().and_then(|array| array.get(page)).copied().unwrap_or_default()
        };
        self.out_degrees.each_ref().map(degree)
    }

    fn links_before(&self, page: usize) -> u64 {
        if page >= self.pages() {
            return self.about.links.total();
        }
        self.rows.links_before(page)
    }

    fn read(&self, pages: Range<usize>, row: &mut dyn FnMut(usize, &[Source])) {
        let mut sources = Vec::new();
        self.rows.read(pages, |page, host, parts| {
            self.rows.sources(host, &parts, &mut sources);
            row(page, &sources);
        });
    }
}
