//! Whole archives, in every packing.

use webstrata_archive::{Limits, Source};

use crate::writing::{
    all, gzip, messages, numbers, page, read, record, response, text, write, zstd,
};

/// Two pages among records of other kinds.
fn records() -> Vec<Vec<u8>> {
    let info = record("warcinfo", "", "application/warc-fields", b"software: none\r\n");
    let request = b"GET /1 HTTP/1.1\r\nHost: example.org\r\n\r\n";
    let request = record("request", "https://example.org/1", "application/http", request);
    let metadata = record("metadata", "https://example.org/1", "text/html", b"<html>no page");
    let revisit = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let revisit = record("revisit", "https://example.org/1", "application/http", revisit);
    vec![info, request, page(1), metadata, revisit, page(2)]
}

fn packed(pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    records().iter().flat_map(|record| pack(record)).collect()
}

fn check(name: &str, bytes: &[u8]) {
    let (pages, problems) = read(name, bytes);
    assert_eq!(messages(&problems), Vec::<&str>::new(), "{name}");
    assert_eq!(numbers(&pages), [1, 2], "{name}");
}

#[test]
fn every_packing_holds_the_same() {
    let plain = records().concat();
    check("a.warc", &plain);
    check("a.warc.gz", &packed(gzip));
    check("a.warc.zst", &packed(zstd));
    // The whole archive as one member, as `gzip` makes it.
    check("one.warc.gz", &gzip(&plain));
    check("one.warc.zst", &zstd(&plain));
    // Members that know nothing of records.
    for size in [1, 7, 64, 500] {
        let members: Vec<u8> = plain.chunks(size).flat_map(gzip).collect();
        check("chunks.warc.gz", &members);
    }
    // Names lie.
    check("plain.warc.gz", &plain);
    check("gzip.warc", &packed(gzip));
    // Members of nothing.
    check("empty.warc.gz", &[gzip(b""), packed(gzip), gzip(b"\r\n"), gzip(b"")].concat());
}

#[test]
fn an_empty_archive_has_no_pages() {
    for name in ["a.warc", "a.warc.gz", "a.warc.zst"] {
        assert_eq!(read(name, b""), (vec![], vec![]));
    }
}

#[test]
fn a_dictionary_of_the_archive() {
    let records = records();
    let dictionary = page(9);
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let mut frames = Vec::new();
    for record in &records {
        frames.extend(compressor.compress(record).unwrap());
    }
    for content in [dictionary.clone(), zstd(&dictionary)] {
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        let archive = [b"\x5d\x2a\x4d\x18", &length[..], &content, &frames].concat();
        check("a.warc.zst", &archive);
        assert_eq!(read("a.warc.zst", &archive[..content.len()]).1.len(), 1);
    }
    assert!(read("a.warc.zst", &frames).0.is_empty(), "the dictionary matters");
}

#[test]
fn provenance() {
    let (pages, _) = read("a.warc.gz", &packed(gzip));
    let page = &pages[0];
    let before: usize = records()[..2].iter().map(|record| gzip(record).len()).sum();
    assert_eq!((page.offset, page.within), (before as u64, 0));
    assert!(page.name.ends_with(&format!("a.warc.gz#{before}")), "{}", page.name);
    assert_eq!(page.id.as_deref(), Some("urn:uuid:https://example.org/1"));
    assert_eq!(page.fetched.as_deref(), Some("2026-11-15T08:00:00Z"));
    assert_eq!(page.digest.as_deref(), Some("sha1:AAAA"));
    assert_eq!(page.charset(), Some("utf-8"));
    assert!(!page.truncated);
}

#[test]
fn reading_goes_on_at_any_page() {
    let folder = tempfile::tempdir().unwrap();
    let plain = records().concat();
    for (name, bytes) in [
        ("a.warc", plain.clone()),
        ("a.warc.gz", packed(gzip)),
        ("a.warc.zst", packed(zstd)),
        ("one.warc.gz", gzip(&plain)),
        ("chunks.warc.gz", plain.chunks(50).flat_map(gzip).collect()),
        ("a.jsonl", b"{\"html\": \"<p>a\"}\n{\"html\": \"<p>b\"}\n".to_vec()),
        ("a.jsonl.zst", zstd(b"{\"html\": \"<p>a\"}\n{\"html\": \"<p>b\"}\n")),
    ] {
        let path = write(&folder, name, &bytes);
        let (pages, _) = all(Source::open(std::slice::from_ref(&path), Limits::default()));
        assert_eq!(pages.len(), 2, "{name}");
        for (index, page) in pages.iter().enumerate() {
            let rest = Source::open_at(&path, page.offset, page.within, Limits::default());
            let (rest, problems) = all(rest);
            assert_eq!(problems, [], "{name}");
            assert_eq!(rest, &pages[index..], "{name}");
        }
    }
}

#[test]
fn ends_of_lines_of_any_kind() {
    let archive = records().concat();
    let lines = String::from_utf8(archive).unwrap();
    // Lengths count the block, so only what lies outside may change.
    let html = text(1);
    let lf = format!(
        "\n\nWARC/1.1\nwarc-type: response\ncontent-length: {}\nwarc-target-uri: \
         <https://example.org/1>\n\nHTTP/1.0 200\ncontent-type:text/html\n\n{html}",
        html.len() + "HTTP/1.0 200\ncontent-type:text/html\n\n".len()
    );
    for archive in [
        format!("\r\n\r\n{lines}\r\n\r\n\r\n"),
        lines.replace("\r\n\r\nWARC/", "\nWARC/"),
        lines.replace("\r\n\r\nWARC/", "WARC/"),
        lines.trim_end().to_owned(),
    ] {
        check("a.warc", archive.as_bytes());
    }
    let (pages, problems) = read("a.warc", format!("{lf}\n\n{lf}").as_bytes());
    assert_eq!((numbers(&pages), problems), (vec![1, 1], vec![]));
}

#[test]
fn only_pages_arrive() {
    let html = "Content-Type: text/html\r\n\r\n<html><p>text";
    let response = |head: &str| response("https://example.org/", head.as_bytes());
    let taken = [
        response(&format!("HTTP/1.1 200 OK\r\n{html}")),
        response("HTTP/1.1 200 OK\r\n\r\n <!DOCTYPE HTML><p>text"),
        response("HTTP/1.1 203 Other\r\ncontent-type: Application/XHTML+xml;q=1\r\n\r\n<p>text"),
        response("<html>without a head"),
        record("resource", "file:a.html", "text/html", b"<p>text"),
        record("response", "https://example.org/", "text/html", b"<p>text"),
    ];
    let left = [
        response(&format!("HTTP/1.1 404 Not Found\r\n{html}")),
        response(&format!("HTTP/1.1 301 Moved\r\n{html}")),
        response("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<html>"),
        response("HTTP/1.1 200 OK\r\n\r\nneither type nor tag"),
        response(""),
        record("response", "dns:example.org", "text/dns", b"20261115\nexample.org 1 IN A 10.0.0.1"),
        record("conversion", "https://example.org/", "text/plain", b"text"),
        record("resource", "file:a.png", "image/png", b"\x89PNG"),
    ];
    for (records, expect) in [(&taken[..], 1), (&left[..], 0)] {
        for record in records {
            let (pages, problems) = read("a.warc", record);
            let shown = String::from_utf8_lossy(record);
            assert_eq!((pages.len(), problems.len()), (expect, 0), "{shown}");
        }
    }
}

#[test]
fn pages_that_the_crawler_cut_say_so() {
    let record = String::from_utf8(page(1)).unwrap();
    let record = record.replace("WARC-Date", "WARC-Truncated: length\r\nWARC-Date");
    let (pages, problems) = read("a.warc", record.as_bytes());
    assert!(pages[0].truncated && problems.is_empty());
}

#[test]
fn pages_in_an_encoding_that_is_not_read() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: sdch\r\n\r\n";
    let packed =
        response("https://example.org/", &[&head[..], b"\x01\x03\x80<p>text\x03"].concat());
    let (pages, problems) = read("a.warc", &[packed, page(1)].concat());
    assert_eq!(numbers(&pages), [1]);
    let expect = "its page is packed as `sdch` and cannot be unpacked; left out";
    assert_eq!(messages(&problems), [expect]);
    let plain = response("https://example.org/", &[&head[..], b"<p>text"].concat());
    assert_eq!(read("a.warc", &plain).0[0].bytes, b"<p>text");
}
