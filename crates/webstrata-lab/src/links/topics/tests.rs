//! The analysis as a whole, on invented webs, and with a ranking that is as simple as can be.

use proptest::prelude::*;
use webstrata_base::Error;
use webstrata_base::random::Random;

use super::*;
use webstrata_links::links::{InLinks, MemoryGraph, Source};
use webstrata_links::rank::{Dangling, Jump, RankOptions, Until, rank};
use webstrata_links::topics::{Categories, Reach, combine};

/// PageRank by Equations 3.1 to 3.4 as they stand: no partitions, no order of pages, 200 iterations. A surfer on a page
/// without links jumps, or is lost.
fn naive(graph: &dyn InLinks, jumps: &[Jump], dangling: Dangling) -> Vec<Vec<f32>> {
    let pages = graph.pages();
    let mut links = Vec::new();
    graph.read(0..pages, &mut |to, row: &[Source]| {
        links.extend(row.iter().map(|source| (source.page(), to)));
    });
    let degree: Vec<usize> =
        (0..pages).map(|page| links.iter().filter(|(from, _)| *from == page).count()).collect();
    let of_jump = |jump: &Jump| -> Vec<f64> {
        let mut towards = vec![0.0; pages];
        match jump {
            Jump::Everywhere => towards.fill(1.0 / pages as f64),
            Jump::Set(set) => set.iter().for_each(|page| towards[*page] += 1.0 / set.len() as f64),
            Jump::Weighted(set) => {
                let sum: f64 = set.iter().map(|(_, weight)| weight).sum();
                set.iter().for_each(|(page, weight)| towards[*page] += weight / sum);
            }
        }
        towards
    };
    let solve = |jump: &Jump| {
        let towards = of_jump(jump);
        let mut ranks = towards.clone();
        for _ in 0..200 {
            let mut next = vec![0.0; pages];
            let mut lost = 0.0;
            for (from, to) in &links {
                next[*to] += 0.85 * ranks[*from] / degree[*from] as f64;
            }
            if dangling == Dangling::Jump {
                lost = (0..pages).filter(|page| degree[*page] == 0).map(|page| ranks[page]).sum();
            }
            for page in 0..pages {
                next[page] += (0.15 + 0.85 * lost) * towards[page];
            }
            ranks = next;
        }
        ranks.into_iter().map(|rank| rank as f32).collect()
    };
    jumps.iter().map(solve).collect()
}

fn exact(dangling: Dangling) -> RankOptions {
    RankOptions { dangling, until: Until::Residual(1e-12), ..RankOptions::default() }
}

/// A web of topics: 4 of 20 pages each, in pairs; most links stay in the topic.
fn coast() -> (MemoryGraph, Categories) {
    let mut random = Random::new(3);
    let links: Vec<_> = (0..400)
        .map(|_| {
            let from = random.below(80);
            let inside = random.below(10) < 8;
            let to = if inside { from / 20 * 20 + random.below(20) } else { random.below(80) };
            (from, to, false)
        })
        .collect();
    let names = [["sea", "tides"], ["sea", "ports"], ["land", "birds"], ["land", "walks"]];
    let tree = Categories::new((0..80).map(|page| (page, names[page / 20].to_vec())));
    (MemoryGraph::new(&[80], links), tree)
}

#[test]
fn a_web_of_topics() {
    let (graph, tree) = coast();
    let settings = TopicOptions::default();
    let options = exact(Dangling::Jump);
    let rankings = Rankings::new(&graph, &tree, &settings, &options, &()).unwrap();
    let analysis = rankings.measure(Quality::HeldOut);
    let paths: Vec<_> = analysis.categories.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths, ["land", "land/birds", "land/walks", "sea", "sea/ports", "sea/tides"]);
    let land = &analysis.categories[0];
    assert_eq!((land.level, land.pages, land.children, land.siblings), (1, 40, 2, 1));
    assert_eq!((land.parent, land.to_parent), (None, None));
    let walks = &analysis.categories[2];
    assert_eq!((walks.level, walks.pages, walks.parent), (2, 20, Some(0)));
    let links: u64 = (60..80).map(|page| graph.out_degrees(page).iter().sum::<u32>() as u64).sum();
    assert_eq!(walks.out_links, links);
    assert_eq!(analysis.siblings.len(), 3);
    for row in &analysis.categories {
        let gain = row.quality.unwrap();
        assert!(gain.biased.whole > gain.unbiased.whole, "{row:?}");
        assert!(row.to_parent.is_none_or(|parent| parent.all > row.to_unbiased.all), "{row:?}");
    }
    // The same again, and otherwise with another seed.
    let again = Rankings::new(&graph, &tree, &settings, &options, &()).unwrap();
    assert_eq!(again.measure(Quality::HeldOut), analysis);
    let other = TopicOptions { seed: 2, ..settings.clone() };
    let other = Rankings::new(&graph, &tree, &other, &options, &()).unwrap();
    assert_ne!(other.measure(Quality::HeldOut), analysis);
}

#[test]
fn as_a_naive_ranking_has_it() {
    let (graph, tree) = coast();
    let settings = TopicOptions { top: 10, ..TopicOptions::default() };
    let rank = |jumps: &[Jump]| Ok(naive(&graph, jumps, Dangling::Jump));
    let simple = Rankings::ranked(&graph, &tree, &settings, &rank).unwrap();
    let fast = Rankings::new(&graph, &tree, &settings, &exact(Dangling::Jump), &()).unwrap();
    let simple = simple.measure(Quality::HeldOut);
    let fast = fast.measure(Quality::HeldOut);
    for (a, b) in simple.categories.iter().zip(&fast.categories) {
        let near = |x: f64, y: f64| assert!((x - y).abs() < 0.01, "{a:?} {b:?}");
        near(a.to_unbiased.top, b.to_unbiased.top);
        near(a.to_unbiased.tau, b.to_unbiased.tau);
        near(a.to_unbiased.all, b.to_unbiased.all);
        near(a.quality.unwrap().biased.whole, b.quality.unwrap().biased.whole);
    }
}

#[test]
fn levels_and_exactly_there() {
    let (graph, tree) = coast();
    let options = RankOptions::default();
    let count = |level, reach| {
        let settings = TopicOptions { level, reach, ..TopicOptions::default() };
        Rankings::new(&graph, &tree, &settings, &options, &()).unwrap().categories()
    };
    assert_eq!(count(1, Reach::Below), 2);
    assert_eq!(count(0, Reach::Below), 0);
    assert_eq!(count(9, Reach::Exactly), 4);
}

#[test]
fn judged_by_people() {
    let (graph, tree) = coast();
    let settings = TopicOptions::default();
    let rankings = Rankings::new(&graph, &tree, &settings, &RankOptions::default(), &()).unwrap();
    let relevant = |path: &str, _: Option<&str>| match path {
        "sea" => vec![(0..40).rev().chain([99]).collect()],
        _ => Vec::new(),
    };
    let analysis = rankings.measure(Quality::Judged(&relevant));
    let judged: Vec<_> = analysis.categories.iter().filter(|row| row.quality.is_some()).collect();
    assert_eq!((judged.len(), judged[0].path.as_str()), (1, "sea"));
    let gain = judged[0].quality.unwrap();
    assert!(gain.biased.whole > gain.unbiased.whole);
}

#[test]
fn what_searches_find() {
    let (graph, tree) = coast();
    let settings = TopicOptions::default();
    let rankings = Rankings::new(&graph, &tree, &settings, &RankOptions::default(), &()).unwrap();
    let mut texts = Texts::default();
    for page in 0..80 {
        let topic = ["the tides", "some ports", "birds", "walks"][page / 20];
        let elsewhere = if page % 10 == 0 { "tides and ports and birds" } else { "" };
        texts.add(page, &format!("page {page} of {topic} {elsewhere}"));
    }
    let analysis = rankings.measure_searches(Quality::HeldOut, &Queries::default(), &texts);
    // No text has the words "sea" or "land".
    let paths: Vec<_> = analysis.categories.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths, ["land/birds", "land/walks", "sea/ports", "sea/tides"]);
    assert!(analysis.categories.iter().all(|row| row.parent.is_none() && row.quality.is_some()));
    assert_eq!(analysis.siblings.len(), 2);

    // Two queries, two subjects: the mean of what each gives by itself.
    let alone = |line: &str, relevant: &[&[usize]]| {
        let (queries, _) = Queries::read(line.as_bytes()).unwrap();
        let judged = |_: &str, query: Option<&str>| match query {
            Some("tides") => relevant.iter().map(|pages| pages.to_vec()).collect(),
            _ => vec![vec![20, 30]],
        };
        let analysis = rankings.measure_searches(Quality::Judged(&judged), &queries, &texts);
        analysis.categories.into_iter().find(|row| row.path == "sea").unwrap()
    };
    let both = alone("sea\ttides\nsea\tports\n", &[&[1, 2], &[3]]);
    let ports = alone("sea\tports\n", &[]);
    let tides = [&[1, 2][..], &[3]].map(|pages| alone("sea\ttides\n", &[pages]));
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    let whole = |row: &Measured| row.quality.unwrap().biased.whole;
    let mean = f64::midpoint(f64::midpoint(whole(&tides[0]), whole(&tides[1])), whole(&ports));
    near(whole(&both), mean);
    near(both.to_unbiased.tau, f64::midpoint(tides[0].to_unbiased.tau, ports.to_unbiased.tau));
}

#[test]
fn categories_of_one_page_cannot_be_halved() {
    let graph = MemoryGraph::new(&[3], [(0, 1, false), (1, 2, false)]);
    let tree = Categories::new([(0, vec!["a"]), (1, vec!["b"]), (2, vec!["b"])]);
    let settings = TopicOptions::default();
    let rankings = Rankings::new(&graph, &tree, &settings, &RankOptions::default(), &()).unwrap();
    let analysis = rankings.measure(Quality::HeldOut);
    assert_eq!(analysis.categories[0].quality, None);
    assert!(analysis.categories[1].quality.is_some());
    let nobody = MemoryGraph::new(&[0], []);
    let tree = Categories::new([]);
    let rankings = Rankings::new(&nobody, &tree, &settings, &RankOptions::default(), &()).unwrap();
    assert!(rankings.measure(Quality::HeldOut).categories.is_empty());
}

proptest! {
    /// Equation 3.6: topics mixed by the sizes of their sets are the topic of all their pages. `rank` and the naive
    /// ranking agree on both.
    #[test]
    fn combined_rankings_are_those_of_the_combined_set(
        links in prop::collection::vec((0_usize..12, 0_usize..12), 0..50),
        split in 1_usize..11,
    ) {
        let graph = MemoryGraph::new(&[12], links.into_iter().map(|(from, to)| (from, to, false)));
        let sets = [(0..split).collect::<Vec<_>>(), (split..12).collect()];
        let weights = sets.each_ref().map(|set| set.len() as f64 / 12.0);
        let [first, second] = sets.map(Jump::Set);
        let jumps = [first, second, Jump::Set((0..12).collect())];
        let options = exact(Dangling::Drop);
        let ranked = rank(&graph, &jumps, &options, &()).map_err(|error: Error| {
            TestCaseError::fail(error.to_string())
        })?;
        for vectors in [ranked.vectors, naive(&graph, &jumps, Dangling::Drop)] {
            let combined = combine(&[&vectors[0], &vectors[1]], &weights);
            for (a, b) in combined.iter().zip(&vectors[2]) {
                prop_assert!((a - b).abs() < 1e-6, "{combined:?} {:?}", vectors[2]);
            }
        }
        prop_assert!(combine(&[], &[1.0]).is_empty());
    }
}
