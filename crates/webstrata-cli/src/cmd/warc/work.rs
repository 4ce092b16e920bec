//! What every worker does with a page.

use std::path::Path;

use webstrata::Request;
use webstrata_archive::export::{Format, Piece};
use webstrata_archive::record::{Filters, Making, NoRecord};
use webstrata_archive::{Arrival, sniff};
use webstrata_base::Tries;
use webstrata_site::template::{KnownSites, SiteReader};

use super::Args;
use crate::cmd::archives::{Archives, Item, Place};
use webstrata_terminal::known_sites::insert_pages;
use webstrata_terminal::report::Report;

pub(super) struct Work {
    pub(super) request: Request,
    /// What is known of the archives' sites, where the extractor asks for it.
    site: Option<KnownSites>,
    filters: Filters,
    format: Format,
    tries: Option<Tries>,
}

/// The file in the output's folder that says which pages are being read.
pub(super) const UNDER_WAY: &str = ".under-way";

/// What became of a page.
pub(super) enum Outcome {
    Written {
        piece: Piece,
        words: u32,
        is_cut: bool,
    },
    /// There is no record: why.
    None(NoRecord),
    /// The program has ended twice with this page.
    SetAside,
    /// There was no page; see the item.
    Problem,
}

impl Work {
    pub(super) fn new(args: &Args, format: Format) -> anyhow::Result<Work> {
        let mut request = args.extractor.request(&args.reading)?;
        request.parts = args.with.parts();
        request.markup = args.written.options();
        let filters =
            Filters { min_words: args.filters.min_words, languages: args.filters.language.clone() };
        Ok(Work { request, site: None, filters, format, tries: None })
    }

    /// Writes down in this folder which pages are being read, from now on.
    pub(super) fn watch(&mut self, folder: &Path) -> anyhow::Result<()> {
        self.tries = Some(Tries::open(folder, UNDER_WAY)?);
        Ok(())
    }

    /// All pages are done.
    pub(super) fn finish(self) {
        if let Some(tries) = self.tries {
            tries.finish();
        }
    }

    /// Does the work on a page, unless the program has ended with it twice.
    fn tried<T>(&self, item: &Item, work: impl FnOnce() -> T) -> Option<T> {
        match &self.tries {
            Some(tries) => tries.run(&item.key(), item.size(), work),
            None => Some(work()),
        }
    }

    /// The first of two passes: templates of sites are known before any page is extracted.
    pub(super) fn learn_sites(&mut self, archives: &Archives, jobs: usize, report: &mut Report) {
        let extractor = self.request.extractor();
        if !extractor.asks_for_site() {
            return;
        }
        let mut known = KnownSites::new(extractor);
        report.progress_bytes(archives.bytes());
        let visit = |reader: &SiteReader, item: &Item| {
            let arrival = item.page.as_ref().ok()?;
            if sniff::not_a_page(&arrival.bytes).is_some() {
                return None;
            }
            let options = arrival.options(&self.request.options);
            self.tried(item, || reader.visit(&arrival.bytes, &arrival.name, &options)).flatten()
        };
        let pages = archives.pages(Place::default());
        insert_pages(&mut known, pages, jobs, Item::size, visit, |item| {
            report.advance_to(archives.position(item));
        });
        report.finish();
        self.site = Some(known);
    }

    /// Everything that takes time, so that the one thread that writes only writes.
    pub(super) fn page(&self, item: &Item) -> Outcome {
        let Ok(arrival) = &item.page else { return Outcome::Problem };
        let made = self.tried(item, || self.made(arrival));
        if let (Some(_), Some(tries)) = (&made, &self.tries) {
            tries.done(&item.key());
        }
        made.unwrap_or(Outcome::SetAside)
    }

    fn made(&self, arrival: &Arrival) -> Outcome {
        let making = Making { request: &self.request, filters: &self.filters };
        let made = making.make(arrival, &arrival.bytes, |bytes, name, options| match &self.site {
            Some(site) => site.extract(bytes, name, options),
            None => self.request.extract_with(bytes, options),
        });
        let record = match made {
            Ok(record) => record,
            Err(why) => return Outcome::None(why),
        };
        let words = record.record.words;
        let is_cut = arrival.truncated || !record.record.limits.is_empty();
        // Only comma-separated values need columns here.
        match self.format.piece(record, &[]) {
            Ok(piece) => Outcome::Written { piece, words, is_cut },
            Err(error) => Outcome::None(NoRecord::NotAPage(error.to_string())),
        }
    }
}
