//! `webstrata-lab train site`: the model of the extractor `strata+site`.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;
use webstrata::training::site::SiteModel;
use webstrata::{Document, Extractor, Options};
use webstrata_base::write_whole;
use webstrata_lab::scores::Gold;
use webstrata_lab::site_training::{SitePage, boost, folds, train};
use webstrata_site::template::SiteExtractor;
use webstrata_site::url_key::{Rules, UrlKey};
use webstrata_site::url_tree::UrlTree;

use crate::cmd::replay::line::{Line, Recorded};
use webstrata_terminal::args::{JobsArgs, at_least_one};
use webstrata_terminal::batch::side_by_side;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab train site stream.jsonl.zst --out site.model

Files are those of `webstrata-lab replay`. Pages are added to a URL Tree in their order, and the model learns
from the counts of the tree. All pages of a domain are in one fold, so scores are for unseen sites. To use the
model, replace crates/webstrata/src/models/site.model with it and build.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SiteArgs {
    /// Pages as JSON lines, in order of time, with gold texts
    #[arg(value_name = "FILE.jsonl", required = true)]
    files: Vec<PathBuf>,

    /// Write the model to this file
    #[arg(short, long, value_name = "FILE.model")]
    out: PathBuf,

    /// The folds of the cross-validation
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one::<usize>)]
    folds: usize,

    /// The number of trees
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one::<usize>)]
    rounds: usize,

    /// Write the measures as one JSON object instead of a table
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    jobs: JobsArgs,
}

/// A page with what is needed to score a verdict.
struct Sample {
    page: SitePage,
    document: Document,
    gold: String,
    /// The pages of its domain so far.
    seen: u32,
}

#[derive(Serialize)]
struct Trained {
    version: u32,
    trainer: &'static str,
    pages: usize,
    domains: usize,
    bytes: usize,
    /// F1 of bags of tokens, of unseen domains: all pages, and those after the first ten of a domain.
    f1: f64,
    f1_after_10: f64,
    /// The same of `strata` alone.
    strata: f64,
    strata_after_10: f64,
    file: String,
}

pub(super) fn run(args: &SiteArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    if args.out.extension().is_none_or(|extension| extension != "model") {
        bail!("{}: models are written to files *.model", args.out.display());
    }
    let progress = TerminalProgress::new(global.quiet);
    let samples = read(args, &mut report)?;
    if samples.is_empty() {
        bail!("no page has a gold text");
    }
    progress.end_part("reading");
    let pages: Vec<&SitePage> = samples.iter().map(|sample| &sample.page).collect();
    let boost = boost(args.rounds);
    let sites: Vec<u32> = pages.iter().map(|page| page.site()).collect();
    let parts = folds(&sites, args.folds.max(2), 1);
    let mut models = Vec::new();
    for part in 0..=parts.iter().copied().max().unwrap_or(0) {
        let others = pages.iter().zip(&parts).filter(|(_, own)| **own != part);
        let others: Vec<&SitePage> = others.map(|(page, _)| *page).collect();
        models.push(train(&others, &boost, &progress)?);
    }
    progress.end_part("cross-validation");
    let model = train(&pages, &boost, &progress)?;
    progress.end_part("training");
    let numbered: Vec<(&Sample, u8)> = samples.iter().zip(parts).collect();
    let scores = side_by_side(&numbered, args.jobs.count(), |(sample, part)| {
        (sample.seen, sample.f1(None), sample.f1(models.get(usize::from(*part))))
    });
    let mean = |after: u32, which: fn(&(u32, f64, f64)) -> f64| {
        let some: Vec<f64> = scores.iter().filter(|one| one.0 > after).map(which).collect();
        some.iter().sum::<f64>() / some.len().max(1) as f64
    };
    let bytes = model.to_bytes();
    write_whole(&args.out, &bytes)?;
    report.add_failures(&progress);
    let trained = Trained {
        version: 1,
        trainer: "site",
        pages: pages.len(),
        domains: samples.iter().map(|sample| sample.page.site() as usize + 1).max().unwrap_or(0),
        bytes: bytes.len(),
        f1: mean(0, |one| one.2),
        f1_after_10: mean(10, |one| one.2),
        strata: mean(0, |one| one.1),
        strata_after_10: mean(10, |one| one.1),
        file: args.out.display().to_string(),
    };
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&trained)?)
    } else {
        trained.table()
    };
    output::print(text.as_bytes())?;
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}

fn read(args: &SiteArgs, report: &mut Report) -> anyhow::Result<Vec<Sample>> {
    let mut tree = UrlTree::default();
    let extractor = Extractor::named("strata+site").expect("a built-in extractor");
    let site = SiteExtractor::new(extractor);
    let options = Options::default();
    let mut domains: HashMap<String, (u32, u32)> = HashMap::new();
    let mut samples = Vec::new();
    let mut recorded = Recorded::new(Rules::default());
    report.progress_files(&args.files);
    for file in &args.files {
        recorded.each(file, report, |pages: &[(UrlKey, Line)], _| {
            let readings = side_by_side(pages, args.jobs.count(), |(_, line)| {
                site.read(line.html.as_bytes(), &options)
            });
            for ((key, line), reading) in pages.iter().zip(readings) {
                tree.insert(&mut reading.visit(key.clone(), line.time()));
                let sighted = reading.sighted(key, &tree, site.heuristic);
                let mut document = reading.page.document;
                document.site = Some(Box::new(sighted));
                let number = domains.len() as u32;
                let (domain, seen) = domains.entry(key.domain().to_owned()).or_insert((number, 0));
                *seen += 1;
                if let Some(page) = SitePage::of(*domain, &document, &line.gold_text) {
                    let gold = line.gold_text.clone();
                    samples.push(Sample { page, document, gold, seen: *seen });
                }
            }
            Ok(())
        })?;
    }
    report.finish();
    Ok(samples)
}

impl Sample {
    /// F1 of what a model keeps; without one, of what was kept by the page alone.
    fn f1(&self, model: Option<&SiteModel>) -> f64 {
        let mut text = String::new();
        let scores = model.map(|model| self.page.scores(model));
        for (index, block) in self.document.blocks.iter().enumerate() {
            if scores.as_ref().map_or(block.is_content, |scores| scores[index] >= 0.5) {
                self.document.with_text(block, |own| text.push_str(own));
                text.push('\n');
            }
        }
        Gold::new(&self.gold).bag(&text).f1
    }
}

impl Trained {
    fn table(&self) -> String {
        format!(
            "{:24}{:>10}{:>10}\n{:24}{:>10.4}{:>10.4}\n{:24}{:>10.4}{:>10.4}\n{}: {} bytes, from {} pages of {} domains\n",
            "F1, domains in folds",
            "all",
            "after 10",
            "strata",
            self.strata,
            self.strata_after_10,
            "strata+site",
            self.f1,
            self.f1_after_10,
            self.file,
            self.bytes,
            self.pages,
            self.domains,
        )
    }
}
