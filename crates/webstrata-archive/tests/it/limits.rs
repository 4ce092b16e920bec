//! Bombs, and pages that are too long.

use std::io::Write;

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use webstrata_archive::Limits;

use crate::writing::{gzip, messages, numbers, page, read_within, response, zstd};

/// Fifty megabytes of spaces as Brotli packs them.
const BROTLI_BOMB: &[u8] =
    b"\xcb\xff\xff\x3f\xf8\x25\x40\xe2\xb1\x40\x20\xf7\xfe\x8f\xff\xff\x7f\xf0\x4b\x00\xc4\x61\
        \x11\x80\xee\xfd\x1f\xff\xff\xff\xe0\x97\x00\x88\xc3\x02\x00\xdd\xfb\x3f\xfe\xff\xff\xc1\
        \x2f\x01\x10\x87\x05\x00\xba\xf7\x7f\xfc\xff\xff\x83\x5f\x02\x20\x0e\x0b\x00\x74\xef\xff\
        \xf8\xff\xff\x07\xbf\x04\x40\x1c\x16\x00\xe8\xde\xff\xe5\xff\xff\x07\x7e\x09\x80\x38\x2c\
        \x00\xd0\xbd\xff\x00";

const LIMITS: Limits = Limits { record: 1 << 20, page: 1 << 20 };

/// A gzip member with a record of so many megabytes of zeros, made without making them: the packed form
/// of a megabyte stands for itself however often it comes.
fn bomb(megabytes: usize) -> Vec<u8> {
    let zeros = vec![0; 1 << 20];
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: \
         {}\r\n\r\n{head}",
        head.len() + megabytes * zeros.len()
    );
    let packed = |bytes: &[u8]| {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.flush().unwrap();
        encoder.get_ref().clone()
    };
    let mut crc = Crc::new();
    crc.update(record.as_bytes());
    let mut of_zeros = Crc::new();
    of_zeros.update(&zeros);
    (0..megabytes).for_each(|_| crc.combine(&of_zeros));
    let mut end = Crc::new();
    end.update(b"\r\n\r\n");
    crc.combine(&end);
    let length = (record.len() + megabytes * zeros.len() + 4) as u32;
    let mut member = b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec();
    member.extend(packed(record.as_bytes()));
    let zeros = packed(&zeros);
    (0..megabytes).for_each(|_| member.extend(&zeros));
    // The last block, with the end of the record.
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(b"\r\n\r\n").unwrap();
    member.extend(encoder.finish().unwrap());
    member.extend(crc.sum().to_le_bytes());
    member.extend(length.to_le_bytes());
    member
}

fn check_bomb(megabytes: usize) {
    let archive = [gzip(&page(1)), bomb(megabytes), gzip(&page(2))].concat();
    let (pages, problems) = read_within("a.warc.gz", &archive, LIMITS);
    assert_eq!(numbers(&pages), [1, 2]);
    assert_eq!(problems.len(), 1);
    let message = &problems[0].message;
    assert!(message.ends_with("bytes, over the limit; left out"), "{message}");
}

#[test]
fn a_bomb_is_passed_over() {
    check_bomb(300);
}

/// `cargo test --release -p webstrata-archive --test it -- --ignored ten_gigabytes --nocapture`
#[test]
#[ignore = "unpacks ten gigabytes"]
fn ten_gigabytes_of_zeros() {
    check_bomb(10_000);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        println!("{peak}");
        let kilobytes: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
        // The archive itself, ten megabytes, is held by the test.
        assert!(kilobytes < 100_000, "{peak}");
    }
}

#[test]
fn a_long_head_that_is_no_page_is_no_problem() {
    let png = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
    let png = response("https://example.org/a.png", &[&png[..], &vec![7; 3 << 20]].concat());
    let (pages, problems) = read_within("a.warc", &[png, page(1)].concat(), LIMITS);
    assert_eq!((numbers(&pages), problems), (vec![1], vec![]));
}

#[test]
fn a_body_that_unpacks_to_too_much() {
    let zeros = vec![b' '; 50 << 20];
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(&zeros).unwrap();
    let twice = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&gzip(&zeros)).unwrap();
        encoder.finish().unwrap()
    };
    for (encoding, body) in [
        ("gzip", gzip(&zeros)),
        ("deflate", deflate.finish().unwrap()),
        ("zstd", zstd(&zeros)),
        ("br", BROTLI_BOMB.to_vec()),
        ("gzip, gzip", twice),
    ] {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {encoding}\r\n\r\n"
        );
        let bomb = response("https://example.org/", &[head.as_bytes(), &body].concat());
        let (pages, problems) = read_within("a.warc", &[bomb, page(1)].concat(), LIMITS);
        assert_eq!(numbers(&pages), [1], "{encoding}");
        assert_eq!(messages(&problems), ["its page has more than 1048576 bytes; left out"]);
    }
}

#[test]
fn a_line_that_is_too_long() {
    let long = format!("{{\"html\": \"{}\"}}", "x".repeat(2 << 20));
    let lines = format!("{long}\n{{\"html\": \"<p>text\"}}\n{long}");
    for (name, bytes) in [
        ("a.jsonl", lines.clone().into_bytes()),
        ("a.jsonl.gz", gzip(lines.as_bytes())),
        ("a.jsonl.zst", zstd(lines.as_bytes())),
    ] {
        let (pages, problems) = read_within(name, &bytes, LIMITS);
        assert_eq!(pages.len(), 1, "{name}");
        let message = "a line of more than 1048576 bytes; left out";
        assert_eq!(messages(&problems), [message, message], "{name}");
    }
}

#[test]
fn no_limits() {
    let limits = Limits { record: usize::MAX, page: usize::MAX };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n";
    let body = gzip(b"<p>text");
    let packed = response("https://example.org/", &[head.as_bytes(), &body].concat());
    for (name, bytes) in [
        ("a.html", b"<p>text".to_vec()),
        ("a.jsonl", b"{\"html\": \"<p>text\"}".to_vec()),
        ("a.warc", packed),
    ] {
        let (pages, problems) = read_within(name, &bytes, limits);
        assert_eq!((&pages[0].bytes[..], problems), (&b"<p>text"[..], vec![]), "{name}");
    }
}
