//! Everything that keeps records: archives in bulk, the pipeline of corpora, the stream with its store, the index.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::Case;
use crate::corpus_kills::{OUTPUTS, crawl, files, pipeline};
use crate::server::{Routes, Server};
use crate::site::{Site, TIDES};
use crate::stream::records;

/// Records of an archive in parts.
#[test]
fn archives_in_bulk() {
    for format in ["--part-size 2K", "--part-size 3K --format parquet"] {
        let site = Site::new(&[("disk/keep", "")]);
        site.file("crawl.warc.gz", archive());
        let command = format!("warc crawl.warc.gz --out disk/out {format} --jobs 1 --quiet");
        site.stdout(&command);
        let expected = files(&site.path().join("disk/out"));
        assert!(expected.len() > 3, "{:?}", expected.keys());
        fs::remove_dir_all(site.path().join("disk/out")).unwrap();
        Case {
            name: "warc",
            site,
            command,
            held: Box::new(|_| {}),
            whole: Box::new(move |site| same(&files(&site.path().join("disk/out")), &expected)),
        }
        .torture();
    }
}

/// Some pages, each in a member of its own.
fn archive() -> Vec<u8> {
    let mut archive = Vec::new();
    for number in 0..9 {
        let html = TIDES.replace("half an hour", &format!("{number} minutes"));
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\nWARC-Target-URI: \
             https://example.org/{number}\r\nWARC-Date: 2026-11-15T08:00:00Z\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let mut packed =
            flate2::write::GzEncoder::new(&mut archive, flate2::Compression::default());
        std::io::Write::write_all(&mut packed, record.as_bytes()).unwrap();
        packed.finish().unwrap();
    }
    archive
}

fn same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected));
    for (name, bytes) in found {
        assert!(*bytes == expected[name], "{name}: {}", String::from_utf8_lossy(bytes));
    }
}

/// Each form of output of a corpus.
#[test]
fn corpora() {
    for (name, output) in OUTPUTS {
        let site = Site::new(&[("disk/keep", "")]);
        let output = output.replace("\"out\"", "\"disk/out\"").replace("60K", "8K");
        site.file("corpus.toml", pipeline(&output));
        site.file("crawl.jsonl", crawl(0, 24));
        let command = "corpus run corpus.toml --rejected disk/dropped --quiet --jobs 1";
        site.stdout(command);
        let expected = files(&site.path().join("disk"));
        assert!(expected.len() > 4, "{:?}", expected.keys());
        for folder in ["disk/out", "disk/dropped"] {
            fs::remove_dir_all(site.path().join(folder)).unwrap();
        }
        Case {
            name,
            site,
            command: command.to_owned(),
            held: Box::new(|_| {}),
            whole: Box::new(move |site| same(&files(&site.path().join("disk")), &expected)),
        }
        .torture();
    }
}

/// Pages of a feed that grows.
fn harbour(items: &Arc<AtomicUsize>) -> Server {
    let html: &[&str] = &["Content-Type: text/html; charset=utf-8"];
    let items = items.clone();
    let feed = move || {
        let item = |number: usize| {
            format!(
                "<item><title>Tide {number}</title><link>/{number}</link><guid>{number}</guid></item>"
            )
        };
        let items: String = (0..items.load(Ordering::SeqCst)).map(item).collect();
        format!("<rss version=\"2.0\"><channel><title>Harbour</title>{items}</channel></rss>")
    };
    let routes =
        Routes::new().on("/feed", move |_, wire| wire.answer("200 OK", &[], feed().as_bytes()));
    Server::start(routes.otherwise(move |request, wire| {
        let page = TIDES.replace("half an hour", &format!("{} minutes", &request.path[1..]));
        wire.answer("200 OK", html, page.as_bytes())
    }))
}

const FEW: usize = 3;
const MORE: usize = 6;

fn feeds(server: &Server) -> String {
    format!(
        "[fetch]\nallow = [\"127.0.0.1/32\"]\nhost-delay = \"0s\"\nrespect-robots = false\n[stream]\njobs = 1\n\
         retry = \"1ms\"\nretry-most = \"1ms\"\nattempts = 50\n[[site]]\nname = \"harbour\"\nfeeds = [\"{}\"]\n",
        server.url("/feed")
    )
}

/// The stream: its store, its records, its archive.
#[test]
fn streams() {
    let items = Arc::new(AtomicUsize::new(FEW));
    let server = harbour(&items);
    let site = Site::new(&[("disk/keep", ""), ("feeds.toml", &feeds(&server))]);
    let command = "stream run feeds.toml --store disk/store --out disk/out --warc disk/archive --once --quiet";
    site.stdout(command);
    let first = records(&site, "disk/out");
    assert_eq!(first.len(), FEW);
    items.store(MORE, Ordering::SeqCst);
    Case {
        name: "stream",
        command: command.to_owned(),
        site,
        held: Box::new(move |site| {
            let found = records_so_far(site);
            assert_eq!(found[..FEW.min(found.len())], first[..], "what was there before");
            assert!(status(site)["records"].as_u64().unwrap() as usize >= FEW);
        }),
        whole: Box::new(move |site| {
            // A failure makes it wait for another run.
            for _ in 0..20 {
                if status(site)["records"] == MORE {
                    break;
                }
                site.output(command);
            }
            let found = records(site, "disk/out");
            let numbers = found.iter().map(|one| one["sequence"].as_u64().unwrap());
            assert!(numbers.eq(1..=MORE as u64), "{found:?}");
            let mut pages: Vec<&str> =
                found.iter().map(|one| one["item_title"].as_str().unwrap()).collect();
            pages.sort_unstable();
            assert_eq!(pages, ["Tide 0", "Tide 1", "Tide 2", "Tide 3", "Tide 4", "Tide 5"]);
            for one in &found {
                let number = one["item_title"].as_str().unwrap().strip_prefix("Tide ").unwrap();
                assert!(
                    one["text"].as_str().unwrap().contains(&format!("{number} minutes")),
                    "{one}"
                );
            }
            let (status, archived) =
                (status(site), site.output("extract --quiet --ext warc.gz disk/archive"));
            assert_eq!((&status["undelivered"], &status["records"]), (&json!(0), &json!(MORE)));
            assert_eq!(
                String::from_utf8(archived.stdout).unwrap().lines().count(),
                MORE,
                "in the archive"
            );
        }),
    }
    .torture();
}

fn status(site: &Site) -> Value {
    serde_json::from_str(&site.stdout("stream status disk/store --format json")).unwrap()
}

/// Whole lines of the output; a crash may have cut off the last one.
fn records_so_far(site: &Site) -> Vec<Value> {
    let mut files: Vec<_> = fs::read_dir(site.path().join("disk/out"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let bytes: Vec<u8> = files.iter().flat_map(|file| fs::read(file).unwrap()).collect();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    lines.map_while(|line| serde_json::from_slice(line).ok()).collect()
}

/// The index: pages that were in it before can be found whatever happens, and in the end all can, once.
#[test]
fn indexes() {
    let page = |number: usize| {
        let html = TIDES.replace("half an hour", &format!("number{number}x minutes"));
        format!("{}\n", json!({"url": format!("https://example.org/{number}"), "html": html}))
    };
    let pages = |numbers: std::ops::Range<usize>| numbers.map(page).collect::<String>();
    let site = Site::new(&[
        ("disk/keep", ""),
        ("few.jsonl", &pages(0..FEW)),
        ("more.jsonl", &pages(0..MORE)),
    ]);
    site.stdout("search index few.jsonl --index disk/index --quiet");
    let found = |site: &Site, number: usize| -> u64 {
        let answer = site.stdout(&format!("search query disk/index number{number}x --format json"));
        serde_json::from_str::<Value>(&answer).unwrap()["total"].as_u64().unwrap()
    };
    Case {
        name: "index",
        site,
        command: "search index more.jsonl --index disk/index --quiet".to_owned(),
        held: Box::new(move |site| {
            (0..FEW).for_each(|number| assert_eq!(found(site, number), 1, "page {number}"));
        }),
        whole: Box::new(move |site| {
            (0..MORE).for_each(|number| assert_eq!(found(site, number), 1, "page {number}"));
            let all = site.stdout("search query disk/index minutes --format json");
            assert_eq!(serde_json::from_str::<Value>(&all).unwrap()["total"], MORE);
        }),
    }
    .torture();
}
