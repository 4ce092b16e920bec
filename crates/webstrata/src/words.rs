//! Words, tokens and what else is counted in a text, in one pass over its bytes.

use std::cell::OnceCell;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

use crate::clock::Deadline;
use crate::document::Counts;

/// How text falls into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WordRule {
    /// A token is what stands between spaces: section 3.3 of the WSDM paper. No-break spaces are spaces.
    Spaces,
    /// Tokens also end where letters or digits meet another character that is not one of
    /// ``"'.,!@-:;$?()/``: how boilerpipe counts. `50%` is two tokens, `Tom's` is one.
    Boundaries,
}

/// Counts a text. `links` are the offsets at which the text enters or leaves a link, in turn,
/// starting with `linked`; each also ends a token. Lines wrap at `width` columns.
pub fn count(text: &str, links: &[u32], linked: bool, rule: WordRule, width: u32) -> Counts {
    count_until(text, links, linked, rule, width, Deadline::none()).0
}

/// The same as far as the time allows, and whether that was too little.
pub(crate) fn count_until(
    text: &str,
    links: &[u32],
    linked: bool,
    rule: WordRule,
    width: u32,
    deadline: Deadline,
) -> (Counts, bool) {
    let counts = Counts::default();
    let mut counter = Counter {
        counts,
        linked,
        rule,
        width,
        column: 0,
        words_on_line: 0,
        wraps: 0,
        deadline,
        late: false,
    };
    let mut from = 0;
    for offset in links {
        counter.text(&text[from..*offset as usize]);
        counter.linked = !counter.linked;
        from = *offset as usize;
    }
    counter.text(&text[from..]);
    let late = counter.late;
    (counter.finish(), late)
}

/// Calls `each` with every word of a text, in order: what stands between white space and has a letter or digit.
/// Where a script has no spaces, a dictionary finds the words, as for [`count`].
///
/// ```
/// let mut words = Vec::new();
/// webstrata::words::for_each_word("High water – at\n12:40.", |word| words.push(word));
/// assert_eq!(words, ["High", "water", "at", "12:40."]);
/// ```
pub fn for_each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[start..];
        let end = rest.find(|c: char| c.is_whitespace() || is_unspaced(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.contains(char::is_alphanumeric) {
            each(word);
        }
        let run = after.find(|c: char| !is_unspaced(c)).unwrap_or(after.len());
        let (unspaced, after) = after.split_at(run);
        segments(unspaced, |word| {
            if word.contains(char::is_alphanumeric) {
                each(word);
            }
            true
        });
        rest = after;
    }
}

struct Counter {
    counts: Counts,
    linked: bool,
    rule: WordRule,
    width: u32,
    /// Columns used on the current line; each word brings a space.
    column: u32,
    words_on_line: u32,
    wraps: u32,
    deadline: Deadline,
    late: bool,
}

/// Bytes of a text between two looks at the clock. Words of scripts without spaces take longer: these look more often.
const TEXT_PER_CHECK: usize = 1 << 16;
/// The same of a text without spaces.
const LONGEST_PIECE: usize = 1 << 20;

// Classes of characters.
const WORD: u8 = 1;
const UPPER: u8 = 1 << 1;
const LOWER: u8 = 1 << 2;
const DIGIT: u8 = 1 << 3;
const JOINER: u8 = 1 << 4;
const OTHER: u8 = 1 << 5;
const SPACE: u8 = 1 << 6;
const UNDERSCORE: u8 = 1 << 7;

/// What makes a token a word.
const ALPHANUMERIC: u8 = UPPER | LOWER | DIGIT | WORD;

static ASCII: [u8; 128] = {
    let mut table = [OTHER; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = match i as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'_' => UNDERSCORE,
            b'"' | b'\'' | b'.' | b',' | b'!' | b'@' | b'-' | b':' | b';' | b'$' | b'?' | b'('
            | b')' | b'/' => JOINER,
            b' ' => SPACE,
            _ => OTHER,
        };
        i += 1;
    }
    table
};

impl Counter {
    fn text(&mut self, text: &str) {
        let mut rest = text;
        // Tokens end at spaces, so the count is the same whatever spaces the pieces end at. What has no space for a megabyte
        // is no word of anybody's: it is counted as several.
        while rest.len() > TEXT_PER_CHECK {
            let ahead = &rest.as_bytes()[TEXT_PER_CHECK..rest.len().min(LONGEST_PIECE)];
            let end = match memchr::memchr(b' ', ahead) {
                Some(space) => TEXT_PER_CHECK + space,
                None if rest.len() <= LONGEST_PIECE => break,
                None => {
                    (0..=LONGEST_PIECE).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(0)
                }
            };
            let (piece, after) = rest.split_at(end);
            self.piece(piece);
            rest = after;
            self.late = self.late || self.deadline.passed();
            if self.late {
                return;
            }
        }
        self.piece(rest);
    }

    #[inline]
    fn piece(&mut self, text: &str) {
        match self.rule {
            WordRule::Spaces => self.tokens::<false>(text),
            WordRule::Boundaries => self.tokens::<true>(text),
        }
    }

    fn tokens<const BOUNDARIES: bool>(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b' ' {
                at += 1;
                continue;
            }
            let start = at;
            // The union of the characters' classes, and the class of the first letter or digit.
            let (mut classes, mut first, mut previous) = (0, 0, SPACE);
            let (mut chars, mut columns) = (0, 0);
            while at < bytes.len() {
                let byte = bytes[at];
                let mut length = 1;
                let class = if byte < 128 {
                    ASCII[byte as usize]
                } else {
                    let character = char_at(text, at);
                    if is_unspaced(character) {
                        break;
                    }
                    length = character.len_utf8();
                    columns += u32::from(is_wide(character));
                    // To boilerpipe a no-break space is a token of its own, which ends the word, too.
                    let is_space = !BOUNDARIES && character.is_whitespace();
                    if is_space { SPACE } else { class_of(character) }
                };
                if class == SPACE || (BOUNDARIES && splits(previous, class)) {
                    break;
                }
                if classes & ALPHANUMERIC == 0 {
                    first = class;
                }
                classes |= class;
                previous = class;
                chars += 1;
                at += length;
                if class == LOWER {
                    // Nearly all of a word are lowercase letters: a loop that does nothing else.
                    let letters = at;
                    while at < bytes.len() && bytes[at].is_ascii_lowercase() {
                        at += 1;
                    }
                    chars += (at - letters) as u32;
                }
            }
            if at == start {
                let character = char_at(text, at);
                if is_unspaced(character) {
                    at += self.unspaced(&text[at..]);
                } else {
                    at += character.len_utf8();
                }
            } else {
                self.token(&bytes[start..at], classes, first, chars, columns + chars);
            }
        }
    }

    #[inline]
    fn token(&mut self, token: &[u8], classes: u8, first: u8, chars: u32, columns: u32) {
        self.counts.tokens += 1;
        if classes & ALPHANUMERIC != 0 {
            self.word(columns, chars);
            self.counts.upper_start += u32::from(first == UPPER);
            let all_upper = classes & (UPPER | LOWER | WORD) == UPPER;
            self.counts.upper_all += u32::from(all_upper);
            if first & (DIGIT | UPPER) != 0 || matches!(token, [b'a' | b'p', b'm', ..]) {
                self.counts.dates += u32::from(is_date(token));
            }
        }
        if classes & JOINER != 0 {
            // A sentence ends with its mark, whatever quotes and brackets close behind it.
            let quote = |byte: &&u8| matches!(byte, b'"' | b'\'' | b')');
            let last = token.iter().rev().find(|byte| !quote(byte)).copied().unwrap_or(0);
            if matches!(last, b'.' | b'!' | b'?' | b';') {
                self.counts.sentences += 1;
                self.counts.full_stops += u32::from(last == b'.');
            }
        }
        if classes & OTHER != 0 {
            self.counts.bars += token.iter().filter(|byte| **byte == b'|').count() as u32;
        }
    }

    #[inline]
    fn word(&mut self, columns: u32, chars: u32) {
        self.counts.words += 1;
        self.counts.linked_words += u32::from(self.linked);
        self.counts.word_chars += chars;
        self.words_on_line += 1;
        // The first word of a text stands at the margin, every other behind a space.
        self.column += columns + u32::from(self.counts.words > 1);
        // Equation 1 counts lines that have text: a first word that is longer than the line stands on the
        // first one. To boilerpipe that line is empty, and the word on the second.
        let breaks = self.counts.words > 1 || self.rule == WordRule::Boundaries;
        if self.column > self.width && breaks {
            self.wraps += 1;
            self.column = columns;
            self.words_on_line = 1;
        }
    }

    /// Words of a script that does not put spaces between them; returns how many bytes it took.
    fn unspaced(&mut self, text: &str) -> usize {
        let run = text.find(|c: char| !is_unspaced(c)).unwrap_or(text.len());
        let mut seen = 0u32;
        segments(&text[..run], |word| {
            // So many words take about a millisecond.
            seen += 1;
            self.late = self.late || (seen.is_multiple_of(2048) && self.deadline.passed());
            let chars = word.chars().count() as u32;
            let columns = word.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum();
            self.counts.tokens += 1;
            if word.chars().any(char::is_alphanumeric) {
                self.word(columns, chars);
            } else if word.contains(['。', '！', '？', '；', '．']) {
                self.counts.sentences += 1;
                self.counts.full_stops += u32::from(word.contains(['。', '．']));
            }
            !self.late
        });
        run
    }

    fn finish(self) -> Counts {
        let mut counts = self.counts;
        counts.full_lines = self.wraps.max(1);
        counts.words_in_full_lines =
            if self.wraps == 0 { counts.words } else { counts.words - self.words_on_line };
        if counts.words_in_full_lines == 0 {
            // A first word longer than the line: the text counts as one line.
            counts.words_in_full_lines = counts.words;
            counts.full_lines = 1;
        }
        counts
    }
}

thread_local! {
    static SEGMENTER: OnceCell<WordSegmenterBorrowed<'static>> = const { OnceCell::new() };
}

/// Does a word end between characters of these classes?
#[inline]
fn splits(before: u8, after: u8) -> bool {
    let inside = |class: u8| class & (ALPHANUMERIC | UNDERSCORE) != 0 && class & OTHER == 0;
    (inside(before) && after & OTHER != 0) || (before & OTHER != 0 && inside(after))
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or('\u{fffd}')
}

fn class_of(character: char) -> u8 {
    match character {
        // Marks and invisible characters belong to the letter before them.
        '\u{ad}'
        | '\u{300}'..='\u{36f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'
        | '\u{fe00}'..='\u{fe0f}' => JOINER,
        // Fractions, exponents and the like are words, but not part of one.
        '\u{b2}'
        | '\u{b3}'
        | '\u{b9}'
        | '\u{bc}'..='\u{be}'
        | '\u{2150}'..='\u{2189}'
        | '\u{2460}'..='\u{249b}'
        | '\u{2776}'..='\u{2793}' => OTHER | DIGIT,
        '\u{2070}' | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}' => OTHER | DIGIT,
        '\u{2000}'..='\u{206f}' | '\u{80}'..='\u{a9}' | '\u{ab}'..='\u{b1}' => OTHER,
        _ if character.is_uppercase() => UPPER,
        _ if character.is_lowercase() => LOWER,
        _ if character.is_numeric() => DIGIT,
        _ if character.is_alphabetic() => WORD,
        _ => OTHER,
    }
}

/// Scripts whose words stand without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese, with
/// the punctuation of the first two.
pub fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}'
        | '\u{ff1f}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// Characters that take two columns of a line.
fn is_wide(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{33ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a000}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{10000}'..)
}

/// Calls `each` with the words and marks of a text of a script without spaces, until it says no.
fn segments<'t>(text: &'t str, mut each: impl FnMut(&'t str) -> bool) {
    if text.is_empty() {
        return;
    }
    SEGMENTER.with(|segmenter| {
        let segmenter = segmenter
            .get_or_init(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));
        // Pieces of bounded length: the dictionary's search is not made for megabytes.
        for piece in pieces(text) {
            let mut start = 0;
            for end in segmenter.segment_str(piece).skip(1) {
                if !each(&piece[start..end]) {
                    return;
                }
                start = end;
            }
        }
    });
}

/// Cuts a text into pieces of at most about a kilobyte.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(1024);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Does a token look like (part of) a date or a time? Years, `10:45`, `3/14/2008`, names of months
/// and days in English, `am`, `pm`.
fn is_date(token: &[u8]) -> bool {
    let token = trim_punctuation(token);
    if token.first().is_some_and(u8::is_ascii_digit) {
        return is_numeric_date(token);
    }
    let mut lower = [0; 9];
    if !(2..=9).contains(&token.len()) {
        return false;
    }
    for (to, from) in lower.iter_mut().zip(token) {
        *to = from.to_ascii_lowercase();
    }
    matches!(
        &lower[..token.len()],
        b"am"
            | b"pm"
            | b"jan"
            | b"feb"
            | b"mar"
            | b"apr"
            | b"may"
            | b"jun"
            | b"jul"
            | b"aug"
            | b"sep"
            | b"sept"
            | b"oct"
            | b"nov"
            | b"dec"
            | b"january"
            | b"february"
            | b"march"
            | b"april"
            | b"june"
            | b"july"
            | b"august"
            | b"september"
            | b"october"
            | b"november"
            | b"december"
            | b"mon"
            | b"tue"
            | b"wed"
            | b"thu"
            | b"fri"
            | b"sat"
            | b"sun"
            | b"monday"
            | b"tuesday"
            | b"wednesday"
            | b"thursday"
            | b"friday"
            | b"saturday"
            | b"sunday"
            | b"gmt"
            | b"utc"
            | b"est"
            | b"edt"
            | b"pst"
            | b"pdt"
            | b"cet"
    )
}

fn is_numeric_date(token: &[u8]) -> bool {
    if token.len() == 4 && token.iter().all(u8::is_ascii_digit) {
        return token.starts_with(b"19") || token.starts_with(b"20");
    }
    let separator = token.iter().copied().find(|byte| !byte.is_ascii_digit());
    match separator {
        Some(b':') => {
            let minutes = token.split(|byte| *byte == b':').nth(1).unwrap_or_default();
            minutes.len() >= 2 && minutes[..2].iter().all(u8::is_ascii_digit)
        }
        Some(separator @ (b'/' | b'-' | b'.')) => {
            let parts: Vec<&[u8]> = token.split(|byte| *byte == separator).collect();
            let number =
                |part: &&[u8]| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
            parts.len() == 3 && parts.iter().all(number)
        }
        _ => false,
    }
}

fn trim_punctuation(token: &[u8]) -> &[u8] {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 128;
    let start = token.iter().position(is_word).unwrap_or(token.len());
    let end = token.iter().rposition(is_word).map_or(start, |end| end + 1);
    &token[start..end]
}

#[cfg(test)]
mod tests;
