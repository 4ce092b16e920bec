//! Partitions of whole hosts (3.2.3).
//!
//! A partition is a range of positions ([`Plan`]), which is what makes rows small and owners quick to find. So
//! hosts are not dealt out one by one: the graph is read as if its hosts stood in the order of their partitions.

use std::ops::Range;

use webstrata_base::Error;

use super::{Jump, Plan};
use crate::links::{InLinks, Source, Stratum};

/// Which pages make a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Pages that stand side by side and cost the same. A border moves to the end of a host if one is near, else it
    /// cuts through a host.
    #[default]
    Ranges,
    /// Whole hosts, the largest first, dealt to the partitions in turn: the thesis.
    RoundRobin,
    /// Whole hosts, the one with most links first, each to the partition that has the fewest links and pages so far.
    Balanced,
}

impl Grouping {
    /// All of them with their names.
    pub const ALL: [(Grouping, &'static str); 3] = [
        (Grouping::Ranges, "ranges"),
        (Grouping::RoundRobin, "round-robin"),
        (Grouping::Balanced, "balanced"),
    ];
}

/// A graph whose hosts stand in the order of their partitions.
pub struct ByHosts<'a> {
    graph: &'a dyn InLinks,
    /// For each host here, which one it is there; and the position of its first page, with the number of pages
    /// behind the last.
    there: Vec<u32>,
    starts: Vec<usize>,
    /// For each host there, the position of its first page here.
    here: Vec<usize>,
    /// The links into all hosts before each host here.
    links: Vec<u64>,
    plan: Plan,
}

impl<'a> ByHosts<'a> {
    /// Deals out the hosts. With [`Grouping::Ranges`] they stay where they are.
    pub fn new(
        graph: &'a dyn InLinks,
        grouping: Grouping,
        partitions: usize,
    ) -> Result<ByHosts<'a>, Error> {
        let hosts = graph.hosts();
        let count = hosts.len().saturating_sub(1);
        if u32::try_from(count).is_err() {
            return Err(Error::new("a graph of more than four billion hosts cannot be dealt out"));
        }
        let partitions = partitions.max(1);
        let pages = |host: usize| hosts[host + 1] - hosts[host];
        let links =
            |host: usize| graph.links_before(hosts[host + 1]) - graph.links_before(hosts[host]);
        let cost = |host: usize| links(host) + super::plan::PAGE * pages(host) as u64;
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut dealt: Vec<Vec<u32>> = vec![Vec::new(); partitions];
        match grouping {
            Grouping::Ranges => dealt[0] = order,
            Grouping::RoundRobin => {
                order.sort_by_key(|host| std::cmp::Reverse(pages(*host as usize)));
                for (place, host) in order.into_iter().enumerate() {
                    dealt[place % partitions].push(host);
                }
            }
            Grouping::Balanced => {
                order.sort_by_key(|host| std::cmp::Reverse(cost(*host as usize)));
                let mut costs = vec![0; partitions];
                for host in order {
                    let costs_at = costs.iter().enumerate().min_by_key(|(_, cost)| **cost);
                    let least = costs_at.map_or(0, |(partition, _)| partition);
                    costs[least] += cost(host as usize);
                    dealt[least].push(host);
                }
            }
        }
        // Inside of a partition, hosts stay in their order: neighbours by name link to each other.
        dealt.iter_mut().for_each(|hosts| hosts.sort_unstable());
        let (mut starts, mut sums, mut here) = (vec![0], vec![0], vec![0; count]);
        let mut ends = Vec::with_capacity(partitions);
        let (mut position, mut before) = (0, 0);
        for host in dealt.iter().map(|hosts| hosts.iter().map(|host| *host as usize)) {
            for host in host {
                here[host] = position;
                position += pages(host);
                before += links(host);
                starts.push(position);
                sums.push(before);
            }
            ends.push(position);
        }
        let plan = match grouping {
            Grouping::Ranges => Plan::even(graph, partitions),
            _ => Plan::of_ends(ends).ok_or_else(|| Error::new("no partitions"))?,
        };
        Ok(ByHosts { graph, there: dealt.concat(), starts, here, links: sums, plan })
    }

    /// The partitions, as ranges of positions here.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The position here of a page there.
    pub fn here(&self, page: usize) -> usize {
        let hosts = self.graph.hosts();
        let host = hosts.partition_point(|start| *start <= page) - 1;
        self.here[host] + page - hosts[host]
    }

    /// The position there of a page here.
    pub fn there(&self, page: usize) -> usize {
        let (host, first) = self.host(page);
        self.graph.hosts()[host] + page - first
    }

    /// The host there of a page here, and the position here of its first page.
    fn host(&self, page: usize) -> (usize, usize) {
        let place = self.starts.partition_point(|start| *start <= page) - 1;
        (self.there[place] as usize, self.starts[place])
    }

    /// A jump to pages there as one to pages here.
    pub(crate) fn jump_here(&self, jump: &Jump) -> Jump {
        match jump {
            Jump::Everywhere => Jump::Everywhere,
            Jump::Set(set) => Jump::Set(set.iter().map(|page| self.here(*page)).collect()),
            Jump::Weighted(set) => Jump::Weighted(
                set.iter().map(|(page, weight)| (self.here(*page), *weight)).collect(),
            ),
        }
    }

    /// Values of pages there in the order of pages here.
    pub(crate) fn in_order_here(&self, values: &[f32]) -> Vec<f32> {
        let hosts = self.there.iter().map(|host| *host as usize);
        let ranges = hosts.map(|host| self.graph.hosts()[host]..self.graph.hosts()[host + 1]);
        ranges.flat_map(|range| values.get(range).unwrap_or_default()).copied().collect()
    }

    /// Values of pages here in the order of pages there.
    pub(crate) fn in_order_there(&self, values: &[f32]) -> Vec<f32> {
        let sizes = self.graph.hosts().windows(2).map(|host| host[1] - host[0]);
        let ranges = self.here.iter().zip(sizes).map(|(start, size)| *start..*start + size);
        ranges.flat_map(|range| values.get(range).unwrap_or_default()).copied().collect()
    }
}

impl InLinks for ByHosts<'_> {
    fn pages(&self) -> usize {
        self.graph.pages()
    }

    fn hosts(&self) -> &[usize] {
        &self.starts
    }

    fn out_degrees(&self, page: usize) -> [u32; Stratum::COUNT] {
        self.graph.out_degrees(self.there(page))
    }

    fn links_before(&self, page: usize) -> u64 {
        if page >= self.pages() {
            return self.links.last().copied().unwrap_or(0);
        }
        let place = self.starts.partition_point(|start| *start <= page) - 1;
        let first = self.graph.hosts()[self.there[place] as usize];
        let before = |page: usize| self.graph.links_before(page);
        self.links[place] + before(first + page - self.starts[place]) - before(first)
    }

    fn read(&self, pages: Range<usize>, row: &mut dyn FnMut(usize, &[Source])) {
        let hosts = self.graph.hosts();
        let mut mapped: Vec<Source> = Vec::new();
        let mut place = self.starts.partition_point(|start| *start <= pages.start).max(1) - 1;
        while place + 1 < self.starts.len() && self.starts[place] < pages.end {
            let (start, end) = (self.starts[place], self.starts[place + 1]);
            let first = hosts[self.there[place] as usize];
            let there = |page: usize| first + page - start;
            let range = there(pages.start.clamp(start, end))..there(pages.end.clamp(start, end));
            self.graph.read(range, &mut |page, sources| {
                mapped.clear();
                // Sources ascend, so that most are on the host of the one before.
                let mut last = (0..0, 0);
                for source in sources {
                    if !last.0.contains(&source.page()) {
                        let host = hosts.partition_point(|start| *start <= source.page()) - 1;
                        last = (hosts[host]..hosts[host + 1], self.here[host]);
                    }
                    let page = last.1 + source.page() - last.0.start;
                    mapped.push(Source::new(page, source.stratum()));
                }
                mapped.sort_unstable();
                row(start + page - first, &mapped);
            });
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::links::MemoryGraph;
    use crate::rank::{RankOptions, rank};

    type Rows = BTreeMap<usize, Vec<(usize, Stratum)>>;

    /// The rows of a graph by the names that pages have there.
    fn rows(graph: &dyn InLinks, name: impl Fn(usize) -> usize) -> Rows {
        let mut rows = BTreeMap::new();
        graph.read(0..graph.pages(), &mut |page, row| {
            assert!(row.is_sorted());
            let mut row: Vec<_> = row.iter().map(|s| (name(s.page()), s.stratum())).collect();
            row.sort_unstable();
            assert!(rows.insert(name(page), row).is_none());
        });
        rows
    }

    proptest! {
        /// The graph is the same under other numbers, and no host is in two partitions.
        #[test]
        fn hosts_are_dealt_out_whole(
            sizes in prop::collection::vec(0usize..6, 1..12),
            links in prop::collection::vec((0usize..60, 0usize..60, any::<bool>()), 0..150),
            partitions in 1usize..6,
            which in 0usize..3,
        ) {
            let grouping = Grouping::ALL[which].0;
            let graph = MemoryGraph::new(&sizes, links);
            let by_hosts = ByHosts::new(&graph, grouping, partitions).unwrap();
            prop_assert_eq!(by_hosts.plan().partitions(), partitions);
            prop_assert_eq!(rows(&by_hosts, |page| by_hosts.there(page)), rows(&graph, |page| page));
            let mut before = 0;
            by_hosts.read(0..graph.pages(), &mut |page, row| {
                assert_eq!(by_hosts.links_before(page), before);
                before += row.len() as u64;
            });
            prop_assert_eq!(by_hosts.links_before(graph.pages()), before);
            let values: Vec<f32> = (0..graph.pages()).map(|page| page as f32).collect();
            let here = by_hosts.in_order_here(&values);
            for page in 0..graph.pages() {
                prop_assert_eq!(by_hosts.there(by_hosts.here(page)), page);
                prop_assert_eq!(by_hosts.out_degrees(by_hosts.here(page)), graph.out_degrees(page));
                prop_assert_eq!(here[by_hosts.here(page)], page as f32);
            }
            prop_assert_eq!(by_hosts.in_order_there(&here), values);
            if grouping != Grouping::Ranges {
                for host in graph.hosts().windows(2).filter(|host| host[0] < host[1]) {
                    let owner = |page| by_hosts.plan().owner(by_hosts.here(page));
                    prop_assert!((host[0]..host[1]).all(|page| owner(page) == owner(host[0])));
                }
            }
        }

        /// Ranks do not depend on who has which host.
        #[test]
        fn ranks_are_the_same(
            sizes in prop::collection::vec(1usize..6, 1..8),
            links in prop::collection::vec((0usize..40, 0usize..40, any::<bool>()), 0..120),
            partitions in 1usize..5,
        ) {
            let graph = MemoryGraph::new(&sizes, links);
            let jumps = [Jump::Everywhere, Jump::Set(vec![0]), Jump::Weighted(vec![(0, 2.0)])];
            let ranks = |grouping| {
                let options = RankOptions { partitions, grouping, ..RankOptions::default() };
                rank(&graph, &jumps, &options, &()).unwrap().vectors
            };
            let expected = ranks(Grouping::Ranges);
            for grouping in [Grouping::RoundRobin, Grouping::Balanced] {
                for (found, expected) in ranks(grouping).iter().zip(&expected) {
                    let distance: f32 =
                        found.iter().zip(expected).map(|(a, b)| (a - b).abs()).sum();
                    prop_assert!(found.len() == expected.len() && distance < 1e-4, "{distance}");
                }
            }
        }
    }

    #[test]
    fn hosts_are_dealt_as_the_thesis_says() {
        // Hosts of 1, 5, 3, 4 and 2 pages: by size the second, fourth, third, fifth and first.
        let graph = MemoryGraph::new(&[1, 5, 3, 4, 2], []);
        let owners = |grouping| {
            let by_hosts = ByHosts::new(&graph, grouping, 2).unwrap();
            let first = graph.hosts().iter().take(5);
            first.map(|page| by_hosts.plan().owner(by_hosts.here(*page))).collect::<Vec<_>>()
        };
        assert_eq!(owners(Grouping::RoundRobin), [0, 0, 0, 1, 1]);
        // 5, then 4; 3 to the 4, 2 to the 5, and 1 to either.
        assert_eq!(owners(Grouping::Balanced), [0, 0, 1, 1, 0]);
    }
}
