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
/// Links of a page, and the share of them that lead to other hosts (Table 3.2): what a web has in the end.
#[cfg(test)]
const LINKS: f64 = 9.57;
#[cfg(test)]
const INTER_HOST: f64 = 0.0619;
/// How often a link is drawn for a page, and how often one to another host, so that this comes out: a link that is
/// drawn twice is one, which happens inside of hosts.
const DRAWN: f64 = 11.9;
const DRAWN_ACROSS: f64 = 0.05;
/// Pages elsewhere that the footer of a site leads to.
const FOOTER: usize = 4;
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
    /// A web of about so many pages. Of the links between hosts, this share comes from footers, which are the same on
    /// all pages of a host; others are of one page each. The same seed gives the same web.
    pub fn new(pages: usize, seed: u64, footers: f64) -> Web {
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
        web.link(&mut random, footers);
        web
    }

    /// The first position of each host, and the number of pages.
    pub fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        self.sizes.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size));
        starts
    }

    fn link(&mut self, random: &mut Random, footers: f64) {
        let starts = self.starts();
        let of_domain: Vec<Vec<usize>> = (0..DOMAINS.len())
            .map(|domain| (0..self.sizes.len()).filter(|h| self.domains[*h] == domain).collect())
            .collect();
        let chance = |random: &mut Random, share: f64| random.unit() < share;
        for host in 0..self.sizes.len() {
            let (first, size) = (starts[host], self.sizes[host]);
            let footer: Vec<usize> = (0..FOOTER)
                .filter_map(|_| self.page_elsewhere(host, &of_domain, &starts, random))
                .collect();
            for page in first..first + size {
                let links = (2.0 * DRAWN * random.unit()).round() as usize;
                for _ in 0..links {
                    if chance(random, DRAWN_ACROSS) {
                        let to = if !footer.is_empty() && chance(random, footers) {
                            Some(footer[random.below(footer.len())])
                        } else {
                            self.page_elsewhere(host, &of_domain, &starts, random)
                        };
                        self.links.extend(to.map(|to| (page, to)));
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

    /// A page of another host that this host may link to.
    fn page_elsewhere(
        &self,
        host: usize,
        of_domain: &[Vec<usize>],
        starts: &[usize],
        random: &mut Random,
    ) -> Option<usize> {
        let hosts = &of_domain[self.other_domain(self.domains[host], random)];
        // Some hosts are linked to far more often than others.
        let place = random.unit().powi(2) * hosts.len() as f64;
        let to = *hosts.get(place as usize).filter(|to| **to != host)?;
        let inner = random.unit() < 0.4;
        Some(starts[to] + if inner { random.below(self.sizes[to]) } else { 0 })
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
        let web = Web::new(40_000, 1, 0.0);
        assert_eq!(web.links, Web::new(40_000, 1, 0.0).links);
        let stats = Stats::of(&web.graph());
        assert!((30_000..50_000).contains(&stats.pages), "{}", stats.pages);
        let [inside, across, ..] = stats.links.by_stratum();
        let links = (inside + across) as f64;
        let (share, of_a_page) = (across as f64 / links, links / stats.pages as f64);
        assert!((share - INTER_HOST).abs() < 0.006, "{share}");
        assert!((of_a_page - LINKS).abs() < 0.5, "{of_a_page}");
    }

    #[test]
    fn footers_are_the_same_on_all_pages_of_a_host() {
        let web = Web::new(4_000, 1, 1.0);
        let starts = web.starts();
        for host in 0..web.sizes.len() {
            let own = starts[host]..starts[host + 1];
            let across =
                web.links.iter().filter(|(from, to)| own.contains(from) && !own.contains(to));
            let across: std::collections::BTreeSet<usize> = across.map(|(_, to)| *to).collect();
            assert!(across.len() <= FOOTER, "{host}: {across:?}");
        }
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
