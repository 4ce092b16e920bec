//! A model with its parameters, and how good it is.

use super::special::chi_squared_tail;
use super::{DensityModel, FitError, Histogram};

/// How the parameters were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The least sum of squared differences to the histogram, as the thesis fits its curves.
    LeastSquares,
    /// The parameters under which what was counted is most likely.
    MaximumLikelihood,
}

impl Method {
    /// The method in words.
    pub fn name(self) -> &'static str {
        match self {
            Method::LeastSquares => "least squares",
            Method::MaximumLikelihood => "maximum likelihood",
        }
    }
}

/// A model fitted to a histogram. All numbers in it are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What was fitted.
    pub model: DensityModel,
    /// How.
    pub method: Method,
    /// The parameters by the names that the thesis gives them.
    pub parameters: Vec<(&'static str, f64)>,
    /// What the histogram decides rather than the fit: x_norm of the Beta distributions, the number of
    /// ranks of Lavalette's law, n of the negative hypergeometric distribution.
    pub constant: Option<(&'static str, f64)>,
    /// How near the model is to the histogram.
    pub goodness: Goodness,
    /// The test against counts, for the negative hypergeometric distribution.
    pub chi_squared: Option<ChiSquared>,
    /// The logarithm of the likelihood for an observation, where the likelihood was maximised.
    pub log_likelihood: Option<f64>,
}

/// How near a curve is to points, as MATLAB's curve fitting toolbox defines it (and so the thesis).
///
/// With n points, m parameters, SSE the sum of the squared differences and SST that around the mean of
/// the points: R² = 1 − SSE / SST, adjusted R² = 1 − SSE (n − 1) / (SST (n − m)) and
/// RMSE = √(SSE / (n − m)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goodness {
    /// n, the number of points.
    pub points: usize,
    /// m, the number of parameters.
    pub parameters: usize,
    /// The sum of the squared differences.
    pub squares: f64,
    /// The share of the variance that the model explains; below 0 if the mean is better.
    pub r2: f64,
    /// The same, less what parameters explain by being many.
    pub adjusted_r2: f64,
    /// The root of the mean squared difference.
    pub rmse: f64,
}

impl Goodness {
    /// Compares `curve` with points.
    pub fn of(
        points: &[(f64, f64)],
        parameters: usize,
        curve: impl Fn(f64) -> f64,
    ) -> Option<Goodness> {
        let n = points.len();
        let free = n.checked_sub(parameters).filter(|free| *free > 0)? as f64;
        let mean = points.iter().map(|(_, y)| y).sum::<f64>() / n as f64;
        let squares: f64 = points.iter().map(|(x, y)| (y - curve(*x)).powi(2)).sum();
        let total: f64 = points.iter().map(|(_, y)| (y - mean).powi(2)).sum();
        let goodness = Goodness {
            points: n,
            parameters,
            squares,
            r2: 1.0 - squares / total,
            adjusted_r2: 1.0 - squares / total * ((n - 1) as f64 / free),
            rmse: (squares / free).sqrt(),
        };
        let all = [squares, goodness.r2, goodness.adjusted_r2, goodness.rmse];
        all.iter().all(|value| value.is_finite()).then_some(goodness)
    }
}

/// Pearson's test of a distribution against counts.
///
/// As in the Altmann-Fitter, whose output Figure 4.12 shows: classes of which less than one is expected
/// are pooled with their neighbour, from the far end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquared {
    /// Σ (observed − expected)² / expected.
    pub statistic: f64,
    /// Classes after pooling − 1 − parameters.
    pub degrees: usize,
    /// The probability of a larger statistic if the distribution were true; large is good.
    pub probability: f64,
    /// The statistic by the number of observations (the thesis' C), which does not grow with them.
    pub coefficient: f64,
}

impl ChiSquared {
    /// Compares pairs of observed and expected counts; `None` where no degree of freedom is left.
    pub fn of(
        pairs: impl IntoIterator<Item = (f64, f64)>,
        parameters: usize,
    ) -> Option<ChiSquared> {
        let classes = pooled(pairs);
        let degrees = classes.len().checked_sub(parameters + 1).filter(|degrees| *degrees > 0)?;
        let total: f64 = classes.iter().map(|(observed, _)| observed).sum();
        let term = |(observed, expected): &(f64, f64)| (observed - expected).powi(2) / expected;
        let statistic: f64 = classes.iter().map(term).sum();
        let test = ChiSquared {
            statistic,
            degrees,
            probability: chi_squared_tail(statistic, degrees as f64),
            coefficient: statistic / total,
        };
        let all = [statistic, test.probability, test.coefficient];
        all.iter().all(|value| value.is_finite()).then_some(test)
    }
}

/// Pairs with at least 1 expected in each, neighbours together.
pub(super) fn pooled(pairs: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    let mut classes: Vec<(f64, f64)> = Vec::new();
    let mut rest = (0.0, 0.0);
    while let Some((observed, expected)) = pairs.pop() {
        rest = (rest.0 + observed, rest.1 + expected);
        if rest.1 >= 1.0 {
            classes.push(std::mem::take(&mut rest));
        }
    }
    if let Some(first) = classes.last_mut() {
        *first = (first.0 + rest.0, first.1 + rest.1);
    }
    classes.reverse();
    classes
}

impl Fit {
    /// The height of the model at a position; 0 where it has none.
    pub fn at(&self, x: f64) -> f64 {
        let values: Vec<f64> = self.parameters.iter().map(|(_, value)| *value).collect();
        let height = self.model.height(&values, self.constant.map_or(0.0, |(_, value)| value), x);
        if height.is_finite() { height } else { 0.0 }
    }

    /// The parameter of a name.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// What the parts of a mixture add to the height at a position, by name; empty for other models.
    pub fn parts(&self, x: f64) -> Vec<(&'static str, f64)> {
        let values: Vec<f64> = self.parameters.iter().map(|(_, value)| *value).collect();
        let constant = self.constant.map_or(0.0, |(_, value)| value);
        let mut parts = self.model.parts(&values, constant, x);
        parts.iter_mut().filter(|(_, height)| !height.is_finite()).for_each(|part| part.1 = 0.0);
        parts
    }
}

/// A fit before it is judged.
pub(super) struct Found {
    pub(super) method: Method,
    pub(super) values: Vec<f64>,
    pub(super) constant: Option<(&'static str, f64)>,
    pub(super) log_likelihood: Option<f64>,
}

impl Found {
    /// The judged fit, which has no number that is not finite.
    pub(super) fn judge(self, model: DensityModel, histogram: &Histogram) -> Result<Fit, FitError> {
        let unjudged = FitError::NoParameters { model: model.name() };
        let constant = self.constant.map_or(0.0, |(_, value)| value);
        let curve = |x: f64| model.height(&self.values, constant, x);
        let goodness = Goodness::of(histogram.points(), model.free_parameters(), curve);
        let goodness = goodness.ok_or(unjudged.clone())?;
        if self.values.iter().any(|value| !value.is_finite()) {
            return Err(unjudged);
        }
        let parameters = model.parameter_names().iter().copied().zip(self.values).collect();
        Ok(Fit {
            model,
            method: self.method,
            parameters,
            constant: self.constant,
            goodness,
            chi_squared: None,
            log_likelihood: self.log_likelihood.filter(|value| value.is_finite()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodness_is_matlabs() {
        // y = x at (0, 0), (1, 1), (2, 2), (3, 4): SSE = 1, SST = 8.75, n - m = 2.
        let points = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 4.0)];
        let goodness = Goodness::of(&points, 2, |x| x).unwrap();
        assert_eq!(goodness.squares, 1.0);
        assert!((goodness.r2 - (1.0 - 1.0 / 8.75)).abs() < 1e-15);
        assert!((goodness.adjusted_r2 - (1.0 - 3.0 / (8.75 * 2.0))).abs() < 1e-15);
        assert!((goodness.rmse - 0.5f64.sqrt()).abs() < 1e-15);
        assert_eq!(Goodness::of(&points, 4, |x| x), None);
        assert_eq!(Goodness::of(&[(1.0, 2.0), (2.0, 2.0)], 1, |x| x), None);
    }

    #[test]
    fn rare_classes_are_pooled_from_the_far_end() {
        let pairs = [(1.0, 0.2), (5.0, 4.0), (2.0, 1.5), (0.0, 0.75), (3.0, 0.5)];
        assert_eq!(pooled(pairs), [(6.0, 4.2), (2.0, 1.5), (3.0, 1.25)]);
        assert_eq!(pooled([(1.0, 0.5)]), []);
    }
}
