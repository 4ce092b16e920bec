//! The tokens of a text, as the thesis has them.

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
    let mut token = String::new();
    for c in text.chars() {
        if c.is_whitespace() || is_without_spaces(c) {
            if !token.is_empty() {
                each(&token);
                token.clear();
            }
            if !c.is_whitespace() {
                each(c.encode_utf8(&mut [0; 4]));
            }
        } else if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                token.push(c.to_ascii_lowercase());
            }
        } else if c.is_alphanumeric() {
            token.extend(c.to_lowercase());
        }
    }
    if !token.is_empty() {
        each(&token);
    }
}

/// Thai, Lao, Burmese and Khmer; kana, Chinese characters and their extensions. Letters only.
fn is_without_spaces(c: char) -> bool {
    let is_in_range = matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    is_in_range && c.is_alphanumeric()
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
