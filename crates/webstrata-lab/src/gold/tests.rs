use proptest::prelude::*;
use webstrata::Options;
use webstrata::cutting::Cutting;

use super::*;

fn read(page: &str, cutting: Cutting) -> Document {
    webstrata::read(page.as_bytes(), cutting, &Options::default())
}

/// A line for each block: the first letter of its class, and its text.
fn classes(page: &str, marked: &str, cutting: Cutting) -> Vec<String> {
    let document = read(page, cutting);
    let line = |(class, block): (Class, &webstrata::Block)| {
        format!("{}: {}", &class.name()[..1], document.block_text(block).trim())
    };
    annotated(&document, marked).into_iter().zip(&document.blocks).map(line).collect()
}

/// A span of a class around a text.
fn span(class: u32, text: &str) -> String {
    format!("<span class=\"x-nc-sel{class}\">{text}</span>")
}

#[test]
fn the_six_classes() {
    let texts = ["Menu", "Late ferry", "The ferry was late.", "A pier", "See also", "Well!"];
    let page: String = texts.iter().map(|text| format!("<p>{text}</p>")).collect();
    let marked: String =
        (0..).zip(texts).map(|(class, text)| format!("<p>{}</p>", span(class, text))).collect();
    let wanted = [
        "b: Menu",
        "h: Late ferry",
        "c: The ferry was late.",
        "s: A pier",
        "r: See also",
        "c: Well!",
    ];
    for cutting in [Cutting::Atomic, Cutting::Boilerpipe] {
        assert_eq!(classes(&page, &marked, cutting), wanted);
    }
    // Two of them begin with the same letter.
    assert_eq!(annotated(&read(&page, Cutting::Atomic), &marked)[5], Class::Comments);
}

#[test]
fn the_innermost_mark_counts() {
    let page = "<div>Outside <p>Inside of it</p> and <b>bold</b> again</div>";
    let marked =
        span(2, &format!("Outside <p>{}</p> and <b>bold</b> again", span(0, "Inside of it")));
    let wanted = ["c: Outside", "b: Inside of it", "c: and", "c: bold", "c: again"];
    assert_eq!(classes(page, &marked, Cutting::Atomic), wanted);
    // Where `b` does not cut, its text is in the same block.
    let wanted = ["c: Outside", "b: Inside of it", "c: and bold again"];
    assert_eq!(classes(page, &marked, Cutting::Boilerpipe), wanted);
}

#[test]
fn most_of_the_tokens_decide() {
    let page = "<p>One two <a href=x>three four five</a> six</p><p>Seven <a href=y>eight</a></p>";
    let marked = format!(
        "<p>{} <a href=x>{}{}</a> six</p><p>{}<a href=y>{}</a></p>",
        span(2, "One two"),
        span(2, "three "),
        span(4, "four five"),
        span(1, "Seven "),
        span(0, "eight")
    );
    // Three of six for content, two for related, one unmarked; one each in the second: the first of
    // the classes in their order.
    let wanted = ["c: One two three four five six", "b: Seven eight"];
    assert_eq!(classes(page, &marked, Cutting::Atomic), wanted);
    assert_eq!(classes(page, &marked, Cutting::Boilerpipe), wanted);
}

#[test]
fn how_browsers_write_pages_back() {
    let page = "<P>Fish &amp; chips&nbsp;caf&eacute;<p>|<p>Next &gt;&gt;<script>x('Fish')</script>";
    let marked = "<html><head><title>Fish</title></head><body><p><SPAN CLASS='big x-nc-sel2'>Fish \
                  &amp; chips&#160;caf\u{e9}</SPAN></p>\n<p><span class=x-nc-sel3>|</span></p>\
                  <span class=x-nc-sel2>  \n </span><p><span class=x-nc-sel99>Next &gt;&gt;</span></p>\
                  <script>x('Fish')</script></body></html>";
    let wanted = ["c: Fish & chips\u{a0}café", "s: |", "b: Next >>"];
    for cutting in [Cutting::Atomic, Cutting::Boilerpipe] {
        let found = classes(page, marked, cutting);
        let found: Vec<String> = found.iter().map(|line| line.replace('\u{a0}', " ")).collect();
        assert_eq!(found, wanted.map(|line| line.replace('\u{a0}', " ")));
    }
}

#[test]
fn an_annotated_page_that_differs_a_little() {
    let page = "<p>12:00 on Monday</p><p>The ferry leaves the old pier at noon.</p><p>Imprint</p>";
    let marked = format!(
        "<p>12:05 on Monday</p><p>Advertisement</p><p>{}</p>",
        span(2, "The ferry leaves the new pier at noon!")
    );
    let wanted = ["b: 12:00 on Monday", "c: The ferry leaves the old pier at noon.", "b: Imprint"];
    assert_eq!(classes(page, &marked, Cutting::Boilerpipe), wanted);
    assert_eq!(
        classes(page, "", Cutting::Boilerpipe)[1],
        "b: The ferry leaves the old pier at noon."
    );
    assert!(classes("", &marked, Cutting::Boilerpipe).is_empty());
}

/// The share of each block in percent, blocks being paragraphs.
fn percent(paragraphs: &[&str], gold: &str) -> Vec<u32> {
    let page: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    let shares = shares(&read(&page, Cutting::Boilerpipe), gold);
    shares.into_iter().map(|share| (100.0 * share).round() as u32).collect()
}

const FERRY: &str = "The ferry leaves the old pier at noon on most days of the year.";
const TIDE: &str = "High water is early in the morning, and low water when nobody looks.";

#[test]
fn gold_in_order() {
    let page = ["Home News Sport", FERRY, "Advertisement for rope", TIDE, "All rights reserved"];
    assert_eq!(percent(&page, &format!("{FERRY}\n{TIDE}")), [0, 100, 0, 100, 0]);
    // Case, punctuation and markup of the gold do not matter.
    assert_eq!(percent(&page, &format!("* {}", FERRY.to_uppercase())), [0, 100, 0, 0, 0]);
    // Half of a block.
    assert_eq!(percent(&page, "High water is early in the morning"), [0, 0, 0, 54, 0]);
}

#[test]
fn gold_out_of_order() {
    assert_eq!(percent(&[TIDE, "Menu", FERRY], &format!("{FERRY}\n{TIDE}")), [100, 0, 100]);
    // Two tokens in a row are not enough out of order.
    assert_eq!(percent(&["the old", FERRY], &format!("{FERRY} Menu of the old")), [0, 100]);
}

#[test]
fn a_teaser_before_the_article() {
    // The gold has the text once: the page's teaser, a repeated beginning, is not it.
    let teaser = "The ferry leaves the old pier";
    assert_eq!(
        percent(&[teaser, "Menu", FERRY, TIDE], &format!("{FERRY} {TIDE}")),
        [0, 0, 100, 100]
    );
}

#[test]
fn short_blocks_and_short_gold() {
    assert_eq!(percent(&["noon", FERRY, "pier"], FERRY), [0, 100, 0]);
    assert_eq!(percent(&["Menu", "Closed", "Imprint"], "Closed"), [0, 100, 0]);
    assert_eq!(percent(&["Menu", "Closed today"], "Closed"), [0, 50]);
    assert_eq!(percent(&["Menu", FERRY], ""), [0, 0]);
    assert_eq!(percent(&["Menu", FERRY], " …\n-- "), [0, 0]);
    assert_eq!(percent(&[], FERRY), [0u32; 0]);
    let wordless = shares(&read("<p>|</p><p>***</p>", Cutting::Atomic), "| ***");
    assert!(wordless.iter().all(|share| *share == 0.0));
}

#[test]
fn from_shares_to_classes() {
    for (share, words, wanted) in [
        (0.5, 4, Class::Content),
        (0.49, 4, Class::Boilerplate),
        (0.9, 3, Class::Boilerplate),
        (1.0, 3, Class::Content),
        (1.0, 0, Class::Boilerplate),
        (0.0, 9, Class::Boilerplate),
    ] {
        assert_eq!(from_share(share, words), wanted, "{share} of {words}");
    }
}

#[test]
fn long_pages_align() {
    // 60,000 tokens of a small vocabulary on both sides; all pairs of them would be gigabytes.
    let mut random = webstrata_base::random::Random::new(1);
    let words = ["tide", "pier", "noon", "ferry", "rope", "water", "late", "the"];
    let text: String = (0..60_000).map(|_| words[random.below(8)].to_owned() + " ").collect();
    let document = read(&format!("<p>Home</p><p>{text}</p>"), Cutting::Boilerpipe);
    assert_eq!(shares(&document, &text), [0.0, 1.0]);
    let marked = format!("<p>{}</p>", span(2, &text));
    assert_eq!(annotated(&document, &marked), [Class::Boilerplate, Class::Content]);
}

proptest! {
    #[test]
    fn any_text_has_shares(
        page in r"(<p>|<b>|</b>|<a href=x>|</a>|[a-cÄß ]{1,6}|&amp;|\|| ){0,40}",
        gold in r"([a-cÄß]{1,3}| |\n|\||<){0,60}",
    ) {
        for cutting in [Cutting::Atomic, Cutting::Boilerpipe] {
            let document = read(&page, cutting);
            let shares = shares(&document, &gold);
            prop_assert_eq!(shares.len(), document.blocks.len());
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
            prop_assert_eq!(annotated(&document, &gold).len(), document.blocks.len());
        }
    }

    #[test]
    fn anything_at_all(page in ".{0,80}", gold in ".{0,80}") {
        let document = read(&page, Cutting::Atomic);
        prop_assert!(shares(&document, &gold).iter().all(|share| (0.0..=1.0).contains(share)));
        annotated(&document, &gold);
    }

    #[test]
    fn a_page_that_is_its_own_gold_is_all_content(
        paragraphs in prop::collection::vec("[a-d]{1,2}( [a-d]{1,2}){1,9}", 1..8),
    ) {
        let page: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
        let document = read(&page, Cutting::Boilerpipe);
        prop_assert!(shares(&document, &paragraphs.join("\n")).iter().all(|share| *share == 1.0));
        let marked: String = paragraphs.iter().map(|text| format!("<p>{}</p>", span(2, text))).collect();
        prop_assert!(annotated(&document, &marked).iter().all(|class| *class == Class::Content));
    }
}
