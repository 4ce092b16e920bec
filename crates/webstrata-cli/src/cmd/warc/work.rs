//! What every worker does with a page.

use webstrata::output::{MarkupOptions, Part};
use webstrata::{Extractor, Options, Record};
use webstrata_stream::Arrival;
use webstrata_stream::export::{Format, PageRecord, Piece, Provenance};

use super::pages::Item;
use super::{Args, FilterArgs};
use crate::sniff;

pub(super) struct Work<'a> {
    pub(super) extractor: Extractor,
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
            options: args.reading.options(),
            parts: args.with.iter().map(|part| (*part).into()).collect(),
            filters: &args.filters,
            format,
        })
    }

    /// Everything that takes time, so that the one thread that writes only writes.
    pub(super) fn page(&self, item: &Item) -> Outcome {
        let Ok(arrival) = &item.page else { return Outcome::Problem };
        if let Some(why) = sniff::not_a_page(&arrival.bytes) {
            return Outcome::NoPage(why);
        }
        let page = self.extractor.extract_page(&arrival.bytes, &self.options_for(arrival));
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
