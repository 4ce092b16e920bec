//! How the pages of a stream become records.

use webstrata::{Document, Options, Request};
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

/// A page that was read: its bytes, its document, and what the URL Tree wants to know of it.
pub(crate) struct Cut {
    document: Document,
    keys: Keys,
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
        // Outputs need the tree of the page, which does not outlive its bytes.
        let reading = self.site.read(&cut.page, &cut.options);
        let page = match visit {
            Some(visit) => self.site.judge(reading, &visit.key, tree, &cut.options),
            None => reading.page,
        };
        PageRecord::of_stream(self.request.record_of(&page), &page.document, origin)
    }
}
