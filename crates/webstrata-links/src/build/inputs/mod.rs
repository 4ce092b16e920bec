//! The files that graphs are built from, compressed or not.
//!
//! A line that is none of what it should be is named by file and number, left out and counted, or ends the build.

mod bits;
mod edges;
mod numbered_lines;
mod pairs;
mod records;
mod webgraph;

use std::path::Path;

pub use edges::Pages;
pub use webgraph::WebGraph;
use webstrata_base::{Error, Progress};

use super::Added;

/// What was read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines, without comments and empty ones.
    pub lines: u64,
    /// Links that were taken; the same link several times counts several times.
    pub taken: u64,
    /// Links that say `nofollow`, or of a kind that is not asked for.
    pub dropped: u64,
    /// Links from a page to itself that were left out.
    pub self_links: u64,
    /// Lines, and links of records, that are wrong.
    pub wrong: u64,
}

/// Reads files and adds what they hold to a graph.
pub struct Inputs<'a> {
    strict: bool,
    progress: &'a dyn Progress,
    tally: Tally,
}

impl<'a> Inputs<'a> {
    /// With `strict`, the first wrong line is an error.
    pub fn new(strict: bool, progress: &'a dyn Progress) -> Inputs<'a> {
        Inputs { strict, progress, tally: Tally::default() }
    }

    /// What was read so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Counts what became of a link.
    fn count(&mut self, added: Added, path: &Path, line: u64) -> Result<(), Error> {
        match added {
            Added::Taken => self.tally.taken += 1,
            Added::Dropped => self.tally.dropped += 1,
            Added::SelfLink => self.tally.self_links += 1,
            Added::Wrong(why) => return self.wrong(path, line, &why),
        }
        Ok(())
    }

    fn wrong(&mut self, path: &Path, line: u64, why: &str) -> Result<(), Error> {
        self.tally.wrong += 1;
        let message = format!("{}:{line}: {}", path.display(), why.replace('\n', ", "));
        if self.strict {
            return Err(Error::new(message));
        }
        self.progress.note(&format!("{message}; left out"));
        Ok(())
    }
}
