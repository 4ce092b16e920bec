//! `webstrata links`: which pages matter, and to whom.

mod biasing;
mod build;
mod compare;
mod pagerank;
mod ranking;
mod ranks;
mod stats;
mod strata;
mod supervise;
mod top;
mod topics;
mod worker;

use clap::Subcommand;

use crate::cli::Global;
use crate::exit::Exit;

/// Rank pages by their links: the web graph, PageRank, topics
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Args),
    Stats(stats::Args),
    Pagerank(pagerank::Args),
    Top(top::Args),
    Compare(compare::Args),
    Strata(strata::Args),
    Topics(topics::Args),
    Worker(worker::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Build(args) => build::run(args, global),
        Command::Stats(args) => stats::run(args, global),
        Command::Pagerank(args) => pagerank::run(args, global),
        Command::Top(args) => top::run(args, global),
        Command::Compare(args) => compare::run(args, global),
        Command::Strata(args) => strata::run(args, global),
        Command::Topics(args) => topics::run(args, global),
        Command::Worker(args) => worker::run(args, global),
    }
}
