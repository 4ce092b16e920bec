use proptest::prelude::*;
use webstrata::Options;

use super::*;

/// The texts of a page's segments.
fn texts(html: &str, segmenter: Segmenter) -> Vec<String> {
    let (page, segments) = segmenter.read(html.as_bytes(), &Options::default());
    segments.iter().map(|segment| page.text(segment).replace('\n', " / ")).collect()
}

/// Words that fill so many lines of 80 columns and one word more.
fn lines_of(words: &str, lines: usize) -> String {
    let line = words.repeat(80 / words.len());
    line.repeat(lines) + "end"
}

/// Algorithm 4.1 as it is printed, blocks in a vector.
fn printed(blocks: &[Segment], segmenter: &Segmenter) -> (Vec<Segment>, usize) {
    let mut b = blocks.to_vec();
    let mut iterations = 0;
    let fuses = !matches!(segmenter.method, Method::WordWrap | Method::TagGap);
    loop {
        let mut has_changed = false;
        iterations += 1;
        let mut i = 1;
        while fuses && i < b.len() {
            if i + 1 < b.len() && dominated(&b[i - 1], &b[i], &b[i + 1], segmenter.method) {
                let (middle, after) = (b.remove(i), b.remove(i));
                b[i - 1].append(&middle);
                b[i - 1].append(&after);
                // b[i] is the block behind the fused one already.
                has_changed = true;
            } else if delta(&b[i - 1], &b[i], segmenter.method) <= segmenter.threshold
                && delta(&b[i - 1], &b[i], segmenter.method) < f64::INFINITY
            {
                let block = b.remove(i);
                b[i - 1].append(&block);
                has_changed = true;
            } else {
                i += 1;
            }
        }
        if !has_changed || segmenter.iterations == Some(iterations) {
            return (b, iterations);
        }
    }
}

fn dominated(before: &Segment, block: &Segment, after: &Segment, method: Method) -> bool {
    let free = !block.gap.parts && !after.gap.parts;
    let (x, y, z) = (before.density(), block.density(), after.density());
    y < x
        && match method {
            Method::Smoothed => x == z,
            Method::SmoothedSparse => x <= 5.0 && z <= 5.0,
            Method::RuleBased => x == z && free,
            _ => false,
        }
}

fn delta(before: &Segment, block: &Segment, method: Method) -> f64 {
    let (x, y) = (before.density(), block.density());
    match method {
        Method::RuleBased | Method::JustRules if block.gap.parts => f64::INFINITY,
        Method::RuleBased if block.gap.joins => f64::NEG_INFINITY,
        Method::JustRules => f64::NEG_INFINITY,
        _ if x == 0.0 && y == 0.0 => 0.0,
        _ => (x - y).abs() / x.max(y),
    }
}

fn any_blocks() -> impl Strategy<Value = Vec<Segment>> {
    let block = (1..4u32, 1..9u32, 1..6u32, any::<bool>(), 0..3u8);
    prop::collection::vec(block, 0..60).prop_map(|blocks| {
        let block = |(index, (lines, per_line, last, linked, gap)): (usize, _)| {
            let last = if lines == 1 { per_line } else { last };
            let tokens = (lines - 1) * per_line + last;
            let linked_tokens = if linked { tokens } else { 0 };
            let gap = Gap { tags: 1, parts: gap == 1, joins: gap == 2 };
            let (atoms, span) = (index..index + 1, index * 10..index * 10 + 10);
            let tokens_on_last_line = last;
            Segment {
                atoms,
                span,
                lines,
                tokens,
                tokens_on_last_line,
                linked_tokens,
                full_stops: 1,
                gap,
            }
        };
        blocks.into_iter().enumerate().map(block).collect()
    })
}

fn any_segmenter() -> impl Strategy<Value = Segmenter> {
    let threshold = prop_oneof![Just(0.0), Just(0.38), Just(1.0), Just(f64::INFINITY), 0.0..1.0];
    (0..Method::ALL.len(), threshold, prop::option::of(1..4usize)).prop_map(
        |(method, threshold, iterations)| {
            let method = Method::ALL[method].0;
            Segmenter { threshold, iterations, ..Segmenter::new(method) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_same_as_printed(blocks in any_blocks(), segmenter in any_segmenter()) {
        let expect = printed(&blocks, &segmenter);
        let count = blocks.len();
        let Fused { segments, iterations, comparisons } = fusion::fuse(blocks, &segmenter);
        prop_assert_eq!((segments, iterations), expect);
        prop_assert!(comparisons <= 4 * count);
    }

    #[test]
    fn only_rules_are_left_without_a_threshold(blocks in any_blocks()) {
        let segments = |method| {
            let segmenter = Segmenter { threshold: f64::INFINITY, ..Segmenter::new(method) };
            fusion::fuse(blocks.clone(), &segmenter).segments
        };
        prop_assert_eq!(segments(Method::RuleBased), segments(Method::JustRules));
    }
}

#[test]
fn the_same_as_printed_on_pages() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../webstrata/tests/pages");
    let mut count = 0;
    for folder in std::fs::read_dir(pages).unwrap() {
        let Ok(html) = std::fs::read(folder.unwrap().path().join("page.html")) else { continue };
        let page = AtomicPage::read(&html, &Options::default(), WIDTH);
        for (method, _) in Method::ALL {
            let segmenter = Segmenter::new(method);
            let Fused { segments, iterations, .. } = segmenter.fuse(&page);
            assert_eq!((segments, iterations), printed(&page.blocks(), &segmenter), "{method}");
        }
        count += 1;
    }
    assert!(count > 10, "{count}");
}

/// One fusion in every round: the last block is similar to all, the others to none of their neighbours.
#[test]
fn as_many_rounds_as_blocks() {
    let words = |count: usize| format!("<p>{}", "tide ".repeat(count));
    let html = words(10) + &words(6);
    // Eight such words are on a line.
    let html = html.repeat(500) + "<p>" + &"highwater ".repeat(800);
    let page = AtomicPage::read(html.as_bytes(), &Options::default(), WIDTH);
    let segmenter = Segmenter::new(Method::Plain);
    let Fused { segments, iterations, comparisons } = segmenter.fuse(&page);
    assert_eq!((segments.len(), iterations), (1, 1001));
    assert!(comparisons <= 3 * 1001, "{comparisons}");
}

#[test]
fn names() {
    for (method, name) in Method::ALL {
        assert_eq!((method.name(), name.parse()), (name, Ok(method)));
    }
    let unknown = "plane".parse::<Method>().unwrap_err().to_string();
    assert!(unknown.starts_with("unknown method `plane`, expected one of word-wrap,"), "{unknown}");
}

#[test]
fn similar_neighbours_are_fused() {
    let article = lines_of("tide tables ", 3);
    let html = format!("<i>Home</i><i>News</i><p>{article}</p><p>{article}</p><p>Imprint</p>");
    let article = article.trim();
    let expect = ["Home / News".to_owned(), format!("{article} / {article}"), "Imprint".to_owned()];
    assert_eq!(texts(&html, Segmenter::new(Method::Plain)), expect);
}

#[test]
fn tags_that_part_and_tags_that_join() {
    let rules = |html| texts(html, Segmenter::new(Method::RuleBased));
    assert_eq!(rules("<p>one two</p><p>three four</p>"), ["one two / three four"]);
    assert_eq!(rules("<p>one two</p><h2>three four</h2>"), ["one two", "three four"]);
    assert_eq!(rules("<p>one two</p><p><img>three four</p>"), ["one two", "three four"]);
    assert_eq!(rules("one two three four<br>five"), ["one two three four / five"]);
    assert_eq!(rules("<p>one two three four</p><p>five"), ["one two three four", "five"]);
    let just = |html| texts(html, Segmenter::new(Method::JustRules));
    assert_eq!(just("<p>one two three four</p><p>five"), ["one two three four / five"]);
}

#[test]
fn a_block_between_two_equal_ones() {
    let html = "<p>two words</p><p>one</p><p>two words</p>";
    let with = |method| texts(html, Segmenter { threshold: 0.1, ..Segmenter::new(method) }).len();
    assert_eq!(with(Method::Plain), 3);
    assert_eq!(with(Method::Smoothed), 1);
    let html = "<p>three words here</p><p>one</p><p>two words</p>";
    let with = |method| texts(html, Segmenter { threshold: 0.1, ..Segmenter::new(method) }).len();
    assert_eq!(with(Method::Smoothed), 3);
    assert_eq!(with(Method::SmoothedSparse), 1);
}

#[test]
fn what_has_no_token_is_no_block() {
    let html = "<b>»</b><i>Home</i> | <i>News</i> <b>|</b>";
    assert_eq!(texts(html, Segmenter::new(Method::TagGap)), ["» / Home / |", "News / |"]);
    assert_eq!(texts("<p>|</p><p>»", Segmenter::new(Method::Plain)), [""; 0]);
}

#[test]
fn lines_of_all_text() {
    let html = "<p>High water is</p><p>at noon.";
    let narrow = Segmenter { width: 10, ..Segmenter::new(Method::WordWrap) };
    assert_eq!(texts(html, narrow), ["High water", "is / at", "noon."]);
}

#[test]
fn densities() {
    let html = format!("<p>{}</p><p>one <a href=/>two</a></p>", lines_of("tide tables ", 3));
    let (_, segments) = Segmenter::new(Method::TagGap).read(html.as_bytes(), &Options::default());
    let [article, short] = segments.as_slice() else { panic!("{segments:?}") };
    assert_eq!((article.lines, article.tokens, article.density()), (3, 37, 13.0));
    assert_eq!((short.lines, short.density(), short.link_density()), (1, 2.0, 0.5));
}
