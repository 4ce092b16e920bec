//! What every worker does with a page.

use webstrata::output::{MarkupOptions, Part};
use webstrata::{Extractor, Options, Record};
use webstrata_stream::Arrival;
use webstrata_stream::export::{Format, PageRecord, Piece, Provenance};

use super::pages::{Archives, Item, Place};
use super::{Args, FilterArgs};
use crate::report::Report;
use crate::site::{Knowing, KnownSites};
use crate::sniff;

pub(super) struct Work<'a> {
    pub(super) extractor: Extractor,
    /// What is known of the archives' sites, where the extractor asks for it.
    site: Option<KnownSites>,
    options: Options,
    parts: Vec<Part>,
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
        Ok(Work {
            extractor: args.extractor.load()?,
            site: None,
            options: args.reading.options(),
            parts: args.with.parts(),
            filters: &args.filters,
            format,
        })
    }

    /// The first of two passes: templates of sites are known before any page is extracted.
    pub(super) fn learn_sites(&mut self, archives: &Archives, jobs: usize, report: &mut Report) {
        if !self.extractor.asks_for_site() {
            return;
        }
        let mut known = KnownSites::new(&self.extractor);
        report.progress_bytes(archives.bytes());
        let visit = |knowing: &Knowing<'_>, item: &Item| {
            let arrival = item.page.as_ref().ok()?;
            if sniff::not_a_page(&arrival.bytes).is_some() {
                return None;
            }
            knowing.visit(&arrival.bytes, &arrival.name, &self.options_for(arrival))
        };
        let pages = archives.pages(Place::default());
        known.take_in(pages, jobs, Item::size, visit, |item| {
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
        let options = self.options_for(arrival);
        let page = match &self.site {
            Some(site) => site.extract(&arrival.bytes, &arrival.name, &options),
            None => self.extractor.extract_page(&arrival.bytes, &options),
        };
        let language = page.document.text_language();
        if let Some(filter) = self.language_filter(language, page.document.language.as_deref()) {
            return Outcome::Filtered(filter);
        }
        let record = Record::of(&page, &self.parts, &MarkupOptions::default());
        let words = record.words;
        if words < self.filters.min_words {
            return Outcome::Filtered("min-words");
        }
        let is_cut = arrival.truncated || !record.limits.is_empty();
        let record = PageRecord {
            id: id(arrival),
            record,
            text_language: language.map(str::to_owned),
            warc: Provenance::of(arrival),
        };
        match self.format.piece(record) {
            Ok(piece) => Outcome::Written { piece, words, is_cut },
            Err(error) => Outcome::NoPage(error.to_string()),
        }
    }

    /// The options with what the archive says about the page, where nobody said otherwise.
    fn options_for(&self, arrival: &Arrival) -> Options {
        let charset = arrival.charset().filter(|label| Options::is_charset(label));
        Options {
            url: arrival.url.clone(),
            charset: self.options.charset.clone().or_else(|| charset.map(str::to_owned)),
            ..self.options.clone()
        }
    }

    fn language_filter(&self, text: Option<&str>, declared: Option<&str>) -> Option<&'static str> {
        let wanted = &self.filters.language;
        if wanted.is_empty() {
            return None;
        }
        let declared = || declared.and_then(|tag| tag.split(['-', '_']).next());
        let language = text.or_else(declared).unwrap_or_default().to_ascii_lowercase();
        (!wanted.contains(&language)).then_some("language")
    }
}

fn id(arrival: &Arrival) -> String {
    arrival.name.replace(std::path::MAIN_SEPARATOR, "/")
}
