//! What a graph looks like: the numbers of Tables 3.1 and 3.2, the distributions of Figure 3.3, and the dot-plot of
//! Figure 3.1c.

use webstrata_base::random::Random;

use super::about::LinkCounts;
use crate::links::{InLinks, Source, Stratum};
use crate::rank::Plan;

/// Links from consecutive pages are a run if there are as many of them.
const RUN: usize = 3;

/// In-degrees from here on are the tail.
const TAIL: u64 = 10;

/// What was counted in one pass over all links.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// How many pages there are.
    pub pages: u64,
    /// How many hosts.
    pub hosts: u64,
    /// How many links.
    pub links: LinkCounts,
    /// Pages that no link leads out of.
    pub dangling: u64,
    /// Pages that no link leads to.
    pub unlinked: u64,
    /// Links whose source is one of three or more consecutive pages with a link to the same page.
    pub in_runs: u64,
    /// Hosts by their number of pages.
    pub host_sizes: Distribution,
    /// Pages by the number of links to them.
    pub in_degrees: Distribution,
    /// The exponent of a power law for pages with ten and more links to them; `None` if there are too few.
    pub in_degree_exponent: Option<f64>,
}

/// How many values there are from each power of two to below the next; the first counts zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The counts; place 0 is the value 0, place 1 is 1, place 2 is 2 and 3, place 3 is 4 to 7.
    pub counts: Vec<u64>,
    /// The largest value.
    pub largest: u64,
}

impl Distribution {
    fn add(&mut self, value: u64) {
        let place = (u64::BITS - value.leading_zeros()) as usize;
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.largest = self.largest.max(value);
    }

    /// Lowest value, highest value and count of each class.
    pub fn classes(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.counts.iter().enumerate().map(|(place, count)| match place {
            0 => (0, 0, *count),
            _ => (1 << (place - 1), ((1u128 << place) - 1) as u64, *count),
        })
    }
}

impl Stats {
    /// Reads all of a graph.
    pub fn of(graph: &dyn InLinks) -> Stats {
        let mut host_sizes = Distribution::default();
        graph.hosts().windows(2).for_each(|host| host_sizes.add((host[1] - host[0]) as u64));
        let mut in_degrees = Distribution::default();
        let mut counts = [0; Stratum::COUNT];
        let (mut in_runs, mut tail, mut logarithms) = (0, 0u64, 0.0);
        graph.read(0..graph.pages(), &mut |_, row| {
            let degree = row.len() as u64;
            in_degrees.add(degree);
            row.iter().for_each(|source| counts[source.stratum().index()] += 1);
            in_runs += links_in_runs(row);
            if degree >= TAIL {
                tail += 1;
                // The estimate for whole numbers of Clauset, Shalizi and Newman (2009), Equation 3.7.
                logarithms += (degree as f64 / (TAIL as f64 - 0.5)).ln();
            }
        });
        let is_dangling = |page: &usize| graph.out_degrees(*page) == [0; Stratum::COUNT];
        Stats {
            pages: graph.pages() as u64,
            hosts: graph.hosts().len().saturating_sub(1) as u64,
            links: LinkCounts::from_strata(counts),
            dangling: (0..graph.pages()).filter(is_dangling).count() as u64,
            unlinked: in_degrees.counts.first().copied().unwrap_or(0),
            in_runs,
            host_sizes,
            in_degrees,
            in_degree_exponent: (tail >= 50).then(|| 1.0 + tail as f64 / logarithms),
        }
    }
}

fn links_in_runs(row: &[Source]) -> u64 {
    let runs = row.chunk_by(|a, b| b.page() == a.page() + 1 && a.stratum() == b.stratum());
    runs.filter(|run| run.len() >= RUN).map(|run| run.len() as u64).sum()
}

/// What is sent between partitions: Table 3.2 and the aggregated votes of Table 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Votes {
    /// How many partitions.
    pub partitions: usize,
    /// Links between hosts inside of a partition.
    pub intra_partition: u64,
    /// Links between partitions.
    pub inter_partition: u64,
    /// What these are when all links of a partition to a page become one value (Equation 3.11).
    pub votes: u64,
}

impl Votes {
    /// Counts them for partitions that cost the same.
    pub fn of(graph: &dyn InLinks, partitions: usize) -> Votes {
        Votes::between(graph, &Plan::even(graph, partitions))
    }

    /// Counts them for these partitions.
    pub fn between(graph: &dyn InLinks, plan: &Plan) -> Votes {
        let partitions = plan.partitions();
        let mut votes = Votes { partitions, intra_partition: 0, inter_partition: 0, votes: 0 };
        for own in 0..partitions {
            graph.read(plan.pages(own), &mut |_, row| {
                let others = row.chunk_by(|a, b| plan.owner(a.page()) == plan.owner(b.page()));
                for chunk in others {
                    if plan.owner(chunk[0].page()) == own {
                        let external = chunk.iter().filter(|source| source.stratum().is_external());
                        votes.intra_partition += external.count() as u64;
                    } else {
                        votes.inter_partition += chunk.len() as u64;
                        votes.votes += 1;
                    }
                }
            });
        }
        votes
    }
}

/// The dot-plot of a graph (Figure 3.1c): how many links each cell of a raster has, by the places of source (columns)
/// and target (rows) when hosts are put in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DotPlot {
    /// Cells of a side.
    pub side: usize,
    /// Links of each cell, row after row.
    pub cells: Vec<u64>,
}

impl DotPlot {
    /// Hosts are shuffled by the seed, so that names that sort together do not look like links.
    pub fn of(graph: &dyn InLinks, side: usize, seed: u64) -> DotPlot {
        let mut order: Vec<usize> = (0..graph.hosts().len().saturating_sub(1)).collect();
        Random::for_purpose(seed, "dot-plot").shuffle(&mut order);
        DotPlot::in_order(graph, side, order)
    }

    /// Hosts stand as in the graph: by name (Figures 3.1a and 3.1b), or by partition (Figure 3.2).
    pub fn as_is(graph: &dyn InLinks, side: usize) -> DotPlot {
        DotPlot::in_order(graph, side, (0..graph.hosts().len().saturating_sub(1)).collect())
    }

    fn in_order(graph: &dyn InLinks, side: usize, order: Vec<usize>) -> DotPlot {
        let side = side.max(1);
        let hosts = graph.hosts();
        let mut places = vec![0; order.len()];
        let mut place = 0;
        for host in order {
            places[host] = place;
            place += hosts[host + 1] - hosts[host];
        }
        let pages = graph.pages().max(1);
        let cell = |page: usize| {
            let host = hosts.partition_point(|start| *start <= page) - 1;
            let place = places[host] + page - hosts[host];
            (place as u128 * side as u128 / pages as u128) as usize
        };
        let mut cells = vec![0; side * side];
        graph.read(0..graph.pages(), &mut |page, row| {
            if row.is_empty() {
                return;
            }
            let to = cell(page);
            row.iter().for_each(|source| cells[to * side + cell(source.page())] += 1);
        });
        DotPlot { side, cells }
    }

    /// How dark each cell is, from 0 to 1: the share of all links that lie in cells with at most as many ("the
    /// cumulative percentage of links", 3.2.1). Most cells hold few links and would all be white otherwise.
    pub fn shades(&self) -> Vec<f64> {
        let mut sorted = self.cells.clone();
        sorted.sort_unstable();
        let all = sorted.iter().sum::<u64>().max(1) as f64;
        let mut sum = 0;
        let sums: Vec<u64> = sorted
            .iter()
            .map(|count| {
                sum += count;
                sum
            })
            .collect();
        let shade = |count: &u64| match sorted.partition_point(|other| other <= count) {
            0 => 0.0,
            below => sums[below - 1] as f64 / all,
        };
        self.cells.iter().map(shade).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::links::MemoryGraph;

    #[test]
    fn a_small_graph_is_counted() {
        // Two hosts of four and two pages.
        let links = [
            (0, 3, false),
            (1, 3, false),
            (2, 3, false),
            (4, 3, true),
            (3, 5, false),
            (5, 4, false),
        ];
        let graph = MemoryGraph::new(&[4, 2], links);
        let stats = Stats::of(&graph);
        assert_eq!((stats.pages, stats.hosts, stats.links.total()), (6, 2, 6));
        assert_eq!(stats.links.by_stratum(), [4, 1, 0, 1]);
        assert_eq!((stats.dangling, stats.unlinked, stats.in_runs), (0, 3, 3));
        assert_eq!(stats.host_sizes, Distribution { counts: vec![0, 0, 1, 1], largest: 4 });
        assert_eq!(stats.in_degrees, Distribution { counts: vec![3, 2, 0, 1], largest: 4 });
        let classes: Vec<_> = stats.in_degrees.classes().collect();
        assert_eq!(classes, [(0, 0, 3), (1, 1, 2), (2, 3, 0), (4, 7, 1)]);
    }

    #[test]
    fn a_graph_of_nothing_is_counted() {
        let graph = MemoryGraph::new(&[], []);
        assert_eq!(Stats::of(&graph).pages, 0);
        assert_eq!(Votes::of(&graph, 3).votes, 0);
        assert!(DotPlot::of(&graph, 4, 1).cells.iter().all(|cell| *cell == 0));
    }

    #[test]
    fn hosts_stay_where_they_are() {
        // From the first host to the second, and back twice: to its first and to its second page.
        let graph = MemoryGraph::new(&[2, 2], [(0, 2, false), (3, 0, false), (3, 1, false)]);
        assert_eq!(DotPlot::as_is(&graph, 2).cells, [0, 2, 1, 0]);
    }

    #[test]
    fn full_cells_are_dark() {
        let plot = DotPlot { side: 2, cells: vec![6, 0, 1, 1] };
        assert_eq!(plot.shades(), [1.0, 0.0, 0.25, 0.25]);
    }

    proptest! {
        #[test]
        fn votes_are_pairs_of_partition_and_target(
            sizes in prop::collection::vec(1usize..6, 1..8),
            links in prop::collection::vec((0usize..40, 0usize..40), 0..150),
            partitions in 1usize..5,
        ) {
            let graph = MemoryGraph::new(&sizes, links.into_iter().map(|(a, b)| (a, b, false)));
            let plan = Plan::even(&graph, partitions);
            let (mut pairs, mut between, mut all) = (BTreeSet::new(), 0, 0);
            graph.read(0..graph.pages(), &mut |to, row| for from in row {
                all += 1;
                if plan.owner(from.page()) != plan.owner(to) {
                    between += 1;
                    pairs.insert((plan.owner(from.page()), to));
                }
            });
            let votes = Votes::of(&graph, partitions);
            prop_assert_eq!((votes.inter_partition, votes.votes), (between, pairs.len() as u64));
            let plot = DotPlot::of(&graph, 7, 1);
            prop_assert_eq!(plot.cells.iter().sum::<u64>(), all);
        }
    }
}
