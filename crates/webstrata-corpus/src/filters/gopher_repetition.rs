//! See [`GopherRepetition`].

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::{Candidate, Filter, Verdict, check_share, repeated, share};

filter! {
    /// The repetition rules of Gopher (Rae et al., 2021, table A1): what share of a text repeated lines, paragraphs and
    /// runs of words have.
    GopherRepetition = "gopher-repetition" {
        /// The largest share of repeated lines among all lines.
        lines: f64 = 0.3,
        /// The same of paragraphs.
        paragraphs: f64 = 0.3,
        /// The largest share of characters in repeated lines.
        line_characters: f64 = 0.2,
        /// The same of paragraphs.
        paragraph_characters: f64 = 0.2,
        /// The largest share of characters in the most frequent run of so many words.
        top_runs: Vec<(usize, f64)> = vec![(2, 0.2), (3, 0.18), (4, 0.16)],
        /// The largest share of characters in all repeated runs of so many words.
        repeated_runs: Vec<(usize, f64)> = vec![(5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.1)],
    }
}

impl GopherRepetition {
    fn check(&self) -> Result<(), String> {
        let shares = [
            ("lines", self.lines),
            ("paragraphs", self.paragraphs),
            ("line-characters", self.line_characters),
            ("paragraph-characters", self.paragraph_characters),
        ];
        shares.into_iter().try_for_each(|(name, share)| check_share(name, share))?;
        let runs = self.top_runs.iter().chain(&self.repeated_runs);
        for (words, share) in runs {
            check_share("a share of runs", *share)?;
            if !(1..=100).contains(words) {
                return Err(format!("a run of {words} words: expected 1 to 100"));
            }
        }
        Ok(())
    }
}

impl Filter for GopherRepetition {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let text = page.text();
        let characters = text.chars().count();
        if characters == 0 {
            return Verdict::Drop("empty");
        }
        let count = paragraphs(text.trim()).count();
        let (again, long) = repeated(paragraphs(text.trim()));
        if share(again, count) > self.paragraphs {
            return Verdict::Drop("paragraphs");
        }
        if share(long, characters) > self.paragraph_characters {
            return Verdict::Drop("paragraph-characters");
        }
        let (again, long) = repeated(lines(text));
        if share(again, lines(text).count()) > self.lines {
            return Verdict::Drop("lines");
        }
        if share(long, characters) > self.line_characters {
            return Verdict::Drop("line-characters");
        }
        let words: Vec<Word> = page.tokens().map(Word::of).collect();
        let is_above = |(size, most): &&(usize, f64)| share(top(&words, *size), characters) > *most;
        if self.top_runs.iter().any(|one| is_above(&one)) {
            return Verdict::Drop("top-runs");
        }
        let is_above = |(size, most): &&(usize, f64)| share(again_of(&words, *size), characters) > *most;
        if self.repeated_runs.iter().any(|one| is_above(&one)) {
            return Verdict::Drop("repeated-runs");
        }
        Verdict::Keep
    }
}

/// What empty lines part.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find("\n\n") else { return rest.take() };
        rest = Some(text[end..].trim_start_matches('\n'));
        Some(&text[..end])
    })
}

/// What line breaks part; several in a row part once.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find('\n') else { return rest.take() };
        rest = Some(text[end..].trim_start_matches('\n'));
        Some(&text[..end])
    })
}

/// A word as a number, and its characters.
#[derive(Clone, Copy)]
struct Word {
    hash: u64,
    characters: usize,
}

impl Word {
    fn of(word: &str) -> Word {
        Word { hash: xxh3_64(word.as_bytes()), characters: word.chars().count() }
    }
}

/// A number for each run of words, and its characters without spaces.
fn run(words: &[Word]) -> (u64, usize) {
    let mix = |mixed: u64, word: &Word| (mixed.rotate_left(7) ^ word.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (words.iter().fold(0, mix), words.iter().map(|word| word.characters).sum())
}

/// The characters in the most frequent run, spaces included; of equally frequent ones the first counts.
fn top(words: &[Word], size: usize) -> usize {
    let mut counts: HashMap<u64, (usize, usize, usize)> = HashMap::new();
    for (at, words) in words.windows(size).enumerate() {
        let (hash, characters) = run(words);
        counts.entry(hash).or_insert((0, at, characters + size - 1)).0 += 1;
    }
    let best = counts.values().max_by_key(|(count, at, _)| (*count, std::cmp::Reverse(*at)));
    best.map_or(0, |(count, _, characters)| count * characters)
}

/// The characters in runs that were there before; no word counts twice.
fn again_of(words: &[Word], size: usize) -> usize {
    let mut seen = std::collections::HashSet::new();
    let (mut at, mut characters) = (0, 0);
    while let Some(words) = words.get(at..at + size) {
        let (hash, length) = run(words);
        if seen.insert(hash) {
            at += 1;
        } else {
            characters += length;
            at += size;
        }
    }
    characters
}
