//! `webstrata-lab features`: the features of all blocks of many pages as one table, for training.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::bail;
use webstrata::cutting::Cutting;
use webstrata::{Options, Page};
use webstrata_lab::Set;
use webstrata_lab::dataset::{Dataset, Frequencies};
use webstrata_lab::table::{self, Columns, Label, ParquetTable, Rows};

use webstrata_terminal::args::{BatchArgs, ReadingArgs, one_of};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::input::{Input, Inputs};
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{self, Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab features page.html
  webstrata-lab features --text crawl/ > features.csv
  webstrata-lab features --output features.parquet sets/news
  webstrata-lab features --rules boilerpipe --format parquet crawl/ > features.parquet

The columns are page, block, the block's text (with --text), and the 67 features under the names that
models use. A page is named by its path without the extension, relative to the given directory.
Rows are in the order of the pages, for any --jobs.

A set (a directory with pages/ and gold/) stands for its pages with gold texts. Its blocks are labelled:
the last columns are class, weight (the number of words) and share (the part of the words that is in the
gold text). Corpus frequencies are the number of pages in the given sets that have the block's text; they
are 0 for all other pages.

Exit codes: 0 blocks were found, 1 no page has any, 2 something failed (the rest is still done).";

/// Write the features of the blocks of pages as a table
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Pages, directories of pages, sets, or - for stdin [default: stdin]
    #[arg(value_name = "PAGE|DIR|SET|-")]
    inputs: Vec<PathBuf>,

    /// How pages' text is cut into blocks
    #[arg(long, value_name = "TABLE", default_value = "atomic", value_parser = one_of(Cutting::ALL))]
    rules: Cutting,

    /// The output format [default: csv; parquet for --output FILE.parquet]
    #[arg(short, long, value_enum)]
    format: Option<Format>,

    /// Add the text of each block
    #[arg(short, long)]
    text: bool,

    #[command(flatten)]
    batch: BatchArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A header line, then a line for each block
    Csv,
    /// A Parquet file, compressed with snappy
    Parquet,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let format = args.format()?;
    let named = args.batch.paths(&args.inputs)?;
    let paths: Vec<PathBuf> = named.iter().map(|path| pages_of_set(path)).collect();
    let mut inputs = Inputs::find(&paths, &args.batch.extensions(), "features")?
        .limited(args.reading.arrival_limits());
    let mut report = Report::new(global.quiet);
    let sets = named.iter().filter(|path| is_set(path));
    let sets = sets.map(|path| Set::open(path)).collect::<Result<Vec<_>, _>>()?;
    sets.iter().for_each(|set| crate::sets::print_notes(set, &report));
    let labelled = args.label(&sets, global, &mut report);
    // A page of a set without gold would be a row that says nothing.
    inputs.pages.retain(|page| match page.path() {
        Some(path) if is_page_of(&sets, path) => labelled.contains_key(path),
        _ => true,
    });
    let mut output = inputs.output(args.batch.output.as_deref())?;
    let columns = Columns { text: args.text, labels: !sets.is_empty() };
    let options = args.reading.options();
    let work = Work { rules: args.rules, options, format, columns, labelled };
    let mut parquet = match format {
        Format::Csv => None,
        Format::Parquet => Some(ParquetTable::new(columns)?),
    };
    if parquet.is_none() {
        output.write(table::csv_header(columns).as_bytes())?;
    }
    let (jobs, on_terminal) = (args.batch.jobs.count(), output.is_terminal());
    let mut any_block = false;
    batch::pages(
        &inputs,
        jobs,
        &mut report,
        on_terminal,
        |input| work.page(input),
        |page| {
            any_block |= !page.rows.is_empty();
            match &mut parquet {
                Some(table) => output.write(&table.write(page.rows)?),
                None if on_terminal => {
                    output.write(output::without_control_characters(&page.lines).as_bytes())
                }
                None => output.write(page.lines.as_bytes()),
            }
        },
    )?;
    if let Some(table) = parquet {
        output.write(&table.finish()?)?;
    }
    output.finish()?;
    if report.failed() {
        return Ok(Exit::Failed);
    }
    if !any_block {
        report.note("no page has a block of text");
    }
    Ok(if any_block { Exit::Text } else { Exit::NoText })
}

impl Args {
    fn format(&self) -> anyhow::Result<Format> {
        let extension = self.batch.output.as_deref().and_then(Path::extension);
        let named = extension == Some(OsStr::new("parquet"));
        let default = if named { Format::Parquet } else { Format::Csv };
        let format = self.format.unwrap_or(default);
        if format == Format::Parquet && self.batch.output.is_none() && io::stdout().is_terminal() {
            bail!("Parquet is not for terminals; name a file with --output FILE.parquet");
        }
        Ok(format)
    }
}

/// What a set says about the blocks of one of its pages.
struct Labelled {
    labels: Vec<Label>,
    frequencies: Vec<f64>,
}

impl Args {
    /// The labels of all pages of the sets, by the pages' paths.
    fn label(
        &self,
        sets: &[Set],
        global: &Global,
        report: &mut Report,
    ) -> HashMap<PathBuf, Labelled> {
        let (options, progress) = (self.reading.options(), TerminalProgress::new(global.quiet));
        let found = crate::sets::label(sets, self.rules, &options, report, &progress);
        let all: Vec<&Dataset> = found.iter().map(|(_, dataset)| dataset).collect();
        let frequencies = Frequencies::of(&all);
        let mut labelled = HashMap::new();
        for (set, dataset) in &found {
            for page in &dataset.pages {
                let label = |(block, class): (usize, &webstrata::Class)| Label {
                    class: *class,
                    weight: f64::from(page.counts[block].words),
                    share: f64::from(page.shares[block]),
                };
                let labels = page.classes.iter().enumerate().map(label).collect();
                let path = set.path.join("pages").join(format!("{}.html", page.id));
                labelled.insert(path, Labelled { labels, frequencies: frequencies.on(page) });
            }
        }
        labelled
    }
}

fn is_set(path: &Path) -> bool {
    path.join("pages").is_dir() && path.join("gold").is_dir()
}

fn is_page_of(sets: &[Set], path: &Path) -> bool {
    sets.iter().any(|set| path.starts_with(set.path.join("pages")))
}

/// The pages of a set lie beside their gold texts and, perhaps, a second time with annotations.
fn pages_of_set(path: &Path) -> PathBuf {
    if is_set(path) { path.join("pages") } else { path.to_owned() }
}

/// What every worker does with a page.
struct Work {
    rules: Cutting,
    options: Options,
    format: Format,
    columns: Columns,
    labelled: HashMap<PathBuf, Labelled>,
}

/// A page as far as workers can bring it: lines are ready, a Parquet file is made by one thread.
struct Done {
    rows: Rows,
    /// The rows as CSV; empty for Parquet.
    lines: String,
}

impl Work {
    fn page(&self, input: &Input) -> Result<(Done, Option<String>), String> {
        let bytes = input.read(self.options.limits.bytes)?;
        let page = Page::read(&bytes, self.rules, &input.options(&self.options));
        let rows = match input.path().and_then(|path| self.labelled.get(path)) {
            None => Rows::of(&input.id, &page.document, self.columns),
            Some(Labelled { labels, frequencies }) => {
                let rows = Rows::of_corpus(&input.id, &page.document, frequencies, self.columns);
                if rows.len() != labels.len() {
                    return Err("it changed while its set was read; run again".into());
                }
                rows.with_labels(labels.clone())
            }
        };
        let lines = match self.format {
            Format::Csv => table::csv_rows(&rows, self.columns),
            Format::Parquet => String::new(),
        };
        Ok((Done { rows, lines }, report::cut_short(&page.document)))
    }
}
