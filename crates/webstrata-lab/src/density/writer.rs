//! The random writers of section 4.4.4: one that ends a block after each word with the same probability,
//! and one that first chooses between short and long text.

use super::fit::{Found, Method};
use super::solve::{fraction, least_squares, unfolded};
use super::{DensityModel, FitError, Histogram};

/// Equation 4.20, the 1-displaced geometric distribution.
pub(super) fn simple(p: f64, x: f64) -> f64 {
    if x < 1.0 { 0.0 } else { (1.0 - p).powf(x - 1.0) * p }
}

/// The two terms of Equation 4.21, for P_N(S), P_S(N) and P_L(N).
pub(super) fn stratified(values: &[f64], x: f64) -> [f64; 2] {
    let &[share, short, long] = values else { return [0.0; 2] };
    [share * simple(short, x), (1.0 - share) * simple(long, x)]
}

/// A block of no words is none that a writer writes.
pub(super) fn check(model: DensityModel, histogram: &Histogram) -> Result<(), FitError> {
    match histogram.points().iter().find(|(x, _)| *x < 1.0 || x.fract() != 0.0) {
        None => Ok(()),
        Some((x, _)) => Err(FitError::Position {
            model: model.name(),
            position: *x,
            takes: "numbers of words (1, 2, 3, …)",
        }),
    }
}

pub(super) fn fit_simple(shares: &Histogram) -> Option<Found> {
    let starts = [0.01, 0.1, 0.3, 0.6, 0.9].map(|p| vec![unfolded(p)]);
    let points = shares.points();
    let end = least_squares(&starts, points.len(), |at, out| {
        let p = fraction(at[0]);
        for ((x, y), out) in points.iter().zip(out) {
            *out = simple(p, *x) - y;
        }
    })?;
    found(vec![fraction(end.at[0])])
}

pub(super) fn fit_stratified(shares: &Histogram) -> Option<Found> {
    let points = shares.points();
    let mut starts = Vec::new();
    for [share, short, long] in first_guesses(shares) {
        starts.push([share, short, long].map(unfolded).to_vec());
        starts.push([share.max(0.5), short, long / 4.0].map(unfolded).to_vec());
    }
    let end = least_squares(&starts, points.len(), |at, out| {
        let values = [fraction(at[0]), fraction(at[1]), fraction(at[2])];
        for ((x, y), out) in points.iter().zip(out) {
            *out = stratified(&values, *x).iter().sum::<f64>() - y;
        }
    })?;
    found(short_first(end.at.into_iter().map(fraction).collect()))
}

fn found(values: Vec<f64>) -> Option<Found> {
    let method = Method::LeastSquares;
    Some(Found { method, values, constant: None, log_likelihood: None })
}

/// The geometric distribution is most likely at the inverse of the mean.
pub(super) fn likeliest_simple(shares: &Histogram) -> Option<Found> {
    let (mean, _) = shares.moments()?;
    let p = bounded(1.0 / mean);
    likeliest(vec![p], log_likelihood(shares, |x| simple(p, x)))
}

/// Expectation maximisation from several guesses; the likeliest end wins.
pub(super) fn likeliest_stratified(shares: &Histogram) -> Option<Found> {
    let ends = first_guesses(shares).into_iter().map(|guess| {
        let values = expectation_maximisation(shares.points(), guess);
        (log_likelihood(shares, |x| stratified(&values, x).iter().sum()), values)
    });
    let (likelihood, values) = ends.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    likeliest(short_first(values.to_vec()), likelihood)
}

fn likeliest(values: Vec<f64>, likelihood: f64) -> Option<Found> {
    let method = Method::MaximumLikelihood;
    Some(Found { method, values, constant: None, log_likelihood: Some(likelihood) })
}

fn log_likelihood(shares: &Histogram, height: impl Fn(f64) -> f64) -> f64 {
    let points = shares.points().iter().filter(|(_, share)| *share > 0.0);
    points.map(|(x, share)| share * height(*x).max(f64::MIN_POSITIVE).ln()).sum()
}

const MAX_ROUNDS: usize = 5_000;

fn expectation_maximisation(points: &[(f64, f64)], mut values: [f64; 3]) -> [f64; 3] {
    for _ in 0..MAX_ROUNDS {
        // Weights and words of short and of long text, each word given to both by their odds.
        let mut weights = [0.0; 2];
        let mut words = [0.0; 2];
        for (x, share) in points {
            let terms = stratified(&values, *x);
            // So far out that both underflow, it is the writer of long text.
            let all = terms[0] + terms[1];
            let odds = if all > 0.0 { terms[0] / all } else { 0.0 };
            for (which, odds) in [odds, 1.0 - odds].into_iter().enumerate() {
                weights[which] += share * odds;
                words[which] += share * odds * x;
            }
        }
        let rate = |which: usize, before: f64| {
            if words[which] > 0.0 { bounded(weights[which] / words[which]) } else { before }
        };
        let next = [bounded(weights[0]), rate(0, values[1]), rate(1, values[2])];
        let change = next.iter().zip(values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        values = next;
        if change < 1e-10 {
            break;
        }
    }
    values
}

/// A writer who never stops, or never goes on, has no likelihood.
fn bounded(p: f64) -> f64 {
    p.clamp(1e-9, 1.0 - 1e-9)
}

/// P_N(S), P_S(N) and P_L(N) if short text were all below a cut and long text all above.
fn first_guesses(shares: &Histogram) -> Vec<[f64; 3]> {
    let Some((mean, _)) = shares.moments() else { return Vec::new() };
    let guess = |cut: f64| {
        let below = shares.between(f64::MIN, cut);
        let above = shares.between(cut.next_up(), f64::MAX);
        let rate = |part: &Histogram, otherwise: f64| {
            bounded(part.moments().map_or(otherwise, |(mean, _)| 1.0 / mean)).min(0.95)
        };
        let share = below.total().clamp(0.05, 0.95);
        [share, rate(&below, 0.5), rate(&above, 0.05)]
    };
    [0.5, 1.0, 2.0, 4.0].map(|factor| guess(factor * mean)).to_vec()
}

/// The thesis asks for P_S(N) above P_L(N).
fn short_first(mut values: Vec<f64>) -> Vec<f64> {
    if let [share, short, long] = &mut values[..]
        && short < long
    {
        std::mem::swap(short, long);
        *share = 1.0 - *share;
    }
    values
}
