//! Pages that take long, and deadlines: how much later than that all outputs are there.

use std::cell::Cell;
use std::fmt::Write;
use std::time::{Duration, Instant};

use webstrata::{Extractor, Limit, Limits, Options, Page, Record, output};

use super::cases::{CASES, Case, MILLION, case, numbered, ordinary, times, wrapped};
use super::{ALL, options, run, value};

/// How large the pages are, and how long they may take.
const SIZE: usize = 100 * MILLION;
const DEADLINE: Duration = Duration::from_millis(400);

/// Pages that take long, for deadlines: their size in bytes is `n`.
const LONG: &[Case] = &[
    case("ordinary", 100 * MILLION, |n| ordinary(n / 8400)).hits(LATE),
    case("one text", 100 * MILLION, |n| times("word and ", n / 9)).hits(LATE),
    case("Chinese text", 100 * MILLION, |n| times("今天下午市政府宣布新的计划。", n / 42))
        .hits(LATE),
    case("Thai text", 100 * MILLION, |n| times("เขาไปโรงเรียนทุกวัน", n / 57)).hits(LATE),
    case("windows-1252", 100 * MILLION, |n| b"<p>Caf\xe9 au lait, d\xe9j\xe0 vu. ".repeat(n / 27))
        .hits(LATE),
    case("gb18030", 100 * MILLION, |n| {
        let (text, _, _) = encoding_rs::GB18030.encode("<p>今天下午市政府宣布新的计划。");
        [&b"<meta charset=gb18030>"[..], &text.repeat(n / 31)].concat()
    })
    .hits(LATE),
    case("late é", 100 * MILLION, |n| [times("<p>word ", n / 8), b"\xe9".into()].concat())
        .hits(LATE),
    case("b id", 100 * MILLION, |n| {
        numbered("", n / 13, |page, i| write!(page, "<b id={i}>").unwrap()).into()
    })
    .hits(LATE),
    case("amp;", 100 * MILLION, |n| times("&amp;", n / 5)).hits(LATE),
    // One token each, in the middle of which nobody looks at the clock.
    case("spaces", 100 * MILLION, |n| times(" ", n)),
    case("attributes", 100 * MILLION, |n| wrapped("<p ", "b ", n / 2, ">x")),
    case("title of words", 100 * MILLION, |n| wrapped("<title>", "a ", n / 2, "</title>x")),
    case("title starts", 100 * MILLION, |n| times("<title>", n / 7)),
    case("comment of ends", 100 * MILLION, |n| wrapped("<!--", "->", n / 2, "")),
];

const LATE: &[Limit] = &[Limit::Deadline];

#[test]
fn deadlines_are_told() {
    let told = |case: &&Case| {
        let bytes = (case.make)(case.full / 25);
        let limits = Limits { deadline: Some(Duration::ZERO), ..Limits::default() };
        let options = Options { limits, ..options() };
        let cutting = Extractor::default_builtin().cutting;
        webstrata::read(&bytes, cutting, &options).limits().has(Limit::Deadline)
    };
    let must_tell = LONG.iter().filter(|case| !case.limits.is_empty());
    let not_told: Vec<_> = must_tell.filter(|case| !told(case)).map(|case| case.name).collect();
    assert!(not_told.is_empty(), "{not_told:?}");
}

/// How long the system is not asked again.
const STEP: Duration = Duration::from_micros(100);

thread_local! {
    /// When the system was asked last, and what it said.
    static ASKED: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// Processor time of this thread so far, so that it does not count what other processes take. It is asked for after
/// every tenth of a millisecond: that is slow.
fn spent() -> Duration {
    let last = ASKED.get().map(|(at, said)| (at.elapsed(), said));
    if let Some((since, said)) = last
        && since < STEP
    {
        return said + since;
    }
    let before = last.map_or(Duration::ZERO, |(since, said)| said + since.min(STEP));
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = stat.split(' ').next().and_then(|field| field.parse().ok());
    let said = Duration::from_nanos(nanoseconds.expect("a number")).max(before);
    ASKED.set(Some((Instant::now(), said)));
    said
}

fn all() -> impl Iterator<Item = &'static Case> {
    let are_long = |case: &&Case| LONG.iter().any(|long| long.name == case.name);
    LONG.iter().chain(CASES.iter().filter(move |case| !are_long(case)))
}

/// Makes a case of about so many bytes.
fn sized(case: &Case, size: usize) -> Vec<u8> {
    let part = case.full / 100;
    let bytes = (case.make)(part).len().max(1);
    (case.make)((part as u128 * size as u128 / bytes as u128) as usize)
}

/// Runs one case and prints the processor time of each stage.
pub(super) fn one(name: &str, size: usize) {
    let case = all().find(|case| case.name == name).expect("a known case");
    let bytes = sized(case, size);
    let options = Options {
        limits: Limits { deadline: Some(DEADLINE), clock: spent, ..Limits::default() },
        ..Options::default()
    };
    println!("@ bytes {}", bytes.len());
    let name = std::env::var(EXTRACTOR).unwrap_or_else(|_| "strata".into());
    let extractor = Extractor::named(&name).expect("a name");
    // Models are read before: that is done once for many pages.
    extractor.extract(b"<p>High water is at noon.");
    let begun = spent();
    let stage = |name: &str, before: Duration| {
        println!("@ {name} {}", (spent() - before).as_secs_f64());
        spent()
    };
    let mut page = Page::read(&bytes, extractor.cutting, &options);
    let read = stage("read", begun);
    extractor.apply_to(&mut page, &options);
    let extracted = stage("extract", read);
    let record = Record::of(&page, &output::RecordPart::ALL, &ALL);
    let written = stage("record", extracted);
    drop(page);
    stage("drop", written);
    stage("all", begun);
    println!("@ told {}", u8::from(record.limits.iter().any(|limit| limit == "deadline")));
}

thread_local! {
    static LOOKS: Cell<u32> = const { Cell::new(0) };
}

/// A clock on which a second passes whenever somebody looks at it.
fn look() -> Duration {
    LOOKS.set(LOOKS.get() + 1);
    Duration::from_secs(LOOKS.get().into())
}

/// The record of a page with all parts, and how often somebody looked at the clock.
fn looked_at(extractor: &Extractor, bytes: &[u8], deadline: u64) -> (Record, u32) {
    LOOKS.set(0);
    let deadline = Some(Duration::from_secs(deadline));
    let limits = Limits { deadline, clock: look, ..Limits::default() };
    let page = extractor.extract_page(bytes, &Options { limits, ..Options::default() });
    (Record::of(&page, &output::RecordPart::ALL, &ALL), LOOKS.get())
}

/// Places that look at the clock once more when it is over.
const PLACES: u32 = 60;

#[test]
fn whoever_finds_the_time_over_stops() {
    for case in all() {
        let bytes = sized(case, 120_000);
        for name in ["strata", "strata-max", "article"] {
            let extractor = Extractor::named(name).expect("built in");
            for deadline in [8, 64, 512] {
                let (record, looks) = looked_at(extractor, &bytes, deadline.into());
                // Each of the stages has an eighth in any case.
                let most = deadline + deadline / 2 + PLACES;
                let shown = format!("{}, {name}, {deadline}", case.name);
                assert!(looks <= most, "{shown}: {looks} looks");
                let is_told = record.limits.iter().any(|limit| limit == "deadline");
                assert!(is_told || looks <= most - PLACES, "{shown}: {looks} looks, nothing said");
            }
        }
    }
}

#[test]
fn with_more_time_more_is_written_until_it_is_all() {
    let bytes = ordinary(60);
    let extractor = Extractor::default_builtin();
    let page = extractor.extract_page(&bytes, &Options::default());
    let all = Record::of(&page, &output::RecordPart::ALL, &ALL);
    let mut before = 0;
    for deadline in [16, 256, 4096, 1 << 16] {
        let (record, _) = looked_at(extractor, &bytes, deadline);
        let written = record.text.len() + record.markdown.as_ref().map_or(0, String::len);
        assert!(written >= before, "{deadline}: {written} bytes, {before} in less time");
        before = written;
        if deadline == 16 {
            assert_eq!(record.limits, ["deadline"]);
            assert!(record.posts.is_some() && record.blocks.is_some() && record.links.is_some());
        } else if deadline == 1 << 16 {
            assert_eq!(record, all);
        }
    }
}

/// The extractor that is measured, `strata` if it is not set.
const EXTRACTOR: &str = "WEBSTRATA_TORTURE_EXTRACTOR";

#[test]
#[ignore = "takes minutes and gigabytes"]
fn deadlines_at_full_size() {
    let only = std::env::var("WEBSTRATA_TORTURE_ONLY").unwrap_or_default();
    let mut failed = 0;
    let ms = DEADLINE.as_millis();
    println!(
        "processor ms, {} MB, {ms} ms deadline      read   extract    record       all",
        SIZE / MILLION
    );
    for case in all().filter(|case| case.name.contains(&only)) {
        match run("deadline", case.name, SIZE) {
            Ok(stages) => {
                let ms = |stage: &str| 1e3 * value(&stages, stage);
                let late = if value(&stages, "told") == 0.0 { "  not late" } else { "" };
                let look = if ms("all") > 500.0 { "  LOOK" } else { "" };
                let [read, extract, record, all] = ["read", "extract", "record", "all"].map(ms);
                let name = case.name;
                println!(
                    "{name:<38} {read:>9.0} {extract:>9.0} {record:>9.0} {all:>9.0}{late}{look}"
                );
            }
            Err(error) => {
                println!("{error}  LOOK");
                failed += 1;
            }
        }
    }
    assert_eq!(failed, 0, "cases that did not come to an end");
}
