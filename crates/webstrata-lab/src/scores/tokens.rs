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

    /// The number of a token, the same each time; new tokens get the next one.
    pub fn number(&mut self, token: &str) -> u32 {
        if let Some(number) = self.numbers.get(token) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(token.to_owned(), number);
        number
    }
}

/// A text as the measures see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Words in lower case; of Chinese, Japanese and Korean text, characters.
    pub tokens: Vec<u32>,
    /// Sentences, for ROUGE: of each, what stands between spaces, as it is written.
    pub sentences: Vec<Vec<u32>>,
}

impl Tokens {
    /// Takes a text apart.
    pub fn of(text: &str, vocabulary: &mut Vocabulary) -> Tokens {
        let lower = text.to_lowercase();
        let is_wide = |c: char| WIDE.iter().any(|range| range.contains(&c));
        let token = if lower.contains(is_wide) { &TOKEN } else { &WORD };
        let tokens =
            token.find_iter(&lower).map(|token| vocabulary.number(token.as_str())).collect();
        Tokens { tokens, sentences: sentences(text, vocabulary) }
    }
}

/// A sentence ends with its line, or with a stop that a word in upper case or a number follows. Not
/// after a single letter: that is somebody's name.
fn sentences(text: &str, vocabulary: &mut Vocabulary) -> Vec<Vec<u32>> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let mut sentence = Vec::new();
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            sentence.push(vocabulary.number(word));
            if words.peek().is_none_or(|next| ends_sentence(word) && starts_sentence(next)) {
                sentences.push(std::mem::take(&mut sentence));
            }
        }
    }
    sentences
}

fn ends_sentence(word: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»']);
    let stem = bare.trim_end_matches(['.', '!', '?', '…']);
    let is_initial =
        stem.chars().next().is_some_and(char::is_uppercase) && stem.chars().count() == 1;
    (stem.len() < bare.len() && !is_initial) || bare.ends_with(['。', '！', '？'])
}

fn starts_sentence(word: &str) -> bool {
    let first = word.chars().find(|c| c.is_alphanumeric());
    first.is_some_and(|c| !c.is_lowercase())
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
    fn sentences_are_made_of_what_stands_between_spaces() {
        let check = |text: &str, expected: &[&[&str]]| {
            let mut vocabulary = Vocabulary::default();
            let expected: Vec<Vec<u32>> = expected
                .iter()
                .map(|words| words.iter().map(|word| vocabulary.number(word)).collect())
                .collect();
            assert_eq!(Tokens::of(text, &mut vocabulary).sentences, expected, "{text}");
        };
        check("High water.\n\n— low\n", &[&["High", "water."], &["—", "low"]]);
        check(
            "It rose. Then (“why?”) It fell.",
            &[&["It", "rose."], &["Then", "(“why?”)"], &["It", "fell."]],
        );
        check(
            "Mr. J. Tuck paid 3.5 d. per ton.",
            &[&["Mr."], &["J.", "Tuck", "paid", "3.5", "d.", "per", "ton."]],
        );
        check("潮汐。 満潮", &[&["潮汐。"], &["満潮"]]);
        check(" \n", &[]);
    }
}
