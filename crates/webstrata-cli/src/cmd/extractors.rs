//! `webstrata extractors`: what there is to choose from.

use std::fmt::Write;

use serde_json::{Value, json};
use webstrata::Extractor;
use webstrata::filters::Step;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::style::{Paint, Style, padded};

const EXAMPLES: &str = "\
Examples:
  webstrata extractors                          names, purposes and papers
  webstrata extractors show article > my.toml   a starting point for your own extractor
  webstrata extractors filters                  all filters that extractors can use";

/// List the built-in extractors
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print an extractor as TOML
    Show {
        /// A built-in extractor or the path of a TOML file
        #[arg(value_name = "NAME|FILE.toml")]
        name: String,
    },
    /// List the filters that extractors are made of
    Filters {
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let style = Style::of_stdout(global.color);
    let text = match &args.command {
        None if args.json => extractors_json()?,
        None => extractors(style),
        Some(Command::Show { name }) => extractor::load(name)?.to_toml(),
        Some(Command::Filters { json: true }) => filters_json()?,
        Some(Command::Filters { json: false }) => filters(style),
    };
    output::print(text.as_bytes())?;
    Ok(Exit::Text)
}

fn extractors(style: Style) -> String {
    let all = Extractor::builtin();
    let width = all.iter().map(|extractor| extractor.name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for extractor in all {
        let name = style.paint(Paint::Heading, &padded(&extractor.name, width));
        let paper = style.paint(Paint::Aside, &extractor.paper);
        // Writing to a string cannot fail.
        let _ = writeln!(list, "{name}  {}", extractor.about);
        let _ = writeln!(list, "{}  {paper}", " ".repeat(width));
    }
    list
}

fn extractors_json() -> serde_json::Result<String> {
    let about = |extractor: &Extractor| {
        let Extractor { name, about, paper, .. } = extractor;
        json!({ "name": name, "about": about, "paper": paper })
    };
    lines(Extractor::builtin().iter().map(about))
}

fn filters_json() -> serde_json::Result<String> {
    let steps = Step::names().iter().filter_map(|name| Step::named(name));
    lines(steps.map(
        |step| json!({ "name": step.name(), "about": step.doc(), "in_boilerpipe": step.aliases() }),
    ))
}

fn lines(all: impl Iterator<Item = Value>) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&all.collect::<Vec<_>>())? + "\n")
}

fn filters(style: Style) -> String {
    let width = Step::names().iter().map(|name| name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for step in Step::names().iter().filter_map(|name| Step::named(name)) {
        let name = style.paint(Paint::Heading, &padded(step.name(), width));
        let doc = step.doc().replace('\n', " ");
        let _ = writeln!(list, "{name}  {}", first_sentence(&doc));
    }
    list.push_str("\nMore about one of them: webstrata explain --filter NAME\n");
    list
}

/// Up to a full stop that a number does not follow: "Finn et al. 2001" goes on.
fn first_sentence(doc: &str) -> &str {
    let ends = |at: &usize| !doc[at + 2..].starts_with(char::is_numeric);
    let end = doc.match_indices(". ").map(|(at, _)| at).find(ends);
    end.map_or(doc.trim_end(), |end| &doc[..=end])
}
