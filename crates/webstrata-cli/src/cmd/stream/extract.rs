//! How the pages of a stream become records.

use webstrata::{Document, Options, Record, Request};
use webstrata_archive::charset_of;
use webstrata_archive::record::{Origin, PageRecord};
use webstrata_feeds::fetch::Response;
use webstrata_feeds::pipeline::{Extract, PageKeys};
use webstrata_site::template::{Keys, Reading, SiteExtractor};
use webstrata_site::url_tree::{UrlTree, Visit};

/// An extractor, which may know a page's site.
pub(crate) struct Pages {
    site: SiteExtractor,
    request: Request,
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
    pub(crate) fn new(request: Request) -> Pages {
        Pages { site: SiteExtractor::new(request.extractor()), request }
    }
}

impl Extract for Pages {
    type Cut = Cut;

    fn cut(&self, response: &Response) -> Cut {
        let named = response.content_type.as_deref().and_then(charset_of);
        let named = named.filter(|label| Options::is_charset(label)).map(str::to_owned);
        let options = Options {
            url: Some(response.url.clone()),
            charset: named.or(self.request.options.charset.clone()),
            ..self.request.options.clone()
        };
        let Reading { page, keys } = self.site.read(&response.body, &options);
        Cut { document: page.document, keys, page: response.body.clone(), options }
    }

    fn keys(&self, cut: &Cut) -> PageKeys {
        PageKeys { texts: cut.keys.texts.clone(), places: cut.keys.places(&cut.document) }
    }

    fn record(
        &self,
        cut: Cut,
        tree: &UrlTree,
        visit: Option<&Visit>,
        origin: Origin,
    ) -> PageRecord {
        let Cut { mut document, keys, page, options } = cut;
        if let Some(visit) = visit {
            self.site.judge_document(&mut document, &keys, &visit.key, tree);
            if self.request.parts.is_empty() && !document.has_few_words() {
                return PageRecord::of_stream(Record::new(&document), &document, origin);
            }
        }
        // Markup, links and other extractors need the tree of the page; few streams ask for them.
        let reading = self.site.read(&page, &options);
        let page = match visit {
            Some(visit) => self.site.judge(reading, &visit.key, tree, &options),
            None => reading.page,
        };
        PageRecord::of_stream(self.request.record_of(&page), &page.document, origin)
    }
}
