//! webstrata, on the same rows of links in memory that the peers get.

use std::ops::Range;

use anyhow::Result;
use webstrata_links::rank::{Dangling, Jump, Options, Surfer, Until, rank};
use webstrata_links::{Source, Stratum};

use crate::edges::{Edges, InLinks};
use crate::reference::ALPHA;
use crate::server::{Solved, Solver};

const THREADS: usize = 2;

/// A tolerance is the last iteration's change of all ranks.
pub fn prepare(edges: &Edges) -> Solver {
    let graph = edges.in_links();
    Box::new(move |tolerance| {
        let options = Options {
            surfer: Surfer { alpha: ALPHA, ..Surfer::default() },
            dangling: Dangling::Drop,
            until: Until::Residual(tolerance),
            partitions: THREADS,
            ..Options::default()
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

/// What partitions send to each other in an iteration, as a row of a table.
pub fn votes(edges: &Edges, partitions: usize) -> Result<String> {
    let graph = edges.in_links();
    let options = Options { partitions, most_iterations: 1, ..Options::default() };
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
