//! The commands: each has its `Args` and a `run`.

pub(crate) mod corpus;
pub(crate) mod eval;
pub(crate) mod features;
pub(crate) mod gain;
pub(crate) mod lab;
pub(crate) mod links;
pub(crate) mod replay;
pub(crate) mod retrieval;
pub(crate) mod segment;
pub(crate) mod train;

use webstrata_terminal::exit::Exit;

use crate::cli::{Cli, Command};

pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Eval(args) => eval::run(args, &cli.global),
        Command::Train(args) => train::run(args, &cli.global),
        Command::Features(args) => features::run(args, &cli.global),
        Command::Gain(args) => gain::run(args, &cli.global),
        Command::Segment(args) => segment::run(args, &cli.global),
        Command::Corpus(args) => corpus::run(args, &cli.global),
        Command::Links(args) => links::run(args, &cli.global),
        Command::Retrieval(args) => retrieval::run(args, &cli.global),
        Command::Replay(args) => replay::run(args, &cli.global),
        Command::Lab(args) => lab::run(args, &cli.global),
    }
}
