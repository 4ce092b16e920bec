//! The tokens of a text, for comparing segmentations and texts.

use std::ops::Range;

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// Columns that it takes.
    pub columns: u32,
}

/// The tokens of a text: what stands between spaces and has a letter or digit (4.2.1). Chinese and
/// other scripts that write no spaces have a token for each character; that takes no dictionary and
/// is as good for comparing.
pub fn tokens(text: &str) -> impl Iterator<Item = Token> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let token = next(text, at)?;
            at = token.span.end;
            if text[token.span.clone()].contains(char::is_alphanumeric) {
                return Some(token);
            }
        }
    })
}

/// What follows at `at`, spaces skipped, whether or not it has letters.
fn next(text: &str, at: usize) -> Option<Token> {
    let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
    let (mut end, mut columns) = (start, 0);
    for c in text[start..].chars() {
        let alone = has_no_spaces(c);
        if c.is_whitespace() || (alone && end > start) {
            break;
        }
        end += c.len_utf8();
        columns += if is_wide(c) { 2 } else { 1 };
        if alone {
            break;
        }
    }
    Some(Token { span: start..end, columns })
}

/// Scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
fn has_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Characters that take two columns: Chinese, Japanese, Korean.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}
