//! See [`GopherQuality`].

use std::collections::HashSet;

use super::tokens::is_mark;
use super::{Candidate, Filter, Verdict, check_share, share};

filter! {
    /// The quality rules of Gopher (Rae et al., 2021, section A.1.1): 50 to 100,000 words of 3 to 10 characters on
    /// average, few hashes and ellipses, not mostly lists or cut lines, letters in 80 % of the words, and at least two
    /// of eight frequent English words.
    GopherQuality = "gopher-quality" {
        /// The fewest words that are not only marks.
        min_words: usize = 50,
        /// The most.
        max_words: usize = 100_000,
        /// The least mean length of these words.
        min_mean_length: f64 = 3.0,
        /// The largest.
        max_mean_length: f64 = 10.0,
        /// The most hashes, and the most ellipses, for each word.
        symbols: f64 = 0.1,
        /// The largest share of lines that begin with a bullet.
        bullet_lines: f64 = 0.9,
        /// The largest share of lines that end with an ellipsis.
        ellipsis_lines: f64 = 0.3,
        /// The least share of words with a letter.
        letter_words: f64 = 0.8,
        /// How many of the stop words are there at least.
        min_stop_words: usize = 2,
        /// The stop words.
        stop_words: Vec<String> = ["the", "be", "to", "of", "and", "that", "have", "with"].map(String::from).to_vec(),
    }
}

impl GopherQuality {
    fn check(&self) -> Result<(), String> {
        check_share("bullet-lines", self.bullet_lines)?;
        check_share("ellipsis-lines", self.ellipsis_lines)?;
        check_share("letter-words", self.letter_words)
    }

    fn lines(&self, text: &str) -> Option<&'static str> {
        let count = text.lines().count();
        let is_bullet = |line: &&str| line.trim_start().starts_with(['•', '-']);
        if share(text.lines().filter(is_bullet).count(), count) > self.bullet_lines {
            return Some("bullet-lines");
        }
        let is_cut = |line: &&str| {
            let line = line.trim_end();
            line.ends_with("...") || line.ends_with('…')
        };
        (share(text.lines().filter(is_cut).count(), count) > self.ellipsis_lines).then_some("ellipsis-lines")
    }
}

impl Filter for GopherQuality {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let (text, tokens) = (page.text(), page.tokens());
        let all = tokens.clone().count();
        let (mut words, mut length, mut with_letters) = (0, 0, 0);
        let mut stop_words = HashSet::new();
        for token in tokens {
            if !token.chars().all(is_mark) {
                words += 1;
                length += token.chars().count();
            }
            with_letters += usize::from(token.contains(char::is_alphabetic));
            stop_words.extend(self.stop_words.iter().position(|stop| stop == token));
        }
        let mean = if words == 0 { 0.0 } else { length as f64 / words as f64 };
        let hashes = text.matches('#').count();
        let ellipses = text.matches("...").count() + text.matches('…').count();
        let reason = match () {
            () if words < self.min_words => Some("too-few-words"),
            () if words > self.max_words => Some("too-many-words"),
            () if mean < self.min_mean_length => Some("short-words"),
            () if mean > self.max_mean_length => Some("long-words"),
            () if share(hashes, all) > self.symbols => Some("hashes"),
            () if share(ellipses, all) > self.symbols => Some("ellipses"),
            () => self.lines(text),
        };
        match reason {
            Some(reason) => Verdict::Drop(reason),
            None if share(with_letters, all) < self.letter_words => Verdict::Drop("letter-words"),
            None if stop_words.len() < self.min_stop_words => Verdict::Drop("stop-words"),
            None => Verdict::Keep,
        }
    }
}
