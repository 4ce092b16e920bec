//! `webstrata-lab lab`: the papers' tables and figures, made anew.

use std::path::PathBuf;

use webstrata_lab::lab::{Lab, Part};

use webstrata_terminal::args::one_of;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab lab --corpora sets/ --out report/
  webstrata-lab lab --corpora sets/ --out report/ --outputs peers/   with other tools in Figure 2
  webstrata-lab lab --corpora sets/ --out report/ --only swarm       one part alone

The set DIR/l3s-gn1 (pages/, annotated/, gold/) is required, DIR/cleaneval is recommended. The results of each
experiment are saved in report/steps/, so that an interrupted run can be resumed.

Exit codes: 0 the report was written, 2 something failed (the rest is still done).";

/// Reproduce the tables and figures of the papers, as one report
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder of sets
    #[arg(long, value_name = "DIR")]
    corpora: PathBuf,

    /// Write the report to this directory: index.html, report.md, report.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Texts of other tools, DIR/TOOL/SET.jsonl, for Figure 2
    #[arg(long, value_name = "DIR")]
    outputs: Vec<PathBuf>,

    /// Plain texts, such as books, whose density is drawn beside that of the sets (Figure 4.26)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    texts: Vec<PathBuf>,

    /// Make only these parts of the report: blocks, densities, texts, templates, swarm [default: all]
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = one_of(Part::ALL))]
    only: Vec<Part>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let progress = TerminalProgress::new(global.quiet);
    let lab = Lab {
        corpora: args.corpora.clone(),
        out: args.out.clone(),
        outputs: args.outputs.clone(),
        texts: args.texts.clone(),
        only: args.only.clone(),
    };
    let report = lab.run(&progress);
    progress.end_part("lab");
    let report = report?;
    let mut messages = Report::new(global.quiet);
    messages.add_failures(&progress);
    let agreement = report.agreement();
    let index = args.out.join("index.html");
    output::print(format!("{}: {agreement}\n", index.display()).as_bytes())?;
    for comparison in report.comparisons() {
        for row in comparison.unexplained() {
            let line = format!("unexplained: {}, {row}\n", comparison.title());
            output::print(line.as_bytes())?;
        }
    }
    Ok(if messages.failed() { Exit::Failed } else { Exit::Text })
}
