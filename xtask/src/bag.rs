//! Bags of words, as the studies of boilerplate removal compare texts.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// Python's `[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+`: what Python calls `\w` are letters,
/// numbers and the underscore.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let token = r"[\u{3040}-\u{30ff}\u{3400}-\u{9fff}\u{ac00}-\u{d7af}]|[\p{L}\p{N}_]+";
    Regex::new(token).expect("a constant pattern")
});

/// The words of a text and how often each occurs.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Bag {
    words: HashMap<String, usize>,
    size: usize,
}

impl Bag {
    pub(crate) fn of(text: &str) -> Bag {
        let mut bag = Bag::default();
        for word in TOKEN.find_iter(&text.to_lowercase()) {
            *bag.words.entry(word.as_str().to_owned()).or_default() += 1;
            bag.size += 1;
        }
        bag
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The harmonic mean of precision and recall; 1 if both are empty.
    pub(crate) fn f1(&self, other: &Bag) -> f64 {
        if self == other {
            return 1.0;
        }
        let common = |(word, count): (&String, &usize)| {
            other.words.get(word).map_or(0, |other| *other.min(count))
        };
        let common: usize = self.words.iter().map(common).sum();
        2.0 * common as f64 / (self.size + other.size) as f64
    }
}

/// The mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words: Vec<String> = Bag::of(text).words.into_keys().collect();
        words.sort_unstable();
        words
    }

    #[test]
    fn words_are_those_of_python() {
        assert_eq!(words("Don't_stop, 50% É½"), ["50", "don", "t_stop", "é½"]);
        assert_eq!(words("東京 한글 カナx"), ["x", "カ", "ナ", "京", "東", "글", "한"]);
        // A combining mark is no part of a word, unlike in other dialects of `\w`.
        assert_eq!(words("e\u{301}a"), ["a", "e"]);
        assert_eq!(words("ΟΔΟΣ"), ["οδος"]);
        assert!(Bag::of(" … ").is_empty());
    }

    #[test]
    fn f1_counts_repetitions() {
        let f1 = |a: &str, b: &str| Bag::of(a).f1(&Bag::of(b));
        assert_eq!(f1("", "-"), 1.0);
        assert_eq!(f1("a", ""), 0.0);
        assert_eq!(f1("a b", "B, a"), 1.0);
        assert_eq!(f1("a a b", "a c"), 0.4);
        assert_eq!(f1("a", "b"), 0.0);
    }

    #[test]
    fn means() {
        assert_eq!(mean(&[]), 0.0);
        assert_eq!(mean(&[1.0, 0.5]), 0.75);
    }
}
