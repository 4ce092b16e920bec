//! How alike two texts are: equations 2 and 3 of Ziegler & Skubacz.
//!
//! ```text
//! sim = δ · (v · w) / (‖v‖ · ‖w‖),    δ = min(Σv / Σw, Σw / Σv)
//! ```
//!
//! v and w count the terms of the texts. A term is a run of at least two letters and digits, in lower
//! case. (Characters of Chinese, Japanese and Korean are tokens of their own in the other measures,
//! which terms of two characters could never be.) δ makes a text differ from itself said twice.

use std::collections::HashMap;

/// The terms of a text in lower case: those of length > 1, which removes punctuation (section 3.5.2).
pub fn terms(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().nth(1).is_some())
}

/// The similarity of two texts, from 0 to 1. A text without terms is like no other but such a one.
pub fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let mut counts: HashMap<&str, (u64, u64)> = HashMap::new();
    terms(&one).for_each(|term| counts.entry(term).or_default().0 += 1);
    terms(&other).for_each(|term| counts.entry(term).or_default().1 += 1);
    let mut sums = Sums::default();
    for (one, other) in counts.into_values() {
        sums.dot += one * other;
        sums.squares.0 += one * one;
        sums.squares.1 += other * other;
        sums.lengths.0 += one;
        sums.lengths.1 += other;
    }
    sums.similarity()
}

/// What the similarity is made of. Integers: the same in whatever order they were added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) dot: u64,
    pub(crate) squares: (u64, u64),
    pub(crate) lengths: (u64, u64),
}

impl Sums {
    pub(crate) fn similarity(&self) -> f64 {
        let (one, other) = (self.lengths.0 as f64, self.lengths.1 as f64);
        if one == 0.0 || other == 0.0 {
            return if one == other { 1.0 } else { 0.0 };
        }
        let norms = (self.squares.0 as f64).sqrt() * (self.squares.1 as f64).sqrt();
        let delta = (one / other).min(other / one);
        // Two roots multiplied may fall short of the root of the product.
        (delta * self.dot as f64 / norms).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(one: &str, other: &str, expect: f64) {
        let found = similarity(one, other);
        assert!((found - expect).abs() < 1e-12, "{one} / {other}: {found}");
    }

    #[test]
    fn what_the_paper_says_of_it() {
        check("the tide is out", "the tide is out", 1.0);
        check("the tide is out", "out is the tide", 1.0);
        check("the tide", "the tide the tide", 0.5);
        check("tide", "ferry", 0.0);
        check("the tide", "the ferry", 0.5);
        check("the tide, a - b", "The tide", 1.0);
        check("", "tide", 0.0);
        check("", "- a", 1.0);
    }

    #[test]
    fn terms_are_runs_of_letters_and_digits() {
        let found: Vec<_> = terms("Tom's 12-day trip – à la carte: 5 €uros, ça va").collect();
        assert_eq!(found, ["Tom", "12", "day", "trip", "la", "carte", "uros", "ça", "va"]);
    }

    proptest! {
        #[test]
        fn from_0_to_1_and_the_same_both_ways(one in "[a-c ]{0,40}", other in "[a-c ]{0,40}") {
            let found = similarity(&one, &other);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(found, similarity(&other, &one));
            if terms(&one).next().is_some() {
                prop_assert!((similarity(&one, &one) - 1.0).abs() < 1e-12);
            }
        }
    }
}
