//! `webstrata extract`: pages in, main text out.

use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;
use webstrata::{Block, Document, Extractor, Options, Page, Record};

use crate::args::{BatchArgs, ReadingArgs};
use crate::batch;
use crate::cli::Global;
use crate::exit::Exit;
use crate::extractor::ExtractorArg;
use crate::input::{Input, Inputs};
use crate::output;
use crate::report::{self, Report};

const EXAMPLES: &str = "\
Examples:
  webstrata extract page.html
  curl -s https://example.org | webstrata extract
  webstrata extract --format json page.html
  webstrata extract --format json --metadata --links --url https://example.org page.html
  webstrata extract --format highlight page.html > marked.html
  webstrata extract --extractor my.toml --jobs 8 crawl/ > crawl.jsonl

Texts of several files are separated by an empty line. A directory is searched at any depth for
files with one of the extensions of --ext; each page becomes a line of JSON that starts with its
`id`, its path in the directory without the extension, in the order of the paths.

Exit codes: 0 text was found, 1 no page has a main text, 2 something failed.";

/// Write the main text of pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Pages, directories of pages, or - for stdin; stdin where nothing is named
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    extractor: ExtractorArg,

    /// What is written of a page [default: text; for directories, jsonl]
    #[arg(short, long, value_enum)]
    format: Option<Format>,

    /// Add every block of the page to the JSON
    #[arg(short, long)]
    blocks: bool,

    /// Add title, authors, dates and more to the JSON, each with its source
    #[arg(short, long)]
    metadata: bool,

    /// Add the links of the page to the JSON, with the block each stands in
    #[arg(short, long)]
    links: bool,

    /// Where the page came from; makes links absolute and tells which are internal
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Write to a file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    batch: BatchArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The main text, a line for every block
    Text,
    /// One page as JSON, for reading
    Json,
    /// A line of JSON for every page
    Jsonl,
    /// One page as HTML with its main text marked and nothing in it that runs
    Highlight,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let extractor = args.extractor.load()?;
    let inputs = Inputs::find(&args.inputs, &args.batch.extensions(), "extract")?;
    let format = args.format(&inputs)?;
    let mut output = inputs.output(args.output.as_deref())?;
    let work = Work {
        extractor,
        options: Options { url: args.url.clone(), ..args.reading.options() },
        format,
        blocks: args.blocks,
        metadata: args.metadata,
        links: args.links,
        for_terminal: output.is_terminal(),
    };
    let mut report = Report::new(global.quiet);
    for (name, problem) in &inputs.problems {
        report.error(name, problem);
    }
    report.progress(inputs.pages.len(), output.is_terminal());
    let mut any_text = false;
    let written = batch::ordered(
        &inputs.pages,
        args.batch.jobs(),
        |input| work.page(input),
        |input, done| {
            match done.and_then(|done| done) {
                Ok(page) => {
                    if format == Format::Text && any_text && page.has_text {
                        output.write(b"\n")?;
                    }
                    any_text |= page.has_text;
                    output.write(&page.bytes)?;
                    if let Some(note) = page.note {
                        report.note(format_args!("{}: {note}", input.name()));
                    }
                }
                Err(message) => report.error(&input.name(), message),
            }
            report.advance();
            anyhow::Ok(())
        },
    );
    report.finish();
    written?;
    output.finish()?;
    if report.failed() {
        return Ok(Exit::Failed);
    }
    if !any_text && format == Format::Jsonl {
        report.note(format_args!("no main text in any of {} pages", inputs.pages.len()));
    }
    Ok(if any_text { Exit::Text } else { Exit::NoText })
}

impl Args {
    fn format(&self, inputs: &Inputs) -> anyhow::Result<Format> {
        let many = inputs.has_directory || inputs.pages.len() > 1;
        let default = if inputs.has_directory { Format::Jsonl } else { Format::Text };
        let format = self.format.unwrap_or(default);
        match format {
            Format::Json if many => {
                bail!("--format json writes one page; for many, use --format jsonl")
            }
            Format::Highlight if many => {
                bail!("--format highlight writes one page; name a single file")
            }
            Format::Text | Format::Highlight if self.adds().is_some() => {
                let option = self.adds().unwrap_or_default();
                bail!("{option} adds to JSON; use it with --format json or --format jsonl")
            }
            _ if many && self.url.is_some() => {
                bail!("--url is the address of one page; name a single file")
            }
            format => Ok(format),
        }
    }

    /// The first option that adds something to JSON.
    fn adds(&self) -> Option<&'static str> {
        let options =
            [(self.blocks, "--blocks"), (self.metadata, "--metadata"), (self.links, "--links")];
        options.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }
}

/// What every worker does with a page.
struct Work {
    extractor: Extractor,
    options: Options,
    format: Format,
    blocks: bool,
    metadata: bool,
    links: bool,
    for_terminal: bool,
}

/// A page as it will be written.
struct Done {
    bytes: Vec<u8>,
    has_text: bool,
    note: Option<String>,
}

/// A [`Record`] among others.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(flatten)]
    record: &'a Record,
}

impl Work {
    /// Everything that takes time, so that the one thread that writes only writes.
    fn page(&self, input: &Input) -> Result<Done, String> {
        let bytes = input.read(self.options.limits.bytes)?;
        let mut page = Page::read(&bytes, self.extractor.cutting, &self.options);
        self.extractor.apply(&mut page.document);
        let has_text = has_text(&page.document);
        let note = if bytes.is_empty() {
            Some("empty, no text in it".into())
        } else {
            self.note(&page.document, has_text)
        };
        Ok(Done { bytes: self.format(input, &page)?, has_text, note })
    }

    fn format(&self, input: &Input, page: &Page<'_>) -> Result<Vec<u8>, String> {
        let json = match self.format {
            Format::Text => return Ok(self.shown(page.document.text())),
            Format::Highlight => {
                let html = webstrata::output::highlight(&page.document, &page.tree);
                return Ok(self.shown(html + "\n"));
            }
            Format::Json => serde_json::to_vec_pretty(&self.record(page)),
            Format::Jsonl => {
                let record = &self.record(page);
                // Room for the text at once; growing step by step would copy it again and again.
                let mut line = Vec::with_capacity(record.text.len() * 9 / 8 + 512);
                serde_json::to_writer(&mut line, &Line { id: &input.id, record }).map(|()| line)
            }
        };
        let mut json = json.map_err(|error| error.to_string())?;
        json.push(b'\n');
        Ok(json)
    }

    fn record(&self, page: &Page<'_>) -> Record {
        let Page { document, tree } = page;
        let record = if self.blocks {
            Record::with_blocks(document, &self.extractor.name, tree)
        } else {
            Record::new(document, &self.extractor.name)
        };
        let metadata = self.metadata.then(|| page.metadata());
        let links = self.links.then(|| page.links());
        Record { metadata, links, ..record }
    }

    fn shown(&self, text: String) -> Vec<u8> {
        if self.for_terminal {
            return output::harmless(&text).into_owned().into_bytes();
        }
        text.into_bytes()
    }

    /// What JSON would say and text cannot.
    fn note(&self, document: &Document, has_text: bool) -> Option<String> {
        if self.format == Format::Jsonl {
            return None;
        }
        let no_text = || "no main text found; `webstrata explain` shows why".into();
        report::cut_short(document).or_else(|| (!has_text).then(no_text))
    }
}

fn has_text(document: &Document) -> bool {
    let content = document.blocks.iter().filter(|block| block.is_content);
    content.flat_map(Block::atoms).any(|atom| !document.atom_text(atom).is_empty())
}
