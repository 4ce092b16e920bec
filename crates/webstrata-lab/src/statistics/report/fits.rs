//! Fits beside the thesis', and histograms as they are drawn.

use crate::report::{Align, Compared, Comparison, Section, Table};

use super::super::counts::Bins;
use crate::density::{Fit, FitError, Histogram};

/// What the thesis says about a fit.
pub(super) struct Thesis {
    pub(super) title: &'static str,
    pub(super) parameters: &'static [(&'static str, f64)],
    pub(super) goodness: &'static [(Measure, f64)],
}

/// How good a fit is.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    R2,
    AdjustedR2,
    Rmse,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Measure::R2 => "R²",
            Measure::AdjustedR2 => "adjusted R²",
            Measure::Rmse => "RMSE",
        }
    }

    fn of(self, fit: &Fit) -> f64 {
        match self {
            Measure::R2 => fit.goodness.r2,
            Measure::AdjustedR2 => fit.goodness.adjusted_r2,
            Measure::Rmse => fit.goodness.rmse,
        }
    }
}

impl Thesis {
    /// Adds the thesis' numbers beside ours to a section, or why there are none of ours.
    pub(super) fn beside(&self, section: Section, fit: &Result<Fit, FitError>) -> Section {
        match fit {
            Ok(fit) => section.comparison(self.comparison(fit)),
            Err(error) => section.note(format!("{}: {error}.", self.title)),
        }
    }

    pub(super) fn comparison(&self, fit: &Fit) -> Comparison {
        let parameters = self.parameters.iter().map(|(name, thesis)| {
            // A tenth is near for a parameter of another corpus.
            (*name, *thesis, fit.parameter(name), thesis.abs() / 10.0)
        });
        let goodness = self.goodness.iter().map(|(measure, thesis)| {
            let tolerance = if matches!(measure, Measure::Rmse) { 0.005 } else { 0.01 };
            (measure.name(), *thesis, Some(measure.of(fit)), tolerance)
        });
        let mut comparison = Comparison::new(self.title);
        for (name, thesis, ours, tolerance) in parameters.chain(goodness) {
            comparison = comparison.row(row(name, thesis, ours, tolerance));
        }
        comparison
    }

    /// The same with what other fits give, each with its name, as experiments.
    pub(super) fn among(
        &self,
        section: Section,
        fit: &Result<Fit, FitError>,
        others: &[(&str, Result<Fit, FitError>)],
    ) -> Section {
        let Ok(fit) = fit else { return self.beside(section, fit) };
        let fits = others.iter().filter_map(|(name, fit)| Some((name, fit.as_ref().ok()?)));
        section.comparison(fits.fold(self.comparison(fit), |comparison, (name, other)| {
            comparison.otherwise(name, &self.comparison(other))
        }))
    }
}

/// A number of the thesis beside ours.
pub(super) fn row(name: &str, thesis: f64, ours: Option<f64>, tolerance: f64) -> Compared {
    Compared::new(name).paper(thesis).ours(ours).tolerance(tolerance).decimals(decimals(thesis))
}

/// Enough to show four digits of a number.
fn decimals(number: f64) -> usize {
    let size = number.abs();
    if size >= 1.0 || size == 0.0 {
        return (3 - (size.max(1.0).log10() as usize).min(3)).max(1);
    }
    (3.0 - size.log10().floor()).clamp(3.0, 8.0) as usize
}

/// The parameters of fits that the thesis has no like of, as a table.
pub(super) fn parameters<'a>(
    title: &str,
    fits: impl IntoIterator<Item = (&'a str, &'a Result<Fit, FitError>)>,
) -> Table {
    let mut table = Table::new(title)
        .column("of", Align::Left)
        .column("model", Align::Left)
        .column("parameters", Align::Left)
        .column("R²", Align::Right)
        .column("RMSE", Align::Right);
    for (name, fit) in fits {
        table = match fit {
            Ok(fit) => {
                let parameters = fit.parameters.iter().chain(&fit.constant);
                let parameters: Vec<String> = parameters
                    .map(|(name, value)| format!("{name} = {}", digits(*value)))
                    .collect();
                let goodness = fit.goodness;
                table.row([
                    name.to_owned(),
                    fit.model.name().to_owned(),
                    parameters.join(", "),
                    format!("{:.4}", goodness.r2),
                    digits(goodness.rmse),
                ])
            }
            Err(error) => table.row([name.to_owned(), error.to_string()]),
        };
    }
    table
}

/// A number with four digits that say something.
fn digits(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (0.001..100_000.0).contains(&size) {
        let decimals = if size == 0.0 { 0.0 } else { (3.0 - size.log10().floor()).clamp(0.0, 6.0) };
        return format!("{number:.*}", decimals as usize);
    }
    format!("{number:.3e}")
}

/// Bins as something that models can be fitted to, up to a position.
pub(super) fn histogram(bins: &Bins, last: usize) -> Histogram {
    let amounts = bins.amounts();
    Histogram::of_counts(&amounts[..amounts.len().min(last + 1)]).up_to(last as f64)
}

/// The bins that are drawn: from 1 to the last that has a thousandth of all, and at least so many.
pub(super) fn drawn(bins: &Bins, least: usize) -> usize {
    let thousandth = bins.total() / 1000;
    let last = bins.amounts().iter().rposition(|amount| *amount > thousandth).unwrap_or(0);
    last.max(least)
}

/// The shares of the bins from 1 to `last`, of `total`.
pub(super) fn shares(bins: &Bins, last: usize, total: u64) -> Vec<f64> {
    let share = |amount: &u64| if total == 0 { 0.0 } else { *amount as f64 / total as f64 };
    bins.amounts().iter().take(last + 1).skip(1).map(share).collect()
}

/// The edges of bins around 1 to `last`.
pub(super) fn edges(last: usize) -> Vec<f64> {
    (0..=last).map(|edge| edge as f64 + 0.5).collect()
}

/// Points of a curve from just above 0 to `last`.
pub(super) fn curve(last: usize, height: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let steps = (last * 8) as u32;
    (1..=steps).map(|step| f64::from(step) / 8.0).map(|x| (x, height(x))).collect()
}
