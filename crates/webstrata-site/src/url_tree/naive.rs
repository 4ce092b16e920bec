//! The tree as the paper describes it: every node counts every key. The oracle of the one that is used.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Bounds, Heuristic, UrlTree, Visit};
use crate::url_key::UrlKey;

#[derive(Default)]
struct Node {
    documents: u32,
    counts: BTreeMap<u64, u32>,
}

#[derive(Default)]
struct Naive {
    nodes: BTreeMap<Vec<String>, Node>,
    visits: Vec<Visit>,
}

fn branches(key: &UrlKey) -> Vec<Vec<String>> {
    let parts: Vec<String> = key.branch().map(str::to_owned).collect();
    (0..=parts.len()).map(|end| parts[..end].to_vec()).collect()
}

impl Naive {
    fn change(&mut self, visit: &Visit, by: i32) {
        let keys: BTreeSet<u64> = visit.texts.iter().chain(&visit.places).copied().collect();
        for branch in branches(&visit.key) {
            let node = self.nodes.entry(branch).or_default();
            node.documents = node.documents.wrapping_add_signed(by);
            for key in &keys {
                let count = node.counts.entry(*key).or_default();
                *count = count.wrapping_add_signed(by);
            }
        }
    }

    fn insert(&mut self, mut visit: Visit, bounds: &Bounds) {
        let same = |one: &&Visit| one.key.domain() == visit.key.domain();
        if let Some(last) = self.visits.iter().rfind(same) {
            visit.time = visit.time.max(last.time);
        }
        self.change(&visit, 1);
        self.visits.push(visit.clone());
        loop {
            let mut own = self
                .visits
                .iter()
                .enumerate()
                .filter(|(_, one)| one.key.domain() == visit.key.domain());
            let count = own.clone().count();
            let Some((at, oldest)) = own.next() else { break };
            let is_old = visit.time - oldest.time > bounds.age && count > bounds.least;
            if count <= bounds.documents && !is_old {
                break;
            }
            let left = self.visits.remove(at);
            self.change(&left, -1);
        }
    }

    fn select(&self, key: &UrlKey, least: u32) -> Vec<String> {
        let supported = |branch: &&Vec<String>| self.support(branch) >= least;
        branches(key).iter().rev().find(supported).cloned().unwrap_or_default()
    }

    fn support(&self, branch: &[String]) -> u32 {
        self.nodes.get(branch).map_or(0, |node| node.documents)
    }

    fn count(&self, branch: &[String], key: u64) -> u32 {
        self.nodes.get(branch).and_then(|node| node.counts.get(&key)).copied().unwrap_or(0)
    }
}

fn visit() -> impl Strategy<Value = Visit> {
    let key = "[ab]\\.org(/[xy]){0,3}(/[a-z])?";
    (key, 0..60i64, prop::collection::vec(0..25u64, 0..8), prop::collection::vec(20..30u64, 0..3))
        .prop_map(|(key, time, texts, places)| {
            let key = UrlKey::parse(&key).unwrap();
            Visit { key, time, texts, places }
        })
}

proptest! {
    #[test]
    fn the_same_as_counting_everything_everywhere(
        visits in prop::collection::vec(visit(), 1..60),
        documents in 1..40usize,
        age in 1..80i64,
        least in 1..12usize,
    ) {
        let bounds = Bounds { documents, age, least, ..Bounds::default() };
        let (mut tree, mut naive) = (UrlTree::new(bounds), Naive::default());
        for visit in &visits {
            tree.insert(&mut visit.clone());
            naive.insert(visit.clone(), &bounds);
            prop_assert_eq!(tree.len(), naive.visits.len());
        }
        for visit in &visits {
            let view = tree.view(&visit.key);
            for heuristic in [Heuristic::Strict, Heuristic::StrictSupport(2), Heuristic::StrictSupport(9), Heuristic::StrictAtDomain] {
                let node = view.select(heuristic);
                let branch = match heuristic {
                    Heuristic::StrictSupport(more) => naive.select(&visit.key, more + 1),
                    Heuristic::StrictAtDomain if naive.support(&[visit.key.domain().to_owned()]) == 0 => vec![],
                    Heuristic::StrictAtDomain => vec![visit.key.domain().to_owned()],
                    _ => naive.select(&visit.key, 5),
                };
                prop_assert_eq!(view.support(node), naive.support(&branch));
                for key in 0..30 {
                    prop_assert_eq!(view.count(node, key), naive.count(&branch, key), "{} {:?}", key, branch);
                }
            }
        }
    }

    #[test]
    fn restored_from_what_it_holds(
        visits in prop::collection::vec(visit(), 1..60),
        documents in 1..20usize,
        is_similar: bool,
        memory in 0..40_000usize,
    ) {
        // Of sketches, those with the same rest by three are alike.
        let sketch = |key: &u64| u64::from_le_bytes([[(key % 3) as u8; 6].as_slice(), &[*key as u8; 2]].concat().try_into().unwrap());
        let key = |key: u64| if is_similar { sketch(&key) } else { key };
        let visits: Vec<Visit> = visits.into_iter().map(|mut visit| {
            visit.texts.iter_mut().for_each(|text| *text = key(*text));
            visit
        }).collect();
        let bounds = Bounds { documents, age: 50, least: 3, memory };
        let new = || if is_similar { UrlTree::of_similar(bounds) } else { UrlTree::new(bounds) };
        let mut tree = new();
        let mut kept: BTreeMap<u64, Visit> = BTreeMap::new();
        for (at, visit) in visits.iter().enumerate() {
            let mut visit = visit.clone();
            let serial = tree.insert(&mut visit);
            kept.insert(serial, visit);
            for left in tree.take_evicted() {
                prop_assert!(kept.remove(&left).is_some());
            }
            prop_assert_eq!(kept.len(), tree.len());
            if at % 7 == 3 {
                let mut restored = new();
                kept.iter().for_each(|(serial, visit)| restored.restore(*serial, visit));
                prop_assert_eq!(restored.memory(), tree.memory());
                for visit in &visits {
                    let (a, b) = (tree.view(&visit.key), restored.view(&visit.key));
                    let (m, n) = (a.select(Heuristic::Strict), b.select(Heuristic::Strict));
                    prop_assert_eq!(a.support(m), b.support(n));
                    for key in (0..30).map(key).chain(0..30) {
                        prop_assert_eq!(a.known(key), b.known(key));
                        prop_assert_eq!(a.count(m, key), b.count(n, key));
                        prop_assert_eq!(a.count(a.domain(), key), b.count(b.domain(), key));
                    }
                }
                tree = restored;
            }
        }
    }
}

#[test]
fn an_empty_tree_is_left_empty() {
    let mut tree = UrlTree::new(Bounds { documents: 3, ..Bounds::default() });
    for number in 0..50u64 {
        let key = UrlKey::parse(&format!("a.org/x/{number}")).unwrap();
        tree.insert(&mut Visit { key, time: 0, texts: vec![1, number + 10], places: vec![] });
    }
    assert_eq!(tree.len(), 3);
    // The root, the domain, the folder and three leaves; three own texts and a common one.
    assert_eq!((tree.nodes.len(), tree.blocks.len(), tree.counts.len()), (6, 4, 0));
    assert!(tree.allocated() < 4_000, "{}", tree.allocated());
}

#[test]
fn memory_is_bounded_and_the_oldest_leave_first() {
    let mut tree = UrlTree::new(Bounds { memory: 200_000, ..Bounds::default() });
    let mut left = Vec::new();
    for number in 0..3_000u64 {
        let key = UrlKey::parse(&format!("{}.org/x/{number}", number % 7)).unwrap();
        let texts =
            (0..20).map(|text| if text < 10 { text } else { number * 100 + text }).collect();
        tree.insert(&mut Visit { key, time: number as i64, texts, places: vec![] });
        assert!(tree.memory() <= 200_000);
        assert!(tree.allocated() <= 220_000, "{}", tree.allocated());
        left.extend(tree.take_evicted());
    }
    assert!(tree.len() > 50);
    assert!(left.is_sorted());
}

#[test]
fn similar_texts_count_as_one() {
    let notice = "Copyright of all texts and pictures on these pages is with the harbour office; this page was \
        made in half a second by machine";
    let mut tree = UrlTree::of_similar(Bounds::default());
    let key = |number: usize| UrlKey::parse(&format!("a.org/{number}")).unwrap();
    for (number, name) in ["alpha", "beta", "gamma", "delta", "omega"].iter().enumerate() {
        let texts = vec![super::similar::sketch(&format!("{notice} {name}."))];
        let mut visit = Visit { key: key(number), time: 0, texts, places: vec![] };
        tree.insert(&mut visit);
        let view = tree.view(&visit.key);
        assert_eq!(view.count(view.domain(), visit.texts[0]), number as u32 + 1);
    }
}
