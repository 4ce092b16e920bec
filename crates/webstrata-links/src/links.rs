//! What ranking asks of a graph, and a small graph in memory.
//!
//! The Web is two-dimensional (3.2.1): a page is the pair of its host and a number inside of the host, and
//! neither changes when others are added. Ranking wants one dense row of numbers, so the pages of a graph also have
//! *positions*: all pages of host 0, then all of host 1, and so on. Positions are worked out from the sizes of the
//! hosts, never stored.

use std::ops::Range;

/// What kind of link it is: inside of a host or between two, in the main text of its page or in what surrounds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stratum(u8);

impl Stratum {
    /// How many there are.
    pub const COUNT: usize = 4;

    /// The stratum of a link.
    pub const fn new(external: bool, boilerplate: bool) -> Stratum {
        Stratum(external as u8 | (boilerplate as u8) << 1)
    }

    /// All, in the order of [`Stratum::index`].
    pub const fn all() -> [Stratum; Stratum::COUNT] {
        [Stratum(0), Stratum(1), Stratum(2), Stratum(3)]
    }

    /// From 0 to 3: tables of strata are in this order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Does the link lead to another host?
    pub const fn is_external(self) -> bool {
        self.0 & 1 != 0
    }

    /// Does it stand outside of its page's main text?
    pub const fn is_boilerplate(self) -> bool {
        self.0 & 2 != 0
    }
}

/// Where a link comes from, in eight bytes. In the order of positions, then of strata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source(u64);

impl Source {
    /// A link from the page at a position.
    pub const fn new(page: usize, stratum: Stratum) -> Source {
        Source((page as u64) << 2 | stratum.0 as u64)
    }

    /// The position of the page that has the link.
    pub const fn page(self) -> usize {
        (self.0 >> 2) as usize
    }

    /// What kind of link it is.
    pub const fn stratum(self) -> Stratum {
        Stratum((self.0 & 3) as u8)
    }
}

/// A graph as ranking reads it: row by row, the links into each page.
pub trait InLinks: Sync {
    /// How many pages there are.
    fn pages(&self) -> usize;

    /// The position of the first page of each host, ascending, and the number of pages at the end. A graph that
    /// knows no hosts has one.
    fn hosts(&self) -> &[usize];

    /// How many links lead out of the page at a position, by stratum.
    fn out_degrees(&self, page: usize) -> [u32; Stratum::COUNT];

    /// How many links lead to the pages before a position; at the number of pages, all links.
    fn links_before(&self, page: usize) -> u64;

    /// Shows the links into each page of a range, page after page, each row ascending.
    fn read(&self, pages: Range<usize>, row: &mut dyn FnMut(usize, &[Source]));
}

/// A graph that fits into memory easily: for tests and small experiments.
#[derive(Clone, Debug, Default)]
pub struct MemoryGraph {
    hosts: Vec<usize>,
    starts: Vec<usize>,
    sources: Vec<Source>,
    out_degrees: Vec<[u32; Stratum::COUNT]>,
}

impl MemoryGraph {
    /// A graph of hosts with so many pages each, and of links (from, to, boilerplate?) between positions.
    /// A link that is there more than once counts once, in content if any of them is; links to pages that do not exist
    /// are left out.
    pub fn new(
        host_sizes: &[usize],
        links: impl IntoIterator<Item = (usize, usize, bool)>,
    ) -> MemoryGraph {
        let mut hosts = vec![0];
        for size in host_sizes {
            hosts.push(hosts[hosts.len() - 1] + size);
        }
        let pages = hosts[hosts.len() - 1];
        let mut links: Vec<_> =
            links.into_iter().filter(|(from, to, _)| *from < pages && *to < pages).collect();
        links.sort_unstable_by_key(|(from, to, boilerplate)| (*to, *from, *boilerplate));
        links.dedup_by_key(|(from, to, _)| (*from, *to));

        let host_of = |page: usize| hosts.partition_point(|start| *start <= page);
        let mut out_degrees = vec![[0; Stratum::COUNT]; pages];
        let mut starts = vec![0; pages + 1];
        let mut sources = Vec::with_capacity(links.len());
        for (from, to, boilerplate) in links {
            let stratum = Stratum::new(host_of(from) != host_of(to), boilerplate);
            out_degrees[from][stratum.index()] += 1;
            sources.push(Source::new(from, stratum));
            starts[to + 1] = sources.len();
        }
        for page in 0..pages {
            starts[page + 1] = starts[page + 1].max(starts[page]);
        }
        MemoryGraph { hosts, starts, sources, out_degrees }
    }
}

impl InLinks for MemoryGraph {
    fn pages(&self) -> usize {
        self.out_degrees.len()
    }

    fn hosts(&self) -> &[usize] {
        &self.hosts
    }

    fn out_degrees(&self, page: usize) -> [u32; Stratum::COUNT] {
        self.out_degrees[page]
    }

    fn links_before(&self, page: usize) -> u64 {
        self.starts.get(page).map_or(0, |start| *start as u64)
    }

    fn read(&self, pages: Range<usize>, row: &mut dyn FnMut(usize, &[Source])) {
        for page in pages {
            row(page, &self.sources[self.starts[page]..self.starts[page + 1]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_in_memory_has_each_link_once() {
        let links = [(0, 1, true), (2, 1, false), (0, 1, false), (1, 0, true), (7, 0, false)];
        let graph = MemoryGraph::new(&[2, 1], links);
        let mut rows = Vec::new();
        graph.read(0..3, &mut |page, row| rows.push((page, row.to_vec())));
        let inside = |page, boilerplate| Source::new(page, Stratum::new(false, boilerplate));
        let across = |page| Source::new(page, Stratum::new(true, false));
        let expected =
            [(0, vec![inside(1, true)]), (1, vec![inside(0, false), across(2)]), (2, vec![])];
        assert_eq!(rows, expected);
        assert_eq!(graph.out_degrees(2), [0, 1, 0, 0]);
        assert_eq!(graph.hosts(), [0, 2, 3]);
    }
}
