//! Quotations that nothing names: what an earlier post has said already.

use std::collections::HashMap;

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
    let rows_of = |quote: &NodeId| rows(tree, *quote..marks.end[*quote as usize]);
    // What is quoted, and whether it was said: only of that it has to be known.
    let mut said: HashMap<u64, bool> = HashMap::new();
    said.extend(plain.iter().flatten().flat_map(rows_of).map(|row| (row, false)));
    for (at, (post, quotes)) in found[..=last].iter_mut().zip(plain).enumerate() {
        for quote in quotes {
            let rows = rows_of(&quote);
            let known = rows.iter().filter(|row| said.get(row) == Some(&true)).count();
            if !rows.is_empty() && known * 10 >= rows.len() * 8 {
                post.quotes.push(quote);
            }
        }
        post.quotes.sort_unstable();
        if at == last {
            break;
        }
        for row in rows(tree, post.body.iter().cloned().flatten()) {
            if let Some(said) = said.get_mut(&row) {
                *said = true;
            }
        }
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
    // FNV-1a: words that collide on purpose only make a page's own quotations worse.
    let number = |word: &str| {
        word.bytes().fold(0xcbf2_9ce4_8422_2325, |all: u64, byte| {
            (all ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let words: Vec<u64> = words.filter(|word| !word.is_empty()).map(number).collect();
    // Of each word only its number is turned on: the order of the words counts.
    let row = |row: &[u64]| row.iter().fold(0, |all: u64, word| all.rotate_left(21) ^ word);
    words.windows(ROW).map(row).collect()
}

/// Does it begin with who is quoted: `Ann wrote:`?
pub(super) fn begins_with_name(tree: &Tree<'_>, node: NodeId, end: NodeId) -> bool {
    let first = (node..end.min(node + 12)).map(|node| tree.text(node).trim());
    let mut beginning = first.filter(|text| !text.is_empty());
    let says = |text: &str| {
        let line = text.get(..text.len().min(80)).unwrap_or_default();
        ["wrote", "said:", "schrieb", "a écrit", "escribió", "scrisse", "написал", "napsal"]
            .iter()
            .any(|word| line.contains(word))
    };
    beginning.next().is_some_and(says) || beginning.next().is_some_and(says)
}
