//! Many pages, read on all processors, in a run that can be interrupted.
//!
//! Pages are counted in parts of 32, side by side, and the parts are merged in the order of the pages:
//! the result is the same for any number of processors. Now and then all counts are written to a file,
//! whole, with the number of pages they are of. A run that was killed reads it and passes over these.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webstrata::cutting::Cutting;
use webstrata::{Class, Hidden, Options};
use webstrata_base::Error;
use webstrata_base::write_whole;

use super::Statistics;
use webstrata_corpus::segmentation::{Method, Segmenter};

/// Pages that are counted together, one after the other.
const PART: usize = 32;
/// Bytes of pages that wait to be counted.
const WAITING: usize = 32 << 20;
/// Parts that wait at most.
const PARTS: usize = 32;

/// A page as it was read from a source.
#[derive(Clone, Debug, Default)]
pub struct RawPage {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// How to read it.
    pub options: Options,
    /// The class of each of its blocks, if somebody has labelled them.
    pub classes: Option<Vec<Class>>,
    /// Are its blocks counted a second time, as boilerpipe cuts them, with hidden text?
    pub twice: bool,
}

/// Statistics in the making.
pub struct Survey {
    statistics: Statistics,
    waiting: Vec<RawPage>,
    bytes: usize,
    pool: Option<rayon::ThreadPool>,
    kept: Option<Kept>,
    /// Pages that the file of this run knows.
    saved: u64,
}

/// Where counts are kept.
struct Kept {
    file: PathBuf,
    key: String,
    every: u64,
}

#[derive(Serialize, Deserialize)]
struct Checkpoint<S> {
    key: String,
    statistics: S,
}

impl Survey {
    /// A survey that begins with these statistics and is kept nowhere.
    pub fn new(statistics: Statistics) -> Survey {
        Survey { statistics, waiting: Vec::new(), bytes: 0, pool: None, kept: None, saved: 0 }
    }

    /// A survey that is kept in a file after every so many pages, and goes on where the file ends if it
    /// is of the same `key`: all that the counts depend on besides the pages.
    pub fn kept(empty: Statistics, file: &Path, key: &str, every: u64) -> Survey {
        let kept = Kept { file: file.to_owned(), key: key.to_owned(), every: every.max(1) };
        let statistics = read(&kept).unwrap_or(empty);
        let saved = statistics.pages();
        Survey { kept: Some(kept), saved, ..Survey::new(statistics) }
    }

    /// The same on so many threads; without this, on as many as there are processors.
    pub fn on_threads(self, threads: usize) -> Result<Survey, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::new(format!("{threads} threads: {error}")))?;
        Ok(Survey { pool: Some(pool), ..self })
    }

    /// How many pages are counted already: the first so many need not be added again.
    pub fn done(&self) -> u64 {
        self.statistics.pages()
    }

    /// Adds the next page.
    pub fn add(&mut self, page: RawPage) -> Result<(), Error> {
        self.bytes += page.bytes.len();
        self.waiting.push(page);
        // Where parts end depends on the pages only.
        if self.bytes >= WAITING || self.waiting.len() >= PART * PARTS {
            self.count();
            self.keep()?;
        }
        Ok(())
    }

    /// The statistics of all pages.
    pub fn finish(mut self) -> Statistics {
        self.count();
        self.statistics
    }

    fn count(&mut self) {
        let first = self.statistics.pages();
        let empty = self.statistics.empty();
        let part = |(part, pages): (usize, &[RawPage])| {
            count_part(&empty, pages, first + (part * PART) as u64, Statistics::add_raw)
        };
        let waiting = &self.waiting;
        let count = || waiting.par_chunks(PART).enumerate().map(part).collect();
        let parts: Vec<Statistics> = match &self.pool {
            Some(pool) => pool.install(count),
            None => count(),
        };
        parts.into_iter().for_each(|part| self.statistics.merge(part));
        self.waiting.clear();
        self.bytes = 0;
    }

    fn keep(&mut self) -> Result<(), Error> {
        let Some(kept) = &self.kept else { return Ok(()) };
        if self.statistics.pages() - self.saved < kept.every {
            return Ok(());
        }
        self.saved = self.statistics.pages();
        let checkpoint = Checkpoint { key: kept.key.clone(), statistics: &self.statistics };
        let json = serde_json::to_vec(&checkpoint);
        let json = json.map_err(|error| Error::at(&kept.file, error))?;
        write_whole(&kept.file, &json)
    }
}

/// Counts pages one after the other, the first of which has this number. A page that makes `add` panic
/// must not take the others with it: it is a page without text. What it left half counted is thrown
/// away, and the part is counted again without it.
fn count_part(
    empty: &Statistics,
    pages: &[RawPage],
    first: u64,
    add: impl Fn(&mut Statistics, &RawPage, u64),
) -> Statistics {
    let mut broken = vec![false; pages.len()];
    loop {
        let mut counted = empty.clone();
        let mut panics = |place: usize| {
            if broken[place] {
                counted.add_broken();
                return false;
            }
            let number = first + place as u64;
            panic::catch_unwind(AssertUnwindSafe(|| add(&mut counted, &pages[place], number)))
                .is_err()
        };
        match (0..pages.len()).find(|place| panics(*place)) {
            Some(place) => broken[place] = true,
            None => return counted,
        }
    }
}

/// What the file has, if all of it is there and of the same key.
fn read(kept: &Kept) -> Option<Statistics> {
    let checkpoint: Checkpoint<Statistics> =
        serde_json::from_slice(&fs::read(&kept.file).ok()?).ok()?;
    (checkpoint.key == kept.key).then_some(checkpoint.statistics)
}

impl Statistics {
    /// Statistics of nothing with tables of the same size.
    fn empty(&self) -> Statistics {
        Statistics::with_capacity(self.segments.known.capacity(), self.terms.capacity())
    }

    /// A page that could not be counted.
    fn add_broken(&mut self) {
        self.pages += 1;
        self.broken += 1;
    }

    fn add_raw(&mut self, raw: &RawPage, number: u64) {
        let (mut page, segments) = Segmenter::new(Method::RuleBased).read(&raw.bytes, &raw.options);
        for (block, class) in page.document.blocks.iter_mut().zip(raw.classes.iter().flatten()) {
            block.class = Some(*class);
        }
        self.add(&page, &segments, number);
        if raw.twice {
            let options = Options { hidden: Hidden::Keep, ..raw.options.clone() };
            let document = webstrata::read(&raw.bytes, Cutting::Boilerpipe, &options);
            for block in document.blocks.iter().filter(|block| block.counts.words > 0) {
                let text = document.atom_text(block.first_atom());
                self.other_blocks.add(&block.counts, None, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_panics_is_one_without_text() {
        let page = |text: &str| RawPage { bytes: text.into(), ..RawPage::default() };
        let pages = ["<p>Home", "<p>bug", "<p>Tides", "<p>bug"].map(page);
        let add = |counted: &mut Statistics, page: &RawPage, number: u64| {
            counted.add_raw(page, number);
            assert_ne!(page.bytes, b"<p>bug");
        };
        let counted = count_part(&Statistics::default(), &pages, 0, add);
        assert_eq!((counted.pages(), counted.pages_with_text(), counted.broken()), (4, 2, 2));
        assert_eq!(counted.tokens(), 2);
    }
}
