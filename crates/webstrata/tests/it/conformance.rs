//! The conformance suite in `tests/conformance`: small invented pages with what is written for them.
//! Its README says what a case is.
//!
//! `WEBSTRATA_BLESS=1 cargo test -p webstrata --test it conformance` writes the expected sections anew;
//! `WEBSTRATA_CASE=tables/` runs those cases whose name contains that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use webstrata::cutting::Cutting;
use webstrata::filters::KeepAll;
use webstrata::output::{self, OutputOptions, TextShape};
use webstrata::{Extractor, Options, Page, Part, Parts};

/// How many cases a topic has at least: cases may come, but none may get lost.
const TOPICS: &[(&str, usize)] = &[
    ("code", 55),
    ("embedded", 21),
    ("encodings", 26),
    ("figures", 32),
    ("formulas", 30),
    ("glue", 29),
    ("headings", 19),
    ("hidden", 25),
    ("lists", 40),
    ("notes", 32),
    ("parts", 42),
    ("repetition", 25),
    ("tables", 43),
    ("threads", 37),
];
/// How many cases there are at least in all.
const ALL: usize = 456;

/// Sections that a case may have.
const SECTIONS: [&str; 6] = ["page", "page escaped", "text", "markdown", "html", "posts"];

/// A file of the suite.
#[derive(Debug, Default)]
struct Case {
    /// Topic and name: `code/tabs`.
    name: String,
    /// All lines before the first section, as they are.
    head: String,
    /// In the order of the file.
    sections: Vec<(String, String)>,
    extractor: String,
    reading: Options,
    writing: OutputOptions,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of the suite");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

/// All files of the suite with their names.
fn files() -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    for topic in sorted(&folder()).into_iter().filter(|path| path.is_dir()) {
        for file in sorted(&topic) {
            files.push((format!("{}/{}", name(&topic), name(&file)), file));
        }
    }
    files
}

impl Case {
    fn read(name: &str, source: &str) -> Result<Case, String> {
        let mut case = Case { name: name.to_owned(), ..Case::default() };
        case.extractor = "keep-all".to_owned();
        for line in source.split_inclusive('\n') {
            let section = line.trim_end_matches('\n').strip_prefix("--- ");
            match section.filter(|name| SECTIONS.contains(name)) {
                Some(name) if case.section(name).is_some() => {
                    return Err(format!("two sections {name}"));
                }
                Some(name) => case.sections.push((name.to_owned(), String::new())),
                None => match case.sections.last_mut() {
                    Some((_, body)) => body.push_str(line),
                    None => case.head.push_str(line),
                },
            }
        }
        if !case.head.starts_with("# ") {
            return Err("the first line names no rule".to_owned());
        }
        if !source.ends_with('\n') {
            return Err("the last line does not end".to_owned());
        }
        let head = case.head.clone();
        for (key, value) in head.lines().skip(1).filter_map(|line| line.split_once(": ")) {
            case.option(key, value)?;
        }
        Ok(case)
    }

    fn option(&mut self, key: &str, value: &str) -> Result<(), String> {
        let truth = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("{key} is true or false, not {value:?}")),
        };
        let parts = || -> Result<Parts, String> {
            let part = |name: &str| Part::named(name.trim()).ok_or(format!("no part {name:?}"));
            value.split(',').map(part).collect()
        };
        match key {
            "extractor" => self.extractor = value.to_owned(),
            "url" => self.reading.url = Some(value.to_owned()),
            "charset" => self.reading.charset = Some(value.to_owned()),
            "links" => self.writing.links = truth()?,
            "images" => self.writing.images = truth()?,
            "front-matter" => self.writing.front_matter = truth()?,
            "include" => self.writing.include = parts()?,
            "exclude" => self.writing.exclude = parts()?,
            "text" => {
                let shape = TextShape::ALL.iter().find(|(_, name)| *name == value);
                self.writing.text = shape.ok_or(format!("no shape {value:?}"))?.0;
            }
            // A sentence with a colon.
            _ => {}
        }
        Ok(())
    }

    fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(known, _)| known == name).map(|(_, body)| body.as_str())
    }

    fn page(&self) -> Result<Vec<u8>, String> {
        match (self.section("page"), self.section("page escaped")) {
            (Some(page), None) => Ok(page.as_bytes().to_vec()),
            (None, Some(page)) => unescape(page),
            _ => Err("not one page".to_owned()),
        }
    }

    /// What is written for the page now, by section.
    fn outputs(&self) -> Result<Vec<(&'static str, String)>, String> {
        let bytes = self.page()?;
        let page = extractor(&self.extractor)?.extract_page(&bytes, &self.reading);
        let mut outputs = Vec::new();
        for (name, _) in &self.sections {
            match name.as_str() {
                "text" => outputs.push(("text", output::text(&page, &self.writing))),
                "markdown" => outputs.push(("markdown", output::markdown(&page, &self.writing))),
                "html" => outputs.push(("html", output::html(&page, &self.writing))),
                "posts" => outputs.extend(posts(&page).map(|posts| ("posts", posts))),
                _ => {}
            }
        }
        Ok(outputs)
    }

    /// The file with other outputs.
    fn with(&self, outputs: &[(&'static str, String)]) -> String {
        let mut file = self.head.clone();
        for (name, body) in &self.sections {
            let now = outputs.iter().find(|(output, _)| output == name).map(|(_, now)| now);
            let body = now.unwrap_or(body);
            file.push_str(&format!("--- {name}\n{body}"));
            if !body.is_empty() && !body.ends_with('\n') {
                file.push('\n');
            }
        }
        file
    }
}

/// A built-in extractor, or `all`: as `keep-all`, but cut as the default extractor cuts pages.
fn extractor(name: &str) -> Result<Extractor, String> {
    if name == "all" {
        let mut all = Extractor::new("all").step(KeepAll);
        all.cutting = Cutting::Strata;
        return Ok(all);
    }
    Extractor::named(name).cloned().ok_or(format!("no extractor {name:?}"))
}

/// The posts of a page as JSON.
fn posts(page: &Page<'_>) -> Option<String> {
    serde_json::to_string_pretty(&page.posts()).ok().map(|json| json + "\n")
}

/// A page whose bytes are written with backslashes.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes().filter(|byte| *byte != b'\n');
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let digits = [rest.next(), rest.next()].map(|digit| digit.unwrap_or(b' '));
                let digits = String::from_utf8_lossy(&digits).into_owned();
                u8::from_str_radix(&digits, 16).map_err(|_| format!("\\x{digits} is no byte"))?
            }
            other => return Err(format!("\\ before {:?}", other.map(char::from))),
        });
    }
    Ok(bytes)
}

/// The same as data, or as text where it is no data.
fn is_same(section: &str, expected: &str, actual: &str) -> bool {
    let data = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    expected == actual
        || (section == "posts" && data(expected).is_some() && data(expected) == data(actual))
}

/// Both outputs with what differs between them marked: lines only expected `-`, lines only there `+`.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<_>, Vec<_>) =
        (expected.split('\n').collect(), actual.split('\n').collect());
    let start = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let (before, after) = (&expected[start..], &actual[start..]);
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut lines = String::new();
    let mut add = |sign: char, of: &[&str]| {
        // Spaces at ends count, so they are shown.
        of.iter().for_each(|line| lines.push_str(&format!("    {sign} {line:?}\n")));
    };
    add(' ', &expected[..start]);
    add('-', &before[..before.len() - end]);
    add('+', &after[..after.len() - end]);
    add(' ', &before[before.len() - end..]);
    lines
}

#[test]
fn the_suite_is_passed() {
    let bless = std::env::var_os("WEBSTRATA_BLESS").is_some();
    let chosen = std::env::var("WEBSTRATA_CASE").unwrap_or_default();
    let (mut wrong, mut failed, mut count) = (String::new(), 0, 0);
    for (name, file) in files().into_iter().filter(|(name, _)| name.contains(&chosen)) {
        let source = std::fs::read_to_string(&file).expect("UTF-8");
        let case = Case::read(&name, &source);
        let outputs = case.and_then(|case| Ok((case.outputs()?, case)));
        let (outputs, case) = outputs.unwrap_or_else(|why| panic!("{name}: {why}"));
        if bless {
            std::fs::write(&file, case.with(&outputs)).expect("the suite is writable");
            continue;
        }
        count += 1;
        let before = wrong.len();
        for (section, actual) in &outputs {
            let expected = case.section(section).unwrap_or_default();
            if !is_same(section, expected, actual) {
                let difference = difference(expected, actual);
                wrong.push_str(&format!("  {section}:\n{difference}"));
            }
        }
        if wrong.len() > before {
            failed += 1;
            let rule = case.head.lines().next().unwrap_or_default();
            wrong.insert_str(before, &format!("{} {rule}\n", case.name));
        }
    }
    assert!(failed == 0, "\n{wrong}{failed} of {count} cases failed (- expected, + got)");
}

#[test]
fn no_case_is_lost() {
    let files = files();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, file) in &files {
        assert!(file.extension().is_some_and(|kind| kind == "case"), "{}", file.display());
        *counts.entry(name.split('/').next().unwrap_or_default()).or_default() += 1;
    }
    for (topic, least) in TOPICS {
        let count = counts.remove(topic).unwrap_or_default();
        assert!(count >= *least, "{topic} has {count} cases, at least {least} are expected");
    }
    assert!(counts.is_empty(), "topics that the test does not know: {counts:?}");
    assert!(files.len() >= ALL, "{} cases, at least {ALL} are expected", files.len());
}

#[test]
fn every_case_is_whole() {
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    for (name, file) in files() {
        let source = std::fs::read_to_string(&file).expect("UTF-8");
        let case = Case::read(&name, &source).unwrap_or_else(|why| panic!("{name}: {why}"));
        case.page().unwrap_or_else(|why| panic!("{name}: {why}"));
        for section in ["text", "markdown", "html"] {
            let body = case.section(section);
            let body = body.unwrap_or_else(|| panic!("{name}: no section {section}"));
            assert!(body.is_empty() || !body.ends_with("\n\n"), "{name}: {section} ends twice");
        }
        let rule = case.head.lines().next().unwrap_or_default().to_owned();
        if let Some(other) = rules.insert(rule, name.clone()) {
            panic!("{name} and {other} have one rule");
        }
    }
}

#[test]
fn cases_are_read_as_documented() {
    let source = "# A rule.\nWhy: so.\nlinks: true\nexclude: byline,date\n--- page escaped\n\
                  a\\xe9\\r\\n\\\\\n\n--- text\n--- a/file\n---\n--- html\n";
    let case = Case::read("x/y", source).expect("a case");
    assert_eq!(case.page(), Ok(b"a\xe9\r\n\\".to_vec()));
    assert!(case.writing.links && !case.writing.images);
    assert!(case.writing.exclude.has(Part::Date) && !case.writing.exclude.has(Part::Title));
    assert_eq!(case.section("text"), Some("--- a/file\n---\n"));
    assert_eq!(case.section("html"), Some(""));
    assert_eq!(case.section("markdown"), None);
    assert_eq!(case.with(&[]), source);
    assert!(case.with(&[("html", "<hr>\n".to_owned())]).ends_with("--- html\n<hr>\n"));
    for wrong in ["A rule.\n", "# A\nlinks: yes\n", "# A\ninclude: captain\n", "# A\n--- page"] {
        assert!(Case::read("x/y", wrong).is_err(), "{wrong}");
    }
    assert!(unescape("\\xg1").is_err() && unescape("\\").is_err());
    assert_eq!(
        difference("a\nb\n", "a\nc\n"),
        "      \"a\"\n    - \"b\"\n    + \"c\"\n      \"\"\n"
    );
}
