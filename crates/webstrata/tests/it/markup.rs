//! Markdown, read again by another program, says what the text says; HTML, read again, has nothing in
//! it that runs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options as Reading, Parser, Tag as Markdown, TagEnd};
use webstrata::output::{MarkupOptions, html, markdown};
use webstrata::{Extractor, Limits, Options, Page, Tree};

use crate::properties;

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
fn check_html(html: &str) {
    let tree = Tree::parse(html, &Limits::default());
    for node in tree.nodes() {
        let Some(name) = tree.name(node) else { continue };
        assert!(ELEMENTS.contains(&&*name), "<{name}> in {html}");
        for attribute in tree.attributes(node) {
            assert!(ATTRIBUTES.contains(&attribute.name), "{} in {html}", attribute.name);
            if matches!(attribute.name, "href" | "src") {
                let start = attribute.value.split(['/', '?', '#']).next().unwrap_or_default();
                let scheme = start.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
                let fine = scheme.is_none_or(|s| matches!(&*s, "http" | "https" | "mailto"));
                assert!(fine, "{} in {html}", attribute.value);
            }
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

#[test]
fn nothing_gets_through() {
    #[rustfmt::skip]
    let cases = [
        "<img src=x onerror=ATTACK>", "<p onclick=ATTACK>a", "<svg onload=ATTACK>a</svg>", "<body onload=ATTACK>a",
        "<a href=javascript:ATTACK>a</a>", "<a href='JaVaScRiPt:ATTACK'>a</a>", "<a href='java\nscript:ATTACK'>a</a>",
        "<a href='java&Tab;script:ATTACK'>a</a>", "<a href='&#106;avascript:ATTACK'>a</a>",
        "<a href='&#x6A&#x61vascript&colon;ATTACK'>a</a>", "<a href='\u{1}javascript:ATTACK'>a</a>",
        "<a href=' \n javascript:ATTACK'>a</a>", "<a href='vbscript:ATTACK'>a</a>", "<a href='data:text/html,ATTACK'>a</a>",
        "<img src='data:image/svg+xml,ATTACK'>", "<img src=javascript:ATTACK>", "<img src=i srcset='javascript:ATTACK 2x'>",
        "<script>ATTACK</script>", "<scr<script>ipt>ATTACK</script>", "<style>@import'ATTACK'</style>",
        "<p style='background:url(javascript:ATTACK)'>a", "<iframe src=javascript:ATTACK></iframe>",
        "<iframe srcdoc='<script>ATTACK</script>'></iframe>", "<object data=javascript:ATTACK></object>",
        "<embed src=javascript:ATTACK>", "<form action=javascript:ATTACK><button formaction=javascript:ATTACK>a</button></form>",
        "<meta http-equiv=refresh content='0;url=javascript:ATTACK'>", "<base href='javascript:ATTACK//'><a href=x>a</a>",
        "<link rel=stylesheet href=javascript:ATTACK>", "<math href=javascript:ATTACK><mi>a</mi></math>",
        "<svg><a xlink:href=javascript:ATTACK><text>a</text></a></svg>", "<svg><script>ATTACK</script></svg>",
        "<svg><style><img src=x onerror=ATTACK></style></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=ATTACK>", "<template><img src=x onerror=ATTACK></template>",
        "<noscript><p title=\"</noscript><img src=x onerror=ATTACK>\">a</noscript>",
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=ATTACK>",
        "<p title='\"><img src=x onerror=ATTACK>'>a", "<abbr title=\"--><script>ATTACK</script>\">a</abbr>",
        "<img alt='\"onerror=ATTACK ' src=x>", "<img src='x\"onerror=ATTACK'>", "<a href='x\"onclick=ATTACK'>a</a>",
        "<a/onclick=ATTACK/href=x>a", "<img src=x onerror=ATTACK", "<p><img src='x onerror=ATTACK", "<x-y onclick=ATTACK>a",
        "<!--><img src=x onerror=ATTACK>-->", "<![CDATA[<img src=x onerror=ATTACK>]]>", "<pre class='language-\"onclick=ATTACK'>a</pre>",
        "<textarea></textarea><img src=x onerror=ATTACK></textarea>", "<title><img src=x onerror=ATTACK></title>",
        "<table background=javascript:ATTACK><tr><td>a</table>", "<video src=x onerror=ATTACK><source onerror=ATTACK></video>",
        "<details ontoggle=ATTACK open>a</details>", "<p lang='\"onclick=ATTACK'>a", "<td colspan='1\"onclick=ATTACK'>a",
        "<math><annotation encoding=application/x-tex>&lt;img src=x onerror=ATTACK></annotation><mi>a</mi></math>",
        "<script type=math/tex><img src=x onerror=ATTACK></script>",
        "<script type=math/tex>[a](javascript:ATTACK) <javascript:ATTACK></script>", "&lt;javascript:ATTACK>",
        "[a](javascript:ATTACK)", "[a]: javascript:ATTACK\n<p>[a]", "<img src=x alt='](javascript:ATTACK)'>",
        "<p>![a]<a href=x>(javascript:ATTACK)</a>", "<p>[<b>a</b>](javascript:ATTACK)", "<p>[a]<span>(javascript:ATTACK)</span>",
        "&lt;img src=x onerror=ATTACK>", "&lt;script>ATTACK&lt;/script>", "<plaintext><img src=x onerror=ATTACK>",
        "<xmp><img src=x onerror=ATTACK></xmp>", "<noembed><img src=x onerror=ATTACK></noembed>",
    ];
    assert!(cases.len() >= 25);
    for case in cases {
        let source = format!("<p>Before it.</p>{case}<p>Behind it.</p>");
        for hidden in [webstrata::Hidden::Drop, webstrata::Hidden::Keep] {
            let extractor = Extractor::named("keep-all").expect("a built-in");
            let options = Options { hidden, ..Options::default() };
            let mut page = Page::read(source.as_bytes(), extractor.cutting, &options);
            extractor.apply(&mut page.document);
            check_html(&html(&page, &ALL));
            let written = markdown(&page, &ALL);
            for event in Parser::new_ext(&written, Reading::ENABLE_TABLES) {
                match event {
                    Event::Html(part) | Event::InlineHtml(part) => panic!("{case}: {part}"),
                    Event::Start(
                        Markdown::Link { dest_url, .. } | Markdown::Image { dest_url, .. },
                    ) => {
                        assert!(!dest_url.contains(':'), "{case}: {dest_url}");
                    }
                    _ => {}
                }
            }
        }
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
        "<hr>x".repeat(n), "<script type=math/tex>x</script>x".repeat(n), format!("<p>{}", "&amp;a".repeat(n)), "<td>x".repeat(n),
    ];
    for source in &pages {
        let page = read(source, "keep-all");
        for length in [markdown(&page, &ALL).len(), html(&page, &ALL).len()] {
            let start: String = source.chars().take(40).collect();
            assert!(length <= 12 * source.len() + 10_000, "{start}…: {length} of {}", source.len());
        }
    }
}
