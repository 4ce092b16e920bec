//! Published graphs, where they are at hand: `WEBSTRATA_GRAPHS=DIR cargo test -p webstrata-links --test it real`.

use std::path::{Path, PathBuf};

use webstrata_links::InLinks;
use webstrata_links::build::inputs::{Inputs, Pages, WebGraph};
use webstrata_links::build::{GraphOptions, NamedBuilder, NumberedBuilder};
use webstrata_links::graph::stats::{Stats, Votes};
use webstrata_links::graph::{Choice, Graph, Rules};

fn graphs() -> Option<PathBuf> {
    let graphs = std::env::var_os("WEBSTRATA_GRAPHS").map(PathBuf::from);
    if graphs.is_none() {
        crate::skipped::skipped("WEBSTRATA_GRAPHS names no folder of published graphs");
    }
    graphs
}

fn webgraph(path: &Path, self_links: Choice, folder: &Path) -> (Graph, u64) {
    let rules = Rules { self_links, ..Rules::default() };
    // Little memory, so that links are sorted on the disk.
    let settings = GraphOptions { rules, memory: 16 << 20, add: false };
    let graph = WebGraph::open(path).unwrap();
    let mut builder = NumberedBuilder::new(folder, &settings, Some(graph.pages())).unwrap();
    let mut inputs = Inputs::new(true, &());
    inputs.webgraph(&graph, &mut builder).unwrap();
    (builder.finish(&()).unwrap(), inputs.tally().self_links)
}

/// The counts that the graphs were published with.
#[test]
fn graphs_of_webgraph() {
    let Some(graphs) = graphs() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (number, (name, pages, links, dangling)) in [
        ("law-cnr-2000/cnr-2000", 325_557, 3_216_152, 78_056),
        ("law-uk-2007-05-100000/uk-2007-05@100000", 100_000, 3_050_615, 4_973),
    ]
    .into_iter()
    .enumerate()
    {
        let path = graphs.join(name);
        let (graph, _) =
            webgraph(&path, Choice::Keep, &folder.path().join(format!("all-{number}")));
        let stats = Stats::of(&graph);
        assert_eq!(
            (stats.pages, stats.links.total(), stats.dangling),
            (pages, links, dangling),
            "{name}"
        );
        let votes = Votes::of(&graph, 8);
        println!(
            "{name}: in runs {:.4}, without links to them {}, 8 partitions: links between {}, votes {}",
            stats.in_runs as f64 / links as f64,
            stats.unlinked,
            votes.inter_partition,
            votes.votes
        );
    }
    let cnr = graphs.join("law-cnr-2000/cnr-2000");
    let (_, self_links) = webgraph(&cnr, Choice::Drop, &folder.path().join("without"));
    assert_eq!(self_links, 87_442);
    // The transposed graph, as others have computed it.
    let graph = Graph::open(&folder.path().join("all-0")).unwrap();
    let transposed = graphs.join("law-cnr-2000/cnr-2000-t");
    let (transposed, _) = webgraph(&transposed, Choice::Keep, &folder.path().join("transposed"));
    graph.read(0..graph.pages(), &mut |page, row| {
        assert_eq!(row.len() as u32, transposed.out_degrees(page).iter().sum::<u32>());
    });
}

#[test]
fn a_university_with_addresses() {
    let Some(graphs) = graphs() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut builder =
        NamedBuilder::new(&folder.path().join("graph"), &GraphOptions::default()).unwrap();
    let mut inputs = Inputs::new(false, &());
    inputs
        .listed(&graphs.join("hollins/hollins.dat"), &mut Pages::default(), &mut builder)
        .unwrap();
    let graph = builder.finish(&()).unwrap();
    let stats = Stats::of(&graph);
    println!("hollins: {stats:?}, {:?}", inputs.tally());
    assert!((5_900..=6_012).contains(&stats.pages), "{}", stats.pages);
    assert!(graph.find("http://www.hollins.edu/").is_some());
}
