//! Pages as lines of JSON.

use webstrata_archive::record::{Origin, PageRecord};
use webstrata_archive::{Limits, Source};

use crate::writing::{gzip, messages, read, zstd};

#[test]
fn fields() {
    let lines = r#"{"html": "<p>a", "url": "https://example.org/a", "date": "2026-11-15", "id": 7}

{"request_url": "https://example.org/b?ref=x", "response_url": "https://example.org/b", "published": "2026-11-15T08:00:00Z", "html": "<meta charset=gb2312><p>\u00fc", "more": {"html": [1, 2]}}
{"content": "<p>c", "html": null, "time": 1731657600}
{"body": "half a pair: \ud83d.", "html": ""}"#;
    for (name, bytes) in [
        ("a.jsonl", lines.as_bytes().to_vec()),
        ("a.jsonl.gz", gzip(lines.as_bytes())),
        ("a.jsonl.zst", zstd(lines.as_bytes())),
        // Without a beginning that a name could be wrong about.
        ("chunks.jsonl.gz", lines.as_bytes().chunks(20).flat_map(gzip).collect()),
    ] {
        let (pages, problems) = read(name, &bytes);
        assert_eq!(messages(&problems), Vec::<&str>::new(), "{name}");
        let seen: Vec<_> = pages
            .iter()
            .map(|page| {
                let html = str::from_utf8(&page.bytes).unwrap();
                (html, page.id.as_deref(), page.url.as_deref(), page.fetched.as_deref())
            })
            .collect();
        let expect = [
            ("<p>a", Some("7"), Some("https://example.org/a"), Some("2026-11-15")),
            (
                "<meta charset=gb2312><p>ü",
                None,
                Some("https://example.org/b"),
                Some("2026-11-15T08:00:00Z"),
            ),
            ("<p>c", None, None, Some("1731657600")),
            ("half a pair: \u{fffd}\u{fffd}\u{fffd}.", None, None, None),
        ];
        assert_eq!(seen, expect, "{name}");
        assert!(pages.iter().all(|page| page.charset() == Some("utf-8")));
    }
}

#[test]
fn lines_that_hold_no_page() {
    let lines = "not JSON\n{\"html\": \"<p>a\"}\n[1, 2]\n{\"text\": \"a\"}\n{\"html\": \"\n{\"html\": \"<p>b\"}";
    let (pages, problems) = read("a.jsonl", lines.as_bytes());
    let pages: Vec<&[u8]> = pages.iter().map(|page| &page.bytes[..]).collect();
    assert_eq!(pages, [b"<p>a", b"<p>b"]);
    let places: Vec<_> = problems.iter().map(|problem| problem.offset.unwrap()).collect();
    assert_eq!(places, [0, 26, 33, 47]);
    let expect = "the line has no page; expected a field `html`, `content` or `body`";
    assert_eq!(problems[2].message, expect);
    assert!(problems[0].message.starts_with("no line of JSON: "));
}

/// With a text, a line is a record: one of ours as it was written, one of others with what is known of it.
#[test]
fn lines_that_are_records() {
    let page = webstrata::extract(b"<title>Tides</title><p>High water is at noon.");
    let record = webstrata::Record::new(&page.document);
    let ours = PageRecord::new("a#7".into(), record, &page.document, Origin::default());
    let line = String::from_utf8(ours.to_line().unwrap()).unwrap();
    let lines = format!(
        "{line}\n{{\"text\": \"It rains.\", \"id\": 9, \"metadata\": [1], \"title\": \"Rain\", \"date\": \"2026\"}}\n{{\"html\": \"<p>a\"}}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl.gz");
    std::fs::write(&path, gzip(lines.as_bytes())).unwrap();
    let arrivals: Vec<_> =
        Source::open(&[path], Limits::default()).with_records().map(Result::unwrap).collect();
    assert!(arrivals[0].is_record() && arrivals[1].is_record() && !arrivals[2].is_record());
    assert_eq!(arrivals[0].page_record(), Some(ours));
    let other = arrivals[1].page_record().unwrap();
    assert_eq!(arrivals[1].record_text().as_deref(), Some("It rains."));
    assert_eq!((other.id.as_str(), other.record.words), ("9", 2));
    assert_eq!(other.record.title.as_deref(), Some("Rain"));
    assert_eq!(other.origin.fetched.as_deref(), Some("2026"));
    assert_eq!((arrivals[2].page_record(), arrivals[2].record_text()), (None, None));
}

#[test]
fn a_file_that_is_cut_off() {
    let members = [gzip(b"{\"html\": \"a\"}\n"), gzip(b"{\"html\": \"b\"}\n")];
    let whole = members.concat();
    for cut in members[0].len() + 1..whole.len() {
        let (pages, problems) = read("a.jsonl.gz", &whole[..cut]);
        // A line arrives as soon as it is there, before the member's checksum.
        assert!((1..=2).contains(&pages.len()), "cut at {cut}");
        assert_eq!(problems.len(), 1, "cut at {cut}");
    }
    let third = gzip(b"{\"html\": \"c\"}\n");
    for lost in 1..members[1].len() {
        let (pages, _) = read("a.jsonl.gz", &[&members[0], &members[1][lost..], &third].concat());
        assert_eq!(pages.last().unwrap().bytes, b"c", "{lost} bytes lost");
    }
}
