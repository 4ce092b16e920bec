//! Formulas as LaTeX: the annotation that a page has beside its MathML, or a small translation of it.

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Elements inside one another that are translated; deeper ones are left out.
const MAX_DEPTH: usize = 64;

/// A formula, and whether it stands on a line of its own.
pub(crate) struct Formula {
    pub(crate) tex: String,
    pub(crate) display: bool,
}

/// The formula of a `<math>` element.
pub(crate) fn of_math(tree: &Tree<'_>, math: NodeId) -> Formula {
    let end = tree.end_of(math);
    let is_tex = |node: &NodeId| {
        tree.name(*node).as_deref() == Some("annotation")
            && tree.attribute(*node, "encoding").is_some_and(|kind| kind.contains("tex"))
    };
    let tex = match (math..end).find(is_tex) {
        Some(annotation) => tree.text_content(annotation),
        None => {
            let mut tex = String::new();
            children(tree, math, &mut tex, 0);
            tex
        }
    };
    let display = tree.attribute(math, "display").is_some_and(|kind| &*kind == "block");
    Formula { tex: tidy(&tex), display }
}

/// The formula of a `<script type="math/tex">`.
pub(crate) fn of_script(tree: &Tree<'_>, script: NodeId) -> Formula {
    let display = tree.attribute(script, "type").is_some_and(|kind| kind.contains("mode=display"));
    Formula { tex: tidy(&tree.text_content(script)), display }
}

/// Is the image one of a formula, with its source as alternative text?
pub(crate) fn is_image(tree: &Tree<'_>, image: NodeId) -> bool {
    // Most images are told by one fast look.
    let tag = tree.start_tag(image).as_bytes();
    let ends_name = |at: usize| tag[..at].ends_with(b"mat") || tag[..at].ends_with(b"te");
    if !memchr::memchr2_iter(b'h', b'x', tag).any(ends_name) {
        return false;
    }
    let [class, alt] = tree.attributes_named(image, ["class", "alt"]);
    let is_named = |class: &str| {
        class.starts_with("mwe-math") || matches!(class, "latex" | "tex" | "math" | "ltx_Math")
    };
    class.is_some_and(|class| class.split_ascii_whitespace().any(is_named))
        && alt.is_some_and(|alt| !alt.trim().is_empty())
}

/// The formula of such an image.
pub(crate) fn of_image(tree: &Tree<'_>, image: NodeId) -> Formula {
    let alt = tree.attribute(image, "alt").unwrap_or_default();
    let alt = alt.trim();
    let inner = alt.strip_prefix('$').and_then(|alt| alt.strip_suffix('$'));
    let class = tree.attribute(image, "class").unwrap_or_default();
    Formula { tex: tidy(inner.unwrap_or(alt)), display: class.contains("display") }
}

/// On one line, without a dollar that would end it, and without what Markdown would take for a tag or
/// a link where it does not know formulas: spaces say nothing in LaTeX.
fn tidy(tex: &str) -> String {
    let words: Vec<&str> = tex.split_whitespace().collect();
    let mut tex = words.join(" ").replace("\\$", "$").replace('$', "\\$").replace("](", "] (");
    if tex.contains(':') {
        // Some readers allow a space before an address.
        tex = tex.replace("] (", "]{}(");
    }
    let mut tidy = String::with_capacity(tex.len());
    let mut chars = tex.chars().peekable();
    while let Some(c) = chars.next() {
        tidy.push(c);
        if c == '<' && chars.peek().is_some_and(|next| *next != ' ') {
            tidy.push(' ');
        }
    }
    tidy
}

/// The elements in a node with a sign between them.
fn separated(tree: &Tree<'_>, node: NodeId, sign: &str, tex: &mut String, depth: usize) {
    let parts = tree.children(node).filter(|node| tree.tag(*node).is_some());
    for (index, part) in parts.enumerate() {
        if index > 0 {
            tex.push_str(sign);
        }
        write(tree, part, tex, depth + 1);
    }
}

fn children(tree: &Tree<'_>, node: NodeId, tex: &mut String, depth: usize) {
    for child in tree.children(node) {
        write(tree, child, tex, depth + 1);
    }
}

/// Depth is bounded, and each node is written once: the texts go into one string.
fn write(tree: &Tree<'_>, node: NodeId, tex: &mut String, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let Some(name) = tree.name(node) else {
        let text = tree.text(node).trim();
        if !text.is_empty() {
            letters(text, tex);
        }
        return;
    };
    let mut parts = tree.children(node).filter(|node| tree.tag(*node).is_some());
    let mut part = |before: &str, tex: &mut String| {
        tex.push_str(before);
        tex.push('{');
        if let Some(part) = parts.next() {
            write(tree, part, tex, depth + 1);
        }
        tex.push('}');
    };
    match &*name {
        "mfrac" => {
            part("\\frac", tex);
            part("", tex);
        }
        "msup" | "mover" => {
            part("", tex);
            part("^", tex);
        }
        "msub" | "munder" => {
            part("", tex);
            part("_", tex);
        }
        "msubsup" | "munderover" => {
            part("", tex);
            part("_", tex);
            part("^", tex);
        }
        "msqrt" => {
            tex.push_str("\\sqrt{");
            children(tree, node, tex, depth);
            tex.push('}');
        }
        "mtext" => {
            tex.push_str("\\text{");
            children(tree, node, tex, depth);
            tex.push('}');
        }
        "mtable" => {
            tex.push_str("\\begin{matrix}");
            separated(tree, node, " \\\\ ", tex, depth);
            tex.push_str("\\end{matrix}");
        }
        "mtr" | "mlabeledtr" => separated(tree, node, " & ", tex, depth),
        "annotation" | "annotation-xml" | "script" | "style" => {}
        _ => children(tree, node, tex, depth),
    }
}

/// Signs that LaTeX has names for, and those that it would take for its own.
fn letters(text: &str, tex: &mut String) {
    for c in text.chars() {
        let name = match c {
            '−' => "-",
            '×' => "\\times ",
            '·' | '⋅' => "\\cdot ",
            '≤' => "\\le ",
            '≥' => "\\ge ",
            '≠' => "\\ne ",
            '∞' => "\\infty ",
            '∑' => "\\sum ",
            '∏' => "\\prod ",
            '∫' => "\\int ",
            '→' => "\\to ",
            '∈' => "\\in ",
            'π' => "\\pi ",
            'α' => "\\alpha ",
            'β' => "\\beta ",
            'λ' => "\\lambda ",
            'θ' => "\\theta ",
            '{' => "\\{",
            '}' => "\\}",
            '%' => "\\%",
            '#' => "\\#",
            '&' => "\\&",
            '\\' => "\\backslash ",
            // Invisible: function application, times, separator.
            '\u{2061}'..='\u{2064}' => "",
            c => {
                tex.push(c);
                continue;
            }
        };
        tex.push_str(name);
    }
}

/// Does the element show a formula once more that is written from its source?
pub(crate) fn doubles(tree: &Tree<'_>, node: NodeId) -> bool {
    let is_box = matches!(tree.tag(node), Some(Tag::Span | Tag::Div | Tag::Nobr));
    is_box
        && tree.attribute(node, "class").is_some_and(|class| {
            class.split_ascii_whitespace().any(|class| match class {
                "katex-html" => true,
                // Only where the source, a script, stands beside it.
                "MathJax" | "MathJax_Preview" | "MathJax_Display" | "MathJax_SVG" => {
                    let next = std::iter::successors(Some(node), |node| tree.next(*node));
                    let mut scripts =
                        next.take(6).filter(|node| tree.tag(*node) == Some(Tag::Script));
                    scripts.any(|script| super::kept::is_tex(tree, script))
                }
                _ => false,
            })
        })
}
