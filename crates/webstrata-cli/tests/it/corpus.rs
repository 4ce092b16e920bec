//! `webstrata corpus`: from pages to a corpus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::site::{LINKS, Site, TIDES};

/// A text of invented words that repeats nothing; the same for the same number.
fn prose(number: usize) -> String {
    let words = [
        "water", "harbour", "table", "ferry", "island", "chain", "tide", "slipway", "office",
        "boat",
    ];
    let mut text = String::new();
    for sentence in 0..12 {
        let word = |at: usize| words[(number * 7 + sentence * 3 + at * at) % words.len()];
        let _ = write!(
            text,
            "The {} of the {} number {number} was seen with {} and the {} that people have on day {sentence}. ",
            word(0),
            word(1),
            word(2),
            word(3)
        );
    }
    text
}

fn page(number: usize, text: &str) -> String {
    format!(
        "<html lang=en><title>Page {number}</title><ul><li><a href=/>Home</a></ul><h1>Page {number}</h1><p>{text}"
    )
}

const PIPELINE: &str = r#"
sources = ["crawl.jsonl", "pages/", "texts/*.jsonl"]

[[filter]]
name = "words"
min = 20

[[filter]]
name = "mask-personal"

[[filter]]
name = "gopher-quality"

[[deduplicate]]
method = "url-key"

[[deduplicate]]
method = "main-text"

[output]
folder = "corpus"
format = "jsonl"
"#;

/// Pages of all sorts: good ones, copies, short ones, none.
fn world() -> Site {
    let site = Site::new(&[
        ("pages/a.html", TIDES),
        ("pages/links.html", LINKS),
        ("corpus.toml", PIPELINE),
    ]);
    let mut lines = String::new();
    let mut line = |url: usize, html: &str| {
        let html = serde_json::Value::from(html);
        let _ = writeln!(lines, "{{\"url\":\"https://a.example/{url}\",\"html\":{html}}}");
    };
    line(1, &page(1, &(prose(1) + "Write to someone@harbour.example.com or to 8.8.8.8 today.")));
    line(2, &page(2, &prose(2)));
    // The same address, the same text elsewhere, too short, and no words that people use.
    line(2, &page(3, &prose(3)));
    line(4, &page(4, &prose(2)));
    line(5, &page(5, "High water at noon."));
    line(6, &page(6, &"xylophone zebra quartz mnemonic ".repeat(20)));
    site.file("crawl.jsonl", lines + "{\"url\": 1}\n");
    let record = serde_json::json!({"id": "r", "text": prose(9), "url": "https://b.example/"});
    let again = serde_json::json!({"id": "s", "text": prose(1)});
    site.file("texts/1.jsonl", format!("{record}\n{again}\n"));
    site
}

#[test]
fn from_pages_to_a_corpus() {
    let mut site = world();
    site.run("corpus run --dry-run corpus.toml");
    site.run("corpus run --rejected dropped corpus.toml");
    let folder = site.path().join("corpus");
    let lines = fs::read_to_string(folder.join("part-00000.jsonl")).unwrap();
    let texts: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = texts.iter().map(|line| line["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["crawl.jsonl#0", ids[1], "pages/a.html", "r"]);
    let first = texts[0]["text"].as_str().unwrap();
    assert!(first.contains("email@example.com or to 192.0.2.1 today"), "{first}");
    let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["parts"][0]["records"], 4);
    assert_eq!(manifest["parts"][0]["bytes"], lines.len());
    let counts = &manifest["counts"];
    let dropped: u64 =
        counts["dropped"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counts["read"].as_u64().unwrap(), counts["written"].as_u64().unwrap() + dropped);
    let rejected = fs::read(site.path().join("dropped/part-00000.jsonl.zst")).unwrap();
    let rejected = String::from_utf8(zstd::decode_all(&rejected[..]).unwrap()).unwrap();
    let reasons: Vec<String> = rejected
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| format!("{} {}", line["rejected"].as_str().unwrap(), line["duplicate_of"]))
        .collect();
    assert_eq!(reasons.len() as u64, dropped);
    insta::assert_snapshot!(format!("{}{}\n", site.transcript(), reasons.join("\n")));
}

#[test]
fn what_goes_wrong() {
    let mut site = world();
    site.file("empty/x.txt", "");
    site.file("none.toml", PIPELINE.replace("\"pages/\"", "\"nowhere/\""));
    site.file("folder.toml", PIPELINE.replace("\"pages/\"", "\"empty/\""));
    site.file("star.toml", PIPELINE.replace("*.jsonl", "*.warc"));
    site.file("filter.toml", PIPELINE.replace("gopher-quality", "gopher"));
    site.file("key.toml", PIPELINE.replace("[output]", "[output]\npart = 3"));
    site.file(
        "site.toml",
        PIPELINE.replace("[output]", "[extract]\nextractor = \"strata+site\"\n[output]"),
    );
    for name in ["none", "folder", "star", "filter", "key", "site", "missing"] {
        site.run(&format!("corpus run {name}.toml"));
    }
    site.run("corpus run --rejected corpus corpus.toml");
    site.run("corpus run --quiet corpus.toml");
    site.file("corpus.toml", PIPELINE.replace("min = 20", "min = 21"));
    site.run("corpus run corpus.toml");
    site.run("corpus run --restart --quiet corpus.toml");
    site.run("corpus filters nothing");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn filters_are_shown() {
    let mut site = Site::new(&[]);
    site.run("corpus filters gopher-repetition");
    let all = site.stdout("corpus filters");
    assert!(all.contains("\nfineweb\n") && all.contains("\n  line-punctuation = 0.12\n"), "{all}");
    insta::assert_snapshot!(site.transcript());
}

/// Every file of a folder; the state differs in nothing but what it says of itself.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect()
}

/// Killed again and again, at moments that nobody chose, a run ends with the files of one that was not: nothing is lost,
/// nothing is there twice, and near-duplicates of what was written before a kill are still found.
#[test]
fn runs_that_are_killed_go_on() {
    for format in ["jsonl.zst", "parquet"] {
        let site = Site::new(&[]);
        let mut lines = String::new();
        for number in 0..1200usize {
            // Every third page repeats one from long before, every seventh is too short.
            let text = match number {
                _ if number % 7 == 5 => "High water at noon.".to_owned(),
                _ if number % 3 == 2 => prose(number / 2),
                _ => prose(number),
            };
            let html = serde_json::Value::from(page(number, &text));
            let _ = writeln!(
                lines,
                "{{\"url\":\"https://a.example/{}\",\"html\":{html}}}",
                number % 900
            );
        }
        site.file("crawl.jsonl", lines);
        let pipeline = |folder: &str| {
            let part = format!("format = \"{format}\"\npart-size = \"60K\"");
            PIPELINE
                .replace("\"crawl.jsonl\", \"pages/\", \"texts/*.jsonl\"", "\"crawl.jsonl\"")
                .replace("format = \"jsonl\"", &part)
                .replace("\"corpus\"", &format!("\"{folder}\""))
        };
        site.file("corpus.toml", pipeline("out"));
        site.stdout("corpus run corpus.toml --rejected dropped --jobs 1 --quiet");
        let move_to = |from: &str, to: &str| {
            fs::rename(site.path().join(from), site.path().join(to)).unwrap();
        };
        move_to("out", "whole");
        move_to("dropped", "whole-dropped");
        let whole = files(&site.path().join("whole"));
        assert!(whole.len() > 5, "{:?}", whole.keys());
        let mut kills = 0;
        for round in 0.. {
            let jobs = 1 + round % 3;
            let command =
                format!("corpus run corpus.toml --rejected dropped --jobs {jobs} --quiet");
            let mut child = site.command(&command).stderr(Stdio::null()).spawn().unwrap();
            // Longer and longer, so that it comes to an end on any machine.
            let longer = 20.0 * 1.15f64.powi(round) + f64::from(round * 7919 % 13);
            thread::sleep(Duration::from_secs_f64(longer.min(30_000.0) / 1000.0));
            child.kill().unwrap();
            match child.wait().unwrap().code() {
                Some(0) => break,
                Some(code) => panic!("exit {code}"),
                None => kills += 1,
            }
        }
        assert!(kills > 0);
        let killed = files(&site.path().join("out"));
        assert_eq!(killed.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
        assert!(killed == whole, "{format}, {kills} kills");
        let (dropped, again) = ("whole-dropped", "dropped");
        assert!(files(&site.path().join(dropped)) == files(&site.path().join(again)), "{format}");
    }
}
