//! What hostile pages take of the memory that a page may take, as the system counts it.
//!
//! Each page is read and written in a process of its own, whose peak is compared with [`Limits::memory`]. `cargo test` does so
//! with some pages. With all: `WEBSTRATA_HOSTILE=1200 cargo test --release -p webstrata --test it -- --exact
//! torture::memory::no_page_takes_more_than_it_may --nocapture`.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use webstrata::{Extractor, Limits, Options, Page, Record, output};

use super::cases::CASES;
use super::{ALL, resident};
use crate::fuzz::{TOKENS, page_of_tokens};
use crate::pages;

/// How many pages, and megabytes that each may take.
const PAGES: &str = "WEBSTRATA_HOSTILE";
const MEGABYTES: &str = "WEBSTRATA_HOSTILE_MEMORY";
/// Names the file with a page, for the process that reads it.
const ONE: &str = "WEBSTRATA_HOSTILE_PAGE";

const FEW: usize = 24;
/// The most that a page takes, of what it may.
const MOST: f64 = 1.2;

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn budget() -> usize {
    number(MEGABYTES, 32) * 1_000_000
}

/// xorshift64*: the same pages on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }
}

/// A page of about `size` bytes, and what it is: one of the torture cases, a few tags over and over, or pieces of an invented page
/// that change from one to the next.
fn page(number: usize, size: usize) -> (String, Vec<u8>) {
    let mut random = Random(number as u64 + 1);
    match number % 3 {
        0 => {
            let case = &CASES[number / 3 % CASES.len()];
            let some = (case.make)(case.full / 100 + 1).len();
            let times = (case.full / 100 + 1) as f64 * size as f64 / some.max(1) as f64;
            (case.name.to_owned(), (case.make)(times as usize + 1))
        }
        1 => {
            let tokens: Vec<u8> =
                (0..1 + random.below(6)).map(|_| random.below(TOKENS.len()) as u8).collect();
            let piece = page_of_tokens(&tokens);
            let name = piece.escape_ascii().to_string();
            (name, piece.repeat(size / piece.len().max(1) + 1))
        }
        _ => {
            let slugs = pages::slugs();
            let slug = &slugs[random.below(slugs.len())];
            let whole = pages::page(slug);
            let mut page = Vec::new();
            while page.len() < size {
                let start = random.below(whole.len());
                let length = 1 + random.below((whole.len() - start).min(400));
                let from = page.len();
                let times = 1 + random.below(30);
                page.extend(whole[start..start + length].repeat(times));
                let at = from + random.below(page.len() - from);
                page[at] = random.below(256) as u8;
            }
            (format!("pieces of {slug}"), page)
        }
    }
}

/// Reads and writes the page of a file as a stream does with all parts; prints what that took.
#[test]
#[ignore = "is started by the test below"]
fn one() {
    let Ok(path) = std::env::var(ONE) else { return };
    let bytes = std::fs::read(path).expect("a page");
    let limits = Limits { memory: budget(), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let extractor = Extractor::default_builtin();
    // What is made once for all pages.
    let read = |bytes: &[u8]| {
        let page = extractor.extract_page(bytes, &options);
        let record = Record::of(&page, &output::RecordPart::ALL, &ALL);
        black_box(serde_json::to_string(&record).expect("plain data").len());
    };
    read(b"<title>Tides</title><p>High water is <a href=/>at noon</a>, the harbour office says.");
    let before = resident(true);
    let tell = |stage: &str| println!("@ {stage} {}", resident(false).saturating_sub(before));
    let mut page = Page::read(&bytes, extractor.cutting, &options);
    tell("read");
    extractor.apply_to(&mut page, &options);
    tell("extract");
    let record = Record::of(&page, &output::RecordPart::ALL, &ALL);
    tell("record");
    black_box(serde_json::to_string(&record).expect("plain data").len());
    tell("json");
    drop((record, page));
    let page = Page::read(&bytes, extractor.cutting, &options);
    black_box(output::highlight(&page.document, &page.tree).len());
    tell("highlight");
    black_box(output::Explanation::of(page, extractor, &output::RecordPart::ALL, &ALL));
    tell("explain");
}

/// The peaks of the stages, each with those before.
fn measured(path: &Path) -> Vec<(String, f64)> {
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "torture::memory::one", "--ignored", "--nocapture"])
        .env(ONE, path)
        .output()
        .expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines = stdout.lines().filter_map(|line| line.split_once("@ ")?.1.rsplit_once(' '));
    lines.map(|(stage, bytes)| (stage.to_owned(), bytes.parse().expect("a number"))).collect()
}

#[test]
fn no_page_takes_more_than_it_may() {
    if resident(true) == 0 {
        return crate::skipped::skipped("this system does not tell how much memory a process has");
    }
    let budget = budget();
    let count = number(PAGES, FEW);
    // Cases from the whole list, also where there are few pages.
    let step = (CASES.len() * 3 / count.max(1)).max(1);
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{}.html", std::process::id()));
    let mut found: Vec<(f64, String)> = Vec::new();
    for index in 0..count {
        let (name, page) = page(index / 3 * step * 3 + index % 3, budget / 4);
        std::fs::write(&path, &page).expect("a file");
        for (stage, bytes) in measured(&path) {
            found.push((
                bytes / budget as f64,
                format!("{index} {stage}: {} bytes of {name}", page.len()),
            ));
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (part, what) in found.iter().take(20) {
        println!("{part:.2}  {what}");
    }
    assert_eq!(found.len(), 6 * count);
    assert!(found[0].0 <= MOST, "{} of what it may: {}", found[0].0, found[0].1);
}
