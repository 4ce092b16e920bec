//! `webstrata segment`: a page cut into segments by the density of its text (thesis, 4.2).

mod write;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Context;
use webstrata_corpus::segmentation::measures::{
    Agreement, adjusted_rand, labels, normalized_mutual_information,
};
use webstrata_corpus::segmentation::{
    AtomicPage, Method, Segment, Segmenter, SegmentsRecord, gold,
};

use webstrata_terminal::args::{JsonArg, ReadingArgs, one_of, threshold};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::input::Input;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, cut_short};
use webstrata_terminal::style::{Style, columns};

const EXAMPLES: &str = "\
Examples:
  webstrata segment page.html                               a row for each segment
  webstrata segment --format highlight page.html | less -R  the text, a colour for each segment
  webstrata segment --method plain --threshold 0.3 page.html

  webstrata segment --format text page.html > gold.txt      then move the empty lines in gold.txt
  webstrata segment --gold gold.txt page.html               and measure a method against it

  webstrata-lab segment page.html --plot densities.svg      density line by line, with borders
  webstrata-lab segment --set sets/l3s-gn1 --out report/    all methods on annotated pages

Methods:
  word-wrap                          each line is a segment
  tag-gap                            each text between two tags is a segment
  plain, smoothed, smoothed-sparse   neighbours of similar density are fused
  rule-based                         the same, but some tags always separate segments and some never do
  just-rules                         only tags separate segments

Exit codes: 0 done, 1 the page has no text, 2 something failed.";

/// Cut a page into segments, such as menus and articles, by the density of its text
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A page, or - for stdin [default: stdin]
    #[arg(value_name = "PAGE|-")]
    page: Option<PathBuf>,

    /// How the page is cut
    #[arg(short, long, value_name = "METHOD", default_value = "rule-based", value_parser = one_of(Method::ALL))]
    method: Method,

    /// Fuse neighbours whose densities differ by at most this part of the higher one
    ///
    /// The default is 0.38, and 0.6 for rule-based.
    #[arg(short, long, value_name = "PART", value_parser = threshold)]
    threshold: Option<f64>,

    /// The output format
    #[arg(short, long, value_enum, default_value = "table")]
    format: Format,

    #[command(flatten)]
    json: JsonArg,

    /// Compare with this segmentation: the page's text with an empty line between segments
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One row for each segment
    Table,
    /// The text with an empty line between segments, as in gold files
    Text,
    /// One JSON object
    Json,
    /// The text, with a colour for each segment
    Highlight,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let input = Input::one(args.page.as_deref(), "segment")?;
    let options = args.reading.options();
    let bytes = input.read_or_fail(options.limits.bytes)?;
    let segmenter = args.segmenter();
    let (page, segments) = segmenter.read(&bytes, &options);
    let report = Report::new(global.quiet);
    if let Some(note) = cut_short(&page.document) {
        report.note(format_args!("{}: {note}", input.name()));
    }
    let agreement =
        args.gold.as_deref().map(|file| agreement(file, &page, &segments)).transpose()?;
    let style = Style::of_stdout(global.color);
    let written = match args.json.or(Format::Json, args.format) {
        Format::Table => write::table(&page, &segments, agreement, columns(), style),
        Format::Text if io::stdout().is_terminal() => {
            output::without_control_characters(&write::text(&page, &segments)).into_owned()
        }
        Format::Text => write::text(&page, &segments),
        Format::Json => {
            let record = SegmentsRecord::new(&page, &segments, &segmenter);
            serde_json::to_string_pretty(&SegmentsRecord { gold: agreement, ..record })? + "\n"
        }
        Format::Highlight => write::highlighted(&page, &segments, style),
    };
    output::print(written.as_bytes())?;
    Ok(if segments.is_empty() { Exit::NoText } else { Exit::Text })
}

impl Args {
    fn segmenter(&self) -> Segmenter {
        let default = Segmenter::new(self.method);
        let threshold = self.threshold.unwrap_or(default.threshold);
        let width = self.reading.options().width.unwrap_or(default.width);
        Segmenter { threshold, width, ..default }
    }
}

fn agreement(file: &Path, page: &AtomicPage, segments: &[Segment]) -> anyhow::Result<Agreement> {
    let shown = || file.display().to_string();
    let gold = fs::read(file).with_context(shown)?;
    let gold = gold::read(page, &String::from_utf8_lossy(&gold)).with_context(shown)?;
    let found = labels(page, segments);
    Ok(Agreement {
        adjusted_rand: adjusted_rand(&found, &gold),
        normalized_mutual_information: normalized_mutual_information(&found, &gold),
    })
}
