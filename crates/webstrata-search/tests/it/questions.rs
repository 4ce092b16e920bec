//! Questions and answers.

use proptest::prelude::*;
use webstrata_search::{
    Date, Entry, Facet, Filters, GENERAL, Index, IndexOptions, Level, Matching, Mix, Piece, Query,
    Ranks, Within, WriterOptions,
};

use crate::index::{ids, index_of, page};

fn pages() -> Vec<Entry> {
    vec![
        Entry {
            host: Some("www.example.org".into()),
            language: Some("en".into()),
            date: Date::parse("2026-03-04"),
            page_type: Some("article".into()),
            boilerplate: "Imprint Jobs and bus tickets\n".into(),
            pieces: vec![
                Piece {
                    words: 20,
                    density: 12.0,
                    text: "every hour a ferry goes to two islands".into(),
                },
                Piece { words: 4, density: 4.0, text: "Imprint Jobs bus tickets".into() },
            ],
            ..page(
                "https://www.example.org/ferry",
                "An hourly ferry",
                "every hour a ferry goes to two islands",
            )
        },
        Entry {
            host: Some("example.com".into()),
            language: Some("pt-br".into()),
            date: Date::parse("2025-12"),
            page_type: Some("forum".into()),
            ..page(
                "https://example.com/bus",
                "The bus",
                "the bus stops at the ferry, not on islands two",
            )
        },
        page("notes", "学校", "我们在北京大学学习"),
    ]
}

fn check(index: &Index, text: &str, expect: &[&str]) {
    let query = Query { matching: Matching::All, ..Query::new(text) };
    let mut found = ids(index, &query);
    found.sort();
    assert_eq!(found, expect, "{text}");
}

const FERRY: &str = "https://www.example.org/ferry";
const BUS: &str = "https://example.com/bus";

#[test]
fn the_language_of_questions() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &pages());
    check(&index, "ferry", &[BUS, FERRY]);
    check(&index, "Ferry hourly", &[FERRY]);
    check(&index, "ferry -bus", &[FERRY]);
    check(&index, "\"two islands\"", &[FERRY]);
    check(&index, "two islands", &[BUS, FERRY]);
    check(&index, "title:ferry", &[FERRY]);
    check(&index, "title:\"the bus\"", &[BUS]);
    check(&index, "boilerplate:bus", &[FERRY]);
    check(&index, "host:example.org", &[FERRY]);
    check(&index, "host:www.example.org", &[FERRY]);
    check(&index, "ferry -host:example.org", &[BUS]);
    check(&index, "language:pt", &[BUS]);
    check(&index, "language:pt-br", &[BUS]);
    check(&index, "type:article ferry", &[FERRY]);
    check(&index, "url:ferry", &[FERRY]);
    check(&index, "北京大学", &["notes"]);
    check(&index, "学习 学校", &["notes"]);
    check(&index, "", &[BUS, FERRY, "notes"]);
    check(&index, "-ferry", &["notes"]);
    check(&index, "ferry absent", &[]);
}

#[test]
fn any_word_will_do_where_no_page_has_all() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &pages());
    let hits = index.searcher().unwrap().search(&Query::new("hourly absent")).unwrap();
    assert!(hits.relaxed && hits.total == 1);
    let hits = index.searcher().unwrap().search(&Query::new("hourly bus absent")).unwrap();
    assert!(hits.relaxed && hits.total == 2);
    let hits = index.searcher().unwrap().search(&Query::new("hourly ferry")).unwrap();
    assert!(!hits.relaxed && hits.total == 1);
    let any = Query { matching: Matching::Any, ..Query::new("hourly bus -islands") };
    assert_eq!(ids(&index, &any), [""; 0]);
}

#[test]
fn filters_and_places() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &pages());
    let check = |filters: Filters, expect: &[&str]| {
        let mut found = ids(&index, &Query { filters: filters.clone(), ..Query::new("") });
        found.sort();
        assert_eq!(found, expect, "{filters:?}");
    };
    let none = Filters::default;
    check(Filters { host: Some("Example.org".into()), ..none() }, &[FERRY]);
    check(Filters { host: Some("org".into()), ..none() }, &[FERRY]);
    check(Filters { host: Some("ample.org".into()), ..none() }, &[]);
    check(Filters { language: Some("pt".into()), ..none() }, &[BUS]);
    check(Filters { page_type: Some("forum".into()), ..none() }, &[BUS]);
    check(Filters { from: Date::parse("2026"), ..none() }, &[FERRY]);
    check(Filters { from: Date::parse("2025-12-01"), ..none() }, &[BUS, FERRY]);
    check(Filters { to: Date::parse("2025-12"), ..none() }, &[BUS]);
    check(
        Filters { from: Date::parse("2026-03-04"), to: Date::parse("2026-03-04"), ..none() },
        &[FERRY],
    );

    let within = |within: Within, text: &str| ids(&index, &Query { within, ..Query::new(text) });
    assert_eq!(within(Within::Main, "tickets"), [""; 0]);
    assert_eq!(within(Within::Boilerplate, "tickets"), [FERRY]);
    assert_eq!(within(Within::All, "bus"), [BUS, FERRY]);
    let level = |least: u32| {
        let query = Query { level: Some(Level::Words(least)), ..Query::new("tickets") };
        index.searcher().unwrap().search(&query).unwrap()
    };
    assert_eq!(level(1).hits[0].snippet.html(), "Imprint Jobs and bus <mark>tickets</mark>");
    assert_eq!(level(5).total, 0);
    let phrase = |least: u32, text: &str| {
        ids(&index, &Query { level: Some(Level::Words(least)), ..Query::new(text) })
    };
    assert_eq!(phrase(10, "\"two islands\""), [FERRY]);
    assert_eq!(phrase(10, "\"islands two\""), [""; 0]);
}

#[test]
fn ranks_order_what_texts_say_alike() {
    let folder = tempfile::tempdir().unwrap();
    let same: Vec<Entry> =
        (0..30).map(|n| page(&format!("p{n:02}"), "Tides", "high water")).collect();
    let index = index_of(folder.path(), &same);
    let importance: Vec<f32> = (0..30).map(|n| 1.0 + (n * 7 % 30) as f32).collect();
    let arts: Vec<f32> = (0..20).map(|n| if n == 3 { 5.0 } else { 0.0 }).collect();
    let mut ranks = Ranks::new();
    ranks.add(Facet::topic(GENERAL), &importance);
    ranks.add(Facet::topic("Top/Arts"), &arts);
    index.write_ranks(&ranks).unwrap();
    let searcher = index.searcher().unwrap();
    let hits = searcher.search(&Query { limit: 30, ..Query::new("water") }).unwrap();
    assert_eq!((hits.total, hits.hits.len()), (30, 30));
    for pair in hits.hits.windows(2) {
        assert!(pair[0].rank >= pair[1].rank && pair[0].text_score == pair[1].text_score);
    }
    for hit in &hits.hits {
        assert_eq!(hit.score, hit.text_score * hit.rank);
        assert_eq!(hit.rank, ranks.rank(0, hit.number));
    }
    let text = searcher.search(&Query { mix: Mix::text(), ..Query::new("water") }).unwrap();
    assert!(text.hits.iter().all(|hit| hit.score == hit.text_score));
    let arts = Query { mix: Mix::facet("Top/Arts"), ..Query::new("water") };
    assert_eq!(searcher.search(&arts).unwrap().hits[0].id, "p03");
    assert!(searcher.search(&Query { mix: Mix::facet("Top/Nothing"), ..arts }).is_err());

    let mixes = [Mix::default(), Mix::facet("Top/Arts"), Mix::text()];
    let tops = searcher.tops(&Query::new("water"), &mixes, 5).unwrap();
    assert_eq!((tops.total, tops.lists.len()), (30, 3));
    for (mix, list) in mixes.iter().zip(&tops.lists) {
        let alone =
            searcher.search(&Query { mix: mix.clone(), limit: 5, ..Query::new("tides water") });
        let numbers: Vec<u64> = alone.unwrap().hits.iter().map(|hit| hit.number).collect();
        assert_eq!(list.iter().map(|top| top.number).collect::<Vec<_>>(), numbers, "{mix:?}");
    }
}

#[test]
fn pages_of_answers_are_neither_lost_nor_twice() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(folder.path(), &IndexOptions::default()).unwrap();
    let options = WriterOptions { commit_pages: 13, ..WriterOptions::default() };
    let mut writer = index.writer(&options).unwrap();
    for n in 0..60 {
        writer.add(&page(&format!("p{n}"), "Tides", "high water")).unwrap();
    }
    writer.finish().unwrap();
    for mix in [Mix::text(), Mix::default()] {
        for text in ["water", "high water"] {
            let mut all = Vec::new();
            for offset in (0..70).step_by(7) {
                all.extend(ids(
                    &index,
                    &Query { mix: mix.clone(), offset, limit: 7, ..Query::new(text) },
                ));
            }
            assert_eq!(all.len(), 60);
            all.sort();
            all.dedup();
            assert_eq!(all.len(), 60, "{text} {mix:?}");
        }
    }
    let far = Query { offset: 100_000, limit: usize::MAX, ..Query::new("water") };
    assert!(ids(&index, &far).is_empty());
    let none =
        index.searcher().unwrap().search(&Query { limit: 0, ..Query::new("water") }).unwrap();
    assert_eq!((none.total, none.hits.len()), (60, 0));
}

#[test]
fn attributes_are_read_without_pages() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &pages());
    let searcher = index.searcher().unwrap();
    let tops = searcher.tops(&Query::new("title:bus"), &[Mix::text()], 10).unwrap();
    let attributes = searcher.attributes(&tops.lists[0]).unwrap();
    assert_eq!(attributes[0].host.as_deref(), Some("example.com"));
    assert_eq!(attributes[0].language.as_deref(), Some("pt"));
    assert_eq!(attributes[0].page_type.as_deref(), Some("forum"));
    assert_eq!(attributes[0].date, Date::parse("2025-12"));
}

#[test]
fn any_question_has_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &pages());
    let searcher = index.searcher().unwrap();
    let levels =
        prop_oneof![Just(None), Just(Some(Level::Words(5))), Just(Some(Level::Density(5)))];
    proptest!(|(text in "([-:\"a-z 学校]|title:|host:|ferry|bus|.){0,30}", level in levels, within in 0..3_usize)| {
        let within = Within::ALL[within].0;
        let query = Query { level, within, ..Query::new(text) };
        let hits = searcher.search(&query).unwrap();
        prop_assert!(hits.hits.len() as u64 <= hits.total);
    });
}
