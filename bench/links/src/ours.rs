//! webstrata, on the same rows of links in memory that the peers get.

use std::ops::Range;

use anyhow::Result;
use webstrata_links::rank::{Dangling, Jump, RankOptions, Surfer, Until, rank};
use webstrata_links::{Source, Stratum};

use crate::edges::{Edges, InLinks};
use crate::reference::ALPHA;
use crate::server::{Solved, Solver};

const THREADS: usize = 2;

/// A tolerance is the last iteration's change of all ranks.
pub fn prepare(edges: &Edges) -> Solver {
    let graph = edges.in_links();
    Box::new(move |tolerance| {
        let options = RankOptions {
            surfer: Surfer { alpha: ALPHA, ..Surfer::default() },
            dangling: Dangling::Drop,
            until: Until::Residual(tolerance),
            partitions: THREADS,
            ..RankOptions::default()
        };
        let ranking = rank(&graph, &[Jump::Everywhere], &options, &())?;
        Ok(Solved {
            ranks: ranking.vectors[0].iter().map(|rank| f64::from(*rank)).collect(),
            iterations: ranking.run.residuals.len(),
            seconds: ranking.run.iterating.as_secs_f64(),
            prepare_s: ranking.run.preparing.as_secs_f64(),
            own_bytes: ranking.run.bytes,
        })
    })
}

/// Rounds of which the median counts.
const ROUNDS: usize = 7;

/// The cost of one ranking that is biased on a hundred pages, and of sixteen such rankings at once, in turn.
pub fn vectors(edges: &Edges) -> Result<String> {
    let graph = edges.in_links();
    let pages = edges.pages();
    let set = |at: usize| (0..100).map(|page| (at * 100 + page) * 7919 % pages).collect();
    let jumps: Vec<Jump> = (0..16).map(|at| Jump::Set(set(at))).collect();
    let options = RankOptions {
        dangling: Dangling::Drop,
        until: Until::Residual(3e-7),
        partitions: THREADS,
        ..RankOptions::default()
    };
    let mut seconds = [Vec::new(), Vec::new()];
    let mut iterations = [0, 0];
    for _ in 0..ROUNDS {
        for (at, jumps) in [&jumps[..1], &jumps[..]].into_iter().enumerate() {
            let run = rank(&graph, jumps, &options, &())?.run;
            seconds[at].push(run.iterating.as_secs_f64());
            iterations[at] = run.residuals.len();
        }
    }
    let [one, sixteen] = seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[ROUNDS / 2]
    });
    Ok(format!(
        "| {one:.3} s, {} iterations | {sixteen:.3} s, {} iterations | {:.2} |",
        iterations[0],
        iterations[1],
        sixteen / one
    ))
}

/// What partitions send to each other in an iteration, as a row of a table.
pub fn votes(edges: &Edges, partitions: usize) -> Result<String> {
    let graph = edges.in_links();
    let options = RankOptions { partitions, most_iterations: 1, ..RankOptions::default() };
    let run = rank(&graph, &[Jump::Everywhere], &options, &())?.run;
    Ok(format!(
        "| {partitions} | {} | {:.2} % | {} | {:.1} | {:.2} |",
        run.inter_partition,
        100.0 * run.inter_partition as f64 / run.links.max(1) as f64,
        run.votes,
        run.bytes_sent as f64 / 1e6,
        run.bytes as f64 / run.links.max(1) as f64,
    ))
}

impl webstrata_links::InLinks for InLinks {
    fn pages(&self) -> usize {
        self.out_degrees.len()
    }

    fn hosts(&self) -> &[usize] {
        &self.hosts
    }

    fn links_before(&self, page: usize) -> u64 {
        self.starts[page] as u64
    }

    fn out_degrees(&self, page: usize) -> [u32; Stratum::COUNT] {
        [self.out_degrees[page], 0, 0, 0]
    }

    fn read(&self, pages: Range<usize>, show: &mut dyn FnMut(usize, &[Source])) {
        // All links in one stratum: plain PageRank does not ask.
        let stratum = Stratum::new(false, false);
        let mut row = Vec::new();
        for page in pages {
            row.clear();
            row.extend(self.row(page).iter().map(|source| Source::new(*source as usize, stratum)));
            show(page, &row);
        }
    }
}
