//! `webstrata links`: which pages matter, and to whom.

mod pagerank;
mod ranking;
mod supervise;
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
    Pagerank(pagerank::Args),
    Worker(worker::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Pagerank(args) => pagerank::run(args, global),
        Command::Worker(args) => worker::run(args, global),
    }
}
