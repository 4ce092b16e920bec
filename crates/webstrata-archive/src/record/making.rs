//! From a page that arrived to its record, or to the reason why it has none.

use std::path::MAIN_SEPARATOR;

use webstrata::{Document, Options, Page, Request};

use super::{Origin, PageRecord};
use crate::arrival::Arrival;
use crate::sniff;

/// Which pages become records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// The words that a main text has at least.
    pub min_words: u32,
    /// The languages of main texts, as ISO 639-1 has them; all languages if there is none.
    pub languages: Vec<String>,
}

impl Filters {
    /// Reads the code of a language, such as `en`.
    pub fn language(written: &str) -> Result<String, String> {
        let code = written.trim().to_ascii_lowercase();
        let is_code =
            (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
        is_code
            .then_some(code)
            .ok_or_else(|| "expected codes of languages, such as en or de".into())
    }

    /// Does it take the language of this document? If the text says too little, the declared language counts.
    fn takes_language(&self, document: &Document) -> bool {
        if self.languages.is_empty() {
            return true;
        }
        let declared = || document.language.as_deref().and_then(|tag| tag.split(['-', '_']).next());
        let language = document.text_language().or_else(declared).unwrap_or_default();
        self.languages.iter().any(|wanted| wanted.eq_ignore_ascii_case(language))
    }
}

/// Why a page has no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRecord {
    /// It is not a web page: what it is instead.
    NotAPage(String),
    /// A filter left it out: `language` or `min-words`.
    Filtered(&'static str),
}

/// Makes records of pages.
///
/// ```
/// use webstrata::Request;
/// use webstrata_archive::record::{Filters, Making, NoRecord};
/// # use webstrata_archive::{Limits, Source};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("tides.html");
/// # std::fs::write(&path, "<p>High water is at noon.").unwrap();
/// # let arrival = Source::open(&[path], Limits::default()).next().unwrap().unwrap();
///
/// let request = Request::default();
/// let filters = Filters { min_words: 5, ..Filters::default() };
/// let making = Making { request: &request, filters: &filters };
/// let record = making.make(&arrival, &arrival.bytes, |bytes, _, options| {
///     request.extract_with(bytes, options)
/// });
/// assert_eq!(record.unwrap().record.text, "High water is at noon.\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Making<'a> {
    /// What is asked of the pages.
    pub request: &'a Request,
    /// Which of them become records.
    pub filters: &'a Filters,
}

impl Making<'_> {
    /// The record of a page that arrived. `bytes` are the page. `read` finds its main text: by the request's
    /// extractor or, where that asks for other pages of the site, by one that knows them. It is given the bytes, the
    /// page's name and how to read it.
    pub fn make(
        &self,
        arrival: &Arrival,
        bytes: &[u8],
        read: impl for<'b> Fn(&'b [u8], &str, &Options) -> Page<'b>,
    ) -> Result<PageRecord, NoRecord> {
        if let Some(why) = sniff::not_a_page(bytes) {
            return Err(NoRecord::NotAPage(why));
        }
        let page = read(bytes, &arrival.name, &arrival.options(&self.request.options));
        let id = arrival.name.replace(MAIN_SEPARATOR, "/");
        self.record(id, &page, Origin::of(arrival))
    }

    /// The record of a page whose main text was found.
    pub fn record(
        &self,
        id: String,
        page: &Page<'_>,
        origin: Origin,
    ) -> Result<PageRecord, NoRecord> {
        if !self.filters.takes_language(&page.document) {
            return Err(NoRecord::Filtered("language"));
        }
        let made = PageRecord::of(id, page, self.request, origin);
        if made.record.words < self.filters.min_words {
            return Err(NoRecord::Filtered("min-words"));
        }
        Ok(made)
    }
}
