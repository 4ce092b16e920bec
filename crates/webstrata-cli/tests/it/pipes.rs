//! What comes through a pipe is told by its first bytes, and packed pages are unpacked.

use std::io::Write as _;
use std::process::Stdio;

use flate2::write::GzEncoder;

use crate::site::{Site, TIDES};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Stdout and exit code of a command that reads these bytes.
fn piped(site: &Site, input: &[u8], arguments: &str) -> (String, Option<i32>) {
    let mut child = site.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The command may well end before it has read everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

fn texts(lines: &str) -> Vec<String> {
    let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    lines.lines().map(|text| line(text)["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pages_archives_and_lines() {
    let site = Site::new(&[("tides.html", TIDES)]);
    let text = site.stdout("extract tides.html");
    for page in [TIDES.as_bytes().to_vec(), gzip(TIDES.as_bytes()), zstd(TIDES.as_bytes())] {
        assert_eq!(piped(&site, &page, "extract"), (text.clone(), Some(0)));
        assert_eq!(piped(&site, &page, "extract -"), (text.clone(), Some(0)));
    }
    let html = serde_json::Value::from(TIDES);
    let lines = format!("{{\"id\": \"a\", \"html\": {html}}}\n{{\"html\": {html}}}\n");
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{TIDES}");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:1>\r\nWARC-Target-URI: https://example.org/\r\n\
         Content-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    );
    for many in [lines.clone(), record.repeat(2)] {
        let bytes = many.as_bytes();
        // Packed record by record, too.
        let members = [gzip(bytes), gzip(b"")].concat();
        for input in [bytes.to_vec(), gzip(bytes), zstd(bytes), members] {
            let (found, code) = piped(&site, &input, "extract");
            assert_eq!((texts(&found), code), (vec![text.clone(); 2], Some(0)));
            let (decided, _) = piped(&site, &input, "dedup - --quiet");
            assert_eq!(
                decided.lines().filter(|line| line.contains(": duplicate of stdin#0")).count(),
                1,
                "{decided}"
            );
        }
    }
    let (found, _) = piped(&site, lines.as_bytes(), "extract --format jsonl");
    assert!(found.starts_with("{\"id\":\"a\",") && found.contains("{\"id\":\"-#"), "{found}");
}

#[test]
fn what_is_none_of_these() {
    let mut site = Site::new(&[]);
    site.pipe("{\\rtf1 a document}", "extract");
    site.pipe("%PDF-1.4", "extract");
    site.pipe("body { color: red }", "extract");
    site.pipe("", "extract");
    insta::assert_snapshot!(site.transcript());
    let mut broken = gzip(TIDES.as_bytes());
    broken.truncate(40);
    assert_eq!(piped(&site, &broken, "extract"), (String::new(), Some(2)));
}

#[test]
fn packed_pages_of_folders() {
    let site = Site::new(&[("plain/tides.html", TIDES)]);
    let text = site.stdout("extract plain/tides.html");
    site.file("packed/a.html.gz", gzip(TIDES.as_bytes()));
    site.file("packed/b.html.zst", zstd(TIDES.as_bytes()));
    assert_eq!(site.stdout("extract packed/a.html.gz"), text);
    let lines = site.stdout("extract packed");
    assert_eq!(texts(&lines), [text.clone(), text]);
    assert!(lines.starts_with("{\"id\":\"a\","), "{lines}");
}

#[test]
fn lists_of_files() {
    let mut site = Site::new(&[
        ("a.html", TIDES),
        ("b/b.html", TIDES),
        ("list", "a.html\n\nb\r\n"),
        ("none", "\n"),
    ]);
    assert_eq!(site.stdout("extract --files-from list").lines().count(), 2);
    assert_eq!(
        piped(&site, b"a.html\nb/b.html\n", "extract --format jsonl --files-from -")
            .0
            .lines()
            .count(),
        2
    );
    site.run("dedup --files-from list");
    site.run("extract --files-from none");
    site.run("extract --files-from nowhere");
    insta::assert_snapshot!(site.transcript());
}
