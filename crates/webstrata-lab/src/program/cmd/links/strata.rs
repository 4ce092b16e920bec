//! `webstrata-lab links strata`: what difference it makes where links stand.

use std::path::PathBuf;

use anyhow::bail;
use webstrata_base::write_whole;
use webstrata_lab::links::strata::{Followed, Role, Study};
use webstrata_links::rank::RankOptions;
use webstrata_links::{Graph, InLinks};

use webstrata_terminal::args::processors;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::TerminalProgress;

const EXAMPLES: &str = "\
Examples:
  webstrata extract --with links -f jsonl crawl/ | webstrata links build --format records - --out web
  webstrata-lab links strata web
  webstrata-lab links strata web --out report/

Pages are ranked by all links, by links in main texts, by links in boilerplate, and by a surfer who first
chooses the kind of link. The table shows which pages gain: those linked from menus and footers, or those
linked from texts. With --out, the report is report/index.html, report.md and report.json, with every figure
as an SVG file.

Exit codes: 0 done, 1 the graph has no page, 2 something failed.";

/// Rank pages by content links and by boilerplate links, and show which gain
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the graph
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    /// Write a report to this directory: index.html, report.md, report.json, *.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let graph = Graph::open(&args.graph)?;
    let links = graph.about().links;
    if links.inside_boilerplate + links.across_boilerplate == 0 && graph.pages() > 0 {
        bail!(
            "{}: no link is known to stand in boilerplate; build the graph of records (webstrata extract --with links) \
             or of pairs with a third column",
            args.graph.display()
        );
    }
    let progress = TerminalProgress::new(global.quiet);
    let options = RankOptions { partitions: processors(), ..RankOptions::default() };
    let study = Study::new(&graph, &options, &progress);
    progress.end_part("notes");
    let study = study?;
    if let Some(out) = &args.out {
        let report = study.report(&args.graph.display().to_string(), |page| graph.name(page));
        report.write(out)?;
        for (name, svg) in report.figures() {
            write_whole(&out.join(name), svg.as_bytes())?;
        }
        output::print(format!("{}\n", out.join("index.html").display()).as_bytes())?;
    } else {
        output::print(table(&study).as_bytes())?;
    }
    Ok(if graph.pages() == 0 { Exit::NoText } else { Exit::Text })
}

fn table(study: &Study) -> String {
    let standings = Followed::ALL.map(|followed| study.standings(followed));
    let mut text = format!(
        "inside of a host and in boilerplate go together by {:.3} (φ)\n\n{:<32}{:>8}",
        study.correlation(),
        "part of all rank, by what leads",
        "pages"
    );
    for followed in Followed::ALL {
        text += &format!("{:>20}", followed.name());
    }
    for (at, role) in Role::ALL.into_iter().enumerate() {
        text += &format!("\n{:<32}{:>8}", role.name(), standings[0][at].pages);
        for standings in &standings {
            text += &format!("{:>18.1} %", standings[at].rank * 100.0);
        }
    }
    text += &format!("\n\n{:<40}", "Kendall's tau-b against all links");
    for followed in Followed::ALL {
        text += &format!("{:>20.3}", study.kendall(Followed::All, followed));
    }
    text.push('\n');
    text
}
