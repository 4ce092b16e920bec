//! `webstrata links top`: the best pages of a ranking.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::Serialize;
use webstrata_links::rank::top;
use webstrata_links::topics::combine;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{self, without_control_characters};
use webstrata_terminal::program::Global;

/// The version of the JSON's shape.
const VERSION: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  webstrata links top ranks.tsv
  webstrata links top ranks.tsv -n 50 --containing .edu/
  webstrata links top topics.tsv --column 2
  webstrata links top topics.tsv --weights 0.7,0.3     a mixture of two biased rankings

Each line of the file is a page, a tab and its rank, as `webstrata links pagerank` writes it. If lines have
several ranks, the first counts, or that of --column, or their sum with --weights (Equation 3.6 of the
thesis: the surfer jumps to one set or the other, in these shares). Use --weights for rankings computed with
--dangling uniform or drop only; others are normalised one by one.

Exit codes: 0 done, 1 no page was found, 2 something failed.";

/// Show the best pages of a ranking
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A ranking: page, tab, rank
    #[arg(value_name = "RANKS")]
    ranks: PathBuf,

    /// The number of pages to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    count: usize,

    /// Only pages whose address contains this
    #[arg(long, value_name = "TEXT")]
    containing: Option<String>,

    /// Which of several ranks to use, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "weights")]
    column: usize,

    /// A weight for each of several ranks
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    weights: Vec<f64>,

    /// Write one JSON value
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Best<'a> {
    version: u32,
    pages: Vec<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    place: usize,
    rank: f32,
    page: &'a str,
}

pub(crate) fn run(args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    if args.weights.iter().any(|weight| !weight.is_finite()) {
        bail!("--weights: a weight is a finite number");
    }
    let (names, ranks) = read(args)?;
    let mut best = Best { version: VERSION, pages: Vec::new() };
    for (place, page) in top(&ranks, args.count).into_iter().enumerate() {
        best.pages.push(Place { place: place + 1, rank: ranks[page], page: &names[page] });
    }
    if args.json {
        output::print(format!("{}\n", serde_json::to_string(&best)?).as_bytes())?;
    } else {
        let mut text = String::new();
        for Place { place, rank, page } in &best.pages {
            text += &format!("{place:>6}  {rank:<12.6e}  {}\n", without_control_characters(page));
        }
        output::print(text.as_bytes())?;
    }
    Ok(if best.pages.is_empty() { Exit::NoText } else { Exit::Text })
}

/// The pages that are asked for, and their ranks.
fn read(args: &Args) -> anyhow::Result<(Vec<String>, Vec<f32>)> {
    let path = &args.ranks;
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let (mut names, mut all) = (Vec::new(), Vec::new());
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| path.display().to_string())?;
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("{}, line {}: {what}", path.display(), at + 1);
        let (name, ranks) =
            line.split_once('\t').with_context(|| wrong("no tab; expected page, tab, rank"))?;
        if args.containing.as_ref().is_some_and(|part| !name.contains(part)) {
            continue;
        }
        let ranks: Vec<f32> = ranks
            .split('\t')
            .map(|rank| rank.trim().parse().ok().filter(|rank: &f32| rank.is_finite()))
            .collect::<Option<_>>()
            .with_context(|| wrong("a rank is a finite number"))?;
        let rank = if args.weights.is_empty() {
            let rank = args.column.checked_sub(1).and_then(|column| ranks.get(column)).copied();
            rank.with_context(|| wrong(&format!("no ranking {} of {}", args.column, ranks.len())))?
        } else {
            if ranks.len() != args.weights.len() {
                bail!(wrong(&format!("{} ranks, but {} weights", ranks.len(), args.weights.len())));
            }
            let columns: Vec<&[f32]> = ranks.chunks(1).collect();
            combine(&columns, &args.weights)[0]
        };
        names.push(name.to_owned());
        all.push(rank);
    }
    Ok((names, all))
}
