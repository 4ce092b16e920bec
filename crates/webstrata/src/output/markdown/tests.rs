//! What small pages become.

use crate::output::{MarkupOptions, html, markdown};
use crate::{Extractor, Options, Page};

const ALL: MarkupOptions = MarkupOptions { links: true, images: true };

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
    let source = "<div class=x><h2>One</h2><p>a <b>b</b> <a href=c title=t>c</a> <img src=d alt=e>f\
                  <ul><li>g</ul><pre class=lang-sh>\n  h\n</pre><table><tr><td colspan=2>i</table></div>";
    assert_eq!(
        html(&with(source), &ALL),
        "<div>\n<h2>One</h2>\n<p>a <b>b</b> <a href=\"https://fog.example/a/c\" title=\"t\">c</a> \
         <img src=\"https://fog.example/a/d\" alt=\"e\"> f</p>\n<ul>\n<li>g</li></ul>\n\
         <pre class=\"language-sh\">  h\n</pre>\n<table>\n<tbody>\n<tr>\n<td colspan=\"2\">i</td></tr></tbody></table></div>\n",
    );
}
