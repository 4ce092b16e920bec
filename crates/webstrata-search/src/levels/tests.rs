//! Levels against BM25 computed from the texts.

use proptest::prelude::*;

use super::*;
use crate::query::{Matching, Query};
use crate::ranks::Mix;
use crate::{Index, IndexOptions, WriterOptions};

/// The text of a page at a level.
fn text_at(entry: &Entry, level: &Level) -> String {
    let pieces = entry.pieces.iter();
    let text: Vec<&str> = match level {
        Level::Words(least) => pieces
            .filter(|piece| piece.words.clamp(1, MOST_WORDS) >= (*least).clamp(1, MOST_WORDS))
            .map(|piece| piece.text.as_str())
            .collect(),
        Level::Density(least) => pieces
            .filter(|piece| {
                piece.density.floor().clamp(1.0, 20.0) >= f64::from(*least).clamp(1.0, 20.0)
            })
            .map(|piece| piece.text.as_str())
            .collect(),
        Level::Text(name) => {
            let texts = entry.texts.iter().filter(|(other, _)| other == name);
            texts.map(|(_, text)| text.as_str()).collect()
        }
    };
    text.join("\n")
}

/// BM25 as the book has it, over plain texts: id and score of every page with any of the words.
fn naive(entries: &[Entry], level: &Level, words: &[&str]) -> Vec<(String, f64)> {
    let texts: Vec<Vec<String>> =
        entries.iter().map(|entry| tokens::words(&text_at(entry, level)).collect()).collect();
    let all = entries.len() as f64;
    let mean = texts.iter().map(Vec::len).sum::<usize>() as f64 / all;
    let mut found = Vec::new();
    for (entry, text) in entries.iter().zip(&texts) {
        let mut score = 0.0;
        for word in words {
            let count = text.iter().filter(|other| other == word).count() as f64;
            let with = texts.iter().filter(|text| text.iter().any(|other| other == word)).count();
            let idf = (1.0 + (all - with as f64 + 0.5) / (with as f64 + 0.5)).ln();
            let norm = 1.2 * (0.25 + 0.75 * text.len() as f64 / mean);
            if count > 0.0 {
                score += idf * 2.2 * count / (count + norm);
            }
        }
        if score > 0.0 {
            found.push((entry.id.clone(), score));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

fn check(index: &Index, entries: &[Entry], level: &Level, words: &[&str]) {
    let query = Query {
        level: Some(level.clone()),
        matching: Matching::Any,
        mix: Mix::text(),
        limit: 1000,
        ..Query::new(words.join(" "))
    };
    let hits = index.searcher().unwrap().search(&query).unwrap();
    let expect = naive(entries, level, words);
    assert_eq!(hits.total, expect.len() as u64, "{level:?} {words:?}");
    let mut scores: Vec<(String, f64)> =
        hits.hits.iter().map(|hit| (hit.id.clone(), f64::from(hit.score))).collect();
    assert!(scores.is_sorted_by(|a, b| a.1 >= b.1));
    scores.sort_by(|a, b| a.0.cmp(&b.0));
    let mut expect = expect;
    expect.sort_by(|a, b| a.0.cmp(&b.0));
    for ((id, score), (expect_id, expect)) in scores.iter().zip(&expect) {
        assert_eq!(id, expect_id, "{level:?} {words:?}");
        assert!((score - expect).abs() < 1e-4 * expect.max(1.0), "{id}: {score} is not {expect}");
    }
}

const WORDS: [&str; 6] = ["tide", "ferry", "noon", "学校", "the", "harbour"];

fn piece() -> impl Strategy<Value = Piece> {
    let text = proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..8);
    (0..130_u32, 0.0..25.0_f64, text).prop_map(|(words, density, text)| Piece {
        words,
        density,
        text: text.join(" "),
    })
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let pieces = proptest::collection::vec(piece(), 0..6);
    let other = proptest::option::of(piece());
    proptest::collection::vec((0..30_u8, pieces, other), 1..40).prop_map(|pages| {
        let entry = |(id, pieces, other): (u8, Vec<Piece>, Option<Piece>)| Entry {
            id: format!("page-{id}"),
            pieces,
            texts: other.into_iter().map(|piece| ("bte".to_owned(), piece.text)).collect(),
            ..Entry::default()
        };
        pages.into_iter().map(entry).collect()
    })
}

fn levels() -> impl Strategy<Value = Level> {
    prop_oneof![
        (0..120_u32).prop_map(Level::Words),
        (0..25_u32).prop_map(Level::Density),
        Just(Level::Text("bte".to_owned())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// With several segments and with pages that replace others.
    #[test]
    fn levels_are_scored_as_their_texts(
        entries in entries(),
        levels in proptest::collection::vec(levels(), 4),
        words in proptest::sample::subsequence(&WORDS[..], 1..4),
        commit in 1..40_u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let options = IndexOptions { levels: true, texts: vec!["readability".into(), "bte".into()] };
        let index = Index::create(folder.path(), &options).unwrap();
        let options = WriterOptions { commit_pages: commit, ..WriterOptions::default() };
        let mut writer = index.writer(&options).unwrap();
        let mut last: std::collections::BTreeMap<String, Entry> = std::collections::BTreeMap::new();
        for entry in &entries {
            writer.add(entry).unwrap();
            last.insert(entry.id.clone(), entry.clone());
        }
        writer.commit().unwrap();
        let last: Vec<Entry> = last.into_values().collect();
        for level in &levels {
            check(&index, &last, level, &words);
        }
    }
}

#[test]
fn many_pages_span_windows() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(folder.path(), &IndexOptions::default()).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    let mut entries = Vec::new();
    for page in 0..5_000_u32 {
        let mut pieces = Vec::new();
        for (at, word) in WORDS.iter().enumerate() {
            // Each word on other pages, some every few thousand.
            if page % [1, 3, 700, 1900, 2, 4900][at] == 0 {
                let words = page % 120 + at as u32;
                let text = [*word].repeat(1 + (page % 3) as usize).join(" ");
                pieces.push(Piece { words, density: f64::from(page % 23), text });
            }
        }
        entries.push(Entry { id: format!("{page:05}"), pieces, ..Entry::default() });
    }
    for entry in &entries {
        writer.add(entry).unwrap();
    }
    writer.finish().unwrap();
    for level in [Level::Words(1), Level::Words(60), Level::Density(1), Level::Density(15)] {
        // The answer is cut at 1,000 hits: rare words only.
        check(&index, &entries, &level, &["noon"]);
        check(&index, &entries, &level, &["学校", "harbour"]);
        let query = Query {
            level: Some(level.clone()),
            matching: Matching::All,
            mix: Mix::text(),
            ..Query::new("ferry noon")
        };
        let found = index.searcher().unwrap().search(&query).unwrap();
        let both = entries.iter().filter(|entry| {
            let text = text_at(entry, &level);
            text.contains("ferry") && text.contains("noon")
        });
        assert_eq!(found.total, both.count() as u64, "{level:?}");
    }
}

#[test]
fn an_index_without_levels_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let options = IndexOptions { levels: false, texts: Vec::new() };
    let index = Index::create(folder.path(), &options).unwrap();
    let query = Query { level: Some(Level::Words(10)), ..Query::new("tide") };
    let error = index.searcher().unwrap().search(&query).unwrap_err();
    assert!(error.to_string().contains("without levels"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(folder.path(), &IndexOptions::default()).unwrap();
    let query = Query { level: Some(Level::Text("bte".into())), ..Query::new("tide") };
    assert!(index.searcher().unwrap().search(&query).is_err());
}

#[test]
fn keys_are_ascii_and_in_order() {
    for words in 0..300 {
        let key = Key::words(words);
        assert!(key.chars().iter().all(char::is_ascii) && key.chars()[1] != END);
        assert!(key <= Key::words(words + 1));
        assert_eq!(Key::of_number(key.number()), key);
    }
    for density in [f64::NAN, -1.0, 0.0, 1.0, 19.9, 20.0, 1e300, f64::INFINITY] {
        assert!((1..=20).contains(&Key::density(density).value), "{density}");
    }
    assert_ne!(Key::text(0).kind, Key::words(1).kind);
}
