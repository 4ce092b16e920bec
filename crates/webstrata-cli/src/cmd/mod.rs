//! The commands: each has its `Args` and a `run`.

mod addresses;
mod archives;
pub(crate) mod blocks;
pub(crate) mod corpus;
pub(crate) mod dedup;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod extractors;
#[cfg(feature = "links")]
pub(crate) mod links;
pub(crate) mod manual;
#[cfg(feature = "search")]
pub(crate) mod search;
pub(crate) mod segment;
#[cfg(feature = "serve")]
pub(crate) mod serve;
#[cfg(feature = "stream")]
pub(crate) mod stream;
pub(crate) mod url;
pub(crate) mod warc;

use webstrata_terminal::exit::Exit;

use crate::cli::{Cli, Command};

pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Extract(args) => extract::run(args, &cli.global),
        Command::Explain(args) => explain::run(args, &cli.global),
        Command::Extractors(args) => extractors::run(args, &cli.global),
        Command::Blocks(args) => blocks::run(args),
        Command::Segment(args) => segment::run(args, &cli.global),
        Command::Warc(args) => warc::run(args, &cli.global),
        Command::Corpus(args) => corpus::run(args, &cli.global),
        Command::Dedup(args) => dedup::run(args, &cli.global),
        #[cfg(feature = "search")]
        Command::Search(args) => search::run(args, &cli.global),
        #[cfg(feature = "links")]
        Command::Links(args) => links::run(args, &cli.global),
        #[cfg(feature = "stream")]
        Command::Stream(args) => stream::run(args, &cli.global),
        Command::Url(args) => url::run(args, &cli.global),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args, &cli.global),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
    }
}
