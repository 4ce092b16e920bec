//! What a ranking is asked for on the command line, and how its ranks are written: for `pagerank` and `worker`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use webstrata_archive::export::Format;
use webstrata_links::Graph;
use webstrata_links::rank::{Choice, Dangling, Method, RankOptions, Ranking, Run, Surfer, Until};

use super::biasing::{BiasArgs, Wanted};
use super::ranks;
use webstrata_terminal::args::at_least_one;
use webstrata_terminal::report::Report;

#[derive(Debug, clap::Args)]
pub(crate) struct RankingArgs {
    /// The directory of the graph
    #[arg(value_name = "GRAPH")]
    pub(crate) graph: PathBuf,

    /// Use the graph without comparing its files with their checksums, which reads all of it once more
    #[arg(long)]
    no_verify: bool,

    #[command(flatten)]
    bias: BiasArgs,

    /// Write the ranks to a file: FILE.parquet as a table, others as lines [default: stdout]
    #[arg(short, long, visible_alias = "output", value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write statistics of the run as JSON: residuals, votes, memory
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,

    /// The probability that the surfer follows a link instead of jumping, from 0 to below 1
    #[arg(long, value_name = "SHARE", default_value_t = Surfer::default().alpha)]
    alpha: f64,

    /// Stop when an iteration changes the ranks by no more than this part of their sum
    #[arg(long, value_name = "PART", default_value_t = 1e-6, conflicts_with = "error")]
    residual: f64,

    /// Stop when the sum of all errors is no more than this
    #[arg(long, value_name = "PART")]
    error: Option<f64>,

    /// The largest number of iterations
    #[arg(long, value_name = "N", default_value_t = RankOptions::default().most_iterations, value_parser = at_least_one::<usize>)]
    iterations: usize,

    /// The method of computation
    #[arg(long, value_enum, default_value = "gauss-seidel")]
    method: MethodArg,

    /// What to do with the rank of pages without links
    #[arg(long, value_enum, default_value = "jump")]
    dangling: DanglingArg,

    /// Sweeps over the pages of a partition between two exchanges of votes
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one::<usize>)]
    sweeps: usize,

    /// The weight of links inside a host
    #[arg(long, value_name = "WEIGHT", default_value_t = Surfer::default().internal)]
    internal: f64,

    /// The weight of links to other hosts
    #[arg(long, value_name = "WEIGHT", default_value_t = Surfer::default().external)]
    external: f64,

    /// The weight of links in the main text
    #[arg(long, value_name = "WEIGHT", default_value_t = Surfer::default().content)]
    content: f64,

    /// The weight of links in boilerplate
    #[arg(long, value_name = "WEIGHT", default_value_t = Surfer::default().boilerplate)]
    boilerplate: f64,

    /// What the weights apply to
    #[arg(long, value_enum, default_value = "link")]
    choice: ChoiceArg,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum MethodArg {
    /// From the ranks of the last iteration
    Jacobi,
    /// From the newest ranks
    GaussSeidel,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum DanglingArg {
    /// The surfer jumps as elsewhere in the ranking, as in networkx and igraph
    Jump,
    /// The surfer jumps to any page, also in biased rankings
    Uniform,
    /// The rank is lost; ranks sum to less than 1
    Drop,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ChoiceArg {
    /// Single links
    Link,
    /// The two sides, inside and outside the host, for any number of links
    Side,
    /// The two sides, and main text and boilerplate within each
    Stratum,
}

impl RankingArgs {
    pub(crate) fn open(&self) -> anyhow::Result<Graph> {
        Ok(if self.no_verify {
            Graph::open_unverified(&self.graph)?
        } else {
            Graph::open(&self.graph)?
        })
    }

    pub(crate) fn options(&self, partitions: usize) -> RankOptions {
        RankOptions {
            surfer: Surfer {
                alpha: self.alpha,
                internal: self.internal,
                external: self.external,
                content: self.content,
                boilerplate: self.boilerplate,
                choice: match self.choice {
                    ChoiceArg::Link => Choice::Link,
                    ChoiceArg::Side => Choice::Side,
                    ChoiceArg::Stratum => Choice::Stratum,
                },
            },
            dangling: match self.dangling {
                DanglingArg::Jump => Dangling::Jump,
                DanglingArg::Uniform => Dangling::Uniform,
                DanglingArg::Drop => Dangling::Drop,
            },
            method: match self.method {
                MethodArg::Jacobi => Method::Jacobi,
                MethodArg::GaussSeidel => Method::GaussSeidel,
            },
            until: self.error.map_or(Until::Residual(self.residual), Until::Error),
            most_iterations: self.iterations,
            sweeps: self.sweeps,
            partitions,
            ..RankOptions::default()
        }
    }

    /// Checks that the results can be written, before hours of work.
    pub(crate) fn check_outputs(&self) -> anyhow::Result<()> {
        for path in self.out.iter().chain(&self.run) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if folder.is_some_and(|folder| !folder.is_dir()) {
                bail!("{}: there is no such folder to write to", path.display());
            }
        }
        if let Some(path) = self.run.as_deref().filter(|path| is_chart(path)) {
            bail!("{}: --run writes JSON, which `webstrata-lab links plot` draws", path.display());
        }
        let table = self.out.as_deref().filter(|path| ranks::is_table(path));
        if let Some(path) = table.filter(|_| !Format::Parquet.is_built()) {
            bail!(
                "{}: this build has no Parquet; build it with the feature `parquet`",
                path.display()
            );
        }
        Ok(())
    }

    /// The rankings that are asked for.
    pub(crate) fn wanted(&self, graph: &Graph, report: &Report) -> anyhow::Result<Vec<Wanted>> {
        self.bias.wanted(graph, report)
    }

    /// Writes the ranks, and how it went if that is asked for.
    pub(crate) fn write(
        &self,
        graph: &Graph,
        wanted: &[Wanted],
        ranking: &Ranking,
    ) -> anyhow::Result<()> {
        ranks::write(self.out.as_deref(), graph, wanted, ranking)?;
        self.run.as_ref().map_or(Ok(()), |path| ranks::write_run(path, wanted, &ranking.run))
    }
}

fn is_chart(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "svg" || extension == "png")
}

/// How a ranking went, on a few lines.
pub(crate) fn summary(run: &Run, parts: &str, report: &Report) {
    let residual = run.residuals.last().copied().unwrap_or(0.0);
    report.note(format_args!(
        "{} iterations, residual {residual:.1e}, error at most {:.1e}{}",
        run.residuals.len(),
        run.error_bound,
        if run.converged { "" } else { "; not as good as wanted, see --iterations" }
    ));
    let share = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
    report.note(format_args!(
        "{} links, {:.1} % between hosts; {} between {parts}, sent as {} votes ({:.0} % fewer), \
         {} bytes an iteration",
        run.links,
        share(run.inter_host, run.links),
        run.inter_partition,
        run.votes,
        share(run.inter_partition - run.votes.min(run.inter_partition), run.inter_partition),
        run.bytes_sent,
    ));
}
