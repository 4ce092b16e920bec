//! `webstrata links pagerank`: the ranks of all pages, by threads or by processes.

use std::path::PathBuf;

use webstrata_base::thousands;
use webstrata_links::{Graph, InLinks, cluster, rank};

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
  webstrata links pagerank web --join --out ranks.tsv   while `links build --add` adds pages

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

    /// Let pages that `links build --add` adds meanwhile join at the next iteration; others keep their ranks
    #[arg(long, conflicts_with = "processes")]
    join: bool,

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
    let mut wanted = args.ranking.wanted(&graph, &report)?;
    let jumps = biasing::jumps(&wanted);
    let earlier =
        args.from.as_ref().map(|path| ranks::read(path, &graph, wanted.len())).transpose()?;
    let options = args.ranking.options(partitions);
    let (graph, ranking, joined) = if args.join {
        // What was looked up in the graph as it was is looked up again where it has grown.
        let generation = graph.about().generation;
        let mut jumps_in = |graph: &Graph| {
            if graph.about().generation > generation {
                wanted = args.ranking.wanted(graph, &report)?;
            }
            Ok(biasing::jumps(&wanted))
        };
        let open = || args.ranking.open();
        let grown = rank::rank_growing(graph, &open, &mut jumps_in, &options, earlier, &progress);
        progress.end_part("notes");
        let grown: rank::Grown = grown?;
        (grown.graph, grown.ranking, grown.joined)
    } else {
        let ranking = rank::rank_from(&graph, &jumps, &options, earlier.as_deref(), &progress);
        progress.end_part("notes");
        (graph, ranking?, Vec::new())
    };
    for (iteration, pages) in joined {
        let pages = thousands(pages as u64);
        report.note(format_args!("{pages} pages have joined after iteration {iteration}"));
    }
    args.ranking.write(&graph, &wanted, &ranking)?;
    ranking::summary(&ranking.run, &format!("{partitions} partitions"), &report);
    Ok(if graph.pages() == 0 { Exit::NoText } else { Exit::Text })
}
