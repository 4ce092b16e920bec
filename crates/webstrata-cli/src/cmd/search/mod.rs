//! `webstrata search`: find pages again.

mod facets;
mod index;
mod query;
mod ranks;
mod sink;

use clap::Subcommand;

pub(crate) use sink::IndexSink;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;

/// Index and search pages: main texts, link ranks, facets
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
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Index(args) => index::run(args, global),
        Command::Query(args) => query::run(args, global),
        Command::Ranks(args) => ranks::run(args, global),
        Command::Facets(args) => facets::run(args, global),
    }
}
