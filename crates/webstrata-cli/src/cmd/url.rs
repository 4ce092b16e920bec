//! `webstrata url`: what of an address names the page.

use std::path::PathBuf;

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use webstrata_archive::{JsonLines, Limits};
use webstrata_site::url_key::{LearnedRules, Rules, Step};

use webstrata_terminal::args::JsonArg;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::known_sites::url_rules;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;

const EXAMPLES: &str = "\
Examples:
  webstrata url key 'https://www.example.org/tides/?utm_source=feed'   example.org/tides
  webstrata url key --title 'Spring tide' https://example.org/
  webstrata url key --step 2 'http://example.org/a?b=1&a=2'
  webstrata url key --format json URL…          with the domain and the branch of the URL Tree
  webstrata url rules > rules.toml              the built-in rules, as a starting point
  webstrata url learn stream.jsonl.zst > rules.toml

Exit codes: 0 done, 2 an address is not a web address, or something failed.";

/// Show URL keys, which identify pages by their address, and learn their rules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Key(KeyArgs),
    /// Print the built-in rules, as a starting point for your own
    Rules,
    Learn(LearnArgs),
}

/// Print the URL keys of addresses, one per line
///
/// Nothing is fetched and no redirect is followed: give the addresses that answered.
#[derive(Debug, clap::Args)]
struct KeyArgs {
    /// Addresses
    #[arg(value_name = "URL", required = true)]
    urls: Vec<String>,

    /// The title from the feed, which identifies pages whose address does not
    #[arg(long, default_value = "")]
    title: String,

    /// Rules for parameters, as TOML [default: the built-in rules]
    #[arg(long, value_name = "FILE.toml")]
    rules: Option<PathBuf>,

    /// Stop after a step: 1 the address, 2 normalised and with the title, 3 the key
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3))]
    step: u8,

    /// The output format
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten)]
    json: JsonArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One key per line
    Text,
    /// One line of JSON for each address
    Json,
}

/// Learn rules from pages: which parameters change the text, and which do not
#[derive(Debug, clap::Args)]
struct LearnArgs {
    /// Pages as JSON lines with the fields html and response_url or url; compressed or not
    #[arg(value_name = "FILE.jsonl", required = true)]
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Key<'a> {
    version: u32,
    url: &'a str,
    key: &'a str,
    domain: &'a str,
    branch: Vec<&'a str>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Key(args) => keys(args, global),
        Command::Rules => {
            output::print(Rules::DEFAULT_TOML.as_bytes())?;
            Ok(Exit::Text)
        }
        Command::Learn(args) => learn(args, global),
    }
}

fn keys(args: &KeyArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let rules = url_rules(args.rules.as_deref())?;
    let step = Step::ALL[usize::from(args.step) - 1];
    let mut text = String::new();
    for url in &args.urls {
        let written = rules.after(step, url, &args.title);
        let (Some(written), Some(key)) = (written, rules.key(url, &args.title)) else {
            report.error(url, "not a web address; expected http:// or https:// and a host");
            continue;
        };
        match args.json.or(Format::Json, args.format) {
            Format::Text => text.push_str(&written),
            Format::Json => {
                let (domain, branch) = (key.domain(), key.branch().collect());
                let key = Key { version: 1, url, key: &written, domain, branch };
                text.push_str(&serde_json::to_string(&key)?);
            }
        }
        text.push('\n');
    }
    output::print(text.as_bytes())?;
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}

/// A page and its address. What is not there is empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(alias = "url")]
    response_url: String,
    html: String,
}

fn learn(args: &LearnArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let mut learned = LearnedRules::default();
    report.progress_files(&args.files);
    for file in &args.files {
        let mut lines = match JsonLines::open(file, Limits::default()) {
            Ok(lines) => lines,
            Err(problem) => {
                report.error(&problem.place(), &problem.message);
                continue;
            }
        };
        let mut at = 0;
        while let Some(line) = lines.parsed::<Line>() {
            report.advance_by(lines.position() - at);
            at = lines.position();
            let line = match line {
                Ok(line) => line,
                Err(problem) => {
                    report.error_in(file, &problem.place(), problem.message);
                    continue;
                }
            };
            let text = webstrata::extract(line.html.as_bytes()).document.text();
            learned.observe(&line.response_url, &text);
        }
    }
    report.finish();
    output::print(learned.to_toml().as_bytes())?;
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}
