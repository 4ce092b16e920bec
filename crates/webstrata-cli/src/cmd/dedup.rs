//! `webstrata dedup`: which pages repeat others.

use std::path::PathBuf;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use webstrata::Options;
use webstrata_corpus::similarity::{
    Decision, Fingerprint, Index, Part, SimilarityOptions, Sketch, Tally,
};

use webstrata_terminal::args::{BatchArgs, ReadingArgs, memory};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::input::{Input, Inputs};
use webstrata_terminal::output::without_control_characters;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{self, Report};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  webstrata dedup crawl/
  webstrata dedup --hashes 64 crawl.warc.gz
  webstrata dedup --format json pages.jsonl > decisions.jsonl
  webstrata dedup --unique crawl/ > keep.txt

Pages are compared by their largest segment that is not mostly links, as found by --method; menus and footers
do not count. Each page is compared with the pages that were kept before it. So the first of several
duplicates is kept, and each dropped page is similar to a kept one.

The defaults are those of the thesis: shingles of 6 words, 8 min-hashes, half of them shared. They are
coarse: pages that share half of their shingles are found in 64 % of cases, pages that share a quarter in
11 %. With --hashes 64 these are 55 % and less than 0.01 %. Use --hashes 64 if you delete duplicates.

JSON has one line for each page: version, name, id, url, date, tokens, duplicate_of (the name of the page
that was kept, or null) and similarity.

Exit codes: 0 done, 1 no page has a text, 2 something failed.";

/// Find pages that repeat others
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Directories of pages, web archives (.warc, .warc.gz, .warc.zst), JSON lines with the field html,
    /// or pages
    #[arg(value_name = "DIR|WARC|JSONL|FILE", required = true)]
    inputs: Vec<PathBuf>,

    /// How pages are cut into segments; the largest is compared. fulltext compares all text
    #[arg(long, default_value = "rule-based", value_parser = method())]
    method: Part,

    /// Words in a shingle
    #[arg(long, value_name = "WORDS", default_value_t = SimilarityOptions::default().shingle())]
    shingle: usize,

    /// Min-hashes in a fingerprint
    #[arg(long, value_name = "N", default_value_t = SimilarityOptions::default().hashes())]
    hashes: usize,

    /// The share of min-hashes that duplicates have in common at least
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    share: f64,

    /// Which of two duplicates is kept
    #[arg(long, value_enum, default_value = "arrival")]
    order: Order,

    /// The memory for kept pages; when it is full, the oldest are forgotten, and the summary tells how many
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    memory: usize,

    /// The output format
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,

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

fn method() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::all().map(|(_, name)| name)).map(|written| {
        let named = Part::all().find(|(_, name)| *name == written);
        named.map_or(Part::Full, |(part, _)| part)
    })
}

/// What is left of a page when it has been read.
struct Seen {
    name: String,
    id: String,
    url: Option<String>,
    date: Option<String>,
    print: Option<Fingerprint>,
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
    let settings = SimilarityOptions::new(args.shingle, args.hashes, args.share)?;
    let inputs = Inputs::find(&args.inputs, &args.batch.extensions(), "dedup")?
        .limited(args.reading.arrival_limits());
    let mut output = inputs.output(args.batch.output.as_deref())?;
    let mut report = Report::new(global.quiet);
    let (jobs, on_terminal) = (args.batch.jobs.count(), output.is_terminal());
    let work = Work::new(args, settings);
    let mut decide = Decide::new(args, settings, on_terminal);
    let mut gathered = Gathered { memory: args.memory, ..Gathered::default() };
    batch::pages(
        &inputs,
        jobs,
        &mut report,
        on_terminal,
        |input| work.page(input),
        |seen| match args.order {
            Order::Arrival => output.write(&decide.line(&seen)?),
            Order::Date => gathered.add(seen),
        },
    )?;
    gathered.by_date().iter().try_for_each(|seen| output.write(&decide.line(seen)?))?;
    output.finish()?;
    decide.summary(&report);
    Ok(match decide.index.tally() {
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
        let hashes = self.print.as_ref().map_or(0, |print| 4 * print.hashes().len());
        size_of::<Seen>() + hashes + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// Dates of ISO 8601 sort as texts; what begins otherwise is no date.
    fn when(&self) -> (bool, &str) {
        let date = self.date.as_deref().filter(|date| {
            date.len() >= 4 && date.bytes().take(4).all(|byte| byte.is_ascii_digit())
        });
        (date.is_none(), date.unwrap_or_default())
    }
}

/// Makes fingerprints of pages, on any thread.
struct Work {
    part: Part,
    sketch: Sketch,
    options: Options,
}

impl Work {
    fn new(args: &Args, settings: SimilarityOptions) -> Work {
        let options = args.reading.options();
        let mut part = args.method;
        if let (Part::Largest(segmenter), Some(width)) = (&mut part, options.width) {
            segmenter.width = width;
        }
        Work { part, sketch: Sketch::new(settings), options }
    }

    fn page(&self, input: &Input) -> Result<(Seen, Option<String>), String> {
        let bytes = input.read(self.options.limits.bytes)?;
        let page = self.part.read(&bytes, &input.options(&self.options));
        let arrival = input.arrival();
        let seen = Seen {
            name: input.name(),
            id: input.id.clone(),
            url: arrival.and_then(|arrival| arrival.url.clone()),
            date: arrival.and_then(|arrival| arrival.fetched.clone()),
            print: self.sketch.texts(self.part.texts(&page)),
        };
        Ok((seen, report::cut_short(&page.document)))
    }
}

/// Decides about page after page, and writes it down.
struct Decide {
    index: Index,
    hashes: usize,
    format: Format,
    unique: bool,
    without_text: u64,
    for_terminal: bool,
}

impl Decide {
    fn new(args: &Args, settings: SimilarityOptions, for_terminal: bool) -> Decide {
        let index = Index::new(settings, args.memory);
        let (format, unique) = (args.format, args.unique);
        Decide { index, hashes: settings.hashes(), format, unique, without_text: 0, for_terminal }
    }

    /// What is written about a page; nothing about a duplicate where only others are asked for.
    fn line(&mut self, seen: &Seen) -> anyhow::Result<Vec<u8>> {
        let decision = match &seen.print {
            Some(print) => self.index.add(&seen.name, print),
            // Nothing says that it repeats anything.
            None => {
                self.without_text += 1;
                Decision::Kept
            }
        };
        let (duplicate_of, shared) = match decision {
            Decision::Kept => (None, None),
            Decision::Duplicate { of, shared } => (Some(of), Some(shared)),
        };
        if self.unique && duplicate_of.is_some() {
            return Ok(Vec::new());
        }
        let similarity = shared.map(|shared| shared as f64 / self.hashes as f64);
        let mut line = match (self.format, duplicate_of, similarity) {
            (Format::Json, ..) => serde_json::to_string(&Line {
                version: VERSION,
                name: &seen.name,
                id: &seen.id,
                url: seen.url.as_deref(),
                date: seen.date.as_deref(),
                tokens: seen.print.as_ref().map_or(0, Fingerprint::tokens),
                duplicate_of,
                similarity,
            })?,
            (Format::Text, ..) if self.unique => seen.name.clone(),
            (Format::Text, Some(of), Some(similarity)) => {
                format!("{}: duplicate of {of}, similarity {similarity:.2}", seen.name)
            }
            (Format::Text, ..) if seen.print.is_none() => format!("{}: no text", seen.name),
            (Format::Text, ..) => format!("{}: kept", seen.name),
        };
        if self.for_terminal {
            line = without_control_characters(&line).into_owned();
        }
        line.push('\n');
        Ok(line.into_bytes())
    }

    fn summary(&self, report: &Report) {
        let Tally { kept, duplicates, forgotten, cut } = self.index.tally();
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
                "{cut} pages share a text with more than 4,000 others, of which only the latest were compared; try more --hashes"
            ));
        }
    }
}
