//! Writes invented archives, and reads them.

use std::io::{self, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use webstrata_archive::{Arrival, InputKind, Limits, Problem, Source, Streamed};

pub(crate) type Pages = (Vec<Arrival>, Vec<Problem>);

/// A record as the standard has it.
pub(crate) fn record(kind: &str, url: &str, content_type: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{url}>\r\n\
         WARC-Target-URI: {url}\r\nWARC-Date: 2026-11-15T08:00:00Z\r\n\
         WARC-Payload-Digest: sha1:AAAA\r\nContent-Type: {content_type}\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub(crate) fn response(url: &str, response: &[u8]) -> Vec<u8> {
    record("response", url, "application/http; msgtype=response", response)
}

/// An ordinary response with a page of its own.
pub(crate) fn page(number: usize) -> Vec<u8> {
    let html = text(number);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        html.len()
    );
    response(&format!("https://example.org/{number}"), &[head.as_bytes(), html.as_bytes()].concat())
}

pub(crate) fn text(number: usize) -> String {
    format!("<html><p>Page {number} of the harbour's log: {}</p>", "tide ".repeat(number + 3))
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    // With a checksum, as the format of `.warc.zst` asks for.
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads bytes as a file of this name.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Pages {
    read_within(name, bytes, Limits::default())
}

pub(crate) fn read_within(name: &str, bytes: &[u8], limits: Limits) -> Pages {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let read = all(Source::open(std::slice::from_ref(&path), limits));
    // A zip file is read from its end.
    let goes_forward = !name.ends_with(".wacz");
    if InputKind::of(&path) == InputKind::Archive && goes_forward {
        // A stream that goes forward only gives the same, whatever is broken.
        let stream = Streamed::new(io::Cursor::new(bytes.to_vec()));
        assert_eq!(all(Source::archive(stream, &path, limits)), read, "{name}");
    }
    // From anywhere else than a file system, it is the same.
    let elsewhere = Source::file(io::Cursor::new(bytes.to_vec()), &path, limits);
    assert_eq!(all(elsewhere), read, "{name}");
    read
}

pub(crate) fn all(source: Source) -> Pages {
    let (mut pages, mut problems) = (Vec::new(), Vec::new());
    for item in source {
        match item {
            Ok(page) => pages.push(page),
            Err(problem) => problems.push(problem),
        }
        assert!(pages.len() + problems.len() < 100_000, "it does not end");
    }
    (pages, problems)
}

/// The numbers of the pages, which must be whole.
pub(crate) fn numbers(pages: &[Arrival]) -> Vec<usize> {
    let number = |page: &Arrival| {
        let url = page.url.as_deref().unwrap();
        let number = url.rsplit('/').next().unwrap().parse().unwrap();
        assert_eq!(String::from_utf8_lossy(&page.bytes), text(number));
        number
    };
    pages.iter().map(number).collect()
}

pub(crate) fn messages(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.message.as_str()).collect()
}

pub(crate) fn write(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}
