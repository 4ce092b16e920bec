//! Which partition owns which pages.

use std::ops::Range;

use crate::links::InLinks;

/// What a page costs, in links: it is read and written whether links lead to it or not.
pub(super) const PAGE: u64 = 2;

/// How far the end of a partition is moved to the end of a host, as a part of an even share. Moving it keeps the
/// links of a host inside of one partition; moving it far would leave processors idle.
const SLACK: u64 = 20;

/// Ranges of positions, one for each partition: side by side, all pages together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    ends: Vec<usize>,
}

impl Plan {
    /// Partitions that take equally long on equal processors.
    pub fn even(graph: &dyn InLinks, partitions: usize) -> Plan {
        Plan::by_speed(graph, &vec![1.0; partitions.max(1)])
    }

    /// Partitions that take equally long on processors of these speeds (3.2.2, load balancing). Hosts stay whole where
    /// that costs little.
    pub fn by_speed(graph: &dyn InLinks, speeds: &[f64]) -> Plan {
        let pages = graph.pages();
        let cost = |page: usize| graph.links_before(page) + PAGE * page as u64;
        let all = cost(pages);
        let speeds: Vec<f64> = speeds
            .iter()
            .map(|speed| if speed.is_finite() { speed.max(0.0) } else { 0.0 })
            .collect();
        let total: f64 = speeds.iter().sum();
        let slack = all / speeds.len().max(1) as u64 / SLACK;
        let mut before = 0.0;
        let mut ends: Vec<usize> = Vec::with_capacity(speeds.len());
        for (partition, speed) in speeds.iter().enumerate() {
            before += speed;
            let share = if total > 0.0 {
                before / total
            } else {
                (partition + 1) as f64 / speeds.len() as f64
            };
            let wanted = (all as f64 * share) as u64;
            let end = first_from(pages, |page| cost(page) >= wanted);
            let from = ends.last().copied().unwrap_or(0);
            ends.push(
                at_a_host(graph.hosts(), end, |page| cost(page).abs_diff(wanted) <= slack)
                    .max(from),
            );
        }
        if let Some(last) = ends.last_mut() {
            *last = pages;
        }
        Plan { ends }
    }

    /// Partitions that end before these positions; nothing if they are not ascending or there are none.
    pub fn of_ends(ends: Vec<usize>) -> Option<Plan> {
        (!ends.is_empty() && ends.is_sorted()).then_some(Plan { ends })
    }

    /// Where each partition ends.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// How many partitions there are.
    pub fn partitions(&self) -> usize {
        self.ends.len()
    }

    /// The pages of a partition.
    pub fn pages(&self, partition: usize) -> Range<usize> {
        let start = if partition == 0 { 0 } else { self.ends[partition - 1] };
        start..self.ends[partition]
    }

    /// The partition that has a page.
    pub fn owner(&self, page: usize) -> usize {
        self.ends.partition_point(|end| *end <= page)
    }
}

/// The first number up to `end` that is so; `end` if none is. What is so stays so.
fn first_from(end: usize, is_so: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The end of a host next to a position, if it is near enough.
fn at_a_host(hosts: &[usize], position: usize, is_near: impl Fn(usize) -> bool) -> usize {
    let after = hosts.partition_point(|start| *start < position);
    let around = [after.checked_sub(1), Some(after)].map(|at| hosts.get(at?).copied());
    let near = around.into_iter().flatten().filter(|host| is_near(*host));
    near.min_by_key(|host| host.abs_diff(position)).unwrap_or(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::MemoryGraph;

    fn chain(hosts: &[usize]) -> MemoryGraph {
        let pages: usize = hosts.iter().sum();
        MemoryGraph::new(hosts, (1..pages).map(|page| (page - 1, page, false)))
    }

    #[test]
    fn partitions_are_even_and_keep_hosts() {
        let graph = chain(&[40, 11, 50, 99]);
        assert_eq!(Plan::even(&graph, 2).ends, [101, 200]);
        assert_eq!(Plan::by_speed(&graph, &[1.0, 3.0]).ends, [51, 200]);
        // One host alone is cut where it must be.
        assert_eq!(Plan::even(&chain(&[100]), 4).ends.len(), 4);
        assert_eq!(Plan::even(&chain(&[100]), 4).pages(1).len(), 25);
    }

    #[test]
    fn every_page_has_one_owner() {
        for hosts in [&[][..], &[1], &[3, 0, 2, 9]] {
            let graph = chain(hosts);
            for partitions in 1..20 {
                let plan = Plan::even(&graph, partitions);
                assert_eq!(plan.partitions(), partitions);
                let pages: Vec<usize> = (0..partitions).flat_map(|p| plan.pages(p)).collect();
                assert_eq!(pages, Vec::from_iter(0..graph.pages()));
                for page in pages {
                    assert!(plan.pages(plan.owner(page)).contains(&page));
                }
            }
        }
    }

    #[test]
    fn speeds_that_mean_nothing_are_taken_for_equal() {
        let graph = chain(&[100]);
        assert_eq!(Plan::by_speed(&graph, &[0.0, 0.0]), Plan::even(&graph, 2));
        assert_eq!(Plan::by_speed(&graph, &[f64::NAN, 1.0]).ends, [0, 100]);
    }
}
