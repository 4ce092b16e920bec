//! An index: a folder with what tantivy writes (`terms/`), what we say about it (`index.json`) and the
//! ranks of its pages (`ranks`).

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;
use tantivy::directory::error::LockError;
use tantivy::{IndexReader, ReloadPolicy, TantivyError};
use webstrata_base::{Error, make_folders, write_whole};

use crate::levels::MOST_TEXTS;
use crate::ranks::Ranks;
use crate::schema::{Fields, schema, tokenizers};
use crate::search::Searcher;
use crate::writer::{Payload, Writer, WriterOptions};

/// The version of the folder's layout, of the fields and of how text falls into words. An index of
/// another one has to be made anew.
pub const INDEX_VERSION: u32 = 1;

const MANIFEST: &str = "index.json";
const TERMS: &str = "terms";
const RANKS: &str = "ranks";
const LOCK: &str = ".making";

/// What an index is made for; fixed when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// Index words by the length and density of their blocks, too, so that minima can be asked for.
    pub levels: bool,
    /// The names of other extractors whose texts can be asked for; with `levels` only.
    pub texts: Vec<String>,
}

impl Default for IndexOptions {
    fn default() -> IndexOptions {
        IndexOptions { levels: true, texts: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    /// Tells this index from all others, so that ranks of another one are not taken for ours.
    name: String,
    levels: bool,
    texts: Vec<String>,
}

/// How much is in an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Pages that can be found.
    pub documents: u64,
    /// Pages that were taken since the index was made, those that replaced an older version of
    /// themselves included.
    pub accepted: u64,
    /// One more than the highest number of a page.
    pub numbers: u64,
    /// Are words indexed by level?
    pub levels: bool,
    /// The extractors whose texts are indexed, too.
    pub texts: Vec<String>,
    /// The segments that tantivy keeps.
    pub segments: usize,
    /// Bytes on disk.
    pub bytes: u64,
}

/// An index on disk.
pub struct Index {
    folder: PathBuf,
    manifest: Manifest,
    pub(crate) fields: Fields,
    pub(crate) inner: tantivy::Index,
    reader: IndexReader,
    /// What was read last, and of which state of the files.
    now: Mutex<CachedSearcher>,
}

#[derive(Default)]
struct CachedSearcher {
    stamp: Option<Stamp>,
    searcher: Option<Arc<Searcher>>,
}

/// Tells whether a file has changed.
type Stamp = [Option<(SystemTime, u64)>; 2];

impl Index {
    /// Opens an index, or makes one in a folder that is empty or missing.
    pub fn open_or_create(folder: &Path, options: &IndexOptions) -> Result<Index, Error> {
        if folder.join(MANIFEST).exists() {
            return Index::open(folder);
        }
        Index::create(folder, options)
    }

    /// Makes an index in a folder that is empty or missing.
    pub fn create(folder: &Path, options: &IndexOptions) -> Result<Index, Error> {
        check_options(options)?;
        make_folders(folder).map_err(|error| Error::io(folder, &error))?;
        // Two that make it at once would each take the other's work for a leftover.
        let lock = folder.join(LOCK);
        let held = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let _held = held.map_err(|error| Error::io(&lock, &error))?;
        if folder.join(MANIFEST).exists() {
            return Index::open(folder);
        }
        check_empty(folder)?;
        let terms = folder.join(TERMS);
        let leftover = terms.exists().then(|| fs::remove_dir_all(&terms)).transpose();
        leftover.and_then(|_| fs::create_dir(&terms)).map_err(|error| Error::io(&terms, &error))?;
        let (schema, _) = schema(options.levels);
        tantivy::Index::create_in_dir(&terms, schema).map_err(|error| explain(folder, &error))?;
        let manifest = Manifest {
            version: INDEX_VERSION,
            name: new_name(folder),
            levels: options.levels,
            texts: options.texts.clone(),
        };
        let mut json = serde_json::to_vec_pretty(&manifest).map_err(|e| Error::at(folder, e))?;
        json.push(b'\n');
        write_whole(&folder.join(MANIFEST), &json)?;
        Index::open(folder)
    }

    /// Opens an index.
    pub fn open(folder: &Path) -> Result<Index, Error> {
        let manifest = read_manifest(folder)?;
        let terms = folder.join(TERMS);
        let (expected, fields) = schema(manifest.levels);
        let directory = MmapDirectory::open(&terms)
            .map_err(|error| explain(folder, &TantivyError::from(error)))?;
        let mut inner = tantivy::Index::open(directory).map_err(|error| explain(folder, &error))?;
        if inner.schema() != expected {
            return Err(Error::at(
                folder,
                "its fields are not those of an index of this version; make it anew",
            ));
        }
        inner.set_tokenizers(tokenizers());
        let reader = inner
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(|error| explain(folder, &error))?;
        Ok(Index {
            folder: folder.to_owned(),
            manifest,
            fields,
            inner,
            reader,
            now: Mutex::default(),
        })
    }

    /// The index as it is now. What is committed later is seen by the next call; this one's
    /// searcher stays as it is.
    pub fn searcher(&self) -> Result<Arc<Searcher>, Error> {
        let stamp = self.stamp();
        let mut now = self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(searcher) = &now.searcher
            && now.stamp == Some(stamp)
        {
            return Ok(Arc::clone(searcher));
        }
        self.reader.reload().map_err(|error| explain(&self.folder, &error))?;
        // Ranks are large: those that did not change are kept.
        let same = now.stamp.is_some_and(|before| before[1] == stamp[1]);
        let ranks = match &now.searcher {
            Some(searcher) if same => searcher.ranks.clone(),
            _ => self.read_ranks().map(|ranks| ranks.map(Arc::new)),
        };
        let searcher = Searcher::new(
            self.folder.clone(),
            self.reader.searcher(),
            self.fields,
            self.manifest.texts.clone(),
            ranks,
        )?;
        let searcher = Arc::new(searcher);
        *now = CachedSearcher { stamp: Some(stamp), searcher: Some(Arc::clone(&searcher)) };
        Ok(searcher)
    }

    fn stamp(&self) -> Stamp {
        [self.folder.join(TERMS).join("meta.json"), self.folder.join(RANKS)].map(|path| {
            let metadata = fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }

    /// The writer, which adds pages; there is one at a time, in this process or another.
    pub fn writer(&self, options: &WriterOptions) -> Result<Writer, Error> {
        Writer::open(self, options)
    }

    /// The ranks of the pages, where there are some.
    pub fn read_ranks(&self) -> Result<Option<Ranks>, Error> {
        Ranks::read(&self.folder.join(RANKS), &self.manifest.name)
    }

    /// Replaces all ranks.
    pub fn write_ranks(&self, ranks: &Ranks) -> Result<(), Error> {
        ranks.write(&self.folder.join(RANKS), &self.manifest.name)
    }

    /// How much is in it.
    pub fn contents(&self) -> Result<Contents, Error> {
        let searcher = self.searcher()?;
        let payload = self.payload()?;
        Ok(Contents {
            documents: searcher.documents(),
            accepted: payload.accepted,
            numbers: payload.next,
            levels: self.manifest.levels,
            texts: self.manifest.texts.clone(),
            segments: searcher.inner.segment_readers().len(),
            bytes: folder_bytes(&self.folder.join(TERMS)),
        })
    }

    /// Reads every file again and compares it with its checksum.
    pub fn check(&self) -> Result<(), Error> {
        let damaged =
            self.inner.validate_checksum().map_err(|error| explain(&self.folder, &error))?;
        let mut damaged: Vec<_> = damaged.into_iter().collect();
        damaged.sort();
        match damaged.first() {
            Some(file) => Err(Error::at(&self.folder.join(TERMS).join(file), DAMAGED)),
            None => Ok(()),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is called; no two indexes have the same name, wherever they lie.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// What it was made for.
    pub fn options(&self) -> IndexOptions {
        IndexOptions { levels: self.manifest.levels, texts: self.manifest.texts.clone() }
    }

    pub(crate) fn payload(&self) -> Result<Payload, Error> {
        let metas = self.inner.load_metas().map_err(|error| explain(&self.folder, &error))?;
        match metas.payload {
            None => Ok(Payload::default()),
            Some(json) => serde_json::from_str(&json).map_err(|_| Error::at(&self.folder, DAMAGED)),
        }
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.folder)
            .field("manifest", &self.manifest)
            .finish()
    }
}

pub(crate) const DAMAGED: &str = "the index is damaged; make it anew from its pages";

/// What tantivy says, in one line that names the index and the remedy.
pub(crate) fn explain(folder: &Path, error: &TantivyError) -> Error {
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => {
            Error::at(folder, "another program is writing to this index; wait until it is done")
        }
        TantivyError::IncompatibleIndex(_) => {
            Error::at(folder, "the index was written by another version; make it anew")
        }
        TantivyError::OpenReadError(_)
        | TantivyError::OpenDirectoryError(_)
        | TantivyError::DataCorruption(_)
        | TantivyError::DeserializeError(_) => Error::at(folder, DAMAGED),
        TantivyError::ErrorInThread(_) => {
            Error::at(folder, "a thread that writes to the index ended; add its last pages again")
        }
        other => Error::at(folder, other),
    }
}

fn read_manifest(folder: &Path) -> Result<Manifest, Error> {
    let path = folder.join(MANIFEST);
    let json = fs::read(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            Error::at(folder, "no index here; `webstrata search index` makes one")
        }
        _ => Error::at(&path, error),
    })?;
    let version = serde_json::from_slice::<serde_json::Value>(&json)
        .ok()
        .and_then(|json| json.get("version")?.as_u64());
    match version {
        Some(version) if version != u64::from(INDEX_VERSION) => Err(Error::at(
            folder,
            format!(
                "an index of version {version}, this program reads {INDEX_VERSION}; make it anew"
            ),
        )),
        _ => serde_json::from_slice(&json)
            .map_err(|_| Error::at(&path, "does not describe an index; make it anew")),
    }
}

fn check_options(options: &IndexOptions) -> Result<(), Error> {
    if !options.levels && !options.texts.is_empty() {
        return Err(Error::new("texts of other extractors need an index with levels"));
    }
    if options.texts.len() > MOST_TEXTS {
        return Err(Error::new(format!("texts of at most {MOST_TEXTS} extractors can be indexed")));
    }
    Ok(())
}

/// Nobody's files are mixed with ours, and none are removed but those of an index whose making was
/// interrupted before anything could be in it.
fn check_empty(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(|error| Error::io(folder, &error))? {
        let entry = entry.map_err(|error| Error::io(folder, &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = match &*name {
            LOCK => true,
            TERMS => is_unused(&entry.path()),
            // What `write_whole` leaves behind where it is killed.
            _ => name.starts_with(&format!(".{MANIFEST}.")) && name.ends_with(".part"),
        };
        if !is_ours {
            let message = format!("no {MANIFEST} in it, and not empty; name a new folder");
            return Err(Error::at(folder, message));
        }
    }
    Ok(())
}

/// Has nothing but what tantivy makes before the first page comes?
fn is_unused(terms: &Path) -> bool {
    let Ok(files) = fs::read_dir(terms) else { return false };
    let mut names = files.map(|file| file.map(|file| file.file_name()));
    // Locks and lists begin with a dot; segments are named by letters and digits.
    names.all(|name| {
        name.is_ok_and(|name| name == "meta.json" || name.to_string_lossy().starts_with('.'))
    })
}

fn new_name(folder: &Path) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = format!("{} {} {}", now.as_nanos(), std::process::id(), folder.display());
    format!("{:016x}", crate::digest::of(&[seed.as_bytes()]))
}

fn folder_bytes(folder: &Path) -> u64 {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    files.filter_map(|file| file.ok()?.metadata().ok()).map(|metadata| metadata.len()).sum()
}
