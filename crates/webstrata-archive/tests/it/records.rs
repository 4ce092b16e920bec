//! Records of pages against their schema and their description.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use webstrata::output::RecordPart;
use webstrata::{Document, Request};
use webstrata_archive::export::Row;
use webstrata_archive::record::{ChunkPlace, Filters, Making, NoRecord, Origin, PageRecord};
use webstrata_archive::schema::record_schema;
use webstrata_archive::{Arrival, Limits, Source};

use crate::json_schema::check;
use crate::writing;

/// A page that says everything about itself.
const PAGE: &str = "<!doctype html><html lang=en><head><title>Tides | The Harbour Post</title>\
    <meta property=og:site_name content='The Harbour Post'><meta name=author content='Jane Doe'>\
    <meta property=article:published_time content=2025-09-04><meta property=article:modified_time content=2025-09-05>\
    <link rel=canonical href=https://harbour.example/t><meta property=og:image content=/i.png>\
    <meta name=keywords content='tide, sea'><meta name=description content='All tides'>\
    <link rel=license href=/licence></head><body><nav><a href=/a rel=nofollow>Home</a></nav><h1>Tides</h1>\
    <p>High water is at noon today, the harbour office says, and the ferry to the islands leaves an hour earlier \
    than it does on other days of the week, so that all who want to go there should be at the quay in time.</p>\
    <p>Low water follows in the evening, when the boats that came in with the tide will lie on the sand until \
    morning, and <a href=/walks>walks</a> over the mudflats are safe for two hours and no longer than that.</p>";

fn read(path: PathBuf) -> Arrival {
    Source::open(&[path], Limits::default()).next().unwrap().unwrap()
}

fn make(arrival: &Arrival, filters: &Filters) -> Result<PageRecord, NoRecord> {
    let mut request = Request::default();
    request.parts = RecordPart::ALL.to_vec();
    let making = Making { request: &request, filters };
    making.make(arrival, &arrival.bytes, |bytes, _, options| request.extract_with(bytes, options))
}

fn from_folder() -> PageRecord {
    let folder = tempfile::tempdir().unwrap();
    make(&read(writing::write(&folder, "tides.html", PAGE.as_bytes())), &Filters::default())
        .unwrap()
}

fn from_archive() -> PageRecord {
    let folder = tempfile::tempdir().unwrap();
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}");
    let record = writing::response("https://harbour.example/t", answer.as_bytes());
    let path = writing::write(&folder, "crawl.warc.gz", &writing::gzip(&record));
    make(&read(path), &Filters::default()).unwrap()
}

fn from_stream() -> PageRecord {
    let record = from_archive().record;
    let text = |text: &str| Some(text.to_owned());
    let origin = Origin {
        sequence: Some(42),
        site: text("harbour"),
        feed: text("https://harbour.example/feed"),
        url_key: text("example/harbour/t"),
        request_url: text("https://harbour.example/t?from=feed"),
        response_url: text("https://harbour.example/t"),
        published: text("2026-11-15T08:00:00Z"),
        claimed: text("2999-11-15T08:00:00Z"),
        fetched: text("2026-11-15T08:00:00Z"),
        item_title: text("Tides"),
        truncated: true,
        ..Origin::default()
    };
    PageRecord::of_stream(record, &Document::default(), origin)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schema in the repository is that of the type. `WEBSTRATA_BLESS=1` writes it.
#[test]
fn the_schema_is_up_to_date() {
    let path = repository().join("docs/record.schema.json");
    let schema = serde_json::to_string_pretty(&record_schema()).unwrap() + "\n";
    if std::env::var_os("WEBSTRATA_BLESS").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == schema,
        "docs/record.schema.json is old; run this test with WEBSTRATA_BLESS=1"
    );
}

#[test]
fn records_are_as_the_schema_says() {
    let schema = record_schema();
    let mut seen = BTreeSet::new();
    let place = ChunkPlace {
        page: "a".into(),
        number: 1,
        start: 2,
        end: 3,
        headings: vec!["Tides".into()],
    };
    let piece = PageRecord { chunk: Some(place), ..from_archive() };
    for record in [from_folder(), from_archive(), from_stream(), piece] {
        let line = record.to_line().unwrap();
        assert_eq!(PageRecord::from_line(&line).unwrap(), record);
        let json: Value = serde_json::from_slice(&line).unwrap();
        check(&schema, &schema, &json, "record").unwrap();
        seen.extend(json.as_object().unwrap().keys().cloned());
    }
    // Every field that is described is one that a record can have.
    let rare: BTreeSet<&str> = ["within"].into();
    let described = schema["properties"].as_object().unwrap().keys();
    let missing: BTreeSet<&str> =
        described.map(String::as_str).filter(|name| !seen.contains(*name)).collect();
    assert_eq!(missing, rare);
}

/// The check sees what is wrong.
#[test]
fn other_shapes_are_refused() {
    let schema = record_schema();
    let good = serde_json::to_value(from_archive()).unwrap();
    let refused = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut json = good.clone();
        change(json.as_object_mut().unwrap());
        check(&schema, &schema, &json, "record").unwrap_err()
    };
    assert_eq!(refused(&|json| drop(json.remove("text"))), "record: has no `text`");
    assert!(refused(&|json| drop(json.insert("date".into(), "x".into()))).contains("record.date"));
    assert!(refused(&|json| drop(json.insert("digest".into(), Value::Null))).contains("digest"));
    assert!(refused(&|json| json["page_type"] = "poem".into()).contains("page_type"));
    assert!(refused(&|json| json["links"][0]["url"] = 7.into()).contains("record.links[0].url"));
    assert!(refused(&|json| json["blocks"][0]["counts"]["words"] = 0.5.into()).contains("words"));
}

/// `docs/record.md` has a row for every field, and for no other.
#[test]
fn every_field_is_described() {
    let text = std::fs::read_to_string(repository().join("docs/record.md")).unwrap();
    // The table of a post's own fields follows the one that has `posts`.
    let (before, rest) = text.split_once("\nA post:\n").unwrap();
    let after = rest.split_once("\n## ").unwrap().1;
    let lines = before.lines().chain(after.lines());
    let rows = lines.filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let described: BTreeSet<&str> = rows.map(|(name, _)| name).collect();
    let schema = record_schema();
    let fields = schema["properties"].as_object().unwrap().keys();
    assert_eq!(described, fields.map(String::as_str).collect());
}

/// Columns of tables have the names of fields.
#[test]
fn columns_are_fields() {
    let schema = record_schema();
    let fields = schema["properties"].as_object().unwrap();
    let columns = PageRecord::COLUMNS.iter().chain(PageRecord::STREAM_COLUMNS);
    let names: BTreeSet<&str> = columns.map(|(name, _)| *name).collect();
    for name in &names {
        assert!(fields.contains_key(*name), "{name}");
    }
    // What is no column: the version, and what is a list or only there on request.
    let others = fields.keys().map(String::as_str).filter(|name| !names.contains(name));
    let lists = ["blocks", "chunk", "html", "links", "markdown", "metadata", "posts", "version"];
    assert_eq!(others.collect::<Vec<_>>(), lists);
}

#[test]
fn pages_without_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let page = read(writing::write(&folder, "tides.html", PAGE.as_bytes()));
    let made = |min_words: u32, languages: &[&str]| {
        let languages = languages.iter().map(|code| (*code).to_owned()).collect();
        make(&page, &Filters { min_words, languages }).map(|made| made.text_language)
    };
    assert_eq!(made(20, &["de", "en"]), Ok(Some("en".into())));
    assert_eq!(made(2_000, &["en"]), Err(NoRecord::Filtered("min-words")));
    assert_eq!(made(2_000, &["de"]), Err(NoRecord::Filtered("language")));
    let image = Arrival { bytes: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), ..page.clone() };
    assert!(matches!(make(&image, &Filters::default()), Err(NoRecord::NotAPage(_))));
    assert_eq!(Filters::language(" EN"), Ok("en".into()));
    assert!(Filters::language("german").is_err());
}
