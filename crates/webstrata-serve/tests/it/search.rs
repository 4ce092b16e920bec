//! Search and facets in an index, also while it grows.

use std::path::Path;

use serde_json::{Value, json};
use webstrata_search::{
    Date, Entry, Facet, GENERAL, Index, IndexOptions, Piece, Ranks, WriterOptions,
};
use webstrata_serve::ServerSettings;

use crate::client::Server;
use crate::schema::Schemas;

fn entry(number: usize) -> Entry {
    let main = format!("The ferry number {number} leaves at noon <b>& returns</b> in the evening.");
    Entry {
        id: format!("https://harbour.example/{number}"),
        url: Some(format!("https://harbour.example/{number}")),
        title: format!("Ferry {number}"),
        boilerplate: "Imprint and jobs".into(),
        host: Some(
            if number.is_multiple_of(2) { "harbour.example" } else { "tides.example" }.into(),
        ),
        language: Some("en".into()),
        date: Date::parse(&format!("2026-{:02}-01", number % 12 + 1)),
        page_type: Some("article".into()),
        pieces: vec![
            Piece { words: 12, density: 9.0, text: main.clone() },
            Piece { words: 3, density: 1.0, text: "Imprint and jobs".into() },
        ],
        main,
        ..Entry::default()
    }
}

fn add(index: &Index, numbers: std::ops::Range<usize>) {
    let mut writer = index.writer(&WriterOptions::default()).expect("a writer");
    for number in numbers {
        writer.add(&entry(number)).expect("a page");
    }
    writer.finish().expect("a commit");
}

/// An index of twenty pages with ranks: the first half belongs to one topic, the other to another.
fn index(folder: &Path) -> Index {
    let index = Index::create(folder, &IndexOptions::default()).expect("an index");
    add(&index, 0..20);
    let mut ranks = Ranks::new();
    let half = |first: bool| -> Vec<f32> {
        (0..20).map(|page| if (page < 10) == first { 1.9 } else { 0.1 }).collect()
    };
    ranks.add(Facet::topic(GENERAL), &[1.0; 20]);
    ranks.add(Facet::topic("Top"), &[1.0; 20]);
    ranks.add(Facet::topic("Top/Sea"), &half(true));
    ranks.add(Facet::topic("Top/Land"), &half(false));
    index.write_ranks(&ranks).expect("ranks");
    index
}

fn serve(folder: &Path) -> Server {
    Server::with(ServerSettings { index: Some(folder.into()), ..ServerSettings::default() })
}

fn ids(answer: &Value) -> Vec<usize> {
    let hits = answer["hits"].as_array().expect("hits").iter();
    let id = |hit: &Value| hit["id"].as_str()?.rsplit('/').next()?.parse().ok();
    hits.map(|hit| id(hit).expect("a number")).collect()
}

#[test]
fn pages_are_found() {
    let folder = tempfile::tempdir().expect("a directory");
    let _index = index(folder.path());
    let server = serve(folder.path());
    let answer = server.get("/v1/search?q=ferry%20noon&limit=3").json();
    assert_eq!(answer["version"], 1);
    assert_eq!((&answer["total"], &answer["query"]), (&json!(20), &json!("ferry noon")));
    assert_eq!(answer["hits"].as_array().map(Vec::len), Some(3));
    let hit = &answer["hits"][0];
    let snippet = hit["snippet"].as_str().expect("a snippet");
    assert!(snippet.contains("<mark>ferry</mark>"), "{snippet}");
    assert!(snippet.contains("&lt;b&gt;&amp;") && !snippet.contains("<b>"), "{snippet}");
    let two = ids(&server.get("/v1/search?q=%22number+7%22").json());
    assert_eq!(two, [7]);
    let page = |offset: usize| {
        ids(&server.get(&format!("/v1/search?q=ferry&limit=5&offset={offset}")).json())
    };
    let all: Vec<usize> = [0, 5, 10, 15].into_iter().flat_map(page).collect();
    assert_eq!(all, ids(&server.get("/v1/search?q=ferry&limit=100").json()));
    assert_eq!(server.get("/v1/info").json()["index"], true);
}

#[test]
fn filters_levels_and_places() {
    let folder = tempfile::tempdir().expect("a directory");
    let _index = index(folder.path());
    let server = serve(folder.path());
    let total = |query: &str| server.get(&format!("/v1/search?{query}")).json()["total"].clone();
    assert_eq!(total("q=ferry&host=tides.example"), 10);
    assert_eq!(total("q=ferry&language=de"), 0);
    assert_eq!(total("q=ferry&type=article"), 20);
    assert_eq!(total("q=ferry&from=2026-12"), 1);
    assert_eq!(total("q=ferry&to=2026-01-31"), 2);
    assert_eq!(total("q=imprint"), 0);
    assert_eq!(total("q=imprint&in=boilerplate"), 20);
    assert_eq!(total("q=imprint&in=all"), 20);
    assert_eq!(total("q=imprint&min_words=1"), 20);
    assert_eq!(total("q=imprint&min_words=10"), 0);
    assert_eq!(total("q=ferry&min_density=9"), 20);
    assert_eq!(total("q=ferry&min_density=10"), 0);
}

#[test]
fn facets_order_and_are_suggested() {
    let folder = tempfile::tempdir().expect("a directory");
    let _index = index(folder.path());
    let server = serve(folder.path());
    let first_ten = |query: &str| {
        let found = ids(&server.get(&format!("/v1/search?q=ferry&limit=10&{query}")).json());
        found.iter().filter(|id| **id < 10).count()
    };
    assert_eq!(first_ten("facet=Top/Sea"), 10);
    assert_eq!(first_ten("facet=Top/Land"), 0);
    assert_eq!(first_ten("facet=Top/Sea^3&facet=Top/Land"), 10);
    let answer = server.get("/v1/search?q=ferry&facet=Top/Sea").json();
    let facets = answer["hits"][0]["facets"].as_array().expect("facets");
    assert!(facets.iter().any(|facet| facet["name"] == "Top/Sea"), "{facets:?}");
    let found = server.get("/v1/facets?q=ferry").json();
    let dimensions = found["dimensions"].as_array().expect("dimensions");
    let names: Vec<&str> = dimensions.iter().filter_map(|one| one["name"].as_str()).collect();
    for name in ["topic", "host", "language", "page type", "date"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(found["total"], 20);
    let few = server.get("/v1/facets?q=ferry&k=1&threshold=5&lambda=1&iterations=0");
    assert_eq!(few.status, 200);
}

#[test]
fn what_is_indexed_meanwhile_is_found() {
    let folder = tempfile::tempdir().expect("a directory");
    let index = index(folder.path());
    let server = serve(folder.path());
    let total = || server.get("/v1/search?q=ferry").json()["total"].clone();
    assert_eq!(total(), 20);
    add(&index, 20..30);
    assert_eq!(total(), 30);
    let mut ranks = Ranks::new();
    ranks.add(Facet::topic(GENERAL), &[1.0; 30]);
    ranks.add(Facet::topic("Top/New"), &[1.0; 30]);
    index.write_ranks(&ranks).expect("ranks");
    assert_eq!(server.get("/v1/search?q=ferry&facet=Top/New").status, 200);
    server.get("/v1/search?q=ferry&facet=Top/Sea").refusal(400);
}

#[test]
fn questions_that_are_wrong_are_told_why() {
    let folder = tempfile::tempdir().expect("a directory");
    let _index = index(folder.path());
    let server = serve(folder.path());
    let check = |path: &str, expect: &str| {
        let message = server.get(path).refusal(400);
        assert!(message.contains(expect), "{message}");
    };
    check("/v1/search?query=x", "unknown field `query`");
    check("/v1/search?limit=101", "`limit`: expected 100 or less");
    check("/v1/search?offset=1000000", "`offset`: expected 100000 or less");
    check("/v1/search?weight=-1", "`weight`: expected a number from 0 to 5");
    check("/v1/search?weight=NaN", "`weight`: expected a number from 0 to 5");
    check("/v1/search?facet=Top/See", "unknown facet `Top/See`, did you mean `Top/Sea`?");
    check("/v1/search?facet=Nowhere/At/All", "/v1/facets lists them");
    check("/v1/search?facet=Top/Sea^0", "expected a weight above 0");
    check("/v1/search?from=yesterday", "`from`: expected a day, month or year");
    check("/v1/search?min_words=0", "`min_words`: expected a number from 1 to 100");
    check("/v1/search?min_density=21", "`min_density`: expected a number from 1 to 20");
    check("/v1/search?min_words=1&min_density=1", "give one of them");
    check("/v1/search?in=footer", "unknown part of pages `footer`");
    check("/v1/facets?k=0", "`k`: expected a number from 1 to 1000");
    check("/v1/facets?lambda=2", "`lambda`: expected a number from 0.01 to 1");
    check("/v1/facets?iterations=6", "`iterations`: expected a number from 0 to 5");
    check("/v1/facets?limit=1", "unknown field `limit`");
    for query in
        ["q=", "", "q=%22", "q=-", "q=a:b:c", "q=%00", "q=%ff", "q=host:", "q=(a%20OR%20b)*~[]"]
    {
        assert_eq!(server.get(&format!("/v1/search?{query}")).status, 200, "{query}");
        assert_eq!(server.get(&format!("/v1/facets?{query}")).status, 200, "{query}");
    }
    let none = Server::start();
    assert!(none.get("/v1/search?q=x").refusal(404).contains("--index"));
    assert!(none.get("/v1/facets?q=x").refusal(404).contains("--index"));
}

#[test]
fn an_index_that_is_none_does_not_start() {
    let folder = tempfile::tempdir().expect("a directory");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let settings =
        ServerSettings { index: Some(folder.path().into()), ..ServerSettings::default() };
    let error = webstrata_serve::run(settings, listener).expect_err("no index");
    assert!(!error.to_string().is_empty());
}

#[test]
fn answers_are_as_described() {
    let folder = tempfile::tempdir().expect("a directory");
    let _index = index(folder.path());
    let server = serve(folder.path());
    let schemas = Schemas::of(&server);
    for (described, path) in [
        ("/v1/search", "/v1/search?q=ferry&facet=Top/Sea"),
        ("/v1/search", "/v1/search?q=nothing"),
        ("/v1/facets", "/v1/facets?q=ferry"),
        ("/v1/facets", "/v1/facets?q=nothing"),
    ] {
        let answer = server.get(path);
        let schema = schemas.answer("get", described, answer.status, "application/json");
        schemas.check(schema, &answer.json(), path).expect("a described answer");
    }
}
