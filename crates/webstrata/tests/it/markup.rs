//! Markdown, read again by another program, says what the text says.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options as Reading, Parser};
use webstrata::output::{OutputOptions, html, markdown};
use webstrata::{Extractor, Options, Page};

use crate::properties;
use crate::safety::check_html;

const PLAIN: OutputOptions =
    OutputOptions { links: false, images: false, ..OutputOptions::DEFAULT };
const ALL: OutputOptions = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };

/// More pieces: what Markdown has signs for, and the signs themselves.
#[rustfmt::skip]
pub(crate) const PIECES: &[&str] = &[
    "*", "**", "_", "__", "~", "~~", "`", "```", "#", "# ", "##", "- ", "+ ", "1. ", "2) ", ">", "> ", "|", "---",
    "===", "[", "]", "[x] ", "](u)", "(v)", "!", "![", "\\", "&amp;amp;", "&amp;", "&lt;i>", "<", "$", ": ", ":", "=", "-",
    "“q”", "é", "_a_", "a_b", "x*y", "(", ")", "http://a.example/_b_", "&#35;", "\n", " ", "&#9;",
    "<a href=/u>", "<a href='(x) y'>", "<a href=javascript:x()>", "</a>", "<code>", "</code>", "<kbd>", "</kbd>",
    "<em>", "</em>", "<strong>", "</strong>", "<del>", "</del>", "<q>", "</q>", "<abbr>", "</abbr>",
    "<blockquote>", "</blockquote>", "<ol start=7>", "<ol>", "</ol>", "<li value=3>", "<li>", "</li>", "<dl>", "<dt>", "<dd>", "</dl>",
    "<h2>", "</h2>", "<h6>", "</h6>", "<th>", "<td colspan=3>", "<td rowspan=2>", "<td colspan=9007199254740991>",
    "<table><tr><td>a<td>b<tr><td>c<td>", "</table>", "<figure>", "<figcaption>", "</figure>", "<img src=i.png alt='x *y*'>",
    "<img src='j.png' alt=']('>", "<br>", "<br><br>", "<hr>", "<p>", "<div>", "</div>", "word", "two words", "7", "&nbsp;",
];

fn read(source: &str, extractor: &str) -> Page<'static> {
    let extractor = Extractor::named(extractor).expect("a built-in");
    let mut page =
        Page::read(source.as_bytes().to_vec().leak(), extractor.cutting, &Options::default());
    extractor.apply(&mut page.document);
    page
}

/// Markdown has no HTML in it, and HTML has nothing that runs.
fn check(source: &str) {
    for extractor in ["keep-all", "density", "bte"] {
        let page = read(source, extractor);
        for options in [PLAIN, ALL] {
            let written = markdown(&page, &options);
            for event in Parser::new_ext(&written, Reading::ENABLE_TABLES) {
                if let Event::Html(part) | Event::InlineHtml(part) = event {
                    panic!("HTML: {part} in\n{written}");
                }
            }
            check_html(&html(&page, &options));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn markup_is_harmless(pieces in vec(select([properties::PIECES, PIECES].concat()), 0..32)) {
        check(&pieces.concat());
    }
}

/// What nests without end, or asks for cells without end, is not written without end.
#[test]
fn outputs_are_bounded_by_size() {
    let n = 20_000;
    #[rustfmt::skip]
    let pages = [
        "<ul><li>x".repeat(n), "<ol><li>x".repeat(n), "<blockquote>x".repeat(n), "<table><tr><td>x<td>y<tr><td>".repeat(n),
        "<blockquote><ul><li>".repeat(n) + &"<p>x".repeat(n), "<li>x".repeat(n), "<dl><dd>x".repeat(n), "<b>x<p>".repeat(n),
        format!("<table><tr><td>a<td>b<td colspan=9007199254740991>c{}", "<tr><td rowspan=65534 colspan=1000>x<td>y".repeat(n)),
        format!("<table><tr>{}{}", "<td>x".repeat(n), "<tr><td>x<td>y".repeat(n)),
        format!("<a href={}>{}", "u".repeat(2_000), "<p>x".repeat(n)), "<a href=u>x".repeat(n), "<pre>x".repeat(n),
        format!("<p>{}", "*_`[".repeat(n)), "<b><i>x</i></b>".repeat(n), "<br>".repeat(n) + "x", "<math><mrow><mi>x".repeat(n),
        "<math><mi>x</mi></math>".repeat(n), "<span class=MathJax></span>".repeat(n) + "<math></math>", "<img src=x>x".repeat(n),
        "<ul><li>x</li>".repeat(n), "<ul><li>x</li></ul>".repeat(n), "<h2>x</h2>".repeat(n), "<dl><dt>x<dd>y".repeat(n),
        "<table><tr><td rowspan=65534 colspan=65534>x".repeat(n), "<table><tr><td><pre>1\n2</pre><td><pre>x</pre>".repeat(n),
        "<p><sup><a href=#fn1>1</a></sup><p id=fn1>x".repeat(n), "<pre><span class=ln>1</span>".repeat(n), "<table><tr><td>1 2<td><code>".repeat(n),
        "<ul><li>x</li><ul><li>x</li>".repeat(n), "<hr>x".repeat(n), "<script type=math/tex>x</script>x".repeat(n), format!("<p>{}", "&amp;a".repeat(n)), "<td>x".repeat(n),
    ];
    for source in &pages {
        let page = read(source, "keep-all");
        for length in [markdown(&page, &ALL).len(), html(&page, &ALL).len()] {
            let start: String = source.chars().take(40).collect();
            assert!(length <= 12 * source.len() + 10_000, "{start}…: {length} of {}", source.len());
        }
    }
}
