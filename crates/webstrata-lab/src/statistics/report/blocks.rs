//! Blocks as the page is cut, before any are fused (4.4.4): Figures 4.23 and 4.24, and the random
//! writers.

use crate::Chart;
use crate::plot::Mark;
use crate::report::Section;

use super::super::Statistics;
use super::super::counts::Sizes;
use super::densities::LAST_DENSITY;
use super::fits::{Measure, Thesis, curve, drawn, edges, histogram, parameters, shares};
use super::number;
use crate::density::{DensityModel, Fit, FitError, Histogram};

const SIMPLE: Thesis = Thesis {
    title: "Equation 4.20: random writer",
    parameters: &[("P_T(N)", 0.3145)],
    goodness: &[(Measure::AdjustedR2, 0.967), (Measure::Rmse, 0.0046)],
};
const STRATIFIED: Thesis = Thesis {
    title: "Equation 4.21: stratified random writer",
    parameters: &[("P_N(S)", 0.7586), ("P_S(N)", 0.3968), ("P_L(N)", 0.04369)],
    goodness: &[(Measure::AdjustedR2, 0.9881), (Measure::Rmse, 0.0027)],
};
const BETA_NORMAL: Thesis = Thesis {
    title: "Equation 4.18 on blocks: two Betas and a normal distribution",
    parameters: &[],
    goodness: &[(Measure::R2, 0.997), (Measure::Rmse, 0.0213)],
};
/// How [`Statistics::other_blocks`] are named.
const OTHER_BLOCKS: &str = "boilerpipe's blocks, hidden text kept";
/// Words of the longest blocks that are drawn.
const DRAWN: usize = 60;

pub(super) fn section(statistics: &Statistics) -> Section {
    let blocks = statistics.blocks.words();
    let section = Section::new("Blocks").text(format!(
        "{} blocks: the texts between any two tags but `a`, none fused. Where nobody has said what a \
         block is for, colours tell blocks of which more than a third is linked from others, and \
         these by whether they have a full stop.",
        number(blocks.total())
    ));
    densities(words(section, statistics, &blocks), statistics)
}

/// Figure 4.23 and the random writers.
fn words(section: Section, statistics: &Statistics, blocks: &Sizes) -> Section {
    let total = blocks.total().max(1) as f64;
    let mut chart = Chart::histogram("Blocks by number of words (Figure 4.23)", edges(DRAWN))
        .note(format!("blocks of up to {DRAWN} words"))
        .x_label("words in the block")
        .y_label("share of blocks");
    for (name, group) in statistics.blocks.named() {
        let mut heights = vec![0.0; DRAWN];
        for (size, blocks) in group.words.pairs().filter(|(size, _)| *size > 0) {
            if let Some(height) = heights.get_mut(size as usize - 1) {
                *height = blocks as f64 / total;
            }
        }
        chart = chart.class(name, heights);
    }
    let counted = blocks.pairs().map(|(size, number)| (f64::from(size), number as f64));
    let counted = Histogram::new(counted);
    let fit = |model: DensityModel| counted.clone().and_then(|counted| model.fit(&counted));
    let (simple, stratified) =
        (fit(DensityModel::RandomWriter), fit(DensityModel::StratifiedWriter));
    if let Ok(fit) = &stratified {
        chart = chart.curve("stratified random writer", wholes(DRAWN, |x| fit.at(x)));
    }
    let shares: Vec<(f64, f64)> =
        blocks.pairs().map(|(size, number)| (f64::from(size), number as f64 / total)).collect();
    let last = shares.last().map_or(1.0, |(size, _)| *size) as usize;
    let lowest = 0.3 / total;
    let mut whole = Chart::lines("Blocks by number of words, all of them")
        .note("both axes logarithmic")
        .x_label("words in the block")
        .y_label("share of blocks")
        .log_x()
        .log_y()
        .y_range(lowest, 1.0)
        .marked_series("blocks", shares, Mark::Dots);
    for (name, fit) in [("random writer", &simple), ("stratified random writer", &stratified)] {
        if let Ok(fit) = fit {
            // What lies below the picture would be drawn along its edge.
            let points = wholes(last, |x| fit.at(x)).into_iter().filter(|(_, y)| *y > lowest);
            whole = whole.series(name, points);
        }
    }
    let section = section
        .figure("Most blocks have a word or two; text that tells something has more.", &chart)
        .figure(
            "A random writer ends every block with the same probability; a stratified one \
                 decides first whether to write a short or a long one.",
            &whole,
        );
    // The same of boilerpipe's blocks, where these were counted, too.
    let other = statistics.other_blocks.words();
    let others = |model: DensityModel| -> Vec<(&str, Result<Fit, FitError>)> {
        let pairs = other.pairs().map(|(size, number)| (f64::from(size), number as f64));
        let fit = Histogram::new(pairs).and_then(|counted| model.fit(&counted));
        let counted = other.total() > 0;
        counted.then_some((OTHER_BLOCKS, fit)).into_iter().collect()
    };
    let section = SIMPLE.among(section, &simple, &others(DensityModel::RandomWriter));
    let section = STRATIFIED.among(section, &stratified, &others(DensityModel::StratifiedWriter));
    let likely =
        |model: DensityModel| counted.clone().and_then(|counted| model.fit_likelihood(&counted));
    section.table(parameters(
        "The random writers by least squares, as in the thesis, and by maximum likelihood",
        [
            ("least squares", &simple),
            ("maximum likelihood", &likely(DensityModel::RandomWriter)),
            ("least squares", &stratified),
            ("maximum likelihood", &likely(DensityModel::StratifiedWriter)),
        ],
    ))
}

fn wholes(last: usize, height: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (1..=last).map(|x| (x as f64, height(x as f64))).collect()
}

/// Figure 4.24.
fn densities(section: Section, statistics: &Statistics) -> Section {
    let all = statistics.blocks.densities();
    let fit = DensityModel::BetaNormal.fit(&histogram(&all, LAST_DENSITY));
    let last = drawn(&all, 20);
    let mut chart = Chart::histogram("Words by density of their block (Figure 4.24)", edges(last))
        .x_label("text density of the block (words a line)")
        .y_label("share of words");
    for (name, group) in statistics.blocks.named() {
        chart = chart.class(name, shares(&group.densities, last, all.total()));
    }
    if let Ok(fit) = &fit {
        chart = chart.curve("two Betas and a normal", curve(last, |x| fit.at(x)));
    }
    let section =
        section.figure("Words in blocks of each rounded density, by what the block is.", &chart);
    let other = statistics.other_blocks.densities();
    let others = DensityModel::BetaNormal.fit(&histogram(&other, LAST_DENSITY));
    let counted = other.total() > 0;
    let others: Vec<_> = counted.then_some((OTHER_BLOCKS, others)).into_iter().collect();
    BETA_NORMAL.among(section, &fit, &others)
}
