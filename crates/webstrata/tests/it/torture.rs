//! Pages made to be expensive. Whatever the page, reading it returns, the work is bounded by its
//! size, and what was cut short is told.
//!
//! Each built-in extractor reads each page with its own cutting, and writes all outputs.
//!
//! `cargo test` counts work (nodes, atoms, bytes written) on smaller pages. The ignored test runs all
//! at full size in processes of their own and prints time and memory per byte for people to look at: `cargo test --release -p webstrata --test it -- --ignored torture --nocapture`.

mod cases;
mod deadlines;
mod memory;

use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use cases::{CASES, Case, MILLION, numbered};
use webstrata::cutting::Cutting;
use webstrata::site::{Sighting, Site};
use webstrata::{Document, Extractor, Limit, Limits, Options, Page, Record, Tree, output};

const ALL: output::OutputOptions = output::OutputOptions {
    links: true,
    images: true,
    front_matter: true,
    ..output::OutputOptions::DEFAULT
};

fn options() -> Options {
    Options { limits: Limits { bytes: 1 << 30, ..Limits::default() }, ..Options::default() }
}

/// What reading a page came to, in things that can be counted.
fn check_work(name: &str, bytes: &[u8], page: &Page<'_>) {
    let Page { tree, document } = page;
    let mut depth: Vec<u32> = Vec::new();
    for node in tree.nodes() {
        depth.push(tree.parent(node).map_or(1, |parent| depth[parent as usize] + 1));
    }
    assert!(depth.len() <= bytes.len() + 8192, "{name}: {} nodes", depth.len());
    let deepest = depth.into_iter().max().unwrap_or(0);
    // The limit, a text at the bottom, and copies of formatting elements by adoption.
    assert!(deepest <= 512 + 1 + 64, "{name}: {deepest} deep");
    assert!(document.atoms.len() <= bytes.len() / 3 + 16, "{name}: {} atoms", document.atoms.len());
    assert!(document.blocks.len() <= document.atoms.len(), "{name}: blocks");
}

/// Has the page run into the limits that it must run into, and no others?
fn check_limits(case: &Case, document: &Document) {
    let hit: Vec<_> = document.limits().names().collect();
    let all = Limit::ALL.iter().filter(|(limit, _)| case.limits.contains(limit));
    assert_eq!(hit, all.map(|(_, limit)| *limit).collect::<Vec<_>>(), "{}", case.name);
}

/// Checks the sizes of all outputs, by the size of the page and the number of its blocks.
fn check_outputs(name: &str, bytes: &[u8], page: &Page<'_>) {
    let (size, atoms) = (bytes.len(), page.document.atoms.len());
    let record = Record::of(page, &output::RecordPart::ALL, &ALL);
    let links = record.links.as_ref().map_or(0, Vec::len);
    assert!(links <= size / 8, "{name}: {links} links");
    let at_most = |what: &str, length: usize, most: usize| {
        assert!(
            length <= most,
            "{name}: {length} bytes of {what} for {size} bytes, {atoms} blocks"
        );
    };
    at_most("metadata", json_length(&record.metadata), 100_000);
    at_most("text", record.text.len(), 3 * size + 8192);
    at_most("Markdown", record.markdown.as_ref().map_or(0, String::len), 16 * size + 16_384);
    at_most("HTML", record.html.as_ref().map_or(0, String::len), 16 * size + 16_384);
    at_most("highlight", output::highlight(&page.document, &page.tree).len(), 32 * size + 16_384);
    at_most("record", json_length(&record), record_limit(size, atoms));
}

/// At most so many bytes of JSON: outputs of the page and paths by its size, fields of blocks by their number.
fn record_limit(size: usize, atoms: usize) -> usize {
    64 * size + 512 * atoms + (2 << 20)
}

fn json_length(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map(|json| json.len()).expect("plain data")
}

/// A page read with an extractor's own cutting. One that asks for other pages of the site gets some: every
/// other text is on all of them.
fn read_for<'a>(extractor: &Extractor, bytes: &'a [u8]) -> Page<'a> {
    let mut page = Page::read(bytes, extractor.cutting, &options());
    if extractor.asks_for_site() {
        let sighting = |atom: u32| {
            let pages = if atom.is_multiple_of(2) { 20 } else { 1 };
            Sighting { repeated: pages, pages, place: 20, kept: 10 }
        };
        let sightings = (0..page.document.atoms.len() as u32).map(sighting).collect();
        page.document.site = Some(Box::new(Site { pages: 20, below: 20, most: 1, sightings }));
    }
    page
}

/// A page as an extractor reads it, its fallbacks tried, and as it explains it.
fn check_extractor(case: &Case, extractor: &Extractor, bytes: &[u8]) {
    let name = &format!("{}, {}", case.name, extractor.name);
    let mut page = read_for(extractor, bytes);
    extractor.apply_to(&mut page, &options());
    check_work(name, bytes, &page);
    check_outputs(name, bytes, &page);
    let explanation = output::Explanation::of(read_for(extractor, bytes), extractor, &[], &ALL);
    let length = json_length(&explanation);
    // A step can keep, drop and remove each block once, and up to eight reasons tell of it.
    let blocks = explanation.blocks.len();
    let most = record_limit(bytes.len(), blocks) + (24 * extractor.steps.len() + 1024) * blocks;
    assert!(length <= most, "{name}: {length} bytes of explanation, {blocks} blocks");
}

/// The default extractor reads pages of a tenth of the full size at most. All extractors read smaller ones: they have
/// few enough blocks for the learned extractors to look at all of them.
fn check(case: &Case) {
    let bytes = (case.make)((case.full / 10).min(2 * MILLION));
    let extractor = Extractor::default_builtin();
    let mut page = read_for(extractor, &bytes);
    check_limits(case, &page.document);
    check_work(case.name, &bytes, &page);
    extractor.apply_to(&mut page, &options());
    check_work(case.name, &bytes, &page);
    page.document.blocks.iter_mut().for_each(|block| block.is_content = true);
    check_outputs(case.name, &bytes, &page);
    let posts = page.posts();
    let text: usize = posts.iter().map(|post| post.text.len()).sum();
    assert!(text <= 3 * bytes.len() + 64, "{}: {text} bytes in posts", case.name);

    let bytes = (case.make)((case.full / 200).min(MILLION / 20));
    for extractor in Extractor::builtin() {
        check_extractor(case, extractor, &bytes);
    }
}

/// Checks all cases, so that one that fails does not hide the others.
fn check_all<'a>(cases: impl Iterator<Item = &'a Case>) {
    let fails = |case: &&Case| std::panic::catch_unwind(|| check(case)).is_err();
    let failed: Vec<_> = cases.filter(fails).map(|case| case.name).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

// In two tests, so that they share two processors.
#[test]
fn work_is_bounded_by_size() {
    check_all(CASES.iter().step_by(2));
}

#[test]
fn work_is_bounded_by_size_in_every_other_case() {
    check_all(CASES.iter().skip(1).step_by(2));
}

#[test]
fn text_in_and_behind_the_deepest_tables_is_kept() {
    for depth in 500..520 {
        let (open, close) = ("<div>".repeat(depth), "</div>".repeat(depth));
        let page = format!("{open}<table><tr><td>cell</div></table>{close}<p>after all");
        // `embedded` reads the data of a page, not its elements.
        for (cutting, name) in Cutting::ALL.iter().filter(|(_, name)| *name != "embedded") {
            let document = webstrata::read(page.as_bytes(), *cutting, &options());
            let texts: Vec<_> = (0..document.atoms.len()).map(|i| document.atom_text(i)).collect();
            assert_eq!(texts.join(" "), "cell after all", "{depth} deep, {name}");
        }
    }
}

#[test]
fn limits_may_be_anything() {
    let page = "<div>x".repeat(70_000);
    let none = Limits::default();
    for limits in [
        Limits { bytes: 0, ..none.clone() },
        Limits { nodes: 0, ..none.clone() },
        Limits { depth: 0, ..none.clone() },
        Limits { bytes: usize::MAX, nodes: usize::MAX, depth: usize::MAX, ..none.clone() },
        Limits { deadline: Some(Duration::ZERO), ..none.clone() },
        Limits { deadline: Some(Duration::MAX), ..none.clone() },
    ] {
        for width in [Some(0), Some(u32::MAX)] {
            let options = Options { limits: limits.clone(), width, ..Options::default() };
            for (cutting, name) in Cutting::ALL {
                let document = webstrata::read(page.as_bytes(), cutting, &options);
                assert!(document.atoms.len() <= 70_000, "{name}: {limits:?}");
            }
        }
    }
}

#[test]
fn every_label_of_the_encoding_standard_is_read() {
    let page: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let labels: Vec<_> = LABELS.split_whitespace().collect();
    assert_eq!(labels.len(), 228);
    for label in labels {
        assert!(encoding_rs::Encoding::for_label(label.as_bytes()).is_some(), "{label}");
        let charset = Some(label.to_owned());
        let document = webstrata::read(&page, Cutting::Atomic, &Options { charset, ..options() });
        // "replacement" stands for encodings in which markup can hide: one error and no text.
        assert!(!document.atoms.is_empty(), "{label}");
        let meta = [format!("<meta charset='{label}'>").as_bytes(), &page].concat();
        assert!(!webstrata::read(&meta, Cutting::Atomic, &options()).encoding.is_empty());
    }
}

const LABELS: &str = "l1 l2 l3 l4 l5 l6 l9 866 mac koi gbk big5 utf8 koi8 sjis ucs-2 ms932 cp866 \
    utf-8 cp819 ascii x-gbk greek cp1250 cp1251 latin1 gb2312 cp1252 latin2 cp1253 latin3 cp1254 \
    latin4 cp1255 csbig5 latin5 utf-16 cp1256 ibm866 latin6 cp1257 cp1258 greek8 ibm819 arabic \
    visual korean euc-jp koi8-r koi8_r euc-kr x-sjis koi8-u hebrew tis-620 gb18030 ksc5601 gb_2312 \
    dos-874 cn-big5 unicode chinese logical cskoi8r cseuckr koi8-ru x-cp1250 ksc_5601 x-cp1251 \
    iso88591 csgb2312 x-cp1252 iso88592 x-cp1253 iso88593 ecma-114 x-cp1254 iso88594 x-cp1255 \
    iso88595 x-x-big5 x-cp1256 csibm866 iso88596 x-cp1257 iso88597 asmo-708 ecma-118 elot_928 \
    x-cp1258 iso88598 iso88599 cyrillic utf-16be utf-16le us-ascii ms_kanji x-euc-jp iso885910 \
    iso8859-1 iso885911 iso8859-2 iso8859-3 iso885913 iso8859-4 iso885914 iso8859-5 iso885915 \
    iso8859-6 iso8859-7 iso8859-8 iso-ir-58 iso8859-9 csunicode macintosh shift-jis shift_jis \
    iso-ir-100 iso8859-10 iso-ir-110 gb_2312-80 iso-8859-1 iso_8859-1 iso-ir-101 iso8859-11 \
    iso-8859-2 iso_8859-2 hz-gb-2312 iso-8859-3 iso_8859-3 iso8859-13 iso-8859-4 iso_8859-4 \
    iso8859-14 iso-ir-144 iso-8859-5 iso_8859-5 iso8859-15 iso-8859-6 iso_8859-6 iso-ir-126 \
    iso-8859-7 iso_8859-7 iso-ir-127 iso-ir-157 iso-8859-8 iso_8859-8 iso-ir-138 iso-ir-148 \
    iso-8859-9 iso_8859-9 iso-ir-109 iso-ir-149 big5-hkscs csshiftjis iso-8859-10 iso-8859-11 \
    csisolatin1 csisolatin2 iso-8859-13 csisolatin3 iso-8859-14 windows-874 csisolatin4 \
    iso-8859-15 iso_8859-15 csisolatin5 iso-8859-16 csisolatin6 windows-949 csisolatin9 \
    csiso88596e csiso88598e unicodefffe unicodefeff csmacintosh csiso88596i csiso88598i \
    windows-31j x-mac-roman iso-2022-cn iso-2022-jp csiso2022jp iso-2022-kr csiso2022kr \
    replacement windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 \
    windows-1256 windows-1257 windows-1258 iso-8859-6-e iso-8859-8-e iso-8859-6-i iso-8859-8-i \
    sun_eu_greek csksc56011987 unicode20utf8 unicode11utf8 ks_c_5601-1987 ansi_x3.4-1968 \
    ks_c_5601-1989 x-mac-cyrillic x-user-defined csiso58gb231280 iso-10646-ucs-2 iso_8859-1:1987 \
    iso_8859-2:1987 iso_8859-6:1987 iso_8859-7:1987 iso_8859-3:1988 iso_8859-4:1988 \
    iso_8859-5:1988 iso_8859-8:1988 x-unicode20utf8 iso_8859-9:1989 csisolatingreek \
    x-mac-ukrainian iso-2022-cn-ext csisolatinarabic csisolatinhebrew unicode-1-1-utf-8 \
    csisolatincyrillic cseucpkdfmtjapanese";

#[test]
fn one_of_many_attributes_is_found() {
    let page = numbered("<p", MILLION, |page, i| write!(page, " a{i}={i}").unwrap()) + ">";
    let tree = Tree::parse(page, &options().limits);
    let p = tree.nodes().last().expect("a p");
    assert_eq!(tree.attribute(p, "A999999").as_deref(), Some("999999"));
    assert_eq!(tree.attribute(p, "b"), None);
}

/// The environment variable that tells a process which case to run and at what size.
const ONE: &str = "WEBSTRATA_TORTURE";

/// Runs one case and prints `stage seconds` after each stage; does nothing where none is named.
#[test]
#[ignore = "run by costs_at_full_size"]
fn one() {
    let Ok(asked) = std::env::var(ONE) else { return };
    let mut asked = asked.split('/');
    let mut next = || asked.next().expect("kind/name/size");
    let (kind, name, size) = (next(), next(), next().parse().expect("a number"));
    if kind == "deadline" {
        return deadlines::one(name, size);
    }
    let case = CASES.iter().find(|case| case.name == name).expect("a known case");
    let bytes = (case.make)(size);
    println!("@ bytes {}", bytes.len());
    let before = resident(true);
    let extractor = Extractor::default_builtin();
    let options = options();
    let mut page = stage("read", || read_for(extractor, &bytes));
    check_limits(case, &page.document);
    stage("extract", || extractor.apply_to(&mut page, &options));
    stage("text", || page.document.text());
    println!("@ peak {}", resident(false).saturating_sub(before));
    check_work(name, &bytes, &page);
    stage("highlight", || output::highlight(&page.document, &page.tree).len());
    stage("markdown", || output::markdown(&page, &ALL).len());
    stage("html", || output::html(&page, &ALL).len());
    stage("posts", || page.posts().len());
    stage("record", || json_length(&Record::of(&page, &output::RecordPart::ALL, &ALL)));
    drop(page);
    let mut seconds = 0.0;
    for extractor in Extractor::builtin() {
        let start = Instant::now();
        let mut page = read_for(extractor, &bytes);
        extractor.apply_to(&mut page, &options);
        let one = start.elapsed().as_secs_f64();
        println!("@ {} {one}", extractor.name);
        seconds += one;
    }
    println!("@ all extractors {seconds}");
    let page = read_for(extractor, &bytes);
    let parts = output::RecordPart::ALL;
    stage("explain", || json_length(&output::Explanation::of(page, extractor, &parts, &ALL)));
}

fn stage<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    println!("@ {name} {}", start.elapsed().as_secs_f64());
    result
}

/// Bytes of memory in use, or the most since this was last asked with `reset`. 0 where the system
/// does not tell.
fn resident(reset: bool) -> usize {
    if reset {
        // Linux forgets the peak at this.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = if reset { "VmRSS:" } else { "VmHWM:" };
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(0) * 1024
}

/// Runs a case in a process of its own: what it printed, by name.
fn run(kind: &str, name: &str, size: usize) -> Result<Vec<(String, f64)>, String> {
    let output = Command::new("timeout")
        .arg("60")
        .arg(std::env::current_exe().expect("this test"))
        .args(["--exact", "torture::one", "--ignored", "--nocapture"])
        .env(ONE, format!("{kind}/{name}/{size}"))
        .output()
        .expect("coreutils' timeout is there");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("@ ")?.rsplit_once(' '));
    let stages: Vec<(String, f64)> = lines
        .map(|(stage, number)| (stage.to_owned(), number.parse().unwrap_or(f64::NAN)))
        .collect();
    if output.status.success() {
        return Ok(stages);
    }
    let last = stages.last().map_or("the start", |(stage, _)| stage.as_str());
    let error = String::from_utf8_lossy(&output.stderr);
    let error = error.lines().find(|line| line.contains("torture.rs")).unwrap_or("60 s passed");
    Err(format!("{kind} {name} {size}: after {last}: {error} {stages:?}"))
}

const STAGES: &[&str] = &["read", "extract", "all extractors", "highlight", "record", "explain"];

#[test]
#[ignore = "takes minutes and gigabytes"]
fn costs_at_full_size() {
    let only = std::env::var("WEBSTRATA_TORTURE_ONLY").unwrap_or_default();
    let mut failed = 0;
    let mut fail = |error: String| {
        println!("{error}  LOOK");
        failed += 1;
    };
    println!("ns per byte, at a quarter of the size > at full size; peak memory per byte");
    println!("{:<26} {:>5} {:>5}  {}", "", "MB", "peak", STAGES.join(" | "));
    for case in CASES.iter().filter(|case| case.name.contains(&only)) {
        match (run("cost", case.name, case.full / 4), run("cost", case.name, case.full)) {
            (Ok(quarter), Ok(full)) => println!("{}", row(case, &quarter, &full)),
            (quarter, full) => quarter.err().into_iter().chain(full.err()).for_each(&mut fail),
        }
    }
    assert_eq!(failed, 0, "cases that did not come to an end");
}

fn value(stages: &[(String, f64)], name: &str) -> f64 {
    stages.iter().find(|(stage, _)| stage == name).map_or(f64::NAN, |(_, value)| *value)
}

/// A line of the table. `LOOK` where a byte costs more than 200 ns or, if it is not next to nothing,
/// half as much again in the larger page, or where memory is more than 20 times the page.
fn row(case: &Case, quarter: &[(String, f64)], full: &[(String, f64)]) -> String {
    let bytes = value(full, "bytes");
    let peak = value(full, "peak") / bytes;
    let mut row = format!("{:<26} {:>5.1} {peak:>5.1}", case.name, bytes / 1e6);
    let mut look = peak > if case.name == "ordinary" { 4.0 } else { 20.0 };
    for stage in STAGES {
        let cost = |run: &[(String, f64)]| 1e9 * value(run, stage) / value(run, "bytes");
        let (small, large) = (cost(quarter), cost(full));
        let all = Extractor::builtin().len() as f64;
        let each = if *stage == "all extractors" { all } else { 1.0 };
        look |= large > 200.0 * each || (large > 1.5 * small && large > 10.0 * each);
        let _ = write!(row, " | {small:.1} > {large:.1}");
    }
    if look { row + "  LOOK" } else { row }
}
