//! The command line. Only its shape: what the arguments mean is the commands' matter.

use clap::{Parser, Subcommand};
use webstrata_terminal::program::Global;

use crate::cmd::{corpus, eval, features, gain, lab, links, replay, retrieval, segment, train};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab eval --set sets/                    scores against gold texts
  webstrata-lab train c48 --set sets/news --out my.tree --extractor my.toml
  webstrata-lab lab --corpora sets/ --out report/   the tables and figures of the papers

A set is a directory with pages/ID.html and gold/ID.txt.

Exit codes: 0 done, 1 nothing was found or a score is below its floor, 2 something failed.";

/// Study, train, measure and reproduce: the laboratory of webstrata.
#[derive(Debug, Parser)]
#[command(name = "webstrata-lab", version, after_help = EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Eval(eval::Args),
    Train(train::Args),
    Features(features::Args),
    Gain(gain::Args),
    Segment(segment::Args),
    Corpus(corpus::Args),
    Links(links::Args),
    Retrieval(retrieval::Args),
    Replay(replay::Args),
    Lab(lab::Args),
}

/// Commands of the other program.
pub(crate) fn elsewhere(command: &str) -> Option<String> {
    let product = [
        "extract",
        "explain",
        "extractors",
        "blocks",
        "warc",
        "dedup",
        "search",
        "links build",
        "links stats",
        "links pagerank",
        "links top",
        "links worker",
        "stream",
        "url",
        "serve",
    ];
    product
        .contains(&command)
        .then(|| format!("`{command}` is a command of the other program: webstrata {command}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn commands_of_the_other_program_are_told_in_one_line() {
        for command in ["extract", "links build", "serve"] {
            let message = elsewhere(command).unwrap();
            assert!(message.ends_with(&format!("webstrata {command}")), "{message}");
        }
        assert_eq!(elsewhere("links topics"), None);
        assert_eq!(elsewhere("evl"), None);
    }
}
