//! `webstrata search facets`: the aspects that the results of a search have (thesis, 3.4).

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;
use webstrata_base::thousands;
use webstrata_search::facets::evaluation::{Case, Evaluation, evaluate};
use webstrata_search::facets::{Against, Dimension, FacetOptions, Found, Start, facets_of};
use webstrata_search::ranks::TOPIC;
use webstrata_search::{GENERAL, Index, Searcher};

use super::query::AskingArgs;
use webstrata_terminal::args::{at_least_one, one_of};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{self, without_control_characters};
use webstrata_terminal::program::Global;
use webstrata_terminal::style::{Paint, Style};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// Where the search for facets begins, and how that is called here.
const STARTS: [(Start, &str); 2] = [(Start::Tops, "tops"), (Start::Shown, "shown")];

/// What ranks are compared with, and how that is called here.
const AGAINST: [(Against, &str); 2] = [(Against::Mean, "mean"), (Against::Unbiased, "unbiased")];

const EXAMPLES: &str = "\
Examples:
  webstrata search facets web information retrieval
  webstrata search facets web ferry --facet Top/Recreation --json
  webstrata search facets web --evaluate queries.tsv

Topics are those of `webstrata search ranks`. A page belongs to a topic if its rank for the topic is high; the
more topics it has, the less it belongs to each. Percentages are shares of the best pages of several rankings.
Hosts, languages, types and dates are counted in the best pages.

`webstrata search query web WORDS --facet NAME` orders the same pages by the topic.

With --evaluate, the searches of a file are run; its lines are topic, tab and words. The output shows how often
the topic or one above it was suggested.

Exit codes: 0 done, 1 no page was found, 2 something failed.";

/// Show the topics, hosts, languages, types and dates of search results
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the index
    #[arg(value_name = "INDEX")]
    index: PathBuf,

    /// The query
    #[arg(value_name = "WORDS", conflicts_with = "evaluate")]
    words: Vec<String>,

    #[command(flatten)]
    asking: AskingArgs,

    /// The number of best pages of each ranking that are used
    #[arg(short, long, value_name = "N", default_value = "100", value_parser = at_least_one::<usize>)]
    k: usize,

    /// The least membership with which a page counts for a topic
    #[arg(long, value_name = "NUMBER", default_value_t = FacetOptions::default().threshold, value_parser = number)]
    threshold: f64,

    /// The least share of pages with which a topic is shown (lambda)
    #[arg(long, value_name = "SHARE", default_value_t = FacetOptions::default().least_share, value_parser = share)]
    lambda: f64,

    /// How often the search is repeated with the rankings of the topics that were found
    #[arg(long, value_name = "N", default_value_t = FacetOptions::default().iterations, value_parser = iterations)]
    iterations: usize,

    /// Which rankings are used first: also those of the top topics, or only the shown one
    #[arg(long, value_name = "WHERE", default_value = "tops", value_parser = one_of(STARTS))]
    start: Start,

    /// What a high rank for a topic is compared with: the mean of all pages, or the page's own rank without bias. The
    /// latter suits dense graphs, where all topics share their best pages
    #[arg(long, value_name = "WHAT", default_value = "mean", value_parser = one_of(AGAINST))]
    against: Against,

    /// Run the searches of a file and show how often topics are right
    #[arg(long, value_name = "FILE")]
    evaluate: Option<PathBuf>,

    /// Write one JSON value
    #[arg(long)]
    json: bool,
}

fn number(written: &str) -> Result<f64, String> {
    let number = written.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number".into())
}

fn share(written: &str) -> Result<f64, String> {
    let share = written.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1".into())
}

fn iterations(written: &str) -> Result<usize, String> {
    let number = written.parse().ok().filter(|number| (1..=100).contains(number));
    number.ok_or_else(|| "expected a number from 1 to 100".into())
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let searcher = Index::open(&args.index)?.searcher()?;
    let settings = FacetOptions {
        sample: args.k,
        threshold: args.threshold,
        least_share: args.lambda,
        iterations: args.iterations,
        start: args.start,
        against: args.against,
    };
    let style = Style::of_stdout(global.color);
    match &args.evaluate {
        Some(file) => judge(args, &searcher, &settings, file, style),
        None => show(args, &searcher, &settings, style),
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    version: u32,
    query: &'a str,
    total: u64,
    dimensions: &'a [Dimension],
}

fn show(
    args: &Args,
    searcher: &Searcher,
    settings: &FacetOptions,
    style: Style,
) -> anyhow::Result<Exit> {
    let text = args.words.join(" ");
    let found = facets_of(searcher, &args.asking.query(text.clone()), settings)?;
    let written = if args.json {
        let Found { total, dimensions } = &found;
        let shown = Shown { version: VERSION, query: &text, total: *total, dimensions };
        serde_json::to_string_pretty(&shown)? + "\n"
    } else {
        lists(&found, style)
    };
    output::print(written.as_bytes())?;
    Ok(if found.total == 0 { Exit::NoText } else { Exit::Text })
}

fn lists(found: &Found, style: Style) -> String {
    let pages = if found.total == 1 { "page" } else { "pages" };
    let mut text = format!("{} {pages}\n", thousands(found.total));
    for dimension in &found.dimensions {
        let _ = write!(text, "\n{}\n", style.paint(Paint::Heading, &dimension.name));
        for (depth, at) in dimension.tree() {
            let facet = &dimension.facets[at];
            let share = format!("{:>4.0} %", 100.0 * facet.share);
            let label =
                without_control_characters(if depth > 0 { &facet.label } else { &facet.name });
            let label = if facet.highlighted {
                style.paint(Paint::Kept, &label)
            } else {
                label.into_owned()
            };
            let _ = writeln!(text, "{share}  {}{label}", "  ".repeat(depth));
        }
    }
    text
}

#[derive(Serialize)]
struct Judged<'a> {
    version: u32,
    facets: usize,
    #[serde(flatten)]
    evaluation: Evaluation,
    /// Searches for which neither the topic nor one above it was suggested.
    missed: Vec<Missed<'a>>,
}

#[derive(Serialize)]
struct Missed<'a> {
    topic: &'a str,
    query: &'a str,
    suggested: &'a [String],
}

fn judge(
    args: &Args,
    searcher: &Searcher,
    settings: &FacetOptions,
    file: &Path,
    style: Style,
) -> anyhow::Result<Exit> {
    let Some(ranks) = searcher.ranks() else {
        bail!(
            "{}: the index has no ranks; `webstrata search ranks` adds them",
            args.index.display()
        );
    };
    let topics: Vec<&str> = ranks
        .facets()
        .iter()
        .filter(|facet| facet.dimension == TOPIC && facet.name != GENERAL)
        .map(|facet| facet.name.as_str())
        .collect();
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut cases = Vec::new();
    let mut queries = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let Some((topic, words)) = line.split_once('\t') else {
            bail!("{}:{number}: write a topic, a tab and the words of a search", file.display());
        };
        if !topics.contains(&topic) {
            bail!("{}:{number}: the index has no ranks for {topic}", file.display());
        }
        let found = facets_of(searcher, &args.asking.query(words.to_owned()), settings)?;
        cases.push(Case { topic: topic.to_owned(), suggested: found.suggested(TOPIC) });
        queries.push(words);
    }
    let evaluation = evaluate(&cases, &topics);
    let written = if args.json {
        let missed = cases.iter().zip(&queries).filter_map(|(case, query)| {
            let suggested = case.suggested.as_deref()?;
            let one = evaluate(std::slice::from_ref(case), &topics);
            (one.right < 1.0).then_some(Missed { topic: &case.topic, query, suggested })
        });
        let judged =
            Judged { version: VERSION, facets: topics.len(), missed: missed.collect(), evaluation };
        serde_json::to_string_pretty(&judged)? + "\n"
    } else {
        judgement(&evaluation, topics.len(), style)
    };
    output::print(written.as_bytes())?;
    Ok(if evaluation.answered == 0 { Exit::NoText } else { Exit::Text })
}

fn judgement(found: &Evaluation, topics: usize, style: Style) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let rows = [
        ("the topic or one above it was suggested", percent(found.right)),
        ("the topic itself", percent(found.exact)),
        ("it or one above it came first", percent(found.first)),
        ("topics suggested, in the mean", format!("{:.1}", found.suggested)),
        ("as many at random would be right", percent(found.random)),
        ("as many of the most suggested", percent(found.popular)),
    ];
    let head =
        format!("{} searches, {} with results, {topics} topics", found.queries, found.answered);
    let mut text = style.paint(Paint::Heading, &head) + "\n";
    for (name, value) in rows {
        let _ = writeln!(text, "  {name:<40} {value:>7}");
    }
    text
}
