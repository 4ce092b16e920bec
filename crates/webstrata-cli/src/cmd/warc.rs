//! `webstrata warc`: web archives in, records of their pages out, in bulk.

mod tally;
mod work;

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use serde::{Deserialize, Serialize};
use webstrata_archive::export::{Compression, Format, Parts, PartsError, Plan};
use webstrata_archive::record::{Filters, NoRecord, PageRecord};
use webstrata_archive::{ProblemKind, Statuses};
use webstrata_base::quantity::size;
use webstrata_base::steps::Key;
use webstrata_base::{Tries, write_whole};

use self::tally::{KILLED, NO_PAGE, SET_ASIDE, Tally};
use self::work::{Outcome, UNDER_WAY, Work};
use crate::cmd::archives::{Archives, Item, Place};
use webstrata_terminal::args::{JobsArgs, OutputArgs, ReadingArgs, WithArgs, one_of};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor::ExtractorArg;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{NOTES, Report};

const SUMMARY: &str = "summary.json";

/// Bytes of pages behind which the state is kept even if hardly anything of them was written, for each
/// byte of a part.
const READ_PER_PART: u64 = 32;

const EXAMPLES: &str = "\
Examples:
  webstrata warc crawl.warc.gz --out texts
  webstrata warc crawl/ --out texts --min-words 50 --language en,de
  webstrata warc *.warc.gz --out table --format parquet
  webstrata warc crawl/ --out texts --extractor strata+site
  zstdcat texts/part-*.jsonl.zst | head -1

Each page with a successful status becomes a record, with the same fields as a line of `extract --format jsonl`.
Its origin is in file, offset, record_id, fetched, digest, status, content_type and truncated. docs/record.md
describes all fields. Records are in the order of the archives, for any --jobs, in files
`part-00000.jsonl.zst` and so on.

With --extractor strata+site all archives are read twice: the first pass learns the templates of their sites.

Broken, truncated and overlong records are skipped and counted by kind in `summary.json`, with the bytes that
were passed over; the first of each kind are shown. A run that was stopped or killed can be resumed with the same
arguments: it continues after the last complete part and writes the same files as an uninterrupted run. With
--deadline, texts can differ from run to run.

Exit codes: 0 records were written, 1 no page has a main text, 2 an archive cannot be read or written.";

/// Write the main text of all pages of web archives
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Web archives (.warc, .warc.gz, .warc.zst), or directories of them
    #[arg(value_name = "WARC|DIR", required = true)]
    inputs: Vec<PathBuf>,

    /// Write the records to this directory
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    extractor: ExtractorArg,

    /// The output format
    #[arg(short, long, value_enum, default_value = "jsonl")]
    format: Written,

    /// The compression of JSON lines [default: zstd]
    #[arg(long, value_name = "HOW", value_parser = one_of(Compression::ALL))]
    compress: Option<Compression>,

    /// The size of a part before compression
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = part_size)]
    part_size: u64,

    #[command(flatten)]
    with: WithArgs,

    #[command(flatten)]
    written: OutputArgs,

    /// Compare the digests in the archives with their pages; leave out and count those that differ
    #[arg(long)]
    verify: bool,

    /// Start again: delete what an earlier run has written to the directory
    #[arg(long)]
    restart: bool,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    jobs: JobsArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Which pages are written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Which pages are written")]
struct FilterArgs {
    /// Only pages whose main text has at least this many words
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_words: u32,

    /// Only pages whose main text is in one of these languages, such as en,de
    ///
    /// The language is detected from the text; for short texts, the page's declaration is used.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = Filters::language)]
    language: Vec<String>,

    /// Only pages with these HTTP statuses
    #[arg(long, value_name = "LIST", default_value_t = Statuses::default())]
    status: Statuses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Written {
    /// One line of JSON for each page
    Jsonl,
    /// A table with one row for each page
    Parquet,
}

fn part_size(written: &str) -> Result<u64, String> {
    match size::parse(written)? {
        0 => Err("expected more than nothing".into()),
        size => Ok(size),
    }
}

/// What is kept behind each part: where to go on, and what was counted by then.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// `None` when all is done.
    next: Option<Place>,
    tally: Tally,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if args.out.as_os_str() == "-" {
        bail!(
            "--out -: expected a directory; `webstrata extract` writes the records of archives to stdout"
        );
    }
    let format = args.format()?;
    let mut work = Work::new(args, format)?;
    let limits = args.reading.arrival_limits();
    let archives = Archives::find(&args.inputs, limits, &args.filters.status, args.verify)?;
    let (parts, kept) = args.open(args.plan(format, &work, &archives)?)?;
    work.watch(&args.out)?;
    let mut report = Report::new(global.quiet);
    let mut run = Run { parts, tally: kept.tally, read: 0, report: &mut report };
    run.tally.archives = archives.count();
    if let Some(from) = kept.next {
        work.learn_sites(&archives, args.jobs.count(), run.report);
        run.all(&work, &archives, from, args.jobs.count())?;
    }
    let tally = run.tally;
    work.finish();
    let mut summary = serde_json::to_vec_pretty(&tally)?;
    summary.push(b'\n');
    write_whole(&args.out.join(SUMMARY), &summary).map_err(|error| anyhow!("{error}"))?;
    tally.show(&report);
    if tally.has_failed() {
        report.note("what could not be read is passed over until --restart");
    }
    Ok(match tally.with_text {
        _ if tally.has_failed() => Exit::Failed,
        0 => Exit::NoText,
        _ => Exit::Text,
    })
}

impl Args {
    fn format(&self) -> anyhow::Result<Format> {
        match (self.format, self.compress) {
            (Written::Jsonl, how) => Ok(Format::Lines(how.unwrap_or_default())),
            (Written::Parquet, Some(_)) => {
                bail!("--compress is for JSON lines; Parquet is always packed with zstd")
            }
            (Written::Parquet, None) if !Format::Parquet.is_built() => {
                bail!(
                    "--format parquet: this build has no Parquet; build it with the feature `parquet`"
                )
            }
            (Written::Parquet, None) => Ok(Format::Parquet),
        }
    }

    /// Everything that the output depends on. Not --jobs: it changes nothing.
    fn plan(&self, format: Format, work: &Work, archives: &Archives) -> anyhow::Result<Plan> {
        let program = Key::new().program().map_err(|error| anyhow!("{error}"))?;
        let with: Vec<String> = self.with.parts().iter().map(|part| format!("{part:?}")).collect();
        let settings = [
            ("the program", program.finish()),
            ("the list of archives", archives.key()),
            ("--extractor", self.extractor.key(work.request.extractor())),
            ("--format", format.extension().to_owned()),
            ("--part-size", self.part_size.to_string()),
            ("--with", with.join(",").to_lowercase()),
            ("--min-words", self.filters.min_words.to_string()),
            ("--language", self.filters.language.join(",")),
            ("--status", self.filters.status.to_string()),
            ("--verify", self.verify.to_string()),
            ("what is written of pages", format!("{:?}", work.request.markup)),
            ("how pages are read", Key::new().text(&format!("{:?}", self.reading)).finish()),
        ];
        let settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let columns = PageRecord::columns_with(&self.with.parts());
        let (folder, size) = (self.out.clone(), self.part_size);
        Ok(Plan { folder, format, size, columns, is_named_by_content: false, settings })
    }

    /// Opens the directory; returns where an earlier run with the same arguments stopped.
    fn open(&self, plan: Plan) -> anyhow::Result<(Parts, Kept)> {
        if self.restart {
            Parts::restart(&self.out)?;
            Tries::forget(&self.out, UNDER_WAY);
        }
        let (parts, kept) = Parts::open(plan).map_err(|error| match error {
            PartsError::OtherSettings(what) => anyhow!(
                "{}: holds the output of other arguments ({what}); use the same ones, another --out, \
                 or --restart",
                self.out.display()
            ),
            PartsError::Io(error) => error.into(),
        })?;
        let begin = || Kept { next: Some(Place::default()), tally: Tally::default() };
        Ok((parts, kept.unwrap_or_else(begin)))
    }
}

/// What happens to the results, one after the other.
struct Run<'a> {
    parts: Parts,
    tally: Tally,
    /// Bytes of pages since the state was kept.
    read: u64,
    report: &'a mut Report,
}

impl Run<'_> {
    fn all(
        &mut self,
        work: &Work,
        archives: &Archives,
        from: Place,
        jobs: usize,
    ) -> anyhow::Result<()> {
        if from != Place::default() {
            self.report.note(format_args!("goes on behind {} parts", self.parts.count()));
        }
        // Kept at once, so that a run with other arguments learns of this one.
        self.keep(Some(from))?;
        self.report.progress_bytes(archives.bytes());
        let done = batch::ordered(
            archives.pages(from),
            jobs,
            Item::size,
            |item| work.page(item),
            |item, done| {
                self.report.advance_to(archives.position(item));
                self.one(item, done)
            },
        );
        self.report.finish();
        done?;
        self.keep(None)
    }

    /// A page or a problem in its turn.
    fn one(&mut self, item: &Item, done: Result<Outcome, String>) -> anyhow::Result<()> {
        let page = match &item.page {
            Ok(page) => page,
            Err(problem) => {
                self.tally.passed_over_bytes += problem.passed;
                self.problem(problem.kind.name(), &problem.place(), &problem.message);
                return Ok(());
            }
        };
        // Only at a page can reading begin again.
        if self.parts.is_full() || self.read >= self.parts.size().saturating_mul(READ_PER_PART) {
            self.keep(Some(item.place))?;
        }
        self.read += page.bytes.len() as u64;
        self.tally.pages += 1;
        self.tally.page_bytes += page.bytes.len() as u64;
        match done {
            Ok(Outcome::Written { piece, words, is_cut }) => {
                self.tally.written += 1;
                self.tally.with_text += u64::from(words > 0);
                self.tally.words += u64::from(words);
                self.tally.cut += u64::from(is_cut);
                self.parts.write(piece)?;
            }
            Ok(Outcome::None(NoRecord::Filtered(filter))) => self.tally.filtered(filter),
            Ok(Outcome::None(NoRecord::NotAPage(why))) => self.problem(NO_PAGE, &page.name, &why),
            Ok(Outcome::SetAside) => self.problem(KILLED, &page.name, SET_ASIDE),
            Ok(Outcome::Problem) => {}
            Err(panic) => self.problem(ProblemKind::Internal.name(), &page.name, &panic),
        }
        Ok(())
    }

    /// Counts a problem, and shows the first of its kind.
    fn problem(&mut self, kind: &str, place: &str, message: &str) {
        let count = self.tally.problem(kind);
        if Tally::is_failure(kind) {
            self.report.error(place, message);
        } else if count <= NOTES as u64 {
            self.report.note(format_args!("{place}: {message}"));
        }
    }

    /// Ends the part and keeps where to go on behind it.
    fn keep(&mut self, next: Option<Place>) -> anyhow::Result<()> {
        self.read = 0;
        self.tally.parts = self.parts.count_with_open();
        self.parts.end(&Kept { next, tally: self.tally.clone() })?;
        Ok(())
    }
}
