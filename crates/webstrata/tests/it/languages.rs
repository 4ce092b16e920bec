//! The default extractor on invented pages in many languages and encodings, `tests/languages`: the text that it writes,
//! with the title.
//!
//! Beside each `page.html` stands `lines.txt`, the whole of the page's main text and what must not
//! be taken for it. A line of it begins with
//!
//! - `+`: main text, which must be there;
//! - `-`: a menu, a teaser, a comment, which must not;
//! - `?`: dates, names of authors, prices, reviews of a product: either is fine;
//! - `~+` and `~-`: the same as without the tilde, but known to go wrong. Such a line still counts
//!   among the words;
//! - `~`: why the page as a whole is known to go wrong. Nothing of its text is checked.
//!
//! What is known to go wrong and no longer does is named, so that the tilde can go.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use webstrata::output::{self, OutputOptions};
use webstrata::{Document, Part, extract};

use crate::pages::words;

/// Each page with the encoding of its bytes, by its WHATWG name.
const PAGES: &[(&str, &str)] = &[
    ("ar", "UTF-8"),
    ("de", "windows-1252"),
    ("el", "UTF-8"),
    ("en", "UTF-8"),
    ("es", "UTF-8"),
    ("fi", "UTF-8"),
    ("fr", "UTF-8"),
    ("he", "UTF-8"),
    ("hi", "UTF-8"),
    ("it", "UTF-8"),
    ("ja", "Shift_JIS"),
    ("ja-utf8", "UTF-8"),
    ("ko", "EUC-KR"),
    ("pl", "UTF-8"),
    ("pt", "UTF-8"),
    ("ru", "windows-1251"),
    ("th", "UTF-8"),
    ("tr", "UTF-8"),
    ("uk", "UTF-8"),
    ("vi", "UTF-8"),
    ("zh-hans", "UTF-8"),
    ("zh-hant", "Big5"),
];

/// More lines and pages than these that are known to go wrong are a reason to look at the model.
const MOST_KNOWN_FAILURES: usize = 17;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages")
}

fn page(slug: &str) -> Vec<u8> {
    std::fs::read(folder().join(slug).join("page.html")).expect("every slug has a page")
}

/// What must become of a line.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Main,
    Boilerplate,
    Either,
    /// No text of the page, but why it goes wrong.
    Why,
}

struct Line {
    mark: Mark,
    known_failure: bool,
    text: String,
}

fn lines(slug: &str) -> Vec<Line> {
    let file = std::fs::read_to_string(folder().join(slug).join("lines.txt"));
    let read = |line: &str| {
        let (sign, text) = line.split_once(' ').expect("a sign, a space, the text");
        let mark = match sign.trim_start_matches('~') {
            "+" => Mark::Main,
            "-" => Mark::Boilerplate,
            "?" => Mark::Either,
            "" => Mark::Why,
            other => panic!("{slug}: no such sign: {other:?}"),
        };
        Line { mark, known_failure: sign.starts_with('~'), text: text.into() }
    };
    file.expect("every page has its lines").lines().map(read).collect()
}

/// A text without its spaces: whether there is one between two inline elements is another question.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The shares of the main text's words that were found, and of the found words that are foreign.
fn shares(text: &str, lines: &[Line]) -> (f64, f64) {
    let bag = |mark: Mark| {
        let mut bag: HashMap<String, usize> = HashMap::new();
        let texts = lines.iter().filter(|line| line.mark == mark);
        texts
            .flat_map(|line| words(&line.text))
            .for_each(|word| *bag.entry(word).or_default() += 1);
        bag
    };
    let take = |bag: &mut HashMap<String, usize>, word: &str| {
        let left = bag.get_mut(word).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    let (mut main, mut either) = (bag(Mark::Main), bag(Mark::Either));
    let expected: usize = main.values().sum();
    let (mut found, mut foreign) = (0usize, 0usize);
    for word in words(text) {
        if take(&mut main, &word) {
            found += 1;
        } else if !take(&mut either, &word) {
            foreign += 1;
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    (share(found, expected), share(foreign, found + foreign))
}

#[test]
fn every_language_is_known() {
    let listed = std::fs::read_dir(folder()).expect("tests/languages is there");
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("ASCII");
    let mut listed: Vec<_> = listed.map(|entry| name(entry.expect("readable"))).collect();
    listed.sort();
    assert_eq!(listed, PAGES.iter().map(|(slug, _)| *slug).collect::<Vec<_>>());
}

/// What goes wrong with the text of a page, and how many lines were excused.
fn failures(slug: &str, text: &str, lines: &[Line]) -> (Vec<String>, usize) {
    let (mut wrong, mut excused) = (Vec::new(), 0);
    let plain = squeezed(text);
    for Line { mark, known_failure, text } in lines {
        let is_there = plain.contains(&squeezed(text));
        let failure = match mark {
            Mark::Main if !is_there => "lost",
            Mark::Boilerplate if is_there => "kept",
            Mark::Main | Mark::Boilerplate if *known_failure => {
                eprintln!("{slug}: right by now: {text}");
                continue;
            }
            _ => continue,
        };
        if *known_failure {
            excused += 1;
        } else {
            wrong.push(format!("{slug}: {failure}: {text}"));
        }
    }
    let (found, foreign) = shares(text, lines);
    if found < 0.9 || foreign > 0.1 {
        wrong.push(format!("{slug}: {found:.3} of the words found, {foreign:.3} foreign"));
    }
    (wrong, excused)
}

#[test]
fn main_text_is_found_in_every_language() {
    let (mut wrong, mut excused_lines, mut excused_pages) = (Vec::new(), 0, 0);
    for (slug, encoding) in PAGES {
        let (bytes, lines) = (page(slug), lines(slug));
        let page = extract(&bytes);
        let options = OutputOptions {
            include: [Part::Title].into_iter().collect(),
            ..OutputOptions::DEFAULT
        };
        let text = output::text(&page, &options);
        let document = page.document;
        if document.encoding != *encoding {
            wrong.push(format!("{slug}: decoded from {}, not {encoding}", document.encoding));
        }
        if document.extractor != "strata" {
            wrong.push(format!("{slug}: fell back to {}", document.extractor));
        }
        let (page_type, confidence) = (document.page_type, document.confidence);
        if page_type.is_none() || !confidence.is_some_and(|c| (0.0..=1.0).contains(&c)) {
            wrong.push(format!("{slug}: {page_type:?}, confidence {confidence:?}"));
        }
        let (found, foreign) = shares(&text, &lines);
        let name = page_type.map_or("none", |page_type| page_type.name());
        let confidence = confidence.unwrap_or_default();
        eprintln!("{slug:<8} found {found:.3} foreign {foreign:.3} {name} {confidence:.2}");
        let (failures, excused) = failures(slug, &text, &lines);
        excused_lines += excused;
        match lines.iter().find(|line| line.mark == Mark::Why) {
            Some(why) if !failures.is_empty() => {
                eprintln!("{slug}: known to go wrong: {}", why.text);
                failures.iter().for_each(|failure| eprintln!("  {failure}"));
                excused_pages += 1;
            }
            Some(_) => eprintln!("{slug}: right by now"),
            None => wrong.extend(failures),
        }
    }
    eprintln!("{excused_lines} lines and {excused_pages} pages are known to go wrong");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(excused_lines + excused_pages <= MOST_KNOWN_FAILURES, "too many known failures");
}

#[test]
fn order_and_threads_change_nothing() {
    let pages: Vec<_> = PAGES.iter().map(|(slug, _)| page(slug)).collect();
    let read = |page: &Vec<u8>| {
        let document: Document = extract(page).document;
        (document.text(), document.page_type, document.confidence.map(f32::to_bits))
    };
    let forward: Vec<_> = pages.iter().map(read).collect();
    let mut backward: Vec<_> = pages.iter().rev().map(read).collect();
    backward.reverse();
    assert!(forward == backward, "the order of pages matters");
    let both = std::thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(|| pages.iter().map(read).collect::<Vec<_>>()));
        threads.map(|thread| thread.join().expect("no panic"))
    });
    assert!(both.iter().all(|texts| *texts == forward), "threads matter");
}
