//! `webstrata stream`: follows feeds and delivers records.

mod export;
mod extract;
mod import;
mod messages;
mod run;
mod status;

use clap::Subcommand;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;

/// Follow feeds and extract their pages, without losing one
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Import(import::Args),
    Run(Box<run::Args>),
    Status(status::Args),
    Export(export::Args),
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Import(args) => import::run(args, global),
        Command::Run(args) => run::run(args, global),
        Command::Status(args) => status::run(args, global),
        Command::Export(args) => export::run(args),
    }
}
