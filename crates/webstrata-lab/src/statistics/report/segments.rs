//! Segments and their neighbours (4.2.3): Figures 4.3 and 4.6.

use crate::Chart;
use crate::plot::Mark;
use crate::report::Section;

use super::super::{LARGEST_QUOTIENT, Statistics};
use super::fits::{Thesis, edges, row};
use super::number;
use crate::density::{DensityModel, Histogram};

const QUOTIENTS: Thesis = Thesis {
    title: "Figures 4.3 and 4.12: negative hypergeometric distribution",
    parameters: &[("K", 2.30454), ("M", 0.10989)],
    goodness: &[],
};
const SIZES: Thesis = Thesis {
    title: "Table 4.2: Zipf's law of segments made by Block Fusion with rules",
    parameters: &[("C", 1.47937), ("b", 0.67028)],
    goodness: &[],
};
/// The quotients that are drawn.
const DRAWN: usize = 20;
/// Ranks that Zipf's law is fitted to, at most.
const RANKS: usize = 50_000;

pub(super) fn section(statistics: &Statistics) -> Section {
    let section = Section::new("Segments").text(format!(
        "{} segments. Neighbours differ by their density, or they would be one.",
        number(statistics.strata.sizes.total())
    ));
    sizes(quotients(section, statistics), statistics)
}

fn quotients(section: Section, statistics: &Statistics) -> Section {
    let counts = &statistics.quotients;
    // The last class is all that is larger, which is no class to a law.
    let fitted = Histogram::of_counts(&counts[..counts.len().min(LARGEST_QUOTIENT)]);
    let fit = DensityModel::NegativeHypergeometric.fit(&fitted);
    let total: u64 = counts.iter().sum();
    let share = |count: &u64| *count as f64 / total.max(1) as f64;
    let mut chart = Chart::histogram("Density quotients of neighbours (Figure 4.3)", edges(DRAWN))
        .note("how many times its own density a segment differs from the one before it, rounded up")
        .x_label("class of the quotient")
        .y_label("share of pairs")
        .class("pairs of neighbours", counts.iter().take(DRAWN + 1).skip(1).map(share));
    if let Ok(fit) = &fit {
        let points = (1..=DRAWN).map(|class| (class as f64, fit.at(class as f64)));
        chart = chart.curve("negative hypergeometric", points);
    }
    let section = section.figure("Frumkina's law on the densities of neighbours.", &chart);
    match &fit {
        Ok(fit) => {
            let mut comparison = QUOTIENTS.comparison(fit);
            let n = fit.constant.map(|(_, n)| n);
            let test = fit.chi_squared;
            let numbers = [
                ("n", 17.0, n, 1.0),
                ("χ²", 14.2394, test.map(|test| test.statistic), 5.0),
                ("degrees of freedom", 13.0, test.map(|test| test.degrees as f64), 1.0),
                ("P(χ²)", 0.3572, test.map(|test| test.probability), 0.1),
                ("C = χ² / pairs", 0.0061, test.map(|test| test.coefficient), 0.01),
            ];
            for (name, thesis, ours, tolerance) in numbers {
                comparison = comparison.row(row(name, thesis, ours, tolerance));
            }
            section.comparison(comparison)
        }
        Err(error) => section.note(format!("{}: {error}.", QUOTIENTS.title)),
    }
}

fn sizes(section: Section, statistics: &Statistics) -> Section {
    let sizes = &statistics.strata.sizes;
    let ranks = sizes.ranks();
    let largest = ranks.first().map_or(1.0, |(_, size)| f64::from((*size).max(1)));
    let points: Vec<(f64, f64)> =
        ranks.iter().map(|(rank, size)| (*rank as f64, f64::from(*size) / largest)).collect();
    let all = Histogram::of_ranks(
        sizes
            .pairs()
            .rev()
            .flat_map(|(size, number)| {
                std::iter::repeat_n(f64::from(size) / largest, number.min(RANKS as u64) as usize)
            })
            .take(RANKS),
    );
    let fit = all.and_then(|ranks| DensityModel::Zipf.fit(&ranks));
    let mut chart = Chart::lines("Segments by their number of tokens (Figure 4.6)")
        .note("the largest first, divided by the largest; both axes logarithmic")
        .x_label("rank")
        .y_label("tokens / tokens of the largest")
        .log_x()
        .log_y()
        .marked_series("segments", points.clone(), Mark::Line);
    if let Ok(fit) = &fit {
        chart = chart.series("Zipf's law", points.iter().map(|(rank, _)| (*rank, fit.at(*rank))));
    }
    let section = section.figure(
        "The thesis expects a straight line of segments that belong together. One very long segment \
         makes C small, since all sizes are divided by the largest.",
        &chart,
    );
    SIZES.beside(section, &fit)
}
