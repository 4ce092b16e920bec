//! `webstrata-lab links partitions`: partitioned PageRank on a made-up web.

use std::path::PathBuf;

use webstrata_base::write_whole;
use webstrata_lab::links::partitions::Study;

use webstrata_terminal::args::at_least_one;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  webstrata-lab links partitions --out report/
  webstrata-lab links partitions --pages 1000000 --partitions 1 8 32 --out report/

A web is made up: hosts of very different sizes in seven top-level domains, about 6 % of all links between hosts. It is
ranked in partitions of three kinds: ranges of pages, hosts dealt round-robin, hosts balanced by links. The report
has Tables 3.1 and 3.2 and Figures 3.1 to 3.6 of the thesis, and what happens when pages join a ranking that
runs.";

/// Rank a made-up web in partitions: votes, convergence, time
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// About how many pages the web has
    #[arg(long, value_name = "N", default_value = "200000", value_parser = at_least_one::<usize>)]
    pages: usize,

    /// How many partitions, several times
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [1, 8, 32], value_parser = at_least_one::<usize>)]
    partitions: Vec<usize>,

    /// The seed of the web
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Write the report to this directory: index.html, report.md, report.json, *.svg
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let progress = TerminalProgress::new(global.quiet);
    let study = Study::new(args.pages, args.seed, &args.partitions, &progress);
    progress.end_part("partitions");
    let report = study?.report();
    report.write(&args.out)?;
    for (name, svg) in report.figures() {
        write_whole(&args.out.join(name), svg.as_bytes())?;
    }
    let index = args.out.join("index.html");
    output::print(format!("{}: {}\n", index.display(), report.agreement()).as_bytes())?;
    Ok(Exit::Text)
}
