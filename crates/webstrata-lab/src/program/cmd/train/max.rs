//! `webstrata-lab train max`: the model of the extractor `strata-max`.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use webstrata_base::write_whole;
use webstrata_lab::strata::{self, Cascade, Samples, Summary, TrainingOptions};

use super::strata::summary_table;
use crate::sets::{self, SetArgs};
use webstrata_terminal::args::at_least_one;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab train strata --set sets/ --export rows --out strata.model
  python crates/webstrata-lab/network/train.py rows
  webstrata-lab train max --set sets/ --export rows --out strata-max.model

Sets and folds must be those of the export. To make the model the default, replace
crates/webstrata/src/models/strata-max.model with it and build.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MaxArgs {
    #[command(flatten)]
    sets: SetArgs,

    /// The folder that `train strata --export` wrote and the network was trained in
    #[arg(long, value_name = "DIR")]
    export: PathBuf,

    /// Write the model to this file
    #[arg(short, long, value_name = "FILE.model")]
    out: PathBuf,

    /// The folds of the cross-validation
    #[arg(long, value_name = "N", default_value_t = TrainingOptions::default().folds, value_parser = at_least_one::<usize>)]
    folds: usize,

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
    cascades: Vec<Cascade>,
    file: String,
}

pub(super) fn run(args: &MaxArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let found = args.sets.open(&mut report)?;
    sets::check_output(&args.out, &["model"], &found)?;
    let progress = TerminalProgress::new(global.quiet);
    let settings = TrainingOptions { folds: args.folds.max(2), ..TrainingOptions::default() };
    let samples = Samples::read(&found, &progress)?;
    progress.end_part("reading");
    let max = strata::train_max(&samples, &settings, &args.export)?;
    progress.end_part("training");
    let bytes = max.model.to_bytes();
    write_whole(&args.out, &bytes)?;
    report.add_failures(&progress);
    let trained = Trained {
        version: 1,
        trainer: "max",
        sets: samples.sets.clone(),
        pages: samples.pages.len(),
        bytes: bytes.len(),
        summary: Summary::of(&samples, &max.both),
        cascades: max.cascades(&samples),
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

impl Trained {
    fn table(&self) -> String {
        let mut text = summary_table(&self.summary);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\n{:24}{:>12}{:>9}{:>9}",
            "network asked up to", "of pages", "own", "of sets"
        );
        for Cascade { up_to, asked, own, own_of_sets } in &self.cascades {
            let _ = writeln!(text, "{up_to:<24}{asked:>12.3}{own:>9.4}{own_of_sets:>9.4}");
        }
        let _ = writeln!(text, "\n{}: {} bytes, from {} pages", self.file, self.bytes, self.pages);
        text
    }
}
