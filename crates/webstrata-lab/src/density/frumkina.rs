//! The negative hypergeometric distribution (Equation 4.2, Frumkina's law), for the quotients of the
//! densities of neighbours (Equation 4.9, Figures 4.3 and 4.12).

use super::fit::{ChiSquared, Found, Method, pooled};
use super::solve::{least_squares, positive};
use super::special::{ln_beta, ln_gamma};
use super::{DensityModel, FitError, Histogram};

/// P of the class x = 1, 2, …, n + 1: the thesis' classes begin with 1, the equation with 0.
///
/// Negative binomial coefficients rewritten: it is the Beta-binomial distribution of M and K − M.
pub(super) fn height(values: &[f64], n: f64, x: f64) -> f64 {
    let &[k, m] = values else { return 0.0 };
    let x = x - 1.0;
    if !(0.0..=n).contains(&x) {
        return 0.0;
    }
    let ways = ln_gamma(n + 1.0) - ln_gamma(x + 1.0) - ln_gamma(n - x + 1.0);
    (ways + ln_beta(x + m, n - x + k - m) - ln_beta(m, k - m)).exp()
}

pub(super) fn check(model: DensityModel, histogram: &Histogram) -> Result<(), FitError> {
    match histogram.points().iter().find(|(x, _)| !(1.0..=MOST).contains(x) || x.fract() != 0.0) {
        None => Ok(()),
        Some((x, _)) => Err(FitError::Position {
            model: model.name(),
            position: *x,
            takes: "classes (1, 2, 3, … up to 100,000)",
        }),
    }
}

/// More classes than densities could ever give.
const MOST: f64 = 1e5;

/// K and M.
const PARAMETERS: usize = 2;

/// The least chi-squared, with rare classes pooled. Where no parameters leave more classes than there
/// are parameters, there is too little to fit.
pub(super) fn fit(model: DensityModel, counts: &Histogram) -> Result<Option<Found>, FitError> {
    let n = counts.limit() - 1.0;
    let total = counts.total();
    let Some(classes) = classes(counts) else { return Ok(None) };
    let points = classes.points();
    let mut starts = Vec::new();
    for m in [0.03, 0.1, 0.5, 2.0] {
        for rest in [0.5, 2.0, 8.0, 30.0] {
            starts.push(vec![f64::ln(m), f64::ln(rest)]);
        }
    }
    let values = |at: &[f64]| {
        let (m, rest) = (positive(at[0]), positive(at[1]));
        [m + rest, m]
    };
    let pooled =
        |values: &[f64]| pooled(points.iter().map(|(x, y)| (*y, total * height(values, n, *x))));
    let end = least_squares(&starts, points.len(), |at, out| {
        let classes = pooled(&values(at));
        if classes.len() <= PARAMETERS {
            // Else parameters that pool everything would fit everything.
            out.fill(total);
            return;
        }
        out.fill(0.0);
        for ((observed, expected), out) in classes.into_iter().zip(out) {
            *out = (observed - expected) / expected.sqrt();
        }
    });
    let Some(end) = end else { return Ok(None) };
    let values = values(&end.at).to_vec();
    let (found, needed) = (pooled(&values).len(), PARAMETERS + 1);
    if found < needed {
        return Err(FitError::TooFewPoints { model: model.name(), needed, found });
    }
    let method = Method::LeastSquares;
    Ok(Some(Found { method, values, constant: Some(("n", n)), log_likelihood: None }))
}

/// Pearson's test with three parameters: the Altmann-Fitter counts n among them.
pub(super) fn test(values: &[f64], n: f64, counts: &Histogram) -> Option<ChiSquared> {
    let total = counts.total();
    let classes = classes(counts)?;
    let expected = |(x, y): &(f64, f64)| (*y, total * height(values, n, *x));
    ChiSquared::of(classes.points().iter().map(expected), 3)
}

/// All classes from the first, those that do not occur as well: something is expected of them, too.
fn classes(counts: &Histogram) -> Option<Histogram> {
    let points = counts.points().iter().copied().chain([(1.0, 0.0)]);
    Some(Histogram::new(points).ok()?.filled())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_classes_are_too_few_when_they_are_pooled() {
        let fit = DensityModel::NegativeHypergeometric
            .fit(&Histogram::of_counts(&[0, 1, 0, 0, 0, 1, 0, 0]));
        assert!(
            matches!(fit, Err(FitError::OneBin { .. } | FitError::TooFewPoints { .. })),
            "{fit:?}"
        );
    }

    #[test]
    fn classes_that_do_not_occur_are_expected_nevertheless() {
        let classes = classes(&Histogram::of_counts(&[0, 0, 5, 0, 2])).unwrap();
        assert_eq!(classes.points(), [(1.0, 0.0), (2.0, 5.0), (3.0, 0.0), (4.0, 2.0)]);
    }
}
