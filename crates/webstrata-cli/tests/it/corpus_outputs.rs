//! What `webstrata corpus run` writes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::corpus::{page, part, part_bytes, prose};
use crate::site::Site;

/// Three pages, one of them with structure.
fn world(output: &str) -> Site {
    let structured = format!(
        "<html lang=en><title>Tides</title><meta name=author content='Jane Doe'><h1>Tides</h1><p>{}<h2>High & low</h2>\
         <p>Water comes, <em>then</em> goes. {}<ul><li>One boat<li>Two boats</ul><table><tr><th>Day<th>Time<tr><td>1<td>12</table>",
        prose(1),
        prose(2)
    );
    let mut lines = String::new();
    for (url, html) in [
        ("tides?utm_source=x", &structured),
        ("", &page(2, &prose(3))),
        ("c/d", &page(3, &prose(4))),
    ] {
        let html = Value::from(html.as_str());
        let _ = writeln!(
            lines,
            "{{\"url\":\"https://www.a.example/{url}\",\"date\":\"2026-11-15\",\"html\":{html}}}"
        );
    }
    let site = Site::new(&[]);
    site.file("crawl.jsonl", lines);
    site.file(
        "corpus.toml",
        format!(
            "sources = [\"crawl.jsonl\"]\n[extract]\nwith = [\"markdown\", \"metadata\"]\n\
        [[deduplicate]]\nmethod = \"main-text\"\n{output}"
        ),
    );
    site
}

fn written(output: &str) -> (Site, Vec<u8>) {
    let site = world(&format!("[output]\nfolder = \"out\"\n{output}"));
    site.stdout("corpus run corpus.toml --quiet");
    let bytes = part_bytes(&site.path().join("out"));
    (site, bytes)
}

#[test]
fn lines_for_search_engines() {
    let (_, bytes) = written("format = \"bulk.jsonl.gz\"");
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    for pair in lines.chunks(2) {
        assert_eq!(pair[0], serde_json::json!({"index": {"_id": pair[1]["id"]}}));
        assert!(pair[1]["text"].is_string() && pair[1]["markdown"].is_string());
    }
}

#[test]
fn comma_separated_values() {
    let (_, bytes) = written("format = \"csv.zst\"");
    let text = String::from_utf8(bytes).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    assert!(
        head.starts_with("id,url,fetched,") && head.ends_with(",text,metadata,markdown"),
        "{head}"
    );
    assert!(
        rows.starts_with("crawl.jsonl#0,https://www.a.example/tides?utm_source=x,2026-11-15,"),
        "{rows}"
    );
    // Texts of several lines are quoted; quotes in them are doubled.
    assert!(
        rows.contains(",\"The slipway of the office number 1 was ")
            && rows.contains("{\"\"title\"\":"),
        "{rows}"
    );
}

#[test]
fn records_of_web_archives() {
    let (_, bytes) = written("format = \"warc.wet.gz\"");
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(
        text.matches("WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Date: 2026-11-15T00:00:00Z\r\n")
            .count(),
        3
    );
    let record = text.split("WARC/1.1\r\n").nth(3).unwrap();
    assert!(record.contains("WARC-Target-URI: https://www.a.example/c/d\r\n"), "{record}");
    assert!(
        record.contains("WARC-Identified-Content-Language: en\r\nContent-Type: text/plain"),
        "{record}"
    );
    let (head, block) = record.split_once("\r\n\r\n").unwrap();
    let length = head.split_once("Content-Length: ").unwrap().1;
    assert_eq!(length.parse::<usize>().unwrap(), block.len() - "\r\n\r\n".len());
}

#[test]
fn tables_with_what_was_asked_for() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let (site, bytes) = written("format = \"parquet\"");
    site.file("copy.parquet", bytes);
    let file = fs::File::open(site.path().join("copy.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let names: BTreeSet<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
    assert!(
        ["id", "text", "markdown", "metadata"].iter().all(|name| names.contains(name)),
        "{names:?}"
    );
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[0].to_string().contains("## High & low"), "{}", rows[0]);
    let (_, bytes) = written("format = \"arrow\"");
    assert!(bytes.starts_with(b"ARROW1") && bytes.ends_with(b"ARROW1"));
}

#[test]
fn a_file_for_each_page() {
    let output = |files: &str| format!("[output]\nfolder = \"out\"\nfiles = \"{files}\"");
    for (files, name, has) in [
        ("text", "pages/a.example/tides-1.txt", "\n\nHigh & low\n\n"),
        ("markdown", "pages/a.example/tides-1.md", "## High & low"),
        ("html", "pages/a.example/tides-1.html", "<em>then</em>"),
        ("json", "pages/a.example/tides-1.json", "\"markdown\":"),
        ("xml", "pages/a.example/tides-1.xml", "<head rend=\"h2\">High &amp; low</head>"),
        (
            "tei",
            "pages/a.example/tides-1.xml",
            "<ab rend=\"h2\" type=\"header\">High &amp; low</ab>",
        ),
    ] {
        let site = world(&output(files));
        site.stdout("corpus run corpus.toml --quiet");
        let list = part(&site.path().join("out"));
        let listed: Vec<Value> =
            list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(listed[0]["file"], name);
        for line in &listed {
            let content =
                fs::read(site.path().join("out").join(line["file"].as_str().unwrap())).unwrap();
            assert_eq!(line["bytes"], content.len());
        }
        let content = fs::read_to_string(site.path().join("out").join(name)).unwrap();
        assert!(content.contains(has), "{files}: {content}");
        assert_eq!(listed.len(), 3);
    }
}

#[test]
fn pieces_for_retrieval() {
    let site =
        world("[chunk]\nsize = 50\noverlap = 10\n[output]\nfolder = \"out\"\nformat = \"jsonl\"");
    site.stdout("corpus run corpus.toml --quiet");
    let whole = world("[output]\nfolder = \"out\"\nformat = \"jsonl\"");
    whole.stdout("corpus run corpus.toml --quiet");
    let lines = |site: &Site| -> Vec<Value> {
        part(&site.path().join("out"))
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (pieces, pages) = (lines(&site), lines(&whole));
    assert!(pieces.len() > 10);
    for piece in &pieces {
        let place = &piece["chunk"];
        let page = pages.iter().find(|page| page["id"] == place["page"]).unwrap();
        let text: Vec<char> = page["text"].as_str().unwrap().chars().collect();
        let at = |name: &str| place[name].as_u64().unwrap() as usize;
        let cut: String = text[at("start")..at("end")].iter().collect();
        assert_eq!(piece["text"], cut.as_str());
        assert!(piece["words"].as_u64().unwrap() <= 50);
    }
    let last = pieces.iter().rfind(|piece| piece["chunk"]["page"] == "crawl.jsonl#0").unwrap();
    assert_eq!(last["chunk"]["headings"], serde_json::json!(["Tides", "High & low"]), "{last}");
}

#[test]
fn the_report_and_the_card() {
    let mut site = world(
        "[[filter]]\nname = \"words\"\nmin = 400\n[output]\nfolder = \"out\"\nformat = \"jsonl\"",
    );
    site.run("corpus run corpus.toml --report report.html");
    site.stdout("corpus run corpus.toml --report report.svg --quiet");
    let page = fs::read_to_string(site.path().join("report.html")).unwrap();
    let picture = fs::read_to_string(site.path().join("report.svg")).unwrap();
    assert!(page.contains(&picture) && picture.starts_with("<svg "));
    let card = fs::read_to_string(site.path().join("out/datacard.md")).unwrap();
    insta::assert_snapshot!(format!("{}\n{page}\n{card}", site.transcript()));
}
