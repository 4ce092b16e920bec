//! Invented texts in invented layouts: pages for which everybody knows what repeats what.
//!
//! The experiment of Table 4.3 and the tests of near-duplicates need many pages of the same texts on
//! different sites. A [`Writer`] makes texts of invented words, as frequent as words are (Zipf); a
//! [`Site`] puts them into a layout with a menu, sidebars and a footer of its own. The same seed gives
//! the same pages everywhere.

mod layouts;

use webstrata_base::random::Random;

pub use layouts::{LAYOUTS, Site};

/// Words that a writer knows. Twice as many change nothing but rare words.
const VOCABULARY: usize = 20_000;

const ONSETS: [&str; 20] = [
    "b", "br", "d", "f", "fl", "g", "h", "k", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr",
    "v", "w",
];
const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ea", "ou", "ai"];
const CODAS: [&str; 10] = ["", "", "", "n", "r", "s", "t", "l", "nd", "ck"];

/// Writes texts.
#[derive(Clone, Debug)]
pub struct Writer {
    words: Vec<String>,
    /// The probability of this word or a more frequent one.
    up_to: Vec<f64>,
    random: Random,
}

/// What kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Verses in stanzas, as in the thesis' experiment.
    Song,
    /// Sentences in paragraphs.
    Article,
    /// The same with words that a site emphasises, each site others.
    Emphasised,
}

impl TextKind {
    /// All kinds with their names.
    pub const ALL: [(TextKind, &'static str); 3] = [
        (TextKind::Song, "songs"),
        (TextKind::Article, "articles"),
        (TextKind::Emphasised, "emphasised"),
    ];
}

/// A text, without any layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Verses or sentences.
    pub kind: TextKind,
    /// A few words.
    pub title: String,
    /// Paragraphs of sentences, or stanzas of verses.
    pub parts: Vec<Vec<String>>,
}

impl Writer {
    /// A writer whose words and texts follow from the seed.
    pub fn new(seed: u64) -> Writer {
        let mut random = Random::for_purpose(seed, "words");
        let words = (0..VOCABULARY).map(|rank| word(rank, &mut random)).collect();
        // Zipf's law with Mandelbrot's shift.
        let weights = (0..VOCABULARY).map(|rank| 1.0 / (rank as f64 + 3.7).powf(1.05));
        let mut sum = 0.0;
        let up_to = weights.map(|weight| {
            sum += weight;
            sum
        });
        Writer { words, up_to: up_to.collect(), random: Random::for_purpose(seed, "texts") }
    }

    /// A new text.
    pub fn text(&mut self, kind: TextKind) -> Text {
        let (parts, lines) = match kind {
            TextKind::Song => (self.between(6, 9), 5),
            TextKind::Article | TextKind::Emphasised => (self.between(4, 9), 5),
        };
        let part = |writer: &mut Writer| {
            let lines = writer.between(lines - 1, lines + 1);
            (0..lines).map(|_| writer.line(kind)).collect()
        };
        let title = self.title();
        Text { kind, title, parts: (0..parts).map(|_| part(self)).collect() }
    }

    /// The same text with the last part of its lines written anew, so that about this much of it is the
    /// same.
    pub fn edited(&mut self, text: &Text, same: f64) -> Text {
        let lines = text.parts.iter().map(Vec::len).sum::<usize>();
        let mut left = (same * lines as f64).round() as usize;
        let mut edited = text.clone();
        for line in edited.parts.iter_mut().flatten() {
            if left == 0 {
                *line = self.line(text.kind);
            }
            left = left.saturating_sub(1);
        }
        edited
    }

    /// From two to six words, the first with a capital letter.
    pub fn title(&mut self) -> String {
        let count = self.between(2, 6);
        self.capital(count)
    }

    /// Some words of a menu.
    pub fn label(&mut self) -> String {
        let count = self.between(1, 2);
        self.capital(count)
    }

    /// A sentence of five to thirty words.
    pub fn sentence(&mut self) -> String {
        let count = self.between(5, 17) + self.between(0, 13);
        let mut sentence = self.capital(count / 2);
        sentence.push_str(if self.random.below(3) == 0 { ", " } else { " " });
        sentence.push_str(&self.run(count - count / 2));
        sentence.push('.');
        sentence
    }

    /// A number from `least` to `most`, both possible.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.random.below(most + 1 - least)
    }

    fn line(&mut self, kind: TextKind) -> String {
        match kind {
            TextKind::Song => {
                let count = self.between(5, 10);
                self.capital(count)
            }
            TextKind::Article | TextKind::Emphasised => self.sentence(),
        }
    }

    fn capital(&mut self, count: usize) -> String {
        let mut run = self.run(count);
        if let Some(first) = run.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        run
    }

    fn run(&mut self, count: usize) -> String {
        let mut run = String::new();
        for place in 0..count {
            if place > 0 {
                run.push(' ');
            }
            let all = self.up_to[VOCABULARY - 1];
            let drawn = self.random.unit() * all;
            let rank = self.up_to.partition_point(|up_to| *up_to <= drawn).min(VOCABULARY - 1);
            run.push_str(&self.words[rank]);
        }
        run
    }
}

/// Frequent words have one syllable, rare ones four.
fn word(rank: usize, random: &mut Random) -> String {
    let most = 1 + (rank + 1).ilog10() as usize;
    let syllables = 1 + random.below(most);
    let mut word = String::new();
    for _ in 0..syllables {
        word.push_str(ONSETS[random.below(ONSETS.len())]);
        word.push_str(VOWELS[random.below(VOWELS.len())]);
        word.push_str(CODAS[random.below(CODAS.len())]);
    }
    word
}

impl Text {
    /// All lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flatten().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn words_are_as_frequent_as_words_are() {
        let mut writer = Writer::new(1);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for _ in 0..500 {
            for word in writer.text(TextKind::Article).lines().flat_map(str::split_whitespace) {
                *counts.entry(word.trim_matches(['.', ',']).to_lowercase()).or_default() += 1;
            }
        }
        let all: usize = counts.values().sum();
        let mut sorted: Vec<usize> = counts.into_values().collect();
        sorted.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        // English: the commonest word is 5 to 7 % of a text, the hundred commonest are about half,
        // and half of the words occur but once or twice.
        assert!((0.015..0.08).contains(&(sorted[0] as f64 / all as f64)), "{}", sorted[0]);
        let hundred = sorted[..100].iter().sum::<usize>() as f64 / all as f64;
        assert!((0.35..0.6).contains(&hundred), "{hundred}");
        assert!(sorted.len() > 5000);
    }

    #[test]
    fn a_seed_gives_the_same_texts() {
        let texts = |seed| Writer::new(seed).text(TextKind::Song);
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
    }

    #[test]
    fn edited_texts_begin_as_they_did() {
        let mut writer = Writer::new(1);
        let text = writer.text(TextKind::Article);
        let edited = writer.edited(&text, 0.6);
        let same = text.lines().zip(edited.lines()).filter(|(a, b)| a == b).count();
        let lines = text.lines().count();
        assert_eq!(same, (0.6 * lines as f64).round() as usize);
        assert_eq!(writer.edited(&text, 1.0), text);
    }
}
