//! `webstrata search index`: pages into an index.

use std::path::{Path, PathBuf};

use anyhow::bail;
use webstrata::cutting::Cutting;
use webstrata::{Extractor, Request};
use webstrata_archive::record::PageRecord;
use webstrata_archive::{InputKind, JsonLines, Problem, json_mistake};
use webstrata_base::thousands;
use webstrata_search::{Added, Date, Entry, Index, IndexOptions, Piece, Writer, WriterOptions};

use webstrata_terminal::args::{JobsArgs, ReadingArgs, at_least_one, memory};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor::ExtractorArg;
use webstrata_terminal::input::{Input, Inputs};
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;

const EXAMPLES: &str = "\
Examples:
  webstrata search index crawl/ --index web
  webstrata search index crawl.warc.gz pages.jsonl --index web
  webstrata search index records.jsonl.zst --index web      records of extract and stream
  webstrata search index more/ --index web                  adds new pages and replaces changed ones
  webstrata stream run feeds.toml --store harbour --index web

A page is identified by its address, or by its path or id if it has none. A page that is in the index already
is replaced if it has changed. So the same command can be run again at any time.

Pages are committed in groups of --commit. Committed pages survive a kill; run the same command again to add
the rest. Only one command can write to an index at a time; any number can search it meanwhile.

JSON lines are pages (`html`, `content` or `body`) or records of `webstrata extract` and `webstrata stream`.
Write records with `--with blocks,metadata`; without them, boilerplate and dates are unknown.

Exit codes: 0 done, 1 no page was found, 2 something failed.";

/// Add pages to an index
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Directories of pages, web archives, JSON lines with pages or records, or pages
    #[arg(value_name = "DIR|WARC|JSONL|FILE", required = true)]
    inputs: Vec<PathBuf>,

    /// The directory of the index; it is created if missing
    #[arg(long, value_name = "DIR")]
    index: PathBuf,

    /// Do not index words by the length and density of their blocks: makes a new index smaller, but without
    /// `search query --min-words` and `--min-density`
    #[arg(long)]
    no_levels: bool,

    /// Also index the texts of these extractors in a new index, for `webstrata-lab retrieval`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_levels")]
    texts: Vec<String>,

    #[command(flatten)]
    extractor: ExtractorArg,

    /// Commit after this many pages
    #[arg(long, value_name = "PAGES", default_value = "10000", value_parser = at_least_one::<u64>)]
    commit: u64,

    /// The memory for pages that are not written yet
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory)]
    memory: usize,

    #[command(flatten)]
    jobs: JobsArgs,

    /// Extensions of the files in directories that are read
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',')]
    #[arg(default_value = "html,htm,xhtml,shtml,warc,warc.gz,warc.zst")]
    ext: Vec<String>,

    #[command(flatten)]
    reading: ReadingArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let extensions: Vec<String> =
        args.ext.iter().map(|ext| ext.trim().trim_start_matches('.').to_owned()).collect();
    let limits = args.reading.arrival_limits();
    let mut inputs = Inputs::find(&args.inputs, &extensions, "search index")?.limited(limits);
    let records = take_records(&mut inputs);
    let index = open(args)?;
    let work = Work::new(args, &index)?;
    if let Some(path) = records.first().filter(|_| !work.texts.is_empty()) {
        bail!(
            "{}: records have no texts of other extractors, and this index was made with --texts; name pages",
            path.display()
        );
    }
    let jobs = args.jobs.count();
    let options = WriterOptions {
        threads: jobs.div_ceil(2),
        memory: args.memory,
        commit_pages: args.commit,
        ..WriterOptions::default()
    };
    let mut adding = Adding { writer: index.writer(&options)?, tally: Tally::default() };
    let mut report = Report::new(global.quiet);
    batch::pages(&inputs, jobs, &mut report, false, |input| work.page(input), |e| adding.add(&e))?;
    for path in &records {
        add_records(path, args, jobs, &mut report, &mut adding)?;
    }
    let Adding { writer, tally } = adding;
    writer.finish()?;
    summary(&index, tally, &report)?;
    Ok(match tally.all() {
        _ if report.failed() => Exit::Failed,
        0 => Exit::NoText,
        _ => Exit::Text,
    })
}

fn open(args: &Args) -> anyhow::Result<Index> {
    for name in &args.texts {
        if Extractor::named(name).is_none() {
            bail!("--texts {name}: no built-in extractor; see `webstrata extractors`");
        }
    }
    let options = IndexOptions { levels: !args.no_levels, texts: args.texts.clone() };
    let index = Index::open_or_create(&args.index, &options)?;
    let made = index.options();
    let asked = args.no_levels || !args.texts.is_empty();
    if asked && made != options {
        bail!(
            "{}: --no-levels and --texts are for a new index; this one was made otherwise",
            args.index.display()
        );
    }
    Ok(index)
}

/// What every worker does with a page.
struct Work {
    request: Request,
    /// Those that the index was made for.
    texts: Vec<&'static Extractor>,
    has_levels: bool,
}

impl Work {
    fn new(args: &Args, index: &Index) -> anyhow::Result<Work> {
        let made = index.options();
        Ok(Work {
            request: args.extractor.request(&args.reading)?,
            texts: made.texts.iter().filter_map(|name| Extractor::named(name)).collect(),
            has_levels: made.levels,
        })
    }

    fn page(&self, input: &Input) -> Result<(Entry, Option<String>), String> {
        let bytes = input.read(self.request.options.limits.bytes)?;
        let options = input.options(&self.request.options);
        let mut page = self.request.extract_with(&bytes, &options);
        let mut entry = Entry::of(&name_of(input), &page);
        if self.has_levels {
            // The papers' blocks, whatever the extractor takes for one.
            page.cut_again(Cutting::Atomic, &options);
            entry.pieces = Piece::all_of(&page.document);
        }
        for extractor in &self.texts {
            let found = extractor.extract_page(&bytes, &options).document.text();
            entry.texts.push((extractor.name.clone(), found));
        }
        Ok((entry, None))
    }
}

/// What a page without an address is known by: the place where it lies, so that pages of different folders
/// are different pages.
fn name_of(input: &Input) -> String {
    let file = input.path().filter(|_| input.arrival().is_none());
    let file = file.and_then(|path| path.canonicalize().ok());
    file.map_or_else(|| input.id.clone(), |path| path.display().to_string())
}

/// Adds entries and counts what became of them.
struct Adding {
    writer: Writer,
    tally: Tally,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    new: u64,
    replaced: u64,
    unchanged: u64,
}

impl Tally {
    fn all(self) -> u64 {
        self.new + self.replaced + self.unchanged
    }
}

impl Adding {
    fn add(&mut self, entry: &Entry) -> anyhow::Result<()> {
        let count = match self.writer.add(entry)? {
            Added::New => &mut self.tally.new,
            Added::Replaced => &mut self.tally.replaced,
            Added::Unchanged => &mut self.tally.unchanged,
        };
        *count += 1;
        Ok(())
    }
}

fn summary(index: &Index, tally: Tally, report: &Report) -> anyhow::Result<()> {
    let contents = index.contents()?;
    report.note(format_args!(
        "{} new, {} replaced, {} unchanged; {} pages in {}, {:.1} MB",
        thousands(tally.new),
        thousands(tally.replaced),
        thousands(tally.unchanged),
        thousands(contents.documents),
        index.folder().display(),
        contents.bytes as f64 / 1e6
    ));
    Ok(())
}

/// Takes the files of records out of the inputs.
fn take_records(inputs: &mut Inputs) -> Vec<PathBuf> {
    let mut records = Vec::new();
    inputs.pages.retain(|page| match page.path() {
        Some(path) if InputKind::of(path) == InputKind::Lines && has_records(path) => {
            records.push(path.to_owned());
            false
        }
        _ => true,
    });
    records
}

/// Is the first line a record? A file that cannot be read is not; reading it as pages will tell why.
fn has_records(path: &Path) -> bool {
    let lines = JsonLines::open(path, webstrata_archive::Limits::default());
    let first = lines.ok().and_then(|mut lines| lines.next());
    matches!(first, Some(Ok(line)) if PageRecord::from_line(line.as_bytes()).is_ok())
}

/// A record as an entry; `name` is for records without address and id.
pub(super) fn entry(page: &PageRecord, name: &str) -> Entry {
    let PageRecord { id, record, origin, .. } = page;
    let mut entry = Entry::of_record(if id.is_empty() { name } else { id }, record);
    if entry.title.is_empty() {
        entry.title = origin.item_title.clone().unwrap_or_default();
    }
    entry.date = entry.date.or_else(|| origin.published.as_deref().and_then(Date::parse));
    entry
}

/// Adds the records of a file, read on several threads.
fn add_records(
    path: &Path,
    args: &Args,
    jobs: usize,
    report: &mut Report,
    adding: &mut Adding,
) -> anyhow::Result<()> {
    let mut lines = match JsonLines::open(path, args.reading.arrival_limits()) {
        Ok(lines) => lines,
        Err(problem) => {
            report.error(&problem.place(), &problem.message);
            return Ok(());
        }
    };
    report.progress(None, false);
    type Placed = (String, Result<String, Problem>);
    let work = |(place, line): &Placed| match line {
        Ok(line) => PageRecord::from_line(line.as_bytes())
            .map(|page| entry(&page, place))
            .map_err(|error| format!("no record: {}", json_mistake(&error))),
        Err(problem) => Err(problem.message.clone()),
    };
    let size = |(_, line): &Placed| line.as_ref().map_or(0, String::len);
    let placed = std::iter::from_fn(|| {
        let line = lines.next()?;
        let place = line.as_ref().map_or_else(Problem::place, |_| lines.place());
        Some((place, line))
    });
    let added = batch::ordered(placed, jobs, size, work, |(place, _), done| {
        match done.and_then(|done| done) {
            Ok(entry) => adding.add(&entry)?,
            Err(message) => report.error_in(path, place, message),
        }
        report.advance();
        anyhow::Ok(())
    });
    report.finish();
    added
}
