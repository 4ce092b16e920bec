//! What the thesis found about rankings biased on categories (3.3.1), asked again of other pages.
//!
//! The thesis states its findings in words. Each gets a number here, and a rule that says whether the number agrees:
//!
//! Kendall similarity is τ as the thesis' section 2.3 defines it.
//!
//! - "no correlation": Kendall's tau-b between the two is below 0.2 in absolute value, or could well be chance (of 1,000
//!   random reorderings of one of them, more than 5 % are as far from 0).
//! - "generally very low (< 0.2)": at least three quarters of the similarities are below 0.2.
//! - "almost always tends to 0": at least nine in ten are between −0.2 and 0.2. Lists without a page in common are far
//!   below 0, which is not near it.
//! - "increases until level five, then drops": the mean of each level is above that of the level before, and below
//!   it after the fifth.

use std::fmt;

use serde::Serialize;
use webstrata_base::random::Random;

use super::analysis::{Analysis, Measured};
use crate::links::compare::tau_b;
use crate::links::judge::mean;

const LOW: f64 = 0.2;
const GENERALLY: f64 = 0.75;
const ALMOST_ALWAYS: f64 = 0.9;
const REORDERINGS: usize = 1_000;
const BY_CHANCE: f64 = 0.05;
/// Fewer categories than this say nothing about all.
const FEWEST: usize = 5;
/// Down to here the thesis saw precision increase.
const BEST_LEVEL: usize = 5;

/// A finding of the thesis, and what it is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What the thesis says.
    pub thesis: &'static str,
    /// What is measured.
    pub statistic: &'static str,
    /// What it is here.
    pub here: String,
    /// Does that agree?
    pub verdict: Verdict,
}

/// Whether a finding agrees with the thesis'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It does.
    Agrees,
    /// It does not.
    Differs,
    /// There is too little to tell.
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::Unknown => "unknown",
        })
    }
}

impl Verdict {
    fn of(agrees: bool) -> Verdict {
        if agrees { Verdict::Agrees } else { Verdict::Differs }
    }

    /// Of two that must both agree.
    fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Differs, _) | (_, Verdict::Differs) => Verdict::Differs,
            (Verdict::Unknown, _) | (_, Verdict::Unknown) => Verdict::Unknown,
            _ => Verdict::Agrees,
        }
    }
}

/// The seven findings in the order of the thesis, then one that its conclusions rest on.
pub fn findings(analysis: &Analysis, seed: u64) -> Vec<Finding> {
    let asked = Asked { rows: &analysis.categories, seed };
    let to_unbiased = |row: &Measured| Some(row.to_unbiased.tau);
    let to_parent = |row: &Measured| row.to_parent.map(|similarity| similarity.tau);
    let level = |row: &Measured| Some(row.level as f64);
    let size = |row: &Measured| Some(row.pages as f64);
    let out_links = |row: &Measured| Some(row.out_links as f64);
    let siblings = analysis.siblings.iter().map(|pair| pair.similarity.tau).collect::<Vec<_>>();
    vec![
        asked.unrelated(
            "no relationship between Kendall similarity and the category level",
            "tau-b of the level with the similarity to unbiased; to the parent",
            [("unbiased", asked.both(level, to_unbiased)), ("parent", asked.both(level, to_parent))],
        ),
        asked.unrelated(
            "the size of the biasing set correlates neither with Kendall similarity nor with MAP; nor do its out-links with MAP",
            "tau-b of the size with the similarity to unbiased; with MAP; of out-links with MAP",
            [
                ("similarity", asked.both(size, to_unbiased)),
                ("MAP", asked.both(size, map)),
                ("out-links", asked.both(out_links, map)),
            ],
        ),
        asked.by_level(),
        asked.unrelated(
            "MAP is not correlated with Kendall similarity",
            "tau-b of MAP with the similarity to unbiased",
            [("unbiased", asked.both(map, to_unbiased))],
        ),
        mostly(
            "Kendall similarity to unbiased almost always tends to 0",
            "share of categories between −0.2 and 0.2, at least 90 %",
            &asked.values(to_unbiased),
            |tau| tau.abs() < LOW,
            ALMOST_ALWAYS,
        ),
        mostly(
            "Kendall similarity of parent and child is generally very low (< 0.2)",
            "share of pairs below 0.2, at least 75 %",
            &asked.values(to_parent),
            |tau| tau < LOW,
            GENERALLY,
        ),
        mostly(
            "Kendall similarity of siblings is generally very low (< 0.2)",
            "share of pairs below 0.2, at least 75 %",
            &siblings,
            |tau| tau < LOW,
            GENERALLY,
        ),
        asked.better(),
    ]
}

fn map(row: &Measured) -> Option<f64> {
    row.quality.map(|gain| gain.biased.first)
}

/// Two values of each category.
type Columns = (Vec<f64>, Vec<f64>);

struct Asked<'a> {
    rows: &'a [Measured],
    seed: u64,
}

impl Asked<'_> {
    fn values(&self, of: impl Fn(&Measured) -> Option<f64>) -> Vec<f64> {
        self.rows.iter().filter_map(of).collect()
    }

    /// Two values of each category that has both.
    fn both(
        &self,
        a: impl Fn(&Measured) -> Option<f64>,
        b: impl Fn(&Measured) -> Option<f64>,
    ) -> Columns {
        self.rows.iter().filter_map(|row| a(row).zip(b(row))).unzip()
    }

    fn unrelated<const N: usize>(
        &self,
        thesis: &'static str,
        statistic: &'static str,
        asked: [(&str, Columns); N],
    ) -> Finding {
        let mut here = Vec::new();
        let mut verdict = Verdict::Agrees;
        for (name, (a, b)) in asked {
            if a.len() < FEWEST {
                here.push(format!("{name}: {} categories", a.len()));
                verdict = verdict.and(Verdict::Unknown);
                continue;
            }
            let (tau, chance) = (tau_b(&a, &b), self.chance(&a, &b));
            here.push(format!("{name} {tau:.2} (p {chance:.3})"));
            verdict = verdict.and(Verdict::of(tau.abs() < LOW || chance > BY_CHANCE));
        }
        Finding { thesis, statistic, here: here.join(", "), verdict }
    }

    /// How often a random order of one is as far from 0.
    fn chance(&self, a: &[f64], b: &[f64]) -> f64 {
        let found = tau_b(a, b).abs();
        let mut random = Random::for_purpose(self.seed, "chance");
        let mut b = b.to_vec();
        let as_far = (0..REORDERINGS).filter(|_| {
            random.shuffle(&mut b);
            tau_b(a, &b).abs() >= found - 1e-12
        });
        (1 + as_far.count()) as f64 / (1 + REORDERINGS) as f64
    }

    fn by_level(&self) -> Finding {
        let deepest = self.rows.iter().map(|row| row.level).max().unwrap_or(0);
        let means: Vec<(usize, f64)> = (1..=deepest)
            .filter_map(|level| {
                let of_level = self.rows.iter().filter(|row| row.level == level);
                Some((level, mean(of_level.map(map))?))
            })
            .collect();
        let as_said = |pair: &[(usize, f64)]| {
            if pair[1].0 <= BEST_LEVEL { pair[0].1 < pair[1].1 } else { pair[0].1 > pair[1].1 }
        };
        let verdict = match means.len() {
            0 | 1 => Verdict::Unknown,
            _ => Verdict::of(means.windows(2).all(as_said)),
        };
        let mut here: Vec<String> =
            means.iter().map(|(level, mean)| format!("level {level}: {mean:.3}")).collect();
        if deepest <= BEST_LEVEL {
            here.push(format!("no level beyond {BEST_LEVEL} to drop at"));
        }
        Finding {
            thesis: "MAP generally increases until level five, and then drops sharply",
            statistic: "mean MAP of the first ten by level",
            here: here.join(", "),
            verdict,
        }
    }

    fn better(&self) -> Finding {
        let gains: Vec<_> = self.rows.iter().filter_map(|row| row.quality).collect();
        let better = gains.iter().filter(|gain| gain.biased.first > gain.unbiased.first).count();
        let worse = gains.iter().filter(|gain| gain.biased.first < gain.unbiased.first).count();
        let biased = mean(gains.iter().map(|gain| Some(gain.biased.first))).unwrap_or(0.0);
        let unbiased = mean(gains.iter().map(|gain| Some(gain.unbiased.first))).unwrap_or(0.0);
        let verdict = match gains.len() {
            0..FEWEST => Verdict::Unknown,
            _ => Verdict::of(biased > unbiased && better > worse),
        };
        Finding {
            thesis: "bias improves the search (3.3.2)",
            statistic: "mean MAP of the first ten, biased and unbiased; categories that gain and lose",
            here: format!(
                "{biased:.3} and {unbiased:.3}; {better} gain, {worse} lose of {}",
                gains.len()
            ),
            verdict,
        }
    }
}

/// Whether a share of the values is as said.
fn mostly(
    thesis: &'static str,
    statistic: &'static str,
    values: &[f64],
    is: impl Fn(f64) -> bool,
    at_least: f64,
) -> Finding {
    let such = values.iter().filter(|value| is(**value)).count();
    let share = such as f64 / values.len().max(1) as f64;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let verdict = match values.len() {
        0..FEWEST => Verdict::Unknown,
        _ => Verdict::of(share >= at_least),
    };
    let percent = 100.0 * share;
    let here = match values.len() {
        0 => "nothing to compare".to_owned(),
        all => format!("{percent:.0} % ({such} of {all}), median {median:.2}"),
    };
    Finding { thesis, statistic, here, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::topics::{Gain, Precision, Siblings, Similarity};

    fn similarity(tau: f64) -> Similarity {
        Similarity { tau, ..Similarity::default() }
    }

    fn row(level: usize, pages: usize, to_unbiased: f64, map: f64) -> Measured {
        let precision = |first| Precision { first, whole: first };
        Measured {
            path: String::new(),
            level,
            parent: None,
            children: 0,
            siblings: 0,
            pages,
            out_links: 7,
            to_unbiased: similarity(to_unbiased),
            to_parent: (level > 1).then(|| similarity(0.1)),
            quality: Some(Gain { biased: precision(map), unbiased: precision(0.25) }),
        }
    }

    fn verdicts(analysis: &Analysis) -> Vec<Verdict> {
        findings(analysis, 1).iter().map(|finding| finding.verdict).collect()
    }

    #[test]
    fn pages_as_the_thesis_had_them() {
        // Neither size nor similarity follow the level or each other.
        let similarities = [0.1, 0.05, 0.12, 0.04, 0.11, 0.06, 0.1, 0.05];
        let rows = (0..24).map(|index| {
            let level = 1 + index % 6;
            let map = [0.3, 0.4, 0.5, 0.6, 0.7, 0.2][level - 1];
            row(level, 10 + (index * 7) % 11, similarities[(index / 6 + 3 * index) % 8], map)
        });
        let siblings = [(0, 6), (6, 12), (12, 18), (0, 12), (0, 18)].map(|(a, b)| Siblings {
            a,
            b,
            similarity: similarity(0.0),
        });
        let analysis = Analysis { categories: rows.collect(), siblings: siblings.to_vec() };
        assert_eq!(verdicts(&analysis), [Verdict::Agrees; 8], "{:#?}", findings(&analysis, 1));
    }

    #[test]
    fn pages_that_are_all_different() {
        // Similarity, size and precision fall from level to level.
        let rows = (0..30).map(|index| {
            let level = 1 + index / 10;
            let fall = (40 - index) as f64 / 40.0;
            Measured {
                to_parent: Some(similarity(fall)),
                ..row(level, 100 - index, fall, 0.2 * fall)
            }
        });
        let pair = |index| Siblings { a: index, b: index + 1, similarity: similarity(0.5) };
        let analysis =
            Analysis { categories: rows.collect(), siblings: (0..9).map(pair).collect() };
        assert_eq!(verdicts(&analysis), [Verdict::Differs; 8], "{:#?}", findings(&analysis, 1));
    }

    #[test]
    fn far_below_0_is_not_near_0() {
        let analysis = |to_unbiased: f64| Analysis {
            categories: (0..10).map(|at| row(1, 10 + at, to_unbiased, 0.5)).collect(),
            siblings: Vec::new(),
        };
        let near = |to_unbiased: f64| findings(&analysis(to_unbiased), 1)[4].verdict;
        assert_eq!([0.19, -0.19].map(near), [Verdict::Agrees; 2]);
        assert_eq!([0.21, -0.21, -0.5].map(near), [Verdict::Differs; 3]);
    }

    #[test]
    fn too_few_categories() {
        let empty = Analysis { categories: Vec::new(), siblings: Vec::new() };
        assert_eq!(verdicts(&empty), [Verdict::Unknown; 8]);
        let one = Analysis { categories: vec![row(1, 3, 0.1, 0.5)], siblings: Vec::new() };
        assert_eq!(verdicts(&one), [Verdict::Unknown; 8]);
    }
}
