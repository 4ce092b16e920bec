//! What every worker does with a page.

use webstrata::{Document, Request};
use webstrata_archive::export::{Format, PageRecord, Piece};
use webstrata_archive::sniff;
use webstrata_site::template::{KnownSites, SiteReader};

use super::pages::{Archives, Item, Place};
use super::{Args, FilterArgs};
use webstrata_terminal::known_sites::insert_pages;
use webstrata_terminal::report::Report;

pub(super) struct Work<'a> {
    pub(super) request: Request,
    /// What is known of the archives' sites, where the extractor asks for it.
    site: Option<KnownSites>,
    filters: &'a FilterArgs,
    format: Format,
}

/// What became of a page.
pub(super) enum Outcome {
    Written {
        piece: Piece,
        words: u32,
        is_cut: bool,
    },
    /// A filter left it out: its name.
    Filtered(&'static str),
    /// It is no page: why.
    NoPage(String),
    /// There was none; see the item.
    Problem,
}

impl<'a> Work<'a> {
    pub(super) fn new(args: &'a Args, format: Format) -> anyhow::Result<Work<'a>> {
        let mut request = args.extractor.request(&args.reading)?;
        request.parts = args.with.parts();
        Ok(Work { request, site: None, filters: &args.filters, format })
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
            reader.visit(&arrival.bytes, &arrival.name, &arrival.options(&self.request.options))
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
        if let Some(why) = sniff::not_a_page(&arrival.bytes) {
            return Outcome::NoPage(why);
        }
        let options = arrival.options(&self.request.options);
        let page = match &self.site {
            Some(site) => site.extract(&arrival.bytes, &arrival.name, &options),
            None => self.request.extract_with(&arrival.bytes, &options),
        };
        if let Some(filter) = self.language_filter(&page.document) {
            return Outcome::Filtered(filter);
        }
        let record = PageRecord::of(arrival, &page, &self.request.parts);
        let words = record.record.words;
        if words < self.filters.min_words {
            return Outcome::Filtered("min-words");
        }
        let is_cut = arrival.truncated || !record.record.limits.is_empty();
        match self.format.piece(record) {
            Ok(piece) => Outcome::Written { piece, words, is_cut },
            Err(error) => Outcome::NoPage(error.to_string()),
        }
    }

    fn language_filter(&self, document: &Document) -> Option<&'static str> {
        let wanted = &self.filters.language;
        if wanted.is_empty() {
            return None;
        }
        let declared = || document.language.as_deref().and_then(|tag| tag.split(['-', '_']).next());
        let language =
            document.text_language().or_else(declared).unwrap_or_default().to_ascii_lowercase();
        (!wanted.contains(&language)).then_some("language")
    }
}
