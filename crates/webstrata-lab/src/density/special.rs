//! The special functions that the models need, to about twelve digits.
//!
//! `statrs` has them too, with a tree of dependencies of its own; these are tested against scipy's.

use std::f64::consts::PI;

/// Lanczos' coefficients for g = 7 and nine terms (Godfrey, 2001).
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// The logarithm of the gamma function, for positive numbers.
pub(super) fn ln_gamma(x: f64) -> f64 {
    if x < 0.5 {
        // The reflection formula: the series is good from a half on.
        return (PI / (PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let term = |(i, coefficient): (usize, &f64)| coefficient / (x + (i + 1) as f64);
    let series = LANCZOS[0] + LANCZOS[1..].iter().enumerate().map(term).sum::<f64>();
    let base = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * base.ln() - base + series.ln()
}

/// The logarithm of the beta function, for positive numbers.
pub(super) fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// The probability that a chi-squared variable is above `value`.
pub(super) fn chi_squared_tail(value: f64, degrees: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    upper_gamma(degrees / 2.0, value / 2.0).clamp(0.0, 1.0)
}

/// The regularised upper incomplete gamma function: a series below its mean, Lentz' continued
/// fraction above (Numerical Recipes, 6.2).
fn upper_gamma(a: f64, x: f64) -> f64 {
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        for i in 1..MAX_TERMS {
            term *= x / (a + i as f64);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - front * sum;
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / f64::MIN_POSITIVE;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..MAX_TERMS {
        let i = i as f64;
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b);
        c = away_from_zero(b + numerator / c);
        let factor = d * c;
        fraction *= factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    front * fraction
}

/// Both expansions need some √a terms.
const MAX_TERMS: usize = 10_000;

fn away_from_zero(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ours: f64, scipy: f64) {
        assert!((ours - scipy).abs() <= 1e-11 * scipy.abs().max(1.0), "{ours} is not {scipy}");
    }

    #[test]
    fn gamma_and_beta_are_scipys() {
        check(ln_gamma(1.0), 0.0);
        check(ln_gamma(0.5), PI.sqrt().ln());
        check(ln_gamma(1e-3), 6.907_178_885_383_853);
        check(ln_gamma(0.109_89), 2.154_281_834_572_414);
        check(ln_gamma(10.0), 362_880f64.ln());
        check(ln_gamma(2652.53), 18_255.055_334_735_05);
        check(ln_beta(68.03, 132.5), -129.429_373_771_029_08);
        check(ln_beta(4.034, 54.49), -14.403_323_262_186_317);
    }

    #[test]
    fn chi_squared_tails_are_scipys() {
        check(chi_squared_tail(14.2394, 13.0), 0.357_202_956_578_774_1);
        check(chi_squared_tail(3.84, 1.0), 0.050_043_521_248_705_19);
        check(chi_squared_tail(0.1, 10.0), 0.999_999_997_502_048_7);
        check(chi_squared_tail(500.0, 20.0), 2.910_266_873_027_274e-93);
        check(chi_squared_tail(0.0, 3.0), 1.0);
        assert_eq!(chi_squared_tail(f64::MAX, 3.0), 0.0);
    }
}
