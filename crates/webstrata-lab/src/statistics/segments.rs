//! How often each segment occurs, by its fingerprint (4.3.3).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use super::table::{Entry, Table};

/// Different segments that are counted exactly.
pub(crate) const CAPACITY: usize = 500_000;
/// Bytes of a segment's text that are kept, to show it and to know its terms.
const TEXT: usize = 400;
/// Sparse segments in the sample that rare ones are shown from.
const SAMPLE: usize = 500;

/// What is known of segments with the same fingerprint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Known {
    pub(crate) count: u32,
    /// Its tokens by rounded density, with and without a full stop: nearly always one place. Numbers
    /// are no part of the fingerprint, so that the density may differ.
    places: Vec<Place>,
    /// What it says, from the second time on: most segments occur once and are never shown.
    pub(crate) text: Option<Box<str>>,
}

/// Tokens of one density, with or without a full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) density: u8,
    pub(crate) full_stop: bool,
    pub(crate) tokens: u32,
}

impl Known {
    /// A segment that was seen once.
    pub(crate) fn once(text: &str, place: Place) -> Known {
        Known { count: 1, places: vec![place], text: Some(cut(text).into()) }
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    /// Is it sparse, where it occurs most?
    pub(crate) fn is_sparse(&self, max_density: usize) -> bool {
        let most = self.places.iter().max_by_key(|place| place.tokens);
        most.is_some_and(|place| usize::from(place.density) <= max_density)
    }
}

impl Entry for Known {
    fn count(&self) -> u32 {
        self.count
    }

    fn merge(&mut self, other: Known) {
        self.count = self.count.saturating_add(other.count);
        for place in other.places {
            let same = |known: &&mut Place| {
                known.density == place.density && known.full_stop == place.full_stop
            };
            match self.places.iter_mut().find(same) {
                Some(known) => known.tokens = known.tokens.saturating_add(place.tokens),
                None => self.places.push(place),
            }
        }
        self.text = self.text.take().or(other.text);
    }

    fn settle(&mut self) {
        if self.count < 2 {
            self.text = None;
        }
        self.places.shrink_to_fit();
    }
}

/// The segments of a corpus.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Segments {
    pub(crate) known: Table<u64, Known>,
    /// Sparse segments with the lowest fingerprints: a random sample of the different ones.
    sparse: BTreeMap<u64, String>,
}

impl Segments {
    pub(crate) fn new(capacity: usize) -> Segments {
        Segments { known: Table::new(capacity), sparse: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, text: &str, place: Place, is_sparse: bool) {
        let key = Fingerprint::of(text).key();
        self.known.add(key, Known::once(text, place));
        let is_low = self.sparse.len() < SAMPLE
            || self.sparse.last_key_value().is_some_and(|(last, _)| key < *last);
        if is_sparse && is_low {
            self.sparse.entry(key).or_insert_with(|| cut(text));
            self.shrink();
        }
    }

    pub(crate) fn merge(&mut self, other: Segments) {
        self.known.merge(other.known);
        for (key, text) in other.sparse {
            self.sparse.entry(key).or_insert(text);
        }
        self.shrink();
    }

    /// Sparse segments that occur at most so often, some of them: how often at most, and what they say.
    pub(crate) fn rare(&self, at_most: u32) -> Vec<(u32, &str)> {
        // Those that left the table occurred at most as often as a count may be too low.
        let counted = |key: &u64| self.known.get(key).map_or(0, |known| known.count);
        let most = |key: &u64| counted(key).saturating_add(self.known.error());
        let all = self.sparse.iter().map(|(key, text)| (most(key), text.as_str()));
        all.filter(|(count, text)| *count <= at_most && text.contains(char::is_alphabetic))
            .collect()
    }

    fn shrink(&mut self) {
        while self.sparse.len() > SAMPLE {
            self.sparse.pop_last();
        }
    }
}

fn cut(text: &str) -> String {
    let mut short = String::new();
    for word in text.split_whitespace() {
        let ends = short.len() + word.len() >= TEXT;
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(if ends { "…" } else { word });
        if ends {
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(density: u8, tokens: u32) -> Place {
        Place { density, full_stop: false, tokens }
    }

    #[test]
    fn the_same_but_for_numbers() {
        let mut total = Segments::new(10);
        for (text, density) in [("Page 1", 2), ("Page 2 3", 3), ("Back", 1), ("page 9", 2)] {
            let mut one = Segments::new(10);
            one.add(text, place(density, u32::from(density)), true);
            total.merge(one);
        }
        let page = total.known.get(&Fingerprint::of("page").key()).unwrap();
        assert_eq!((page.count, page.text.as_deref()), (3, Some("Page 2 3")));
        assert_eq!(page.places(), [place(2, 4), place(3, 3)]);
        assert!(page.is_sparse(2) && !page.is_sparse(1));
        // What occurred once is only counted.
        assert_eq!(total.known.get(&Fingerprint::of("Back").key()).unwrap().text, None);
        assert_eq!(total.rare(1), [(1, "Back")]);
        assert_eq!(total.rare(3).len(), 2);
    }

    #[test]
    fn what_left_the_table_is_not_said_to_occur_once() {
        let mut total = Segments::new(2);
        for text in ["Home", "Home", "Home", "Tides", "Ferry", "Back"] {
            let mut one = Segments::new(2);
            one.add(text, place(1, 1), true);
            total.merge(one);
        }
        let error = total.known.error();
        assert!(error > 0);
        assert!(total.rare(error).iter().all(|(most, text)| *most == error && *text != "Home"));
        assert!(total.rare(error - 1).is_empty());
    }

    #[test]
    fn long_texts_are_cut_at_a_word() {
        let text = cut(&"tide ".repeat(200));
        assert!(text.len() < TEXT + 4 && text.ends_with("tide …"), "{text}");
        assert_eq!(cut(&"x".repeat(1000)), "…");
    }
}
