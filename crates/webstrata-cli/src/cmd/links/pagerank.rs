//! `webstrata links pagerank`: the ranks of all pages, by threads or by processes.

use std::path::PathBuf;

use webstrata_links::{InLinks, cluster, rank};

use super::biasing;
use super::ranking::{self, RankingArgs};
use super::ranks;
use super::supervise;
use super::worker::ClusterArgs;
use webstrata_terminal::args::processors;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata links pagerank web --out ranks.tsv
  webstrata links pagerank web --bias sports.txt --bias health.txt --out topics.tsv
  webstrata links pagerank web --bias-urls '*.edu/*' --unbiased --out ranks.parquet
  webstrata links pagerank web --boilerplate 0          only by links in main texts
  webstrata links pagerank web --processes 4 --checkpoint state --every 10 --out ranks.tsv
  webstrata links pagerank web --processes 4 --checkpoint state --resume --out ranks.tsv

Each line of the output is a page, a tab and its rank. With several biases, each line has a rank for each.

With --processes, worker processes on this machine share the work. If one of them dies, the others are
stopped; the same command with --resume continues from the last checkpoint. They compute at most 16
rankings at once. For workers on several machines, see `webstrata links worker`.

Exit codes: 0 done, 1 the graph has no page, 2 something failed.";

/// Rank all pages of a graph: PageRank, with or without bias
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    ranking: RankingArgs,

    /// The number of partitions, each with a thread [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), conflicts_with = "processes")]
    partitions: Option<u16>,

    /// The number of worker processes, each with a partition
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    processes: Option<u16>,

    /// Start from the ranks of an earlier run, as lines; this is faster if the graph has changed little
    #[arg(long, value_name = "RANKS", conflicts_with = "processes")]
    from: Option<PathBuf>,

    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let report = Report::new(global.quiet);
    args.ranking.check_outputs()?;
    if let Some(processes) = args.processes {
        let settings = args.cluster.settings(usize::from(processes))?;
        // What is wrong with these is said once, here, and not by each worker.
        let graph = args.ranking.open()?;
        let jumps = biasing::jumps(&args.ranking.wanted(&graph, &Report::new(true))?);
        cluster::check(&graph, &jumps, &args.ranking.options(usize::from(processes)))?;
        return supervise::run(usize::from(processes), &settings, global);
    }
    args.cluster.refuse()?;
    let graph = args.ranking.open()?;
    let partitions = args.partitions.map_or_else(processors, usize::from);
    let progress = TerminalProgress::new(global.quiet);
    let wanted = args.ranking.wanted(&graph, &report)?;
    let jumps = biasing::jumps(&wanted);
    let earlier =
        args.from.as_ref().map(|path| ranks::read(path, &graph, wanted.len())).transpose()?;
    let ranking = rank::rank_from(
        &graph,
        &jumps,
        &args.ranking.options(partitions),
        earlier.as_deref(),
        &progress,
    );
    progress.end_part("notes");
    let ranking = ranking?;
    args.ranking.write(&graph, &wanted, &ranking)?;
    ranking::summary(&ranking.run, &format!("{partitions} partitions"), &report);
    Ok(if graph.pages() == 0 { Exit::NoText } else { Exit::Text })
}
