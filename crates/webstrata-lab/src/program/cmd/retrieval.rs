//! `webstrata-lab retrieval`: does it help to search in main texts only (paper, section 6)?

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;
use webstrata_archive::{Limits, Source};
use webstrata_base::random::Random;
use webstrata_base::thousands;
use webstrata_base::write_whole;
use webstrata_corpus::similarity::{Decision, NearIndex, NearOptions};
use webstrata_lab::retrieval::known_items::LeftOut;
use webstrata_lab::retrieval::{
    Item, Judgements, KnownItems, Lengths, Measure, Outcomes, ReadPage, Reader, Repeats, Topic,
    Variant, Words, report, run as ask, run_file, trec,
};
use webstrata_search::{Index, IndexOptions, WriterOptions};

use crate::sets::SomeSets;
use webstrata_archive::sniff;
use webstrata_terminal::args::{JobsArgs, at_least_one, one_of};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::panics;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};
use webstrata_terminal::style::{Paint, Style};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// Pages that are read at a time, and their bytes, so that memory is bounded.
const BATCH: usize = 128;
const BATCH_BYTES: usize = 64 << 20;

/// Memory to find main texts that are nearly the same: enough for some hundred thousand.
const TEXTS: usize = 256 << 20;

/// The index of a run, in the folder of its report.
const PASSING: &str = ".index";

const REPEATS: [(Repeats, &str); 2] = [(Repeats::Drop, "drop"), (Repeats::Keep, "keep")];

const EXAMPLES: &str = "\
Examples:
  webstrata-lab retrieval --set sets/wcxb-dev --queries titles --out report/
  webstrata-lab retrieval crawl/ pages.jsonl --queries descriptions --out report/
  webstrata-lab retrieval --set sets/wcxb-dev --queries topics --out report/
  webstrata-lab retrieval --index blogs --topics topics.txt --qrels qrels.txt --out report/

The same queries search whole pages, blocks with a least number of words (1 to 100), blocks with a least
density (1 to 20), and the texts of extractors. All are ranked by BM25.

With pages, the title or description of each page is a query; the only right answer is that page. Titles are
not searched. Text that repeats the query on its own page, such as the heading, is left out unless --repeats
keep is given, since it would make the query trivial. Queries of one word, and queries that several pages have,
are left out.

With --queries topics, each key word that 3 to 50 pages state is a query. These pages are its answers (grade 2), and
pages whose main text is nearly the same as that of one of them (grade 1). Lists of a page's own key words are left
out on that page. With --graded, the answers to a title or description are the page (3), pages whose main text is
nearly the same (2), and pages on a topic of that page (1). Queries and answers are written beside the report, as
topics.tsv and qrels.txt.

With --topics and --qrels, files of the Text Retrieval Conference (TREC) are read. Topics are SGML, or lines of
number, tab and query. Judgements are lines of topic, 0, document and grade. The index must have levels, and
documents must have the names of the index.

Exit codes: 0 the report was written, 1 there are no queries, 2 something failed.";

/// Measure how well pages are found by parts of their text
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Folders of pages, web archives, JSON lines, or pages
    #[arg(value_name = "DIR|WARC|JSONL|PAGE")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    sets: SomeSets,

    /// The part of a page that is its query: titles or descriptions; or topics that several pages state
    #[arg(long, value_name = "WHAT", default_value = "titles", value_parser = one_of(Words::ALL))]
    queries: Words,

    /// Read queries from this file instead: lines of page, tab and query
    #[arg(long, value_name = "FILE")]
    noted: Option<PathBuf>,

    /// Give grades to answers: the page itself, nearly the same pages, pages on the same topics
    #[arg(long, conflicts_with = "topics")]
    graded: bool,

    /// What to do with text that repeats the query on its own page
    #[arg(long, value_name = "WHAT", default_value = "drop", value_parser = one_of(REPEATS))]
    repeats: Repeats,

    /// The extractors to compare
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "bte,strata")]
    extractors: Vec<String>,

    /// The extractor that the others are compared with
    #[arg(long, value_name = "NAME", default_value = "strata")]
    reference: String,

    /// Use at most this many queries, drawn at random
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    most: Option<usize>,

    /// Use only every Nth minimum of words and density
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one::<u32>)]
    every: u32,

    /// Queries of the Text Retrieval Conference
    #[arg(long, value_name = "FILE", requires_all = ["qrels", "index"], conflicts_with_all = ["paths", "sets"])]
    topics: Option<PathBuf>,

    /// The relevant documents of the topics
    #[arg(long, value_name = "FILE", requires = "topics")]
    qrels: Option<PathBuf>,

    /// The index: with --topics an existing one; otherwise the directory where it is made and kept
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,

    /// Write the results of each extractor as TREC run files
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,

    /// Write the report to this directory: index.html, report.md, report.json, *.svg
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Write one JSON value
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    jobs: JobsArgs,
}

/// What is asked, and where.
struct Experiment {
    index: Index,
    topics: Vec<Topic>,
    judgements: Judgements,
    left_out: Option<LeftOut>,
    /// Of pages that were read here.
    lengths: Option<Lengths>,
    /// Made for this run only.
    _temporary: Option<TemporaryFolder>,
}

/// A folder that is gone when the run is, however it ends.
struct TemporaryFolder(PathBuf);

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    version: u32,
    pages: u64,
    left_out: Option<LeftOut>,
    #[serde(flatten)]
    found: &'a Outcomes,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut messages = Report::new(global.quiet);
    fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let experiment = match (&args.topics, &args.qrels, &args.index) {
        (Some(topics), Some(qrels), Some(index)) => judged(topics, qrels, index, &messages)?,
        _ => known_items(args, &mut messages)?,
    };
    let result = measure(args, global, &experiment, &messages);
    let exit = result?;
    Ok(if messages.failed() { Exit::Failed } else { exit })
}

fn measure(
    args: &Args,
    global: &Global,
    experiment: &Experiment,
    messages: &Report,
) -> anyhow::Result<Exit> {
    let mut topics = experiment.topics.clone();
    if let Some(most) = args.most {
        Random::for_purpose(1, "queries").draw(&mut topics, most);
        topics.truncate(most);
    }
    if topics.is_empty() {
        output::print(b"no queries\n")?;
        return Ok(Exit::NoText);
    }
    let searcher = experiment.index.searcher()?;
    let texts = experiment.index.options().texts;
    let variants: Vec<Variant> =
        Variant::all(&texts).into_iter().filter(|variant| is_wanted(variant, args.every)).collect();
    let progress = TerminalProgress::new(global.quiet);
    let reference = Variant::Text(args.reference.clone());
    let measure = match (&args.topics, args.queries, args.graded) {
        (Some(_), ..) | (None, Words::Topics, _) => Measure::Precision,
        (None, _, true) => Measure::Ndcg,
        (None, _, false) => Measure::ReciprocalRank,
    };
    let judgements = &experiment.judgements;
    let found = ask(&searcher, &topics, judgements, &variants, &reference, measure, &progress)?;
    progress.end_part("rankings");
    if let Some(folder) = &args.runs {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for variant in variants
            .iter()
            .filter(|variant| matches!(variant, Variant::Text(_) | Variant::Words(1)))
        {
            let file = folder.join(format!("{}.run", variant.name().replace(' ', "-")));
            write_whole(&file, run_file(&searcher, &topics, variant)?.as_bytes())?;
        }
    }
    let plateau =
        experiment.lengths.as_ref().map(|lengths| lengths.section(&topics, judgements, &found));
    write_report(args, experiment, searcher.documents(), &found, plateau)?;
    messages.note(format_args!("{}: written", args.out.join("index.html").display()));
    let text = if args.json {
        let (pages, left_out) = (searcher.documents(), experiment.left_out);
        serde_json::to_string_pretty(&Shown { version: VERSION, pages, left_out, found: &found })?
            + "\n"
    } else {
        shown(&found, searcher.documents(), experiment.left_out, Style::of_stdout(global.color))
    };
    output::print(text.as_bytes())?;
    Ok(Exit::Text)
}

fn is_wanted(variant: &Variant, every: u32) -> bool {
    match variant {
        Variant::Words(least) | Variant::Density(least) => *least == 1 || least % every == 0,
        Variant::Text(_) => true,
    }
}

fn judged(
    topics: &Path,
    qrels: &Path,
    index: &Path,
    messages: &Report,
) -> anyhow::Result<Experiment> {
    let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    let name = |path: &Path| path.display().to_string();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let all = trec::topics(&name(topics), &text(read(topics)?))?;
    let judgements = trec::judgements(&name(qrels), &text(read(qrels)?))?;
    let (topics, unjudged): (Vec<Topic>, Vec<Topic>) =
        all.into_iter().partition(|topic| !judgements.relevant(&topic.id).is_empty());
    if !unjudged.is_empty() {
        messages.note(format_args!(
            "{}: {} topics have no relevant document, left out",
            name(qrels),
            unjudged.len()
        ));
    }
    Ok(Experiment {
        index: Index::open(index)?,
        topics,
        judgements,
        left_out: None,
        lengths: None,
        _temporary: None,
    })
}

/// A page as it is read.
struct RawPage {
    name: String,
    bytes: Vec<u8>,
    url: Option<String>,
}

fn known_items(args: &Args, messages: &mut Report) -> anyhow::Result<Experiment> {
    if args.paths.is_empty() && args.sets.is_empty() {
        bail!(
            "nothing to search in; name pages, or a set with --set, or --topics, --qrels and --index"
        );
    }
    let reader = Reader::new(&args.extractors, args.queries, args.repeats)?;
    let passing = args.index.is_none().then(|| TemporaryFolder(args.out.join(PASSING)));
    let folder = args.index.as_ref().or(passing.as_ref().map(|passing| &passing.0));
    let folder = folder.cloned().unwrap_or_default();
    if passing.is_some() && folder.exists() {
        // Of a run that was killed.
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let index = Index::create(&folder, &IndexOptions { levels: true, texts: reader.texts() })?;
    let noted = args.noted.as_deref().map(noted).transpose()?.unwrap_or_default();
    let mut writer = index.writer(&WriterOptions::default())?;
    let mut items = Vec::new();
    let mut texts = NearIndex::new(NearOptions::default(), TEXTS)?;
    messages.progress(None, false);
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let mut index_batch = |batch: &mut Vec<RawPage>, messages: &mut Report| -> anyhow::Result<()> {
        for (page, read) in batch.iter().zip(read_all(batch, &reader, &noted, args.jobs.count())) {
            match read {
                Ok(read) => {
                    writer.add(&read.entry)?;
                    items.push(item(read, &mut texts)?);
                }
                Err(message) => messages.error(&page.name, message),
            }
            messages.advance();
        }
        batch.clear();
        Ok(())
    };
    each_page(args, messages, &mut |page, messages| {
        bytes += page.bytes.len();
        batch.push(page);
        if batch.len() < BATCH && bytes < BATCH_BYTES {
            return Ok(());
        }
        bytes = 0;
        index_batch(&mut batch, messages)
    })?;
    index_batch(&mut batch, messages)?;
    writer.finish()?;
    messages.finish();
    let known = match (args.queries, args.graded) {
        (Words::Topics, _) => KnownItems::of_topics(&items),
        (_, true) => KnownItems::new(&items).graded(&items),
        (_, false) => KnownItems::new(&items),
    };
    let KnownItems { topics, judgements, left_out } = known;
    write_whole(&args.out.join("topics.tsv"), trec::topics_file(&topics).as_bytes())?;
    write_whole(&args.out.join("qrels.txt"), judgements.file().as_bytes())?;
    let lengths = Lengths::new(items.into_iter().map(|item| (item.document, item.longest)));
    let (left_out, lengths) = (Some(left_out), Some(lengths));
    Ok(Experiment { index, topics, judgements, left_out, lengths, _temporary: passing })
}

/// What is asked of a page, and which page before it has nearly the same main text.
fn item(read: ReadPage, texts: &mut NearIndex) -> anyhow::Result<Item> {
    let text = match &read.text {
        None => None,
        Some(text) => match texts.add(&read.entry.id, text)? {
            Decision::Duplicate { of, .. } => Some(of.to_owned()),
            Decision::Kept => None,
        },
    };
    let longest = read.entry.pieces.iter().map(|piece| piece.words).max().unwrap_or(0);
    Ok(Item { document: read.entry.id, words: read.words, topics: read.topics, text, longest })
}

type Each<'a> = &'a mut dyn FnMut(RawPage, &mut Report) -> anyhow::Result<()>;

/// All pages, one after the other; what cannot be read is reported.
fn each_page(args: &Args, messages: &mut Report, each: Each<'_>) -> anyhow::Result<()> {
    for set in args.sets.open(messages)? {
        for entry in set.entries {
            let bytes = entry.read_page()?;
            each(RawPage { name: entry.id, bytes, url: entry.url }, messages)?;
        }
    }
    for arrival in Source::open(&args.paths, Limits::default()) {
        match arrival {
            Ok(arrival) => match sniff::not_a_page(&arrival.bytes) {
                Some(why) => messages.error(&arrival.name, why),
                None => {
                    let name = arrival.url.clone().unwrap_or(arrival.name);
                    each(RawPage { name, bytes: arrival.bytes, url: arrival.url }, messages)?;
                }
            },
            Err(problem) => messages.failure(problem),
        }
    }
    Ok(())
}

type ReadItem = Result<ReadPage, String>;

/// Reads pages side by side; in their order.
fn read_all(
    pages: &[RawPage],
    reader: &Reader,
    noted: &HashMap<String, String>,
    jobs: usize,
) -> Vec<ReadItem> {
    let one = |page: &RawPage| {
        panics::caught(|| {
            let words = noted.get(&page.name).cloned();
            reader.read(&page.name, &page.bytes, page.url.clone(), words)
        })
    };
    let chunk = pages.len().div_ceil(jobs.max(1)).max(1);
    std::thread::scope(|scope| {
        let started: Vec<_> = pages
            .chunks(chunk)
            .map(|pages| scope.spawn(move || pages.iter().map(one).collect::<Vec<_>>()))
            .collect();
        started.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

/// Lines of page, tab and query.
fn noted(path: &Path) -> anyhow::Result<HashMap<String, String>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut noted = HashMap::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let Some((page, query)) = line.split_once('\t') else {
            bail!("{}:{number}: write a page, a tab and a query", path.display());
        };
        noted.insert(page.to_owned(), query.trim().to_owned());
    }
    Ok(noted)
}

fn write_report(
    args: &Args,
    experiment: &Experiment,
    pages: u64,
    found: &Outcomes,
    plateau: Option<webstrata_lab::report::Section>,
) -> anyhow::Result<()> {
    let mut facts = vec![("pages", thousands(pages)), ("queries", thousands(found.queries as u64))];
    match (&args.topics, experiment.left_out) {
        (Some(topics), _) => facts.push(("topics", topics.display().to_string())),
        (None, left_out) => {
            let of = |value, all: &[(Words, &'static str)]| {
                all.iter().find(|(other, _)| *other == value).map_or("", |(_, name)| name)
            };
            facts.push(("queries are", of(args.queries, &Words::ALL).to_owned()));
            let repeats = REPEATS.iter().find(|(other, _)| *other == args.repeats);
            facts.push(("repeats of the query", repeats.map_or("", |(_, name)| name).to_owned()));
            facts.extend(left_out.map(|left_out| ("pages without a query", without(left_out))));
        }
    }
    let report = report("Searching in main texts", &facts, found, plateau);
    report.write(&args.out)?;
    for (name, svg) in report.figures() {
        write_whole(&args.out.join(name), svg.as_bytes())?;
    }
    Ok(())
}

fn without(left_out: LeftOut) -> String {
    let LeftOut { silent, short, ambiguous } = left_out;
    format!("{silent} say nothing, {short} less than two words, {ambiguous} what another page says")
}

fn shown(found: &Outcomes, pages: u64, left_out: Option<LeftOut>, style: Style) -> String {
    let queries = thousands(found.queries as u64);
    let mut text = format!("{} pages, {queries} queries\n", thousands(pages));
    if let Some(left_out) = left_out {
        let _ = writeln!(text, "pages without a query: {}", without(left_out));
    }
    let head = format!(
        "{:<16}{:>8}{:>8}{:>9}{:>8}   {} of {} higher by",
        "searched",
        "P@10",
        "MAP",
        "NDCG@10",
        "MRR",
        found.measure.name(),
        found.reference.name()
    );
    let _ = writeln!(text, "\n{}", style.paint(Paint::Aside, &head));
    for outcome in found.in_short() {
        let mean = &outcome.mean;
        let difference = if outcome.variant == found.reference {
            String::new()
        } else {
            let [mean, interval, p] = outcome.behind.shown();
            format!("{mean}, 95 %: {interval}, p {p}")
        };
        let _ = writeln!(
            text,
            "{:<16}{:>8.4}{:>8.4}{:>9.4}{:>8.4}   {difference}",
            outcome.variant.name(),
            mean.precision,
            mean.average_precision,
            mean.ndcg,
            mean.reciprocal_rank
        );
    }
    text
}
