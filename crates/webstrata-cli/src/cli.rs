//! The command line. Only its shape: what the arguments mean is the commands' matter.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use webstrata::error::nearest;

use crate::cmd::{
    blocks, corpus, dedup, eval, explain, extract, extractors, features, gain, lab, links, search,
    segment, serve, stream, train, url, warc,
};
use crate::exit::Exit;
use crate::report;
use crate::style::Color;

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

/// What every command understands.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,

    /// No progress bar and no notes; failures are still reported
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Extract(extract::Args),
    Explain(explain::Args),
    Extractors(extractors::Args),
    Blocks(blocks::Args),
    Segment(segment::Args),
    Serve(serve::Args),
    Dedup(dedup::Args),
    Eval(eval::Args),
    Features(features::Args),
    Gain(gain::Args),
    Train(train::Args),
    Corpus(corpus::Args),
    Lab(lab::Args),
    Links(links::Args),
    Search(search::Args),
    Stream(stream::Args),
    Url(url::Args),
    Warc(warc::Args),
}

/// Reads the command line. `--help`, `--version` and mistakes end the run here.
pub(crate) fn parse() -> Result<Cli, Exit> {
    Cli::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Where nobody reads the help there is nobody to tell.
            let _ = error.print();
            Exit::Text
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::Failed
        }
        ErrorKind::InvalidSubcommand => {
            report::line(&unknown_command(&error));
            Exit::Failed
        }
        _ => {
            report::line(&one_line(&error.render().to_string()));
            Exit::Failed
        }
    })
}

/// `webstrata page.html` is what everybody tries first.
fn unknown_command(error: &clap::Error) -> String {
    let cli = Cli::command();
    let commands: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let below_a_command =
        std::env::args_os().skip(1).any(|argument| commands.iter().any(|name| argument == *name));
    let written = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(written)) if !below_a_command => written.as_str(),
        _ => return one_line(&error.render().to_string()),
    };
    if Path::new(written).exists() || written.contains(['.', '/', '\\']) || written == "-" {
        return format!("`{written}` is no command, did you mean: webstrata extract {written}");
    }
    match nearest(written, commands.iter().copied()) {
        Some(near) => format!("unknown command `{written}`, did you mean `{near}`?"),
        None => format!("unknown command `{written}`, expected one of {}", commands.join(", ")),
    }
}

/// clap's paragraphs as one line like all our messages: what is wrong and the hints, no usage.
fn one_line(rendered: &str) -> String {
    let paragraphs = rendered.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let mut message = String::new();
    for line in paragraphs.filter(|l| !l.is_empty() && !l.starts_with("For more information")) {
        let line = line.strip_prefix("error: ").or(line.strip_prefix("tip: ")).unwrap_or(line);
        let line = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')).unwrap_or(line);
        match message.chars().last() {
            None => {}
            Some(':') => message.push(' '),
            Some(_) => message.push_str("; "),
        }
        message.push_str(line);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
