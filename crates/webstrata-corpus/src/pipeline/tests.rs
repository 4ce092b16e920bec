use webstrata::Record;
use webstrata_archive::export::{Compression, Format};
use webstrata_archive::record::{Origin, PageRecord};

use super::*;

const WHOLE: &str = r#"
sources = ["crawl/", "texts/*.jsonl.zst"]
memory = "2G"

[extract]
extractor = "article"
with = ["metadata", "markdown"]

[[filter]]
name = "language"
keep = ["en"]

[[filter]]
name = "words"
min = 20

[[deduplicate]]
method = "url-key"

[[deduplicate]]
method = "main-text"
threshold = 0.8

[output]
folder = "corpus"
format = "jsonl.gz"
part-size = "64M"
"#;

#[test]
fn a_pipeline_is_read() {
    let pipeline = Pipeline::from_toml(WHOLE).unwrap();
    let names: Vec<&str> = pipeline.filters.iter().map(|filter| filter.name.as_str()).collect();
    assert_eq!(names, ["language", "words"]);
    assert_eq!(pipeline.deduplicate.len(), 2);
    assert_eq!(pipeline.extract.parts(), [RecordPart::Metadata, RecordPart::Markdown]);
    assert_eq!((pipeline.memory, pipeline.output.part_size), (2 << 30, 64 << 20));
    assert_eq!(pipeline.output.written, Written::Parts(Format::Lines(Compression::Gzip)));
    assert!(!pipeline.steps.contains("crawl") && pipeline.steps.contains("threshold"));
}

#[test]
fn addresses_are_sources_that_are_fetched_first() {
    let sources = "sources = [\"crawl/\", \"texts/*.jsonl.zst\"]";
    let urls = "urls = [\"list.txt\"]\nsitemaps = [\"https://a.example/s.xml\"]\ncolumns = { html = \"raw\" }";
    let fetch = "[fetch]\nhost-delay = \"2s\"\n[output]";
    let text = WHOLE.replace(sources, urls).replace("[output]", fetch);
    let pipeline = Pipeline::from_toml(&text).unwrap();
    assert_eq!((pipeline.sources.len(), &pipeline.urls[0][..]), (0, "list.txt"));
    assert_eq!(pipeline.sitemaps, ["https://a.example/s.xml"]);
    let folder = format!("{}-fetched", pipeline.output.folder.display());
    assert_eq!(pipeline.fetched.unwrap().display().to_string(), folder);
    assert_eq!(pipeline.columns.html.as_deref(), Some("raw"));
    assert_eq!(pipeline.fetch["host-delay"].as_str(), Some("2s"));
    // Where pages come from can change from run to run; what a page is cannot.
    assert!(pipeline.steps.contains("raw"));
    assert!(!pipeline.steps.contains("list.txt") && !pipeline.steps.contains("host-delay"));
    let named = text.replace("host-delay = \"2s\"", "folder = \"kept\"");
    let pipeline = Pipeline::from_toml(&named).unwrap();
    assert_eq!(
        (pipeline.fetched.unwrap().to_str(), pipeline.fetch.is_empty()),
        (Some("kept"), true)
    );
    assert!(Pipeline::from_toml(WHOLE).unwrap().fetched.is_none());
}

#[test]
fn what_is_wrong_with_a_pipeline() {
    for (from, to, wanted) in [
        (
            "sources = [\"crawl/\", \"texts/*.jsonl.zst\"]",
            "sources = []",
            "sources: expected files",
        ),
        (
            "\"crawl/\"",
            "\"https://a.example/\"",
            "sources: https://a.example/: an address; name it",
        ),
        ("[output]", "[columns]\nhtm = \"x\"\n[output]", "line "),
        ("memory = \"2G\"", "urls = [\"x\"]\nfetch = { folder = 3 }", "fetch: folder: expected"),
        ("memory = \"2G\"", "memory = \"much\"", "memory `much`: "),
        ("memory = \"2G\"", "mem = 3", "line 3: unknown field `mem`"),
        ("\"markdown\"", "\"pdf\"", "extract: with `pdf`: there are "),
        ("name = \"words\"\n", "", "filter 2: expected a `name`"),
        ("name = \"words\"", "name = \"word\"", "filter 2: no filter `word`; there are "),
        ("min = 20", "minimum = 20", "filter 2: words: unknown field `minimum`"),
        ("\"url-key\"", "\"url\"", "deduplicate 1: no method `url`; there are "),
        ("threshold = 0.8", "threshold = 8.0", "deduplicate 2: threshold 8: expected"),
        ("\"url-key\"", "\"url-key\"\nbands = 3", "deduplicate 1: shingle, bands, rows and"),
        ("\"url-key\"", "\"url-key\"\nkeep = 3", "deduplicate 1: keep, min-words and min-left"),
        ("\"url-key\"", "\"repeated-lines\"\nkeep = 0", "deduplicate 1: keep 0: expected"),
        (
            "\"url-key\"",
            "\"same-text\"\n[[deduplicate]]\nmethod = \"repeated-lines\"",
            "deduplicate: repeated-lines must come before main-text",
        ),
        ("\"jsonl.gz\"", "\"pdf\"", "output: no format `pdf`; there are "),
        ("format = \"jsonl.gz\"", "files = \"pdf\"", "output: no files `pdf`; there are text, "),
        ("[output]", "[output]\nfiles = \"tei\"", "output: format is for parts, "),
        ("[output]", "[chunk]\nsize = 0\n[output]", "chunk: size 0: expected"),
        (
            "[output]",
            "[chunk]\nsize = 9\nmeasure = \"x\"\n[output]",
            "chunk: no measure `x`; there are",
        ),
        ("part-size = \"64M\"", "part-size = \"0\"", "part-size: expected more than nothing"),
        ("[output]", "[outputs]", "line "),
    ] {
        let error = Pipeline::from_toml(&WHOLE.replace(from, to)).unwrap_err().to_string();
        assert!(error.starts_with(wanted) && !error.contains('\n'), "{error}");
    }
}

/// A page that one method drops is unknown to the others: what was written says all.
#[test]
fn what_was_kept_decides() {
    let near = Method::MainText(NearOptions::default());
    let methods = [Method::UrlKey, near];
    let tides = "High water comes half an hour later than the printed table of the harbour says.";
    let ferry =
        "The ferry between the two islands will run every hour from Monday on, says the skipper.";
    let pages = [
        ("a", "https://a.example/1", tides),
        ("b", "https://a.example/2", tides),
        // The address of a page that was dropped.
        ("c", "https://a.example/2", ferry),
        ("d", "https://www.a.example/1?utm_source=x", ferry),
    ];
    let mut whole = Duplicates::new(&methods, 1 << 24).unwrap();
    let decide = |duplicates: &mut Duplicates, (id, url, text): &(&str, &str, &str)| {
        let mut record = record(id, url, text);
        let keys = Keys::of_record(&record, &methods);
        match duplicates.add(&mut record, keys).unwrap() {
            Decision::Repeats(repeat) => Some((repeat.method, repeat.of)),
            decision => {
                assert_eq!(decision, Decision::Kept { removed: 0 });
                None
            }
        }
    };
    let decisions: Vec<_> = pages.iter().map(|page| decide(&mut whole, page)).collect();
    let repeats = |method, of: &str| Some((method, of.to_owned()));
    assert_eq!(decisions, [None, repeats("main-text", "a"), None, repeats("url-key", "a")]);
    for stop in 0..pages.len() {
        let mut again = Duplicates::new(&methods, 1 << 24).unwrap();
        for ((id, url, text), decision) in pages[..stop].iter().zip(&decisions) {
            if decision.is_none() {
                again.learn(id, &Keys::of(text, Some(url), None, &methods)).unwrap();
            }
        }
        let rest: Vec<_> = pages[stop..].iter().map(|page| decide(&mut again, page)).collect();
        assert_eq!(rest, decisions[stop..]);
    }
}

fn record(id: &str, url: &str, text: &str) -> PageRecord {
    let document = webstrata::extract(b"").document;
    let mut record = Record::new(&document);
    record.url = Some(url.to_owned());
    let mut record = PageRecord::new(id.to_owned(), record, &document, Origin::default());
    record.set_text(text.to_owned());
    record
}

/// What is compared is the text that is written: without the notice, two pages are the same, and two are not.
#[test]
fn repeated_lines_are_not_compared() {
    let lines = Method::Repeated(RepeatedOptions::new(Unit::Line));
    let methods = [lines, Method::SameText];
    let notice = "All rights reserved by the harbour office of the island.";
    let mut duplicates = Duplicates::new(&methods, 1 << 24).unwrap();
    let mut decide = |id: &str, text: &str| {
        let mut record = record(id, "https://a.example/", text);
        let keys = Keys::of_record(&record, &methods);
        (duplicates.add(&mut record, keys).unwrap(), record.record.text)
    };
    let kept = |removed, text: &str| (Decision::Kept { removed }, text.to_owned());
    let notice_page = format!("Tides\n\n{notice}\n");
    assert_eq!(decide("a", &notice_page), kept(0, &notice_page));
    assert_eq!(decide("b", &format!("Boats\n\n{notice}\n")), kept(1, "Boats\n"));
    let (decision, _) = decide("c", &format!("{notice}\nBoats\n"));
    assert!(matches!(&decision, Decision::Repeats(repeat) if repeat.of == "b"), "{decision:?}");
    assert_eq!(decide("d", notice).0, Decision::LittleLeft("repeated-lines"));
}

/// Pages that share no bucket can be decided apart, in the order that they have: that is how a cluster does it.
#[test]
fn pages_that_share_no_bucket_are_decided_apart() {
    let near = Method::MainText(NearOptions::new(2, 6, 2, 0.5).unwrap());
    let methods = [Method::UrlKey, Method::SameText, near];
    let mut random = webstrata_base::Random::new(3);
    let mut texts: Vec<Vec<String>> = Vec::new();
    let mut pages: Vec<PageRecord> = Vec::new();
    for number in 0..400 {
        let words: Vec<String> = match texts.len() {
            known if known > 0 && random.below(3) > 0 => {
                let mut words = texts[known - 1 - random.below(known.min(30))].clone();
                for _ in 0..random.below(5) {
                    let at = random.below(words.len());
                    words[at] = format!("x{}", random.below(50));
                }
                words
            }
            _ => (0..20).map(|_| format!("w{}", random.below(2000))).collect(),
        };
        let url = format!("https://a.example/{}", random.below(350));
        pages.push(record(&number.to_string(), &url, &words.join(" ")));
        texts.push(words);
    }
    let decide = |duplicates: &mut Duplicates, page: &PageRecord| {
        let keys = Keys::of_record(page, &methods);
        duplicates.add(&mut page.clone(), keys).unwrap()
    };
    let mut whole = Duplicates::new(&methods, 1 << 24).unwrap();
    let expected: Vec<Decision> = pages.iter().map(|page| decide(&mut whole, page)).collect();
    let repeats = |method: &str| {
        let is_it = |one: &&Decision| matches!(one, Decision::Repeats(of) if of.method == method);
        expected.iter().filter(is_it).count()
    };
    assert!(["url-key", "same-text", "main-text"].iter().all(|method| repeats(method) > 9));

    let mut groups: Vec<usize> = (0..pages.len()).collect();
    let mut firsts = std::collections::HashMap::new();
    for (number, page) in pages.iter().enumerate() {
        for bucket in Keys::of_record(page, &methods).buckets(&methods) {
            let first = *firsts.entry(bucket).or_insert(number);
            let (one, other) = (groups[first], groups[number]);
            let group = one.min(other);
            groups.iter_mut().filter(|of| **of == one || **of == other).for_each(|of| *of = group);
        }
    }
    let mut alone: std::collections::HashMap<usize, Duplicates> = Default::default();
    for (number, page) in pages.iter().enumerate() {
        let new = || Duplicates::new(&methods, 1 << 24).unwrap();
        let decided = decide(alone.entry(groups[number]).or_insert_with(new), page);
        assert_eq!(decided, expected[number], "page {number}");
    }
    assert!(alone.len() > 30, "{} groups say little", alone.len());
}

/// Where repeated lines are all that is looked for, the first of each in all texts stay, whoever decides.
#[test]
fn the_first_of_each_line_stay() {
    let options = RepeatedOptions { keep: 2, min_words: 2, ..RepeatedOptions::new(Unit::Line) };
    let methods = [Method::Repeated(options)];
    let mut random = webstrata_base::Random::new(5);
    let mut duplicates = Duplicates::new(&methods, 1 << 24).unwrap();
    let mut seen: std::collections::HashMap<u64, u8> = Default::default();
    for number in 0..100 {
        let lines: String = (0..8).map(|_| format!("line {}\n\n", random.below(40))).collect();
        // Digits are zeros to it; letters are not.
        let lines = lines.replace(|c: char| c.is_ascii_digit(), "x") + &"y".repeat(number % 7);
        let page = record(&number.to_string(), "https://a.example/", &lines);
        let keys = Keys::of_record(&page, &methods);
        let units = keys.clone().into_units();
        let mut wanted = page.clone();
        let mut places = Vec::new();
        for (place, key) in units.iter().enumerate() {
            let Some(key) = key else { continue };
            let times = seen.entry(*key).or_default();
            if *times >= options.keep {
                places.push(place);
            } else {
                *times += 1;
            }
        }
        if !places.is_empty() {
            wanted.set_text(options.without(&page.record.text, &places));
        }
        let mut made = page;
        duplicates.add(&mut made, keys).unwrap();
        assert_eq!(made.record.text, wanted.record.text, "page {number}");
    }
}
