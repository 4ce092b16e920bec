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
    assert_eq!(pipeline.output.format, Format::Lines(Compression::Gzip));
}

#[test]
fn what_is_wrong_with_a_pipeline() {
    for (from, to, wanted) in [
        (
            "sources = [\"crawl/\", \"texts/*.jsonl.zst\"]",
            "sources = []",
            "sources: expected files",
        ),
        ("memory = \"2G\"", "memory = \"much\"", "memory `much`: "),
        ("memory = \"2G\"", "mem = 3", "line 3: unknown field `mem`"),
        ("\"markdown\"", "\"pdf\"", "extract: with `pdf`: there are "),
        ("name = \"words\"\n", "", "filter 2: expected a `name`"),
        ("name = \"words\"", "name = \"word\"", "filter 2: no filter `word`; there are "),
        ("min = 20", "minimum = 20", "filter 2: words: unknown field `minimum`"),
        ("\"url-key\"", "\"url\"", "deduplicate 1: no method `url`; there are "),
        ("threshold = 0.8", "threshold = 8.0", "deduplicate 2: threshold 8: expected"),
        ("\"url-key\"", "\"url-key\"\nbands = 3", "deduplicate 1: parameters are for"),
        ("\"jsonl.gz\"", "\"csv\"", "output: no format `csv`; there are "),
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
    let keys = |(_, url, text): &(&str, &str, &str)| Keys::of(text, Some(url), None, &methods);
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
    let decide = |duplicates: &mut Duplicates, page: &(&str, &str, &str)| {
        duplicates.add(page.0, &keys(page)).unwrap().map(|repeat| (repeat.method, repeat.of))
    };
    let decisions: Vec<_> = pages.iter().map(|page| decide(&mut whole, page)).collect();
    let repeats = |method, of: &str| Some((method, of.to_owned()));
    assert_eq!(decisions, [None, repeats("main-text", "a"), None, repeats("url-key", "a")]);
    for stop in 0..pages.len() {
        let mut again = Duplicates::new(&methods, 1 << 24).unwrap();
        for (page, decision) in pages[..stop].iter().zip(&decisions) {
            if decision.is_none() {
                again.learn(page.0, &keys(page)).unwrap();
            }
        }
        let rest: Vec<_> = pages[stop..].iter().map(|page| decide(&mut again, page)).collect();
        assert_eq!(rest, decisions[stop..]);
    }
}
