//! `webstrata search`: find pages again.

mod experiment;
mod facets;
mod index;
mod query;
mod ranks;
mod sink;

use clap::Subcommand;

pub(crate) use sink::IndexSink;

use crate::cli::Global;
use crate::exit::Exit;

/// Find pages again: an index of main texts, link ranks, facets
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Index(index::Args),
    Query(query::Args),
    Ranks(ranks::Args),
    Facets(facets::Args),
    Experiment(experiment::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Index(args) => index::run(args, global),
        Command::Query(args) => query::run(args, global),
        Command::Ranks(args) => ranks::run(args, global),
        Command::Facets(args) => facets::run(args, global),
        Command::Experiment(args) => experiment::run(args, global),
    }
}
