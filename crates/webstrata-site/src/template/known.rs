//! An extractor with the sites that it knows.

use std::fs;

use webstrata::{Extractor, Options, Page};

use super::SiteExtractor;
use crate::url_key::{Rules, UrlKey};
use crate::url_tree::{UrlTree, Visit};

/// An extractor, and what it knows of sites.
///
/// ```
/// use webstrata::{Extractor, Options};
/// use webstrata_site::template::KnownSites;
///
/// let mut known = KnownSites::new(Extractor::named("site").unwrap());
/// let words = ["one", "two", "three", "four", "five", "six"];
/// let pages = words.map(|word| format!("<p>Subscribe now!<p>Today's word is {word}."));
/// let options = words.map(|word| {
///     Options { url: Some(format!("https://example.org/{word}")), ..Options::default() }
/// });
/// for (page, options) in pages.iter().zip(&options) {
///     let visit = known.reader().visit(page.as_bytes(), "", options).unwrap();
///     known.insert(visit);
/// }
/// let page = known.extract(pages[0].as_bytes(), "", &options[0]);
/// assert_eq!(page.document.text(), "Today's word is one.\n");
/// ```
#[derive(Debug)]
pub struct KnownSites {
    reader: SiteReader,
    tree: UrlTree,
}

/// Reads pages for the tree; it can be used from many threads.
#[derive(Debug)]
pub struct SiteReader {
    extractor: SiteExtractor,
    rules: Rules,
}

impl KnownSites {
    /// An extractor that knows nothing yet.
    pub fn new(extractor: &Extractor) -> KnownSites {
        let reader =
            SiteReader { extractor: SiteExtractor::new(extractor), rules: Rules::default() };
        KnownSites { reader, tree: UrlTree::default() }
    }

    /// Is no page known?
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// What reads pages for it.
    pub fn reader(&self) -> &SiteReader {
        &self.reader
    }

    /// What reads pages for it, and where they go meanwhile.
    pub fn parts(&mut self) -> (&SiteReader, &mut UrlTree) {
        (&self.reader, &mut self.tree)
    }

    /// Inserts a page.
    pub fn insert(&mut self, visit: Visit) {
        insert(&mut self.tree, visit);
    }

    /// Extracts a page; `name` is its file, for those without an address.
    pub fn extract<'a>(&self, bytes: &'a [u8], name: &str, options: &Options) -> Page<'a> {
        let SiteReader { extractor, .. } = &self.reader;
        let reading = extractor.read(bytes, options);
        match self.reader.key(name, options.url.as_deref()) {
            Some(key) => extractor.judge(reading, &key, &self.tree, options),
            None => reading.page,
        }
    }

    /// Reads a page with what is known of its site, before any step of an extractor.
    pub fn sighted<'a>(
        &self,
        bytes: &'a [u8],
        name: &str,
        options: &Options,
        extractor: &Extractor,
    ) -> Page<'a> {
        let own = &self.reader.extractor;
        let reading = own.read(bytes, options);
        let mut page = Page::read(bytes, extractor.cutting, options);
        if let Some(key) = self.reader.key(name, options.url.as_deref()) {
            let sighted = reading.sighted(&key, &self.tree, own.heuristic);
            page.document.site = Some(Box::new(sighted));
        }
        page
    }
}

/// Takes a page into a tree, once: a page that comes again would make boilerplate of its texts.
pub fn insert(tree: &mut UrlTree, mut visit: Visit) {
    if !tree.view(&visit.key).holds_page() {
        tree.insert(&mut visit);
    }
}

impl SiteReader {
    /// A page as it is inserted into the tree.
    pub fn visit(&self, bytes: &[u8], name: &str, options: &Options) -> Option<Visit> {
        let key = self.key(name, options.url.as_deref())?;
        Some(self.extractor.read(bytes, options).visit(key, 0))
    }

    /// The key of a page: of its address, or else of its file; files without addresses are one site.
    fn key(&self, name: &str, url: Option<&str>) -> Option<UrlKey> {
        let known = url.and_then(|url| self.rules.key(url, ""));
        known.or_else(|| {
            let name =
                fs::canonicalize(name).map_or(name.into(), |path| path.display().to_string());
            UrlKey::parse(&format!("files/{}", name.trim_start_matches('/')))
        })
    }
}
