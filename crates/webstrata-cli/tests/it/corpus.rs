//! `webstrata corpus`: from pages to a corpus.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::site::{LINKS, Site, TIDES, utf8};

/// A text of invented words that repeats nothing; the same for the same number.
pub(crate) fn prose(number: usize) -> String {
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

pub(crate) fn page(number: usize, text: &str) -> String {
    format!(
        "<html lang=en><title>Page {number}</title><ul><li><a href=/>Home</a></ul><h1>Page {number}</h1><p>{text}"
    )
}

pub(crate) const PIPELINE: &str = r#"
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

/// The only part in a folder, unpacked.
pub(crate) fn part(folder: &Path) -> String {
    String::from_utf8(part_bytes(folder)).unwrap()
}

/// The same of any bytes.
pub(crate) fn part_bytes(folder: &Path) -> Vec<u8> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_part = |path: &std::path::PathBuf| {
        path.file_name().unwrap().to_string_lossy().starts_with("part-")
    };
    let parts: Vec<_> = names.filter(is_part).collect();
    assert_eq!(parts.len(), 1, "{parts:?}");
    let bytes = fs::read(&parts[0]).unwrap();
    match parts[0].extension().unwrap().to_string_lossy().as_ref() {
        "zst" => zstd::decode_all(&bytes[..]).unwrap(),
        "gz" => {
            let mut unpacked = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).unwrap();
            unpacked
        }
        _ => bytes,
    }
}

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
    let lines = part(&folder);
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
    let rejected = part(&site.path().join("dropped"));
    let reasons: Vec<String> = rejected
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| format!("{} {}", line["rejected"].as_str().unwrap(), line["duplicate_of"]))
        .collect();
    assert_eq!(reasons.len() as u64, dropped);
    insta::assert_snapshot!(format!("{}{}\n", site.transcript(), reasons.join("\n")));
}

/// A notice that the extractor keeps stays on the first page only; what is then compared has no notice.
#[test]
fn what_pages_share_is_taken_out() {
    let site = Site::new(&[]);
    let notice = "Reprinted with kind permission of the harbour office.";
    let mut lines = String::new();
    let copy = format!("{notice}\n\n{}", prose(2));
    for (id, text) in [("a", prose(1)), ("b", prose(2)), ("c", copy)] {
        let record = serde_json::json!({"id": id, "text": format!("{text}\n\n{notice}\n")});
        let _ = writeln!(lines, "{record}");
    }
    site.file("records.jsonl", lines);
    let pipeline = "sources = [\"records.jsonl\"]\n[[deduplicate]]\nmethod = \"repeated-lines\"\n\
        [output]\nfolder = \"out\"\nformat = \"jsonl\"";
    site.file("corpus.toml", pipeline);
    let output = site.output("corpus run corpus.toml");
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(
        shown.contains("lines and paragraphs that other pages have, taken out: 1\n"),
        "{shown}"
    );
    assert!(shown.contains("dropped by deduplicate/repeated-lines: 1\n"), "{shown}");
    let lines = part(&site.path().join("out"));
    let texts: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0]["text"].as_str().unwrap().ends_with(&format!("\n\n{notice}\n")));
    assert_eq!(texts[1]["text"].as_str().unwrap().trim(), prose(2).trim());
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

/// A source that cannot be read is missing in the output, and every run says so until it is written anew.
#[test]
fn a_source_that_cannot_be_read_is_not_forgotten() {
    let site = world();
    site.file("bad.parquet", "PAR1 and nothing else");
    let sources = "sources = [\"crawl.jsonl\", \"bad.parquet\"]\n";
    let output = "[output]\nfolder = \"out\"\nformat = \"jsonl\"\n";
    site.file("bad.toml", format!("{sources}{output}"));
    for run in ["corpus run bad.toml --quiet"; 2] {
        let output = site.output(run);
        let told = utf8(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("could not be read: 1; the output lacks them"), "{told}");
    }
    site.file("bad.toml", format!("sources = [\"crawl.jsonl\"]\n{output}"));
    assert!(site.output("corpus run --restart bad.toml --quiet").stderr.is_empty());
}

#[test]
fn filters_are_shown() {
    let mut site = Site::new(&[]);
    site.run("corpus filters gopher-repetition");
    let all = site.stdout("corpus filters");
    assert!(all.contains("\nfineweb\n") && all.contains("\n  line-punctuation = 0.12\n"), "{all}");
    insta::assert_snapshot!(site.transcript());
}
