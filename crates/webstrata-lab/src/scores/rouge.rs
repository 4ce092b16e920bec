//! ROUGE-LSum: Lin, *ROUGE: a package for automatic evaluation of summaries* (2004), section 3.2.
//!
//! For every sentence of the gold text, its longest common subsequences with all sentences of the text
//! are united; the words in these unions are the hits. As in ROUGE 1.5.5 and in Google's
//! `rouge-score`, a word is no more often a hit than it occurs in either text.
//!
//! Bevendorff et al., *An empirical comparison of web content extraction algorithms* (SIGIR 2023),
//! score so, with words as they stand between spaces. Their sentences are those of NLTK's trained
//! splitter; ours end with their line or by a rule (see [`Tokens`](super::Tokens)), which may move a
//! page's score by a little: where a sentence is cut hardly changes the union.

use super::{Score, lcs};

/// Lines whose lengths have a larger product are halved before they are compared.
const LONG: usize = 1 << 28;

/// Compares sentences.
pub fn lsum(gold: &[Vec<u32>], text: &[Vec<u32>]) -> Score {
    let words = |lines: &[Vec<u32>]| lines.iter().map(Vec::len).sum::<usize>();
    let (gold_words, text_words) = (words(gold), words(text));
    let (mut gold_left, mut text_left) = (counts(gold), counts(text));
    let mut matcher = lcs::Matcher::default();
    let mut hits = 0;
    for line in gold {
        let union = union(line, text, &mut matcher);
        for token in line.iter().zip(union).filter_map(|(t, hit)| hit.then_some(*t)) {
            let place = token as usize;
            if let (Some(in_gold @ 1..), Some(in_text @ 1..)) =
                (gold_left.get_mut(place), text_left.get_mut(place))
            {
                (*in_gold, *in_text) = (*in_gold - 1, *in_text - 1);
                hits += 1;
            }
        }
    }
    Score::of(hits, text_words, gold_words)
}

/// For each word of the line, whether it is in a longest common subsequence with some line of the text.
fn union(line: &[u32], text: &[Vec<u32>], matcher: &mut lcs::Matcher) -> Vec<bool> {
    let mut hit = vec![false; line.len()];
    matcher.learn(line);
    for other in text {
        if line.len().saturating_mul(other.len()) > LONG {
            lcs::matches(line, other).iter().for_each(|(i, _)| hit[*i as usize] = true);
        } else {
            matcher.walk(other, |i, _| hit[i] = true);
        }
    }
    hit
}

/// How often each word occurs.
fn counts(lines: &[Vec<u32>]) -> Vec<u32> {
    let size = lines.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut counts = vec![0; size];
    lines.iter().flatten().for_each(|token| counts[*token as usize] += 1);
    counts
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The definition, with nothing clever.
    fn naive(gold: &[Vec<u32>], text: &[Vec<u32>]) -> usize {
        let count = |lines: &[Vec<u32>]| {
            let mut counts = HashMap::<u32, i32>::new();
            lines.iter().flatten().for_each(|token| *counts.entry(*token).or_default() += 1);
            counts
        };
        let (mut in_gold, mut in_text) = (count(gold), count(text));
        let mut hits = 0;
        for line in gold {
            let common = |other: &Vec<u32>| lcs::matches(line, other);
            let union: BTreeSet<u32> = text.iter().flat_map(common).map(|(i, _)| i).collect();
            for token in union.iter().map(|i| line[*i as usize]) {
                if in_gold[&token] > 0 && in_text.get(&token).is_some_and(|left| *left > 0) {
                    *in_gold.get_mut(&token).unwrap() -= 1;
                    *in_text.get_mut(&token).unwrap() -= 1;
                    hits += 1;
                }
            }
        }
        hits
    }

    fn lines() -> impl Strategy<Value = Vec<Vec<u32>>> {
        vec(vec(0u32..9, 1..90), 0..6)
    }

    proptest! {
        #[test]
        fn as_defined(gold in lines(), text in lines()) {
            let words = |lines: &[Vec<u32>]| lines.concat().len();
            let expected = Score::of(naive(&gold, &text), words(&text), words(&gold));
            prop_assert_eq!(lsum(&gold, &text), expected);
        }
    }

    /// The example of Lin's section 3.2: the union of w1 w2 and w1 w3 w5 is four of five words.
    #[test]
    fn the_papers_example() {
        let gold = [vec![1, 2, 3, 4, 5]];
        let text = [vec![1, 2, 6, 7, 8], vec![1, 3, 8, 9, 5]];
        let score = lsum(&gold, &text);
        assert_eq!((score.precision, score.recall), (0.4, 0.8));
    }

    #[test]
    fn a_word_is_a_hit_only_as_often_as_it_is_there() {
        assert_eq!(lsum(&[vec![1], vec![1]], &[vec![1]]), Score::of(1, 1, 2));
        assert_eq!(lsum(&[], &[]), Score::PERFECT);
        assert_eq!(lsum(&[vec![1]], &[]).f1, 0.0);
    }
}
