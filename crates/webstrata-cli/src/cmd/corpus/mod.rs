//! `webstrata corpus`: from pages to a corpus, by a pipeline that is a file.

mod card;
mod explain;
mod fetched;
mod flow;
mod manifest;
mod output;
mod picture;
mod run;

use std::path::PathBuf;

use webstrata_terminal::args::JobsArgs;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;

const EXAMPLE: &str = r#"A pipeline is a TOML file:

  sources = ["crawl/", "more.warc.gz", "texts/*.jsonl.zst"]
  urls = ["list.txt", "https://example.org/"]     # fetched first and kept in corpus-fetched/; also
  sitemaps = ["https://example.org/sitemap.xml"]  # with [fetch] and the settings of a stream

  [extract]
  extractor = "strata"            # with = ["metadata", "markdown"] adds to the records

  [[filter]]                      # any number, in this order; `webstrata corpus filters` shows all
  name = "language"
  keep = ["en"]

  [[filter]]
  name = "gopher-quality"

  [[deduplicate]]                 # main-text, same-text, url-key, repeated-lines or repeated-paragraphs
  method = "main-text"
  threshold = 0.7

  [chunk]                         # for retrieval: records are pieces of pages
  size = 300
  overlap = 50
  measure = "words"               # or characters, tokens

  [output]
  folder = "corpus"
  format = "parquet"              # or arrow, warc.wet.gz; jsonl, csv, bulk.jsonl: also with .gz and .zst
  part-size = "256M"              # files = "markdown" instead of a format writes a file a page: text, markdown,
                                  # html, json, xml, tei

Sources are web archives, pages, tables, and JSON lines: of pages (html) or of records that `extract` and `warc` wrote
(text). Paths are relative to the file. `manifest.json` in the folder has what came in, what was written, how many
pages each step dropped and why, and the digests of all parts; `datacard.md` says the same to people. The same inputs
give the same bytes, for any --jobs. Sources that are new are read when the command runs again.

A run that was stopped or killed can be resumed with the same command: it continues after the last complete part and
writes the same files as an uninterrupted run.

Exit codes: 0 records were written, 1 none, 2 something failed."#;

/// Make a corpus of pages: extract, filter, deduplicate, write
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(RunArgs),
    Filters(FiltersArgs),
}

/// Run a pipeline
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
struct RunArgs {
    /// The pipeline
    #[arg(value_name = "FILE.toml")]
    pipeline: PathBuf,

    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Fetch the addresses, and do nothing else
    #[arg(long, conflicts_with = "dry_run")]
    fetch_only: bool,

    /// Read sitemaps again, and ask again for the addresses that failed for now
    #[arg(long)]
    refresh: bool,

    /// Write what is dropped to this directory, each record with the reason, as JSON lines
    #[arg(long, value_name = "DIR")]
    rejected: Option<PathBuf>,

    /// Draw what each step dropped, to this file: a page, or the picture alone where the name ends with .svg
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Start again: delete what an earlier run has written to the directories
    #[arg(long)]
    restart: bool,

    #[command(flatten)]
    jobs: JobsArgs,
}

/// Show the filters, or one with its parameters
#[derive(Debug, clap::Args)]
struct FiltersArgs {
    /// The name of a filter
    name: Option<String>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(args) => run::run(args, global),
        Command::Filters(args) => explain::filters(args.name.as_deref()),
    }
}
