//! `webstrata search ranks`: link ranks for the pages of an index.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata_base::thousands;
use webstrata_links::Graph;
use webstrata_links::rank::{self, Jump, Surfer, Until};
use webstrata_links::topics::{Categories, Reach, read_categories};
use webstrata_search::ranks::mean;
use webstrata_search::{Facet, GENERAL, Index, Ranks};

use webstrata_terminal::args::at_least_one;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

/// What `links pagerank` calls the ranking without bias.
const UNBIASED: &str = "rank";

/// The change of all ranks after which nothing changes any more that anybody sees.
const RESIDUAL: f64 = 1e-6;

const EXAMPLES: &str = "\
Examples:
  webstrata search ranks web --graph graph
  webstrata search ranks web --graph graph --categories categories.tsv --level 2
  webstrata links pagerank graph --categories topics/ --unbiased --out ranks.tsv
  webstrata search ranks web --ranks ranks.tsv

Build the graph with `webstrata links build`. All pages are ranked once without bias, for the facet `general
importance`, and once for each category. A category's facet is named by its path. Categories are lines of page,
tab and path, or a directory of files.

Pages of the index are found in the graph by their address. Ranks are normalised so that their mean over all
pages of the graph is 1. A page that is not in the graph has rank 1 and keeps its text score.

All ranks of the index are replaced. Pages that are indexed later have rank 1 until you run this again.

Exit codes: 0 done, 1 no page of the index is in the graph, 2 something failed.";

/// Add link ranks to the pages of an index
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the index
    #[arg(value_name = "INDEX")]
    index: PathBuf,

    /// Rank the pages of this graph
    #[arg(long, value_name = "GRAPH", required_unless_present = "ranks")]
    graph: Option<PathBuf>,

    /// Add a facet for each category
    #[arg(long, value_name = "FILE|DIR", requires = "graph")]
    categories: Option<PathBuf>,

    /// Use categories down to this level; 1 is the top level [default: all]
    #[arg(long, value_name = "N", requires = "categories", value_parser = at_least_one::<usize>)]
    level: Option<usize>,

    /// The probability that the surfer follows a link
    #[arg(long, value_name = "SHARE", default_value_t = Surfer::default().alpha, requires = "graph")]
    alpha: f64,

    /// Use ranks that `webstrata links pagerank` has written as lines
    #[arg(long, value_name = "FILE", conflicts_with = "graph")]
    ranks: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let index = Index::open(&args.index)?;
    let report = Report::new(global.quiet);
    let mut pages = Vec::new();
    index.searcher()?.each_id(|number, id| pages.push((number, id.to_owned())))?;
    let numbers = usize::try_from(index.contents()?.numbers)?;
    let mut found = Found { ranks: Ranks::new(), pages: 0 };
    match &args.graph {
        Some(graph) => from_graph(&Graph::open(graph)?, args, &pages, numbers, global, &mut found)?,
        None => {
            for path in &args.ranks {
                from_file(path, &pages, numbers, &mut found)?;
            }
        }
    }
    if found.pages == 0 {
        report.note(format_args!(
            "{}: no page of the index has a rank; are its addresses those of the graph?",
            args.index.display()
        ));
        return Ok(Exit::NoText);
    }
    index.write_ranks(&found.ranks)?;
    report.note(format_args!(
        "{} facets, {} of {} pages have ranks",
        found.ranks.facets().len(),
        thousands(found.pages as u64),
        thousands(pages.len() as u64)
    ));
    Ok(Exit::Text)
}

/// The ranks, and how many pages have some.
struct Found {
    ranks: Ranks,
    pages: usize,
}

/// The pages of the index: number and id.
type Pages = [(u64, String)];

fn from_graph(
    graph: &Graph,
    args: &Args,
    pages: &Pages,
    numbers: usize,
    global: &Global,
    found: &mut Found,
) -> anyhow::Result<()> {
    let mut facets = vec![Facet::topic(GENERAL)];
    let mut jumps = vec![Jump::Everywhere];
    if let Some(path) = &args.categories {
        let report = Report::new(global.quiet);
        for (name, set) in categories(path, args.level.unwrap_or(usize::MAX), graph, &report)? {
            facets.push(Facet::topic(name));
            jumps.push(Jump::Set(set));
        }
    }
    let options = rank::RankOptions {
        surfer: Surfer { alpha: args.alpha, ..Surfer::default() },
        until: Until::Residual(RESIDUAL),
        ..rank::RankOptions::default()
    };
    let places: Vec<(usize, usize)> = pages
        .iter()
        .filter_map(|(number, id)| Some((usize::try_from(*number).ok()?, graph.find(id)?)))
        .collect();
    found.pages = places.len();
    if places.is_empty() {
        return Ok(());
    }
    let progress = TerminalProgress::new(global.quiet);
    let ranking = rank::rank(graph, &jumps, &options, &progress);
    progress.end_part("ranking");
    for (facet, vector) in facets.into_iter().zip(&ranking?.vectors) {
        let mut of_index = vec![f32::NAN; numbers];
        for (number, place) in &places {
            if let Some(rank) = of_index.get_mut(*number) {
                *rank = vector[*place];
            }
        }
        found.ranks.add_part(facet, &of_index, mean(vector));
    }
    Ok(())
}

/// The categories with pages of the graph: their paths, the root's name first, and these pages.
fn categories(
    path: &Path,
    level: usize,
    graph: &Graph,
    report: &Report,
) -> anyhow::Result<Vec<(String, Vec<usize>)>> {
    let read = read_categories(path, &|name| graph.find(name))?;
    if let Some((file, problem)) = read.problems.first() {
        let lines: usize = read.problems.iter().map(|(_, problem)| problem.lines).sum();
        report.note(format_args!("{}, {problem}; {lines} such lines left out", file.display()));
    }
    let sets = read.tree.pages(Reach::Below);
    let mut found = Vec::new();
    for (at, (node, pages)) in read.tree.nodes().iter().zip(sets).enumerate() {
        if (1..=level).contains(&node.level) && !pages.is_empty() {
            found.push((full_path(&read.tree, at), pages));
        }
    }
    if found.is_empty() {
        bail!("{}: no category has a page of the graph", path.display());
    }
    Ok(found)
}

/// The path with the name of what all categories are in: `Top/Computers`.
fn full_path(tree: &Categories, node: usize) -> String {
    let path = tree.path(node);
    match tree.nodes().first().map(|root| root.name.as_str()) {
        None | Some("") => path,
        Some(root) => format!("{root}/{path}"),
    }
}

/// Reads lines of page and ranks; a first line `# page` names several rankings.
fn from_file(path: &Path, pages: &Pages, numbers: usize, found: &mut Found) -> anyhow::Result<()> {
    let by_id: HashMap<&str, usize> = pages
        .iter()
        .filter_map(|(number, id)| Some((id.as_str(), usize::try_from(*number).ok()?)))
        .collect();
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut names = vec![UNBIASED.to_owned()];
    let mut vectors: Vec<Vec<f32>> = Vec::new();
    // Of all pages, in the index or not.
    let (mut sums, mut lines, mut ranked) = (Vec::new(), 0_u64, 0);
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| path.display().to_string())?;
        if let Some(head) = line.strip_prefix("# page\t").filter(|_| at == 0) {
            names = head.split('\t').map(str::to_owned).collect();
        }
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if vectors.is_empty() {
            vectors = vec![vec![f32::NAN; numbers]; names.len()];
            sums = vec![0.0; names.len()];
        }
        let mut columns = line.split('\t');
        let id = columns.next().unwrap_or_default();
        let ranks: Option<Vec<f32>> = columns.map(rank_of).collect();
        let Some(ranks) = ranks.filter(|ranks| ranks.len() == names.len()) else {
            let count = names.len();
            bail!(
                "{}, line {}: expected a page and {count} ranks, separated by tabs",
                path.display(),
                at + 1
            );
        };
        lines += 1;
        for (sum, rank) in sums.iter_mut().zip(&ranks) {
            *sum += f64::from(*rank);
        }
        let Some(&number) = by_id.get(id) else { continue };
        ranked += usize::from(vectors[0].get(number).is_some_and(|rank| rank.is_nan()));
        for (vector, rank) in vectors.iter_mut().zip(ranks) {
            if let Some(place) = vector.get_mut(number) {
                *place = rank;
            }
        }
    }
    found.pages = found.pages.max(ranked);
    for ((name, vector), sum) in names.into_iter().zip(&vectors).zip(sums) {
        let name = if name == UNBIASED { GENERAL.to_owned() } else { name };
        found.ranks.add_part(Facet::topic(name), vector, sum / lines as f64);
    }
    Ok(())
}

fn rank_of(text: &str) -> Option<f32> {
    text.trim().parse().ok().filter(|rank: &f32| rank.is_finite() && *rank >= 0.0)
}
