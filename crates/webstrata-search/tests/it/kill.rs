//! Whoever writes an index is killed, at any moment, and nothing that was committed is lost.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use webstrata_search::{Entry, Index, IndexOptions, Query, WriterOptions};

use crate::index::page;

/// Names the index that a child writes to.
const FOLDER: &str = "WEBSTRATA_TEST_INDEX";
/// How often the writers of one index are killed; `WEBSTRATA_KILLS` says how often in all, with a new index after these.
const ROUNDS: u64 = 12;
/// Pages between commits.
const COMMIT: u64 = 7;
/// Pages of a writer that nobody kills.
const PAGES: u64 = 600;

fn pages() -> impl Iterator<Item = Entry> {
    (0..PAGES).map(|n| {
        page(&format!("https://example.org/{n}"), "Tides", &format!("high water number{n}"))
    })
}

/// Not a test but the writer: says how many pages are in after each commit.
#[test]
#[ignore = "is started by the test below"]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let index = Index::open_or_create(Path::new(&folder), &IndexOptions::default()).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    let mut seen = 0;
    for page in pages() {
        writer.add(&page).unwrap();
        seen += 1;
        if writer.uncommitted() >= COMMIT {
            writer.commit().unwrap();
            println!("committed {seen}");
        }
    }
    writer.finish().unwrap();
    println!("committed {seen}");
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads what a writer says; kills it some time after so many commits. How many pages it said were in.
fn kill_after(mut child: Child, commits: u64, delay: Duration) -> u64 {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = 0;
    let mut heard = 0;
    while heard < commits
        && let Some(Ok(line)) = lines.next()
    {
        if let Some(count) = line.strip_prefix("committed ").and_then(|count| count.parse().ok()) {
            said = count;
            heard += 1;
        }
    }
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said between and what is still in the pipe counts, too.
    for line in lines.map_while(Result::ok) {
        if let Some(count) = line.strip_prefix("committed ").and_then(|count| count.parse().ok()) {
            said = count;
        }
    }
    said
}

/// All that was said to be in is there, once, under numbers without gaps.
fn check(folder: &Path, least: u64) -> u64 {
    let index = Index::open(folder).unwrap();
    index.check().unwrap();
    let contents = index.contents().unwrap();
    assert!(contents.documents >= least, "{} of {least}", contents.documents);
    assert_eq!((contents.accepted, contents.numbers), (contents.documents, contents.documents));
    let (mut ids, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    let searcher = index.searcher().unwrap();
    searcher
        .each_id(|number, id| {
            assert!(ids.insert(id.to_owned()), "{id} twice");
            assert!(numbers.insert(number), "{number} twice");
        })
        .unwrap();
    assert_eq!(ids.len() as u64, contents.documents);
    assert_eq!(numbers.last().map_or(0, |last| last + 1), contents.documents);
    for n in (0..contents.documents).step_by(50) {
        let hits = searcher.search(&Query::new(format!("number{n}"))).unwrap();
        assert_eq!(hits.total, 1, "page {n} of {}", contents.documents);
    }
    contents.documents
}

#[test]
fn nothing_committed_is_lost() {
    let kills = std::env::var("WEBSTRATA_KILLS").map_or(ROUNDS, |kills| kills.parse().unwrap());
    let series = (0..kills).step_by(ROUNDS as usize);
    let committed: Vec<u64> =
        series.map(|first| kill_writers(first..kills.min(first + ROUNDS))).collect();
    assert!(committed.iter().any(|pages| *pages > 0), "no writer lived long enough to commit");
}

/// Kills writers of one index, and lets the last one end. The most pages that one of those that were killed had committed.
fn kill_writers(rounds: Range<u64>) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("index");
    let (mut documents, mut most_commits) = (0, 0);
    for round in rounds {
        // Before the first commit, between commits, in the middle of one or of a merge.
        let delay = Duration::from_micros(round * 1_709 % 9_000);
        let said = kill_after(start(&folder), round % 5 * 4, delay);
        if !folder.join("index.json").exists() {
            assert_eq!(said, 0);
            continue;
        }
        let now = check(&folder, said.max(documents));
        most_commits = most_commits.max(said);
        documents = now;
    }
    // Whoever comes after them finds no lock and brings it to an end.
    let mut last = start(&folder);
    let mut lines = BufReader::new(last.stdout.take().unwrap()).lines();
    while lines.next().is_some_and(|line| line.is_ok()) {}
    assert!(last.wait().unwrap().success());
    assert_eq!(check(&folder, PAGES), PAGES);
    most_commits
}
