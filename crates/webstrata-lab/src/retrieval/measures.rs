//! How good a ranking is, as the thesis defines it (chapter 2, "Evaluation").
//!
//! - precision at ten: the share of relevant documents among the first ten places, empty ones included;
//! - average precision: the sum of the precisions at the places of relevant documents, divided by how many relevant
//!   documents there are; its mean over queries is MAP;
//! - NDCG at ten with the gain `rel_1 + Σ rel_i / log2 i`, so that the second place counts as much as the first, unlike
//!   in the form with `log2 (i + 1)` that many tools have;
//! - reciprocal rank: one over the place of the first relevant document, for queries with one answer.

use serde::{Deserialize, Serialize};

/// How many places people look at.
pub const FIRST: usize = 10;

/// Measures of one ranking, or their means over queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// P@10.
    pub precision: f64,
    /// Average precision; as a mean, MAP.
    pub average_precision: f64,
    /// NDCG@10.
    pub ndcg: f64,
    /// Reciprocal rank; as a mean, MRR.
    pub reciprocal_rank: f64,
}

/// One of the [`Measures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// P@10.
    Precision,
    /// MAP.
    AveragePrecision,
    /// NDCG@10.
    Ndcg,
    /// MRR.
    ReciprocalRank,
}

impl Measure {
    /// All, in the order in which they are shown.
    pub const ALL: [Measure; 4] =
        [Measure::Precision, Measure::AveragePrecision, Measure::Ndcg, Measure::ReciprocalRank];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Precision => "P@10",
            Measure::AveragePrecision => "MAP",
            Measure::Ndcg => "NDCG@10",
            Measure::ReciprocalRank => "MRR",
        }
    }
}

impl Measures {
    /// The measures of a ranking: the grades of its documents, the best place first (0 is not relevant), and the
    /// grades of all relevant documents, found or not, in any order.
    pub fn of(ranking: &[u32], relevant: &[u32]) -> Measures {
        let relevant: Vec<u32> = relevant.iter().copied().filter(|grade| *grade > 0).collect();
        let found = ranking.iter().take(FIRST).filter(|grade| **grade > 0).count();
        Measures {
            precision: found as f64 / FIRST as f64,
            average_precision: average_precision(ranking, relevant.len()),
            ndcg: ndcg(ranking, relevant),
            reciprocal_rank: reciprocal_rank(ranking),
        }
    }

    /// One of them.
    pub fn get(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Precision => self.precision,
            Measure::AveragePrecision => self.average_precision,
            Measure::Ndcg => self.ndcg,
            Measure::ReciprocalRank => self.reciprocal_rank,
        }
    }

    /// The means over queries; zeros where there is none.
    pub fn mean(all: &[Measures]) -> Measures {
        let mean = |measure: Measure| {
            let sum: f64 = all.iter().map(|one| one.get(measure)).sum();
            sum / all.len().max(1) as f64
        };
        Measures {
            precision: mean(Measure::Precision),
            average_precision: mean(Measure::AveragePrecision),
            ndcg: mean(Measure::Ndcg),
            reciprocal_rank: mean(Measure::ReciprocalRank),
        }
    }
}

fn average_precision(ranking: &[u32], relevant: usize) -> f64 {
    let (mut found, mut sum) = (0_usize, 0.0);
    for (index, _) in ranking.iter().enumerate().filter(|(_, grade)| **grade > 0) {
        found += 1;
        sum += found as f64 / (index + 1) as f64;
    }
    // A document that is ranked twice would count twice.
    if relevant == 0 { 0.0 } else { (sum / relevant as f64).min(1.0) }
}

fn ndcg(ranking: &[u32], mut relevant: Vec<u32>) -> f64 {
    relevant.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = gain(&relevant);
    if ideal > 0.0 { gain(ranking) / ideal } else { 0.0 }
}

/// The discounted cumulative gain of the first places.
fn gain(grades: &[u32]) -> f64 {
    let gains = grades.iter().take(FIRST).zip(1_u32..);
    let gains = gains.map(|(grade, place)| f64::from(*grade) / f64::from(place).log2().max(1.0));
    // Not `sum`: that of nothing is -0.
    gains.fold(0.0, |sum, gain| sum + gain)
}

fn reciprocal_rank(ranking: &[u32]) -> f64 {
    let first = ranking.iter().position(|grade| *grade > 0);
    first.map_or(0.0, |index| 1.0 / (index + 1) as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn by_hand() {
        // Places 1, 3 and 4 of five found; a fourth relevant document is not found.
        let measures = Measures::of(&[2, 0, 1, 1, 0], &[1, 2, 1, 3]);
        close(measures.precision, 0.3);
        close(measures.average_precision, (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 4.0);
        let ideal = 3.0 + 2.0 + 1.0 / 3_f64.log2() + 1.0 / 2.0;
        close(measures.ndcg, (2.0 + 1.0 / 3_f64.log2() + 1.0 / 2.0) / ideal);
        close(measures.reciprocal_rank, 1.0);
    }

    #[test]
    fn the_second_place_counts_as_much_as_the_first() {
        let at = |place: usize| {
            let mut ranking = vec![0; 12];
            ranking[place - 1] = 1;
            Measures::of(&ranking, &[1])
        };
        close(at(1).ndcg, 1.0);
        close(at(2).ndcg, 1.0);
        close(at(4).ndcg, 0.5);
        close(at(11).ndcg, 0.0);
        close(at(11).precision, 0.0);
        close(at(11).reciprocal_rank, 1.0 / 11.0);
        close(at(2).average_precision, 0.5);
    }

    #[test]
    fn nothing_relevant_and_nothing_found() {
        assert_eq!(Measures::of(&[0, 0], &[0]), Measures::default());
        assert_eq!(Measures::of(&[], &[1, 1]), Measures::default());
        assert_eq!(Measures::mean(&[]), Measures::default());
    }

    /// The definitions of the thesis, written down as they stand there.
    fn naive(ranking: &[u32], relevant: &[u32]) -> Measures {
        let is = |r: usize| u32::from(ranking[r - 1] > 0);
        let p = |r: usize| f64::from((1..=r).map(is).sum::<u32>()) / r as f64;
        let n = ranking.len();
        let count = relevant.iter().filter(|grade| **grade > 0).count().max(1) as f64;
        let dcg = |grades: &[u32]| {
            let rel = |i: usize| f64::from(grades.get(i - 1).copied().unwrap_or(0));
            rel(1) + (2..=10).map(|i| rel(i) / (i as f64).log2()).sum::<f64>()
        };
        let mut best = relevant.to_vec();
        best.sort_by_key(|grade| std::cmp::Reverse(*grade));
        let ideal = dcg(&best);
        Measures {
            precision: f64::from((1..=n.min(10)).map(is).sum::<u32>()) / 10.0,
            average_precision: (1..=n).filter(|r| is(*r) == 1).map(p).sum::<f64>() / count,
            ndcg: if ideal > 0.0 { dcg(ranking) / ideal } else { 0.0 },
            reciprocal_rank: (1..=n).find(|r| is(*r) == 1).map_or(0.0, |r| 1.0 / r as f64),
        }
    }

    proptest! {
        #[test]
        fn as_the_definitions_say(
            ranking in prop::collection::vec(0_u32..4, 0..30),
            missed in prop::collection::vec(0_u32..4, 0..5),
        ) {
            let relevant: Vec<u32> = ranking.iter().chain(&missed).copied().collect();
            let (fast, slow) = (Measures::of(&ranking, &relevant), naive(&ranking, &relevant));
            for measure in Measure::ALL {
                prop_assert!((fast.get(measure) - slow.get(measure)).abs() < 1e-9, "{measure:?}");
                prop_assert!((0.0..=1.0 + 1e-9).contains(&fast.get(measure)));
            }
        }
    }
}
