//! The Rust peers. Both count the whole machine's processors: the benchmark runs where there are two.

use std::rc::Rc;
use std::time::Instant;

use graph::prelude::{CsrLayout, DirectedCsrGraph, GraphBuilder, PageRankConfig, page_rank};
use webgraph::graphs::arc_list_graph::ArcListGraph;
use webgraph::prelude::CsrGraph;
use webgraph_algo::rank::pagerank::{Mode, PageRank, preds::L1Norm};

use crate::edges::Edges;
use crate::reference::ALPHA;
use crate::server::{Solved, Solver};

/// As many as can matter: 0.85 to this power is below 1e-14.
const MOST_ITERATIONS: usize = 200;

/// `graph` loses the mass of pages without links.
pub fn graph(edges: &Edges) -> Solver {
    let pages = edges.pages();
    let graph: DirectedCsrGraph<u32> = GraphBuilder::new()
        .csr_layout(CsrLayout::Sorted)
        .edges(edges.links.iter().copied())
        .build();
    Box::new(move |tolerance| {
        let start = Instant::now();
        let (ranks, iterations, _) =
            page_rank(&graph, PageRankConfig::new(MOST_ITERATIONS, tolerance, ALPHA as f32));
        let seconds = start.elapsed().as_secs_f64();
        let mut ranks: Vec<f64> = ranks.into_iter().map(f64::from).collect();
        // Pages behind the last that has a link are unknown to it: they have what jumps bring.
        ranks.resize(pages, (1.0 - ALPHA) / pages as f64);
        Ok(solved(ranks, iterations, seconds))
    })
}

/// `webgraph-algo` on links in memory, transposed, with the rule that loses the mass: it is the fastest of its three.
pub fn webgraph(edges: &Edges) -> Solver {
    // The solver borrows the graph, and both live as long as this process; lists of links may borrow nothing.
    let rows = Rc::new(edges.in_links());
    let links = move |page: usize| {
        let rows = Rc::clone(&rows);
        (rows.starts[page]..rows.starts[page + 1]).map(move |at| (page, rows.sources[at] as usize))
    };
    let list = ArcListGraph::new(edges.pages(), (0..edges.pages()).flat_map(links));
    let graph: &'static CsrGraph = Box::leak(Box::new(CsrGraph::from_seq_graph(&list)));
    let mut solver = PageRank::new(graph);
    solver.alpha(ALPHA).mode(Mode::PseudoRank);
    Box::new(move |tolerance| {
        let close = L1Norm::try_from(tolerance)?;
        let start = Instant::now();
        solver.run(close);
        let seconds = start.elapsed().as_secs_f64();
        Ok(solved(solver.rank().to_vec(), solver.iterations(), seconds))
    })
}

fn solved(ranks: Vec<f64>, iterations: usize, seconds: f64) -> Solved {
    Solved { ranks, iterations, seconds, prepare_s: 0.0, own_bytes: 0 }
}
