//! The invented pages in `tests/pages`: what the extractors make of them, written down.
//!
//! `WEBSTRATA_BLESS=1 cargo test -p webstrata --test it pages` writes the expected files anew; the
//! difference that git then shows is what a change does to whole pages.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use webstrata::{Document, Extractor, Hidden, Label, Options, Page, Record, output};

/// A page of `tests/pages`, with what is known about it besides its gold text.
struct Known {
    slug: &'static str,
    encoding: &'static str,
    /// What `article` reaches at least: F1 of its words against those of the gold text, measured on
    /// the commit that added the page and rounded down a little.
    floor: f64,
}

const fn known(slug: &'static str, encoding: &'static str, floor: f64) -> Known {
    Known { slug, encoding, floor }
}

const KNOWN: &[Known] = &[
    known("arabic", "UTF-8", 0.95),
    known("blog", "UTF-8", 0.97),
    known("broken", "UTF-8", 0.91),
    known("chinese", "UTF-8", 0.89),
    // A reference manual: tables of parameters cut the text into several, and `article` keeps one.
    known("docs", "UTF-8", 0.54),
    // Five posts by five people: `article` keeps the longest. `default` reaches 0.86.
    known("forum", "UTF-8", 0.38),
    known("frames", "windows-1252", 0.98),
    known("hidden", "UTF-8", 0.98),
    known("japanese", "Shift_JIS", 0.96),
    known("korean", "EUC-KR", 0.93),
    // A sentence above hundreds of links, so that one line of the menu weighs much.
    known("links", "UTF-8", 0.79),
    // Teasers whose headlines are links, which `num-words` never takes for text.
    known("listing", "UTF-8", 0.71),
    known("news", "UTF-8", 0.93),
    known("news-2008", "windows-1252", 0.95),
    // Short descriptions and a list of measurements: little of it is running text.
    known("product", "UTF-8", 0.74),
    // The ingredients are too short for text; a box that asks for an address is not.
    known("recipe", "UTF-8", 0.86),
    known("russian-koi8", "KOI8-R", 0.98),
    known("short", "UTF-8", 0.99),
    known("thai", "UTF-8", 0.95),
    known("utf16", "UTF-16LE", 0.96),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages")
}

/// The page of a slug, as bytes.
pub(crate) fn page(slug: &str) -> Vec<u8> {
    std::fs::read(folder().join(slug).join("page.html")).expect("every slug has a page")
}

/// All slugs, sorted.
pub(crate) fn slugs() -> Vec<String> {
    let folders = std::fs::read_dir(folder()).expect("tests/pages is there");
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("ASCII");
    let mut slugs: Vec<_> = folders.map(|entry| name(entry.expect("readable"))).collect();
    slugs.sort();
    slugs
}

fn extract(extractor: &str, page: &[u8], hidden: Hidden) -> Document {
    let options = Options { hidden, ..Options::default() };
    Extractor::named(extractor).expect("a built-in").extract_with(page, &options)
}

/// Compares with an expected file, or writes it where `WEBSTRATA_BLESS` is set.
fn check(path: &Path, actual: &str, wrong: &mut Vec<String>) {
    if std::env::var_os("WEBSTRATA_BLESS").is_some() {
        std::fs::write(path, actual).expect("tests/pages is writable");
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return;
    }
    let (mut expected, mut actual) = (expected.lines(), actual.lines());
    let difference = (1..).find_map(|line| {
        let pair = (expected.next(), actual.next());
        (pair.0 != pair.1 || pair.0.is_none()).then_some((line, pair))
    });
    let (line, (before, now)) = difference.expect("ends where both do");
    wrong.push(format!("{} line {line}:\n  was {before:?}\n  is  {now:?}", path.display()));
}

#[test]
fn pages_are_extracted_as_written_down() {
    let mut wrong = Vec::new();
    for slug in slugs() {
        let (page, folder) = (page(&slug), folder().join(&slug));
        for extractor in ["article", "default", "keep-all"] {
            let text = extract(extractor, &page, Hidden::Drop).text();
            check(&folder.join(format!("expected.{extractor}.txt")), &text, &mut wrong);
        }
        let extractor = Extractor::named("default").expect("a built-in");
        let mut read = Page::read(&page, extractor.cutting, &Options::default());
        extractor.apply(&mut read.document);
        let options =
            output::OutputOptions { links: true, images: true, ..output::OutputOptions::DEFAULT };
        let markdown = output::markdown(&read, &options);
        check(&folder.join("expected.md"), &markdown, &mut wrong);
        let record = Record::new(&extract("article", &page, Hidden::Drop));
        let json = serde_json::to_string_pretty(&record).expect("a record is plain data");
        check(&folder.join("expected.json"), &(json + "\n"), &mut wrong);
    }
    let (page, extractor) = (page("news"), Extractor::default_builtin());
    let mut page = Page::read(&page, extractor.cutting, &Options::default());
    extractor.apply(&mut page.document);
    let html = output::highlight(&page.document, &page.tree);
    check(&folder().join("news/expected.highlight.html"), &html, &mut wrong);
    assert!(wrong.is_empty(), "{}\nRead, then WEBSTRATA_BLESS=1", wrong.join("\n"));
}

#[test]
fn every_page_is_known() {
    let known: Vec<_> = KNOWN.iter().map(|known| known.slug).collect();
    assert_eq!(known, slugs());
}

#[test]
fn encodings_are_detected() {
    for Known { slug, encoding, .. } in KNOWN {
        assert_eq!(extract("keep-all", &page(slug), Hidden::Drop).encoding, *encoding, "{slug}");
    }
}

#[test]
fn article_finds_the_gold_text() {
    let mut low = Vec::new();
    for Known { slug, floor, .. } in KNOWN {
        let gold = std::fs::read_to_string(folder().join(slug).join("gold.txt"));
        let gold = gold.expect("every page has a gold text");
        let [article, default, all] = ["article", "default", "keep-all"]
            .map(|name| f1(&extract(name, &page(slug), Hidden::Drop).text(), &gold));
        eprintln!("{slug:<14} article {article:.3}  default {default:.3}  keep-all {all:.3}");
        if article < *floor {
            low.push(format!("{slug}: {article:.3}, was at least {floor}"));
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}

/// The harmonic mean of precision and recall of a text's words, order aside.
fn f1(text: &str, gold: &str) -> f64 {
    let mut bag: HashMap<String, i64> = HashMap::new();
    let (text, gold) = (words(text), words(gold));
    gold.iter().for_each(|word| *bag.entry(word.clone()).or_default() += 1);
    let is_shared = |word: &&String| {
        let left = bag.entry((*word).clone()).or_default();
        *left -= 1;
        *left >= 0
    };
    let shared = text.iter().filter(is_shared).count();
    2.0 * shared as f64 / (text.len() + gold.len()).max(1) as f64
}

/// Runs of letters and digits; where a script has no spaces, single characters.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        let alone =
            matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
        if alone || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        if alone {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The first words of the texts that the page `hidden` hides, each in another way.
const HIDDEN: &[&str] =
    &["HIDDEN-ATTRIBUTE", "ARIA-HIDDEN", "DISPLAY-NONE", "TEMPLATE", "INLINE-HIDDEN", "NOSCRIPT"];

#[test]
fn hidden_text_is_dropped_kept_or_marked() {
    let page = page("hidden");
    for extractor in Extractor::builtin() {
        let text = extract(&extractor.name, &page, Hidden::Drop).text();
        for marker in HIDDEN {
            assert!(!text.contains(marker), "{} shows {marker}", extractor.name);
        }
    }
    // boilerpipe's cutting never reads `noscript`, hidden or not.
    let read = |marker: &&&str| **marker != "NOSCRIPT";
    let kept = extract("keep-all", &page, Hidden::Keep);
    let marked = extract("keep-all", &page, Hidden::Mark);
    for marker in HIDDEN.iter().filter(read) {
        assert!(kept.text().contains(marker), "{marker} is kept");
        let mut atoms = (0..marked.atoms.len()).filter(|i| marked.atom_text(*i).contains(marker));
        assert!(atoms.clone().next().is_some(), "{marker} is marked");
        assert!(atoms.all(|i| marked.atoms[i].hidden), "{marker} is marked everywhere");
    }
    assert!(kept.blocks.iter().all(|block| !block.labels.has(Label::Hidden)));
    for block in &marked.blocks {
        let text = marked.block_text(block);
        let hidden = block.atoms().any(|atom| marked.atoms[atom].hidden);
        assert_eq!(block.labels.has(Label::Hidden), hidden, "{text}");
        assert!(hidden || !HIDDEN.iter().any(|marker| text.contains(marker)), "{text}");
    }
    let visible = extract("keep-all", &page, Hidden::Drop).text();
    assert!(visible.contains("On clear nights she could see the lamp"), "aria-hidden=false");
    assert!(visible.contains("The chart office was not pleased"), "display: block");
}

#[test]
fn pages_of_frames_have_their_title_and_text() {
    for end in ["</noframes></frameset>", ""] {
        let page = format!("<html lang=en><title>Mill</title><frameset><noframes><p>Wheel{end}");
        let document = extract("keep-all", page.as_bytes(), Hidden::Drop);
        assert_eq!(document.text(), "Wheel\n", "{page}");
        assert_eq!(document.title.as_deref(), Some("Mill"), "{page}");
        assert_eq!(document.language.as_deref(), Some("en"), "{page}");
    }
}

#[test]
fn no_break_spaces_are_single_spaces_in_the_text() {
    for (page, text) in [
        ("<a href=1>News</a>&nbsp;|&nbsp;<a href=2>Sport</a>", "News | Sport\n"),
        ("<p>a&nbsp;&nbsp; b&nbsp;", "a b\n"),
        ("<p>&nbsp;<p>&#x2007;<p>&#x202f;<p>b", "b\n"),
    ] {
        assert_eq!(extract("keep-all", page.as_bytes(), Hidden::Drop).text(), text, "{page}");
    }
}
