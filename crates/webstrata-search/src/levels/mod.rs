//! Text by the length and the density of its blocks, so that a minimum can be chosen when a question
//! is asked (paper, section 6.1).
//!
//! The paper has parallel indexes, one for each number of words and each density. Here they share
//! one field: each word is indexed once for each key of its block, behind the word, so that all
//! keys of a word are neighbours in the dictionary and their pages neighbours on disk. A
//! [`Level`] is a range of keys; `LevelTerm` adds up what stands under them and scores pages by
//! BM25 with the lengths that pages have at that level. All levels are scored by the same
//! formula, so they can be compared.

mod query;
mod stream;
#[cfg(test)]
mod tests;
mod union;

use std::collections::BTreeMap;

use tantivy::schema::TantivyDocument;

pub(crate) use query::{LevelTerm, Totals};
pub(crate) use stream::Pieces;

use crate::entry::{Entry, Piece};
use crate::schema::Levels as Fields;
use crate::tokens;

/// The longest blocks that are told apart (paper, section 6.2).
pub const MOST_WORDS: u32 = 100;
/// The densest blocks that are told apart.
pub const MOST_DENSITY: u32 = 20;
/// How many extractors' texts can be indexed beside.
pub const MOST_TEXTS: usize = 100;

/// Which text of a page counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Blocks of at least so many words, up to [`MOST_WORDS`]; 1 is the whole page.
    Words(u32),
    /// Blocks of at least this text density, up to [`MOST_DENSITY`]; 1 is the whole page.
    Density(u32),
    /// The text that this extractor found.
    Text(String),
}

/// Where a word stands: 100 lengths, 20 densities, and texts by name. It is written as two characters
/// of ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    kind: u8,
    value: u8,
}

/// Between a word and its key; in no word.
const END: char = '\0';

impl Key {
    fn words(words: u32) -> Key {
        Key { kind: b'w', value: words.clamp(1, MOST_WORDS) as u8 }
    }

    fn density(density: f64) -> Key {
        // A number that is none is the least.
        Key { kind: b'd', value: density.max(1.0).min(f64::from(MOST_DENSITY)) as u8 }
    }

    fn text(index: usize) -> Key {
        Key { kind: b'x', value: index.min(MOST_TEXTS - 1) as u8 + 1 }
    }

    fn chars(self) -> [char; 2] {
        [char::from(self.kind), char::from(self.value)]
    }

    /// As the upper half of a length.
    fn number(self) -> u64 {
        u64::from(self.kind) << 8 | u64::from(self.value)
    }

    fn of_number(number: u64) -> Key {
        Key { kind: (number >> 8) as u8, value: number as u8 }
    }
}

/// A range of keys of one kind, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keys {
    from: Key,
    to: Key,
}

impl Keys {
    /// The keys of a level; `None` where no such text was indexed.
    pub(crate) fn of(level: &Level, texts: &[String]) -> Option<Keys> {
        Some(match level {
            Level::Words(least) => Keys { from: Key::words(*least), to: Key::words(MOST_WORDS) },
            Level::Density(least) => Keys {
                from: Key::density(f64::from(*least)),
                to: Key::density(f64::from(MOST_DENSITY)),
            },
            Level::Text(name) => {
                let key = Key::text(texts.iter().position(|text| text == name)?);
                Keys { from: key, to: key }
            }
        })
    }

    fn contains(self, key: Key) -> bool {
        self.from <= key && key <= self.to
    }
}

/// The keys of a piece, for telling whether it has changed.
pub(crate) fn keys_of(piece: &Piece) -> [u8; 2] {
    [Key::words(piece.words).value, Key::density(piece.density).value]
}

/// Adds an entry's text by levels: for each piece its keys and its text, and for each key the number
/// of words under it.
pub(crate) fn add(document: &mut TantivyDocument, fields: Fields, entry: &Entry, texts: &[String]) {
    let mut lengths: BTreeMap<Key, u64> = BTreeMap::new();
    let mut add = |keys: &[Key], text: &str| {
        let words = tokens::count(text) as u64;
        if words == 0 {
            return;
        }
        let mut value = String::with_capacity(2 * keys.len() + 1 + text.len());
        value.extend(keys.iter().flat_map(|key| key.chars()));
        value.push(END);
        value.push_str(text);
        document.add_text(fields.pieces, value);
        for key in keys {
            *lengths.entry(*key).or_default() += words;
        }
    };
    for piece in &entry.pieces {
        add(&[Key::words(piece.words), Key::density(piece.density)], &piece.text);
    }
    for (index, name) in texts.iter().enumerate() {
        for (_, text) in entry.texts.iter().filter(|(other, _)| other == name) {
            add(&[Key::text(index)], text);
        }
    }
    for (key, words) in lengths {
        document.add_u64(fields.lengths, key.number() << 32 | words.min(u64::from(u32::MAX)));
    }
}

/// A length as it is kept: its key and the number of words.
fn length(kept: u64) -> (Key, u64) {
    (Key::of_number(kept >> 32), kept & u64::from(u32::MAX))
}
