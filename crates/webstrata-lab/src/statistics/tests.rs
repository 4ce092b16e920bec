use proptest::prelude::*;

use super::*;

const MENU: &str = "<ul><li>Home<li>Tides<li>Contact us</ul>";
const ARTICLE: &str = "<p>High water is at noon, the harbour office says, and the ferry to the islands \
    leaves an hour earlier than it does on other days of the week. Bring boots.</p>";

fn counted(pages: &[&str]) -> Statistics {
    let mut statistics = Statistics::default();
    for (number, page) in (0..).zip(pages) {
        statistics.read(page.as_bytes(), &Options::default(), number);
    }
    statistics
}

fn json(statistics: &Statistics) -> String {
    serde_json::to_string(statistics).unwrap()
}

#[test]
fn a_page_is_counted() {
    let page = format!("{MENU}{ARTICLE}");
    let statistics = counted(&[&page]);
    assert_eq!((statistics.pages(), statistics.pages_with_text()), (1, 1));
    let [without, with] = &statistics.strata.tokens;
    assert_eq!((without.total(), with.total()), (4, 30));
    assert_eq!(statistics.tokens_up_to(SPARSE), 4);
    assert_eq!(statistics.strata.sizes.pairs().collect::<Vec<_>>(), [(4, 1), (30, 1)]);
    let places = statistics.terms.get(&"tides".into()).unwrap();
    assert_eq!((places.low, places.high, places.sparse_segments), (1, 0, 1));
    assert_eq!(statistics.terms.get(&"noon".into()).unwrap().high, 1);
    assert_eq!(statistics.blocks.words().total(), 4);
    // From a density of 1 to a higher one: a part of that, rounded up.
    assert_eq!(statistics.quotients[1], 1);
}

#[test]
fn labels_make_other_groups() {
    let (mut page, segments) =
        Segmenter::new(Method::RuleBased).read(MENU.as_bytes(), &Options::default());
    page.document.blocks[0].class = Some(Class::Headline);
    let mut statistics = Statistics::default();
    statistics.add(&page, &segments, 0);
    let names: Vec<&str> = statistics.blocks.named().map(|(name, _)| name).collect();
    assert_eq!(names, ["no full stop", "headline"]);
}

#[test]
fn quotients_by_hand() {
    let segments = |densities: &[u32]| {
        let page = AtomicPage::read(b"<p>a", &Options::default(), 80);
        let one = Segmenter::new(Method::TagGap).segment(&page).remove(0);
        let with = |tokens: &u32| Segment { tokens: *tokens, lines: 1, ..one.clone() };
        densities.iter().map(with).collect::<Vec<_>>()
    };
    let mut statistics = Statistics::default();
    // |4 − 1| / 1 = 3, |1 − 4| / 4 is in class 1, equal neighbours are one, |4 − 3| / 3 in class 1.
    statistics.add_quotients(&segments(&[4, 1, 4, 4, 3]));
    assert_eq!(statistics.quotients[..5], [0, 2, 0, 1, 0]);
}

/// Pages of a few words, some of them again and again.
fn pages() -> impl Strategy<Value = Vec<String>> {
    let word =
        prop::sample::select(vec!["Home", "tide.", "noon", "3 March", "A longer line of text"]);
    let block =
        (prop::collection::vec(word, 1..6), prop::sample::select(vec!["p", "li", "h1", "a"]));
    let block = block.prop_map(|(words, tag)| format!("<{tag}>{}</{tag}>", words.join(" ")));
    prop::collection::vec(
        prop::collection::vec(block, 0..6).prop_map(|blocks| blocks.concat()),
        0..40,
    )
}

fn survey(pages: &[String], threads: usize) -> Statistics {
    let survey = Survey::new(Statistics::with_capacity(8, 8));
    let mut survey = survey.on_threads(threads).unwrap();
    for page in pages {
        survey.add(RawPage { bytes: page.clone().into(), ..RawPage::default() }).unwrap();
    }
    survey.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn parts_make_the_whole(pages in pages(), cut in 0usize..40) {
        let cut = cut.min(pages.len());
        let mut parts = Statistics::default();
        for (number, page) in (0..).zip(&pages[..cut]) {
            parts.read(page.as_bytes(), &Options::default(), number);
        }
        let mut rest = Statistics::default();
        for (number, page) in (cut as u64..).zip(&pages[cut..]) {
            rest.read(page.as_bytes(), &Options::default(), number);
        }
        parts.merge(rest);
        let whole = counted(&pages.iter().map(String::as_str).collect::<Vec<_>>());
        // Of segments that occur once in each part, one of the texts is kept.
        let plain = |statistics: &Statistics| {
            let report = report(statistics, &Described::default());
            let tables = report.to_markdown();
            tables.split("Table 4.6").next().unwrap_or_default().to_owned()
        };
        prop_assert_eq!(plain(&parts), plain(&whole));
        let counts = |Statistics { documents, blocks, strata, terms, quotients, .. }: &Statistics| {
            serde_json::to_string(&(documents, blocks, strata, terms, quotients)).unwrap()
        };
        prop_assert_eq!(counts(&parts), counts(&whole));
    }

    #[test]
    fn threads_change_nothing(pages in pages()) {
        // More pages than a part has, and small tables that overflow.
        let many: Vec<String> = pages.iter().cycle().take(pages.len() * 4).cloned().collect();
        prop_assert_eq!(json(&survey(&many, 1)), json(&survey(&many, 4)));
    }

    #[test]
    fn any_pages_have_a_report(pages in prop::collection::vec(".{0,200}", 0..4)) {
        let statistics = counted(&pages.iter().map(String::as_str).collect::<Vec<_>>());
        let report = report(&statistics, &Described::default());
        let html = report.to_html();
        prop_assert!(!html.contains("NaN") && !html.contains(">inf<"));
    }
}

#[test]
fn odd_corpora_say_what_is_missing() {
    let same = format!("{MENU}{ARTICLE}");
    for pages in [vec![], vec![""], vec!["<p>"], vec!["<p>Home"], vec![&same; 50]] {
        let statistics = counted(&pages);
        let markdown = report(&statistics, &Described::default()).to_markdown();
        assert!(markdown.contains("Beta distribution: "), "{markdown}");
        assert!(!markdown.contains("NaN"), "{markdown}");
    }
}

#[test]
fn what_is_kept_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("counts.json");
    let pages: Vec<String> = (0..3000)
        .map(|n| format!("{MENU}<p>Page {n} of all.<p>{}", "tide ".repeat(n % 30)))
        .collect();
    let raw = |page: &String| RawPage { bytes: page.clone().into(), ..RawPage::default() };
    let run = |survey: &mut Survey, until: usize| {
        let done = survey.done() as usize;
        pages[done..until].iter().for_each(|page| survey.add(raw(page)).unwrap());
        done
    };
    let start = |key: &str| Survey::kept(Statistics::with_capacity(8, 8), &file, key, 1);
    let mut whole = Survey::new(Statistics::with_capacity(8, 8));
    run(&mut whole, pages.len());
    let whole = json(&whole.finish());
    // Killed: never finished.
    assert_eq!(run(&mut start("a"), 2500), 0);
    let mut again = start("a");
    assert_eq!(run(&mut again, pages.len()), 2048);
    assert_eq!(json(&again.finish()), whole);
    // Other pages or a damaged file: from the beginning.
    assert_eq!(start("b").done(), 0);
    let kept = std::fs::read(&file).unwrap();
    std::fs::write(&file, &kept[..kept.len() / 2]).unwrap();
    assert_eq!(start("a").done(), 0);
}
