//! A made-up web with hosts and top-level domains, in proportion like the thesis' LargeWeb (3.2).

use webstrata_base::random::Random;
use webstrata_links::MemoryGraph;

/// Top-level domains in the order of reversed host names, and their share of hosts: `.com` is almost 40 %.
pub const DOMAINS: [(&str, f64); 7] = [
    ("com", 0.39),
    ("de", 0.10),
    ("edu", 0.11),
    ("jp", 0.09),
    ("net", 0.11),
    ("org", 0.12),
    ("uk", 0.08),
];
/// `.com`, `.net` and `.org` link to each other, `.jp` hardly to anybody (3.2.1).
const CLOSE: [&str; 3] = ["com", "net", "org"];
/// Pages of a host in the mean.
const MEAN_PAGES: f64 = 137.5;
/// Links of a page, and the share of them that lead to other hosts (Table 3.2).
const LINKS: f64 = 9.57;
const INTER_HOST: f64 = 0.0619;
/// Pages of a host that its menu leads to.
const MENU: usize = 10;

/// Hosts with pages and links.
#[derive(Clone, Debug)]
pub struct Web {
    /// Pages of each host, hosts in the order of their reversed names.
    pub sizes: Vec<usize>,
    /// For each host, its domain as a place in [`DOMAINS`].
    pub domains: Vec<usize>,
    /// From and to which position.
    pub links: Vec<(usize, usize)>,
}

impl Web {
    /// A web of about so many pages. The same seed gives the same web.
    pub fn new(pages: usize, seed: u64) -> Web {
        let mut random = Random::for_purpose(seed, "web of hosts");
        let hosts = ((pages as f64 / MEAN_PAGES).round() as usize).max(1);
        let mut web = Web { sizes: Vec::new(), domains: Vec::new(), links: Vec::new() };
        for host in 0..hosts {
            // A host's place says its domain; a power law with an end says its size.
            let (place, mut before) = ((host as f64 + 0.5) / hosts as f64, 0.0);
            let domain = DOMAINS.iter().position(|(_, share)| {
                before += share;
                place < before
            });
            web.domains.push(domain.unwrap_or(DOMAINS.len() - 1));
            let size = 25.0 / (1.0 - random.unit()).powf(0.9);
            web.sizes.push((size as usize).clamp(1, (pages / 12).clamp(1, 5084)));
        }
        web.link(&mut random);
        web
    }

    /// The first position of each host, and the number of pages.
    pub fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        self.sizes.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size));
        starts
    }

    fn link(&mut self, random: &mut Random) {
        let starts = self.starts();
        let of_domain: Vec<Vec<usize>> = (0..DOMAINS.len())
            .map(|domain| (0..self.sizes.len()).filter(|h| self.domains[*h] == domain).collect())
            .collect();
        let chance = |random: &mut Random, share: f64| random.unit() < share;
        for host in 0..self.sizes.len() {
            let (first, size) = (starts[host], self.sizes[host]);
            for page in first..first + size {
                let links = (2.0 * LINKS * random.unit()).round() as usize;
                for _ in 0..links {
                    if chance(random, INTER_HOST * 1.12) {
                        let domain = self.other_domain(self.domains[host], random);
                        let hosts = &of_domain[domain];
                        if hosts.is_empty() {
                            continue;
                        }
                        // Some hosts are linked to far more often than others.
                        let place = random.unit().powi(2) * hosts.len() as f64;
                        let to = hosts[place as usize];
                        if to != host {
                            let inner = chance(random, 0.4);
                            let page_there = if inner { random.below(self.sizes[to]) } else { 0 };
                            self.links.push((page, starts[to] + page_there));
                        }
                        continue;
                    }
                    let to = if chance(random, 0.5) {
                        first + random.below(MENU.min(size))
                    } else {
                        let near = page + random.below(41);
                        near.saturating_sub(20).clamp(first, first + size - 1)
                    };
                    if to != page {
                        self.links.push((page, to));
                    }
                }
            }
        }
    }

    fn other_domain(&self, own: usize, random: &mut Random) -> usize {
        let name = DOMAINS[own].0;
        let stays = if name == "jp" { 0.97 } else { 0.6 };
        if random.unit() < stays {
            return own;
        }
        let close = CLOSE.contains(&name);
        loop {
            let domain = random.below(DOMAINS.len());
            let other = DOMAINS[domain].0;
            if (other != "jp" || name == "jp")
                && (!close || CLOSE.contains(&other) || random.unit() < 0.3)
            {
                return domain;
            }
        }
    }

    /// The graph of all pages.
    pub fn graph(&self) -> MemoryGraph {
        self.graph_of(|_, _| true).0
    }

    /// The graph of some pages, by their host and number on it, and where each of its pages stands in the graph of
    /// all.
    pub fn graph_of(&self, keeps: impl Fn(usize, usize) -> bool) -> (MemoryGraph, Vec<usize>) {
        let starts = self.starts();
        let mut places = vec![None; starts[starts.len() - 1]];
        let (mut sizes, mut kept) = (Vec::new(), Vec::new());
        for (host, size) in self.sizes.iter().enumerate() {
            let before = kept.len();
            for page in (0..*size).filter(|page| keeps(host, *page)) {
                places[starts[host] + page] = Some(kept.len());
                kept.push(starts[host] + page);
            }
            if kept.len() > before {
                sizes.push(kept.len() - before);
            }
        }
        let links =
            self.links.iter().filter_map(|(from, to)| Some((places[*from]?, places[*to]?, false)));
        (MemoryGraph::new(&sizes, links), kept)
    }
}

#[cfg(test)]
mod tests {
    use webstrata_links::InLinks;
    use webstrata_links::graph::stats::Stats;

    use super::*;

    #[test]
    fn a_web_is_like_the_one_it_is_made_after() {
        let web = Web::new(20_000, 1);
        assert_eq!(web.sizes, Web::new(20_000, 1).sizes);
        let stats = Stats::of(&web.graph());
        assert!((12_000..28_000).contains(&stats.pages), "{}", stats.pages);
        let [inside, across, ..] = stats.links.by_stratum();
        let share = across as f64 / (inside + across) as f64;
        assert!((share - INTER_HOST).abs() < 0.02, "{share}");
    }

    #[test]
    fn a_part_of_a_web() {
        let web =
            Web { sizes: vec![2, 3], domains: vec![0, 0], links: vec![(0, 2), (2, 4), (4, 1)] };
        let (graph, places) = web.graph_of(|host, page| host == 1 && page != 1);
        assert_eq!((graph.pages(), places), (2, vec![2, 4]));
        assert_eq!(graph.links_before(2), 1);
        assert_eq!(web.graph().links_before(5), 3);
    }
}
