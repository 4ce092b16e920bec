//! `webstrata-lab links topics`: what rankings biased on categories are good for (thesis, 3.3.1).

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use serde::Serialize;
use webstrata::{Extractor, Options};
use webstrata_base::write_whole;
use webstrata_lab::links::judge::Judgements;
use webstrata_lab::links::topics::{
    Found, Quality, Queries, Rankings, Texts, TopicOptions, Verdict, View, report,
};
use webstrata_links::Graph;
use webstrata_links::links::InLinks;
use webstrata_links::rank::{self, Surfer, Until};
use webstrata_links::tab_separated::{self, LineProblem};
use webstrata_links::topics::{Categories, Reach, ReadCategories, read_categories};
use webstrata_search::{Index, Matching, Mix, Query, Searcher};

use webstrata_base::thousands;

use webstrata_terminal::args::at_least_one;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{self, without_control_characters};
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{NOTES, Report, TerminalProgress};
use webstrata_terminal::style::{Paint, Style};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// Rankings are compared page by page, so they have to be exact.
const RESIDUAL: f64 = 1e-9;

const EXAMPLES: &str = "\
Examples:
  webstrata-lab links topics web --categories categories.tsv
  webstrata-lab links topics web --categories topics/ --level 2 --out report/
  webstrata-lab links topics web --categories categories.tsv --texts texts/ --json > topics.json
  webstrata-lab links topics web --categories categories.tsv --index pages --out report/

Categories are lines of page, tab and path (subject.Science.Physics, or with / between the names), or a
directory with a file for each category that lists its pages. Pages have the same names as in the graph. A
category includes the pages of its subcategories, unless --exactly is given.

For each category, a ranking is biased on its pages. It is compared with the ranking without bias and with
those of the parent and the siblings: the first 30 pages by Kendall's tau (concordant less discordant pairs, of
all), the JSON also by the distance of Fagin, Kumar and Sivakumar, and all pages by Kendall's tau-b. Its quality is measured with judgements (category, tab, page,
tab, 0 or 1). Without judgements, it is measured how well a ranking biased on a random half of a category
finds the other half.

Judgements of several people begin with who judged: subject, category, page, 0 or 1; or subject, category,
query, page, 0 or 1. The mean over the subjects of a query counts, then the mean over the queries.

In judgements, a category is its path with / between the names, without the common start of all paths: if all
are below subject, subject.Science.Physics is Science/Physics.

With --texts, searches are measured in the same way, with the text score times the rank: for the words of each
category's name, or for the queries of --queries (category, tab, query; any number for a category). Files have the names of pages, with or without an extension; ^ stands for / and _^^ for ://.
With --index, the searches use an index of `webstrata search index`, whose pages have the names of the graph.

Exit codes: 0 done, 1 no category has a page, 2 something failed.";

/// Bias rankings on categories, compare and evaluate them, as in the thesis
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A graph, as `webstrata links build` makes it
    graph: PathBuf,

    /// The categories of pages
    #[arg(long, value_name = "FILE|DIR")]
    categories: PathBuf,

    /// Use categories down to this level; 1 is the top level [default: all]
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    level: Option<u64>,

    /// The number of best pages to compare
    #[arg(long, value_name = "N", default_value = "30", value_parser = at_least_one::<u64>)]
    top: u64,

    /// Do not include the pages of subcategories
    #[arg(long)]
    exactly: bool,

    /// A file of judgements: which pages are relevant
    #[arg(long, value_name = "FILE")]
    judgements: Option<PathBuf>,

    /// A file of queries, several for each category
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    /// The texts of the pages, as text or HTML, to measure searches
    #[arg(long, value_name = "DIR")]
    texts: Option<PathBuf>,

    /// An index of the pages, to measure searches
    #[arg(long, value_name = "DIR", conflicts_with = "texts")]
    index: Option<PathBuf>,

    /// The probability that the surfer follows a link
    #[arg(long, value_name = "SHARE", default_value_t = Surfer::default().alpha)]
    alpha: f64,

    /// The seed for random halves of categories
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Write one JSON value
    #[arg(long)]
    json: bool,

    /// Write a report with the tree of categories: index.html, report.md, report.json, *.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Shown<'a> {
    version: u32,
    pages: usize,
    categories: usize,
    unknown: usize,
    alpha: f64,
    top: usize,
    seed: u64,
    quality: &'static str,
    views: &'a [View],
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut messages = Report::new(global.quiet);
    let graph = Graph::open(&args.graph)?;
    let categories = categories(args, &graph, &mut messages)?;
    let settings = TopicOptions {
        level: args.level.map_or(usize::MAX, size),
        top: size(args.top),
        reach: if args.exactly { Reach::Exactly } else { Reach::Below },
        seed: args.seed,
    };
    let options = rank::RankOptions {
        surfer: Surfer { alpha: args.alpha, ..Surfer::default() },
        until: Until::Residual(RESIDUAL),
        ..rank::RankOptions::default()
    };
    let progress = TerminalProgress::new(global.quiet);
    let rankings = Rankings::new(&graph, &categories.tree, &settings, &options, &progress)?;
    progress.end_part("ranking");
    let views = views(args, &graph, &categories.tree, &rankings, &mut messages)?;
    let shown = Shown {
        version: VERSION,
        pages: graph.pages(),
        categories: rankings.categories(),
        unknown: categories.unknown,
        alpha: args.alpha,
        top: settings.top,
        seed: args.seed,
        quality: if args.judgements.is_some() { "judged" } else { "held-out" },
        views: &views,
    };
    if let Some(out) = &args.out {
        write_report(out, args, &shown)?;
        messages.note(format_args!("{}: written", out.join("index.html").display()));
    }
    let text = if args.json {
        serde_json::to_string_pretty(&shown)? + "\n"
    } else {
        without_control_characters(&shown.text(Style::of_stdout(global.color))).into_owned()
    };
    output::print(text.as_bytes())?;
    Ok(match rankings.categories() {
        _ if messages.failed() => Exit::Failed,
        0 => Exit::NoText,
        _ => Exit::Text,
    })
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn categories(args: &Args, graph: &Graph, messages: &mut Report) -> anyhow::Result<ReadCategories> {
    let categories = read_categories(&args.categories, &|page| graph.find(page))?;
    let problems = &categories.problems;
    for (path, problem) in problems.iter().take(NOTES) {
        messages.failure(format_args!("{}: {problem}", path.display()));
    }
    more_problems(&args.categories, problems.iter().map(|(_, problem)| problem), messages);
    if categories.unknown > 0 {
        messages.note(format_args!(
            "{}: {} lines name pages that the graph does not have",
            args.categories.display(),
            thousands(categories.unknown as u64)
        ));
    }
    Ok(categories)
}

/// Rankings, and searches where there are texts or an index.
fn views(
    args: &Args,
    graph: &Graph,
    categories: &Categories,
    rankings: &Rankings<'_>,
    messages: &mut Report,
) -> anyhow::Result<Vec<View>> {
    let judged = args.judgements.as_deref();
    let judgements =
        judged.map(|path| judgements(path, categories, graph, messages)).transpose()?;
    let relevant = |path: &str, query: Option<&str>| -> Vec<Vec<usize>> {
        let subjects = judgements.iter().flat_map(|judgements| judgements.relevant(path, query));
        subjects
            .map(|pages| pages.into_iter().filter_map(|page| graph.find(page)).collect())
            .collect()
    };
    let queries = queries(args, categories, messages)?;
    let quality = if judgements.is_some() { Quality::Judged(&relevant) } else { Quality::HeldOut };
    let mut views = vec![View::new("rankings", rankings.measure(quality), args.seed)];
    if let Some(path) = &args.texts {
        let analysis = rankings.measure_searches(quality, &queries, &texts(path, graph, messages)?);
        views.push(View::new("searches", analysis, args.seed));
    }
    if let Some(path) = &args.index {
        let search = Searching::new(path, graph)?;
        let analysis = rankings.measure_found(quality, &queries, |words| search.found(words))?;
        views.push(View::new("searches", analysis, args.seed));
    }
    Ok(views)
}

/// The queries of a file, or the names of categories.
fn queries(args: &Args, categories: &Categories, messages: &mut Report) -> anyhow::Result<Queries> {
    let Some(path) = &args.queries else { return Ok(Queries::default()) };
    let (queries, problems) = Queries::open(path)?;
    for problem in problems.iter().take(NOTES) {
        messages.failure(format_args!("{}: {problem}", path.display()));
    }
    more_problems(path, &problems, messages);
    let paths: HashSet<String> =
        (0..categories.nodes().len()).map(|node| categories.path(node)).collect();
    let unknown = queries.categories().filter(|category| !paths.contains(*category)).count();
    if unknown > 0 {
        messages.note(format_args!("{}: {unknown} categories that are not known", path.display()));
    }
    Ok(queries)
}

/// Searches in an index, whose results are pages of the graph.
struct Searching {
    searcher: Arc<Searcher>,
    /// The pages of the graph by their numbers in the index.
    pages: HashMap<u64, usize>,
}

impl Searching {
    fn new(path: &Path, graph: &Graph) -> anyhow::Result<Searching> {
        let searcher = Index::open(path)?.searcher()?;
        let mut pages = HashMap::new();
        searcher.each_id(|number, id| {
            pages.extend(graph.find(id).map(|page| (number, page)));
        })?;
        if pages.is_empty() {
            bail!("{}: no page of the index is called as one of the graph", path.display());
        }
        Ok(Searching { searcher, pages })
    }

    /// The pages with any of the words, weighted by their texts alone: ranks come later (Equation 3.5).
    fn found(&self, words: &str) -> Result<Found, webstrata_base::Error> {
        let words = words.replace('_', " ");
        let query = Query { matching: Matching::Any, ..Query::new(words) };
        let most = self.pages.len();
        let tops = self.searcher.tops(&query, &[Mix::text()], most)?.lists.into_iter().flatten();
        let mut found: Vec<(usize, f64)> = tops
            .filter_map(|top| Some((*self.pages.get(&top.number)?, f64::from(top.text_score))))
            .collect();
        found.sort_unstable_by_key(|(page, _)| *page);
        found.dedup_by_key(|(page, _)| *page);
        let (pages, weights) = found.into_iter().unzip();
        Ok(Found { pages, weights })
    }
}

fn judgements(
    path: &Path,
    categories: &Categories,
    graph: &Graph,
    messages: &mut Report,
) -> anyhow::Result<Judgements> {
    let (judgements, problems) = Judgements::open(path)?;
    for problem in problems.iter().take(NOTES) {
        messages.failure(format_args!("{}: {problem}", path.display()));
    }
    more_problems(path, &problems, messages);
    note_unknown(path, &judgements, categories, graph, messages);
    Ok(judgements)
}

/// How many lines are wrong besides those that were named.
fn more_problems<'a>(
    path: &Path,
    problems: impl IntoIterator<Item = &'a LineProblem>,
    messages: &mut Report,
) {
    let more: usize = problems.into_iter().skip(NOTES).map(|problem| problem.lines).sum();
    if more > 0 {
        messages.failure(format_args!("{}: {more} more such lines", path.display()));
    }
}

/// Judgements that cannot count, as a name is spelled otherwise than here.
fn note_unknown(
    path: &Path,
    judgements: &Judgements,
    categories: &Categories,
    graph: &Graph,
    messages: &Report,
) {
    let paths: HashSet<String> =
        (0..categories.nodes().len()).map(|node| categories.path(node)).collect();
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        judgements.topics().partition(|topic| paths.contains(*topic));
    if let Some(first) = unknown.first() {
        let count: usize = unknown.iter().map(|topic| judgements.pages(topic).count()).sum();
        messages.note(format_args!(
            "{}: {} judgements are of no category ({first}); write them as {}",
            path.display(),
            thousands(count as u64),
            paths.iter().filter(|path| !path.is_empty()).min().map_or("-", String::as_str)
        ));
    }
    let pages = known.iter().flat_map(|topic| judgements.pages(topic));
    let strangers = pages.filter(|page| graph.find(page).is_none()).count();
    if strangers > 0 {
        messages.note(format_args!(
            "{}: {} judgements name pages that the graph does not have",
            path.display(),
            thousands(strangers as u64)
        ));
    }
}

/// The words of all files below a folder whose names are those of pages.
fn texts(path: &Path, graph: &Graph, messages: &mut Report) -> anyhow::Result<Texts> {
    let Some(keep_all) = Extractor::named("keep-all") else {
        bail!("keep-all: no such extractor");
    };
    let mut texts = Texts::default();
    let mut unknown = 0_u64;
    for file in tab_separated::files(path)? {
        let Some(page) = page_of(&file, graph) else {
            unknown += 1;
            continue;
        };
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        if is_html(&bytes) {
            texts.add(page, &keep_all.extract_with(&bytes, &Options::default()).text());
        } else {
            texts.add(page, &String::from_utf8_lossy(&bytes));
        }
    }
    if texts.is_empty() {
        bail!("{}: no file is called as a page of the graph", path.display());
    }
    if unknown > 0 {
        let unknown = thousands(unknown);
        messages
            .note(format_args!("{}: {unknown} files are no pages of the graph", path.display()));
    }
    Ok(texts)
}

fn page_of(file: &Path, graph: &Graph) -> Option<usize> {
    let whole = file.file_name()?.to_string_lossy();
    let stem = file.file_stem()?.to_string_lossy();
    [&whole, &stem].into_iter().find_map(|name| {
        graph.find(name).or_else(|| graph.find(&name.replace("_^^", "://").replace('^', "/")))
    })
}

fn is_html(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_ascii_lowercase();
    ["<html", "<head", "<title", "<body", "<!doctype", "<p>", "<h1"]
        .iter()
        .any(|tag| start.contains(tag))
}

fn write_report(out: &Path, args: &Args, shown: &Shown<'_>) -> anyhow::Result<()> {
    let facts = [
        ("graph", args.graph.display().to_string()),
        ("pages", thousands(shown.pages as u64)),
        ("categories", thousands(shown.categories as u64)),
        ("alpha", shown.alpha.to_string()),
        ("compared", format!("the best {}", shown.top)),
        ("precision", shown.quality.to_owned()),
        ("seed", shown.seed.to_string()),
    ];
    let report = report("Topics", &facts, shown.views);
    report.write(out)?;
    for (name, svg) in report.figures() {
        write_whole(&out.join(name), svg.as_bytes())?;
    }
    Ok(())
}

impl Shown<'_> {
    fn text(&self, style: Style) -> String {
        let mut text = format!(
            "{} pages, {} categories\n",
            thousands(self.pages as u64),
            thousands(self.categories as u64)
        );
        for view in self.views {
            let _ = write!(text, "\n{}\n", style.paint(Paint::Heading, view.name));
            levels(&mut text, view, style);
            findings(&mut text, view, style);
        }
        text
    }
}

fn levels(text: &mut String, view: &View, style: Style) {
    let head = format!(
        "{:>7}{:>12}{:>8}{:>10}{:>8}{:>10}{:>9}{:>10}",
        "level", "categories", "pages", "unbiased", "parent", "siblings", "MAP@10", "unbiased"
    );
    let _ = writeln!(text, "{}", style.paint(Paint::Aside, &head));
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
    for level in &view.levels {
        let _ = writeln!(
            text,
            "{:>7}{:>12}{:>8.1}{:>10}{:>8}{:>10}{:>9}{:>10}",
            level.level,
            level.categories,
            level.pages,
            number(level.to_unbiased),
            number(level.to_parent),
            number(level.to_siblings),
            number(level.biased),
            number(level.unbiased)
        );
    }
}

fn findings(text: &mut String, view: &View, style: Style) {
    for (index, finding) in view.findings.iter().enumerate() {
        let paint = match finding.verdict {
            Verdict::Agrees => Paint::Kept,
            Verdict::Differs => Paint::Dropped,
            Verdict::Unknown => Paint::Aside,
        };
        let verdict = style.paint(paint, &finding.verdict.to_string());
        let _ = writeln!(text, "  {}. {} — {verdict}", index + 1, finding.thesis);
        let _ = writeln!(text, "     {}: {}", finding.statistic, finding.here);
    }
}
