//! `webstrata links`: which pages matter, and to whom.

mod biasing;
mod build;
mod pagerank;
mod ranking;
mod ranks;
mod stats;
mod supervise;
mod top;
mod worker;

use clap::Subcommand;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;

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
    Worker(worker::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Build(args) => build::run(args, global),
        Command::Stats(args) => stats::run(args, global),
        Command::Pagerank(args) => pagerank::run(args, global),
        Command::Top(args) => top::run(args, global),
        Command::Worker(args) => worker::run(args, global),
    }
}
