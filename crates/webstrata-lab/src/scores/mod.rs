//! How good a text is, given the gold text of its page.
//!
//! - **bag**: F1 of the two bags of words, as the WSDM paper scores CleanEval (section 4.3).
//! - **lcs**: F1 of the longest common subsequence of tokens, as the URL Tree paper scores.
//! - **rouge**: ROUGE-LSum, as in the comparison of Bevendorff et al. (SIGIR 2023); see [`rouge`].
//! - **shingle**: F1 of the runs of four tokens, as Scrapinghub's benchmark counts them.
//! - **cosine**: of the term vectors, times the ratio of the lengths (Ziegler and Skubacz 2007,
//!   equations 2 and 3); see [`mod@cosine`], which also says what the swarm learns from.
//!
//! [`structure`] scores Markdown: headings, lists, tables and code.

pub mod cosine;
pub mod lcs;
pub mod rouge;
pub mod statistics;
pub mod structure;
pub mod tokens;

use std::collections::HashMap;

pub use tokens::{Tokens, Vocabulary};

/// The tokens of one of Scrapinghub's shingles.
const SHINGLE: usize = 4;

/// A way to compare a text with the gold text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Bags of words.
    Bag,
    /// The longest common subsequence of tokens.
    Lcs,
    /// ROUGE-LSum.
    Rouge,
    /// Runs of four tokens.
    Shingle,
    /// Cosine of the term vectors, times the ratio of their lengths.
    Cosine,
}

impl Measure {
    /// All of them and how they are called.
    pub const ALL: [(Measure, &'static str); 5] = [
        (Measure::Bag, "bag"),
        (Measure::Lcs, "lcs"),
        (Measure::Rouge, "rouge"),
        (Measure::Shingle, "shingle"),
        (Measure::Cosine, "cosine"),
    ];

    /// How it is called.
    pub fn name(self) -> &'static str {
        Measure::ALL[self as usize].1
    }
}

/// What is right of a text and what of the gold text is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// The part of the text that is in the gold text.
    pub precision: f64,
    /// The part of the gold text that is in the text.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

impl Score {
    /// The score of a text that says exactly what it should.
    pub const PERFECT: Score = Score { precision: 1.0, recall: 1.0, f1: 1.0 };

    /// So many of the text's and of the gold's pieces are common. Two texts without a piece are the
    /// same.
    pub fn of(common: usize, text: usize, gold: usize) -> Score {
        if text == 0 && gold == 0 {
            return Score::PERFECT;
        }
        let part = |of: usize| if of == 0 { 0.0 } else { common as f64 / of as f64 };
        Score::harmonic(part(text), part(gold))
    }

    fn harmonic(precision: f64, recall: f64) -> Score {
        let sum = precision + recall;
        let f1 = if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum };
        Score { precision, recall, f1 }
    }
}

/// Runs of four tokens: common ones, those of the text only, those of the gold text only, as parts of
/// all of them, so that every page counts the same in their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shingles {
    /// In both texts.
    pub common: f64,
    /// In the text only.
    pub text_only: f64,
    /// In the gold text only.
    pub gold_only: f64,
}

impl Shingles {
    /// The sum over pages.
    pub fn sum(pages: impl IntoIterator<Item = Shingles>) -> Shingles {
        pages.into_iter().fold(Shingles::default(), |sum, page| Shingles {
            common: sum.common + page.common,
            text_only: sum.text_only + page.text_only,
            gold_only: sum.gold_only + page.gold_only,
        })
    }

    /// Of one page, its score; of a sum, the micro average.
    pub fn score(self) -> Score {
        let part = |of: f64| if of == 0.0 { 0.0 } else { self.common / of };
        Score::harmonic(part(self.common + self.text_only), part(self.common + self.gold_only))
    }
}

/// One text by all measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Bags of words.
    pub bag: Score,
    /// The longest common subsequence.
    pub lcs: Score,
    /// ROUGE-LSum.
    pub rouge: Score,
    /// Runs of four tokens.
    pub shingles: Shingles,
    /// The cosine.
    pub cosine: f64,
}

impl Scores {
    /// The one number of a measure: F1, or the cosine.
    pub fn value(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Bag => self.bag.f1,
            Measure::Lcs => self.lcs.f1,
            Measure::Rouge => self.rouge.f1,
            Measure::Shingle => self.shingles.score().f1,
            Measure::Cosine => self.cosine,
        }
    }
}

/// A gold text, ready to be compared with many texts.
#[derive(Clone, Debug)]
pub struct Gold {
    text: String,
    vocabulary: Vocabulary,
    tokens: Tokens,
    shingles: Counts<[u32; SHINGLE]>,
}

impl Gold {
    /// Takes the gold text apart.
    pub fn new(text: &str) -> Gold {
        let mut vocabulary = Vocabulary::default();
        let tokens = Tokens::of(text, &mut vocabulary);
        let shingles = shingles(&tokens.tokens);
        Gold { text: text.to_owned(), vocabulary, tokens, shingles }
    }

    /// Has it no word? No extractor can be measured by such a page.
    pub fn is_empty(&self) -> bool {
        self.tokens.tokens.is_empty()
    }

    /// Compares a text with it.
    pub fn scores(&mut self, text: &str) -> Scores {
        let cosine = cosine::similarity(text, &self.text);
        let text = Tokens::of(text, &mut self.vocabulary);
        let (ours, gold) = (&text.tokens, &self.tokens.tokens);
        Scores {
            bag: self.bag_of(ours),
            lcs: Score::of(lcs::length(gold, ours), ours.len(), gold.len()),
            rouge: rouge::lsum(&self.tokens.sentences, &text.sentences),
            shingles: compare_shingles(&shingles(ours), &self.shingles),
            cosine,
        }
    }

    /// The bags of words and the longest common subsequence, without the measures that take longer.
    pub fn bag_and_lcs(&mut self, text: &str) -> (Score, Score) {
        let text = Tokens::of(text, &mut self.vocabulary);
        let (ours, gold) = (&text.tokens, &self.tokens.tokens);
        (self.bag_of(ours), Score::of(lcs::length(gold, ours), ours.len(), gold.len()))
    }

    /// Only the bags of words, for those who need nothing else.
    pub fn bag(&mut self, text: &str) -> Score {
        let text = Tokens::of(text, &mut self.vocabulary);
        self.bag_of(&text.tokens)
    }

    fn bag_of(&self, tokens: &[u32]) -> Score {
        let mut left = vec![0u32; self.vocabulary.len()];
        self.tokens.tokens.iter().for_each(|token| left[*token as usize] += 1);
        let mut common = 0;
        for token in tokens {
            let left = &mut left[*token as usize];
            common += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
        Score::of(common, tokens.len(), self.tokens.tokens.len())
    }
}

type Counts<T> = HashMap<T, usize>;

/// The runs of four tokens; a shorter text is one run by itself.
fn shingles(tokens: &[u32]) -> Counts<[u32; SHINGLE]> {
    let mut counts = Counts::new();
    if (1..SHINGLE).contains(&tokens.len()) {
        let mut short = [u32::MAX; SHINGLE];
        short[..tokens.len()].copy_from_slice(tokens);
        counts.insert(short, 1);
    }
    for run in tokens.windows(SHINGLE) {
        *counts.entry(run.try_into().expect("its length")).or_default() += 1;
    }
    counts
}

fn compare_shingles(text: &Counts<[u32; SHINGLE]>, gold: &Counts<[u32; SHINGLE]>) -> Shingles {
    let common =
        |(run, count): (&[u32; SHINGLE], &usize)| gold.get(run).map_or(0, |g| *g.min(count));
    let common: usize = text.iter().map(common).sum();
    let (ours, golds): (usize, usize) = (text.values().sum(), gold.values().sum());
    let all = (ours + golds - common).max(1) as f64;
    Shingles {
        common: common as f64 / all,
        text_only: (ours - common) as f64 / all,
        gold_only: (golds - common) as f64 / all,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scores(text: &str, gold: &str) -> Scores {
        Gold::new(gold).scores(text)
    }

    #[test]
    fn bags_count_repetitions() {
        let f1 = |text: &str, gold: &str| Gold::new(gold).bag(text).f1;
        assert_eq!(f1("", "-"), 1.0);
        assert_eq!(f1("a", ""), 0.0);
        assert_eq!(f1("a b", "B, a"), 1.0);
        assert!((f1("a a b", "a c") - 0.4).abs() < 1e-12);
        assert_eq!(f1("a", "b"), 0.0);
    }

    #[test]
    fn order_counts_for_subsequences() {
        let scores = scores("low water high water", "high water low water");
        assert_eq!(scores.bag, Score::PERFECT);
        assert_eq!(scores.lcs, Score { precision: 0.5, recall: 0.5, f1: 0.5 });
    }

    #[test]
    fn shingles_of_four() {
        let shingles = |text, gold| scores(text, gold).shingles;
        let expected = Shingles { common: 1.0 / 3.0, text_only: 1.0 / 3.0, gold_only: 1.0 / 3.0 };
        assert_eq!(shingles("a b c d e", "x a b c d"), expected);
        assert_eq!(shingles("a b", "a b").score(), Score::PERFECT);
        assert_eq!(shingles("a b", "a b c").score().f1, 0.0);
        assert_eq!(shingles("", "a").score().f1, 0.0);
        let sum = Shingles::sum([expected, shingles("a", "a")]);
        assert!((sum.score().f1 - 0.8).abs() < 1e-12);
    }

    #[test]
    fn cosines_shrink_with_the_length() {
        let cosine = |text, gold| scores(text, gold).cosine;
        assert!((cosine("tide table", "table tide a") - 1.0).abs() < 1e-12);
        // A doubled copy, the example of the paper.
        assert!((cosine("tide table tide table", "tide table") - 0.5).abs() < 1e-12);
        assert_eq!(cosine("tide", "table"), 0.0);
        assert_eq!((cosine("a", ""), cosine("", "tide")), (1.0, 0.0));
    }

    proptest! {
        #[test]
        fn every_measure_is_a_part_of_one(text in "[a-dé東 \n]{0,60}", gold in "[a-dé東 \n]{0,60}") {
            let scores = scores(&text, &gold);
            for (measure, name) in Measure::ALL {
                prop_assert_eq!(measure.name(), name);
                prop_assert!((0.0..=1.0 + 1e-9).contains(&scores.value(measure)), "{} {:?}", name, scores);
            }
            prop_assert!(scores.lcs.f1 <= scores.bag.f1 + 1e-12);
            let same = Gold::new(&gold).scores(&gold);
            prop_assert!(same.bag == Score::PERFECT && same.lcs == Score::PERFECT);
        }
    }
}
