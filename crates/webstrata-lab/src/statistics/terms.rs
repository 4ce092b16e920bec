//! The terms of a corpus and where they occur: in sparse or in dense segments (4.3.2).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::table::{Entry, Table};

/// Different terms that are counted exactly.
pub(crate) const CAPACITY: usize = 500_000;
/// Bytes of a term; longer ones are addresses and the like.
const LONGEST: usize = 40;

/// Where a term occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Places {
    /// Pages that have it in a segment of low density, π1.
    pub(crate) low: u32,
    /// Pages that have it in a segment of high density, π2.
    pub(crate) high: u32,
    /// Pages that have it.
    pub(crate) pages: u32,
    /// Segments with a density of at most 5 that have it.
    pub(crate) sparse_segments: u32,
}

impl Entry for Places {
    fn count(&self) -> u32 {
        self.pages
    }

    fn merge(&mut self, other: Places) {
        self.low += other.low;
        self.high += other.high;
        self.pages += other.pages;
        self.sparse_segments = self.sparse_segments.saturating_add(other.sparse_segments);
    }
}

pub(crate) type Terms = Table<Box<str>, Places>;

/// A term and where it is at home.
#[derive(Clone, Debug, PartialEq)]
pub struct Typical {
    /// The term, in lower case.
    pub term: String,
    /// ε, from −1 (first class only) to 1 (second class only).
    pub typicality: f64,
}

/// Equation 4.19: the logarithm of the ratio of two frequencies to the base of the largest possible
/// one + 1. From −1 to 1; 0 where nothing could be counted.
pub fn typicality(first: u64, second: u64, largest: u64) -> f64 {
    if largest == 0 {
        return 0.0;
    }
    let ratio = (second as f64 + 1.0) / (first as f64 + 1.0);
    (ratio.ln() / (largest as f64 + 1.0).ln()).clamp(-1.0, 1.0)
}

/// The terms of one page, until its last segment was seen.
#[derive(Default)]
pub(crate) struct PageTerms {
    terms: HashMap<Box<str>, OnPage>,
    segment: u32,
    term: String,
}

#[derive(Clone, Copy, Default)]
struct OnPage {
    low: bool,
    high: bool,
    sparse_segments: u32,
    last_segment: u32,
}

impl PageTerms {
    /// Adds the terms of a segment.
    pub(crate) fn add(&mut self, text: &str, is_low: bool, is_sparse: bool) {
        self.segment += 1;
        for token in text.split_whitespace() {
            if !term_of(token, &mut self.term) {
                continue;
            }
            let known = match self.terms.get_mut(self.term.as_str()) {
                Some(known) => known,
                None => self.terms.entry(self.term.as_str().into()).or_default(),
            };
            known.low |= is_low;
            known.high |= !is_low;
            if is_sparse && known.last_segment != self.segment {
                known.sparse_segments += 1;
            }
            known.last_segment = self.segment;
        }
    }

    pub(crate) fn finish(self, terms: &mut Terms) {
        for (term, OnPage { low, high, sparse_segments, .. }) in self.terms {
            let (low, high) = (u32::from(low), u32::from(high));
            terms.add(term, Places { low, high, pages: 1, sparse_segments });
        }
    }
}

/// The term that a token stands for: in lower case, without the signs around it. False where nothing
/// with a letter is left.
pub(crate) fn term_of(token: &str, term: &mut String) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    if token.is_empty() || token.len() > LONGEST || !token.contains(char::is_alphabetic) {
        return false;
    }
    term.clear();
    term.extend(token.chars().flat_map(char::to_lowercase));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typicality_is_from_minus_one_to_one() {
        assert!((typicality(99, 0, 99) + 1.0).abs() < 1e-12);
        assert!((typicality(0, 99, 99) - 1.0).abs() < 1e-12);
        assert_eq!(typicality(7, 7, 99), 0.0);
        assert_eq!(typicality(0, 0, 0), 0.0);
        assert!((typicality(9, 0, 99) + 0.5).abs() < 1e-12);
    }

    #[test]
    fn tokens_and_terms() {
        let term = |token: &str| {
            let mut term = String::new();
            term_of(token, &mut term).then_some(term)
        };
        assert_eq!(term("(We'll,").as_deref(), Some("we'll"));
        assert_eq!(term("DR.WHO!").as_deref(), Some("dr.who"));
        assert_eq!(term("2026"), None);
        assert_eq!(term("—"), None);
        assert_eq!(term(&"x".repeat(50)), None);
    }

    #[test]
    fn pages_and_segments_are_counted_once() {
        let mut terms = Terms::new(10);
        let mut page = PageTerms::default();
        page.add("Home home", true, true);
        page.add("home again", true, true);
        page.add("A home", false, false);
        page.finish(&mut terms);
        let home = Places { low: 1, high: 1, pages: 1, sparse_segments: 2 };
        assert_eq!(terms.get(&"home".into()), Some(&home));
        let again = Places { low: 1, high: 0, pages: 1, sparse_segments: 1 };
        assert_eq!(terms.get(&"again".into()), Some(&again));
    }
}
