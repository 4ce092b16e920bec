//! `webstrata dedup`: which pages repeat others.

mod compare;

use std::path::PathBuf;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use webstrata_corpus::similarity::{Decision, Tally};

use self::compare::{Kept, Method, Print, Settings, Taking};
use webstrata_terminal::args::{BatchArgs, JsonArg, ReadingArgs, memory};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor::ExtractorArg;
use webstrata_terminal::input::{Input, Inputs};
use webstrata_terminal::output::without_control_characters;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;

/// The version of the JSON's shape.
const VERSION: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  webstrata dedup crawl/
  webstrata warc crawl/ --out texts && webstrata dedup texts/*.jsonl.zst
  webstrata dedup --format json pages.jsonl > decisions.jsonl
  webstrata dedup --unique crawl/ > keep.txt
  webstrata dedup --method url-key crawl.warc.gz

Pages are compared by their main text, as --extractor finds it. Records that `extract` and `warc` write as JSON
lines are compared by their `text`. Each page is compared with the pages that were kept before it. So the first
of several duplicates is kept, and each dropped page is similar to a kept one.

Methods:
  main-text    near-duplicates: MinHash over runs of words; candidates are verified, so that every duplicate has at
               least the similarity of --threshold. With the defaults, pages of similarity 0.75 are found in 77 %
               of cases, of 0.8 in 92 %, of 0.9 nearly always; more --bands find more
  same-text    pages with the same main text, white space aside
  url-key      pages with the same URL key (see `webstrata url`)
  fulltext, rule-based and the others are those of the thesis: all text of a page, or the largest of its segments
               that is not mostly links; 8 min-hashes of runs of 6 words, half of them shared (see --hashes)

JSON has one line for each page: version, name, id, url, date, tokens, duplicate_of (the name of the page
that was kept, or null) and similarity.

Exit codes: 0 done, 1 no page has a text, 2 something failed.";

/// Find pages that repeat others
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Directories of pages, web archives (.warc, .warc.gz, .warc.zst), JSON lines with the field text or html, or
    /// pages
    #[arg(value_name = "DIR|WARC|JSONL|FILE|-", required_unless_present = "files_from")]
    inputs: Vec<PathBuf>,

    /// How pages are compared, see below
    #[arg(long, default_value = "main-text", value_parser = method(), hide_possible_values = true)]
    method: Method,

    /// Words in a run [default: 5 of main texts, 6 of the thesis' methods]
    #[arg(long, value_name = "WORDS")]
    shingle: Option<usize>,

    /// Bands of min-hashes: pages that agree in one are candidates [default: 14]
    #[arg(long, value_name = "N")]
    bands: Option<usize>,

    /// Min-hashes in a band [default: 8]
    #[arg(long, value_name = "N")]
    rows: Option<usize>,

    /// The least similarity of duplicates: what their sets of runs have in common, divided by what either has
    /// [default: 0.7 of main texts, 0.5 of the thesis' methods]
    #[arg(long, value_name = "SIMILARITY")]
    threshold: Option<f64>,

    /// Min-hashes in a fingerprint of the thesis' methods [default: 8]
    #[arg(long, value_name = "N")]
    hashes: Option<usize>,

    #[command(flatten)]
    extractor: ExtractorArg,

    /// Which of two duplicates is kept
    #[arg(long, value_enum, default_value = "arrival")]
    order: Order,

    /// The memory for kept pages; when it is full, the oldest are forgotten, and the summary tells how many
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    memory: usize,

    /// The output format
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten)]
    json: JsonArg,

    /// Write only the pages that are kept; as text, only their names
    #[arg(long)]
    unique: bool,

    #[command(flatten)]
    batch: BatchArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One line for each page
    Text,
    /// One line of JSON for each page
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// The first in the input
    Arrival,
    /// The one with the earliest date, from the web archive or the field date; pages without a date come
    /// last. All fingerprints are held in memory
    Date,
}

fn method() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::all().map(|(_, name)| name)).map(|written| {
        let named = Method::all().find(|(_, name)| *name == written);
        named.map_or(Method::MainText, |(method, _)| method)
    })
}

/// What is left of a page when it has been read.
struct Seen {
    name: String,
    id: String,
    url: Option<String>,
    date: Option<String>,
    print: Option<Print>,
}

#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    name: &'a str,
    id: &'a str,
    url: Option<&'a str>,
    date: Option<&'a str>,
    tokens: u32,
    duplicate_of: Option<&'a str>,
    similarity: Option<f64>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let settings = Settings::of(args)?;
    let taking = Taking::new(args, settings)?;
    let inputs = Inputs::find(&args.batch.paths(&args.inputs)?, &args.batch.extensions(), "dedup")?
        .limited(args.reading.arrival_limits())
        .with_records();
    let mut output = inputs.output(args.batch.output.as_deref())?;
    let mut report = Report::new(global.quiet);
    let (jobs, on_terminal) = (args.batch.jobs.count(), output.is_terminal());
    let kept = Kept::new(settings, args.memory)?;
    let mut decide = Decide::new(args, kept, on_terminal);
    let mut gathered = Gathered { memory: args.memory, ..Gathered::default() };
    batch::pages(
        &inputs,
        jobs,
        &mut report,
        on_terminal,
        |input| seen(&taking, input),
        |seen| match args.order {
            Order::Arrival => output.write(&decide.line(&seen)?),
            Order::Date => gathered.add(seen),
        },
    )?;
    gathered.by_date().iter().try_for_each(|seen| output.write(&decide.line(seen)?))?;
    output.finish()?;
    decide.summary(&report);
    Ok(match decide.kept.tally() {
        _ if report.failed() => Exit::Failed,
        Tally { kept: 0, .. } => Exit::NoText,
        _ => Exit::Text,
    })
}

/// Pages that wait until all are there.
#[derive(Default)]
struct Gathered {
    pages: Vec<Seen>,
    bytes: usize,
    memory: usize,
}

impl Gathered {
    fn add(&mut self, seen: Seen) -> anyhow::Result<()> {
        self.bytes += seen.bytes();
        self.pages.push(seen);
        if self.bytes > self.memory {
            let pages = self.pages.len();
            bail!(
                "--order date: {pages} pages fill the --memory; give more, or sort them beforehand"
            );
        }
        Ok(())
    }

    /// Pages of the same date stay in the order of arrival.
    fn by_date(mut self) -> Vec<Seen> {
        self.pages.sort_by(|a, b| a.when().cmp(&b.when()));
        self.pages
    }
}

impl Seen {
    fn bytes(&self) -> usize {
        let texts = [Some(&self.name), Some(&self.id), self.url.as_ref(), self.date.as_ref()];
        let print = self.print.as_ref().map_or(0, Print::bytes);
        size_of::<Seen>() + print + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// Dates of ISO 8601 sort as texts; what begins otherwise is no date.
    fn when(&self) -> (bool, &str) {
        let date = self.date.as_deref().filter(|date| {
            date.len() >= 4 && date.bytes().take(4).all(|byte| byte.is_ascii_digit())
        });
        (date.is_none(), date.unwrap_or_default())
    }
}

/// Reads a page, on any thread.
fn seen(taking: &Taking, input: &Input) -> Result<(Seen, Option<String>), String> {
    let (print, note) = taking.take(input)?;
    let arrival = input.arrival();
    let seen = Seen {
        name: input.name(),
        id: input.id.clone(),
        url: arrival.and_then(|arrival| arrival.url.clone()),
        date: arrival.and_then(|arrival| arrival.fetched.clone()),
        print,
    };
    Ok((seen, note))
}

/// Decides about page after page, and writes it down.
struct Decide {
    kept: Kept,
    /// What a page has of which nothing can be compared.
    nothing: &'static str,
    format: Format,
    unique: bool,
    without_text: u64,
    for_terminal: bool,
}

impl Decide {
    fn new(args: &Args, kept: Kept, for_terminal: bool) -> Decide {
        let (format, unique) = (args.json.or(Format::Json, args.format), args.unique);
        let nothing = if args.method == Method::UrlKey { "no address" } else { "no text" };
        Decide { kept, nothing, format, unique, without_text: 0, for_terminal }
    }

    /// What is written about a page; nothing about a duplicate where only others are asked for.
    fn line(&mut self, seen: &Seen) -> anyhow::Result<Vec<u8>> {
        let decision = match &seen.print {
            Some(print) => self.kept.add(&seen.name, print)?,
            // Nothing says that it repeats anything.
            None => {
                self.without_text += 1;
                Decision::Kept
            }
        };
        let (duplicate_of, similarity) = match decision {
            Decision::Kept => (None, None),
            Decision::Duplicate { of, similarity } => (Some(of), Some(similarity)),
        };
        if self.unique && duplicate_of.is_some() {
            return Ok(Vec::new());
        }
        let mut line = match (self.format, duplicate_of, similarity) {
            (Format::Json, ..) => serde_json::to_string(&Line {
                version: VERSION,
                name: &seen.name,
                id: &seen.id,
                url: seen.url.as_deref(),
                date: seen.date.as_deref(),
                tokens: seen.print.as_ref().map_or(0, Print::tokens),
                duplicate_of,
                similarity,
            })?,
            (Format::Text, ..) if self.unique => seen.name.clone(),
            (Format::Text, Some(of), Some(similarity)) => {
                format!("{}: duplicate of {of}, similarity {similarity:.2}", seen.name)
            }
            (Format::Text, ..) if seen.print.is_none() => {
                format!("{}: {}", seen.name, self.nothing)
            }
            (Format::Text, ..) => format!("{}: kept", seen.name),
        };
        if self.for_terminal {
            line = without_control_characters(&line).into_owned();
        }
        line.push('\n');
        Ok(line.into_bytes())
    }

    fn summary(&self, report: &Report) {
        let Tally { kept, duplicates, forgotten, cut } = self.kept.tally();
        let without = self.without_text;
        report.note(format_args!(
            "pages kept: {kept}, duplicates: {duplicates}, without text: {without}"
        ));
        if forgotten > 0 {
            report.note(format_args!(
                "{forgotten} of the kept pages were forgotten, later duplicates of them were kept; give more --memory"
            ));
        }
        if cut > 0 {
            report.note(format_args!(
                "{cut} pages resemble so many others that not all were compared; duplicates of them may be left"
            ));
        }
    }
}
