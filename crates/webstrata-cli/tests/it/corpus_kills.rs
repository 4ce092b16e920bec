//! `webstrata corpus run`, killed, stopped by a full disk, and given more to read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::corpus::{PIPELINE, page, prose};
use crate::site::Site;

/// Every file of a folder and of those in it.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(
                files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            );
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// Pages from one number to another, as JSON lines. Every third repeats one from long before, every seventh is too short, every
/// fourth has a notice.
pub(crate) fn crawl(from: usize, to: usize) -> String {
    let mut lines = String::new();
    for number in from..to {
        let text = match number {
            _ if number % 7 == 5 => "High water at noon.".to_owned(),
            // The same paragraph but for its end, so that it is no repeated line.
            _ if number % 3 == 2 => format!("{} It was page {number}.", prose(number / 2)),
            _ => prose(number),
        };
        let text = match number % 4 {
            0 => format!("{text}<p>Reprinted with kind permission of the harbour office."),
            _ => text,
        };
        let html = serde_json::Value::from(page(number, &text));
        let url = number % 900;
        let _ = writeln!(lines, "{{\"url\":\"https://a.example/{url}\",\"html\":{html}}}");
    }
    lines
}

/// A pipeline with all kinds of steps.
pub(crate) fn pipeline(output: &str) -> String {
    let (steps, _) = PIPELINE.split_once("[output]").unwrap();
    steps.replace("\"crawl.jsonl\", \"pages/\", \"texts/*.jsonl\"", "\"crawl*.jsonl\"").replacen(
        "[[dedup",
        "[[deduplicate]]\nmethod = \"repeated-lines\"\n\n[[dedup",
        1,
    ) + output
}

pub(crate) const OUTPUTS: [(&str, &str); 4] = [
    ("lines", "[output]\nfolder = \"out\"\npart-size = \"60K\"\nformat = \"jsonl.zst\""),
    ("table", "[output]\nfolder = \"out\"\npart-size = \"60K\"\nformat = \"parquet\""),
    (
        "pieces",
        "[chunk]\nsize = 60\noverlap = 20\n[output]\nfolder = \"out\"\npart-size = \"60K\"\nformat = \"csv.gz\"",
    ),
    ("files", "[output]\nfolder = \"out\"\npart-size = \"60K\"\nfiles = \"tei\""),
];

const RUN: &str = "corpus run corpus.toml --rejected dropped --quiet --jobs";

fn move_to(site: &Site, from: &str, to: &str) {
    fs::rename(site.path().join(from), site.path().join(to)).unwrap();
}

/// Killed at random moments again and again, a run ends with the files of one that was not: nothing is lost, nothing is
/// there twice, and what repeats something written before a kill is still found. `WEBSTRATA_KILLS` sets how many kills (8).
#[test]
fn runs_that_are_killed_go_on() {
    let kills = std::env::var("WEBSTRATA_KILLS").map_or(8, |kills| kills.parse().unwrap());
    let mut random = 7u64;
    let mut below = |most: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most.max(1)
    };
    for (number, (name, output)) in OUTPUTS.into_iter().enumerate() {
        let site = Site::new(&[]);
        site.file("crawl.jsonl", crawl(0, 600));
        site.file("corpus.toml", pipeline(output));
        let start = Instant::now();
        site.stdout(&format!("{RUN} 1"));
        let whole_time = start.elapsed().as_micros() as u64;
        move_to(&site, "out", "whole");
        move_to(&site, "dropped", "whole-dropped");
        let whole = files(&site.path().join("whole"));
        let dropped = files(&site.path().join("whole-dropped"));
        assert!(whole.len() > 5, "{:?}", whole.keys());
        let wanted = (kills + number) / OUTPUTS.len();
        let (mut killed, mut ended) = (0, 0);
        while killed < wanted || ended == 0 {
            let jobs = 1 + below(3);
            let mut child =
                site.command(&format!("{RUN} {jobs}")).stderr(Stdio::null()).spawn().unwrap();
            // Enough kills: this one comes to its end.
            if killed < wanted {
                thread::sleep(Duration::from_micros(below(whole_time)));
                child.kill().unwrap();
            }
            match child.wait().unwrap().code() {
                None => killed += 1,
                Some(0) => {
                    ended += 1;
                    let again = files(&site.path().join("out"));
                    assert_eq!(
                        again.keys().collect::<Vec<_>>(),
                        whole.keys().collect::<Vec<_>>(),
                        "{name}"
                    );
                    assert!(again == whole, "{name}, {killed} kills");
                    assert!(
                        files(&site.path().join("dropped")) == dropped,
                        "{name}, {killed} kills"
                    );
                    fs::remove_dir_all(site.path().join("out")).unwrap();
                    fs::remove_dir_all(site.path().join("dropped")).unwrap();
                }
                Some(code) => panic!("{name}: exit {code}"),
            }
        }
    }
}

/// New files are read behind the old ones, and compared with what the old ones had.
#[test]
fn more_is_added_to_a_corpus() {
    for (name, output) in OUTPUTS {
        let site = Site::new(&[]);
        site.file("corpus.toml", pipeline(output));
        // Its name comes before that of the first.
        site.file("crawl-9.jsonl", crawl(0, 60));
        site.stdout(&format!("{RUN} 2"));
        let before = files(&site.path().join("out"));
        site.file("crawl-1.jsonl", crawl(30, 90));
        site.stdout(&format!("{RUN} 2"));
        let after = files(&site.path().join("out"));
        let is_kept = |(file, bytes): (&String, &Vec<u8>)| {
            file.ends_with(".json") || file.ends_with(".md") || after.get(file) == Some(bytes)
        };
        assert!(before.iter().all(is_kept), "{name}");
        let counts = |files: &BTreeMap<String, Vec<u8>>| {
            let manifest: serde_json::Value =
                serde_json::from_slice(&files["manifest.json"]).unwrap();
            let dropped = manifest["counts"]["dropped"].as_object().unwrap().iter();
            let repeated = dropped.filter(|(reason, _)| reason.starts_with("deduplicate/"));
            let repeated: u64 = repeated.map(|(_, count)| count.as_u64().unwrap()).sum();
            (manifest["counts"]["read"].as_u64().unwrap(), repeated)
        };
        let (read, repeated) = counts(&after);
        let more = repeated - counts(&before).1;
        // Half of the new pages repeat old ones, less those that are too short.
        assert!(read == 120 && more >= 20, "{name}: {more}");
        // A file that grew is another file.
        site.file("crawl-1.jsonl", crawl(30, 91));
        let output = site.output(&format!("{RUN} 2"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains("crawl-1.jsonl: has another length than when it was read"), "{said}");
    }
}

/// A disk that is full stops a run with one line; the same command goes on once there is room.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_with_one_line() {
    for (name, output) in OUTPUTS {
        let site = Site::new(&[]);
        site.file("corpus.toml", pipeline(output));
        site.file("crawl.jsonl", crawl(0, 300));
        site.stdout(&format!("{RUN} 1"));
        let whole = files(&site.path().join("out"));
        fs::remove_dir_all(site.path().join("out")).unwrap();
        fs::remove_dir_all(site.path().join("dropped")).unwrap();
        // No file may have more than so many blocks of 512 bytes; that is told as a full disk is. Without the signal that
        // would end the program.
        let full = |blocks: u32| {
            let program = crate::PROGRAM.1;
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} {RUN} 1");
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &script]).current_dir(site.path()).output().unwrap()
        };
        let output = full(2);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        assert!(said.contains("make room and run the same command"), "{name}: {said}");
        site.stdout(&format!("{RUN} 1"));
        assert!(files(&site.path().join("out")) == whole, "{name}");
    }
}
