//! `webstrata-lab links`: what rankings of pages are worth.

mod compare;
mod partitions;
mod plot;
mod strata;
mod topics;

use clap::Subcommand;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;

/// Study web graphs and rankings: compare, evaluate, draw
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(compare::Args),
    Partitions(partitions::Args),
    Plot(plot::Args),
    Strata(strata::Args),
    Topics(topics::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Compare(args) => compare::run(args, global),
        Command::Partitions(args) => partitions::run(args, global),
        Command::Plot(args) => plot::run(args, global),
        Command::Strata(args) => strata::run(args, global),
        Command::Topics(args) => topics::run(args, global),
    }
}
