//! `webstrata links stats`: what a graph looks like.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use webstrata_links::Graph;
use webstrata_links::graph::stats::{Distribution, Stats, Votes};
use webstrata_links::graph::{LinkCounts, Rules};

use webstrata_base::thousands;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::style::{Paint, Style};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// Tables 3.1 and 3.2 of the thesis: LargeWeb, 601,183,777 links, 8 partitions.
const LARGE_WEB: Shares = Shares {
    intra_host: 0.9381,
    inter_host: 0.0619,
    intra_partition: Some(0.0074),
    inter_partition: Some(0.0544),
    votes: Some(0.0060),
};

const EXAMPLES: &str = "\
Examples:
  webstrata links stats web
  webstrata links stats web --partitions 8
  webstrata links stats web --json

The column of the thesis is for its graph LargeWeb (62.8 million pages, 601,183,777 links, Tables 3.1 and
3.2). Partitions are ranges of hosts with equal cost. All links from a partition to one page of another
partition are one vote. A run is three or more consecutive pages that link to the same page.

`webstrata-lab links plot` draws the graph.

Exit codes: 0 done, 1 the graph has no page, 2 something failed.";

/// Show statistics of a web graph: hosts, links inside and between them, degrees
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the graph
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    /// Count links and votes between this many partitions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    partitions: Option<u32>,

    /// Check every file against its checksum first
    #[arg(long)]
    verify: bool,

    /// Write one JSON value
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown<'a> {
    version: u32,
    generation: u64,
    rules: &'a Rules,
    pages: u64,
    hosts: u64,
    links: u64,
    by_stratum: LinkCounts,
    dangling: u64,
    unlinked: u64,
    in_runs: u64,
    shares: Shares,
    partitions: Option<Partitions>,
    pages_of_hosts: Vec<Class>,
    in_degrees: Vec<Class>,
    largest_host: u64,
    largest_in_degree: u64,
    in_degree_exponent: Option<f64>,
}

#[derive(Clone, Copy, Serialize)]
struct Shares {
    intra_host: f64,
    inter_host: f64,
    intra_partition: Option<f64>,
    inter_partition: Option<f64>,
    votes: Option<f64>,
}

#[derive(Serialize)]
struct Partitions {
    partitions: usize,
    intra_partition: u64,
    inter_partition: u64,
    votes: u64,
}

#[derive(Serialize)]
struct Class {
    from: u64,
    to: u64,
    count: u64,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let graph = Graph::open_unverified(&args.graph)?;
    if args.verify {
        graph.verify()?;
    }
    let stats = Stats::of(&graph);
    let votes = args.partitions.map(|partitions| Votes::of(&graph, partitions as usize));
    let shares = Shares::of(&stats, votes.as_ref());
    if args.json {
        let mut json = serde_json::to_vec_pretty(&shown(&graph, &stats, votes.as_ref(), shares))?;
        json.push(b'\n');
        output::print(&json)?;
    } else {
        let style = Style::of_stdout(global.color);
        output::print(text(&graph, &stats, votes.as_ref(), shares, style).as_bytes())?;
    }
    Ok(if stats.pages == 0 { Exit::NoText } else { Exit::Text })
}

impl Shares {
    fn of(stats: &Stats, votes: Option<&Votes>) -> Shares {
        let all = stats.links.total();
        let share = |count: u64| share(count, all);
        let [inside, across, inside_boilerplate, across_boilerplate] = stats.links.by_stratum();
        Shares {
            intra_host: share(inside + inside_boilerplate),
            inter_host: share(across + across_boilerplate),
            intra_partition: votes.map(|votes| share(votes.intra_partition)),
            inter_partition: votes.map(|votes| share(votes.inter_partition)),
            votes: votes.map(|votes| share(votes.votes)),
        }
    }
}

fn share(count: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { count as f64 / all as f64 }
}

fn classes(distribution: &Distribution) -> Vec<Class> {
    distribution.classes().map(|(from, to, count)| Class { from, to, count }).collect()
}

fn shown<'a>(graph: &'a Graph, stats: &Stats, votes: Option<&Votes>, shares: Shares) -> Shown<'a> {
    Shown {
        version: VERSION,
        generation: graph.about().generation,
        rules: &graph.about().rules,
        pages: stats.pages,
        hosts: stats.hosts,
        links: stats.links.total(),
        by_stratum: stats.links,
        dangling: stats.dangling,
        unlinked: stats.unlinked,
        in_runs: stats.in_runs,
        shares,
        partitions: votes.map(|votes| Partitions {
            partitions: votes.partitions,
            intra_partition: votes.intra_partition,
            inter_partition: votes.inter_partition,
            votes: votes.votes,
        }),
        pages_of_hosts: classes(&stats.host_sizes),
        in_degrees: classes(&stats.in_degrees),
        largest_host: stats.host_sizes.largest,
        largest_in_degree: stats.in_degrees.largest,
        in_degree_exponent: stats.in_degree_exponent,
    }
}

fn text(
    graph: &Graph,
    stats: &Stats,
    votes: Option<&Votes>,
    shares: Shares,
    style: Style,
) -> String {
    let mut text =
        format!("{}\n", style.paint(Paint::Heading, &graph.folder().display().to_string()));
    let links = stats.links.total();
    let mut line = |name: &str, count: u64, of: u64| {
        let part =
            if of > 0 { format!("{:8.2} %", 100.0 * share(count, of)) } else { String::new() };
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{}", format!("  {name:<30}{:>16}{part}", thousands(count)).trim_end());
    };
    line("pages", stats.pages, 0);
    line("without links to them", stats.unlinked, stats.pages);
    line("dangling, without links out", stats.dangling, stats.pages);
    line("hosts", stats.hosts, 0);
    line("links", links, 0);
    let [_, _, inside, across] = stats.links.by_stratum();
    if inside + across > 0 {
        line("in content", links - inside - across, links);
        line("boilerplate", inside + across, links);
    }
    line("in runs", stats.in_runs, links);
    text.push('\n');
    text += &table(stats, votes, shares, style);
    for (name, distribution) in
        [("pages of a host", &stats.host_sizes), ("links to a page", &stats.in_degrees)]
    {
        text.push('\n');
        text += &distribution_text(name, distribution, style);
    }
    if let Some(exponent) = stats.in_degree_exponent {
        let _ = writeln!(
            text,
            "\n  links to a page, from 10 on: power law with exponent {exponent:.2}"
        );
    }
    text
}

/// Tables 3.1 and 3.2.
fn table(stats: &Stats, votes: Option<&Votes>, shares: Shares, style: Style) -> String {
    let head = format!("  {:<30}{:>16}{:>10}{:>10}", "", "links", "share", "thesis");
    let mut text = format!("{}\n", style.paint(Paint::Aside, &head));
    let [inside, across, inside_boilerplate, across_boilerplate] = stats.links.by_stratum();
    let mut row = |name: &str, count: u64, ours: Option<f64>, thesis: Option<f64>| {
        let percent =
            |share: Option<f64>| share.map_or(String::new(), |s| format!("{:.2} %", 100.0 * s));
        let (ours, thesis) = (percent(ours), percent(thesis));
        let _ = writeln!(text, "  {name:<30}{:>16}{ours:>10}{thesis:>10}", thousands(count));
    };
    let thesis = LARGE_WEB;
    row(
        "inside of a host",
        inside + inside_boilerplate,
        Some(shares.intra_host),
        Some(thesis.intra_host),
    );
    row(
        "between hosts",
        across + across_boilerplate,
        Some(shares.inter_host),
        Some(thesis.inter_host),
    );
    if let Some(votes) = votes {
        let named = format!("  inside of {} partitions", votes.partitions);
        row(&named, votes.intra_partition, shares.intra_partition, thesis.intra_partition);
        row(
            "  between partitions",
            votes.inter_partition,
            shares.inter_partition,
            thesis.inter_partition,
        );
        row("  as votes", votes.votes, shares.votes, thesis.votes);
        let reduction =
            |votes: f64, links: f64| if links > 0.0 { 100.0 * (1.0 - votes / links) } else { 0.0 };
        let ours = reduction(votes.votes as f64, votes.inter_partition as f64);
        let _ = writeln!(text, "  {:<46}{ours:>8.2} %{:>8.2} %", "  fewer votes than links", 88.94);
    }
    text
}

fn distribution_text(name: &str, distribution: &Distribution, style: Style) -> String {
    let head = format!("  {name:<30}{:>16}", "count");
    let mut text = format!("{}\n", style.paint(Paint::Aside, &head));
    for (from, to, count) in distribution.classes().filter(|(_, _, count)| *count > 0) {
        let to = to.min(distribution.largest);
        let range = match from == to {
            true => thousands(from),
            false => format!("{} to {}", thousands(from), thousands(to)),
        };
        let _ = writeln!(text, "  {range:<30}{:>16}", thousands(count));
    }
    text
}
