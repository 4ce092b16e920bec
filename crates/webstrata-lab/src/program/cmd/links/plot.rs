//! `webstrata-lab links plot`: a web graph, or how a ranking converged, as a chart.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;
use webstrata_base::thousands;
use webstrata_lab::Chart;
use webstrata_links::Graph;
use webstrata_links::graph::stats::{DotPlot, Stats};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;

use crate::picture::{check_plot, write_plot};

/// Cells of a side of the dot-plot.
const SIDE: usize = 200;

const EXAMPLES: &str = "\
Examples:
  webstrata-lab links plot web --out dots.svg

  webstrata links pagerank web --out ranks.tsv --run run.json
  webstrata-lab links plot run.json --out convergence.svg

For a graph, the chart is the dot-plot of Figure 3.1c: hosts are in a random order, and cells with more links
are darker. For the statistics of a ranking, it shows the residual of each iteration (Figure 3.6).";

/// Draw a web graph, or how a ranking converged
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of a graph, or the statistics of a ranking as JSON
    #[arg(value_name = "GRAPH|JSON")]
    input: PathBuf,

    /// Write the chart to this file
    #[arg(short, long, value_name = "FILE.svg|FILE.png")]
    out: PathBuf,

    /// The seed for the order of hosts in the dot-plot
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    check_plot(&args.out)?;
    let chart = if args.input.is_dir() {
        let graph = Graph::open(&args.input)?;
        let stats = Stats::of(&graph);
        chart(&args.input, &stats, &DotPlot::of(&graph, SIDE, args.seed))
    } else {
        convergence(&args.input)?
    };
    write_plot(&args.out, chart)?;
    Report::new(global.quiet).note(format_args!("{}: written", args.out.display()));
    Ok(Exit::Text)
}

fn chart(graph: &Path, stats: &Stats, plot: &DotPlot) -> String {
    let name = graph.file_name().unwrap_or(graph.as_os_str()).to_string_lossy().into_owned();
    let note = format!(
        "{} pages of {} hosts in any order, {} links; a cell is the darker the larger the share of links that \
         lie in cells with at most as many (Figure 3.1c)",
        thousands(stats.pages),
        thousands(stats.hosts),
        thousands(stats.links.total())
    );
    Chart::raster(format!("Links of {name}"), plot.side, plot.shades())
        .note(note)
        .x_label("from")
        .y_label("to")
        .to_svg()
}

/// What `webstrata links pagerank --run` writes, as far as it is drawn.
#[derive(Deserialize)]
struct RankingStats {
    residuals: Vec<f64>,
}

fn convergence(file: &Path) -> anyhow::Result<String> {
    let shown = || file.display().to_string();
    let bytes = fs::read(file).with_context(shown)?;
    let Ok(stats) = serde_json::from_slice::<RankingStats>(&bytes) else {
        bail!("{}: no graph and no statistics of `webstrata links pagerank`", file.display());
    };
    let points = stats.residuals.iter().enumerate();
    Ok(Chart::lines("Convergence")
        .series("residual", points.map(|(at, residual)| ((at + 1) as f64, *residual)))
        .log_y()
        .x_label("iteration")
        .y_label("change of all ranks, as a part of their sum")
        .to_svg())
}
