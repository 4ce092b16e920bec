//! Feeds as sites serve them, and those that no parser of XML would read: `tests/feeds/*.xml`, each with
//! what is read from it beside it. `WEBSTRATA_BLESS=1` writes these; read the diff then.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use webstrata_feeds::feeds::{Feed, Item, discover, opml, parse};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/feeds")
}

fn files() -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder()).expect("tests/feeds is there");
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xml"));
    files.sort();
    files
}

fn written(feed: &Feed) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            writeln!(text, "{name}: {}", value.replace('\n', "⏎")).expect("a string");
        }
    };
    line("title", feed.title.as_deref());
    line("site", feed.site.as_deref());
    line("refresh", feed.refresh.map(|span| format!("{} s", span.as_secs())).as_deref());
    line("truncated", feed.cut.is_some().then_some("yes"));
    for item in &feed.items {
        line("- item", Some(""));
        line("  id", item.id.as_deref());
        line("  title", item.title.as_deref());
        line("  link", item.link.as_deref());
        line("  description", item.description.as_deref());
        line("  published", item.published.map(|date| date.to_string()).as_deref());
        // Histories keep these: whatever changes here reads every page of every site once more.
        line("  hash", Some(&format!("{:032x}", item.hash())));
    }
    text
}

#[test]
fn all_feeds_are_read_as_far_as_they_go() {
    let mut wrong = Vec::new();
    for file in files() {
        let bytes = std::fs::read(&file).unwrap();
        let text = match parse(&bytes, Some("application/xml"), "https://example.org/feed") {
            Ok(feed) => written(&feed),
            Err(error) => format!("{error}\n"),
        };
        let beside = file.with_extension("txt");
        if std::env::var_os("WEBSTRATA_BLESS").is_some() {
            std::fs::write(&beside, &text).unwrap();
        }
        let expect = std::fs::read_to_string(&beside).unwrap_or_default();
        if text != expect {
            wrong.push(format!("{}:\n{text}instead of\n{expect}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What feeds that are broken in one place must still say: both tides, wherever they lead.
#[test]
fn broken_feeds_lose_nothing_else() {
    for file in files() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let has_two =
            ["ampersand", "entities", "br", "cut-off", "1", "16", "garbage", "lines", "than"]
                .iter()
                .any(|end| name.starts_with("broken") && name.ends_with(end));
        if has_two {
            let feed = parse(&std::fs::read(&file).unwrap(), None, "https://example.org/").unwrap();
            let links: Vec<_> = feed.items.iter().filter_map(|item| item.link.as_deref()).collect();
            let expect = ["https://example.org/tides/1", "https://example.org/tides/2"];
            assert_eq!(links, expect, "{name}");
            assert!(feed.items.iter().all(|item| item.published.is_some()), "{name}");
        }
    }
}

/// A feed that is cut off anywhere has the whole items before the cut, and never others.
#[test]
fn every_cut() {
    for name in ["rss-2.0.xml", "atom.xml", "json-feed.xml", "rss-1.0.xml"] {
        let bytes = std::fs::read(folder().join(name)).unwrap();
        let whole = parse(&bytes, None, "https://example.org/feed").unwrap();
        assert!(whole.cut.is_none(), "{name}");
        let mut most = 0;
        for end in 0..bytes.len() {
            let Ok(feed) = parse(&bytes[..end], None, "https://example.org/feed") else { continue };
            assert!(feed.items.len() >= most, "{name} at {end}");
            most = feed.items.len();
            assert_eq!(feed.items[..], whole.items[..most], "{name} at {end}");
            assert!(feed.cut.is_some() || feed.items == whole.items, "{name} at {end}");
        }
        assert_eq!(most, whole.items.len(), "{name}");
    }
}

#[test]
fn hashes_of_histories_never_change() {
    let item = Item {
        title: Some("Ebb".into()),
        description: Some("Tide 1".into()),
        published: Some(1_794_731_400),
        ..Item::default()
    };
    assert_eq!(format!("{:032x}", item.hash()), "927bacaa41bb6e9795c5f467c4bb596d");
}

#[test]
fn hostile_feeds_take_no_more_than_others() {
    let deep = format!("<rss><channel>{}<item><title>x", "<a>".repeat(100_000));
    let names = format!("<rss><channel>{}", "</a>".repeat(100_000));
    let doctypes = "<![>".repeat(100_000);
    let attributes = format!("<rss {}>", "a=\"b\" ".repeat(100_000));
    let items = format!("<rss><channel>{}", "<item>".repeat(100_000));
    let quotes = "<a b=\"".repeat(100_000);
    let references = format!("<rss><title>{}", "&amp;&#x".repeat(100_000));
    let json = format!("{{\"items\":{}", "[".repeat(100_000));
    for text in [deep, names, doctypes, attributes, items, quotes, references, json] {
        if let Ok(feed) = parse(text.as_bytes(), None, "https://example.org/") {
            assert!(feed.items.len() <= webstrata_feeds::feeds::MOST_ITEMS);
        }
        opml(text.as_bytes());
    }
}

#[test]
fn feeds_that_pages_name() {
    let page = br#"<html><head><base href="/news/"><link rel="stylesheet alternate" type="text/css" href="a.css">
        <link rel="alternate" type="application/rss+xml" title="News" href="rss.xml">
        <link rel="ALTERNATE home" type="application/atom+xml; charset=utf-8" href="//example.com/atom">
        <link rel="alternate" hreflang="de" href="/de/"><link rel="feed" href="https://example.org/feed">
        <link rel="alternate" type="application/rss+xml" href="rss.xml">
        <link rel="alternate" type="application/rss+xml" href="javascript:x()"></head>"#;
    let expect = [
        "https://example.org/news/rss.xml",
        "https://example.com/atom",
        "https://example.org/feed",
    ];
    assert_eq!(discover(page, None, "https://example.org/index.html"), expect);
    assert!(discover(b"<p>None", None, "https://example.org/").is_empty());
}

#[test]
fn subscriptions() {
    let list = br#"<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
        <outline text="Sea"><outline text="Tides &amp; more" type="rss" xmlUrl="https://example.org/rss" htmlUrl="https://example.org/"/>
        <outline text="Deep"><outline text="Below" xmlurl='https://example.org/deep'></outline></outline></outline>
        <outline title="Top" text="x" xmlUrl=https://example.org/top />
        <outline text="Again" xmlUrl="https://example.org/rss"/><outline text="Link" type="link" url="https://example.org/no"/>
        <outline text="Cut off" xmlUrl="https://example.org/cut"#;
    let found = opml(list);
    let shown: Vec<String> = found
        .iter()
        .map(|one| {
            let title = one.title.as_deref().unwrap_or_default();
            format!("{} {} {}", one.folders.join("/"), title, one.feed)
        })
        .collect();
    let expect = [
        "Sea Tides & more https://example.org/rss",
        "Sea/Deep Below https://example.org/deep",
        " Top https://example.org/top",
    ];
    assert_eq!(shown, expect);
    assert_eq!(found[0].site.as_deref(), Some("https://example.org/"));
    assert!(opml(b"").is_empty() && opml(b"<html>").is_empty());
}
