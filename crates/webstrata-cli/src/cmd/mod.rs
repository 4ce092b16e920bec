//! The commands: each has its `Args` and a `run`.

pub(crate) mod blocks;
pub(crate) mod corpus;
pub(crate) mod dedup;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod extractors;
pub(crate) mod features;
pub(crate) mod gain;
pub(crate) mod lab;
pub(crate) mod links;
pub(crate) mod search;
pub(crate) mod segment;
pub(crate) mod serve;
pub(crate) mod stream;
pub(crate) mod train;
pub(crate) mod url;
pub(crate) mod warc;

use crate::cli::{Cli, Command};
use crate::exit::Exit;

pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Extract(args) => extract::run(args, &cli.global),
        Command::Explain(args) => explain::run(args, &cli.global),
        Command::Extractors(args) => extractors::run(args, &cli.global),
        Command::Blocks(args) => blocks::run(args),
        Command::Segment(args) => segment::run(args, &cli.global),
        Command::Serve(args) => serve::run(args, &cli.global),
        Command::Dedup(args) => dedup::run(args, &cli.global),
        Command::Eval(args) => eval::run(args, &cli.global),
        Command::Features(args) => features::run(args, &cli.global),
        Command::Gain(args) => gain::run(args, &cli.global),
        Command::Train(args) => train::run(args, &cli.global),
        Command::Corpus(args) => corpus::run(args, &cli.global),
        Command::Stream(args) => stream::run(args, &cli.global),
        Command::Lab(args) => lab::run(args, &cli.global),
        Command::Links(args) => links::run(args, &cli.global),
        Command::Search(args) => search::run(args, &cli.global),
        Command::Url(args) => url::run(args, &cli.global),
        Command::Warc(args) => warc::run(args, &cli.global),
    }
}
