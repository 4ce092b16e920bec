//! Code, line by line: the gold Markdown has lost too much of it to be compared with. So what counts is the page as a
//! browser shows it, `innerText` of each `<pre>`, where the gold text has the same letters.

use std::collections::HashMap;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::Deserialize;
use webstrata_lab::scores::structure::Matches;

use crate::sets;

/// Letters that a code block has at least: fewer stand anywhere in a text.
const MIN_LETTERS: usize = 8;

/// A line of the browser's file.
#[derive(Deserialize)]
struct Line {
    id: String,
    pre: Vec<String>,
}

/// What the browser has for the `<pre>` of each page.
#[derive(Default)]
pub(super) struct InnerText(HashMap<String, Vec<String>>);

impl InnerText {
    pub(super) fn read(file: &Path) -> Result<InnerText, String> {
        let text = String::from_utf8_lossy(&sets::read(file)?).into_owned();
        let line = |line: &str| match serde_json::from_str::<Line>(line) {
            Ok(line) => Ok((line.id, line.pre)),
            Err(error) => Err(format!("{}: {error}", file.display())),
        };
        Ok(InnerText(text.lines().map(line).collect::<Result<_, _>>()?))
    }

    /// The code blocks of a page that its gold text has.
    pub(super) fn wanted(&self, id: &str, gold: &str) -> Vec<String> {
        let gold = letters(gold);
        let blocks = self.0.get(id).into_iter().flatten();
        let is_wanted = |block: &&String| {
            let letters = letters(block);
            letters.len() >= MIN_LETTERS && gold.contains(&letters)
        };
        blocks.filter(is_wanted).map(|block| lines(block)).collect()
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The lines of a code block without spaces at their ends, and without empty ones at both ends.
fn lines(code: &str) -> String {
    let code = code.replace('\u{a0}', " ").replace("\r\n", "\n");
    let lines: Vec<&str> = code.split('\n').map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// The code blocks of a Markdown text.
pub(super) fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => block = Some(String::new()),
            Event::End(TagEnd::CodeBlock) => blocks.extend(block.take().map(|code| lines(&code))),
            Event::Text(text) => {
                if let Some(code) = &mut block {
                    code.push_str(&text);
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Each block that is wanted is matched once at most.
pub(super) fn compare(found: &[String], wanted: &[String]) -> Matches {
    let mut left: HashMap<&str, usize> = HashMap::new();
    wanted.iter().for_each(|block| *left.entry(block).or_default() += 1);
    let is_wanted = |block: &&String| match left.get_mut(block.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    let common = found.iter().filter(is_wanted).count();
    Matches { common, found: found.len(), wanted: wanted.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_compared_by_lines() {
        let page =
            ("tides".to_owned(), vec!["\nlet tide = {  \n  ebb\n}\n".to_owned(), "x".to_owned()]);
        let inner = InnerText([page].into_iter().collect());
        let wanted = inner.wanted("tides", "We write let tide = { ebb } here, then x.");
        assert_eq!(wanted, ["let tide = {\n  ebb\n}"]);
        let exact = "Text\n\n```js\nlet tide = {\n  ebb\n}\n```\n";
        assert_eq!(compare(&blocks(exact), &wanted).common, 1);
        assert_eq!(compare(&blocks(&exact.replace("}\n", "")), &wanted).common, 0);
        assert_eq!(inner.wanted("tides", "Nothing of it."), [""; 0]);
    }
}
