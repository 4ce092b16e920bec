//! How text falls into the words that are indexed and asked for; the same for both.
//!
//! A word is a run of letters, digits and what belongs to them. `e-mail`, `don't` and `example.org`
//! are several words, which a question that writes them together asks for as a phrase: so whoever
//! looks for `example` finds `example.org`, too. Scripts without spaces between words are cut by
//! ICU's dictionaries, as in the core.
//!
//! Words are lower-case. Accents stay: they tell words apart (`schon`, `schön`; `pêche`, `péché`),
//! and who writes a language can write them. No word is a stop word, or phrases would not be found.

use std::collections::VecDeque;
use std::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Bytes of a word that count; what is longer is data that has no spaces, and alike words of that
/// length are the same.
pub const LONGEST: usize = 80;

/// Bytes that the dictionaries get at once; they are not made for megabytes.
const PIECE: usize = 1024;

const NORMALIZER: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

thread_local! {
    static SEGMENTER: WordSegmenterBorrowed<'static> =
        WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
}

/// The words of a text, as they are indexed.
///
/// ```
/// let words: Vec<String> = webstrata_search::tokens::words("Don't e-mail 北京2008!").collect();
/// assert_eq!(words, ["don", "t", "e", "mail", "北京", "2008"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    Places::new(text).map(|place| {
        let mut word = String::new();
        fold(&text[place], &mut word);
        word
    })
}

/// How many words a text has.
pub fn count(text: &str) -> usize {
    Places::new(text).count()
}

/// Is this text of a script that puts no spaces between words?
pub fn is_unspaced(text: &str) -> bool {
    text.chars().any(webstrata::words::is_unspaced)
}

/// Where the words of a text stand.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    text: &'a str,
    at: usize,
    /// What the dictionary has found ahead.
    found: VecDeque<Range<usize>>,
}

impl<'a> Places<'a> {
    /// Of this text.
    pub fn new(text: &'a str) -> Places<'a> {
        Places { text, at: 0, found: VecDeque::new() }
    }

    /// Goes on while characters are of some kind.
    fn run(&mut self, is_inside: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
    }

    /// Goes on over letters that need no dictionary; most of most texts.
    fn plain(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
            self.at += 1;
        }
        if bytes.get(self.at).is_some_and(|byte| !byte.is_ascii()) {
            self.run(is_plain);
        }
    }

    fn kind_here(&self) -> CharacterKind {
        self.text[self.at..].chars().next().map_or(CharacterKind::Between, character_kind)
    }

    /// Asks the dictionary for the words in a run.
    fn segment(&mut self, run: Range<usize>) {
        SEGMENTER.with(|segmenter| {
            let mut start = run.start;
            while start < run.end {
                let mut end = run.end.min(start + PIECE);
                while !self.text.is_char_boundary(end) {
                    end -= 1;
                }
                let piece = &self.text[start..end];
                let mut from = 0;
                for to in segmenter.segment_str(piece).skip(1) {
                    // The last word may go on behind the piece: the next one begins with it.
                    if to == piece.len() && end < run.end && from > 0 {
                        break;
                    }
                    if piece[from..to].chars().any(char::is_alphanumeric) {
                        self.found.push_back(start + from..start + to);
                    }
                    from = to;
                }
                if from == 0 {
                    break;
                }
                start += from;
            }
        });
    }
}

impl Iterator for Places<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            if let Some(found) = self.found.pop_front() {
                return Some(found);
            }
            self.run(|c| character_kind(c) == CharacterKind::Between);
            let start = self.at;
            if start == self.text.len() {
                return None;
            }
            self.plain();
            if self.kind_here() == CharacterKind::Between {
                return Some(start..self.at);
            }
            self.run(|c| character_kind(c) != CharacterKind::Between);
            self.segment(start..self.at);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharacterKind {
    /// A letter or digit that only ever joins its neighbours.
    Plain,
    /// For ICU to say.
    Other,
    /// In no word.
    Between,
}

fn character_kind(character: char) -> CharacterKind {
    match character {
        _ if is_plain(character) => CharacterKind::Plain,
        '\0'..='\u{7f}' => CharacterKind::Between,
        // Joiners belong to words, the rest of general punctuation does not.
        '\u{200c}' | '\u{200d}' => CharacterKind::Other,
        '\u{2000}'..='\u{206f}' => CharacterKind::Between,
        _ if character.is_whitespace() => CharacterKind::Between,
        _ => CharacterKind::Other,
    }
}

/// ASCII letters and digits, and the letters of Latin, Greek and Cyrillic.
fn is_plain(character: char) -> bool {
    match character {
        '\0'..='\u{7f}' => character.is_ascii_alphanumeric(),
        '\u{d7}' | '\u{f7}' => false,
        '\u{c0}'..='\u{24f}' => true,
        '\u{386}' | '\u{388}'..='\u{3ff}' | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' => {
            character.is_alphabetic()
        }
        _ => false,
    }
}

/// A word as it is indexed: lower-case, and not longer than [`LONGEST`]. Characters that are the same to readers
/// are the same (NFKC: `é` of one character or two, letters of full width), and what is not seen is not there
/// (soft hyphens). Greek's final sigma is a sigma, or capital letters would not be found.
pub fn fold(word: &str, into: &mut String) {
    into.clear();
    if word.is_ascii() {
        into.push_str(&word[..word.len().min(LONGEST)]);
        into.make_ascii_lowercase();
        return;
    }
    let seen = word.chars().filter(|c| !is_unseen(*c));
    for lower in NORMALIZER.normalize_iter(seen).flat_map(char::to_lowercase) {
        let lower = if lower == 'ς' { 'σ' } else { lower };
        if into.len() + lower.len_utf8() > LONGEST {
            return;
        }
        into.push(lower);
    }
}

/// Soft hyphens, byte order marks and choices among shapes of the same character.
fn is_unseen(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// What tantivy asks for words.
#[derive(Clone, Debug, Default)]
pub struct Words;

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream { places: Places::new(text), text, token: Token::default() }
    }
}

/// The words of one text, for tantivy.
#[derive(Debug)]
pub struct WordStream<'a> {
    places: Places<'a>,
    text: &'a str,
    token: Token,
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(place) = self.places.next() else { return false };
        fold(&self.text[place.clone()], &mut self.token.text);
        self.token.offset_from = place.start;
        self.token.offset_to = place.end;
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(words(text).collect::<Vec<_>>(), expect, "{text:?}");
    }

    #[test]
    fn words_are_what_people_look_for() {
        check("", &[]);
        check(" -- ", &[]);
        check("The U.S. don't e-mail", &["the", "u", "s", "don", "t", "e", "mail"]);
        check("don’t “quote”", &["don", "t", "quote"]);
        check("https://example.org/a_b?c=1", &["https", "example", "org", "a", "b", "c", "1"]);
        check("ÉCOLE naïve Größe", &["école", "naïve", "größe"]);
        check("ΟΔΟΣ οδός", &["οδοσ", "οδόσ"]);
        check("Привет, мир!", &["привет", "мир"]);
        check("हिन्दी में", &["हिन्दी", "में"]);
        check("cafe\u{301} noir", &["café", "noir"]);
        check("Schiff\u{ad}fahrt ＡＢＣ", &["schifffahrt", "abc"]);
        check("مرحبا بالعالم", &["مرحبا", "بالعالم"]);
        check("나는 학교에", &["나는", "학교에"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_by_dictionary() {
        check("我们在北京大学学习。", &["我们", "在", "北京", "大学", "学习"]);
        check("iPhone手机2008年", &["iphone", "手机", "2008", "年"]);
        let thai: Vec<String> = words("เขาไปโรงเรียน").collect();
        assert!(thai.contains(&"โรงเรียน".to_owned()), "{thai:?}");
        let japanese: Vec<String> = words("彼は学校に行きます").collect();
        assert!(japanese.contains(&"学校".to_owned()), "{japanese:?}");
        assert!(is_unspaced("学校") && !is_unspaced("école"));
    }

    #[test]
    fn no_word_is_torn_where_the_dictionary_is_asked_in_pieces() {
        let text = "我们在北京大学学习".repeat(300);
        let all: Vec<String> = words(&text).collect();
        let once: Vec<String> = words("我们在北京大学学习").collect();
        assert_eq!(all.len(), 300 * once.len());
        assert!(all.iter().all(|word| once.contains(word)));
    }

    #[test]
    fn long_words_are_cut() {
        let long = "é".repeat(100);
        assert_eq!(words(&long).collect::<Vec<_>>(), ["é".repeat(40)]);
        assert_eq!(words(&"a".repeat(5000)).next().map(|word| word.len()), Some(LONGEST));
    }

    /// ICU asked about every run between separators.
    fn naive(text: &str) -> Vec<String> {
        let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
        let mut found = Vec::new();
        for run in text.split(|c| character_kind(c) == CharacterKind::Between) {
            let ends: Vec<usize> = segmenter.segment_str(run).collect();
            for pair in ends.windows(2) {
                let word = &run[pair[0]..pair[1]];
                if word.chars().any(char::is_alphanumeric) {
                    let lower = NORMALIZER.normalize(word).to_lowercase().replace('ς', "σ");
                    found.push(lower);
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_fast_path_cuts_as_icu_does(text in "[a-zA-Z0-9 .,'À-ɏΆ-ώА-я北京学校ไปहिन्é²×\u{301}’-]{0,60}") {
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), naive(&text));
        }

        #[test]
        fn any_text_has_words_in_order(text in ".{0,200}") {
            let mut last = 0;
            for place in Places::new(&text) {
                prop_assert!(place.start >= last && place.end > place.start);
                last = place.end;
                let mut word = String::new();
                fold(&text[place], &mut word);
                prop_assert!(!word.is_empty() && word.len() <= LONGEST && !word.contains('\0'));
            }
        }
    }
}
