//! Words and marks of a text, as the rules of the literature count them.
//!
//! The rules were tuned with tokenizers that part punctuation from words: `(well-known)` is five tokens, `don't` is two.
//! This one follows the conventions that such tokenizers share, for languages with spaces. Where a script has no
//! spaces, its words are those that the product counts.

use webstrata::words::{for_each_word, is_unspaced};

/// Marks that stand around and between words.
pub(super) fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c,
            '\u{2010}'..='\u{201f}' | '…' | '«' | '»' | '´' | '‹' | '›' | '¡' | '¿' | '、' | '。'
            | '〈'..='】' | '！' | '％' | '（' | '）' | '，' | '．' | '：' | '；' | '？' | '～' | '━' | '►')
        || is_sentence_end(c)
}

/// Marks that end sentences (the property Sentence_Terminal of Unicode, for scripts in use).
pub(super) fn is_sentence_end(c: char) -> bool {
    matches!(c,
        '.' | '!' | '?' | '։' | '؝'..='؟' | '۔' | '܀'..='܂' | '߹' | '।' | '॥' | '၊' | '။' | '።'
        | '፧' | '፨' | '᙮' | '។' | '៕' | '᠃' | '᠉' | '‼' | '‽' | '⁇'..='⁉' | '⸮' | '。' | '꓿' | '꘎'
        | '꘏' | '﹒' | '﹖' | '﹗' | '！' | '．' | '？' | '｡')
}

/// Ends of words that are words of their own: `it's`, `they're`.
const ENDINGS: [&str; 7] = ["'s", "'m", "'d", "'re", "'ve", "'ll", "n't"];

/// Short forms whose point belongs to them.
const SHORT_FORMS: [&str; 32] = [
    "mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "jr.", "sr.", "inc.", "ltd.", "co.", "corp.",
    "vs.", "e.g.", "i.e.", "gen.", "gov.", "rep.", "sen.", "rev.", "a.m.", "p.m.", "jan.", "feb.",
    "mar.", "apr.", "aug.", "sep.", "sept.", "oct.", "nov.", "ph.d.",
];

/// The words and marks of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    for piece in text.split_whitespace() {
        if piece.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            tokens.push(piece);
        } else if piece.contains(is_unspaced) {
            unspaced(piece, &mut tokens);
        } else {
            spaced(piece, &mut tokens);
        }
    }
    tokens
}

/// Words of the dictionary, and what stands between them.
fn unspaced<'t>(piece: &'t str, tokens: &mut Vec<&'t str>) {
    let mut at = 0;
    let start = |word: &str| word.as_ptr() as usize - piece.as_ptr() as usize;
    for_each_word(piece, |word| {
        let begins = start(word);
        tokens.extend(piece[at..begins].split("").filter(|mark| !mark.is_empty()));
        tokens.push(word);
        at = begins + word.len();
    });
    tokens.extend(piece[at..].split("").filter(|mark| !mark.is_empty()));
}

/// Marks before and behind a word are tokens; what is left is a word, or several with marks between them.
fn spaced<'t>(mut piece: &'t str, tokens: &mut Vec<&'t str>) {
    let is_address = piece.contains("://") || piece.starts_with("www.");
    while let Some(mark) = piece.chars().next().filter(|c| is_mark(*c) || is_sign(*c)) {
        // Of a number or an option: -1.4, +5, .5, -v.
        if matches!(mark, '-' | '+' | '.') && piece[1..].starts_with(char::is_alphanumeric) {
            break;
        }
        let length = run(piece, mark);
        tokens.push(&piece[..length]);
        piece = &piece[length..];
    }
    let mut behind = Vec::new();
    while let Some(last) = piece.chars().next_back().filter(|c| is_mark(*c) || is_sign(*c)) {
        let is_part = piece.len() > 1 && matches!(last, '-' | '+' | '/');
        if is_part || last == '.' && keeps_point(piece) {
            break;
        }
        let length = if last == '.' && piece.ends_with("...") {
            piece.len() - piece.trim_end_matches('.').len()
        } else {
            last.len_utf8()
        };
        let (before, mark) = piece.split_at(piece.len() - length);
        behind.push(mark);
        piece = before;
    }
    if is_address {
        if !piece.is_empty() {
            tokens.push(piece);
        }
    } else {
        inner(piece, tokens);
    }
    tokens.extend(behind.into_iter().rev());
}

/// Signs of currencies and the like stand apart, too.
fn is_sign(c: char) -> bool {
    matches!(
        c,
        '€' | '£'
            | '¥'
            | '₹'
            | '°'
            | '©'
            | '®'
            | '™'
            | '•'
            | '·'
            | '→'
            | '←'
            | '▪'
            | '●'
            | '★'
    )
}

/// Points in a row are one token, as hyphens are.
fn run(piece: &str, mark: char) -> usize {
    if !matches!(mark, '.' | '-') {
        return mark.len_utf8();
    }
    piece.len() - piece.trim_start_matches(mark).len()
}

fn keeps_point(piece: &str) -> bool {
    let lower = piece.to_ascii_lowercase();
    let mut letters = lower.split('.');
    // A.B.C.
    let is_initials = lower.len() >= 2
        && letters.next_back() == Some("")
        && letters.all(|part| part.len() == 1 && part.as_bytes()[0].is_ascii_lowercase());
    is_initials || SHORT_FORMS.contains(&lower.as_str())
}

/// A word without marks around it: parted at its ending, at hyphens and slashes between letters.
fn inner<'t>(word: &'t str, tokens: &mut Vec<&'t str>) {
    let mut rest = word;
    let ending = ENDINGS.iter().find(|ending| {
        let plain = |at: usize| rest.is_char_boundary(at) && is_ending(&rest[at..], ending);
        rest.len() > ending.len() && plain(rest.len() - ending.len())
            || rest.len() > ending.len() + 2 && plain(rest.len() - ending.len() - 2)
    });
    let mut tail = None;
    if let Some(ending) = ending {
        let ascii = rest.len() - ending.len();
        let at = if rest.is_char_boundary(ascii) && is_ending(&rest[ascii..], ending) {
            ascii
        } else {
            ascii - 2
        };
        (rest, tail) = (&rest[..at], Some(&rest[at..]));
    }
    let mut begin = 0;
    let mut characters = rest.char_indices().peekable();
    let mut previous = ' ';
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let parts = match c {
            '-' | '–' | '—' | '~' if next.is_alphabetic() => previous.is_alphanumeric(),
            '-' | '+' | '*' | '^' if next.is_numeric() => previous.is_numeric(),
            '/' | ':' | '<' | '>' | '=' => previous.is_alphanumeric() && next.is_alphabetic(),
            ',' | ';' | '?' | '!' | '"' | '(' | ')' | '[' | ']' | '|' | '+' | '*' => {
                previous.is_alphabetic() && next.is_alphabetic()
            }
            '.' => previous.is_lowercase() && next.is_uppercase(),
            '…' => true,
            _ => false,
        };
        if parts {
            if begin < at {
                tokens.push(&rest[begin..at]);
            }
            tokens.push(&rest[at..at + c.len_utf8()]);
            begin = at + c.len_utf8();
        }
        previous = c;
    }
    if begin < rest.len() {
        measured(&rest[begin..], tokens);
    }
    tokens.extend(tail);
}

/// Units that stand behind their number without a space.
const UNITS: [&str; 28] = [
    "km", "m", "cm", "mm", "kg", "g", "mg", "ft", "in", "lb", "oz", "mph", "Hz", "GHz", "MHz",
    "KB", "MB", "GB", "TB", "K", "k", "M", "B", "%", "am", "pm", "AM", "PM",
];

/// `16mm` is a number and a unit.
fn measured<'t>(word: &'t str, tokens: &mut Vec<&'t str>) {
    let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let is_measure =
        number.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&&word[number.len()..]);
    if is_measure {
        tokens.extend([number, &word[number.len()..]]);
    } else {
        tokens.push(word);
    }
}

fn is_ending(part: &str, ending: &str) -> bool {
    part.chars().map(|c| if c == '’' { '\'' } else { c.to_ascii_lowercase() }).eq(ending.chars())
}

/// How many sentences there are: what ends with a mark of sentences, and what is left.
pub(super) fn sentences(text: &str) -> usize {
    let (mut count, mut is_open, mut ends) = (0, false, false);
    for token in tokens(text) {
        let is_end = token.chars().all(is_sentence_end) && !token.is_empty();
        if is_end {
            ends = true;
        } else if !ends || !token.chars().all(is_mark) {
            // Quotes and brackets behind the mark belong to the sentence.
            count += usize::from(ends && is_open);
            (is_open, ends) = (true, false);
        }
    }
    count + usize::from(is_open || ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[&str]) {
        assert_eq!(tokens(text), wanted, "{text}");
    }

    #[test]
    fn words_and_marks() {
        check("The tide turns.", &["The", "tide", "turns", "."]);
        check("(well-known)", &["(", "well", "-", "known", ")"]);
        check("don't, it’s", &["do", "n't", ",", "it", "’s"]);
        check(
            "Mr. Smith of the U.S. paid $5.50!",
            &["Mr.", "Smith", "of", "the", "U.S.", "paid", "$", "5.50", "!"],
        );
        check("wait... 3-4 and/or", &["wait", "...", "3", "-", "4", "and", "/", "or"]);
        check("https://example.org/a-b?c=d.", &["https://example.org/a-b?c=d", "."]);
        check("“Yes,” he said", &["“", "Yes", ",", "”", "he", "said"]);
        check("– • …", &["–", "•", "…"]);
        check(
            "16mm 5K -1.4 +5, C++ 2019",
            &["16", "mm", "5", "K", "-1.4", "+5", ",", "C++", "2019"],
        );
        check("", &[]);
    }

    #[test]
    fn nothing_is_lost() {
        for text in [
            "潮が満ちる。x",
            "’s",
            "'",
            "n't",
            "don’t",
            "…a…",
            "a--b",
            "é’s",
            "---",
            "(a)b(c)",
            "-",
            "+",
            "./",
            "5%",
            "10am.",
        ] {
            let without: String = text.split_whitespace().collect();
            assert_eq!(tokens(text).concat(), without, "{text}");
        }
    }

    #[test]
    fn counted_sentences() {
        for (text, wanted) in [
            ("", 0),
            ("High water", 1),
            ("High water.", 1),
            ("High water. It rains!", 2),
            ("He said: “It rains.” Then he left.", 2),
            ("Mr. Smith left at 12.40 a.m. today?", 1),
            ("Wait... No.", 2),
        ] {
            assert_eq!(sentences(text), wanted, "{text}");
        }
    }
}
