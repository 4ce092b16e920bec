//! Graphs of numbers: edge lists and the files of other programs. One host has all pages.

use std::path::Path;

use webstrata_base::{Error, Progress};

use super::output::Output;
use super::rows::{self, Link, source_bits};
use super::sort::Sorter;
use super::{Added, GraphOptions};
use crate::graph::map::Mapped;
use crate::graph::rows::STARTS;
use crate::graph::{Choice, Graph, Naming, Rules};

/// Pages that a link may account for, and those that need none. Web graphs have more links than pages.
const MOST_PAGES_PER_LINK: u64 = 64;
const FREE_PAGES: u64 = 1 << 20;

/// Builds a graph of links between numbers.
pub struct NumberedBuilder {
    output: Output,
    old: Option<Graph>,
    rules: Rules,
    memory: usize,
    links: Sorter<Link>,
    pages: u64,
    /// Links that were taken.
    taken: u64,
    /// Pages there are, where somebody said so.
    declared: Option<u64>,
}

impl NumberedBuilder {
    /// A new graph, or more links for the one that is there. With a number of pages, links to others are refused.
    ///
    /// # Errors
    ///
    /// If the folder has something else in it, or a graph that was built by other rules.
    pub fn new(
        folder: &Path,
        settings: &GraphOptions,
        declared: Option<u64>,
    ) -> Result<NumberedBuilder, Error> {
        let rules = Rules { names: Naming::Numbers, ..settings.rules };
        let (output, old) = super::begin(folder, settings, rules)?;
        if declared.is_some_and(|pages| pages > 1 << 32) {
            return Err(Error::new("a graph of numbers has at most 4,294,967,296 pages"));
        }
        let pages = old.as_ref().map_or(0, |graph| graph.about().pages).max(declared.unwrap_or(0));
        // The links are all that is held; the rest is for the buffers of files.
        let memory = settings.memory;
        let links = Sorter::new(&output.sort_folder(), "links", memory / 4 * 3);
        let declared = declared.map(|_| pages);
        Ok(NumberedBuilder { output, old, rules, memory, links, pages, taken: 0, declared })
    }

    /// Adds a link.
    ///
    /// # Errors
    ///
    /// If the disk is full.
    pub fn link(&mut self, from: u64, to: u64, boilerplate: bool) -> Result<Added, Error> {
        let highest = from.max(to);
        match self.declared {
            Some(pages) if highest >= pages => {
                return Ok(Added::Wrong(format!("no page {highest}, there are {pages}").into()));
            }
            _ if highest > u64::from(u32::MAX) => {
                return Ok(Added::Wrong(format!("page {highest}, at most {}", u32::MAX).into()));
            }
            _ => self.pages = self.pages.max(highest + 1),
        }
        if !self.rules.links.takes(boilerplate) {
            return Ok(Added::Dropped);
        }
        if from == to && self.rules.self_links == Choice::Drop {
            return Ok(Added::SelfLink);
        }
        self.links.push([to, source_bits(from, boilerplate)])?;
        self.taken += 1;
        Ok(Added::Taken)
    }

    /// Would it be a graph without a page?
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// A graph has room for every page below the highest number. A few bytes must not fill a disk.
    fn check_gaps(&self) -> Result<(), Error> {
        let before = self.old.as_ref().map_or(0, |old| old.about().pages);
        let most = self.taken.saturating_mul(MOST_PAGES_PER_LINK).saturating_add(FREE_PAGES);
        if self.declared.is_some() || self.pages <= most.max(before) {
            return Ok(());
        }
        let (pages, taken) = (self.pages, self.taken);
        let remedy = format!(
            "if it has, say so with --pages {pages}; without --dense, pages are numbered as they come"
        );
        Err(Error::new(format!("a graph of {pages} pages with {taken} links; {remedy}")))
    }

    /// Sorts what was added and writes the graph.
    ///
    /// # Errors
    ///
    /// If the disk is full, or if numbers leave gaps so large that hardly any page has a link; then the graph is as it was
    /// before.
    pub fn finish(self, progress: &dyn Progress) -> Result<Graph, Error> {
        self.check_gaps()?;
        let NumberedBuilder { mut output, old, rules, memory, links, pages, .. } = self;
        progress.begin("steps of the build", 3);
        let links = links.sort()?;
        progress.step();
        let hosts = u64::from(pages > 0);
        let mut starts = output.files().create::<u64>(STARTS)?;
        starts.one(0u64)?;
        if pages > 0 {
            starts.one(pages)?;
        }
        let kept = output.keep(starts)?;
        let starts: Mapped<usize> = output.files().map_kept(STARTS, kept)?;
        let counts = rows::write(&mut output, &starts, &links, old.as_ref())?;
        drop(links);
        progress.step();
        rows::write_out_degrees(&mut output, (pages, hosts), counts, rules, memory)?;
        let about = output.about((pages, hosts), counts, rules);
        let graph = output.finish(&about);
        progress.step();
        graph
    }
}
