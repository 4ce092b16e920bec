//! How the pages of a stream become records.

use webstrata::output::{MarkupOptions, Part};
use webstrata::{Document, Extractor, Options, Record};
use webstrata_archive::charset_of;
use webstrata_feeds::fetch::Response;
use webstrata_feeds::pipeline::{Extract, PageKeys};
use webstrata_site::template::{Keys, Reading, SiteExtractor};
use webstrata_site::url_tree::{UrlTree, Visit};

/// An extractor, which may know a page's site.
pub(crate) struct Pages {
    site: SiteExtractor,
    options: Options,
    parts: Vec<Part>,
    markup: MarkupOptions,
}

/// What is left of a page that was read: its document, and what the URL Tree wants to know of it.
pub(crate) struct Cut {
    document: Document,
    keys: Keys,
    /// The page itself, where the document alone does not make the record.
    page: Vec<u8>,
    options: Options,
}

impl Pages {
    pub(crate) fn new(extractor: &Extractor, options: Options, parts: Vec<Part>) -> Pages {
        let site = SiteExtractor::new(extractor);
        Pages { site, options, parts, markup: MarkupOptions::default() }
    }
}

impl Extract for Pages {
    type Cut = Cut;

    fn cut(&self, response: &Response) -> Cut {
        let named = response.content_type.as_deref().and_then(charset_of);
        let named = named.filter(|label| Options::is_charset(label)).map(str::to_owned);
        let options = Options {
            url: Some(response.url.clone()),
            charset: named.or(self.options.charset.clone()),
            ..self.options.clone()
        };
        let Reading { page, keys } = self.site.read(&response.body, &options);
        Cut { document: page.document, keys, page: response.body.clone(), options }
    }

    fn keys(&self, cut: &Cut) -> PageKeys {
        PageKeys { texts: cut.keys.texts.clone(), places: cut.keys.places(&cut.document) }
    }

    fn record(&self, cut: Cut, tree: &UrlTree, visit: Option<&Visit>) -> Record {
        let Cut { mut document, keys, page, options } = cut;
        let Some(visit) = visit else {
            return Record::of(&self.site.read(&page, &options).page, &self.parts, &self.markup);
        };
        self.site.judge_document(&mut document, &keys, &visit.key, tree);
        if self.parts.is_empty() && !document.has_few_words() {
            return Record::new(&document);
        }
        // Markup, links and other extractors need the tree of the page; few streams ask for them.
        let reading = self.site.read(&page, &options);
        let page = self.site.judge(reading, &visit.key, tree, &options);
        Record::of(&page, &self.parts, &self.markup)
    }
}
