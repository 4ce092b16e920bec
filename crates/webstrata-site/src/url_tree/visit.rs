//! A document as it is inserted into the tree.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

use crate::url_key::UrlKey;

/// The key of a text: its letters in lower case, everything else left out (paper, section 4), hashed. The
/// same in every version.
pub fn text_key(text: &str) -> u64 {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            letters.push(c.to_ascii_lowercase());
        } else if c.is_alphabetic() {
            letters.extend(c.to_lowercase());
        }
    }
    xxh3_64(letters.as_bytes())
}

/// A document: its key, when it came, and what is on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Which page it is.
    pub key: UrlKey,
    /// Seconds since 1970.
    pub time: i64,
    /// The keys of its texts: of [`text_key`], or [sketches](super::similar::sketch) in a tree of
    /// similar texts.
    pub texts: Vec<u64>,
    /// Other keys, such as of the places where its texts stand.
    pub places: Vec<u64>,
}

/// Bytes that are no visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitError;

impl fmt::Display for VisitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these bytes are no document of a URL Tree")
    }
}

impl std::error::Error for VisitError {}

impl Visit {
    /// Sorts keys, each once.
    pub(super) fn tidy(&mut self) {
        for keys in [&mut self.texts, &mut self.places] {
            keys.sort_unstable();
            keys.dedup();
        }
    }

    /// As bytes, for a store: time, how many texts, how many places, these, the key.
    pub fn to_bytes(&self) -> Vec<u8> {
        let keys = self.texts.len() + self.places.len();
        let mut bytes = Vec::with_capacity(16 + 8 * keys + self.key.as_str().len());
        bytes.extend(self.time.to_le_bytes());
        for keys in [&self.texts, &self.places] {
            bytes.extend((keys.len() as u32).to_le_bytes());
        }
        for key in self.texts.iter().chain(&self.places) {
            bytes.extend(key.to_le_bytes());
        }
        bytes.extend(self.key.as_str().as_bytes());
        bytes
    }

    /// Reads what [`Visit::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// Where the bytes are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Visit, VisitError> {
        let (time, rest) = bytes.split_first_chunk().ok_or(VisitError)?;
        let (texts, rest) = rest.split_first_chunk().ok_or(VisitError)?;
        let (places, rest) = rest.split_first_chunk().ok_or(VisitError)?;
        let (texts, places) =
            (u32::from_le_bytes(*texts) as usize, u32::from_le_bytes(*places) as usize);
        let size =
            texts.checked_add(places).and_then(|keys| keys.checked_mul(8)).ok_or(VisitError)?;
        let (keys, key) = rest.split_at_checked(size).ok_or(VisitError)?;
        let mut keys = keys
            .chunks_exact(8)
            .map(|key| key.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)));
        let key = std::str::from_utf8(key).ok().and_then(UrlKey::parse).ok_or(VisitError)?;
        let texts = keys.by_ref().take(texts).collect();
        Ok(Visit { key, time: i64::from_le_bytes(*time), texts, places: keys.collect() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_only() {
        assert_eq!(text_key("12 Comments"), text_key("13 comments!"));
        assert_eq!(text_key("Straße"), text_key("STRAßE 1"));
        assert_eq!(text_key("2026-11-15"), text_key(""));
        assert_ne!(text_key("潮汐"), text_key("港口"));
        assert_eq!(format!("{:016x}", text_key("The tide.")), "b60264dc4c1acfa3");
    }

    proptest! {
        #[test]
        fn bytes_come_back(time: i64, texts: Vec<u64>, places: Vec<u64>) {
            let key = UrlKey::parse("example.org/a/b?c=d").unwrap();
            let visit = Visit { key, time, texts, places };
            prop_assert_eq!(Visit::from_bytes(&visit.to_bytes()), Ok(visit));
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let _ = Visit::from_bytes(&bytes);
        }
    }
}
