//! Code as a browser shows it: its characters, its lines, its language; without the numbers of lines and
//! the buttons that highlighters add.

mod gutter;
mod language;
mod lines;
mod roots;
#[cfg(test)]
mod tests;

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

pub(crate) use gutter::is_gutter;
pub(crate) use language::language_of_block;
pub(crate) use lines::{code_of, is_preformatted};
use roots::code_block_root;

/// A code block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code {
    /// Its lines, without a line break at the end; neither the first nor the last is empty.
    pub(crate) text: String,
    /// The programming language, if the page names one.
    pub(crate) language: Option<String>,
}

/// The element that holds the code, where this one is a code block.
pub(crate) fn root(tree: &Tree<'_>, node: NodeId, tag: Tag) -> Option<NodeId> {
    if is_preformatted(tag) { Some(node) } else { code_block_root(tree, node) }
}

/// The element's class as the page writes it; nobody writes the names below with character references.
fn classes<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let mut attributes = tree.raw_attributes(node);
    attributes.find(|(name, _)| name.eq_ignore_ascii_case("class")).map(|(_, value)| value)
}

/// Has the element one of the classes that mark a line of code?
fn is_line_class(class: &str) -> bool {
    // `gatsby-highlight-code-line`, and `underline` is none.
    matches!(class, "line" | "LC" | "codeline" | "token-line" | "view-line" | "cm-line")
        || matches!(class, "CodeMirror-line" | "hljs-ln-line" | "highlight-line" | "hljs-line")
        || class.ends_with("code-line")
}
