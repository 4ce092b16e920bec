//! Quotations that nothing names: what an earlier post has said already.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::Found;
use super::marks::Marks;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Words in a row by which a text is known again.
const ROW: usize = 3;

/// Adds quotations without a name to those of each post.
pub(super) fn add(tree: &Tree<'_>, marks: &Marks, found: &mut [Found]) {
    let plain: Vec<Vec<NodeId>> = found.iter().map(|post| unnamed(tree, marks, post)).collect();
    let Some(last) = plain.iter().rposition(|quotes| !quotes.is_empty()) else { return };
    let mut said: HashSet<u64> = HashSet::new();
    for (post, quotes) in found[..=last].iter_mut().zip(plain) {
        for quote in quotes {
            let rows = rows(tree, quote..marks.end[quote as usize]);
            let known = rows.iter().filter(|row| said.contains(row)).count();
            if !rows.is_empty() && known * 10 >= rows.len() * 8 {
                post.quotes.push(quote);
            }
        }
        post.quotes.sort_unstable();
        said.extend(rows(tree, post.body.iter().cloned().flatten()));
    }
}

/// Outermost quotations in the text of a post that are not known as such yet.
fn unnamed(tree: &Tree<'_>, marks: &Marks, post: &Found) -> Vec<NodeId> {
    let mut quotes = Vec::new();
    let mut until = 0;
    for node in post.body.iter().cloned().flatten() {
        if node < until {
            continue;
        }
        if post.quotes.binary_search(&node).is_ok() {
            until = marks.end[node as usize];
        } else if tree.tag(node) == Some(Tag::Blockquote) {
            quotes.push(node);
            until = marks.end[node as usize];
        }
    }
    quotes
}

/// All runs of three words, as numbers.
fn rows(tree: &Tree<'_>, nodes: impl Iterator<Item = NodeId>) -> Vec<u64> {
    let texts = nodes.map(|node| tree.text(node));
    let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let number = |row: &[&str]| {
        let mut hasher = DefaultHasher::new();
        row.hash(&mut hasher);
        hasher.finish()
    };
    words.windows(ROW).map(number).collect()
}
