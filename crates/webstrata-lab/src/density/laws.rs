//! Power laws: Zipf's (4.3), its extension by Lavalette, and Menzerath's and Altmann's (4.11, 4.12).
//!
//! All are linear in their factor and their constant, which are solved exactly for each exponent; only
//! exponents are searched for (variable projection, Golub and Pereyra, 1973).

use super::fit::{Found, Method};
use super::solve::least_squares;
use super::{DensityModel, FitError, Histogram};

/// What a power law is a power of.
pub(super) fn base(model: DensityModel, ranks: f64, x: f64) -> f64 {
    match model {
        DensityModel::RatioPowerLaw => x / (1.0 - x),
        DensityModel::Lavalette => ranks * x / (ranks + 1.0 - x),
        _ => x,
    }
}

/// `factor · base^-exponent`.
pub(super) fn power(values: &[f64], base: f64) -> f64 {
    let &[factor, exponent] = values else { return 0.0 };
    if base > 0.0 { factor * base.powf(-exponent) } else { 0.0 }
}

/// Equation 4.12 (three values) and 4.11 up to its a₂ (five values), as printed.
pub(super) fn menzerath(values: &[f64], x: f64) -> f64 {
    match *values {
        [factor, a1, constant] => factor * x.powf(a1) + constant,
        [factor, a0, a1, a2, constant] => factor * (a1 * x.ln() - a0 * x - a2 / x).exp() + constant,
        _ => 0.0,
    }
}

pub(super) fn check(model: DensityModel, histogram: &Histogram) -> Result<(), FitError> {
    let (is_known, takes): (fn(f64, f64) -> bool, _) = match model {
        DensityModel::RatioPowerLaw => (|x, _| x > 0.0 && x < 1.0, "positions between 0 and 1"),
        DensityModel::Lavalette => (|x, last| x >= 1.0 && x <= last, "ranks (1, 2, 3, …)"),
        _ => (|x, _| x > 0.0, "positions above 0"),
    };
    let last = histogram.limit();
    match histogram.points().iter().find(|(x, _)| !is_known(*x, last)) {
        None => Ok(()),
        Some((x, _)) => Err(FitError::Position { model: model.name(), position: *x, takes }),
    }
}

/// Zipf, Lavalette and the ratio's law.
pub(super) fn fit_power(model: DensityModel, histogram: &Histogram) -> Option<Found> {
    let ranks = histogram.limit();
    let logarithms = |x: f64| base(model, ranks, x).ln();
    let points: Vec<(f64, f64)> =
        histogram.points().iter().map(|(x, y)| (logarithms(*x), *y)).collect();
    let starts = starts(histogram, &|thin| fit_power(model, thin), &|found| vec![found[1]], || {
        let slope = slope_of_logarithms(&points).map(|slope| -slope);
        [0.3, 0.7, 1.0, 2.0, -0.5].into_iter().chain(slope).map(|b| vec![b]).collect()
    });
    let end = least_squares(&starts, points.len(), |at, out| {
        for ((ln, _), out) in points.iter().zip(out.iter_mut()) {
            *out = (-at[0] * ln).exp();
        }
        let factor = factor_for(out, &points);
        for ((_, y), out) in points.iter().zip(out) {
            *out = factor * *out - y;
        }
    })?;
    let exponent = end.at[0];
    let heights: Vec<f64> = points.iter().map(|(ln, _)| (-exponent * ln).exp()).collect();
    let constant = (model == DensityModel::Lavalette).then_some(("ranks", ranks));
    found(vec![factor_for(&heights, &points), exponent], constant)
}

/// Equation 4.12.
pub(super) fn fit_menzerath(histogram: &Histogram) -> Option<Found> {
    let points: Vec<(f64, f64)> = histogram.points().iter().map(|(x, y)| (x.ln(), *y)).collect();
    // (xᵃ − 1) / a instead of xᵃ: as a goes to 0 this becomes ln x, while xᵃ becomes the constant. The
    // thesis' a₁ = 7.5·10⁻⁷ for text density is such a case.
    let term = |a: f64, ln: f64| (a * ln).exp_m1() / a;
    let starts = starts(histogram, &fit_menzerath, &|found| vec![found[1]], || {
        [-2.0, -1.0, -0.5, -0.1, 0.05, 0.5, 1.0, 2.0].map(|a| vec![a]).to_vec()
    });
    let end = least_squares(&starts, points.len(), |at, out| {
        let a = away_from_zero(at[0]);
        project(&points, out, |ln| term(a, ln));
    })?;
    let a = away_from_zero(end.at[0]);
    let terms: Vec<f64> = points.iter().map(|(ln, _)| term(a, *ln)).collect();
    let (factor, constant) = line_for(&points, &terms);
    found(vec![factor / a, a, constant - factor / a], None)
}

/// Equation 4.11 with a₀, a₁ and a₂.
pub(super) fn fit_general_menzerath(histogram: &Histogram) -> Option<Found> {
    let points = histogram.points();
    let (&(first, _), &(last, _)) = (points.first()?, points.last()?);
    // a₀ and a₂ in units in which their terms are about 1 where they matter.
    let exponents = |at: &[f64]| (at[0] / last, at[1], at[2] * first);
    let term = |at: &[f64], x: f64| {
        let (a0, a1, a2) = exponents(at);
        a1 * x.ln() - a0 * x - a2 / x
    };
    let folded = |found: &[f64]| vec![found[1] * last, found[2], found[3] / first];
    let starts = starts(histogram, &fit_general_menzerath, &folded, || {
        let ends = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.0)];
        let exponents = [-1.0, -0.3, 0.1, 0.5, 1.0];
        let with = |a1: f64| ends.map(|(a0, a2)| vec![a0, a1, a2]);
        exponents.into_iter().flat_map(with).collect()
    });
    // The largest term is 1 while searching, so that none overflows.
    let highest =
        |at: &[f64]| points.iter().map(|(x, _)| term(at, *x)).fold(f64::NEG_INFINITY, f64::max);
    let end = least_squares(&starts, points.len(), |at, out| {
        let highest = highest(at);
        project(points, out, |x| (term(at, x) - highest).exp());
    })?;
    let highest = highest(&end.at);
    let terms: Vec<f64> = points.iter().map(|(x, _)| (term(&end.at, *x) - highest).exp()).collect();
    let (factor, constant) = line_for(points, &terms);
    let (a0, a1, a2) = exponents(&end.at);
    found(vec![factor * (-highest).exp(), a0, a1, a2, constant], None)
}

fn found(values: Vec<f64>, constant: Option<(&'static str, f64)>) -> Option<Found> {
    Some(Found { method: Method::LeastSquares, values, constant, log_likelihood: None })
}

fn away_from_zero(a: f64) -> f64 {
    if a.abs() < 1e-9 { 1e-9_f64.copysign(a) } else { a }
}

/// The factor by which heights come nearest to the points.
pub(super) fn factor_for(heights: &[f64], points: &[(f64, f64)]) -> f64 {
    let both: f64 = heights.iter().zip(points).map(|(height, (_, y))| height * y).sum();
    let own: f64 = heights.iter().map(|height| height * height).sum();
    both / own
}

/// Factor and constant of the line y = factor · term + constant.
fn line_for(points: &[(f64, f64)], terms: &[f64]) -> (f64, f64) {
    let count = points.len() as f64;
    let term_mean = terms.iter().sum::<f64>() / count;
    let mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let (mut both, mut own) = (0.0, 0.0);
    for ((_, y), term) in points.iter().zip(terms) {
        let term = term - term_mean;
        both += term * (y - mean);
        own += term * term;
    }
    let factor = if own > 0.0 { both / own } else { 0.0 };
    (factor, mean - factor * term_mean)
}

/// Writes what the best line leaves of the points.
fn project(points: &[(f64, f64)], out: &mut [f64], term: impl Fn(f64) -> f64) {
    for ((x, _), out) in points.iter().zip(out.iter_mut()) {
        *out = term(*x);
    }
    let (factor, constant) = line_for(points, out);
    for ((_, y), out) in points.iter().zip(out) {
        *out = factor * *out + constant - y;
    }
}

/// Points from which on a search begins with fewer of them.
const MANY: usize = 5000;

/// Where to search from. Of a long sequence of ranks some hundred, evenly on a logarithmic axis, say so
/// much that the whole needs one start only: a corpus has millions of segments.
fn starts(
    histogram: &Histogram,
    fit: &dyn Fn(&Histogram) -> Option<Found>,
    folded: &dyn Fn(&[f64]) -> Vec<f64>,
    guesses: impl FnOnce() -> Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    if histogram.points().len() > MANY
        && let Some(found) = fit(&histogram.thinned(MANY / 10))
    {
        return vec![folded(&found.values)];
    }
    guesses()
}

/// The slope of the straight line that a power law is on logarithmic axes.
fn slope_of_logarithms(points: &[(f64, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> =
        points.iter().filter(|(_, y)| *y > 0.0).map(|(ln, y)| (*ln, y.ln())).collect();
    let terms: Vec<f64> = logarithms.iter().map(|(ln, _)| *ln).collect();
    let (slope, _) = line_for(&logarithms, &terms);
    slope.is_finite().then_some(slope)
}
