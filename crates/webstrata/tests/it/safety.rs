//! Nothing in an output runs: HTML, read again, has only what is on a list, and so has what a reader of
//! Markdown makes of ours.

#[path = "../../examples/cases/hostile.rs"]
mod hostile;

use pulldown_cmark::{Event, Options as Reading, Parser, Tag as Markdown, TagEnd};
use webstrata::output::{OutputOptions, html, markdown};
use webstrata::{Extractor, Limits, Options, Page, Tree};

const ALL: OutputOptions = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };

const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "body",
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "td",
    "th",
    "figure",
    "figcaption",
    "em",
    "strong",
    "b",
    "i",
    "u",
    "s",
    "del",
    "ins",
    "code",
    "kbd",
    "samp",
    "var",
    "sub",
    "sup",
    "mark",
    "q",
    "cite",
    "abbr",
    "dfn",
    "time",
    "small",
    "bdo",
    "pre",
    "a",
    "div",
    "img",
    "hr",
    "br",
    "colgroup",
];
const ATTRIBUTES: &[&str] = &[
    "href", "src", "alt", "title", "lang", "dir", "class", "colspan", "rowspan", "start", "value",
    "width", "height", "datetime",
];

/// Only listed elements and attributes, and no address that runs.
pub(crate) fn check_html(html: &str) {
    let tree = Tree::parse(html, &Limits::default());
    for node in tree.nodes() {
        let Some(name) = tree.name(node) else { continue };
        assert!(ELEMENTS.contains(&&*name), "<{name}> in {html}");
        for attribute in tree.attributes(node) {
            assert!(ATTRIBUTES.contains(&attribute.name), "{} in {html}", attribute.name);
            if matches!(attribute.name, "href" | "src") {
                assert!(is_harmless(&attribute.value), "{} in {html}", attribute.value);
            }
        }
    }
}

/// Has the address no scheme, or one that only leads somewhere? Read as by those who overlook most: all but visible
/// ASCII. What then has other characters before its colon than schemes have is a path.
fn is_harmless(url: &str) -> bool {
    let url: String = url.chars().filter(char::is_ascii_graphic).collect();
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_none_or(|scheme| {
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        matches!(&*scheme, "http" | "https" | "mailto") || !scheme.chars().all(is_scheme)
    })
}

/// No HTML, and no address that runs, whatever extensions the reader knows. Formulas are another language,
/// and readers of Markdown that do not know them read their signs as text.
fn check_markdown(case: &str, written: &str) {
    let few = Reading::ENABLE_TABLES;
    let many = few | Reading::ENABLE_STRIKETHROUGH | Reading::ENABLE_FOOTNOTES;
    assert!(!has_tag_for_somebody(written, many), "{case}\n{written}");
    // Some readers allow a space before an address: Showdown does.
    let apart = written.replace("\\] (", "");
    assert!(!apart.contains("] (javascript:"), "{case}\n{written}");
    for reading in [Reading::empty(), few, many, many | Reading::ENABLE_MATH] {
        for event in Parser::new_ext(written, reading) {
            match event {
                Event::Html(part) | Event::InlineHtml(part) => panic!("{case}: {part}\n{written}"),
                Event::Start(
                    Markdown::Link { dest_url, .. } | Markdown::Image { dest_url, .. },
                ) => {
                    assert!(is_harmless(&dest_url), "{case}: {dest_url}\n{written}");
                }
                _ => {}
            }
        }
    }
}

/// Does anything outside of code look like a tag? Some readers do not know `\<`: Python-Markdown and Showdown make a tag of
/// what stands behind it.
fn has_tag_for_somebody(written: &str, reading: Reading) -> bool {
    let mut code = Vec::new();
    let mut blocks = 0;
    for (event, range) in Parser::new_ext(written, reading).into_offset_iter() {
        match event {
            Event::Start(Markdown::CodeBlock(_)) => blocks += 1,
            Event::End(TagEnd::CodeBlock) => blocks -= 1,
            Event::Code(_) => code.push(range),
            Event::Text(_) if blocks > 0 => code.push(range),
            _ => {}
        }
    }
    let bytes = written.as_bytes();
    let mut signs = bytes.windows(2).enumerate().filter(|(_, pair)| {
        pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || b"/!?".contains(&pair[1]))
    });
    signs.any(|(at, _)| !code.iter().any(|range| range.contains(&at)))
}

#[test]
fn nothing_gets_through() {
    assert!(hostile::PAGES.len() >= 100);
    for case in hostile::PAGES {
        let source = hostile::page(case);
        for hidden in [webstrata::Hidden::Drop, webstrata::Hidden::Keep] {
            let extractor = Extractor::named("keep-all").expect("a built-in");
            let options = Options { hidden, ..Options::default() };
            let mut page = Page::read(source.as_bytes(), extractor.cutting, &options);
            extractor.apply(&mut page.document);
            check_html(&html(&page, &ALL));
            check_markdown(case, &markdown(&page, &ALL));
        }
    }
}
