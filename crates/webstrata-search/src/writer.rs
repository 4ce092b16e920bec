//! Adding pages: incremental, and what was committed survives whatever happens to us.
//!
//! Pages are in the index when a commit has succeeded, and not before. A commit is one rename of
//! tantivy's: there is the old index or the new one. How many pages were taken is part of the same
//! file, so that numbers of pages and pages never disagree.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::columnar::ColumnValues;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{IndexRecordOption, TantivyDocument};
use tantivy::{
    DocSet, IndexReader, IndexWriter, ReloadPolicy, SegmentReader, TERMINATED, TantivyError, Term,
};
use webstrata_base::Error;

use crate::digest;
use crate::entry::{Date, Entry};
use crate::index::{Index, explain};
use crate::levels;
use crate::schema::{DIGEST, Fields, NUMBER};

/// How pages are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Threads that index.
    pub threads: usize,
    /// Bytes of memory for all of them.
    pub memory: usize,
    /// Commits at the latest after so many pages…
    pub commit_pages: u64,
    /// … or so many bytes of text.
    pub commit_bytes: u64,
}

impl Default for WriterOptions {
    fn default() -> WriterOptions {
        WriterOptions {
            threads: 1,
            memory: 128 << 20,
            commit_pages: 100_000,
            commit_bytes: 512 << 20,
        }
    }
}

/// Tantivy wants at least so much for a thread…
const LEAST_MEMORY: usize = 16 << 20;
/// … and takes at most about so much.
const MOST_MEMORY: usize = 2 << 30;

/// Bytes of a host: names have no more.
const LONGEST_HOST: usize = 253;

/// Bytes of an id that tantivy looks up; it knows terms of up to 65,530.
const LONGEST_ID: usize = 2_000;

/// What became of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is new.
    New,
    /// It took the place of an older version of itself.
    Replaced,
    /// It is in the index just like that.
    Unchanged,
}

/// What is written with each commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Payload {
    /// The number that the next new page gets.
    pub(crate) next: u64,
    /// Pages that were taken.
    pub(crate) accepted: u64,
}

/// Adds pages to an index.
pub struct Writer {
    folder: PathBuf,
    fields: Fields,
    texts: Vec<String>,
    options: WriterOptions,
    inner: IndexWriter,
    reader: IndexReader,
    /// The committed segments, to look pages up in.
    committed: Vec<Committed>,
    /// Pages since the last commit; `None` where one was removed.
    fresh: HashMap<String, Option<Known>>,
    payload: Payload,
    pages: u64,
    bytes: u64,
    /// Something has failed: tantivy may have lost pages that `fresh` remembers.
    is_broken: bool,
}

/// What is remembered of a page.
#[derive(Clone, Copy, Debug)]
struct Known {
    number: u64,
    digest: u64,
}

impl Writer {
    pub(crate) fn open(index: &Index, options: &WriterOptions) -> Result<Writer, Error> {
        let folder = index.folder().to_owned();
        let threads = options.threads.clamp(1, 8);
        let memory = options.memory.clamp(threads * LEAST_MEMORY, threads * MOST_MEMORY);
        let inner = index
            .inner
            .writer_with_num_threads(threads, memory)
            .map_err(|error| explain(&folder, &error))?;
        let reader = index
            .inner
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(|error| explain(&folder, &error))?;
        let mut writer = Writer {
            folder,
            fields: index.fields,
            texts: index.options().texts,
            options: options.clone(),
            inner,
            reader,
            committed: Vec::new(),
            fresh: HashMap::new(),
            // Read behind the lock: nobody else changes it from now on.
            payload: index.payload()?,
            pages: 0,
            bytes: 0,
            is_broken: false,
        };
        writer.reload()?;
        Ok(writer)
    }

    /// Adds a page, or replaces the one with the same id. A page keeps its number for life. It can
    /// be found after the next commit.
    ///
    /// After an error nothing is added any more: what was not committed is lost, and comes again to a new
    /// writer.
    pub fn add(&mut self, entry: &Entry) -> Result<Added, Error> {
        self.check()?;
        let added = self.try_add(entry);
        self.is_broken |= added.is_err();
        added
    }

    fn try_add(&mut self, entry: &Entry) -> Result<Added, Error> {
        let digest = digest_of(entry);
        let id = &*short_id(&entry.id);
        let known = self.known(id)?;
        if known.is_some_and(|known| known.digest == digest) {
            return Ok(Added::Unchanged);
        }
        let number = known.map_or(self.payload.next, |known| known.number);
        if known.is_some() {
            self.inner.delete_term(Term::from_field_text(self.fields.id, id));
        } else {
            self.payload.next += 1;
        }
        let document = self.document(id, entry, number, digest);
        if let Err(error) = self.inner.add_document(document) {
            return Err(self.cause(error));
        }
        self.payload.accepted += 1;
        self.fresh.insert(id.to_owned(), Some(Known { number, digest }));
        self.pages += 1;
        self.bytes += bytes_of(entry);
        if self.pages >= self.options.commit_pages || self.bytes >= self.options.commit_bytes {
            self.try_commit()?;
        }
        Ok(if known.is_some() { Added::Replaced } else { Added::New })
    }

    /// Takes a page out; says whether it was there.
    pub fn remove(&mut self, id: &str) -> Result<bool, Error> {
        self.check()?;
        let id = &*short_id(id);
        if self.known(id)?.is_none() {
            return Ok(false);
        }
        self.inner.delete_term(Term::from_field_text(self.fields.id, id));
        self.fresh.insert(id.to_owned(), None);
        self.pages += 1;
        Ok(true)
    }

    /// Makes everything that was added so far part of the index, for good.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.check()?;
        let committed = self.try_commit();
        self.is_broken |= committed.is_err();
        committed
    }

    /// A thread that indexes has ended, and adding a page only tells so. Joining the thread tells why.
    fn cause(&mut self, error: TantivyError) -> Error {
        let cause = match error {
            TantivyError::ErrorInThread(_) => self.inner.prepare_commit().err().unwrap_or(error),
            other => other,
        };
        explain(&self.folder, &cause)
    }

    fn check(&self) -> Result<(), Error> {
        if self.is_broken {
            let message = "adding pages has failed before; open the index again and add them again";
            return Err(Error::at(&self.folder, message));
        }
        Ok(())
    }

    fn try_commit(&mut self) -> Result<(), Error> {
        if self.pages == 0 {
            return Ok(());
        }
        let wrong = |error| explain(&self.folder, &error);
        let payload =
            serde_json::to_string(&self.payload).map_err(|error| Error::at(&self.folder, error))?;
        let mut commit = self.inner.prepare_commit().map_err(wrong)?;
        commit.set_payload(&payload);
        commit.commit().map_err(wrong)?;
        self.fresh.clear();
        (self.pages, self.bytes) = (0, 0);
        self.reload()
    }

    /// How many pages were added since the last commit.
    pub fn uncommitted(&self) -> u64 {
        self.pages
    }

    /// Commits, and waits until segments are merged.
    pub fn finish(mut self) -> Result<(), Error> {
        self.commit()?;
        self.inner.wait_merging_threads().map_err(|error| explain(&self.folder, &error))
    }

    /// Looks at the segments that are committed now.
    fn reload(&mut self) -> Result<(), Error> {
        self.reader.reload().map_err(|error| explain(&self.folder, &error))?;
        let searcher = self.reader.searcher();
        let segments = searcher.segment_readers().iter();
        self.committed = segments
            .map(|segment| Committed::open(segment, self.fields))
            .collect::<tantivy::Result<_>>()
            .map_err(|error| explain(&self.folder, &error))?;
        Ok(())
    }

    fn known(&self, id: &str) -> Result<Option<Known>, Error> {
        if let Some(known) = self.fresh.get(id) {
            return Ok(*known);
        }
        let term = Term::from_field_text(self.fields.id, id);
        for segment in &self.committed {
            let known = segment.look_up(&term).map_err(|error| explain(&self.folder, &error))?;
            if known.is_some() {
                return Ok(known);
            }
        }
        Ok(None)
    }

    fn document(&self, id: &str, entry: &Entry, number: u64, digest: u64) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = TantivyDocument::new();
        document.add_text(fields.id, id);
        document.add_text(fields.title, &entry.title);
        document.add_text(fields.main, &entry.main);
        document.add_text(fields.boilerplate, &entry.boilerplate);
        document.add_u64(fields.number, number);
        document.add_u64(fields.digest, digest);
        if let Some(url) = &entry.url {
            document.add_text(fields.url, url);
        }
        if let Some(host) = entry.host.as_ref().filter(|host| host.len() <= LONGEST_HOST) {
            document.add_text(fields.host, host);
            for domain in domains(host) {
                document.add_text(fields.hosts, domain);
            }
        }
        if let Some(language) = entry.language.as_ref().filter(|tag| is_language(tag)) {
            let main = main_language(language);
            document.add_text(fields.language, main);
            document.add_text(fields.languages, main);
            if main != language {
                document.add_text(fields.languages, language);
            }
        }
        if let Some(date) = entry.date {
            document.add_u64(fields.date, date.number());
        }
        if let Some(page_type) = &entry.page_type {
            document.add_text(fields.page_type, page_type);
        }
        if let Some(fields) = fields.levels {
            levels::add(&mut document, fields, entry, &self.texts);
        }
        document
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("folder", &self.folder).field("pages", &self.pages).finish()
    }
}

/// A segment that is part of the index.
struct Committed {
    ids: Arc<InvertedIndexReader>,
    numbers: Arc<dyn ColumnValues<u64>>,
    digests: Arc<dyn ColumnValues<u64>>,
    segment: SegmentReader,
}

impl Committed {
    fn open(segment: &SegmentReader, fields: Fields) -> tantivy::Result<Committed> {
        Ok(Committed {
            ids: segment.inverted_index(fields.id)?,
            numbers: segment.fast_fields().u64(NUMBER)?.first_or_default_col(0),
            digests: segment.fast_fields().u64(DIGEST)?.first_or_default_col(0),
            segment: segment.clone(),
        })
    }

    fn look_up(&self, id: &Term) -> tantivy::Result<Option<Known>> {
        let Some(mut postings) = self.ids.read_postings(id, IndexRecordOption::Basic)? else {
            return Ok(None);
        };
        while postings.doc() != TERMINATED {
            let doc = postings.doc();
            if !self.segment.is_deleted(doc) {
                let (number, digest) = (self.numbers.get_val(doc), self.digests.get_val(doc));
                return Ok(Some(Known { number, digest }));
            }
            postings.advance();
        }
        Ok(None)
    }
}

/// An id that tantivy can look up. Of longer ones the end is replaced by a number that tells them apart.
fn short_id(id: &str) -> Cow<'_, str> {
    if id.len() <= LONGEST_ID {
        return Cow::Borrowed(id);
    }
    let mut end = LONGEST_ID - 20;
    while !id.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}…{:016x}", &id[..end], digest::of(&[id.as_bytes()])))
}

/// What a page costs while it waits for its commit.
fn bytes_of(entry: &Entry) -> u64 {
    let pieces: usize = entry.pieces.iter().map(|piece| piece.text.len()).sum();
    let texts: usize = entry.texts.iter().map(|(_, text)| text.len()).sum();
    (entry.id.len()
        + entry.title.len()
        + entry.main.len()
        + entry.boilerplate.len()
        + pieces
        + texts) as u64
}

/// Is this a tag such as `en` or `zh-hant-tw`?
fn is_language(tag: &str) -> bool {
    tag.len() <= 35 && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// A host and the domains that it lies in: `a.b.example`, `b.example`, `example`.
pub(crate) fn domains(host: &str) -> impl Iterator<Item = &str> {
    // Addresses made of numbers lie in no domain.
    let is_name = !host.starts_with('[') && !host.ends_with(|c: char| c.is_ascii_digit());
    let dots = host.match_indices('.').map(|(at, _)| &host[at + 1..]);
    std::iter::once(host).chain(dots.filter(move |_| is_name).take(16))
}

/// A language without its region: `pt` of `pt-br`.
pub(crate) fn main_language(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

/// Of everything that is indexed of a page.
fn digest_of(entry: &Entry) -> u64 {
    let empty = String::new();
    let date = entry.date.map_or(0, Date::number).to_le_bytes();
    let mut parts: Vec<&[u8]> = vec![
        entry.url.as_ref().unwrap_or(&empty).as_bytes(),
        entry.title.as_bytes(),
        entry.main.as_bytes(),
        entry.boilerplate.as_bytes(),
        entry.host.as_ref().unwrap_or(&empty).as_bytes(),
        entry.language.as_ref().unwrap_or(&empty).as_bytes(),
        entry.page_type.as_ref().unwrap_or(&empty).as_bytes(),
        &date,
    ];
    for (name, text) in &entry.texts {
        parts.push(name.as_bytes());
        parts.push(text.as_bytes());
    }
    let pieces: Vec<[u8; 2]> = entry.pieces.iter().map(levels::keys_of).collect();
    for (piece, keys) in entry.pieces.iter().zip(&pieces) {
        parts.push(keys);
        parts.push(piece.text.as_bytes());
    }
    digest::of(&parts)
}
