//! Names and start tags that were read: a page has few, and each many times.

use std::hash::{Hash, Hasher};

use super::names::flag::NAMED;
use super::names::{self, LONGEST_NAME};

/// Bytes of a start tag that is remembered.
pub(super) const LONGEST_TAG: usize = 256;
/// Places for names that are remembered.
const PLACES: usize = 1_024;
pub(super) fn hash(parts: impl Hash) -> u64 {
    let mut hasher = Fnv::default();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// The hash of a name, as that of a text.
pub(super) fn hash_of_name(name: &[u8]) -> u64 {
    let mut hasher = Fnv::default();
    hasher.write(name);
    hasher.write_u8(0xff);
    hasher.finish()
}

/// FNV-1a, which is quick for a few bytes. Names that collide on purpose only make a page's own posts worse.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A name that was read.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) hash: u64,
    pub(super) says: u32,
    pub(super) is_forum: bool,
}

/// What the attributes of an element say.
#[derive(Clone, Copy, Default)]
pub(super) struct Read {
    pub(super) flags: u32,
    pub(super) has_class: bool,
    /// It has a type of schema.org.
    pub(super) is_typed: bool,
    /// Where its keys are among all.
    pub(super) keys: (u32, u32),
}

/// Names by how they are written: a page has few, and each many times.
pub(super) struct Names<'a> {
    /// The same for whole start tags.
    pub(super) tags: Vec<(&'a str, Read)>,
    /// A name has one place, and the last one that came there stays: no page can make this slow.
    known: Vec<(&'a [u8], Option<Name>)>,
    plain: Vec<u8>,
}

impl<'a> Names<'a> {
    pub(super) fn new() -> Names<'a> {
        Names {
            tags: vec![("", Read::default()); PLACES],
            known: vec![(&[], None); PLACES],
            plain: Vec::new(),
        }
    }

    pub(super) fn of(&mut self, written: &'a [u8]) -> Option<Name> {
        if written.len() > LONGEST_NAME {
            return None;
        }
        // Numbers and signs at its ends say nothing: `comment-12` and `comment-13` are one name.
        let written = trim(written);
        let place = &mut self.known[place(written)];
        if place.0 == written {
            return place.1;
        }
        names::plain(written, &mut self.plain);
        let plain = self.plain.as_slice();
        let name = (!plain.is_empty()).then(|| {
            let says = names::meaning(plain);
            Name {
                hash: hash_of_name(plain),
                says,
                is_forum: says & NAMED != 0 && says_forum(plain),
            }
        });
        *place = (written, name);
        name
    }
}

/// The place of a name: its length and its ends tell most names of a page apart.
fn place(name: &[u8]) -> usize {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let ends = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(29)
        }
        _ => number(name),
    };
    let mixed = (ends ^ (name.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % PLACES
}

/// The place of a start tag: all of it counts, since many differ in a number only.
pub(super) fn place_of_tag(tag: &[u8]) -> usize {
    let mix =
        |all: u64, part: u64| (all ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (parts, rest) = tag.as_chunks::<8>();
    let all = parts.iter().fold(tag.len() as u64, |all, part| mix(all, u64::from_le_bytes(*part)));
    let rest = rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    (mix(all, rest) >> 32) as usize % PLACES
}

fn says_forum(plain: &[u8]) -> bool {
    let has = |word: &[u8]| plain.split(|byte| *byte == b'-').any(|known| known == word);
    plain == b"forum"
        || plain == b"bbpress"
        || (has(b"forum") && (has(b"topic") || has(b"post") || has(b"thread")))
}

/// A name without what is no letter at its ends.
fn trim(name: &[u8]) -> &[u8] {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let Some(start) = name.iter().position(is_letter) else { return &[] };
    let end = name.iter().rposition(is_letter).map_or(start, |last| last + 1);
    &name[start..end]
}

/// Takes the first word off a list of names.
pub(super) fn next_word<'a>(words: &mut &'a [u8]) -> Option<&'a [u8]> {
    let start = words.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let rest = &words[start..];
    let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    *words = rest;
    Some(word)
}
