//! Why a page comes out differently here and in the original boilerpipe.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use webstrata::Document;

use crate::boilerpipe::{Block, Extracted};

/// The first reason, in this order, that holds for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// boilerpipe failed or found no text at all.
    Theirs,
    /// The difference is gone once both are given the same characters.
    Charset,
    /// The blocks differ in character references, spaces (boilerpipe adds some around links) or
    /// control characters only.
    Entity,
    /// The blocks have other texts: the page was parsed or cut differently.
    Parser,
    /// The blocks are the same, their numbers of words, linked words or lines are not.
    Counting,
    /// Blocks and counts are the same, the page's title is not.
    Title,
    /// Everything is the same, so a filter decided differently.
    Ours,
}

impl Cause {
    pub(crate) const ALL: [Cause; 7] = [
        Cause::Theirs,
        Cause::Charset,
        Cause::Entity,
        Cause::Parser,
        Cause::Counting,
        Cause::Title,
        Cause::Ours,
    ];
}

impl fmt::Display for Cause {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(&format!("{self:?}").to_lowercase())
    }
}

/// A cause and what shows it: something of theirs and what stands in its place in ours.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) cause: Cause,
    pub(crate) theirs: String,
    pub(crate) ours: String,
}

impl Difference {
    fn new(cause: Cause, theirs: impl Into<String>, ours: impl Into<String>) -> Difference {
        Difference { cause, theirs: theirs.into(), ours: ours.into() }
    }

    /// Why `ours`, a document before any extractor, leads to another text than theirs. `texts` are
    /// what the extractor made of theirs and ours.
    pub(crate) fn find(theirs: &Extracted, ours: &Document, texts: (&str, &str)) -> Difference {
        if let Some(error) = &theirs.error {
            return Difference::new(Cause::Theirs, error, "");
        }
        let (their_blocks, our_blocks) = (&theirs.blocks, &blocks(ours));
        if their_blocks.is_empty() {
            let first = our_blocks.first().map_or("", |block| &block.text);
            return Difference::new(Cause::Theirs, "no text", first);
        }
        if let Some(characters) = first_difference(their_blocks, our_blocks, collapsed_text) {
            return match first_difference(their_blocks, our_blocks, plain_text) {
                Some((theirs, ours)) => Difference::new(Cause::Parser, &theirs.text, &ours.text),
                None => Difference::new(Cause::Entity, &characters.0.text, &characters.1.text),
            };
        }
        if let Some((theirs, ours)) = first_difference(their_blocks, our_blocks, counts) {
            return Difference::new(Cause::Counting, described(&theirs), described(&ours));
        }
        let title = |title: &Option<String>| collapsed(title.as_deref().unwrap_or_default());
        let titles = (title(&theirs.title), title(&ours.title));
        if titles.0 != titles.1 {
            return Difference::new(Cause::Title, titles.0, titles.1);
        }
        let mut lines = texts.0.lines().zip(texts.1.lines());
        let lines = lines.find(|(theirs, ours)| collapsed(theirs) != collapsed(ours));
        let (theirs, ours) = lines.unwrap_or_default();
        Difference::new(Cause::Ours, theirs, ours)
    }

    /// The difference between a page as boilerpipe was given it and as we decode it.
    pub(crate) fn of_charset(decoded: &Document, sent: &Document) -> Difference {
        let first = first_difference(&blocks(decoded), &blocks(sent), collapsed_text);
        let (theirs, ours) = first.unwrap_or_default();
        let ours = format!("{}: {}", sent.encoding, ours.text);
        Difference::new(Cause::Charset, theirs.text, ours)
    }
}

fn blocks(document: &Document) -> Vec<Block> {
    let block = |(index, atom): (usize, &webstrata::Atom)| Block {
        text: document.atom_text(index).to_owned(),
        words: atom.counts.words,
        linked_words: atom.counts.linked_words,
        text_density: atom.counts.words_in_full_lines as f32 / atom.counts.full_lines as f32,
    };
    document.atoms.iter().enumerate().map(block).collect()
}

/// The first blocks in which two lists differ, judged by what `view` makes of each block; blocks of
/// which it makes nothing are passed over. A list that ends is followed by an empty block.
fn first_difference<T: PartialEq>(
    theirs: &[Block],
    ours: &[Block],
    view: impl Fn(&Block) -> Option<T>,
) -> Option<(Block, Block)> {
    let viewed = |blocks: &[Block]| -> Vec<(T, Block)> {
        blocks.iter().filter_map(|block| Some((view(block)?, block.clone()))).collect()
    };
    let (theirs, ours) = (viewed(theirs), viewed(ours));
    let at =
        |blocks: &[(T, Block)], i: usize| blocks.get(i).map_or(Block::default(), |b| b.1.clone());
    let same = |i: &usize| theirs.get(*i).map(|b| &b.0) == ours.get(*i).map(|b| &b.0);
    let differs = (0..theirs.len().max(ours.len())).find(|i| !same(i))?;
    Some((at(&theirs, differs), at(&ours, differs)))
}

fn collapsed_text(block: &Block) -> Option<String> {
    Some(collapsed(&block.text))
}

/// What is left of a text without spaces, control characters, character references and what these
/// may stand for.
fn plain_text(block: &Block) -> Option<String> {
    static REFERENCE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("&#?[0-9A-Za-z]+;?").expect("a constant pattern"));
    let text = REFERENCE.replace_all(&block.text, "");
    let plain: String = text.chars().filter(char::is_ascii_graphic).collect();
    Some(plain).filter(|plain| !plain.is_empty())
}

fn counts(block: &Block) -> Option<(u32, u32, f32)> {
    Some((block.words, block.linked_words, block.text_density))
}

fn described(block: &Block) -> String {
    let Block { text, words, linked_words, text_density } = block;
    format!("{words} words, {linked_words} linked, density {text_density}: {text}")
}

/// Whitespace collapsed; no-break spaces are none.
fn collapsed(text: &str) -> String {
    let is_space =
        |c: char| (c.is_whitespace() && !"\u{a0}\u{2007}\u{202f}".contains(c)) || c < ' ';
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use webstrata::cutting::Cutting;
    use webstrata::{Options, read};

    use super::*;

    fn block(text: &str, words: u32) -> Block {
        Block { text: text.into(), words, linked_words: 0, text_density: words as f32 }
    }

    fn check(page: &str, title: &str, blocks: &[Block], expect: Cause) -> Difference {
        let ours = read(page.as_bytes(), Cutting::Boilerpipe, &Options::default());
        let theirs = Extracted {
            id: String::new(),
            page: None,
            title: Some(title.into()),
            blocks: blocks.into(),
            texts: Default::default(),
            error: None,
        };
        let found = Difference::find(&theirs, &ours, ("same\nkept", "same\ndropped"));
        assert_eq!(found.cause, expect, "{found:?}");
        found
    }

    #[test]
    fn causes() {
        let page = "<title>T</title><p>one two<p>caf&eacute; &lt;three";
        let same = [block("one  two ", 2), block("café <three", 2)];
        check(page, "T", &[], Cause::Theirs);
        let ours = check(page, " T ", &same, Cause::Ours);
        assert_eq!((ours.theirs.as_str(), ours.ours.as_str()), ("kept", "dropped"));
        check(page, "U", &same, Cause::Title);
        check(page, "T", &[same[0].clone(), block("café <three", 3)], Cause::Counting);
        check(page, "T", &[same[0].clone(), block("caf&eacute &lt;three", 2)], Cause::Parser);
        check(page, "T", &[same[0].clone(), block("caf&eacute <three", 2)], Cause::Entity);
        check(page, "T", &[block("\u{a0}", 0), same[0].clone(), same[1].clone()], Cause::Entity);
        let found = check(page, "T", &[block("one", 1), block("two", 1)], Cause::Parser);
        assert_eq!((found.theirs.as_str(), found.ours.as_str()), ("one", "one two"));
    }

    #[test]
    fn charsets() {
        // What is UTF-8 beyond doubt is read so by any name, so this page is not.
        let read = |charset: &str| {
            let options = Options { charset: Some(charset.into()), ..Options::default() };
            read(b"<p>one<p>caf\xe9", Cutting::Boilerpipe, &options)
        };
        let found = Difference::of_charset(&read("windows-1252"), &read("windows-1251"));
        assert_eq!(found.cause, Cause::Charset);
        assert_eq!((found.theirs.as_str(), found.ours.as_str()), ("café", "windows-1251: cafй"));
    }

    #[test]
    fn a_list_that_ends() {
        let found = check("<p>a", "", &[block("a", 1), block("b", 1)], Cause::Parser);
        assert_eq!((found.theirs.as_str(), found.ours.as_str()), ("b", ""));
    }
}
