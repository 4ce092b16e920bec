//! Archives and other files of pages, and their pages one by one, from any place on.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use webstrata_archive::{
    Arrival, Columns, Cursor, InputKind, Limits, Problem, ProblemKind, Source, Statuses, folder,
};
use webstrata_base::steps::Key;

use webstrata_terminal::panics;

/// All archives that were named.
pub(crate) struct Archives {
    /// With how many bytes of all archives come before.
    files: Vec<(PathBuf, u64)>,
    bytes: u64,
    limits: Limits,
    statuses: Statuses,
    /// Are JSON lines with a `text` records?
    takes_records: bool,
    /// Are digests compared?
    is_verified: bool,
    /// Which columns of tables hold pages.
    columns: Columns,
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The number of its archive.
    archive: usize,
    #[serde(flatten)]
    cursor: Cursor,
}

impl Place {
    /// Where the archive of this number begins.
    pub(crate) fn of_archive(archive: usize) -> Place {
        Place { archive, cursor: Cursor::default() }
    }
}

/// A file that was read, as a state keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadFile {
    file: PathBuf,
    bytes: u64,
}

/// A page, or why there is none.
pub(crate) struct Item {
    pub(crate) page: Result<Arrival, Problem>,
    /// Where to begin so that this page comes first; behind a problem, there is no such place.
    pub(crate) place: Place,
}

impl Item {
    /// Tells the page from all others of these archives.
    pub(crate) fn key(&self) -> String {
        let Place { archive, cursor: Cursor { offset, within, .. } } = self.place;
        format!("{archive}:{offset}:{within}")
    }

    pub(crate) fn size(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.bytes.len())
    }
}

impl Archives {
    /// Finds the archives; those of directories sorted, at any depth. What is not there is an error before
    /// hours of work, not behind them.
    pub(crate) fn find(
        paths: &[PathBuf],
        limits: Limits,
        statuses: &Statuses,
        is_verified: bool,
    ) -> anyhow::Result<Archives> {
        let mut archives = Archives::none(limits, statuses.clone(), false);
        archives.is_verified = is_verified;
        for path in paths {
            if !path.is_dir() {
                archives.add(path)?;
                continue;
            }
            let files = folder::files(path, &InputKind::ARCHIVES);
            if files.is_empty() {
                let names = InputKind::ARCHIVES.join(", ");
                bail!("{}: no archives in it, that is, no files *.{{{names}}}", path.display());
            }
            for file in files {
                archives.add(&file?)?;
            }
        }
        Ok(archives)
    }

    /// The same of anything that a corpus is made of: pages, archives, and JSON lines of pages or records. A name may
    /// have one `*`, which stands for any characters; of folders, pages and archives are read.
    pub(crate) fn of_sources(paths: &[PathBuf], limits: Limits) -> anyhow::Result<Archives> {
        let mut all = Archives::none(limits, Statuses::default(), true);
        let extensions = [&InputKind::PAGES[..], &InputKind::ARCHIVES[..]].concat();
        for path in paths {
            if path.is_dir() {
                let files = folder::files(path, &extensions);
                if files.is_empty() {
                    let names = extensions.join(", ");
                    bail!("{}: no pages in it, that is, no files *.{{{names}}}", path.display());
                }
                for file in files {
                    all.push(&file?)?;
                }
                continue;
            }
            for file in starred(path)? {
                all.push(&file)?;
            }
        }
        Ok(all)
    }

    fn none(limits: Limits, statuses: Statuses, takes_records: bool) -> Archives {
        Archives {
            files: Vec::new(),
            bytes: 0,
            limits,
            statuses,
            takes_records,
            is_verified: false,
            columns: Columns::default(),
        }
    }

    /// The same with other columns of tables than one would guess.
    pub(crate) fn with_columns(self, columns: Columns) -> Archives {
        Archives { columns, ..self }
    }

    /// The files as a state keeps them.
    pub(crate) fn read_files(&self) -> Vec<ReadFile> {
        self.files().map(|(file, bytes)| ReadFile { file: file.to_owned(), bytes }).collect()
    }

    /// The same files behind those that an earlier run has read: in its order, also where they are no longer there.
    pub(crate) fn behind(mut self, earlier: &[ReadFile]) -> anyhow::Result<Archives> {
        let mut known: HashMap<PathBuf, u64> =
            self.files().map(|(file, bytes)| (file.to_owned(), bytes)).collect();
        for ReadFile { file, bytes } in earlier {
            if known.remove(file).is_some_and(|now| now != *bytes) {
                bail!(
                    "{}: has another length than when it was read; add new files, or use --restart",
                    file.display()
                );
            }
        }
        let new = self.read_files().into_iter().filter(|read| known.contains_key(&read.file));
        let all: Vec<ReadFile> = earlier.iter().cloned().chain(new).collect();
        (self.files, self.bytes) = (Vec::with_capacity(all.len()), 0);
        for ReadFile { file, bytes } in all {
            self.files.push((file, self.bytes));
            self.bytes += bytes;
        }
        Ok(self)
    }

    /// The files with their lengths.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, u64)> {
        let ends = self.files.iter().skip(1).map(|(_, before)| *before).chain([self.bytes]);
        self.files.iter().zip(ends).map(|((path, before), end)| (path.as_path(), end - before))
    }

    fn add(&mut self, path: &Path) -> anyhow::Result<()> {
        if InputKind::of(path) != InputKind::Archive {
            bail!(
                "{}: no web archive by its name; `webstrata extract` reads pages and JSON lines",
                path.display()
            );
        }
        self.push(path)
    }

    fn push(&mut self, path: &Path) -> anyhow::Result<()> {
        let length = fs::metadata(path).with_context(|| path.display().to_string())?.len();
        self.files.push((path.to_owned(), self.bytes));
        self.bytes += length;
        Ok(())
    }

    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    /// Of all archives.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes of all archives come before this.
    pub(crate) fn position(&self, item: &Item) -> u64 {
        let before = self.files.get(item.place.archive).map_or(0, |(_, before)| *before);
        before + item.place.cursor.offset
    }

    /// Tells these archives from others: their names and lengths.
    pub(crate) fn key(&self) -> String {
        let key = self.files.iter().fold(Key::new(), |key, (path, before)| {
            key.text(&path.to_string_lossy()).bytes(&before.to_le_bytes())
        });
        key.bytes(&self.bytes.to_le_bytes()).finish()
    }

    /// The pages from a place on. Can be asked for more than once: whoever wants to know all pages before the
    /// first is extracted goes through them twice.
    pub(crate) fn pages(&self, from: Place) -> Pages<'_> {
        Pages { archives: self, archive: from.archive, from: from.cursor, source: None }
    }
}

/// The files that a name with a `*` stands for, sorted; a name without one stands for itself.
fn starred(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some((before, behind)) = name.split_once('*') else { return Ok(vec![path.to_owned()]) };
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let found = entry?.file_name();
        let found = found.to_string_lossy();
        let is_long = found.len() >= before.len() + behind.len();
        if is_long && found.starts_with(before) && found.ends_with(behind) {
            files.push(path.with_file_name(&*found));
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("{}: no such files", path.display());
    }
    Ok(files)
}

/// See [`Archives::pages`].
pub(crate) struct Pages<'a> {
    archives: &'a Archives,
    archive: usize,
    /// Where the archive that is opened next begins.
    from: Cursor,
    source: Option<Source>,
}

impl Pages<'_> {
    fn open(&self, path: &PathBuf) -> Source {
        let limits = self.archives.limits;
        let source = match self.from {
            from if from == Cursor::default() => Source::open(slice::from_ref(path), limits),
            from => Source::resume(path, from, limits),
        };
        let source = source.with_statuses(self.archives.statuses.clone());
        let source = source.with_columns(self.archives.columns.clone());
        let source = if self.archives.takes_records { source.with_records() } else { source };
        if self.archives.is_verified { source.verified() } else { source }
    }
}

impl Iterator for Pages<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            let (path, _) = self.archives.files.get(self.archive)?;
            let mut source = self.source.take().unwrap_or_else(|| self.open(path));
            let archive = self.archive;
            match panics::caught(|| source.next()) {
                Ok(Some(page)) => {
                    let cursor = match &page {
                        Ok(page) => source.cursor(page),
                        Err(problem) => {
                            Cursor { offset: problem.offset.unwrap_or(0), ..Cursor::default() }
                        }
                    };
                    self.source = Some(source);
                    return Some(Item { page, place: Place { archive, cursor } });
                }
                Ok(None) => {}
                Err(message) => {
                    (self.archive, self.from) = (archive + 1, Cursor::default());
                    let page = Err(Problem::new(path.as_path(), ProblemKind::Internal, message));
                    return Some(Item { page, place: Place { archive, ..Place::default() } });
                }
            }
            (self.archive, self.from) = (archive + 1, Cursor::default());
        }
    }
}
