//! `webstrata-lab train strata`: the model of the default extractor.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use webstrata::training::strata::features::Group;
use webstrata_base::Progress;
use webstrata_base::write_whole;
use webstrata_lab::strata::{self, Row, Samples, Summary, TrainingOptions};

use crate::sets::{self, SetArgs};
use webstrata_terminal::args::at_least_one;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab train strata --set sets/ --out strata.model
  webstrata-lab train strata --set sets/wcxb-dev --set sets/dragnet --folds 3 --rounds 40 --out small.model
  webstrata-lab train strata --set sets/ --ablation --out strata.model

All pages of a site are in one fold, so scores are for unseen sites. To make the model the default, replace
crates/webstrata/src/models/strata.model with it and build.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StrataArgs {
    #[command(flatten)]
    sets: SetArgs,

    /// Write the model to this file
    #[arg(short, long, value_name = "FILE.model")]
    out: PathBuf,

    /// The folds of the cross-validation
    #[arg(long, value_name = "N", default_value_t = TrainingOptions::default().folds, value_parser = at_least_one::<usize>)]
    folds: usize,

    /// The number of trees in the second pass over blocks; the first pass has half as many
    #[arg(long, value_name = "N", default_value_t = TrainingOptions::default().second.rounds, value_parser = at_least_one::<usize>)]
    rounds: usize,

    /// How much the F1 of pages counts beside the likelihood of blocks
    #[arg(long, value_name = "NUMBER", default_value_t = TrainingOptions::default().page_share)]
    page_share: f64,

    /// Also cross-validate without each group of features, without each set, and with other numbers of trees
    #[arg(long)]
    ablation: bool,

    /// Write what the model looks at to this folder, as arrays for NumPy
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,

    /// Write the measures as one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Trained {
    version: u32,
    trainer: &'static str,
    sets: Vec<String>,
    pages: usize,
    bytes: usize,
    summary: Summary,
    ablation: Vec<Ablation>,
    file: String,
}

#[derive(Serialize)]
struct Ablation {
    name: String,
    sets: Vec<Row>,
}

pub(super) fn run(args: &StrataArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let found = args.sets.open(&mut report)?;
    sets::check_output(&args.out, &["model"], &found)?;
    let progress = TerminalProgress::new(global.quiet);
    let settings = TrainingOptions {
        folds: args.folds.max(2),
        export: args.export.clone(),
        page_share: args.page_share,
        ..TrainingOptions::default()
    };
    let settings = settings.with_rounds(args.rounds);
    let samples = Samples::read(&found, &progress)?;
    progress.end_part("reading");
    let validation = strata::validate(&samples, &settings, &progress)?;
    progress.end_part("cross-validation");
    let model = strata::train(&samples, &validation.outcomes, &settings, &progress)?;
    progress.end_part("training");
    let bytes = model.to_bytes();
    write_whole(&args.out, &bytes)?;
    let ablation =
        if args.ablation { ablation(&samples, &settings, &progress)? } else { Vec::new() };
    report.add_failures(&progress);
    let trained = Trained {
        version: 1,
        trainer: "strata",
        sets: samples.sets.clone(),
        pages: samples.pages.len(),
        bytes: bytes.len(),
        summary: Summary::of(&samples, &validation),
        ablation,
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

/// Cross-validates without each group of features, then without each set, then with other sizes.
fn ablation(
    samples: &Samples,
    settings: &TrainingOptions,
    progress: &impl Progress,
) -> anyhow::Result<Vec<Ablation>> {
    let settings = &TrainingOptions { export: None, ..settings.clone() };
    let mut variants = Vec::new();
    for (group, name) in Group::ALL {
        let without = vec![group];
        variants.push((format!("without {name}"), TrainingOptions { without, ..settings.clone() }));
    }
    for (set, name) in samples.sets.iter().enumerate().filter(|_| samples.sets.len() > 1) {
        let without_sets = vec![set];
        variants.push((
            format!("without pages of {name}"),
            TrainingOptions { without_sets, ..settings.clone() },
        ));
    }
    for rounds in [40, 80, 160] {
        let sized = settings.clone().with_rounds(rounds);
        variants.push((format!("{rounds} trees in the second pass"), sized));
    }
    let mut rows = Vec::new();
    for (name, settings) in variants {
        let validation = strata::validate(samples, &settings, progress)?;
        rows.push(Ablation { name, sets: Summary::of(samples, &validation).sets });
    }
    Ok(rows)
}

impl Trained {
    fn table(&self) -> String {
        let mut text = summary_table(&self.summary);
        for Ablation { name, sets } in &self.ablation {
            let _ = write!(text, "\n{name:24}");
            for row in sets {
                let _ = write!(text, " {} {:.4}", row.name, row.own);
            }
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}: {} bytes, from {} pages", self.file, self.bytes, self.pages);
        text
    }
}

/// Scores by set, type and language, and how sure is how right.
pub(super) fn summary_table(summary: &Summary) -> String {
    let mut text = String::new();
    let Summary { sets, page_types, languages, types_right, at_least, tenths } = summary;
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{:24}{:>6}{:>9}{:>9}{:>9}{:>8}{:>8}{:>8}{:>8}",
        "", "pages", "flat", "default", "own", ">0.95", "<0.5", "good", "sure"
    );
    for row in sets.iter().chain(page_types).chain(languages).filter(|row| row.pages > 0) {
        let Row { name, pages, flat, by_default, own, near_perfect, failed, confidence, good } =
            row;
        let _ = writeln!(
            text,
            "{name:24}{pages:>6}{flat:>9.4}{by_default:>9.4}{own:>9.4}{near_perfect:>8.3}{failed:>8.3}\
             {good:>8.3}{confidence:>8.3}"
        );
    }
    let _ = writeln!(text, "\ntypes of pages that are right: {types_right:.3}");
    let _ = writeln!(text, "\n{:24}{:>6}{:>12}{:>8}", "confidence", "pages", "mean", "good");
    let at_least = at_least.iter().map(|c| (format!("at least {:.1}", c.from), c));
    let tenths = tenths.iter().map(|c| (format!("{:.1} to {:.1}", c.from, c.from + 0.1), c));
    for (name, c) in at_least.chain(tenths) {
        let _ = writeln!(text, "{name:24}{:>6}{:>12.3}{:>8.3}", c.pages, c.confidence, c.good);
    }
    text
}
