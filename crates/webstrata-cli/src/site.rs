//! Pages whose site's other pages are known, for extractors that ask for them.

use std::path::PathBuf;

use webstrata::{Extractor, Options, Page};
use webstrata_stream::Problem;
use webstrata_stream::site::{Reading, SiteExtractor};
use webstrata_stream::url_key::{Rules, UrlKey};
use webstrata_stream::url_tree::UrlTree;

use crate::batch;
use crate::input::{Input, Inputs};
use crate::report::Report;

/// Other pages of the sites.
#[derive(Debug, clap::Args)]
pub(crate) struct SiteArgs {
    /// Other pages of the same sites, from which an extractor such as strata+site learns their templates;
    /// the pages of a folder or an archive that are extracted are taken, too
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
            known.learn(&Inputs::find(&self.site, extensions, "--site")?, options, jobs, report);
        }
        if let Some(own) = own.filter(|own| own.can_be_read_again()) {
            known.learn(own, options, jobs, report);
        }
        if known.tree.len() < 2 {
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

    /// Takes pages into the tree, in their order.
    fn learn(&mut self, inputs: &Inputs, options: &Options, jobs: usize, report: &mut Report) {
        let KnownSites { extractor, rules, tree } = self;
        report.progress(inputs.count(), false);
        let empty = UrlTree::default();
        let read = |input: &Result<Input, Problem>| {
            let input = input.as_ref().ok()?;
            let bytes = input.read(options.limits.bytes).ok()?;
            let options = input.options(options);
            let key = key(rules, input.id.as_str(), options.url.as_deref())?;
            Some(extractor.read(&bytes, &options).visit(key, 0, &empty))
        };
        // What cannot be read is said when it is extracted.
        let _: Result<(), ()> = batch::ordered(inputs.each(), jobs, read, |_, visit| {
            if let Ok(Some(mut visit)) = visit {
                tree.insert(&mut visit);
            }
            report.advance();
            Ok(())
        });
        report.finish();
    }

    /// Extracts a page.
    pub(crate) fn extract<'a>(&self, bytes: &'a [u8], id: &str, options: &Options) -> Page<'a> {
        let reading = self.extractor.read(bytes, options);
        match key(&self.rules, id, options.url.as_deref()) {
            Some(key) => self.extractor.judge(reading, &key, &self.tree, options),
            None => reading.page,
        }
    }

    /// Reads a page and tells it what is known, this page included, before any step is taken.
    pub(crate) fn sighted<'a>(
        &mut self,
        bytes: &'a [u8],
        id: &str,
        options: &Options,
        extractor: &Extractor,
    ) -> Page<'a> {
        let reading = self.extractor.read(bytes, options);
        let mut page = Page::read(bytes, extractor.cutting, options);
        if let Some(key) = key(&self.rules, id, options.url.as_deref()) {
            self.tree.insert(&mut reading.visit(key.clone(), 0, &self.tree));
            let sighted = Reading::sighted(&reading, &key, &self.tree, self.extractor.heuristic);
            page.document.site = Some(Box::new(sighted));
        }
        page
    }
}

/// The key of a page: of its address, or else of its file, whose folder is taken for a site.
fn key(rules: &Rules, id: &str, url: Option<&str>) -> Option<UrlKey> {
    if let Some(key) = url.and_then(|url| rules.key(url, "")) {
        return Some(key);
    }
    let id = id.trim_start_matches('/');
    if id.contains('/') { UrlKey::parse(id) } else { UrlKey::parse(&format!("files/{id}")) }
}
