//! Pages whose site's other pages are known, for extractors that ask for them.

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;

use webstrata::{Extractor, Options, Page};
use webstrata_stream::Problem;
use webstrata_stream::site::SiteExtractor;
use webstrata_stream::url_key::{Rules, UrlKey};
use webstrata_stream::url_tree::{UrlTree, Visit};

use crate::batch;
use crate::input::{Input, Inputs};
use crate::report::Report;

/// Other pages of the sites.
#[derive(Debug, clap::Args)]
pub(crate) struct SiteArgs {
    /// Other pages of the same sites, from which an extractor such as strata+site learns their templates;
    /// the pages of a folder or an archive that are extracted are taken, too. Files of which no address is
    /// known are one site
    #[arg(long, value_name = "DIR|WARC|JSONL|FILE")]
    site: Vec<PathBuf>,
}

impl SiteArgs {
    /// Reads the pages; `None` where the extractor asks for no others.
    pub(crate) fn learn(
        &self,
        extractor: &Extractor,
        own: Option<&Inputs>,
        extensions: &[String],
        options: &Options,
        jobs: usize,
        report: &mut Report,
    ) -> anyhow::Result<Option<KnownSites>> {
        if !extractor.asks_for_site() {
            if !self.site.is_empty() {
                let name = &extractor.name;
                anyhow::bail!(
                    "--site: the extractor `{name}` asks for no other pages; try strata+site"
                );
            }
            return Ok(None);
        }
        let mut known = KnownSites::new(extractor);
        if !self.site.is_empty() {
            // The address is that of the page that is extracted.
            let options = Options { url: None, ..options.clone() };
            known.learn(&Inputs::find(&self.site, extensions, "--site")?, &options, jobs, report);
        }
        if let Some(own) = own.filter(|own| own.can_be_read_again()) {
            known.learn(own, options, jobs, report);
        }
        if known.tree.is_empty() {
            report.note(format_args!(
                "`{}` knows no other page of the site: name some with --site, or a folder or an archive",
                extractor.name
            ));
        }
        Ok(Some(known))
    }
}

/// An extractor, and what it knows of sites.
pub(crate) struct KnownSites {
    extractor: SiteExtractor,
    rules: Rules,
    tree: UrlTree,
}

impl KnownSites {
    pub(crate) fn new(extractor: &Extractor) -> KnownSites {
        let (extractor, rules) = (SiteExtractor::new(extractor), Rules::default());
        KnownSites { extractor, rules, tree: UrlTree::default() }
    }

    fn learn(&mut self, inputs: &Inputs, options: &Options, jobs: usize, report: &mut Report) {
        report.progress(inputs.count(), false);
        let size = |input: &Result<Input, Problem>| {
            let arrival = input.as_ref().ok().and_then(Input::arrival);
            arrival.map_or(0, |arrival| arrival.bytes.len())
        };
        let visit = |known: &Knowing<'_>, input: &Result<Input, Problem>| {
            let input = input.as_ref().ok()?;
            let bytes = input.read(options.limits.bytes).ok()?;
            known.visit(&bytes, &input.name(), &input.options(options))
        };
        self.take_in(inputs.each(), jobs, size, visit, |_| report.advance());
        report.finish();
    }

    /// Takes pages into the tree, in their order; those without a visit are passed over, and what is wrong
    /// with them is said when they are extracted.
    pub(crate) fn take_in<T: Send>(
        &mut self,
        items: impl Iterator<Item = T> + Send,
        jobs: usize,
        size: impl Fn(&T) -> usize + Sync,
        visit: impl Fn(&Knowing<'_>, &T) -> Option<Visit> + Sync,
        mut advance: impl FnMut(&T),
    ) {
        let KnownSites { extractor, rules, tree } = self;
        let knowing = Knowing { extractor, rules };
        let read = |item: &T| visit(&knowing, item);
        let Ok(()) = batch::ordered(items, jobs, size, read, |item, visit| {
            // A page that comes again would make boilerplate of its texts.
            if let Ok(Some(mut visit)) = visit
                && !tree.view(&visit.key).holds_page()
            {
                tree.insert(&mut visit);
            }
            advance(item);
            Ok::<(), Infallible>(())
        });
    }

    /// Extracts a page.
    pub(crate) fn extract<'a>(&self, bytes: &'a [u8], name: &str, options: &Options) -> Page<'a> {
        let reading = self.extractor.read(bytes, options);
        match key(&self.rules, name, options.url.as_deref()) {
            Some(key) => self.extractor.judge(reading, &key, &self.tree, options),
            None => reading.page,
        }
    }

    /// Reads a page and tells it what is known, before any step is taken.
    pub(crate) fn sighted<'a>(
        &self,
        bytes: &'a [u8],
        name: &str,
        options: &Options,
        extractor: &Extractor,
    ) -> Page<'a> {
        let reading = self.extractor.read(bytes, options);
        let mut page = Page::read(bytes, extractor.cutting, options);
        if let Some(key) = key(&self.rules, name, options.url.as_deref()) {
            let sighted = reading.sighted(&key, &self.tree, self.extractor.heuristic);
            page.document.site = Some(Box::new(sighted));
        }
        page
    }
}

/// What reads pages for the tree.
pub(crate) struct Knowing<'a> {
    extractor: &'a SiteExtractor,
    rules: &'a Rules,
}

impl Knowing<'_> {
    /// A page as the tree takes it in.
    pub(crate) fn visit(&self, bytes: &[u8], name: &str, options: &Options) -> Option<Visit> {
        let key = key(self.rules, name, options.url.as_deref())?;
        Some(self.extractor.read(bytes, options).visit(key, 0))
    }
}

/// The key of a page: of its address, or else of its file; files without addresses are one site.
fn key(rules: &Rules, name: &str, url: Option<&str>) -> Option<UrlKey> {
    let known = url.and_then(|url| rules.key(url, ""));
    known.or_else(|| {
        let name = fs::canonicalize(name).map_or(name.into(), |path| path.display().to_string());
        UrlKey::parse(&format!("files/{}", name.trim_start_matches('/')))
    })
}
