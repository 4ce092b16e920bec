use proptest::prelude::*;
use webstrata_base::random::Random;

use super::*;
use crate::similarity::Sketch;

/// All kept pages, each compared with each that comes.
struct Oracle {
    needed: usize,
    kept: Vec<(String, Fingerprint)>,
}

impl Oracle {
    fn new(settings: SimilarityOptions) -> Oracle {
        Oracle { needed: settings.needed(), kept: Vec::new() }
    }

    fn add(&mut self, name: &str, print: &Fingerprint) -> Option<(String, f64)> {
        let all = self.kept.iter().map(|(name, kept)| (name, kept.shared(print)));
        // Of the equal ones, `max_by_key` takes the last.
        let best = all.rev().filter(|(_, shared)| *shared >= self.needed).max_by_key(|best| best.1);
        let all = print.hashes().len() as f64;
        let best = best.map(|(name, shared)| (name.clone(), shared as f64 / all));
        if best.is_none() {
            self.kept.push((name.to_owned(), print.clone()));
        }
        best
    }
}

fn owned(decision: Decision<'_>) -> Option<(String, f64)> {
    match decision {
        Decision::Kept => None,
        Decision::Duplicate { of, similarity } => Some((of.to_owned(), similarity)),
    }
}

/// Texts of which many share runs of words: a few sentences in any order.
fn texts(count: usize, sentences: usize, random: &mut Random) -> Vec<String> {
    let sentence = |number: usize| {
        (0..12).map(|word| format!("w{} ", (number * 31 + word * word) % 997)).collect::<String>()
    };
    (0..count).map(|_| (0..5).map(|_| sentence(random.below(sentences))).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_overlooked(
        hashes in 1..40usize, share in 0.05..=1.0, sentences in 1..60usize, seed: u64,
    ) {
        let settings = SimilarityOptions::new(6, hashes, share).unwrap();
        let sketch = Sketch::new(settings);
        let mut oracle = Oracle::new(settings);
        let mut index = Index::new(settings, usize::MAX);
        for (page, text) in texts(300, sentences, &mut Random::new(seed)).iter().enumerate() {
            let print = sketch.text(text).unwrap();
            let (name, print) = (format!("page {page}"), &print);
            prop_assert_eq!(owned(index.add(&name, print)), oracle.add(&name, print));
        }
        prop_assert_eq!(index.tally().kept, oracle.kept.len() as u64);
        prop_assert_eq!(index.tally().cut, 0);
    }
}

fn unrelated(count: usize) -> impl Iterator<Item = (String, Fingerprint)> {
    let sketch = Sketch::new(SimilarityOptions::default());
    (0..count).map(move |page| {
        let text: String = (0..20).map(|word| format!("{page}x{word} ")).collect();
        (format!("page {page}"), sketch.text(&text).unwrap())
    })
}

#[test]
fn tables_grow_and_forget_nothing() {
    let mut index = Index::new(SimilarityOptions::default(), usize::MAX);
    for (name, print) in unrelated(5000) {
        assert_eq!(index.add(&name, &print), Decision::Kept);
    }
    for (name, print) in unrelated(5000) {
        assert_eq!(index.add("again", &print), Decision::Duplicate { of: &name, similarity: 1.0 });
    }
    let wanted = Tally { kept: 5000, duplicates: 5000, ..Tally::default() };
    assert_eq!(index.tally(), wanted);
    // What the head of this file says: 16 numbers a page, at most 14 in the tables, and the name.
    let names = 5000 * "page 1234".len();
    assert!(index.bytes() < 5120 * 4 * 16 + 4 * 7 * 8192 + names + 8192, "{}", index.bytes());
}

#[test]
fn the_oldest_leave_where_the_memory_is_full() {
    let memory = 400_000;
    let mut index = Index::new(SimilarityOptions::default(), memory);
    for (name, print) in unrelated(20_000) {
        assert_eq!(index.add(&name, &print), Decision::Kept);
        // The names of the block that is being filled are not known beforehand.
        assert!(index.bytes() <= memory + 16 * BLOCK);
    }
    let Tally { kept, forgotten, .. } = index.tally();
    assert_eq!(kept, 20_000);
    assert_eq!(index.len() as u64, kept - forgotten);
    assert!(index.len() > 2500, "{}", index.len());
    let remembered: Vec<bool> =
        unrelated(20_000).map(|(_, print)| index.find(print.hashes()).is_some()).collect();
    assert_eq!(remembered.iter().filter(|it| **it).count(), index.len());
    assert!(remembered.is_sorted());
}

#[test]
fn too_little_memory_still_holds_the_last_pages() {
    let mut index = Index::new(SimilarityOptions::default(), 0);
    unrelated(3000).for_each(|(name, print)| assert_eq!(index.add(&name, &print), Decision::Kept));
    assert_eq!(index.len(), 3000 - 2048);
    let (name, print) = unrelated(3000).last().unwrap();
    assert_eq!(index.add("again", &print), Decision::Duplicate { of: &name, similarity: 1.0 });
}

#[test]
fn numbers_of_pages_begin_anew() {
    let mut index = Index::new(SimilarityOptions::default(), usize::MAX);
    index.first = u32::MAX - 3 * BLOCK as u32;
    unrelated(4000).for_each(|(name, print)| assert_eq!(index.add(&name, &print), Decision::Kept));
    assert!(index.first < 5000 && index.tally().forgotten > 0);
    let (name, print) = unrelated(4000).last().unwrap();
    assert_eq!(index.add("again", &print), Decision::Duplicate { of: &name, similarity: 1.0 });
}

#[test]
fn full_buckets_are_cut_and_counted() {
    // A sentence that all pages have, and texts of their own that are longer.
    let settings = SimilarityOptions::sharp();
    let sketch = Sketch::new(settings);
    let text = |page: usize| {
        let own: String = (0..40).map(|word| format!("{page}x{word} ")).collect();
        let notice = "we use cookies to give you the best experience on our site and to show you what we \
                      think you should buy, and so do our four hundred trusted partners";
        format!("{notice} {own}")
    };
    let mut index = Index::new(settings, usize::MAX).with_bucket(10);
    let mut kept = 0;
    for page in 0..2000 {
        kept +=
            usize::from(index.add("page", &sketch.text(&text(page)).unwrap()) == Decision::Kept);
    }
    assert!(kept > 1900, "{kept}");
    assert!(index.tally().cut > 100, "{:?}", index.tally());
    // The other bands lead to the page all the same.
    let found =
        (0..2000).filter(|page| index.find(sketch.text(&text(*page)).unwrap().hashes()).is_some());
    assert!(found.count() > 1900);
}
