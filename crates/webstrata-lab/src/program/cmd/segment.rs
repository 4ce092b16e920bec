//! `webstrata-lab segment`: how methods cut pages into segments (thesis, 4.2), as a chart and measured on sets.

mod sets;

use std::path::PathBuf;

use anyhow::bail;
use webstrata_corpus::segmentation::{Method, Segmenter};
use webstrata_lab::segmentation::chart;
use webstrata_terminal::args::{ReadingArgs, one_of, threshold};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::input::Input;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, cut_short};

use crate::picture::{PLOTS, write_plot};
use crate::sets::{SomeSets, check_output};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab segment page.html --plot densities.svg      the density of each line, and the borders of segments
  webstrata-lab segment --set sets/l3s-gn1 --out report/    all methods on annotated pages

`webstrata segment` shows the segments of a page and compares them with a gold segmentation.

Exit codes: 0 done, 1 the page has no text, 2 something failed.";

/// Draw the segments of a page, or measure all methods on sets
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A page, or - for stdin
    #[arg(value_name = "PAGE|-", conflicts_with = "sets", requires = "plot")]
    page: Option<PathBuf>,

    /// Write the chart to this file
    #[arg(long, value_name = "FILE.svg|FILE.png", conflicts_with = "sets")]
    plot: Option<PathBuf>,

    /// How the page is cut
    #[arg(short, long, value_name = "METHOD", default_value = "rule-based", value_parser = one_of(Method::ALL))]
    #[arg(conflicts_with = "sets")]
    method: Method,

    /// Fuse neighbours whose densities differ by at most this part of the higher one
    ///
    /// The default is 0.38, and 0.6 for rule-based.
    #[arg(short, long, value_name = "PART", conflicts_with = "sets", value_parser = threshold)]
    threshold: Option<f64>,

    #[command(flatten)]
    sets: SomeSets,

    /// Write the report on the sets to this directory: index.html, report.md, report.json
    #[arg(long, value_name = "DIR", requires = "sets")]
    out: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let options = args.reading.options();
    if !args.sets.is_empty() {
        return sets::run(&args.sets, args.out.as_deref(), &options, global);
    }
    let Some(file) = &args.plot else {
        bail!("name a page and --plot FILE.svg, or --set DIR (see `webstrata-lab segment --help`)");
    };
    check_output(file, PLOTS, &[])?;
    let input = Input::one(args.page.as_deref(), "segment")?;
    let bytes = input.read_or_fail(options.limits.bytes)?;
    let default = Segmenter::new(args.method);
    let threshold = args.threshold.unwrap_or(default.threshold);
    let width = options.width.unwrap_or(default.width);
    let segmenter = Segmenter { threshold, width, ..default };
    let (page, segments) = segmenter.read(&bytes, &options);
    let report = Report::new(global.quiet);
    if let Some(note) = cut_short(&page.document) {
        report.note(format_args!("{}: {note}", input.name()));
    }
    let name = page.document.title.clone().unwrap_or_else(|| input.name());
    let title = format!("{name}: segments, {}", segmenter.method);
    write_plot(file, chart::densities(&title, &page, &segments).to_svg())?;
    report.note(format_args!("{}: written", file.display()));
    Ok(if segments.is_empty() { Exit::NoText } else { Exit::Text })
}
