//! `webstrata stream`: feeds in, records out, around the clock.

mod import;

use clap::Subcommand;

use crate::cli::Global;
use crate::exit::Exit;

/// Follow feeds around the clock, without losing a page
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Import(import::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Import(args) => import::run(args, global),
    }
}
