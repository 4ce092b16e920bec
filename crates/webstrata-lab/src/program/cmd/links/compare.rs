//! `webstrata-lab links compare`: how alike two rankings are.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::Serialize;
use webstrata_lab::links::compare::{Compared, ScoreFile};

use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{self, without_control_characters};
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{NOTES, Report};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// How long the lists of the best pages are.
const TOPS: [usize; 3] = [10, 100, 1000];

const EXAMPLES: &str = "\
Examples:
  webstrata-lab links compare all-links.tsv content-links.tsv
  webstrata-lab links compare --moved 50 monday.tsv tuesday.tsv
  webstrata-lab links compare --json a.tsv b.tsv

Each line of a file is a page (its address or its number), a tab and its score; lines that begin with #
are comments. Pages that are in one file only are counted and left out.

Kendall's tau-b is 1 for the same order of pages and -1 for the opposite order. Lists of the best pages are
compared by Kendall's distance for top lists (Fagin, Kumar and Sivakumar, 2003), as a similarity: 1 for the
same list, 0 for lists without a page in common.

Exit codes: 0 done, 1 the files have no page in common, 2 something failed.";

/// Compare two rankings: Kendall's tau, the best pages, what moved most
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A ranking: page, tab, score
    a: PathBuf,

    /// Another one
    b: PathBuf,

    /// Show this many of the pages that moved most
    #[arg(long, value_name = "N", default_value_t = 10)]
    moved: usize,

    /// Write one JSON value
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Comparison<'a> {
    version: u32,
    pages: usize,
    only_in_a: usize,
    only_in_b: usize,
    kendall_tau_b: f64,
    top: Vec<Top>,
    l1: f64,
    largest_difference: Option<Difference<'a>>,
    sum_a: f64,
    sum_b: f64,
    moved: Vec<Moved<'a>>,
}

#[derive(Serialize)]
struct Top {
    pages: usize,
    shared: usize,
    kendall: f64,
}

#[derive(Serialize)]
struct Difference<'a> {
    page: &'a str,
    difference: f64,
}

#[derive(Serialize)]
struct Moved<'a> {
    page: &'a str,
    place_a: usize,
    place_b: usize,
    score_a: f64,
    score_b: f64,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let (a, b) = (read(&args.a, &mut report)?, read(&args.b, &mut report)?);
    let compared = Compared::new(a, b);
    let comparison = Comparison::of(&compared, args.moved);
    let text = if args.json {
        serde_json::to_string_pretty(&comparison)? + "\n"
    } else {
        without_control_characters(&comparison.text()).into_owned()
    };
    output::print(text.as_bytes())?;
    Ok(match compared.pages() {
        _ if report.failed() => Exit::Failed,
        0 => Exit::NoText,
        _ => Exit::Text,
    })
}

/// Bad lines are left out and named, the first few of them.
fn read(path: &Path, report: &mut Report) -> anyhow::Result<ScoreFile> {
    let (file, problems) = ScoreFile::open(path)?;
    for problem in problems.iter().take(NOTES) {
        report.failure(format_args!("{}: {problem}", path.display()));
    }
    let more: usize = problems.iter().skip(NOTES).map(|problem| problem.lines).sum();
    if more > 0 {
        report.failure(format_args!("{}: {more} more such lines", path.display()));
    }
    if file.is_empty() {
        bail!("{}: no ranking; expected lines of page, tab, score", path.display());
    }
    Ok(file)
}

impl<'a> Comparison<'a> {
    fn of(compared: &'a Compared, moved: usize) -> Comparison<'a> {
        let top = |pages: usize| {
            let lists = compared.top(pages);
            let pages = pages.min(compared.pages());
            Top { pages, shared: lists.shared(), kendall: lists.similarity() }
        };
        // Longer lists than there are pages all say the same.
        let longer = TOPS.iter().filter(|count| **count < compared.pages()).count();
        let moved = compared.moved(moved).into_iter().map(|page| Moved {
            page: page.page,
            place_a: page.places[0],
            place_b: page.places[1],
            score_a: page.scores[0],
            score_b: page.scores[1],
        });
        Comparison {
            version: VERSION,
            pages: compared.pages(),
            only_in_a: compared.alone[0],
            only_in_b: compared.alone[1],
            kendall_tau_b: compared.tau_b(),
            top: TOPS.into_iter().take(longer + 1).map(top).collect(),
            l1: compared.l1(),
            largest_difference: compared
                .farthest()
                .map(|(page, difference)| Difference { page, difference }),
            sum_a: compared.sums()[0],
            sum_b: compared.sums()[1],
            moved: moved.collect(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "pages in both: {}, only in A: {}, only in B: {}\nKendall's tau-b: {:.4}\n",
            self.pages, self.only_in_a, self.only_in_b, self.kendall_tau_b
        );
        for top in &self.top {
            let _ = writeln!(
                text,
                "best {}: {} shared, Kendall {:.4}",
                top.pages, top.shared, top.kendall
            );
        }
        let _ = write!(text, "L1 distance: {:.3e}", self.l1);
        let _ = writeln!(text, " (sums {:.6} and {:.6})", self.sum_a, self.sum_b);
        if let Some(Difference { page, difference }) = &self.largest_difference {
            let _ = writeln!(text, "largest difference: {difference:.3e}, of {page}");
        }
        if !self.moved.is_empty() {
            text.push_str("moved most:\n");
        }
        for page in &self.moved {
            let _ = writeln!(text, "  {} → {}  {}", page.place_a, page.place_b, page.page);
        }
        text
    }
}
