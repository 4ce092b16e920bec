//! Pages that are added while a ranking runs, against the plainest PageRank of all pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use webstrata_base::{Error, Progress};
use webstrata_links::build::{GraphOptions, NamedBuilder};
use webstrata_links::rank::{Grouping, Jump, RankOptions, Until, rank, rank_growing};
use webstrata_links::{Graph, InLinks};

type Links = Vec<(String, String)>;

/// Links of harbours among each other, some of them to pages that say nothing.
fn links(harbours: usize, of_each: usize) -> Links {
    let page = |harbour: usize, number: usize| format!("https://h{harbour}.example/{number:03}");
    let mut links = Vec::new();
    for harbour in 0..harbours {
        for number in 0..of_each {
            let from = page(harbour, number);
            links.push((from.clone(), page(harbour, (number * 7 + 3) % of_each)));
            links.push((from.clone(), page((harbour * 3 + number) % harbours, number % 5)));
            links.push((from, format!("https://quay.example/{}", (harbour + number) % 11)));
        }
    }
    links
}

fn add(folder: &Path, links: &[(String, String)], add: bool) -> Graph {
    let options = GraphOptions { add, ..GraphOptions::default() };
    let mut builder = NamedBuilder::new(folder, &options).unwrap();
    for (from, to) in links {
        builder.link(from, to, false, false).unwrap();
    }
    builder.finish(&()).unwrap()
}

/// r = (1 − α)/n + α (what pages give + what pages without links would), a thousand times.
fn plain(links: &[(String, String)]) -> BTreeMap<String, f64> {
    let links: BTreeSet<_> = links.iter().filter(|(from, to)| from != to).collect();
    let pages: BTreeSet<&String> = links.iter().flat_map(|(from, to)| [from, to]).collect();
    let mut out: BTreeMap<&String, f64> = BTreeMap::new();
    links.iter().for_each(|(from, _)| *out.entry(from).or_default() += 1.0);
    let n = pages.len() as f64;
    let mut ranks: BTreeMap<&String, f64> = pages.iter().map(|page| (*page, 1.0 / n)).collect();
    for _ in 0..1_000 {
        let dangling: f64 =
            pages.iter().filter(|page| !out.contains_key(*page)).map(|page| ranks[*page]).sum();
        let mut next: BTreeMap<&String, f64> =
            pages.iter().map(|page| (*page, 0.15 / n + 0.85 * dangling / n)).collect();
        for (from, to) in &links {
            *next.get_mut(to).unwrap() += 0.85 * ranks[from] / out[from];
        }
        ranks = next;
    }
    ranks.into_iter().map(|(page, rank)| (page.clone(), rank)).collect()
}

/// Adds links after some iterations.
struct Adds<'a> {
    folder: &'a Path,
    links: &'a [(String, String)],
    /// Iterations that were done.
    done: AtomicUsize,
    after: usize,
}

impl Progress for Adds<'_> {
    fn begin(&self, _part: &str, _steps: usize) {}
    fn step(&self) {
        if self.done.fetch_add(1, Ordering::SeqCst) + 1 == self.after {
            add(self.folder, self.links, true);
        }
    }
    fn note(&self, _message: &str) {}
    fn failure(&self, _message: &str) {}
}

#[test]
fn pages_that_are_added_join_at_the_next_iteration() {
    let all = links(12, 40);
    let (before, later) = (links(9, 30), all.clone());
    let whole: Links = before.iter().chain(&later).cloned().collect();
    let expected = plain(&whole);
    let jumps = |_: &Graph| Ok::<_, Error>(vec![Jump::Everywhere]);
    for (partitions, grouping) in
        [(1, Grouping::Ranges), (3, Grouping::Ranges), (3, Grouping::RoundRobin)]
    {
        let folder = tempfile::tempdir().unwrap();
        let graph = add(folder.path(), &before, false);
        let pages = graph.pages();
        let options = RankOptions {
            partitions,
            grouping,
            until: Until::Error(1e-7),
            ..RankOptions::default()
        };
        let adds =
            Adds { folder: folder.path(), links: &later, done: AtomicUsize::new(0), after: 4 };
        let open = || Graph::open(folder.path());
        let grown = rank_growing(graph, &open, &mut { jumps }, &options, None, &adds).unwrap();
        assert_eq!(grown.graph.pages(), expected.len());
        // They were added after the fourth iteration and are seen at the end of the fifth.
        assert_eq!(grown.joined, [(5, expected.len() - pages)]);
        let run = &grown.ranking.run;
        assert!(run.converged && !run.stopped && run.residuals.len() > 5);
        let off: f64 = (0..grown.graph.pages())
            .map(|at| f64::from(grown.ranking.vectors[0][at]) - expected[&grown.graph.name(at)])
            .map(f64::abs)
            .sum();
        assert!(off < 1e-6, "{partitions} partitions: {off}");
        // It goes on from where it was, which is nearer than the beginning.
        let anew = rank(&grown.graph, &[Jump::Everywhere], &options, &()).unwrap();
        let more = run.residuals.len() - 5;
        assert!(more <= anew.run.residuals.len(), "{more}, anew {}", anew.run.residuals.len());
    }
}

#[test]
fn a_ranking_that_has_done_all_its_iterations_ends() {
    let folder = tempfile::tempdir().unwrap();
    let graph = add(folder.path(), &links(4, 20), false);
    let pages = graph.pages();
    let options = RankOptions { most_iterations: 3, ..RankOptions::default() };
    let later = links(6, 20);
    let adds = Adds { folder: folder.path(), links: &later, done: AtomicUsize::new(0), after: 3 };
    let open = || Graph::open(folder.path());
    let mut jumps = |_: &Graph| Ok::<_, Error>(vec![Jump::Everywhere]);
    let grown = rank_growing(graph, &open, &mut jumps, &options, None, &adds).unwrap();
    assert_eq!((grown.graph.pages(), grown.joined), (pages, Vec::new()));
    assert_eq!(grown.ranking.run.residuals.len(), 3);
}
