//! What highlighters put into and beside code that is not code: numbers of lines, buttons, toolbars.

use super::classes;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Nodes of a column of line numbers that are looked at.
const MAX_GUTTER: usize = 20_000;

/// Does the element hold nothing but the numbers of a code block's lines? They are a help for the eye;
/// whoever takes the code does not want them.
///
/// In code, classes say so. Elsewhere only a cell of numbers beside a cell of code is one.
pub(crate) fn is_gutter(tree: &Tree<'_>, node: NodeId, tag: Tag, in_code: bool) -> bool {
    let named = in_code && may_be_gutter(tree, node, tag);
    (named && holds_numbers(tree, node)) || (tag == Tag::Td && is_column(tree, node))
}

/// Has an element in code a name that line numbers have? What it holds is not looked at.
pub(super) fn may_be_gutter(tree: &Tree<'_>, node: NodeId, tag: Tag) -> bool {
    tag != Tag::Other && has_attributes(tree, node) && is_named(tree, node)
}

/// A cell of numbers beside one with code.
fn is_column(tree: &Tree<'_>, cell: NodeId) -> bool {
    let beside = std::iter::successors(tree.next(cell), |node| tree.next(*node));
    let Some(code) = beside.take(4).find(|node| tree.tag(*node) == Some(Tag::Td)) else {
        return false;
    };
    let named = || {
        is_named(tree, cell)
            && classes(tree, code)
                .is_some_and(|classes| classes.split_ascii_whitespace().any(is_code_cell))
    };
    let mut inside = code..tree.end_of(code).min(code + 8);
    let has_code = inside.any(|node| matches!(tree.tag(node), Some(Tag::Pre | Tag::Code)));
    // Last, since it may look at all that is in the cell.
    (has_code && counts(tree, cell).is_some_and(|lines| lines > 1 || named()))
        || (named() && holds_numbers(tree, cell))
}

/// Classes of cells that hold code.
pub(super) fn is_code_cell(class: &str) -> bool {
    matches!(class, "code" | "blob-code" | "hljs-ln-code" | "rouge-code")
}

/// Has the element a class, or an attribute, that line numbers have?
fn is_named(tree: &Tree<'_>, node: NodeId) -> bool {
    let named = |class: &str| {
        matches!(
            class,
            "lineno"
                | "linenos"
                | "linenumber"
                | "linenumbers"
                | "line-number"
                | "line-numbers"
                | "line-numbers-rows"
                | "lineNumber"
                | "lineNumbers"
                | "ln"
                | "lnt"
                | "gutter"
                | "gl"
                | "blob-num"
                | "rouge-gutter"
                | "hljs-ln-numbers"
                | "hljs-ln-n"
                | "token-line-number"
                | "react-syntax-highlighter-line-number"
                | "CodeMirror-linenumber"
                | "CodeMirror-gutter-wrapper"
                | "CodeMirror-gutters"
                | "cm-gutters"
                | "cm-gutterElement"
                | "line-numbers-wrapper"
        )
    };
    let classes = classes(tree, node).unwrap_or_default();
    classes.split_ascii_whitespace().any(named)
        || memchr::memmem::find(tree.start_tag(node).as_bytes(), b"data-line-number").is_some()
}

/// Nothing but digits and what stands around them; nothing at all is fine, too.
fn holds_numbers(tree: &Tree<'_>, node: NodeId) -> bool {
    first_other(tree, node, tree.end_of(node)).is_none()
}

/// The first text that is no number. Of a long gutter the rest is like its beginning.
pub(super) fn first_other(tree: &Tree<'_>, node: NodeId, end: NodeId) -> Option<NodeId> {
    let of_numbers = |c: char| {
        c.is_ascii_digit()
            || c.is_ascii_whitespace()
            || matches!(c, '.' | ':' | '|' | '\u{a0}' | '│' | '\u{200b}')
    };
    let mut inside = (node..end).take(MAX_GUTTER);
    inside.find(|node| !tree.text(*node).chars().all(of_numbers))
}

/// The element whose children are lines of two parts, number and code, where no class says so: all
/// numbers are there, from one on.
pub(super) fn numbered_lines(tree: &Tree<'_>, block: NodeId) -> Option<NodeId> {
    let elements = |node: NodeId| {
        let shown =
            |node: &NodeId| !matches!(tree.tag(*node), None | Some(Tag::Style | Tag::Script));
        tree.children(node).filter(shown)
    };
    let mut around = block;
    // Wrappers with one child.
    for _ in 0..4 {
        let mut children = elements(around);
        match (children.next(), children.next()) {
            (Some(only), None) => around = only,
            _ => break,
        }
    }
    let mut lines = 0;
    for line in elements(around) {
        lines += 1;
        let mut parts = elements(line);
        let (number, code) = (parts.next()?, parts.next()?);
        let text = tree.children(number).next().filter(|text| tree.tag(*text).is_none())?;
        // Rows of a table may be numbered for their own sake.
        let is_next = tree.tag(number) != Some(Tag::Td)
            && tree.text(text).trim().parse() == Ok(lines)
            && tree.next(text).is_none()
            && tree.children(code).next().is_some();
        if !is_next || parts.next().is_some() {
            return None;
        }
    }
    (lines > 1_u32).then_some(around)
}

/// Is the element the number of a line of `lines`, see [`numbered_lines`]?
pub(super) fn is_number_of(tree: &Tree<'_>, node: NodeId, lines: NodeId) -> bool {
    let around = tree.parent(node).filter(|line| tree.parent(*line) == Some(lines));
    let first = around.and_then(|line| {
        let shown =
            |node: &NodeId| !matches!(tree.tag(*node), None | Some(Tag::Style | Tag::Script));
        tree.children(line).take(8).find(shown)
    });
    first == Some(node)
}

/// How many numbers the element has, each greater by one than the one before; `None` if it has
/// anything else or nothing.
fn counts(tree: &Tree<'_>, node: NodeId) -> Option<usize> {
    let (mut count, mut last) = (0, None);
    for inside in (node..tree.end_of(node)).take(MAX_GUTTER) {
        for word in tree.text(inside).split_ascii_whitespace() {
            let number: u32 = word.parse().ok()?;
            if last.is_some_and(|last: u32| last.checked_add(1) != Some(number)) {
                return None;
            }
            last = Some(number);
            count += 1;
        }
    }
    (count > 0).then_some(count)
}

/// Is the element in code a control or hidden, such as a button that copies the code?
pub(super) fn is_control(tree: &Tree<'_>, node: NodeId, tag: Tag) -> bool {
    use Tag::*;
    if tree.hides(node)
        || matches!(
            tag,
            Script
                | Style
                | Template
                | Noscript
                | Button
                | Select
                | Textarea
                | Input
                | Svg
                | Iframe
                | Object
                | Video
                | Audio
                | Canvas
                | Rp
        )
    {
        return true;
    }
    if tag == Other && tree.name(node).as_deref() == Some("clipboard-copy") {
        return true;
    }
    let named = |class: &str| {
        // Classes of tokens are one or two letters long.
        class.len() > 5
            && matches!(
                class,
                "toolbar"
                    | "toolbar-item"
                    | "copybtn"
                    | "copybutton"
                    | "headerlink"
                    | "sr-only"
                    | "visually-hidden"
                    | "clipboard"
                    | "clip-button"
                    | "btn-clipboard"
                    | "zeroclipboard-container"
                    | "code-copy"
                    | "copy-code"
                    | "copy-to-clipboard"
            )
            || is_copy_button(class)
    };
    has_attributes(tree, node)
        && classes(tree, node).is_some_and(|classes| classes.split_ascii_whitespace().any(named))
}

/// `copy-btn`, `code-copy-button`, `btn-copy-code`.
fn is_copy_button(class: &str) -> bool {
    let mut parts = (false, false);
    if class.len() < 7 {
        return false;
    }
    for part in class.split(['-', '_']) {
        parts.0 |= matches!(part, "copy" | "clipboard");
        parts.1 |= matches!(part, "btn" | "button" | "icon" | "link");
    }
    parts.0 && parts.1
}

fn has_attributes(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.start_tag(node).len() > 6
}
