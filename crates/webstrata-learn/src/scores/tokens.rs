//! Texts as tokens, tokens as numbers.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// Chinese, Japanese and Korean characters, which are tokens by themselves where no other letter
/// stands before them.
const WIDE: [std::ops::RangeInclusive<char>; 3] =
    ['\u{3040}'..='\u{30ff}', '\u{3400}'..='\u{9fff}', '\u{ac00}'..='\u{d7af}'];

/// Python's `\w+`: letters, numbers and the underscore. Rust's `\w` has combining marks, too.
static WORD: LazyLock<Regex> = LazyLock::new(|| constant(r"[\p{L}\p{N}_]+"));

/// Python's `[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+`.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"[\u{3040}-\u{30ff}\u{3400}-\u{9fff}\u{ac00}-\u{d7af}]|[\p{L}\p{N}_]+")
});

fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// The numbers of the tokens that the texts of one page have.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    numbers: HashMap<String, u32>,
}

impl Vocabulary {
    /// How many different tokens were seen.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Was no token seen?
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    fn number(&mut self, token: &str) -> u32 {
        if let Some(number) = self.numbers.get(token) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(token.to_owned(), number);
        number
    }
}

/// A text as the measures see it: in lower case, as tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Words; of Chinese, Japanese and Korean text, characters.
    pub tokens: Vec<u32>,
    /// The words of each line that has any. Characters of no script are taken apart here.
    pub lines: Vec<Vec<u32>>,
}

impl Tokens {
    /// Takes a text apart.
    pub fn of(text: &str, vocabulary: &mut Vocabulary) -> Tokens {
        let text = text.to_lowercase();
        let words = text.split('\n').map(|line| {
            let words = WORD.find_iter(line).map(|word| vocabulary.number(word.as_str()));
            words.collect::<Vec<u32>>()
        });
        let lines: Vec<Vec<u32>> = words.filter(|line| !line.is_empty()).collect();
        let is_wide = |c: char| WIDE.iter().any(|range| range.contains(&c));
        let tokens = if text.contains(is_wide) {
            TOKEN.find_iter(&text).map(|token| vocabulary.number(token.as_str())).collect()
        } else {
            lines.concat()
        };
        Tokens { tokens, lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut vocabulary = Vocabulary::default();
        let tokens = Tokens::of(text, &mut vocabulary).tokens;
        let token = |number: &u32| {
            let known = vocabulary.numbers.iter().find(|(_, known)| *known == number);
            known.unwrap().0.clone()
        };
        tokens.iter().map(token).collect()
    }

    #[test]
    fn tokens_are_those_of_python() {
        assert_eq!(tokens("Don't_stop, 50% É½"), ["don", "t_stop", "50", "é½"]);
        assert_eq!(tokens("東京 한글 カナx x東"), ["東", "京", "한", "글", "カ", "ナ", "x", "x東"]);
        // A combining mark is no part of a word, unlike in other dialects of `\w`.
        assert_eq!(tokens("e\u{301}a"), ["e", "a"]);
        assert_eq!(tokens("ΟΔΟΣ"), ["οδος"]);
        assert!(tokens(" … ").is_empty());
    }

    #[test]
    fn lines_without_words_are_left_out() {
        let mut vocabulary = Vocabulary::default();
        let tokens = Tokens::of("High water\n\n—\nwater 東京", &mut vocabulary);
        assert_eq!(tokens.lines, [vec![0, 1], vec![1, 2]]);
        assert_eq!(tokens.tokens, [0, 1, 1, 3, 4]);
        assert_eq!(vocabulary.len(), 5);
    }
}
