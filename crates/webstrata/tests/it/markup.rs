//! Markdown, read again by another program, says what the text says.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options as Reading, Parser, Tag as Markdown, TagEnd};
use webstrata::output::{MarkupOptions, html, markdown};
use webstrata::{Extractor, Options, Page};

use crate::properties;
use crate::safety::check_html;

const PLAIN: MarkupOptions = MarkupOptions { links: false, images: false };
const ALL: MarkupOptions = MarkupOptions { links: true, images: true };

/// More pieces: what Markdown has signs for, and the signs themselves.
#[rustfmt::skip]
const PIECES: &[&str] = &[
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

/// The text of Markdown; that of images is not in it.
fn text_of(markdown: &str) -> String {
    let reading =
        Reading::ENABLE_TABLES | Reading::ENABLE_STRIKETHROUGH | Reading::ENABLE_TASKLISTS;
    let mut text = String::new();
    let mut images = 0;
    for event in Parser::new_ext(markdown, reading) {
        match event {
            Event::Start(Markdown::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(part) | Event::Code(part) if images == 0 => text.push_str(&part),
            Event::Html(part) | Event::InlineHtml(part) => panic!("HTML: {part} in\n{markdown}"),
            Event::TaskListMarker(_) => panic!("a box to tick in\n{markdown}"),
            Event::Start(tag) if !is_inline(&tag.to_end()) => text.push(' '),
            Event::End(tag) if !is_inline(&tag) => text.push(' '),
            Event::SoftBreak | Event::HardBreak | Event::Rule => text.push(' '),
            _ => {}
        }
    }
    text
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link)
}

/// What must be the same: all characters but whitespace, and the words. A bracket that the cutting
/// tore from its word may stand beside it again.
fn parts(text: &str) -> (String, Vec<&str>) {
    let characters = text.split_whitespace().collect();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    (characters, words.collect())
}

fn check(source: &str) {
    for extractor in ["keep-all", "density", "bte"] {
        let page = read(source, extractor);
        // In page order: a fused block may have come before what stands inside it.
        let content = page.document.content_atoms();
        let atoms = (0..content.len()).filter(|atom| content[*atom]);
        let text: Vec<_> = atoms.map(|atom| page.document.atom_text(atom)).collect();
        let text = text.join("\n");
        for options in [PLAIN, ALL] {
            let written = markdown(&page, &options);
            let read = text_of(&written);
            let (expect, got) = (parts(&text), parts(&read));
            assert_eq!(expect.0, got.0, "{extractor} {options:?}\n{source}\n{written}");
            // Code blocks are the page's own lines, cut or not.
            if !source.contains("<pre>") {
                assert_eq!(expect.1, got.1, "{extractor} {options:?}\n{source}\n{written}");
            }
            check_html(&html(&page, &options));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn markdown_says_what_the_text_says(pieces in vec(select(PIECES), 0..24)) {
        check(&pieces.concat());
    }

    #[test]
    fn markdown_of_any_page_says_what_the_text_says(
        pieces in vec(select([properties::PIECES, PIECES].concat()), 0..32),
    ) {
        // Formulas are written in a language of their own.
        let page = pieces.concat().replace("math>", "i>");
        check(&page);
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
