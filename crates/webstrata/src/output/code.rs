//! What highlighters put around and into code: the language, and the numbers of lines.

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Nodes of a column of line numbers that are looked at.
const MAX_GUTTER: usize = 20_000;

/// The programming language that an element's attributes tell of.
pub(super) fn language(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let class = tree.attribute(node, "class").and_then(|class| language_of(&class));
    class.or_else(|| {
        let named = ["data-lang", "data-language"];
        let name = named.into_iter().find_map(|name| tree.attribute(node, name))?;
        checked(name.trim())
    })
}

/// `language-rust`, `lang-rust`, `highlight-source-rust`, `brush: rust`, `sourceCode rust`.
fn language_of(class: &str) -> Option<String> {
    let mut words = class.split([' ', '\t', '\n', ';']).filter(|word| !word.is_empty());
    let starts = ["language-", "lang-", "highlight-source-", "brush:", "sourceCode"];
    let mut found = None;
    while let (None, Some(word)) = (found, words.next()) {
        let name = starts.iter().find_map(|start| word.strip_prefix(start));
        found = if name == Some("") { words.next() } else { name };
    }
    found.and_then(checked)
}

fn checked(name: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+#._-".contains(c);
    ((1..=20).contains(&name.len()) && name.chars().all(is_name)).then(|| name.to_ascii_lowercase())
}

/// Does the element hold nothing but the numbers of a code block's lines? They are a help for the eye;
/// whoever takes the code does not want them.
pub(super) fn numbers_lines(tree: &Tree<'_>, node: NodeId, tag: Tag, in_pre: bool) -> bool {
    match tag {
        // One number inside the line that it belongs to.
        Tag::Span | Tag::A | Tag::Div if in_pre => {
            let class = tree.attribute(node, "class").unwrap_or_default();
            let named = |class: &str| {
                matches!(class, "lineno" | "linenos" | "linenumber" | "line-number" | "ln")
                    || class.starts_with("hljs-ln-n")
            };
            class.split_ascii_whitespace().any(named) && counts(tree, node).is_some()
        }
        // A column of them beside the code.
        Tag::Td => {
            let beside = std::iter::successors(tree.next(node), |node| tree.next(*node));
            let beside = beside.take(4).find(|node| tree.tag(*node) == Some(Tag::Td));
            let is_code = |code: NodeId| {
                let mut inside = code..tree.end_of(code).min(code + 8);
                inside.any(|node| matches!(tree.tag(node), Some(Tag::Pre | Tag::Code)))
            };
            // Last, since it may look at all that is in the cell.
            beside.is_some_and(is_code) && counts(tree, node).is_some_and(|lines| lines > 1)
        }
        _ => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages() {
        for (class, expect) in [
            ("hljs language-Rust", Some("rust")),
            ("brush: js; toolbar: false", Some("js")),
            ("brush:js", Some("js")),
            ("sourceCode python", Some("python")),
            ("highlight-source-c++", Some("c++")),
            ("language-\"onclick", None),
            ("language-", None),
            ("slang-x", None),
        ] {
            assert_eq!(language_of(class).as_deref(), expect, "{class}");
        }
    }
}
