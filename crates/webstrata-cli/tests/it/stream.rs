//! `webstrata stream`: feeds in, records out.

use std::fs;
use std::path::Path;
use std::time::Duration;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::Value;
use webstrata_feeds::store::{Change, Store};

use crate::server::{Routes, Server};
use crate::site::{Site, TIDES};

const FEED: &str = r#"<rss version="2.0"><channel><title>Harbour</title>
  <item><title>High water</title><link>/tides</link><description>Later</description>
    <pubDate>Sun, 01 Nov 2026 08:00:00 GMT</pubDate></item>
  <item><title>Tomorrow's news</title><link>/tomorrow</link>
    <pubDate>Fri, 01 Nov 2999 08:00:00 GMT</pubDate></item>
  <item><title>Nothing</title><link>/nothing</link></item>
  <item><title>High water, again</title><link>/moved</link></item>
</channel></rss>"#;

fn harbour() -> Server {
    let html: &[&str] = &["Content-Type: text/html; charset=utf-8"];
    Server::start(
        Routes::new()
            .on("/feed", |request, wire| match request.field("If-None-Match") {
                Some("\"1\"") => wire.answer("304 Not Modified", &["ETag: \"1\""], b""),
                _ => wire.answer("200 OK", &["ETag: \"1\""], FEED.as_bytes()),
            })
            .on("/tides", move |_, wire| wire.answer("200 OK", html, TIDES.as_bytes()))
            .on("/moved", |_, wire| wire.redirect("302 Found", "/tides"))
            .on("/tomorrow", move |_, wire| {
                let page = TIDES.replace("half an hour", "an hour");
                wire.answer("200 OK", html, page.as_bytes())
            }),
    )
}

fn feeds(server: &Server) -> String {
    format!(
        "[fetch]\nallow = [\"127.0.0.1/32\"]\nhost-delay = \"0s\"\nrespect-robots = false\n\
         [[site]]\nname = \"harbour\"\nfeeds = [\"{}\"]\n",
        server.url("/feed")
    )
}

/// All lines of the output, in the order of their numbers.
pub(crate) fn records(site: &Site, folder: &str) -> Vec<Value> {
    let mut files: Vec<_> = fs::read_dir(site.path().join(folder))
        .map(|files| files.map(|file| file.unwrap().path()).collect())
        .unwrap_or_default();
    files.sort();
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn status(site: &Site) -> Value {
    serde_json::from_str(&site.stdout("stream status store --format json")).unwrap()
}

#[test]
fn each_page_comes_once() {
    let server = harbour();
    let site = Site::new(&[("feeds.toml", &feeds(&server))]);
    let run = "stream run feeds.toml --store store --once --quiet";
    site.stdout(run);
    let found = records(&site, "store/records");
    let titles: Vec<&str> = found.iter().map(|one| one["item_title"].as_str().unwrap()).collect();
    // The two with one page: whichever came first.
    assert_eq!(titles.len(), 2, "{titles:?}");
    assert!(titles.contains(&"Tomorrow's news"), "{titles:?}");
    for one in &found {
        assert_eq!(one["version"], 2);
        assert_eq!(one["site"], "harbour");
        assert!(one["text"].as_str().unwrap().contains("second table"));
        let claimed = one["claimed"].as_str();
        assert_eq!(claimed.is_some(), one["item_title"] == "Tomorrow's news");
        assert_ne!(one["published"], "2999-11-01T08:00:00Z");
    }
    let numbers: Vec<u64> = found.iter().map(|one| one["sequence"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2]);
    let before = status(&site);
    let harbour = &before["sites"]["harbour"];
    assert_eq!((&harbour["pages"], &harbour["duplicates"]), (&2.into(), &1.into()));
    assert_eq!(harbour["errors"], serde_json::json!({"status-404": 1}));
    assert_eq!((&harbour["lost"], &harbour["future"]), (&1.into(), &1.into()));

    // Nothing is new: the feed is asked, no page is.
    let pages = server.requests().len();
    site.stdout(run);
    assert_eq!(server.requests().len(), pages + 1);
    assert_eq!(records(&site, "store/records"), found);
    assert_eq!(status(&site)["sites"]["harbour"]["unchanged"], 1);
    assert_eq!(site.stdout("stream export store").lines().count(), 2);
}

fn rows(site: &Site, path: &str) -> Vec<Row> {
    let file = fs::File::open(site.path().join(path)).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect()
}

/// A cell of a table as JSON.
fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(flag) => (*flag).into(),
        Field::Int(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::Float(number) => (*number).into(),
        Field::Str(text) => text.as_str().into(),
        other => panic!("{other:?}"),
    }
}

/// What an earlier release stored is written in the shape of this one.
#[test]
fn records_of_version_1_are_exported() {
    let site = Site::new(&[]);
    let line = r#"{"version":1,"title":"Tides","text":"High water.\n","language":"en","url":"https://harbour.example/t","encoding":"UTF-8","extractor":"strata+site","confidence":0.5,"words":2,"page_words":9,"limits":[],"stream":{"sequence":1,"site":"harbour","feed":"https://harbour.example/feed","url_key":null,"request_url":"https://harbour.example/1","response_url":"https://harbour.example/t","title":"High water","published":"2026-11-01T08:00:00Z","fetched":"2026-11-01T09:00:00Z","truncated":true}}"#;
    let mut store = Store::open(&site.path().join("store")).unwrap();
    store.commit(&[Change::Output { sequence: 1, time: 0, record: line.into() }]).unwrap();
    drop(store);
    let written: Value = serde_json::from_str(&site.stdout("stream export store")).unwrap();
    let expected = serde_json::json!({"id": "1", "version": 2, "title": "Tides", "text": "High water.\n",
        "language": "en", "url": "https://harbour.example/t", "encoding": "UTF-8",
        "extractor": "strata+site", "confidence": 0.5, "words": 2, "page_words": 9, "limits": [], "sequence": 1,
        "site": "harbour", "feed": "https://harbour.example/feed",
        "request_url": "https://harbour.example/1", "response_url": "https://harbour.example/t",
        "item_title": "High water", "published": "2026-11-01T08:00:00Z", "fetched": "2026-11-01T09:00:00Z",
        "truncated": true});
    assert_eq!(written, expected);
    site.stdout("stream export store --output all.parquet");
    let rows = rows(&site, "all.parquet");
    let cells: Vec<_> = rows[0].get_column_iter().collect();
    let cell = |name: &str| json(cells.iter().find(|(column, _)| *column == name).unwrap().1);
    for name in
        ["id", "sequence", "site", "response_url", "item_title", "fetched", "truncated", "text"]
    {
        assert_eq!(cell(name), expected[name], "{name}");
    }
}

#[test]
fn tables_have_what_lines_have() {
    let server = harbour();
    let site = Site::new(&[("feeds.toml", &feeds(&server))]);
    site.stdout("stream run feeds.toml --store store --once --quiet");
    let lines = site.stdout("stream export store");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    site.stdout("stream export store --output all.parquet");
    let rows = rows(&site, "all.parquet");
    assert_eq!((rows.len(), lines.len()), (2, 2));
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/record.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    for (row, line) in rows.iter().zip(&lines) {
        let described = |name: &String| schema["properties"].get(name).is_some();
        assert!(line.as_object().unwrap().keys().all(described), "{line}");
        for (column, field) in row.get_column_iter() {
            let expected = match column.as_str() {
                "truncated" => &Value::Bool(false),
                // No page ran into a limit.
                "limits" => &Value::String(String::new()),
                _ => &line[column.as_str()],
            };
            let found = json(field);
            match (found.as_f64(), expected.as_f64()) {
                (Some(found), Some(expected)) => {
                    assert!((found - expected).abs() < 1e-6, "{column}: {found} {expected}");
                }
                _ => assert_eq!(&found, expected, "{column}"),
            }
        }
    }
    let names: Vec<&str> = rows[0].get_column_iter().map(|(name, _)| name.as_str()).collect();
    insta::assert_snapshot!(names.join(" "));

    let rest = site.output("stream export store --from 2 --format parquet");
    site.file("rest.parquet", rest.stdout);
    assert_eq!(self::rows(&site, "rest.parquet"), rows[1..]);
    assert_eq!(site.output("stream export store --from 3 -f parquet").status.code(), Some(1));
}

#[test]
fn to_stdout_and_then_into_files() {
    let server = harbour();
    let site = Site::new(&[("feeds.toml", &feeds(&server))]);
    let lines = site.stdout("stream run feeds.toml --store store --once --quiet --out -");
    assert_eq!(lines.lines().count(), 2);
    // What one output has got does not go to the next.
    site.stdout("stream run feeds.toml --store store --once --quiet --out files");
    assert_eq!(records(&site, "files").len(), 0);
}

#[test]
fn archives_beside_the_records() {
    let server = harbour();
    let site = Site::new(&[("feeds.toml", &feeds(&server))]);
    let run = "stream run feeds.toml --store store --once --quiet --warc archive";
    site.stdout(run);
    site.stdout(run);
    let pages = site.stdout("extract archive/stream-00000.warc.gz");
    // The page that two items lead to was fetched twice.
    assert_eq!(pages.lines().count(), 3);
}

#[cfg(unix)]
#[test]
fn asked_to_end_it_ends_well() {
    let server = harbour();
    let site = Site::new(&[("feeds.toml", &feeds(&server))]);
    for signal in ["-TERM", "-INT"] {
        let mut child =
            site.command("stream run feeds.toml --store store --quiet").spawn().unwrap();
        let id = child.id().to_string();
        let mut looks = 0;
        while records(&site, "store/records").len() < 2 && looks < 500 {
            std::thread::sleep(Duration::from_millis(20));
            looks += 1;
        }
        // Where it was there before, wait until signals are heard: when the status says so.
        while !status_says_running(&site) && looks < 1000 {
            std::thread::sleep(Duration::from_millis(20));
            looks += 1;
        }
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(status(&site)["running"], false);
    }
    assert_eq!(records(&site, "store/records").len(), 2);
}

fn status_says_running(site: &Site) -> bool {
    let read = fs::read(site.path().join("store/status.json")).ok();
    let status = read.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    status.is_some_and(|status| status["running"] == true)
}

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[
        ("empty.toml", ""),
        ("wrong.toml", "[stream]\njobs = 0\n[[site]]\nfeeds = [\"https://example.org/rss\"]\n"),
        ("typo.toml", "[[site]]\nfeed = [\"https://example.org/rss\"]\n"),
        ("good.toml", "[[site]]\nfeeds = [\"http://127.0.0.1:9/rss\"]\n"),
        ("private.toml", "[[site]]\nfeeds = [\"http://127.0.0.1:8080/rss\"]\n"),
        ("other/store.redb", "<p>no store"),
    ]);
    site.run("stream");
    site.run("stream run nowhere.toml --store store");
    site.run("stream run empty.toml --store store");
    site.run("stream run wrong.toml --store store");
    site.run("stream run typo.toml --store store");
    site.run("stream run good.toml");
    site.run("stream run good.toml --store other");
    // What is refused is the only feed.
    site.run("stream run good.toml --store store --once");
    site.run("stream run private.toml --store store --once");
    site.run("stream status nowhere");
    site.run("stream export nowhere");
    site.run("stream export store");
    insta::assert_snapshot!(site.transcript());
}

const LIST: &str = r#"<?xml version="1.0"?><opml version="2.0"><body>
<outline text="Sea"><outline text="Tides &amp; more" xmlUrl="https://example.org/rss" htmlUrl="https://www.example.org/"/>
<outline text="Ferries" xmlUrl="https://feeds.example.com/ferries" htmlUrl="https://example.org/ferries"></outline></outline>
<outline title="Harbour &quot;bar&quot;" xmlUrl="feed://example.net/atom.xml"/>
<outline text="Mail" xmlUrl="mailto:me"/>"#;

#[test]
fn subscriptions_become_a_file_of_sites() {
    let mut site = Site::new(&[("mine.opml", LIST), ("page.html", "<p>Nothing here.")]);
    site.run("stream import mine.opml");
    site.run("stream import --quiet mine.opml");
    site.run("stream import page.html");
    site.run("stream import none.opml");
    insta::assert_snapshot!(site.transcript());
}
