//! `webstrata-lab corpus`: what many pages are made of, as a report (thesis, 4.2 to 4.4).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, bail};
use webstrata::cutting::Cutting;
use webstrata::{Class, Options};
use webstrata_archive::{Arrival, InputKind, Limits, Source, folder};
use webstrata_base::steps::Key;
use webstrata_lab::gold;
use webstrata_lab::statistics::{Described, RawPage, Statistics, Survey, report};

use webstrata_archive::sniff;
use webstrata_terminal::args::{JobsArgs, at_least_one};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::panics;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;

const EXAMPLES: &str = "\
Examples:
  webstrata-lab corpus crawl/ --out report/
  webstrata-lab corpus crawl-1.warc.gz crawl-2.warc.gz --out report/
  webstrata-lab corpus pages.jsonl --out report/
  webstrata-lab corpus sets/l3s-gn1 --out report/       an annotated set: blocks by their class
  webstrata-lab corpus stream.jsonl --beside sets/l3s-gn1 --twice --out report/

A number that differs from the thesis' is explained by experiments only. --beside counts another corpus: what
moves as far from one to the other as from ours to the thesis' is a number of the corpus. --twice counts the
blocks that boilerpipe would make, too.

The report is report/index.html, report.md and report.json, with every figure as an SVG file. Pages are read
once, in bounded memory. While the command runs, counts are saved in report/steps/, so that an interrupted run
can be resumed.

Exit codes: 0 the report was written, 1 it was written but no page has text, 2 something failed.";

/// What is kept of a run until it is done.
const COUNTS: &str = "steps/corpus.json";
const COUNTS_BESIDE: &str = "steps/beside.json";

/// Write a report on many pages: densities, templates, terms
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Folders of pages, web archives (*.warc, *.warc.gz, *.warc.zst), JSON lines (*.jsonl), or pages
    #[arg(value_name = "DIR|WARC|JSONL|PAGE", required = true)]
    paths: Vec<PathBuf>,

    /// Write the report to this directory: index.html, report.md, report.json, *.svg
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Set the numbers of these pages beside: does a number move with the corpus?
    #[arg(long, value_name = "DIR|WARC|JSONL|PAGE", num_args = 1..)]
    beside: Vec<PathBuf>,

    /// Count blocks a second time as boilerpipe cuts them, with hidden text
    #[arg(long)]
    twice: bool,

    /// Save the counts after every N pages
    #[arg(long, value_name = "N", default_value = "5000", value_parser = at_least_one::<u64>)]
    keep_every: u64,

    #[command(flatten)]
    jobs: JobsArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut messages = Report::new(global.quiet);
    for inputs in [&args.paths, &args.beside] {
        check_out(&args.out, &inputs.iter().map(|path| pages_of(path)).collect::<Vec<_>>())?;
    }
    fs::create_dir_all(args.out.join("steps"))
        .map_err(|error| anyhow::anyhow!("{}: {error}", args.out.display()))?;
    let counts = args.out.join(COUNTS);
    let (statistics, described) = count(args, &args.paths, &counts, &mut messages)?;
    let mut report = report(&statistics, &described);
    if !args.beside.is_empty() {
        let counts = args.out.join(COUNTS_BESIDE);
        let (other, described) = count(args, &args.beside, &counts, &mut messages)?;
        let names = args.beside.iter().map(|path| path.file_name().unwrap_or_default());
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        report = report
            .beside(&names.join(", "), &webstrata_lab::statistics::report(&other, &described));
        forget(&args.out, &counts);
    }
    report.write(&args.out)?;
    for (name, svg) in report.figures() {
        webstrata_base::write_whole(&args.out.join(name), svg.as_bytes())?;
    }
    forget(&args.out, &counts);
    let line = format!(
        "{}: {} {}, {} tokens\n",
        args.out.join("index.html").display(),
        statistics.pages(),
        if statistics.pages() == 1 { "page" } else { "pages" },
        statistics.tokens()
    );
    output::print(line.as_bytes())?;
    Ok(match (messages.failed(), statistics.pages_with_text()) {
        (true, _) => Exit::Failed,
        (false, 0) => Exit::NoText,
        (false, _) => Exit::Text,
    })
}

/// Counts the pages of some paths, going on where a run before this one was interrupted.
fn count(
    args: &Args,
    inputs: &[PathBuf],
    counts: &Path,
    messages: &mut Report,
) -> anyhow::Result<(Statistics, Described)> {
    let paths: Vec<PathBuf> = inputs.iter().map(|path| pages_of(path)).collect();
    let (key, size) = key_and_size(&paths, args.twice)?;
    let survey = Survey::kept(Statistics::default(), counts, &key, args.keep_every);
    let mut survey = survey.on_threads(args.jobs.count())?;
    if survey.done() > 0 {
        messages.note(format_args!("going on after {} pages", survey.done()));
    }
    messages.progress_bytes(size);
    let problems = add_all(&paths, args.twice, &mut survey, messages)?;
    messages.finish();
    let statistics = survey.finish();
    let inputs: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    if statistics.pages() == 0 {
        bail!("{}: no page could be read, so there is nothing to report", inputs.join(", "));
    }
    if statistics.broken() > 0 {
        let broken = statistics.broken();
        messages
            .failure(format_args!("{broken} pages not counted: internal errors, reported above"));
    }
    Ok((statistics, Described { inputs, problems }))
}

/// A report among the pages would be counted with them the next time.
fn check_out(out: &Path, paths: &[PathBuf]) -> anyhow::Result<()> {
    let real = real_path(out)?;
    for folder in paths.iter().filter(|path| path.is_dir()) {
        if real.starts_with(real_path(folder)?) {
            bail!(
                "{}: inside {}, whose pages are counted, and the report is one; choose a folder \
                 outside for --out",
                out.display(),
                folder.display()
            );
        }
    }
    Ok(())
}

/// The path without links, also of something that is not there yet.
fn real_path(path: &Path) -> anyhow::Result<PathBuf> {
    let absolute = std::path::absolute(path).with_context(|| path.display().to_string())?;
    let real = absolute.ancestors().find_map(|there| {
        let rest = absolute.strip_prefix(there).ok()?;
        Some(fs::canonicalize(there).ok()?.join(rest))
    });
    Ok(real.unwrap_or(absolute))
}

/// Adds all pages that the survey does not know yet. Returns how many could not be read.
fn add_all(
    paths: &[PathBuf],
    twice: bool,
    survey: &mut Survey,
    messages: &mut Report,
) -> anyhow::Result<u64> {
    let known = survey.done();
    let (mut number, mut problems) = (0, 0);
    let mut place = Place::default();
    for arrival in Source::open(paths, Limits::default()) {
        let arrival = match arrival {
            Ok(arrival) => arrival,
            Err(problem) => {
                problems += 1;
                messages.failure(problem);
                continue;
            }
        };
        messages.advance_to(place.of(&arrival));
        if let Some(why) = sniff::not_a_page(&arrival.bytes) {
            problems += 1;
            messages.error(&arrival.name, why);
            continue;
        }
        if number >= known {
            survey.add(raw(arrival, twice))?;
        }
        number += 1;
    }
    Ok(problems)
}

fn raw(arrival: Arrival, twice: bool) -> RawPage {
    let charset = arrival.charset().filter(|label| Options::is_charset(label)).map(str::to_owned);
    let options = Options { charset, url: arrival.url, ..Options::default() };
    let classes = annotation_of(&arrival.file).and_then(|file| {
        // The survey meets the same panic, and counts the page.
        panics::caught(|| classes(&file, &arrival.bytes, &options)).ok().flatten()
    });
    RawPage { bytes: arrival.bytes, options, classes, twice }
}

/// The folder of pages of an annotated set; any other path is itself.
fn pages_of(path: &Path) -> PathBuf {
    let pages = path.join("pages");
    let is_set = pages.is_dir() && path.join("annotated").is_dir();
    if is_set { pages } else { path.to_owned() }
}

/// The annotated copy of a page of such a set.
fn annotation_of(page: &Path) -> Option<PathBuf> {
    let folder = page.parent().filter(|folder| folder.ends_with("pages"))?;
    let annotated = folder.with_file_name("annotated").join(page.file_name()?);
    annotated.is_file().then_some(annotated)
}

fn classes(annotated: &Path, page: &[u8], options: &Options) -> Option<Vec<Class>> {
    let annotated = fs::read(annotated).ok()?;
    let document = webstrata::read(page, Cutting::Atomic, options);
    Some(gold::annotated(&document, &String::from_utf8_lossy(&annotated)))
}

/// What the counts depend on: the files, as far as their names, sizes and times tell, and this program.
/// And how many bytes there are to read.
fn key_and_size(paths: &[PathBuf], twice: bool) -> anyhow::Result<(String, u64)> {
    let mut key = Key::new().program()?.text(&format!("twice {twice}"));
    let mut size = 0;
    let extensions: Vec<&str> = [&InputKind::PAGES[..], &InputKind::ARCHIVES[..]].concat();
    for path in paths {
        let files = if path.is_dir() {
            folder::files(path, &extensions).into_iter().flatten().collect()
        } else {
            vec![path.clone()]
        };
        for file in files {
            let metadata = fs::metadata(&file).ok();
            let length = metadata.as_ref().map_or(0, fs::Metadata::len);
            let modified = metadata.and_then(|metadata| metadata.modified().ok());
            let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |time| time.as_nanos());
            key = key.bytes(file.as_os_str().as_encoded_bytes());
            key = key.text(&format!("{length} {modified}"));
            size += length;
        }
    }
    Ok((key.finish(), size))
}

/// How many bytes of all files were read when a page arrived.
#[derive(Default)]
struct Place {
    file: Option<PathBuf>,
    before: u64,
    length: u64,
}

impl Place {
    fn of(&mut self, arrival: &Arrival) -> u64 {
        if self.file.as_deref() != Some(&*arrival.file) {
            self.before += self.length;
            self.length = fs::metadata(&arrival.file).map_or(0, |metadata| metadata.len());
            self.file = Some(arrival.file.to_path_buf());
        }
        self.before + arrival.offset
    }
}

/// Removes what was kept for a run that is done; whatever is left harms nobody.
fn forget(out: &Path, counts: &Path) {
    let _ = fs::remove_file(counts);
    let _ = fs::remove_dir(out.join("steps"));
}
