//! Where records go: parts, or a file for each page; and beside them what was dropped, and what a later run must know.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use webstrata_archive::export::{
    Compression, Format, Parts, PartsError, Piece, Plan, Row, read_back,
};
use webstrata_archive::record::PageRecord;
use webstrata_base::{make_folders, sync_folder};
use webstrata_corpus::chunks::{ChunkOptions, Headings};
use webstrata_corpus::pipeline::{
    Duplicates, Keys, PageFile, Pipeline, Rejected, Repeat, Written, pieces,
};
use webstrata_site::url_key::Rules;

/// What the deduplication must know of what was written, where parts cannot be read again.
const KEPT: &str = "kept";

/// Where a file for each page goes.
const PAGES: &str = "pages";

/// Lines of JSON that are read again.
const LINES: Format = Format::Lines(Compression::Zstd);

/// The outputs of a run.
pub(super) struct Outputs {
    folder: PathBuf,
    /// The records, or the list of the pages' files.
    parts: Parts,
    /// Whole records, by which the deduplication goes on.
    kept: Option<Parts>,
    rejected: Option<Parts>,
    chunk: Option<ChunkOptions>,
    files: Option<Files>,
    /// Records or pieces in the part that is being written.
    in_part: u64,
}

/// How far the outputs have come, part by part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    /// The records of each part.
    pub(super) records: Vec<u64>,
    /// How many parts of what is dropped are whole.
    rejected: u32,
    /// How many parts of what a later run must know are whole.
    kept: u32,
}

/// A line of the list of files.
#[derive(Serialize)]
struct Listed<'a> {
    file: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    bytes: usize,
}

/// One file a page.
struct Files {
    shape: PageFile,
    rules: Rules,
    /// Those that a power cut could still lose.
    unsynced: Vec<PathBuf>,
    /// Bytes since the list was kept.
    bytes: u64,
}

/// The folders of a run, and all that their content depends on.
pub(super) struct Folders<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) rejected: Option<&'a Path>,
    pub(super) settings: std::collections::BTreeMap<String, String>,
}

impl Folders<'_> {
    fn plan(&self, folder: &Path, format: Format) -> Plan {
        Plan {
            folder: folder.to_owned(),
            format,
            size: self.pipeline.output.part_size,
            columns: self.pipeline.columns(),
            is_named_by_content: true,
            settings: self.settings.clone(),
        }
    }

    /// Deletes what an earlier run has written.
    pub(super) fn restart(&self) -> io::Result<()> {
        let folder = &self.pipeline.output.folder;
        if folder.join("state.json").exists() {
            let pages = folder.join(PAGES);
            if pages.exists() {
                fs::remove_dir_all(&pages)?;
            }
        }
        Parts::restart(folder)?;
        Parts::restart(&folder.join(KEPT))?;
        self.rejected.map_or(Ok(()), Parts::restart)
    }

    /// Opens the folders. `S` is the state that was kept with the last whole part; `progress` finds in it how far the
    /// outputs had come.
    pub(super) fn open<S: serde::de::DeserializeOwned>(
        &self,
        progress: impl Fn(&S) -> &Progress,
    ) -> Result<(Outputs, Option<S>), PartsError> {
        let output = &self.pipeline.output;
        let (format, files) = match output.written {
            Written::Parts(format) => (format, None),
            Written::Files(shape) => {
                let (rules, unsynced) = (Rules::default(), Vec::new());
                (Format::Lines(Compression::None), Some(Files { shape, rules, unsynced, bytes: 0 }))
            }
        };
        let (parts, state) = Parts::open::<S>(self.plan(&output.folder, format))?;
        let before = state.as_ref().map(progress).cloned().unwrap_or_default();
        let beside = |folder: Option<PathBuf>, whole: u32| {
            let Some(folder) = folder else { return Ok(None) };
            let (mut parts, _) = Parts::open::<()>(self.plan(&folder, LINES))?;
            // What is behind the state of the output will be written once more.
            parts.go_on_behind(whole)?;
            Ok::<_, PartsError>(Some(parts))
        };
        let reads_back = files.is_none() && format.reads_back() && self.pipeline.chunk.is_none();
        let needs_kept = !self.pipeline.deduplicate.is_empty() && !reads_back;
        let kept = beside(needs_kept.then(|| output.folder.join(KEPT)), before.kept)?;
        let rejected = beside(self.rejected.map(Path::to_owned), before.rejected)?;
        let (folder, chunk) = (output.folder.clone(), self.pipeline.chunk);
        Ok((Outputs { folder, parts, kept, rejected, chunk, files, in_part: 0 }, state))
    }
}

impl Outputs {
    /// The parts of records.
    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Is it time for a new part?
    pub(super) fn is_full(&self) -> bool {
        let beside = self.rejected.iter().chain(&self.kept);
        self.parts.is_full()
            || beside.into_iter().any(Parts::is_full)
            || self.files.as_ref().is_some_and(|files| files.bytes >= self.parts.size())
    }

    /// Tells the methods what an earlier run has written.
    pub(super) fn learn(
        &self,
        pipeline: &Pipeline,
        duplicates: &mut Duplicates,
    ) -> anyhow::Result<()> {
        let methods = &pipeline.deduplicate;
        if methods.is_empty() {
            return Ok(());
        }
        let parts = self.kept.as_ref().unwrap_or(&self.parts);
        for path in parts.paths() {
            read_back(&path, parts.format(), |page| {
                let keys =
                    Keys::of(&page.text, page.url.as_deref(), page.title.as_deref(), methods);
                duplicates.learn(&page.id, &keys).map_err(anyhow::Error::from)
            })?;
        }
        Ok(())
    }

    /// Writes a record, the `number`th of all.
    pub(super) fn write(
        &mut self,
        record: PageRecord,
        headings: &Headings,
        number: u64,
    ) -> anyhow::Result<()> {
        if let Some(kept) = &mut self.kept {
            let piece = LINES.piece(record.clone().without_parts(), PageRecord::COLUMNS)?;
            kept.write(piece)?;
        }
        let Some(options) = self.chunk else { return self.one(record, number) };
        for piece in pieces(&record, headings, options) {
            self.one(piece, number)?;
        }
        Ok(())
    }

    fn one(&mut self, record: PageRecord, number: u64) -> anyhow::Result<()> {
        self.in_part += 1;
        let piece = match &mut self.files {
            Some(files) => files.write(&self.folder, &record, number)?,
            None => self.parts.format().piece(record, self.parts.columns())?,
        };
        Ok(self.parts.write(piece)?)
    }

    /// Writes a record that was dropped, if these are kept.
    pub(super) fn drop(
        &mut self,
        record: &PageRecord,
        reason: &str,
        repeat: Option<&Repeat>,
    ) -> anyhow::Result<()> {
        let Some(rejected) = &mut self.rejected else { return Ok(()) };
        let line = serde_json::to_vec(&Rejected {
            rejected: reason,
            duplicate_of: repeat.map(|repeat| repeat.of.as_str()),
            similarity: repeat.map(|repeat| repeat.similarity),
            record,
        })?;
        Ok(rejected.write(Piece::line(line))?)
    }

    /// Ends what stands beside the parts; what was dropped first: the state of the output says how much of it counts.
    pub(super) fn end_beside(&mut self, progress: &mut Progress) -> anyhow::Result<()> {
        if let Some(rejected) = &mut self.rejected {
            rejected.end(&())?;
            progress.rejected = rejected.count();
        }
        if let Some(kept) = &mut self.kept {
            kept.end(&())?;
            progress.kept = kept.count();
        }
        if let Some(files) = &mut self.files {
            files.sync()?;
        }
        if self.in_part > 0 {
            progress.records.push(self.in_part);
            self.in_part = 0;
        }
        Ok(())
    }

    /// Ends the parts and keeps the state that belongs behind them.
    pub(super) fn end<S: Serialize>(&mut self, state: &S) -> anyhow::Result<()> {
        Ok(self.parts.end(state)?)
    }
}

/// Bytes of a file's name that say what page it is.
const NAME: usize = 80;

impl Files {
    /// Writes the file of a page; returns its line in the list.
    fn write(&mut self, folder: &Path, page: &PageRecord, number: u64) -> anyhow::Result<Piece> {
        let name = self.name(page, number);
        let path = folder.join(&name);
        let content = self.shape.content(page)?;
        let write = || -> io::Result<()> {
            let above = path.parent().unwrap_or(folder);
            // The same name in every run: what a killed one has left is replaced.
            let part = path.with_extension("part");
            if let Err(error) = fs::write(&part, &content) {
                if error.kind() != io::ErrorKind::NotFound {
                    return Err(error);
                }
                make_folders(above)?;
                fs::write(&part, &content)?;
            }
            fs::rename(&part, &path)
        };
        write().with_context(|| path.display().to_string())?;
        self.bytes += content.len() as u64;
        self.unsynced.push(path);
        let listed = Listed {
            file: &name,
            id: &page.id,
            url: page.record.url.as_deref(),
            bytes: content.len(),
        };
        Ok(Piece::line(serde_json::to_vec(&listed)?))
    }

    /// `pages/HOST/PATH-NUMBER.md`: the URL key, as far as it makes a name, and a number that no other page has.
    fn name(&self, page: &PageRecord, number: u64) -> String {
        let title = page.record.title.as_deref().unwrap_or_default();
        let key = page.record.url.as_deref().and_then(|url| self.rules.key(url, title));
        let key = key.as_ref().map_or(page.id.as_str(), |key| key.as_str());
        let (host, path) = match page.record.url {
            Some(_) => key.split_at(key.find(['/', '?']).unwrap_or(key.len())),
            None => ("no-address", key),
        };
        let piece = page.chunk.as_ref().map_or(String::new(), |chunk| format!("-{}", chunk.number));
        let (host, path) = (plain(host), plain(path));
        let host = if host.is_empty() { "no-address" } else { &host };
        let dash = if path.is_empty() { "" } else { "-" };
        format!("{PAGES}/{host}/{path}{dash}{number}{piece}.{}", self.shape.extension())
    }

    fn sync(&mut self) -> anyhow::Result<()> {
        let mut folders = BTreeSet::new();
        for path in self.unsynced.drain(..) {
            let sync = File::open(&path).and_then(|file| file.sync_all());
            sync.with_context(|| path.display().to_string())?;
            folders.extend(path.parent().map(Path::to_owned));
        }
        for folder in folders {
            sync_folder(&folder).with_context(|| folder.display().to_string())?;
        }
        self.bytes = 0;
        Ok(())
    }
}

/// What any file system takes for a name: letters, digits and points, dashes for all else.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            _ if plain.len() >= NAME => break,
            'a'..='z' | 'A'..='Z' | '0'..='9' => plain.push(c),
            '.' if !plain.is_empty() && !plain.ends_with('.') => plain.push(c),
            _ if !plain.is_empty() && !plain.ends_with('-') => plain.push('-'),
            _ => {}
        }
    }
    plain.trim_end_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_that_any_file_system_takes() {
        for (text, wanted) in [
            ("/2024/Tides & boats.html", "2024-Tides-boats.html"),
            ("../../etc/passwd", "etc-passwd"),
            ("a..b", "a.-b"),
            ("潮", ""),
            ("?q=1&p=2", "q-1-p-2"),
        ] {
            assert_eq!(plain(text), wanted);
        }
        assert!(plain(&"x".repeat(500)).len() <= 80);
    }
}
