//! Makes graphs, solves PageRank with webstrata and its Rust peers, and measures the memory's bandwidth.
//! `bench/links/run` calls it; the protocol of `solve` is in its README.

mod bandwidth;
mod edges;
mod generate;
mod ours;
mod peers;
mod reference;
mod server;

use anyhow::{Context, Result, bail};

use edges::Edges;

const USAGE: &str = "\
links-bench generate PAGES LINKS SEED OUT   a web-like graph
links-bench bv BASENAME OUT                 a graph of WebGraph's BV files
links-bench hollins FILE OUT                the graph of hollins.dat, pages grouped by host
links-bench reference GRAPH OUT             its ranks in f64, exact to 1e-12
links-bench solve TOOL GRAPH                answers requests, a line each: TOLERANCE [FILE FOR THE RANKS]
links-bench votes GRAPH PARTITIONS          what partitions, or workers, send to each other
links-bench vectors GRAPH                   the cost of one biased ranking and of sixteen at once
links-bench bandwidth                       bytes read a second by two threads";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["generate", pages, links, seed, out] => {
            generate::web(number(pages)?, number(links)?, number(seed)? as u64).write(out)
        }
        ["bv", basename, out] => Edges::of_webgraph(basename)?.write(out),
        ["hollins", file, out] => Edges::of_hollins(file)?.write(out),
        ["reference", graph, out] => {
            reference::write(out, &reference::solve(&Edges::read(graph)?.in_links()))
        }
        ["solve", tool, graph] => server::serve(tool, graph),
        ["votes", graph, partitions] => {
            println!("{}", ours::votes(&Edges::read(graph)?, number(partitions)?)?);
            Ok(())
        }
        ["vectors", graph] => {
            println!("{}", ours::vectors(&Edges::read(graph)?)?);
            Ok(())
        }
        ["bandwidth"] => {
            println!("{{\"bytes_per_s\": {:.0}}}", bandwidth::measure(2));
            Ok(())
        }
        _ => bail!("{USAGE}"),
    }
}

fn number(text: &str) -> Result<usize> {
    text.replace('_', "").parse().with_context(|| format!("{text}: not a number"))
}
