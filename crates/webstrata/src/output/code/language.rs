//! The programming language of a code block, from what highlighters write on it and around it.

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Wrappers around a code block that are asked. Parts of tables are not counted: highlighters put lines
/// into them.
const MAX_WRAPPERS: usize = 3;

/// Elements on the way up that are looked at.
const MAX_WAY: usize = 12;

/// The language of a code block: of its element, of the `code` in it, or of a wrapper.
pub(crate) fn language_of_block(tree: &Tree<'_>, block: NodeId) -> Option<String> {
    if let Some(said) = stated(tree, block) {
        return said;
    }
    let inner = tree.children(block).filter(|node| tree.tag(*node) == Some(Tag::Code)).take(1);
    if let Some(said) = inner.into_iter().find_map(|node| stated(tree, node)) {
        return said;
    }
    let mut wrappers = 0;
    for node in tree.ancestors(block).skip(1).take(MAX_WAY) {
        match tree.tag(node) {
            // What holds more than code tells of its own language, which people speak.
            None | Some(Tag::Body | Tag::Html | Tag::Article | Tag::Main | Tag::Section) => break,
            Some(Tag::Td | Tag::Tr | Tag::Tbody) => continue,
            _ => {}
        }
        if let Some(said) = stated(tree, node) {
            return said;
        }
        wrappers += 1;
        if wrappers == MAX_WRAPPERS {
            break;
        }
    }
    None
}

/// What an element says of the language: nothing, that there is none, or which.
fn stated(tree: &Tree<'_>, node: NodeId) -> Option<Option<String>> {
    let [class, lang, language, code] =
        tree.attributes_named(node, ["class", "data-lang", "data-language", "data-code-lang"]);
    let by_class = class.and_then(|class| language_of(&class));
    by_class.or_else(|| {
        let named = [lang, language, code];
        let name = named.into_iter().flatten().find(|name| !name.trim().is_empty())?;
        Some(checked(name.trim()))
    })
}

/// `language-rust`, `lang-rust`, `highlight-source-rust`, `brush: rust`, `sourceCode rust`,
/// `highlight-rust`, `hljs rust`.
fn language_of(class: &str) -> Option<Option<String>> {
    let words = || class.split([' ', '\t', '\n', '\r', ';']).filter(|word| !word.is_empty());
    let starts = ["language-", "lang-", "highlight-source-", "highlight-text-", "brush:"];
    let mut rest = words();
    while let Some(word) = rest.next() {
        let name = starts.iter().find_map(|start| word.strip_prefix(start));
        let name = match name {
            Some("") if word == "brush:" => rest.next(),
            Some("") => None,
            // `highlight-text-html-basic`: the grammar is more than a name.
            Some(name) if word.starts_with("highlight-text-") => name.split('-').next(),
            Some(name) => Some(name),
            None if word == "sourceCode" => {
                rest.clone().find(|word| !word.starts_with("number") && *word != "literate")
            }
            None => {
                let name = word.strip_prefix("highlight-").or(word.strip_prefix("hl-"));
                name.filter(|name| is_known(name) || names_none(name))
            }
        };
        if let Some(name) = name {
            return Some(checked(name));
        }
    }
    // Only a name that is known: `hljs copyable` says nothing.
    let is_highlighted = words().any(|word| matches!(word, "hljs" | "highlight" | "prettyprint"));
    if !is_highlighted {
        return None;
    }
    let name = words().find(|word| is_known(word) || matches!(*word, "nohighlight" | "plaintext"));
    name.map(checked)
}

fn checked(name: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+#._-".contains(c);
    let is_one = (1..=20).contains(&name.len()) && name.chars().all(is_name) && !names_none(name);
    is_one.then(|| name.to_ascii_lowercase())
}

/// Names that highlighters have for code that is not highlighted.
fn names_none(name: &str) -> bool {
    const NONE: [&str; 14] = [
        "auto",
        "code",
        "default",
        "no-highlight",
        "nohighlight",
        "none",
        "null",
        "plain",
        "plaintext",
        "raw",
        "text",
        "txt",
        "undefined",
        "unknown",
    ];
    NONE.iter().any(|none| name.eq_ignore_ascii_case(none))
}

/// Names of languages that stand as a class of their own.
const KNOWN: &str = "\
    ada apache applescript arduino asm assembly awk bash basic bat batch c c# c++ clojure \
    cmake cmd coffeescript console cpp crystal cs csharp css cuda dart delphi diff django \
    docker dockerfile elixir elm erlang fish fortran fsharp gherkin glsl go golang gradle \
    graphql groovy haml handlebars haskell hcl html http ini ipython ipython3 java javascript \
    js json jsx julia kotlin latex less lisp lua makefile markdown matlab nasm nginx nix objc \
    objectivec ocaml pascal perl pgsql php powershell prolog properties proto protobuf puppet \
    pycon python python3 r rb rs ruby rust sas scala scheme scss sh shell solidity sql svelte \
    swift tcl terraform tex toml ts tsx typescript vb verilog vim vue wasm xml yaml yml zig \
    zsh";

fn is_known(name: &str) -> bool {
    name.len() <= 12 && KNOWN.split(' ').any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn classes() {
        assert!(is_known("zsh") && is_known("Ada") && !is_known(""));
        for (class, expect) in [
            ("hljs language-Rust", Some("rust")),
            ("brush: js; toolbar: false", Some("js")),
            ("brush:js", Some("js")),
            ("sourceCode python", Some("python")),
            ("sourceCode numberSource r numberLines", Some("r")),
            ("highlight-source-c++", Some("c++")),
            ("highlight-text-html-basic", Some("html")),
            ("highlight-python3 notranslate", Some("python3")),
            ("highlight-default notranslate", None),
            ("highlight-wrapper", None),
            ("hljs python", Some("python")),
            ("hljs copyable", None),
            ("hljs nohighlight", None),
            ("prettyprint lang-js", Some("js")),
            ("language-plaintext highlighter-rouge", None),
            ("python", None),
            ("language-\"onclick", None),
            ("language-", None),
            ("slang-x", None),
            ("", None),
        ] {
            assert_eq!(language_of(class).flatten().as_deref(), expect, "{class}");
        }
    }

    #[test]
    fn of_blocks() {
        for (html, expect) in [
            ("<pre><code class=language-go>x", Some("go")),
            (
                "<div class='highlight-python notranslate'><div class=highlight><pre>x",
                Some("python"),
            ),
            (
                "<div class='language-ruby highlighter-rouge'><div class=highlight><pre><code>x",
                Some("ruby"),
            ),
            ("<figure data-language=ts><pre><code>x", Some("ts")),
            ("<pre data-lang='  lua '>x", Some("lua")),
            ("<div class=language-c><pre class=language-none>x", None),
            ("<div class=language-c><figure><table><tr><td><pre>x", Some("c")),
            // Four wrappers off, and the language of an article, are not the code's.
            ("<div class=language-c><div><div><div><pre>x", None),
            ("<article data-language=en><pre>x", None),
            ("<pre>x", None),
        ] {
            let tree = Tree::parse(html, &Limits::default());
            let pre = tree.nodes().find(|node| tree.tag(*node) == Some(Tag::Pre));
            let found = pre.and_then(|pre| language_of_block(&tree, pre));
            assert_eq!(found.as_deref(), expect, "{html}");
        }
    }
}
