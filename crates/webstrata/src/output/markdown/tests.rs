//! What small pages become.

use crate::output::{OutputOptions, html, markdown};
use crate::{Extractor, Options, Page};

const ALL: OutputOptions = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };

fn with<'a>(source: &'a str) -> Page<'a> {
    let extractor = Extractor::named("keep-all").expect("a built-in");
    let options = Options { url: Some("https://fog.example/a/".into()), ..Options::default() };
    let mut page = Page::read(source.as_bytes(), extractor.cutting, &options);
    extractor.apply(&mut page.document);
    page
}

#[track_caller]
fn check(source: &str, expect: &str) {
    assert_eq!(markdown(&with(source), &ALL), expect, "{source}");
}

#[test]
fn headings_and_paragraphs() {
    check(
        "<h1>One</h1><p>two\n three<p>four<br>five<br><br>six",
        "# One\n\ntwo three\n\nfour  \nfive\n\nsix\n",
    );
    check("<h3><div>C</div> <b>#</b></h3>", "### C \\#\n");
    check("<p>a<hr><p>b<hr>", "a\n\n---\n\nb\n");
    check("<h2>1. One</h2><h2>#</h2>", "## 1. One\n\n## \\#\n");
}

#[test]
fn lists() {
    check("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>e", "- a\n  - b\n  - c\n- d\n\ne\n");
    check("<ol start=9><li>a<li>b<p>c</ol>", "9. a\n10. b\n\n    c\n");
    check("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b\n");
    check("<ul><li><pre>x</pre></ul>", "- ```\n  x\n  ```\n");
    // In a list, but in no item of it.
    check("<ul><li>a</li><ul><li>b</li></ul><li>c</ul>", "- a\n  - b\n- c\n");
    check("<ol><li>a</li><ol><li>b</li><ul><li>c</ul></ol></ol>", "1. a\n   1. b\n      - c\n");
    check("<ul><ul><li>b</li></ul><li>c</ul>", "- b\n\n- c\n");
    check("<dl><dt>fog<dd>low cloud</dl>", "**fog**\n\n- low cloud\n");
}

#[test]
fn quotes() {
    check(
        "<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>d",
        "> a\n>\n> b\n>\n> > c\n\nd\n",
    );
}

#[test]
fn styles_and_links() {
    check("<p>a <b>b </b><i>c</i> <code>d*</code> <del>e</del>", "a **b** *c* `d*` ~~e~~\n");
    check(
        "<p>see <a href=log.html>the <b>log</b></a>.",
        "see [the **log**](https://fog.example/a/log.html).\n",
    );
    check(
        "<p>see!<a href='/x y'>it</a> <a href=javascript:x()>no</a>",
        "see\\![it](https://fog.example/x%20y) no\n",
    );
    check("<p>press <kbd>Ctrl</kbd><kbd>C</kbd>, <q>now</q>.", "press `Ctrl C`, now.\n");
    check("<p>a <img src=b.png alt='a [b]'> c", "a ![a \\[b\\]](https://fog.example/a/b.png) c\n");
}

#[test]
fn tables() {
    check(
        "<table><caption>T</caption><tr><th>a<th>b<tr><td>1|2<td><b>3</b><p>4</table>",
        "T\n\n| a | b |\n| --- | --- |\n| 1\\|2 | **3** 4 |\n",
    );
    check(
        "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>",
        "| a | | b |\n| --- | --- | --- |\n| c | d | e |\n| | f | g |\n",
    );
    // Headings that are only bold, and a row that names what it has.
    check(
        "<table><tr><td><h4>a</h4><td><h4>b</h4><tr><td>c<td>d</table>",
        "| a | b |\n| --- | --- |\n| c | d |\n",
    );
    check("<table><tr><th>a<td>b</table>", "| a | b |\n| --- | --- |\n");
    // Only arranges the page.
    check(
        "<table><tr><td>menu<td><h2>a</h2><p>b<tr><td>c<td>d</table>",
        "menu\n\n## a\n\nb\n\nc\n\nd\n",
    );
    check(
        "<table><tr><th>a<th colspan=9007199254740991>b<tr><td>c<td colspan=60000>d</table>",
        &format!("| a | b |{0}\n|{1}\n| c | d |\n", "", " --- |".repeat(2)),
    );
}

#[test]
fn code() {
    check(
        "<pre class='brush: rust'>\n  fn <b>a</b>() {\r\n\n    b*c\n}\n</pre>",
        "```rust\n  fn a() {\n\n    b*c\n}\n```\n",
    );
    check(
        "<div class=highlight-source-c><pre><div>a```</div><div>b</div></pre></div>",
        "````c\na```\nb\n````\n",
    );
    check("<pre><code class='hljs language-sh'>ls</code> <i>x</i></pre>", "```sh\nls x\n```\n");
}

#[test]
fn numbers_of_lines_are_left_out() {
    let code = "```\na = 1\nb = 2\n```\n";
    check(
        "<table><tr><td><pre>1\n2</pre></td><td class=code><pre>a = 1\nb = 2</pre></td></table>",
        code,
    );
    check("<pre><span class=lineno>1</span>a = 1\n<span class=lineno>2</span>b = 2</pre>", code);
    // These are data.
    check(
        "<table><tr><td>1 2<td>a<tr><td>3<td>b</table>",
        "| 1 2 | a |\n| --- | --- |\n| 3 | b |\n",
    );
    check("<pre><span class=ln>x</span>1</pre>", "```\nx1\n```\n");
}

#[test]
fn footnotes() {
    let note = "Fog[^1] came.\n\n[^1]: A cloud.\n";
    for source in [
        "<p>Fog<sup><a href=#fn1>1</a></sup> came.<ol><li id=fn1>A cloud.</ol>",
        "<p>Fog<sup id=r1><a href=#n1>[1]</a></sup> came.<ol><li id=n1><p>A cloud. <a href=#r1>\u{21a9}</a></ol>",
        "<p>Fog<a href=#n1 id=r1 role=doc-noteref>1</a> came.<p id=n1 role=doc-footnote>A cloud.",
        "<p>Fog<a href=#n1 name=r1>1</a> came.<p><a name=n1 href=#r1>1</a> A cloud.",
        "<p>Fog<sup id=cite_ref-1><a href=#cite_note-1>[1]</a></sup> came.\
         <ol><li id=cite_note-1><a href=#cite_ref-1>^</a> A cloud.</ol>",
    ] {
        check(source, note);
    }
    // Nothing leads back, or nothing is there.
    check(
        "<p>See <a href=#x>two</a>.<p id=x>Two.",
        "See [two](https://fog.example/a/#x).\n\nTwo.\n",
    );
    check(
        "<p>Fog<sup><a href=#fn1>1</a></sup>.<p id=fn1>",
        "Fog [1](https://fog.example/a/#fn1).\n",
    );
}

#[test]
fn formulas() {
    check(
        "<p>so <math><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>=</mo><msup><mi>x</mi><mn>3</mn></msup><msqrt><mi>y</mi></msqrt></math> holds",
        "so $\\frac{a}{2}={x}^{3}\\sqrt{y}$ holds\n",
    );
    check(
        "<p>so <span class=katex><span class=katex-mathml><math><semantics><mi>q</mi>\
         <annotation encoding=application/x-tex>q^2</annotation></semantics></math></span>\
         <span class=katex-html>q2</span></span> holds",
        "so $q^2$ holds\n",
    );
    check("<p>for $5: <script type=math/tex>e^{x}</script> holds", "for \\$5: $e^{x}$ holds\n");
}

#[test]
fn html_of_a_page() {
    let source = "<div class=x><h2>One</h2><p>a <b>b</b> <a href=c title=t>c</a> <img src=d.png alt=e>f\
                  <ul><li>g</ul><pre class=lang-sh>\n  h\n</pre><table><tr><td colspan=2>i</table></div>";
    assert_eq!(
        html(&with(source), &ALL),
        "<h2>One</h2>\n<p>a <b>b</b> <a href=\"https://fog.example/a/c\" title=\"t\">c</a> \
         <img src=\"https://fog.example/a/d.png\" alt=\"e\"> f</p>\n<ul>\n<li>g</li>\n</ul>\n\
         <pre><code class=\"language-sh\">  h</code></pre>\n<p>i</p>\n",
    );
}
