//! A tree as bytes: what it was made with, and its pages in their order, so that it can be made again.
//!
//! A line that names the format, a line of JSON, the pages, each behind its length, and a checksum of it all.

use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use webstrata_site::url_tree::{Bounds, Visit};
use xxhash_rust::xxh3::xxh3_64;

use crate::extractor::Recipe;

const FORMAT: &[u8] = b"webstrata url tree 1\n";

#[derive(Serialize, Deserialize)]
struct Header {
    extractor: Recipe,
    documents: usize,
    age: i64,
    least: usize,
    memory: usize,
    pages: usize,
}

/// What was read.
pub(super) struct Saved {
    pub(super) recipe: Recipe,
    pub(super) bounds: Bounds,
    pub(super) visits: Vec<Visit>,
}

pub(super) fn to_bytes<'a>(
    recipe: &Recipe,
    Bounds { documents, age, least, memory }: Bounds,
    visits: impl ExactSizeIterator<Item = &'a Box<[u8]>>,
) -> Vec<u8> {
    let (extractor, pages) = (recipe.clone(), visits.len());
    let header = Header { extractor, documents, age, least, memory, pages };
    let mut bytes = FORMAT.to_vec();
    bytes.extend(serde_json::to_vec(&header).unwrap_or_default());
    bytes.push(b'\n');
    for visit in visits {
        bytes.extend((visit.len() as u64).to_le_bytes());
        bytes.extend_from_slice(visit);
    }
    let sum = xxh3_64(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Reads what [`to_bytes`] wrote, or says what is wrong with it.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<Saved, String> {
    let Some(_) = bytes.strip_prefix(FORMAT) else {
        return Err("this is no URL Tree of this version; UrlTree.save() writes one".into());
    };
    let broken = || "a broken URL Tree: bytes are missing or have changed; save it anew".to_owned();
    let (content, sum) = bytes.split_last_chunk().ok_or_else(broken)?;
    if u64::from_le_bytes(*sum) != xxh3_64(content) {
        return Err(broken());
    }
    let content = content.get(FORMAT.len()..).ok_or_else(broken)?;
    let end = content.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
    let (header, mut rest) = content.split_at(end + 1);
    let header: Header = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    let Header { extractor, documents, age, least, memory, pages } = header;
    let mut visits = Vec::new();
    for _ in 0..pages {
        let (length, after) = rest.split_first_chunk().ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| broken())?;
        let (visit, after) = after.split_at_checked(length).ok_or_else(broken)?;
        visits.push(Visit::from_bytes(visit).map_err(|error| error.to_string())?);
        rest = after;
    }
    let bounds = Bounds { documents, age, least, memory };
    if rest.is_empty() { Ok(Saved { recipe: extractor, bounds, visits }) } else { Err(broken()) }
}

/// Reads a file; what goes wrong names it.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| named(path, &error))
}

/// Writes a file beside where it belongs and moves it there.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    static SAVED: AtomicU64 = AtomicU64::new(0);
    // A name of its own for each save, also of threads and of processes that share a file system.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let number = SAVED.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_file_name(format!(".{}-{now:x}-{number}.tmp", std::process::id()));
    let written = File::create_new(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    written.map_err(|error| {
        // Whether it is there or not, there is nothing more to be done about it.
        let _ = fs::remove_file(&beside);
        named(path, &error)
    })
}

fn named(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {error}", path.display()))
}
