//! A tree as bytes: what it was made with, and its pages in their order, so that it can be made again.
//!
//! A line that names the format, a line of JSON, the pages, each behind its length, and a checksum of it all.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Bounds, Visit};

const FORMAT: &[u8] = b"webstrata url tree 1\n";

#[derive(Serialize, Deserialize)]
struct Header<R> {
    extractor: R,
    documents: usize,
    age: i64,
    least: usize,
    memory: usize,
    pages: usize,
}

/// What was read: how pages become visits, the bounds of the tree, and the visits in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved<R> {
    /// What the pages are read with, as whoever saves trees writes it.
    pub recipe: R,
    /// The tree's.
    pub bounds: Bounds,
    /// The oldest first.
    pub visits: Vec<Visit>,
}

/// Writes a tree, of whose pages each is what [`Visit::to_bytes`] makes.
pub fn to_bytes<'a, R: Serialize>(
    recipe: R,
    Bounds { documents, age, least, memory }: Bounds,
    visits: impl ExactSizeIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let (extractor, pages) = (recipe, visits.len());
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

/// Reads what [`to_bytes`] wrote.
///
/// # Errors
///
/// One line that says what is wrong with it.
pub fn from_bytes<R: DeserializeOwned>(bytes: &[u8]) -> Result<Saved<R>, String> {
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
    let header: Header<R> = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    let Header { extractor, documents, age, least, memory, pages } = header;
    // As whoever makes a tree gives them.
    if documents == 0 || age < 0 {
        return Err(broken());
    }
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
