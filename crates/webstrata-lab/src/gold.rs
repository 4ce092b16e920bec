//! Gold: which class each block of a page is of, from what people marked.
//!
//! Annotations and gold texts come as texts of their own, never as verdicts on our blocks: spans
//! around the texts of a page that a browser wrote back (l3s-gn1), or a plain text that somebody
//! copied out (all other sets). Both are aligned with the page by their tokens, in order: the longest
//! common subsequence. So the same gold serves any way of cutting a page into blocks.

use std::collections::HashSet;

use webstrata::{Class, Document, Limits, Tag, Tree};

use crate::lcs;
use crate::scores::Vocabulary;

#[cfg(test)]
mod tests;

/// A block is content where at least this share of its tokens is in the gold text…
const SHARE: f32 = 0.5;
/// … and all of them, if it has no more tokens than this: a word or two match anywhere.
const SHORT: usize = 3;
/// What pages repeat out of order needs better evidence, from runs of three tokens.
const SHARE_OUT_OF_ORDER: f32 = 0.6;

/// The class of each block of a document, from the page as annotators marked it: the class that most
/// of the block's tokens have. Text that nobody marked is boilerplate.
///
/// In L3S-GN1 a text's class is that of the innermost element of class `x-nc-selN` around it: 0 not
/// content, 1 headline, 2 full text, 3 supplemental, 4 related content, 5 user comments.
pub fn annotated(document: &Document, annotated: &str) -> Vec<Class> {
    let mut vocabulary = Vocabulary::default();
    let (tokens, blocks) = tokens_of_blocks(document, &mut vocabulary, characters_and_words);
    let (marked, classes) = marked_tokens(annotated, &mut vocabulary);
    let mut votes = vec![[0u32; Class::ALL.len()]; document.blocks.len()];
    for (at, marked) in lcs::matches(&tokens, &marked) {
        let class = classes[marked as usize];
        votes[blocks[at as usize] as usize][class as usize] += 1;
    }
    let class_of = |votes: [u32; Class::ALL.len()]| {
        let most = *votes.iter().max().expect("there are classes");
        Class::ALL
            .into_iter()
            .zip(votes)
            .find(|(_, votes)| *votes == most)
            .expect("one has most")
            .0
            .0
    };
    votes.into_iter().map(class_of).collect()
}

/// The share of each block's tokens that stand in the gold text.
///
/// Tokens are matched in order, and only where one of their neighbours matches, too (single common
/// words would find a partner anywhere). Blocks that the page has in another place than the gold text
/// are then looked up by three tokens in a row among the gold tokens that are left.
pub fn shares(document: &Document, gold: &str) -> Vec<f32> {
    let mut vocabulary = Vocabulary::default();
    let (page, blocks) = tokens_of_blocks(document, &mut vocabulary, words);
    let mut gold_tokens = Vec::new();
    words(gold, &mut |word| gold_tokens.push(vocabulary.number(word)));

    let pairs: HashSet<(u32, u32)> =
        gold_tokens.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let supported: Vec<usize> = (0..page.len())
        .filter(|at| {
            let before = *at > 0 && pairs.contains(&(page[at - 1], page[*at]));
            let after = page.get(at + 1).is_some_and(|next| pairs.contains(&(page[*at], *next)));
            before || after || gold_tokens.len() < 2
        })
        .collect();
    let candidates: Vec<u32> = supported.iter().map(|at| page[*at]).collect();
    let mut matched = vec![0u32; document.blocks.len()];
    let mut left = vec![true; gold_tokens.len()];
    for (candidate, gold) in lcs::matches(&candidates, &gold_tokens) {
        matched[blocks[supported[candidate as usize]] as usize] += 1;
        left[gold as usize] = false;
    }
    let mut sizes = vec![0u32; document.blocks.len()];
    blocks.iter().for_each(|block| sizes[*block as usize] += 1);
    let share =
        |matched: u32, size: u32| if size == 0 { 0.0 } else { matched as f32 / size as f32 };
    let mut shares: Vec<f32> =
        matched.iter().zip(&sizes).map(|(matched, size)| share(*matched, *size)).collect();

    let triples: HashSet<&[u32]> = gold_tokens
        .windows(3)
        .zip(left.windows(3))
        .filter(|(_, left)| left.iter().all(|left| *left))
        .map(|(triple, _)| triple)
        .collect();
    let mut start = 0;
    while start < page.len() && !triples.is_empty() {
        let block = blocks[start] as usize;
        let tokens = &page[start..start + sizes[block] as usize];
        start += tokens.len();
        if shares[block] >= SHARE {
            continue;
        }
        let mut inside = vec![false; tokens.len()];
        for (at, triple) in tokens.windows(3).enumerate() {
            if triples.contains(triple) {
                inside[at..at + 3].fill(true);
            }
        }
        let found = share(inside.iter().filter(|inside| **inside).count() as u32, sizes[block]);
        if found >= SHARE_OUT_OF_ORDER {
            shares[block] = found;
        }
    }
    shares
}

/// Content or boilerplate, from the share of a block's tokens that are in the gold text.
pub fn from_share(share: f32, words: usize) -> Class {
    let enough = if words <= SHORT { 1.0 } else { SHARE };
    if share >= enough && words > 0 { Class::Content } else { Class::Boilerplate }
}

/// Hands out the tokens of a text.
type Splitter = fn(&str, &mut dyn FnMut(&str));

/// The tokens of all blocks and, for each token, its block.
fn tokens_of_blocks(
    document: &Document,
    vocabulary: &mut Vocabulary,
    split: Splitter,
) -> (Vec<u32>, Vec<u32>) {
    let (mut tokens, mut blocks) = (Vec::new(), Vec::new());
    for (index, block) in document.blocks.iter().enumerate() {
        document.with_text(block, |text| {
            split(text, &mut |token| {
                tokens.push(vocabulary.number(token));
                blocks.push(index as u32);
            });
        });
    }
    (tokens, blocks)
}

/// The tokens of an annotated page and the class of each.
fn marked_tokens(page: &str, vocabulary: &mut Vocabulary) -> (Vec<u32>, Vec<Class>) {
    let tree = Tree::parse(page, &Limits::default());
    let (mut tokens, mut classes) = (Vec::new(), Vec::new());
    for node in tree.nodes().filter(|node| tree.tag(*node).is_none()) {
        let not_text = [Tag::Script, Tag::Style, Tag::Title, Tag::Noscript, Tag::Iframe];
        let tag = tree.parent(node).and_then(|parent| tree.tag(parent));
        if tag.is_some_and(|tag| not_text.contains(&tag)) {
            continue;
        }
        let marks = tree.ancestors(node).filter_map(|element| mark(&tree, element));
        let class = marks.into_iter().next().unwrap_or(Class::Boilerplate);
        characters_and_words(tree.text(node), &mut |token| {
            tokens.push(vocabulary.number(token));
            classes.push(class);
        });
    }
    (tokens, classes)
}

/// The class that an element of an annotated page gives to the text inside.
fn mark(tree: &Tree<'_>, element: u32) -> Option<Class> {
    let classes = tree.attribute(element, "class")?;
    let number = classes.split_whitespace().find_map(|class| class.strip_prefix("x-nc-sel"))?;
    Some(match number {
        "1" => Class::Headline,
        "2" => Class::Content,
        "3" => Class::Supplemental,
        "4" => Class::Related,
        "5" => Class::Comments,
        _ => Class::Boilerplate,
    })
}

/// Runs of letters and digits, and every other visible character by itself: blocks without any word
/// have a class, too.
fn characters_and_words(text: &str, each: &mut dyn FnMut(&str)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            each(&text[start..at]);
        }
        if !c.is_whitespace() {
            each(&text[at..at + c.len_utf8()]);
        }
    }
    if let Some(start) = start {
        each(&text[start..]);
    }
}

/// Runs of letters and digits, in lower case.
fn words(text: &str, each: &mut dyn FnMut(&str)) {
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        each(&word.to_lowercase());
    }
}
