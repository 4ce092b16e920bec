//! The tokens of a text, so that they are the same however a page writes them.

use crate::segmentation::tokens;

/// Calls `each` with every token: what stands between white space, reduced to its letters and digits
/// (thesis, 4.2.1), in small letters; nothing where there are none.
///
/// Where a script has no spaces, every letter is a token of its own. Shingles of six letters tell such
/// texts apart as well as shingles of words, and no dictionary that changes with its version decides
/// what a fingerprint is.
///
/// ```
/// let mut tokens = Vec::new();
/// webstrata_corpus::similarity::for_each_token("“High-water” – 潮汐!", |token| tokens.push(token.to_owned()));
/// assert_eq!(tokens, ["highwater", "潮", "汐"]);
/// ```
pub fn for_each_token(text: &str, mut each: impl FnMut(&str)) {
    let mut plain = String::new();
    for token in tokens(text) {
        plain.clear();
        for c in text[token.span].chars() {
            if c.is_ascii_alphanumeric() {
                plain.push(c.to_ascii_lowercase());
            } else if c.is_alphanumeric() {
                plain.extend(c.to_lowercase());
            }
        }
        each(&plain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[&str]) {
        let mut tokens = Vec::new();
        for_each_token(text, |token| tokens.push(token.to_owned()));
        assert_eq!(tokens, wanted, "{text}");
    }

    #[test]
    fn letters_and_digits_between_white_space() {
        check("", &[]);
        check(" – | • ", &[]);
        check("The tide\u{A0}turns\nat 12:40.", &["the", "tide", "turns", "at", "1240"]);
        check("Ärzte’ ÉTÉ ١٢", &["ärzte", "été", "١٢"]);
    }

    #[test]
    fn scripts_without_spaces() {
        check("潮が満ちる。", &["潮", "が", "満", "ち", "る"]);
        check("tide潮tide", &["tide", "潮", "tide"]);
    }
}
