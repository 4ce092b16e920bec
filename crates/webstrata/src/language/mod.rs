//! Which language is a text written in? By its script where that is enough, else by its most frequent
//! words.
//!
//! Function words are every other word of running text, so that a few dozen for each language tell
//! languages apart on a paragraph, for a few microseconds. Too little text, or two languages that claim
//! about as much of it (Czech and Slovak, Danish and Norwegian), is no answer: then the page's own word
//! counts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// Letters of a text that are looked at, and words.
const MOST_LETTERS: usize = 400;
const MOST_WORDS: u32 = 120;

/// Bytes of the longest word of `words.txt`.
const LONGEST_WORD: usize = 15;

/// A script needs as many letters, a language as many words and function words.
const LEAST_LETTERS: u32 = 20;
const LEAST_WORDS: u32 = 15;
const LEAST_HITS: u32 = 5;
const LEAST_DIFFERENT: u32 = 4;

/// The languages of `words.txt`, and for each word of it the languages that have it, a bit each.
static TABLE: LazyLock<(Vec<&str>, Words)> = LazyLock::new(|| {
    let lines = include_str!("words.txt").lines().filter(|line| !line.starts_with('#'));
    let mut languages = Vec::new();
    let mut words = Words::default();
    for line in lines {
        let mut line = line.split(' ');
        let bit = 1 << languages.len();
        languages.extend(line.next());
        for word in line {
            *words.entry(word).or_insert(0) |= bit;
        }
    }
    (languages, words)
});

/// Words are only looked up: no page can put any into the table, so that a quick hash will do.
type Words = HashMap<&'static str, u64, BuildHasherDefault<Fnv>>;

/// FNV-1a.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        // The table takes the highest bits and the lowest.
        self.0 ^ self.0 >> 32
    }
}

/// Letters that a language does not have and its neighbours do.
const WITHOUT: &[(&str, &str)] =
    &[("be", "ищї"), ("uk", "ыэёў"), ("ru", "іїєў"), ("sv", "øæ"), ("da", "äö"), ("no", "äö")];

/// Scripts, each with the language that it is enough for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    /// Latin, Cyrillic, Arabic, Devanagari: many languages have them.
    Shared,
    Of(&'static str),
    Han,
    Kana,
}

/// The language of a text as ISO 639-1 has it, where the text says enough.
pub(crate) fn detect(text: &str) -> Option<&'static str> {
    identify(text).map(|(language, _)| language)
}

/// The confidence of languages that only their letters tell.
const LETTERS_ONLY: f32 = 0.99;

/// The same with a confidence, 0 to 1: the share of such answers that are right.
pub(crate) fn identify(text: &str) -> Option<(&'static str, f32)> {
    match script(text)? {
        Script::Of(language) => Some((language, 1.0)),
        Script::Han => Some(("zh", 1.0)),
        Script::Kana => Some(("ja", 1.0)),
        Script::Shared => {
            let letters = || by_letters(text).map(|language| (language, LETTERS_ONLY));
            by_words(text).or_else(letters)
        }
    }
}

/// The share of answers that are right where the words of a language outweigh those of the next one so much, 0 to 1. Fitted
/// to sentences of 55 languages (docs/decisions/043-language-and-its-confidence.md).
fn confidence(margin: f32) -> f32 {
    (1.0 - 2.0 * (-14.0 * margin).exp()).clamp(0.6, 0.997)
}

/// Letters that only some of the languages written in Cyrillic have, for texts with few function words: names,
/// headlines, lists. Each with the letters that rule the language out.
const CYRILLIC: &[(&str, &str, &str)] =
    &[("ru", "ыэё", "іїєґўәөүқңғһӣӯҳҷӑӗјљњћђѓќѕ"), ("uk", "їєґ", "ыэёўәөүқңғһјљњћђѓќѕ")];

/// The language that has letters of the text that its neighbours do not have.
fn by_letters(text: &str) -> Option<&'static str> {
    let is_cyrillic = |c: &char| matches!(*c, '\u{400}'..='\u{52f}');
    let letters = || text.chars().filter(|c| c.is_alphabetic()).take(MOST_LETTERS);
    let (all, cyrillic) = (letters().count(), letters().filter(is_cyrillic).count());
    if cyrillic < 3 * LEAST_LETTERS as usize || cyrillic * 4 < all * 3 {
        return None;
    }
    let count = |of: &str| {
        letters().filter(|c| c.to_lowercase().next().is_some_and(|c| of.contains(c))).count()
    };
    let is_it = |(_, has, lacks): &&(&str, &str, &str)| count(has) >= 3 && count(lacks) == 0;
    CYRILLIC.iter().find(is_it).map(|(language, ..)| *language)
}

/// The script of most letters.
fn script(text: &str) -> Option<Script> {
    let mut counts: Vec<(Script, u32)> = Vec::new();
    let letters = text.chars().filter(|c| c.is_alphabetic()).take(MOST_LETTERS);
    let (mut shared, mut all) = (0, 0);
    for c in letters {
        all += 1;
        match script_of(c) {
            Script::Shared => shared += 1,
            script => match counts.iter_mut().find(|(known, _)| *known == script) {
                Some((_, count)) => *count += 1,
                None => counts.push((script, 1)),
            },
        }
    }
    let count = |script: Script| counts.iter().find(|(s, _)| *s == script).map_or(0, |(_, n)| *n);
    let (han, kana) = (count(Script::Han), count(Script::Kana));
    // Japanese is written in both, Chinese in one; a letter of these is a syllable or a word.
    if (han + kana) * 2 > shared && han + kana >= LEAST_LETTERS / 2 && (han + kana) * 3 > all {
        return Some(if kana * 10 > han { Script::Kana } else { Script::Han });
    }
    // A letter of Korean is a syllable, too.
    let hangul = count(Script::Of("ko"));
    if hangul * 2 > shared && hangul >= LEAST_LETTERS && hangul * 3 > all {
        return Some(Script::Of("ko"));
    }
    let (most, count) =
        counts.into_iter().max_by_key(|(_, count)| *count).unwrap_or((Script::Shared, 0));
    match all {
        0..LEAST_LETTERS => None,
        _ if count * 2 > all => Some(most),
        _ => Some(Script::Shared),
    }
}

fn script_of(c: char) -> Script {
    use Script::{Han, Kana, Of, Shared};
    match c as u32 {
        0..0x370 => Shared,
        0x370..0x400 | 0x1f00..0x2000 => Of("el"),
        0x530..0x590 => Of("hy"),
        0x590..0x600 => Of("he"),
        0x980..0xa00 => Of("bn"),
        0xa00..0xa80 => Of("pa"),
        0xa80..0xb00 => Of("gu"),
        0xb00..0xb80 => Of("or"),
        0xb80..0xc00 => Of("ta"),
        0xc00..0xc80 => Of("te"),
        0xc80..0xd00 => Of("kn"),
        0xd00..0xd80 => Of("ml"),
        0xd80..0xe00 => Of("si"),
        0xe00..0xe80 => Of("th"),
        0xe80..0xf00 => Of("lo"),
        0xf00..0x1000 => Of("bo"),
        0x1000..0x10a0 => Of("my"),
        0x10a0..0x1100 | 0x1c90..0x1cc0 => Of("ka"),
        0x1200..0x1400 => Of("am"),
        0x1780..0x1800 => Of("km"),
        0x1100..0x1200 | 0x3130..0x3190 | 0xac00..0xd7b0 => Of("ko"),
        0x3040..0x3100 => Kana,
        0x3400..0xa000 | 0xf900..0xfb00 | 0x20000..0x32000 => Han,
        _ => Shared,
    }
}

/// How much of a text a language has.
#[derive(Clone, Copy, Default)]
struct Claim {
    hits: u32,
    different: u32,
    score: u32,
}

/// The language that has most of the text's words, if no other has nearly as many.
fn by_words(text: &str) -> Option<(&'static str, f32)> {
    let (languages, words) = &*TABLE;
    // A word of one language says more than one that five have; 12 parts can be shared out evenly.
    let mut found = [Claim::default(); 64];
    let mut seen: Vec<&str> = Vec::new();
    let mut all = 0;
    let mut lower = String::new();
    // Vowel signs of Devanagari are no letters, and end no word.
    let ends = |c: char| !c.is_alphabetic() && !matches!(c, '\u{900}'..'\u{980}');
    for word in text.split(ends).filter(|word| !word.is_empty()) {
        all += 1;
        if all > MOST_WORDS {
            break;
        }
        if word.len() > LONGEST_WORD {
            continue;
        }
        lower.clear();
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        let Some((word, bits)) = words.get_key_value(lower.as_str()) else { continue };
        let mut bits = *bits;
        // Letters that stand alone, and a word over and over, are no text.
        let is_new = word.chars().nth(1).is_some() && !seen.contains(word);
        if is_new {
            seen.push(word);
        }
        let share = 12 + 12 / bits.count_ones();
        while bits != 0 {
            let claim = &mut found[bits.trailing_zeros() as usize];
            claim.hits += 1;
            claim.score += share;
            claim.different += u32::from(is_new);
            bits &= bits - 1;
        }
    }
    let best = |but: Option<usize>| {
        let others = (0..languages.len()).filter(move |at| Some(*at) != but);
        others.max_by_key(|at| found[*at].score)
    };
    let mut first = best(None)?;
    let mut second = best(Some(first))?;
    let is_clear = |first: usize, second: usize| found[first].score * 5 >= found[second].score * 6;
    if !is_clear(first, second) && lacks(text, languages[first]) {
        std::mem::swap(&mut first, &mut second);
    }
    let Claim { hits, different, .. } = found[first];
    let enough = all >= LEAST_WORDS
        && hits >= LEAST_HITS
        && different >= LEAST_DIFFERENT
        && hits * 8 >= all.min(MOST_WORDS);
    let is_sure = is_clear(first, second) || lacks(text, languages[second]);
    let next = found[second].score as f32 / found[first].score.max(1) as f32;
    (enough && is_sure).then(|| (languages[first], confidence(1.0 - next)))
}

/// Has the text letters that the language does not have?
fn lacks(text: &str, language: &str) -> bool {
    let Some((_, letters)) = WITHOUT.iter().find(|(known, _)| *known == language) else {
        return false;
    };
    // One may be of a name.
    text.chars().filter(|c| letters.contains(*c)).take(3).count() == 3
}

#[cfg(test)]
mod tests;
