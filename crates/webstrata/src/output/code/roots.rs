//! Code blocks without `<pre>`: what editors and highlighters build of boxes and tables.

use super::{classes, is_line_class};
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Nodes in which the code of a highlighter's box is looked for.
const MAX_SEARCH: usize = 4_000;

/// Elements of a box that are looked at to see whether it is made of lines.
const MAX_BOX: usize = 8;

/// The element that holds the code, where a box is a code block though it has no `<pre>`: for
/// [`super::code_of`]. The rest of the box is numbers of lines and buttons.
///
/// Only what is known is found: CodeMirror, Monaco, SyntaxHighlighter, tables of code as GitHub has
/// them, and a `code` element of several lines that its class calls a block.
pub(crate) fn code_block_root(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let tag = tree.tag(node)?;
    let start_tag = tree.start_tag(node).as_bytes();
    // Most elements are done with here: no attributes, or no class that speaks of code.
    if !matches!(tag, Tag::Div | Tag::Table | Tag::Code) || start_tag.len() < 12 {
        return None;
    }
    if tag == Tag::Div && !names_editor(start_tag) {
        return None;
    }
    let has = |name: &[u8]| memchr::memmem::find(start_tag, name).is_some();
    match tag {
        Tag::Div if has(b"CodeMirror-code") => {
            Some(node).filter(|_| named(tree, node, "CodeMirror-code"))
        }
        Tag::Div if has(b"CodeMirror") && named(tree, node, "CodeMirror") => {
            inside(tree, node, |node| named(tree, node, "CodeMirror-code"))
        }
        Tag::Div if has(b"cm-content") => Some(node).filter(|_| has_lines(tree, node)),
        Tag::Div if has(b"cm-editor") && named(tree, node, "cm-editor") => {
            inside(tree, node, |node| named(tree, node, "cm-content"))
        }
        Tag::Div if has(b"view-lines") => Some(node).filter(|_| has_lines(tree, node)),
        Tag::Div if has(b"monaco-editor") && named(tree, node, "monaco-editor") => {
            inside(tree, node, |node| named(tree, node, "view-lines"))
        }
        Tag::Div if has(b"syntaxhighlighter") && named(tree, node, "syntaxhighlighter") => {
            inside(tree, node, |node| tree.tag(node) == Some(Tag::Td) && named(tree, node, "code"))
        }
        Tag::Table if start_tag.len() > 5 => {
            let mut first = (node..tree.end_of(node)).take(MAX_BOX);
            let cell = first.find(|node| tree.tag(*node) == Some(Tag::Td))?;
            let beside = std::iter::successors(Some(cell), |node| tree.next(*node)).take(4);
            let mut cells = beside.filter(|node| tree.tag(*node) == Some(Tag::Td));
            cells.any(|cell| named(tree, cell, "blob-code")).then_some(node)
        }
        Tag::Code if has(b"block") => {
            let is_block = classes(tree, node).is_some_and(|classes| {
                let mut classes = classes.split_ascii_whitespace();
                classes.any(|class| matches!(class, "block" | "code-block" | "codeblock"))
            });
            let has_lines = || {
                let inside = (node..tree.end_of(node)).take(MAX_SEARCH);
                let mut texts = inside.map(|node| tree.text(node).trim());
                texts.any(|text| text.contains('\n'))
            };
            let is_outermost =
                || !tree.ancestors(node).skip(1).any(|node| tree.tag(node) == Some(Tag::Pre));
            (is_block && has_lines() && is_outermost()).then_some(node)
        }
        _ => None,
    }
}

/// May the start tag of a box name one of the editors? One look at its bytes: each name has a part that others seldom have.
fn names_editor(start_tag: &[u8]) -> bool {
    const RARE: [bool; 256] = crate::bytes::set(b"Mmwx");
    start_tag.iter().enumerate().filter(|(_, byte)| RARE[usize::from(**byte)]).any(|(at, byte)| {
        let rest = &start_tag[at + 1..];
        match byte {
            b'M' => rest.starts_with(b"irror"),
            b'm' => rest.starts_with(b"-") || rest.starts_with(b"onaco"),
            b'w' => rest.starts_with(b"-lines"),
            _ => rest.starts_with(b"highlighter"),
        }
    })
}

fn inside(tree: &Tree<'_>, node: NodeId, is_it: impl Fn(NodeId) -> bool) -> Option<NodeId> {
    (node + 1..tree.end_of(node))
        .take(MAX_SEARCH)
        .find(|node| matches!(tree.tag(*node), Some(Tag::Div | Tag::Td)) && is_it(*node))
}

fn named(tree: &Tree<'_>, node: NodeId, name: &str) -> bool {
    classes(tree, node)
        .is_some_and(|classes| classes.split_ascii_whitespace().any(|class| class == name))
}

fn has_lines(tree: &Tree<'_>, node: NodeId) -> bool {
    let mut children = tree.children(node).filter(|node| tree.tag(*node).is_some()).take(MAX_BOX);
    children.any(|child| {
        let classes = classes(tree, child).unwrap_or_default();
        classes.split_ascii_whitespace().any(is_line_class)
    })
}
