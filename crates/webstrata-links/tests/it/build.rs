//! Graphs on disk against maps and sets in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use webstrata_links::build::{Added, GraphOptions, NamedBuilder, NumberedBuilder};
use webstrata_links::graph::{Choice, Graph, Naming, Page, Rules, Wanted};
use webstrata_links::{InLinks, MemoryGraph, Source, Stratum};

/// A link as it is written: source, target, boilerplate?, nofollow?
type Written = (String, String, bool, bool);

fn named() -> impl Strategy<Value = String> {
    let host = prop::sample::select(vec![
        "a.example",
        "www.a.example",
        "b.example",
        "c.co.uk",
        "x.c.co.uk",
        "10.0.0.1",
        "a.example:8080",
    ]);
    let path = prop::sample::select(vec!["", "/", "/a", "/a/b", "/b?q=1", "/z", "/a#part", "//a"]);
    let scheme = prop::sample::select(vec!["http", "https"]);
    (scheme, host, path).prop_map(|(scheme, host, path)| format!("{scheme}://{host}{path}"))
}

fn links() -> impl Strategy<Value = Vec<Written>> {
    prop::collection::vec((named(), named(), any::<bool>(), prop::bool::weighted(0.1)), 0..120)
}

fn rules() -> impl Strategy<Value = Rules> {
    let choice = || prop::sample::select(vec![Choice::Keep, Choice::Drop]);
    let names = prop::sample::select(vec![Naming::Hosts, Naming::Domains, Naming::Plain]);
    let wanted = prop::sample::select(vec![Wanted::All, Wanted::Content, Wanted::Boilerplate]);
    (names, wanted, choice(), choice(), choice()).prop_map(
        |(names, links, nofollow, self_links, uncrawled)| Rules {
            names,
            links,
            nofollow,
            self_links,
            uncrawled,
        },
    )
}

/// The plainest way: what pages there are, and which links, by the address that the graph should show.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expected {
    pages: BTreeSet<String>,
    /// Boilerplate, by source and target.
    links: BTreeMap<(String, String), bool>,
}

fn shown(name: &str, rules: &Rules) -> String {
    if rules.names == Naming::Plain {
        return name.to_owned();
    }
    let mut url = url::Url::parse(name).unwrap();
    url.set_fragment(None);
    url.to_string()
}

fn expected(links: &[Written], rules: &Rules) -> Expected {
    let mut expected = Expected::default();
    let crawled: BTreeSet<String> = links.iter().map(|link| shown(&link.0, rules)).collect();
    for (from, to, boilerplate, nofollow) in links {
        let (from, to) = (shown(from, rules), shown(to, rules));
        expected.pages.insert(from.clone());
        if !rules.links.takes(*boilerplate) || (*nofollow && rules.nofollow == Choice::Drop) {
            continue;
        }
        if rules.uncrawled == Choice::Drop && !crawled.contains(&to) {
            continue;
        }
        expected.pages.insert(to.clone());
        if from == to && rules.self_links == Choice::Drop {
            continue;
        }
        let kept = expected.links.entry((from, to)).or_insert(true);
        *kept &= boilerplate;
    }
    expected
}

fn found(graph: &Graph) -> Expected {
    let mut found = Expected::default();
    for page in 0..graph.pages() {
        assert!(found.pages.insert(graph.name(page)), "{} twice", graph.name(page));
    }
    graph.read(0..graph.pages(), &mut |page, row| {
        for source in row {
            let key = (graph.name(source.page()), graph.name(page));
            assert_eq!(
                source.stratum().is_external(),
                graph.host_of(page) != graph.host_of(source.page())
            );
            let before = found.links.insert(key, source.stratum().is_boilerplate());
            assert_eq!(before, None);
        }
    });
    found
}

fn build(folder: &Path, settings: &GraphOptions, links: &[Written]) -> Graph {
    let mut builder = NamedBuilder::new(folder, settings).unwrap();
    for (from, to, boilerplate, nofollow) in links {
        let added = builder.link(from, to, *boilerplate, *nofollow).unwrap();
        assert!(!matches!(added, Added::Wrong(_)), "{added:?}");
    }
    builder.finish(&()).unwrap()
}

/// What ranking reads of a graph: rows, out-degrees and hosts.
type Read = (Vec<(usize, Vec<Source>)>, Vec<([u32; Stratum::COUNT], u64)>, Vec<usize>);

fn read(graph: &dyn InLinks) -> Read {
    let mut rows = Vec::new();
    graph.read(0..graph.pages(), &mut |page, row| rows.push((page, row.to_vec())));
    let degrees = (0..graph.pages())
        .map(|page| (graph.out_degrees(page), graph.links_before(page)))
        .collect();
    (rows, degrees, graph.hosts().to_vec())
}

/// The same links in a graph in memory are read alike, as a whole and in parts.
fn check_in_links(graph: &Graph) {
    let whole = read(graph);
    let sizes: Vec<usize> = whole.2.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let links = whole.0.iter().flat_map(|(to, row)| {
        row.iter().map(|from| (from.page(), *to, from.stratum().is_boilerplate()))
    });
    let memory = MemoryGraph::new(&sizes, links);
    assert_eq!(read(&memory), whole);
    for start in [0, 1, 63, 64, 65] {
        for end in [start, start + 1, 64, 65, graph.pages()] {
            let range = start.min(graph.pages())..end.min(graph.pages());
            let mut part = Vec::new();
            graph.read(range.clone(), &mut |page, row| part.push((page, row.to_vec())));
            assert_eq!(part, whole.0.get(range).unwrap_or_default());
        }
    }
}

fn check_lookups(graph: &Graph) {
    for position in 0..graph.pages() {
        assert_eq!(graph.find(&graph.name(position)), Some(position));
        assert_eq!(graph.position(graph.page(position)), Some(position));
    }
    for host in 0..graph.hosts().len() - 1 {
        assert_eq!(graph.find_host(&graph.host_name(host)), Some(host));
    }
    assert_eq!(graph.find("https://nowhere.example/"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_build_is_what_a_map_would_be(links in links(), rules in rules(), memory in 0usize..20_000) {
        let folder = tempfile::tempdir().unwrap();
        let settings = GraphOptions { rules, memory, add: false };
        let graph = build(&folder.path().join("graph"), &settings, &links);
        prop_assert_eq!(found(&graph), expected(&links, &rules));
        check_in_links(&graph);
        check_lookups(&graph);
        graph.verify().unwrap();
    }

    #[test]
    fn batches_are_what_one_build_would_be(
        links in links(),
        rules in rules(),
        memory in 0usize..20_000,
        cuts in prop::collection::vec(0.0..1.0f64, 0..4),
    ) {
        let rules = Rules { uncrawled: Choice::Keep, ..rules };
        let folder = tempfile::tempdir().unwrap();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * links.len() as f64) as usize).collect();
        cuts.extend([0, links.len()]);
        cuts.sort_unstable();
        let mut numbers: BTreeMap<String, Page> = BTreeMap::new();
        for (number, cut) in cuts.windows(2).enumerate() {
            let settings = GraphOptions { rules, memory, add: number > 0 };
            let graph = build(folder.path(), &settings, &links[cut[0]..cut[1]]);
            prop_assert_eq!(graph.about().generation, number as u64 + 1);
            for (name, page) in &numbers {
                prop_assert_eq!(graph.find(name).map(|position| graph.page(position)), Some(*page));
            }
            numbers = (0..graph.pages()).map(|p| (graph.name(p), graph.page(p))).collect();
            check_in_links(&graph);
            check_lookups(&graph);
        }
        let graph = Graph::open(folder.path()).unwrap();
        prop_assert_eq!(found(&graph), expected(&links, &rules));
        // The last generation, its description and the lock are all that is left.
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn numbers_are_sorted_too(
        links in prop::collection::vec((0u64..200, 0u64..200, any::<bool>()), 0..300),
        memory in 0usize..6_000,
        cut in 0usize..300,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let cut = cut.min(links.len());
        for (number, part) in [&links[..cut], &links[cut..]].into_iter().enumerate() {
            let settings = GraphOptions { memory, add: number > 0, ..GraphOptions::default() };
            let mut builder = NumberedBuilder::new(folder.path(), &settings, None).unwrap();
            for (from, to, boilerplate) in part {
                builder.link(*from, *to, *boilerplate).unwrap();
            }
            builder.finish(&()).unwrap();
        }
        let graph = Graph::open(folder.path()).unwrap();
        let pages = links.iter().map(|(from, to, _)| from.max(to) + 1).max().unwrap_or(0);
        prop_assert_eq!(graph.pages() as u64, pages);
        let sizes = if pages > 0 { vec![pages as usize] } else { vec![] };
        let kept = links.iter().filter(|(from, to, _)| from != to);
        let memory = MemoryGraph::new(
            &sizes,
            kept.map(|(from, to, boilerplate)| (*from as usize, *to as usize, *boilerplate)),
        );
        prop_assert_eq!(read(&graph), read(&memory));
    }
}
