//! The command line: its commands and flags. The commands interpret their arguments.

use clap::{Parser, Subcommand};
use webstrata_terminal::program::Global;

#[cfg(feature = "links")]
use crate::cmd::links;
#[cfg(feature = "search")]
use crate::cmd::search;
#[cfg(feature = "serve")]
use crate::cmd::serve;
#[cfg(feature = "stream")]
use crate::cmd::stream;
use crate::cmd::{blocks, corpus, dedup, explain, extract, extractors, manual, segment, url, warc};

const EXAMPLES: &str = "\
Examples:
  webstrata extract page.html                   the main text of a page
  curl -s https://example.org | webstrata extract
  webstrata extract crawl/ > crawl.jsonl        all pages of a directory, a JSON line each
  webstrata explain page.html                   what was kept and dropped, and why

Exit codes: 0 text was found, 1 no page has a main text, 2 something failed.";

/// Main text out of any web page.
#[derive(Debug, Parser)]
#[command(name = "webstrata", version, after_help = EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Extract(Box<extract::Args>),
    Explain(explain::Args),
    Extractors(extractors::Args),
    Blocks(blocks::Args),
    Segment(segment::Args),
    Warc(warc::Args),
    Dedup(dedup::Args),
    Corpus(corpus::Args),
    #[cfg(feature = "search")]
    Search(search::Args),
    #[cfg(feature = "links")]
    Links(links::Args),
    #[cfg(feature = "stream")]
    Stream(stream::Args),
    Url(url::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// The message for a command that this build does not have, or that belongs to the laboratory.
pub(crate) fn elsewhere(command: &str) -> Option<String> {
    let there = match command {
        "search" | "links" | "stream" | "serve" => {
            return Some(format!(
                "this build has no `{command}`; build it with the feature `{command}`, which is on by default"
            ));
        }
        "lab" | "train" | "eval" | "gain" | "features" => command,
        "links compare" | "links strata" | "links topics" => command,
        "search experiment" => "retrieval",
        "stream replay" => "replay",
        _ => return None,
    };
    Some(format!("`{command}` is a command of the laboratory: webstrata-lab {there}"))
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
    fn what_this_build_does_not_have_is_told_in_one_line() {
        let heavy = elsewhere("serve").unwrap();
        assert!(
            heavy.starts_with("this build has no `serve`") && heavy.contains("the feature `serve`")
        );
        for command in ["search", "links", "stream", "serve"] {
            assert!(!elsewhere(command).unwrap().contains('\n'), "{command}");
        }
        for (command, there) in [
            ("eval", "webstrata-lab eval"),
            ("links topics", "webstrata-lab links topics"),
            ("search experiment", "webstrata-lab retrieval"),
            ("stream replay", "webstrata-lab replay"),
        ] {
            let message = elsewhere(command).unwrap();
            assert!(message.ends_with(there) && !message.contains('\n'), "{message}");
        }
        assert_eq!(elsewhere("extrct"), None);
    }

    /// Every command is here, or its name is told.
    #[test]
    fn no_command_is_without_an_answer() {
        let cli = Cli::command();
        let here: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
        for command in ["extract", "warc", "url", "search", "links", "stream", "serve"] {
            assert!(here.contains(&command) || elsewhere(command).is_some(), "{command}");
        }
    }
}
