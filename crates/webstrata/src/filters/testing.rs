//! Small documents for tests, built by hand and read at a glance.

use super::Step;
use crate::document::{Atom, Block, Counts, Document, Labels};

/// A document of these blocks: text, linked words, content.
pub(crate) fn document(blocks: &[(&str, u32, bool)]) -> Document {
    let mut document = Document::default();
    for (text, linked_words, is_content) in blocks {
        push(&mut document, text, *linked_words);
        document.blocks.last_mut().unwrap().is_content = *is_content;
    }
    document
}

/// Adds an atom, and a block of it that is not content, at the end of the document.
pub(crate) fn push(document: &mut Document, text: &str, linked_words: u32) {
    let start = document.text.len() as u32;
    document.text.push_str(text);
    document.tags += 2;
    let atom = Atom {
        text: start..document.text.len() as u32,
        counts: counts(text, linked_words),
        tags_before: document.tags,
        ..Atom::default()
    };
    document.blocks.push(Block::of_atom(document.atoms.len() as u32, &atom));
    document.atoms.push(atom);
}

/// A text of so many words.
pub(crate) fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// Applies the step and compares the verdicts, a letter a block: `C` content, `-` boilerplate.
pub(crate) fn check_content(
    step: impl Into<Step>,
    mut document: Document,
    expect: &str,
) -> Document {
    step.into().apply(&mut document);
    let verdicts: String =
        document.blocks.iter().map(|block| if block.is_content { 'C' } else { '-' }).collect();
    assert_eq!(verdicts, expect);
    document
}

/// Applies the step and compares the list of blocks: `a+bC` is a content block of two atoms.
pub(crate) fn check_blocks(
    step: impl Into<Step>,
    mut document: Document,
    expect: &str,
) -> Document {
    step.into().apply(&mut document);
    let show = |block: &Block| {
        let text = document.block_text(block).replace('\n', "+");
        text + if block.is_content { "C" } else { "-" }
    };
    let shown: Vec<String> = document.blocks.iter().map(show).collect();
    assert_eq!(shown.join(" "), expect);
    document
}

impl Document {
    /// The labels of each block, separated by spaces.
    pub(crate) fn labels(&self) -> Vec<String> {
        let names = |labels: Labels| labels.names().collect::<Vec<_>>().join(" ");
        self.blocks.iter().map(|block| names(block.labels)).collect()
    }
}

/// Words are what stands between spaces and has a letter or digit; lines break at 80 columns.
fn counts(text: &str, linked_words: u32) -> Counts {
    let mut counts = Counts { linked_words, ..Counts::default() };
    let (mut column, mut words_on_line) = (0, 0);
    for token in text.split_whitespace() {
        counts.tokens += 1;
        counts.bars += token.matches('|').count() as u32;
        counts.full_stops += token.matches('.').count() as u32;
        if !token.contains(char::is_alphanumeric) {
            continue;
        }
        let length = token.chars().count();
        counts.words += 1;
        counts.word_chars += length as u32;
        counts.upper_start += u32::from(token.starts_with(char::is_uppercase));
        column += length + usize::from(column > 0);
        words_on_line += 1;
        if column > 80 {
            counts.full_lines += 1;
            (column, words_on_line) = (length, 1);
        }
    }
    counts.words_in_full_lines = counts.words - words_on_line;
    if counts.words_in_full_lines == 0 {
        (counts.full_lines, counts.words_in_full_lines) = (1, counts.words);
    }
    counts
}
