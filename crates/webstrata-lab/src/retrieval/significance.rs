//! Is one ranking better than another, or was it luck of the queries?
//!
//! Both are measured on the same queries, so their differences are: the interval is that of the mean difference over
//! queries drawn anew with replacement (paired bootstrap, percentiles), the p-value the share of random signs of the
//! differences that give a mean as far from 0 (paired randomisation).

use serde::{Deserialize, Serialize};
use webstrata_base::random::Random;

/// How often queries are drawn and signs are thrown.
pub const DRAWS: usize = 2_000;

/// A mean difference and how sure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The mean of the differences.
    pub mean: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How often chance alone gives such a difference.
    pub p: f64,
}

impl Difference {
    /// The difference of `a` and `b`, which are values of the same queries in the same order. What one of them has
    /// more is left out.
    pub fn of(a: &[f64], b: &[f64], seed: u64) -> Difference {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        if differences.is_empty() {
            return Difference { p: 1.0, ..Difference::default() };
        }
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let mut random = Random::for_purpose(seed, "bootstrap");
        let mut means: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let drawn =
                    (0..differences.len()).map(|_| differences[random.below(differences.len())]);
                drawn.sum::<f64>() / count
            })
            .collect();
        means.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| means[((DRAWS - 1) as f64 * share).round() as usize];
        Difference { mean, low: at(0.025), high: at(0.975), p: p_value(&differences, mean, seed) }
    }

    /// The mean, the ends of the interval and p as they are shown: a sign where there is a difference.
    pub fn shown(&self) -> [String; 3] {
        let [mean, low, high] = [self.mean, self.low, self.high].map(signed);
        [mean, format!("{low} to {high}"), format!("{:.3}", self.p)]
    }

    /// Is 0 outside of the interval?
    pub fn is_sure(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Four decimals with a sign; none where they are all 0.
fn signed(value: f64) -> String {
    let text = format!("{value:+.4}");
    let is_zero = !text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if is_zero { text[1..].to_owned() } else { text }
}

fn p_value(differences: &[f64], mean: f64, seed: u64) -> f64 {
    // Queries without a difference have no sign.
    let signed: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    let limit = (mean * differences.len() as f64).abs() - 1e-9;
    let mut random = Random::for_purpose(seed, "signs");
    let as_far = (0..DRAWS)
        .filter(|_| {
            let mut bits = 0;
            let sum: f64 = signed
                .iter()
                .enumerate()
                .map(|(index, value)| {
                    if index % 64 == 0 {
                        bits = random.bits();
                    }
                    let sign = bits & 1;
                    bits >>= 1;
                    if sign == 1 { *value } else { -value }
                })
                .sum();
            sum.abs() >= limit
        })
        .count();
    // What was observed is one of the ways to throw the signs.
    (as_far + 1) as f64 / (DRAWS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_zero_is_negative() {
        let shown = Difference { mean: -0.00003, low: -0.0, high: 0.00004, p: 0.5 }.shown();
        assert_eq!(shown, ["0.0000", "0.0000 to 0.0000", "0.500"]);
        let shown = Difference { mean: -0.00006, low: -0.5, high: 0.25, p: 0.5 }.shown();
        assert_eq!(shown, ["-0.0001", "-0.5000 to +0.2500", "0.500"]);
    }

    #[test]
    fn the_same_is_no_different() {
        let same = Difference::of(&[0.5; 40], &[0.5; 40], 1);
        assert_eq!((same.mean, same.low, same.high, same.p), (0.0, 0.0, 0.0, 1.0));
        assert!(!same.is_sure());
        assert_eq!(Difference::of(&[], &[], 1).p, 1.0);
    }

    #[test]
    fn a_large_difference_is_sure_and_one_query_is_not() {
        let better: Vec<f64> =
            (0..100).map(|query| if query % 4 == 0 { 0.5 } else { 1.0 }).collect();
        let difference = Difference::of(&better, &[0.5; 100], 1);
        assert!(difference.is_sure() && difference.p < 0.01, "{difference:?}");
        assert!(difference.low < difference.mean && difference.mean < difference.high);
        let mut once = vec![0.5; 100];
        once[7] = 1.0;
        let luck = Difference::of(&once, &[0.5; 100], 1);
        assert!(!luck.is_sure() && luck.p > 0.9, "{luck:?}");
    }

    #[test]
    fn signs_thrown_at_random_are_those_of_all_throws() {
        // Of the 2^6 ways, those whose sum is at least as far from 0.
        let differences = [0.3, 0.1, -0.2, 0.4, 0.2, 0.1];
        let sum: f64 = differences.iter().sum();
        let ways = (0..64_u32).filter(|way| {
            let thrown = differences.iter().enumerate();
            let thrown: f64 =
                thrown.map(|(at, value)| if way >> at & 1 == 1 { *value } else { -value }).sum();
            thrown.abs() >= sum.abs() - 1e-9
        });
        let exact = ways.count() as f64 / 64.0;
        let found = Difference::of(&differences, &[0.0; 6], 1).p;
        assert!((found - exact).abs() < 0.03, "{found} {exact}");
    }
}
