//! Other pages of a site, for extractors that need them.

use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use webstrata::{Extractor, Options};
use webstrata_archive::Problem;
use webstrata_site::template::{KnownSites, SiteReader, insert};
use webstrata_site::url_key::Rules;
use webstrata_site::url_tree::Visit;

use crate::batch;
use crate::input::{Input, Inputs};
use crate::report::Report;

/// Other pages of the sites.
#[derive(Debug, clap::Args)]
pub struct SiteArgs {
    /// Other pages of the same sites, for extractors such as strata+site that learn their templates
    ///
    /// The pages of a folder or an archive that is extracted are used, too. Files without a known address
    /// count as one site.
    #[arg(long, value_name = "DIR|WARC|JSONL|FILE")]
    site: Vec<PathBuf>,
}

impl SiteArgs {
    /// Reads the pages; `None` where the extractor asks for no others.
    pub fn learn(
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
            let pages = Inputs::find(&self.site, extensions, "--site")?;
            learn(&mut known, &pages, &options, jobs, report);
        }
        if let Some(own) = own.filter(|own| own.can_be_read_again()) {
            learn(&mut known, own, options, jobs, report);
        }
        if known.is_empty() {
            report.note(format_args!(
                "`{}` knows no other page of the site: name some with --site, or a folder or an archive",
                extractor.name
            ));
        }
        Ok(Some(known))
    }
}

/// The rules of URL keys: those of a file, or the built-in ones.
pub fn url_rules(file: Option<&Path>) -> anyhow::Result<Rules> {
    let Some(file) = file else { return Ok(Rules::default()) };
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Rules::from_toml(&text).with_context(|| file.display().to_string())
}

fn learn(
    known: &mut KnownSites,
    inputs: &Inputs,
    options: &Options,
    jobs: usize,
    report: &mut Report,
) {
    report.progress(inputs.count(), false);
    let size = |input: &Result<Input, Problem>| {
        let arrival = input.as_ref().ok().and_then(Input::arrival);
        arrival.map_or(0, |arrival| arrival.bytes.len())
    };
    let visit = |reader: &SiteReader, input: &Result<Input, Problem>| {
        let input = input.as_ref().ok()?;
        let bytes = input.read(options.limits.bytes).ok()?;
        reader.visit(&bytes, &input.name(), &input.options(options))
    };
    insert_pages(known, inputs.each(), jobs, size, visit, |_| report.advance());
    report.finish();
}

/// Inserts pages into the tree, in their order. Pages without a visit are skipped; their errors are
/// reported when they are extracted.
pub fn insert_pages<T: Send>(
    known: &mut KnownSites,
    items: impl Iterator<Item = T> + Send,
    jobs: usize,
    size: impl Fn(&T) -> usize + Sync,
    visit: impl Fn(&SiteReader, &T) -> Option<Visit> + Sync,
    mut advance: impl FnMut(&T),
) {
    let (reader, tree) = known.parts();
    let read = |item: &T| visit(reader, item);
    let Ok(()) = batch::ordered(items, jobs, size, read, |item, visit| {
        if let Ok(Some(visit)) = visit {
            insert(tree, visit);
        }
        advance(item);
        Ok::<(), Infallible>(())
    });
}
