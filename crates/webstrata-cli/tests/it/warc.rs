//! Archives in bulk.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use webstrata_archive::warc_writer::{Exchange, Packing, Truncated, WarcWriterOptions, Writer};

use crate::site::{LINKS, Site, TIDES, utf8};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";

const GERMAN: &str = "<html lang=en><title>Gezeiten</title><p>Das Hochwasser an der Hafenbarre kommt eine \
    halbe Stunde sp\u{e4}ter als in der gedruckten Tafel steht, weil die neue Mole die letzte Flut auf ihrem \
    Weg in den Hafen bremst, und das ist f\u{fc}r alle Boote wichtig, die am Morgen auslaufen.";

/// Writes an archive `crawl-00000.warc…` of these responses.
fn archive(site: &Site, packing: Packing, answers: &[(&[u8], &str, Option<Truncated>)]) -> String {
    let settings = WarcWriterOptions { packing, ..WarcWriterOptions::default() };
    let mut writer = Writer::create(site.path(), "crawl", settings).unwrap();
    let mut file = None;
    for (number, (head, body, truncated)) in answers.iter().enumerate() {
        let url = format!("https://example.org/{number}");
        let exchange = Exchange {
            response_head: head,
            body: body.as_bytes(),
            truncated: *truncated,
            ..Exchange::new(&url, UNIX_EPOCH + Duration::from_secs(1_794_744_000))
        };
        file = Some(writer.response(&exchange).unwrap().file);
    }
    file.unwrap().file_name().unwrap().to_str().unwrap().to_owned()
}

/// Many pages of very different lengths, with damage among them.
fn uneven(packing: Packing) -> (Site, String) {
    let site = Site::new(&[]);
    let pages: Vec<String> = (0..150)
        .map(|number| format!("{}<p>Page {number}", TIDES.repeat(1 + (number * 7919) % 30)))
        .collect();
    let mut answers: Vec<(&[u8], &str, Option<Truncated>)> =
        pages.iter().map(|page| (HEAD, &page[..], None)).collect();
    answers[20].1 = "%PDF-1.7";
    answers[30].1 = "";
    answers[40].0 = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n";
    let name = archive(&site, packing, &answers);
    let path = site.path().join(&name);
    let mut bytes = fs::read(&path).unwrap();
    for at in [bytes.len() / 3, bytes.len() / 2] {
        bytes[at] ^= 0x55;
    }
    let cut = bytes.len() - 10;
    fs::write(&path, &bytes[..cut]).unwrap();
    (site, name)
}

/// The files of a folder and what is in them.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
    files.keys().map(String::as_str).collect()
}

fn gunzipped(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut lines).unwrap();
    lines
}

#[test]
fn records_and_their_origin() {
    let mut site = Site::new(&[]);
    let not_found = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n";
    let image = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
    let name = archive(
        &site,
        Packing::Plain,
        &[
            (HEAD, TIDES, Some(Truncated::Length)),
            (not_found, LINKS, None),
            (image, "png", None),
            (HEAD, GERMAN, None),
            (HEAD, LINKS, None),
            (HEAD, "%PDF-1.7", None),
            (HEAD, TIDES, None),
        ],
    );
    let path = site.path().join(&name);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    site.run(&format!("warc {name} --out all --compress none"));
    site.run(&format!("warc {name} --out some --compress none --language de --min-words 5"));
    site.run(&format!("warc {name} --out errors --compress none --status 404"));
    let mut shown = site.transcript().to_owned();
    for file in
        ["all/part-00000.jsonl", "all/summary.json", "some/part-00000.jsonl", "some/summary.json"]
    {
        shown += &format!("{file}\n{}\n", fs::read_to_string(site.path().join(file)).unwrap());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn mistakes() {
    let mut site = Site::new(&[("page.html", TIDES), ("old/part-00000.jsonl", "{}")]);
    let name = archive(&site, Packing::Gzip, &[(HEAD, TIDES, None)]);
    fs::create_dir(site.path().join("empty")).unwrap();
    site.run(&format!("warc {name} --out out --quiet"));
    site.run(&format!("warc {name} --out out --quiet"));
    for wrong in [
        format!("warc {name} --out out --min-words 3"),
        format!("warc {name} --out out --format parquet --compress gzip"),
        format!("warc {name} --out old"),
        format!("warc {name} --out page.html"),
        format!("warc {name} --out -"),
        format!("warc {name}"),
        format!("warc {name} --out new --status all"),
        format!("warc {name} --out new --language English"),
        "warc page.html --out new".into(),
        "warc none.warc.gz --out new".into(),
        "warc empty --out new".into(),
    ] {
        site.run(&wrong);
    }
    site.run(&format!("warc {name} --out out --min-words 3 --restart --quiet"));
    insta::assert_snapshot!(site.transcript());
    assert!(!site.path().join("new").exists());
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let (site, name) = uneven(Packing::Gzip);
    for format in ["--compress none", "--compress gzip", "", "--format parquet"] {
        let run = |jobs: usize| {
            let out = format!("out-{jobs}");
            let _ = fs::remove_dir_all(site.path().join(&out));
            let command = format!("warc {name} --out {out} --jobs {jobs} --part-size 20K {format}");
            let output = site.output(&command);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            (files(&site.path().join(out)), output.stderr)
        };
        let (one, said) = run(1);
        assert_eq!((&one, &said), (&run(4).0, &run(3).1), "{format}");
        assert!(one.len() > 8, "{:?}", names(&one));
    }
}

/// All formats hold the same records.
#[test]
fn formats_agree() {
    let (site, name) = uneven(Packing::Zstd);
    let run = |out: &str, format: &str| {
        site.stdout(&format!("warc {name} --out {out} {format}"));
        let mut files = files(&site.path().join(out));
        let part = names(&files).iter().find(|name| name.starts_with("part-")).unwrap().to_string();
        files.remove(&part).unwrap()
    };
    let lines = run("plain", "--compress none");
    assert_eq!(gunzipped(&run("gzip", "--compress gzip")), lines);
    assert_eq!(zstd::decode_all(&run("zstd", "")[..]).unwrap(), lines);
    run("table", "--format parquet");
    let table = fs::File::open(site.path().join("table/part-00000.parquet")).unwrap();
    let reader = SerializedFileReader::new(table).unwrap();
    let mut rows = reader.get_row_iter(None).unwrap();
    let mut count = 0;
    for line in utf8(&lines).lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let row = rows.next().unwrap().unwrap();
        let cells: BTreeMap<&str, &Field> =
            row.get_column_iter().map(|(name, field)| (&name[..], field)).collect();
        for (column, expect) in [
            ("id", &json["id"]),
            ("url", &json["url"]),
            ("title", &json["title"]),
            ("text", &json["text"]),
            ("language", &json["language"]),
            ("text_language", &json["text_language"]),
            ("page_type", &json["page_type"]),
            ("fetched", &json["fetched"]),
            ("digest", &json["digest"]),
            ("record_id", &json["record_id"]),
            ("file", &json["file"]),
        ] {
            let cell = match cells[column] {
                Field::Str(text) => serde_json::Value::from(text.clone()),
                Field::Null => serde_json::Value::Null,
                other => panic!("{column}: {other:?}"),
            };
            assert_eq!(&cell, expect, "{column}");
        }
        assert_eq!(*cells["offset"], Field::Long(json["offset"].as_i64().unwrap()));
        assert_eq!(*cells["words"], Field::Int(json["words"].as_i64().unwrap() as i32));
        assert_eq!(*cells["truncated"], Field::Bool(json["truncated"] == true));
        count += 1;
    }
    assert!(rows.next().is_none() && count > 130, "{count}");
}

/// Killed again and again, at moments that nobody chose, a run ends with the files of one that was not.
#[test]
fn runs_that_are_killed_go_on() {
    for (packing, options) in [
        (Packing::Gzip, "--part-size 30K"),
        (Packing::Plain, "--part-size 60K --format parquet"),
        (Packing::Zstd, "--part-size 10K --min-words 300 --compress gzip"),
    ] {
        let (site, name) = uneven(packing);
        site.stdout(&format!("warc {name} --out whole {options} --jobs 1 --quiet"));
        let whole = files(&site.path().join("whole"));
        assert!(whole.len() > 5, "{:?}", names(&whole));
        let mut kills = 0;
        for round in 0.. {
            let jobs = 1 + round % 3;
            let command = format!("warc {name} --out killed {options} --jobs {jobs} --quiet");
            let mut child = site.command(&command).stderr(Stdio::null()).spawn().unwrap();
            // Longer and longer, so that it comes to an end on any machine.
            let longer = 1.15f64.powi(round) + f64::from(round * 7919 % 13);
            thread::sleep(Duration::from_secs_f64(longer.min(30_000.0) / 1000.0));
            child.kill().unwrap();
            match child.wait().unwrap().code() {
                Some(0) => break,
                Some(code) => panic!("exit {code}"),
                None => kills += 1,
            }
        }
        assert!(kills > 0);
        let killed = files(&site.path().join("killed"));
        assert_eq!(names(&killed), names(&whole), "{packing:?}");
        assert_eq!(killed, whole, "{packing:?} {kills}");
    }
}

#[test]
fn limits_reach_pages_of_archives() {
    let site = Site::new(&[]);
    let long = format!("<p>{}</p>", "High water comes at noon. ".repeat(4000));
    // Over what is unpacked by default.
    let longer = format!("<p>High water{}at noon", " ".repeat(70 << 20));
    let name = archive(&site, Packing::Gzip, &[(HEAD, &long, None), (HEAD, &longer, None)]);
    let run = |out: &str, most: &str| {
        let command = format!(
            "warc {name} --out {out} --extractor keep-all --compress none --max-bytes {most}"
        );
        site.stdout(&command);
        let read = |file: &str| fs::read_to_string(site.path().join(out).join(file)).unwrap();
        let lines = read("part-00000.jsonl");
        let lines: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
        let limits: Vec<String> = lines.iter().map(|line| line["limits"].to_string()).collect();
        (limits, summary["problems"].to_string())
    };
    assert_eq!(run("few", "50K"), (vec!["[\"bytes\"]".into()], "{\"too-long\":1}".into()));
    let all = run("all", "128M");
    assert_eq!(all, (vec!["[]".into(), "[]".into()], "{}".into()));
}

fn summary(site: &Site, folder: &str) -> serde_json::Value {
    let text = fs::read_to_string(site.path().join(folder).join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_page_that_ends_the_program_is_set_aside() {
    let mut site = Site::new(&[]);
    let large = format!("{TIDES}{}", " ".repeat(1 << 20));
    let name = archive(&site, Packing::Gzip, &[(HEAD, &large, None), (HEAD, GERMAN, None)]);
    site.run(&format!("warc {name} --out all --compress none --quiet"));
    let written = fs::read_to_string(site.path().join("all/part-00000.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    // What two runs leave that end with this page.
    fs::create_dir(site.path().join("out")).unwrap();
    let deaths = format!("2 0:{}:0\n", first["offset"]);
    fs::write(site.path().join("out/.under-way.deaths"), deaths).unwrap();
    site.run(&format!("warc {name} --out out --quiet"));
    let summary = summary(&site, "out");
    assert_eq!((&summary["problems"]["killed"], &summary["written"]), (&1.into(), &1.into()));
    assert!(!site.path().join("all/.under-way").exists());
}

#[test]
fn digests_are_compared_where_that_is_asked() {
    let mut site = Site::new(&[]);
    let name = archive(&site, Packing::Plain, &[(HEAD, TIDES, None), (HEAD, GERMAN, None)]);
    let path = site.path().join(&name);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("Das Hochwasser", "Der Hochwasser", 1)).unwrap();
    site.run(&format!("warc {name} --out plain --quiet"));
    site.run(&format!("warc {name} --out verified --quiet --verify"));
    let (plain, verified) = (summary(&site, "plain"), summary(&site, "verified"));
    assert_eq!((&plain["written"], &plain["passed_over_bytes"]), (&2.into(), &0.into()));
    assert_eq!(
        (&verified["written"], &verified["problems"]["wrong-digest"]),
        (&1.into(), &1.into())
    );
    assert!(verified["passed_over_bytes"].as_u64().unwrap() > 300);
}
