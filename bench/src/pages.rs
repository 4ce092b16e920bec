//! The pages, held in memory before any clock starts.

use std::fs;
use std::io;
use std::path::PathBuf;

/// One line of the manifest: where a page lies and where it stands in its set's sampling order.
pub struct Entry {
    /// The line of the manifest, which names the page in every result.
    pub line: usize,
    pub set: String,
    pub rank: usize,
    pub path: PathBuf,
}

/// A page as the tools get it.
pub struct Page {
    pub line: usize,
    pub rank: usize,
    /// The bytes of the file: the input of webstrata.
    pub raw: Vec<u8>,
    /// The same decoded as UTF-8, lossily: the input of the peers. Empty where no peer runs.
    pub text: String,
}

/// Reads a manifest: one page a line, `SET<tab>RANK<tab>PATH`.
///
/// # Errors
/// When the file cannot be read or a line has another shape.
pub fn manifest(path: &str) -> io::Result<Vec<Entry>> {
    let text = fs::read_to_string(path)?;
    text.lines().enumerate().map(|(line, row)| entry(line, row)).collect()
}

fn entry(line: usize, row: &str) -> io::Result<Entry> {
    let bad = || io::Error::other(format!("manifest line {}: {row:?}", line + 1));
    let mut fields = row.splitn(3, '\t');
    let mut next = || fields.next().ok_or_else(bad);
    let (set, rank, path) = (next()?, next()?, next()?);
    Ok(Entry {
        line,
        set: set.to_owned(),
        rank: rank.parse().map_err(|_| bad())?,
        path: PathBuf::from(path),
    })
}

/// Reads the pages of some entries, decoded as well if `decode` says so.
///
/// # Errors
/// When a page cannot be read.
pub fn load(entries: &[Entry], decode: bool) -> io::Result<Vec<Page>> {
    let page = |entry: &Entry| {
        let raw = fs::read(&entry.path)?;
        let text = if decode { String::from_utf8_lossy(&raw).into_owned() } else { String::new() };
        Ok(Page { line: entry.line, rank: entry.rank, raw, text })
    };
    entries.iter().map(page).collect()
}

/// The page of middle size and its bytes: the one that the linear-cost measurement repeats.
///
/// # Errors
/// When there is no page or one cannot be read.
pub fn middle(entries: &[Entry]) -> io::Result<(usize, Vec<u8>)> {
    let mut sizes = Vec::with_capacity(entries.len());
    for entry in entries {
        sizes.push((fs::metadata(&entry.path)?.len(), entry.line));
    }
    sizes.sort_unstable();
    let &(_, line) = sizes.get(sizes.len() / 2).ok_or_else(|| io::Error::other("no pages"))?;
    Ok((line, fs::read(&entries[line].path)?))
}
