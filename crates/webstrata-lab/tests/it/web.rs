//! Small web graphs, built by the library as `webstrata links build` does.

use std::fmt::Write as _;

use webstrata_links::build::inputs::Inputs;
use webstrata_links::build::{GraphOptions, NamedBuilder};
use webstrata_links::graph::{Graph, Naming, Rules};
use webstrata_links::rank::{Jump, RankOptions, rank};

use crate::site::Site;

/// Builds the graph `name` of lines of two pages with a tab between them.
pub(crate) fn build(site: &Site, name: &str, links: &str, names: Naming) -> Graph {
    let (file, folder) = (site.path().join(format!("{name}.tsv")), site.path().join(name));
    std::fs::write(&file, links).unwrap();
    let settings =
        GraphOptions { rules: Rules { names, ..Rules::default() }, ..GraphOptions::default() };
    let mut builder = NamedBuilder::new(&folder, &settings).unwrap();
    Inputs::new(true, &()).pairs(&file, &mut builder).unwrap();
    builder.finish(&()).unwrap()
}

/// The ranks of its pages, a line each.
pub(crate) fn ranks(graph: &Graph, options: &RankOptions) -> String {
    let ranking = rank(graph, &[Jump::Everywhere], options, &()).unwrap();
    let mut lines = String::new();
    for (page, rank) in ranking.vectors[0].iter().enumerate() {
        writeln!(lines, "{}\t{rank:e}", graph.name(page)).unwrap();
    }
    lines
}
