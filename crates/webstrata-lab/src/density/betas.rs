//! Beta distributions over a scale that ends at x_norm: one, three (Equation 4.17), and two with a normal
//! distribution between them (Equation 4.18).
//!
//! Each Beta has a single mode inside the scale (a and b above 1), as the thesis assumes of both its
//! classes; no part may be narrower than a bin, or it would explain one bin and nothing else.

use std::f64::consts::PI;

use super::fit::{Found, Method};
use super::laws::factor_for;
use super::solve::{fraction, least_squares, positive, unfolded};
use super::special::ln_beta;
use super::{DensityModel, FitError, Histogram};

/// Equation 4.15; 0 outside of the scale and at its ends.
pub(super) fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    ((a - 1.0) * x.ln() + (b - 1.0) * (-x).ln_1p() - ln_beta(a, b)).exp()
}

/// Of `[a, b, c]`.
pub(super) fn one(values: &[f64], x_norm: f64, x: f64) -> f64 {
    let &[a, b, c] = values else { return 0.0 };
    c * beta(x / x_norm, a, b)
}

/// Of `[a1, b1, a2, b2, a3, b3, c]`: the parts, each with a third of the weight.
pub(super) fn three(values: &[f64], x_norm: f64, x: f64) -> [f64; 3] {
    let &[a1, b1, a2, b2, a3, b3, c] = values else { return [0.0; 3] };
    [(a1, b1), (a2, b2), (a3, b3)].map(|(a, b)| c / 3.0 * beta(x / x_norm, a, b))
}

/// Of `[a1, b1, a2, b2, c, d, e, f, mu, sigma]`: dense text, sparse text, and what is between.
pub(super) fn with_normal(values: &[f64], x_norm: f64, x: f64) -> [f64; 3] {
    let &[a1, b1, a2, b2, c, d, e, f, mu, sigma] = values else { return [0.0; 3] };
    let x = x / x_norm;
    let deviation = (e * x + f - mu) / sigma;
    let normal = (-0.5 * deviation * deviation).exp() / (sigma * (2.0 * PI).sqrt());
    [c * d * beta(x, a1, b1), c * (1.0 - d) * beta(x, a2, b2), (1.0 - c) * normal]
}

pub(super) fn check(model: DensityModel, histogram: &Histogram) -> Result<(), FitError> {
    match histogram.points().iter().find(|(x, _)| *x < 0.0) {
        None => Ok(()),
        Some((x, _)) => Err(FitError::Position {
            model: model.name(),
            position: *x,
            takes: "positions of 0 and more",
        }),
    }
}

/// The histogram on the scale from 0 to 1, and how far its bins are apart there.
struct Scale {
    points: Vec<(f64, f64)>,
    x_norm: f64,
    gap: f64,
    narrowest: f64,
}

impl Scale {
    fn of(shares: &Histogram) -> Option<Scale> {
        let x_norm = shares.limit();
        let points: Vec<(f64, f64)> =
            shares.points().iter().map(|(x, y)| (x / x_norm, *y)).collect();
        let (first, last) = (points.first()?.0, points.last()?.0);
        let gap = (last - first) / (points.len() - 1) as f64;
        (gap > 0.0).then_some(Scale { points, x_norm, gap, narrowest: 0.4 * gap })
    }

    /// a and b from a folded mode and a folded concentration.
    fn shape(&self, at: &[f64]) -> (f64, f64) {
        let mode = fraction(at[0]);
        let concentration = self.highest_concentration() * fraction(at[1]);
        (1.0 + mode * concentration, 1.0 + (1.0 - mode) * concentration)
    }

    /// Where the standard deviation is that of the narrowest part, at the most, in the middle.
    fn highest_concentration(&self) -> f64 {
        (0.25 / (self.narrowest * self.narrowest)).max(10.0)
    }

    /// The folded shape with the moments of the points between two places.
    fn shape_between(&self, first: f64, last: f64) -> [f64; 2] {
        let part = self.points.iter().filter(|(x, _)| (first..=last).contains(x));
        let (mut weight, mut sum) = (0.0, 0.0);
        part.clone().for_each(|(x, y)| (weight, sum) = (weight + y, sum + x * y));
        let mean = if weight > 0.0 { sum / weight } else { 0.5 * (first + last) };
        let mean = mean.clamp(0.01, 0.99);
        let spread: f64 = part.map(|(x, y)| (x - mean) * (x - mean) * y).sum();
        let variance = if weight > 0.0 { spread / weight } else { 0.0 };
        let variance = variance.max(self.gap * self.gap);
        let concentration = (mean * (1.0 - mean) / variance - 3.0).max(1.0);
        [unfolded(mean), unfolded(concentration / self.highest_concentration())]
    }

    /// Where the given part of the weight lies below.
    fn quantile(&self, part: f64) -> f64 {
        let mut sum = 0.0;
        let reached = |(_, y): &&(f64, f64)| {
            sum += y;
            sum >= part
        };
        self.points.iter().find(reached).map_or(0.5, |(x, _)| *x)
    }

    fn found(&self, values: Vec<f64>) -> Option<Found> {
        let constant = Some(("x_norm", self.x_norm));
        Some(Found { method: Method::LeastSquares, values, constant, log_likelihood: None })
    }

    /// Writes what the nearest multiple of `height` leaves of the points.
    fn project(&self, out: &mut [f64], height: impl Fn(f64) -> f64) {
        for ((x, _), out) in self.points.iter().zip(out.iter_mut()) {
            *out = height(*x);
        }
        let factor = factor_for(out, &self.points);
        for ((_, y), out) in self.points.iter().zip(out) {
            *out = factor * *out - y;
        }
    }

    fn factor(&self, height: impl Fn(f64) -> f64) -> f64 {
        let heights: Vec<f64> = self.points.iter().map(|(x, _)| height(*x)).collect();
        factor_for(&heights, &self.points)
    }
}

pub(super) fn fit_one(shares: &Histogram) -> Option<Found> {
    let scale = Scale::of(shares)?;
    let quantiles = [(0.0, 1.0), (0.0, 0.5), (0.25, 0.75), (0.5, 1.0)];
    let starts = quantiles.map(|(first, last)| {
        scale.shape_between(scale.quantile(first), scale.quantile(last)).to_vec()
    });
    let end = least_squares(&starts, scale.points.len(), |at, out| {
        let (a, b) = scale.shape(at);
        scale.project(out, |x| beta(x, a, b));
    })?;
    let (a, b) = scale.shape(&end.at);
    scale.found(vec![a, b, scale.factor(|x| beta(x, a, b))])
}

pub(super) fn fit_three(shares: &Histogram) -> Option<Found> {
    let scale = Scale::of(shares)?;
    let mut starts = Vec::new();
    for (low, high) in [(0.33, 0.67), (0.2, 0.5), (0.5, 0.8), (0.25, 0.4), (0.6, 0.75), (0.1, 0.9)]
    {
        let (low, high) = (scale.quantile(low), scale.quantile(high));
        let parts = [(high, 1.0), (0.0, low), (low, high)];
        starts.push(parts.map(|(from, to)| scale.shape_between(from, to)).concat());
    }
    let shapes = |at: &[f64]| [0, 2, 4].map(|first| scale.shape(&at[first..first + 2]));
    let sum = |shapes: &[(f64, f64)], x: f64| {
        shapes.iter().map(|(a, b)| beta(x, *a, *b)).sum::<f64>() / 3.0
    };
    let end = least_squares(&starts, scale.points.len(), |at, out| {
        let shapes = shapes(at);
        scale.project(out, |x| sum(&shapes, x));
    })?;
    // The thesis' order: dense text first, then sparse text, then what is between.
    let mut shapes = shapes(&end.at);
    shapes.sort_by(|(a, b), (c, d)| (c / (c + d)).total_cmp(&(a / (a + b))));
    shapes.swap(1, 2);
    let factor = scale.factor(|x| sum(&shapes, x));
    let [(a1, b1), (a2, b2), (a3, b3)] = shapes;
    scale.found(vec![a1, b1, a2, b2, a3, b3, factor])
}

pub(super) fn fit_with_normal(shares: &Histogram) -> Option<Found> {
    let scale = Scale::of(shares)?;
    let starts = starts_with_normal(&scale);
    let end = least_squares(&starts, scale.points.len(), |at, out| {
        let values = values_with_normal(&scale, at);
        for ((x, y), out) in scale.points.iter().zip(out) {
            *out = with_normal(&values, 1.0, *x).iter().sum::<f64>() - y;
        }
    })?;
    let mut values = values_with_normal(&scale, &end.at);
    if values[0] / (values[0] + values[1]) < values[2] / (values[2] + values[3]) {
        values.swap(0, 2);
        values.swap(1, 3);
        values[5] = 1.0 - values[5];
    }
    scale.found(values.to_vec())
}

/// Sparse text below a cut, dense text above, and a normal distribution near it.
fn starts_with_normal(scale: &Scale) -> Vec<Vec<f64>> {
    let mut starts = Vec::new();
    for below in [0.15, 0.3, 0.45, 0.6] {
        let cut = scale.quantile(below);
        let dense = scale.shape_between(cut, 1.0);
        let sparse = scale.shape_between(0.0, cut);
        for centre in [0.2, 0.5, 0.8] {
            for width in [2.0, 4.0] {
                let width = width * scale.gap;
                let height = 0.3 * scale.gap / (width * (2.0 * PI).sqrt());
                let c = unfolded((0.7 * scale.gap).min(0.9));
                let d = unfolded(1.0 - below);
                let [a, b, e, f] = [dense[0], dense[1], sparse[0], sparse[1]];
                let normal = [unfolded(centre), width.ln(), height.ln()];
                starts.push([&[a, b, e, f, c, d][..], &normal].concat());
            }
        }
    }
    starts
}

/// The parameters of Equation 4.18. Four of them describe the normal distribution, though it has but a
/// centre, a width and a height on the scale: f is therefore 0. Its centre is between the modes of the
/// Betas: it is the transition from one class to the other, else it may take the place of a class.
fn values_with_normal(scale: &Scale, at: &[f64]) -> [f64; 10] {
    let (a1, b1) = scale.shape(&at[0..2]);
    let (a2, b2) = scale.shape(&at[2..4]);
    let (c, d) = (fraction(at[4]), fraction(at[5]));
    let (dense, sparse) = (fraction(at[0]), fraction(at[2]));
    let centre = sparse + fraction(at[6]) * (dense - sparse);
    let (width, height) = (scale.narrowest + positive(at[7]), positive(at[8]));
    let sigma = (1.0 - c) / (height * (2.0 * PI).sqrt());
    let e = sigma / width;
    [a1, b1, a2, b2, c, d, e, 0.0, centre * e, sigma]
}
