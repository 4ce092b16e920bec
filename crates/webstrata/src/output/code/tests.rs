use proptest::prelude::*;

use super::*;
use crate::Limits;

fn first(tree: &Tree<'_>, is_it: impl Fn(Tag) -> bool) -> Option<NodeId> {
    tree.nodes().find(|node| tree.tag(*node).is_some_and(&is_it))
}

/// The code of the first preformatted element.
fn code(html: &str) -> String {
    let tree = Tree::parse(html, &Limits::default());
    let pre = first(&tree, lines::is_preformatted);
    pre.map(|pre| code_of(&tree, pre).text).unwrap_or_default()
}

/// The code of the first box that is a code block without `<pre>`.
fn boxed(html: &str) -> Option<String> {
    let tree = Tree::parse(html, &Limits::default());
    let root = tree.nodes().find_map(|node| code_block_root(&tree, node));
    root.map(|root| code_of(&tree, root).text)
}

/// What Chromium's `innerText` has for these, without empty lines at both ends.
#[test]
fn as_browsers_have_it() {
    for (html, expect) in [
        ("<pre>\na\n</pre>", "a"),
        ("<pre>\n\n  a\n\n b\n\n</pre>", "  a\n\n b"),
        ("<pre>a \n}\n);  </pre>", "a \n}\n);  "),
        ("<pre><div>a</div><div> </div><div>b</div></pre>", "a\n \nb"),
        ("<pre><div>a</div><div></div><div>b</div></pre>", "a\nb"),
        ("<pre>x<p>a</p>b</pre>", "x\n\na\n\nb"),
        ("<pre>x<br>\ny</pre>", "x\n\ny"),
        ("<pre>x<br>y<br/>z</pre>", "x\ny\nz"),
        (
            "<pre><table><tr><td>1</td><td>a</td></tr><tr><td>2</td><td>b</td></tr></table></pre>",
            "1\ta\n2\tb",
        ),
        (
            "<pre><table>\n<tr>\n<td>1</td>\n<td>a</td>\n</tr>\n<tr><td>2<td>b</table>z</pre>",
            "1\ta\n2\tb\nz",
        ),
        ("<pre>q<ul><li>a</li><li>b</li></ul>z</pre>", "q\na\nb\nz"),
        ("<pre>a\r\nb\rd</pre>", "a\nb\nd"),
        ("<pre>a\tb  \nc</pre>", "a\tb  \nc"),
        ("<pre>a<script>x</script><style>y</style><template>t</template>b</pre>", "ab"),
        ("<pre>a&shy;b&nbsp;c\u{200b}d</pre>", "a\u{ad}b\u{a0}c\u{200b}d"),
        ("<pre>a<wbr>b<hr>c</pre>", "ab\nc"),
        ("<pre>a<img alt=x>b</pre>", "ab"),
        ("<pre><h1>a</h1>b<blockquote>c</blockquote></pre>", "a\nb\nc"),
        ("<xmp>a<b>c</xmp>", "a<b>c"),
        ("<listing>\na</listing>", "a"),
        ("<pre><dl><dt>a<dd>b</dl></pre>", "a\nb"),
        ("<pre>a<form>b</form>c<center>d</center></pre>", "a\nb\nc\nd"),
        (
            "<pre>a<span style='display:block'>b</span>c<i style='display:none'>n</i></pre>",
            "a\nb\nc",
        ),
        ("<pre>a <pre>b</pre> c</pre>", "a \nb\n c"),
        ("<pre><b>if</b> <i>x</i>:\n  <a href=/>y</a></pre>", "if x:\n  y"),
        ("<pre> \n\n </pre>", ""),
        ("<pre></pre>", ""),
    ] {
        assert_eq!(code(html), expect, "{html}");
    }
}

/// Where `innerText` has one line break more than readers see lines.
#[test]
fn breaks_are_not_doubled() {
    for (html, expect) in [
        ("<pre><div>a\n</div><div>b</div></pre>", "a\nb"),
        ("<pre><div>a<br></div><div>b</div></pre>", "a\nb"),
        ("<pre><div>a</div><div><br></div><div>b</div></pre>", "a\n\nb"),
        ("<pre><div>a</div><div>\n</div><div>b</div></pre>", "a\n\nb"),
        ("<pre><div>a</div>\n<div>b</div>\n\n<div>c</div></pre>", "a\nb\n\nc"),
        ("<pre><div>a</div>\n  <div>b</div>\n</pre>", "a\nb"),
        ("<pre><ol>\n<li>a</li>\n<li></li>\n<li>b</li></ol></pre>", "a\n\nb"),
    ] {
        assert_eq!(code(html), expect, "{html}");
    }
}

#[test]
fn lines_of_highlighters() {
    for (html, expect) in [
        // Shiki: line breaks between the lines.
        (
            "<pre><code><span class=line><i>a</i></span>\n<span class=line></span>\n\
             <span class=line>  b</span></code></pre>",
            "a\n\n  b",
        ),
        // The same, with the line breaks left to the style sheet.
        (
            "<pre><code><span class=line>a</span><span class=line></span>\
             <span class='line hot'>b</span></code></pre>",
            "a\n\nb",
        ),
        // Hexo: `<br>` behind each.
        (
            "<pre><span class=line>a</span><br><span class=line></span><br>\
          <span class=line>b</span><br></pre>",
            "a\n\nb",
        ),
        // Hugo: line breaks inside the lines.
        (
            "<pre><code><span class=line><span class=ln>1</span><span class=cl>a\n</span></span>\
             <span class=line><span class=ln>2</span><span class=cl>\n</span></span>\
             <span class=line><span class=ln>3</span><span class=cl>b</span></span></code></pre>",
            "a\n\nb",
        ),
        // Gatsby: only lines that stand out, and no line break behind them.
        ("<pre>a\n<span class=gatsby-highlight-code-line>b</span>c\n</pre>", "a\nb\nc"),
        // Docusaurus.
        (
            "<pre><code><span class=token-line>a<br></span><span class=token-line>\
             <span class=plain style=display:inline-block></span><br></span>\
             <span class=token-line>b<br></span></code></pre>",
            "a\n\nb",
        ),
        // One `code` a line.
        ("<pre><code>a</code><code>b {</code><code>}</code></pre>", "a\nb {\n}"),
        ("<pre><code>a</code>\n<code>b</code></pre>", "a\nb"),
        ("<pre><code>a</code> <code>b</code></pre>", "a b"),
        // One span a line, with words in it.
        (
            "<pre><code><span class=x><b>a</b> <i>b</i></span><span class=x></span>\
             <span class=x><b>c</b></span></code></pre>",
            "a b\n\nc",
        ),
        ("<pre><code><span class=k>let</span><span class=k>x</span></code></pre>", "letx"),
        // Editors shown in a `pre`.
        (
            "<pre><code><div class='cm-line '>a {<br/></div><div class='cm-line '><br/></div>\
             <div class='cm-line '>}<br/></div></code></pre>",
            "a {\n\n}",
        ),
        // prettify.
        (
            "<pre><ol class=linenums><li class=L0><span>a</span></li><li class=L1>b</li></ol></pre>",
            "a\nb",
        ),
        // A word that is underlined is no line.
        ("<pre>a <span class=underline>b</span> c</pre>", "a b c"),
    ] {
        assert_eq!(code(html), expect, "{html}");
    }
}

#[test]
fn numbers_and_buttons_are_left_out() {
    for (html, expect) in [
        ("<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>b</pre>", "a\nb"),
        ("<pre><a class=linenos>10</a>a</pre>", "a"),
        ("<pre><span class=ln>total</span> a</pre>", "total a"),
        ("<pre><div class=buttons><button>Copy</button></div><code>a</code></pre>", "a"),
        ("<pre><span class=copy-btn>Copy</span>a<div class=toolbar>js</div></pre>", "a"),
        (
            "<pre><div><div><style>x</style><span>1</span><div>a\n</div></div>\
             <div><span>2</span><div>b</div></div></div></pre>",
            "a\nb",
        ),
        ("<pre><div><i>1</i><b>a</b></div><div><i>3</i><b>b</b></div></pre>", "1a\n3b"),
        ("<pre><clipboard-copy>Copy</clipboard-copy>a</pre>", "a"),
        ("<pre>copy <span class=nb>copy</span></pre>", "copy copy"),
        (
            "<pre><code><table class=rouge-table><tr><td class='gutter gl'><pre class=lineno>1\n2\n\
             </pre></td><td class=code><pre>a\n}\n</pre></td></tr></table></code></pre>",
            "a\n}",
        ),
        (
            "<pre><table><tr><td class=hljs-ln-numbers data-line-number=1><td class=hljs-ln-code>a\
             <tr><td class=hljs-ln-numbers data-line-number=2><td class=hljs-ln-code>\
             <tr><td class=hljs-ln-numbers data-line-number=3><td class=hljs-ln-code>b</table></pre>",
            "a\n\nb",
        ),
        ("<pre><div data-line-number=1>a</div><div data-line-number=2>}</div></pre>", "a\n}"),
        ("<pre>a<span aria-hidden=true class=line-numbers-rows><span></span></span></pre>", "a"),
    ] {
        assert_eq!(code(html), expect, "{html}");
    }
}

#[test]
fn columns_of_numbers() {
    let gutters = |html: &str| {
        let tree = Tree::parse(html, &Limits::default());
        let is = |node: &NodeId| is_gutter(&tree, *node, tree.tag(*node).unwrap(), false);
        tree.nodes().filter(|node| tree.tag(*node).is_some()).filter(is).count()
    };
    for (html, expect) in [
        (
            "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a\nb",
            1,
        ),
        ("<table><tr><td><pre>1\n2\n3</pre><td><div><pre>a\nb\nc", 1),
        (
            "<table class=lntable><tr><td class=lntd><pre><span class=lnt>1\n</span></pre><td><pre>a",
            0,
        ),
        ("<table><tr><td class=linenos><pre>1</pre><td class=code><pre>a", 1),
        ("<table><tr><td class=blob-num data-line-number=1><td class=blob-code>a", 1),
        ("<table><tr><td>1<td>a<tr><td>2<td>b", 0),
        ("<table><tr><td>1 2 4<td><pre>a", 0),
    ] {
        assert_eq!(gutters(html), expect, "{html}");
    }
}

#[test]
fn boxes_of_code() {
    for (html, expect) in [
        (
            "<div class='CodeMirror cm-s'><textarea>x</textarea><div class=CodeMirror-code>\
             <div><div class=CodeMirror-gutter-wrapper><div class=CodeMirror-linenumber>1</div></div>\
             <pre class=' CodeMirror-line '><span>a {</span></pre></div>\n\
             <div><pre class=' CodeMirror-line '><span>\u{200b}</span></pre></div>\
             <div><pre class=' CodeMirror-line '><span>\u{a0} }</span></pre></div></div></div>",
            Some("a {\n\n  }"),
        ),
        (
            "<div class=cm-editor><div class=cm-gutters>1 2</div><div class='cm-content x'>\
             <div class=cm-line>a</div><div class=cm-line><br></div><div class=cm-line>b</div></div></div>",
            Some("a\n\nb"),
        ),
        (
            "<div class=view-lines><div class=view-line><span>a\u{a0}b</span></div>\
             <div class=view-line><span>c</span></div></div>",
            Some("a b\nc"),
        ),
        (
            "<div><div id=h_1 class='syntaxhighlighter js'><div class=toolbar><a>?</a></div><table>\n\
             <tr><td class=gutter><div class='line number1 index0'>1</div>\
             <div class='line number2'>2</div></td>\n<td class=code><div class=container>\
             <div class='line number1'><code class=plain>a (</code></div>\
             <div class='line number2'><code class=spaces>&nbsp;&nbsp;</code><code>b)</code></div>\
             </div></td></tr></table></div></div>",
            Some("a (\n  b)"),
        ),
        (
            "<table class='highlight js-file'>\n<tr>\n<td id=L1 class=blob-num data-line-number=1></td>\n\
             <td id=LC1 class='blob-code blob-code-inner'><i>a</i>  b</td>\n</tr>\n<tr>\n\
             <td class=blob-num data-line-number=2></td>\n<td class=blob-code>\n</td>\n</tr>\n\
             <tr><td class=blob-num></td><td class=blob-code> c</td></tr></table>",
            Some("a  b\n\n c"),
        ),
        ("<p><code class='block x'>a\n  b</code>", Some("a\n  b")),
        ("<p><code class='block x'>a b</code>", None),
        ("<div class=decoder><p>a\nb</div>", None),
        ("<div class=CodeMirror-wrapped-words>x</div>", None),
        ("<table class=prices><tr><td>1<td>2</table>", None),
    ] {
        assert_eq!(boxed(html).as_deref(), expect, "{html}");
    }
}

/// Nesting does not make the reader look at the same nodes again and again.
#[test]
fn nested_gutters_end() {
    let html = format!("<pre>{}{}x", "<span class=ln>".repeat(400), "<b>1</b>".repeat(5_000));
    assert_eq!(code(&html).len(), 5_001);
    let html = format!("<pre>{}x", "<table><tr><td class=gutter><pre>".repeat(150));
    assert_eq!(code(&html), "x");
}

/// The lines that a page shows, put together box by box: each block has a list of lines, and what runs on
/// between two blocks is split at its line breaks. Slow, and written without a look at the other.
fn lines_shown(tree: &Tree<'_>, block: NodeId) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut run = String::new();
    let finish = |run: &mut String, lines: &mut Vec<String>| {
        let text = std::mem::take(run);
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        lines.extend(text.split('\n').map(str::to_owned));
    };
    fn each(
        tree: &Tree<'_>,
        node: NodeId,
        lines: &mut Vec<String>,
        run: &mut String,
        finish: &dyn Fn(&mut String, &mut Vec<String>),
    ) {
        for child in tree.children(node) {
            match tree.tag(child) {
                None => run.push_str(tree.text(child)),
                Some(Tag::Br) => run.push('\n'),
                Some(Tag::Div | Tag::Blockquote) => {
                    if !run.is_empty() {
                        finish(run, lines);
                    }
                    lines.extend(lines_shown(tree, child));
                }
                Some(_) => each(tree, child, lines, run, finish),
            }
        }
    }
    each(tree, block, &mut lines, &mut run, &finish);
    if !run.is_empty() {
        finish(&mut run, &mut lines);
    }
    lines
}

proptest! {
    #[test]
    fn any_code_is_what_browsers_show(parts in prop::collection::vec(
        prop::sample::select(vec![
            "a", "}", " ", "\n", "  b\n", "\n\nc", "<br>", "<b>", "</b>", "<span class=k>", "</span>",
            "<div>", "</div>", "<div>x</div>", "<blockquote>", "</blockquote>", "&lt;", "\t",
        ]), 0..40)
    ) {
        let html = format!("<pre>{}</pre>", parts.concat());
        let tree = Tree::parse(html.as_str(), &Limits::default());
        let pre = first(&tree, |tag| tag == Tag::Pre).unwrap();
        // Between two blocks the page's own line breaks are not doubled; a browser would show them.
        let between = tree.nodes().any(|node| {
            let block = |tag| matches!(tag, Some(Tag::Div | Tag::Blockquote));
            tree.tag(node).is_none() && tree.text(node).trim().is_empty()
                && tree.nodes[node as usize].previous != crate::tree::NONE
                && block(tree.tag(tree.nodes[node as usize].previous))
        });
        prop_assume!(!between);
        let mut lines = lines_shown(&tree, pre);
        let is_empty = |line: &String| line.trim().is_empty();
        while lines.last().is_some_and(is_empty) {
            lines.pop();
        }
        let start = lines.iter().position(|line| !is_empty(line)).unwrap_or(0);
        prop_assert_eq!(code_of(&tree, pre).text, lines[start..].join("\n"), "{}", html);
    }

    #[test]
    fn nothing_breaks_it(parts in prop::collection::vec(
        prop::sample::select(vec![
            "a", "1", "\n", " ", "\r", "<br>", "<span class=line>", "</span>", "<span class=ln>", "<li>",
            "<ol>", "</ol>", "<p>", "<table>", "</table>", "<tr>", "<td>", "<td class=gutter>", "</td>",
            "<pre>", "</pre>", "<code>", "</code>", "<div class=cm-line>", "</div>", "<button>", "é",
            "<div class=CodeMirror-code>", "<td class=blob-code>", "\u{200b}", "<code class=block>",
        ]), 0..60)
    ) {
        let html = format!("<pre>{}", parts.concat());
        let tree = Tree::parse(html.as_str(), &Limits::default());
        for node in tree.nodes() {
            let text = code_of(&tree, code_block_root(&tree, node).unwrap_or(node)).text;
            prop_assert!(!text.starts_with('\n') && !text.ends_with('\n'));
        }
    }
}
