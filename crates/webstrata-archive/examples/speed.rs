//! How fast an archive is read: `speed make FILE MEGABYTES` invents one, `speed read FILE…` reads it.
//!
//! ```sh
//! cargo build --release -p webstrata-archive --example speed
//! target/release/examples/speed make crawl.warc.gz 200
//! time target/release/examples/speed read crawl.warc.gz
//! ```

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use webstrata_archive::{Limits, Source};
use webstrata_base::random::Random;

const WORDS: &str = "harbour tide water breakwater morning printed table later because flood slows ship \
    captain engine market fish price council plans bridge closed summer visitors ticket museum opens";

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", file, megabytes] => make(file, megabytes.parse().unwrap_or(200) * 1_000_000),
        ["read", ref files @ ..] if !files.is_empty() => {
            read(files);
            Ok(())
        }
        _ => {
            eprintln!("speed make FILE MEGABYTES | speed read FILE…");
            Ok(())
        }
    }
}

/// Writes records, each a gzip member, until they have so many bytes unpacked.
fn make(file: &str, size: usize) -> io::Result<()> {
    let mut random = Random::new(1);
    let mut output = BufWriter::new(File::create(file)?);
    let (mut written, mut number) = (0, 0);
    while written < size {
        let record = record(number, &mut random);
        let mut encoder = GzEncoder::new(&mut output, Compression::default());
        encoder.write_all(&record)?;
        encoder.finish()?;
        written += record.len();
        number += 1;
    }
    println!("{number} records, {written} bytes unpacked");
    output.flush()
}

/// A page of 20 to 200 paragraphs, with the markup around them that pages have.
fn record(number: usize, random: &mut Random) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut html = String::from("<!doctype html><html><head><title>Log</title></head><body>");
    for paragraph in 0..20 + random.below(180) {
        html += &format!("<div class=\"entry e{}\" id=\"p{paragraph}\"><p>", random.below(1000));
        for _ in 0..20 + random.below(80) {
            html += words[random.below(words.len())];
            html.push(' ');
        }
        html += &format!(
            "<a href=\"/log/{}?page={paragraph}\">more</a></p></div>\n",
            random.below(99999)
        );
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: none\r\n\r\n";
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-15T08:00:00Z\r\nWARC-Target-URI: \
         https://example.org/{number}\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{head}",
        head.len() + html.len()
    )
    .into_bytes();
    record.extend_from_slice(html.as_bytes());
    record.extend_from_slice(b"\r\n\r\n");
    record
}

fn read(files: &[&str]) {
    let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let start = Instant::now();
    let (mut pages, mut bytes, mut problems) = (0, 0, 0);
    for item in Source::open(&paths, Limits::default()) {
        match item {
            Ok(page) => {
                pages += 1;
                bytes += page.bytes.len();
            }
            Err(problem) => {
                problems += 1;
                eprintln!("{problem}");
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{pages} pages, {problems} problems, {megabytes:.1} MB of pages in {seconds:.2} s: {:.0} MB/s",
        megabytes / seconds
    );
}
