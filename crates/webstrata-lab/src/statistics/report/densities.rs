//! Text densities and token lengths (4.3.2): Figures 4.13, 4.14 and 4.15.

use crate::Chart;
use crate::report::Section;

use super::super::counts::some_ranks;
use super::super::documents::{Averages, SAMPLE};
use super::super::{SPARSE, Statistics};
use super::fits::{Measure, Thesis, curve, drawn, edges, histogram, parameters, shares};
use super::{number, percent};
use crate::density::{DensityModel, Fit, FitError, Histogram};

/// The thesis' x_norm, the density that Beta distributions end at.
pub(super) const LAST_DENSITY: usize = 36;
/// The same of token lengths.
const LONGEST_TOKEN: f64 = 358.0;

const BETA_NORMAL: Thesis = Thesis {
    title: "Equation 4.18: two Betas and a normal distribution",
    parameters: &[("a1", 68.03), ("b1", 132.5), ("a2", 4.034), ("b2", 54.49), ("d", 0.64)],
    goodness: &[(Measure::R2, 0.998), (Measure::Rmse, 0.0021)],
};
const THREE_BETAS: Thesis = Thesis {
    title: "Equation 4.17: three Betas",
    parameters: &[
        ("a1", 64.08),
        ("b1", 147.9),
        ("a2", 2.596),
        ("b2", 32.33),
        ("a3", 10.7),
        ("b3", 30.45),
        ("c", 0.025),
    ],
    goodness: &[(Measure::R2, 0.944), (Measure::Rmse, 0.0031)],
};
const LENGTHS: Thesis = Thesis {
    title: "Average token length: Beta distribution",
    parameters: &[("a", 40.53), ("b", 2612.0), ("c", 0.002458)],
    goodness: &[(Measure::R2, 0.9876), (Measure::Rmse, 0.003)],
};

type Score = fn(&Averages) -> f64;

/// What pages are ranked by: a name, the score, the law, and the thesis' R².
const RANKED: [(&str, Score, DensityModel, f64); 3] = [
    ("text density", |page| page.density, DensityModel::MenzerathAltmann, 0.9654),
    ("average token length", |page| page.token_length, DensityModel::MenzerathAltmann, 0.9335),
    ("density / token length", Averages::ratio, DensityModel::GeneralMenzerathAltmann, 0.97),
];

/// Figure 4.13.
pub(super) fn ranks(statistics: &Statistics) -> Section {
    let mut section = Section::new("Pages by density and token length").text(
        "The averages of pages, sorted from the largest to the smallest and divided by the largest. \
         The Menzerath-Altmann law (Equations 4.12 and 4.11) is fitted to each sequence.",
    );
    if statistics.pages_with_text() > SAMPLE as u64 {
        let (sample, pages) = (number(SAMPLE as u64), number(statistics.pages_with_text()));
        section = section.note(format!("A random sample of {sample} pages out of {pages}."));
    }
    let mut chart = Chart::lines("Pages by rank (Figure 4.13)")
        .x_label("rank of the page")
        .y_label("average / largest average");
    let mut fits: Vec<(&str, Result<Fit, FitError>)> = Vec::new();
    for (name, score, law, _) in RANKED {
        let ranked = Histogram::of_ranks(statistics.documents.averages().map(score));
        let ranked = ranked.map(|ranked| ranked.scaled());
        let points = ranked.as_ref().map_or(&[][..], Histogram::points);
        let at: Vec<usize> =
            some_ranks(points.len() as u64).into_iter().map(|rank| rank as usize - 1).collect();
        let fit = match &ranked {
            Ok(ranked) => law.fit(ranked),
            Err(error) => Err(error.clone()),
        };
        chart = chart.series(name, at.iter().map(|place| points[*place]));
        if let Ok(fit) = &fit {
            let curve = at.iter().map(|place| (points[*place].0, fit.at(points[*place].0)));
            chart = chart.series(format!("law of {name}"), curve);
        }
        fits.push((name, fit));
    }
    let caption = "One page with very long tokens makes the others of its sequence small; the thesis \
                   leaves out its 100 topmost pages for that.";
    section = section.figure(caption, &chart);
    let mut comparison = crate::report::Comparison::new("R² of the laws");
    for ((name, _, _, thesis), (_, fit)) in RANKED.iter().zip(&fits) {
        let ours = fit.as_ref().ok().map(|fit| fit.goodness.r2);
        comparison = comparison.row(super::fits::row(name, *thesis, ours, 0.05));
    }
    let fits = fits.iter().map(|(name, fit)| (*name, fit));
    section.comparison(comparison).table(parameters("The fitted laws", fits))
}

/// Figure 4.14.
pub(super) fn section(statistics: &Statistics) -> Section {
    let tokens = statistics.strata.all_tokens();
    let sparse = tokens.up_to(SPARSE);
    let mut section = Section::new("Tokens by density").text(format!(
        "{} of the tokens are in segments with a rounded density of at most {SPARSE}; in the thesis \
         23 %. Two humps are two strata: text that leads somewhere and text that tells something.",
        percent(sparse, tokens.total())
    ));
    let beyond = tokens.total() - tokens.up_to(LAST_DENSITY);
    if beyond > 0 {
        let share = percent(beyond, tokens.total());
        let note = format!(
            "{} tokens ({share}) are in segments with a density above {LAST_DENSITY}, where the \
             thesis' scale ends; no model is fitted to these.",
            number(beyond)
        );
        section = section.note(note);
    }
    let fitted = histogram(&tokens, LAST_DENSITY);
    let fit = DensityModel::BetaNormal.fit(&fitted);
    let last = drawn(&tokens, 20);
    let mut chart = Chart::histogram("Tokens by text density (Figure 4.14)", edges(last))
        .x_label("text density of the segment (words a line)")
        .y_label("share of tokens")
        .class("tokens", shares(&tokens, last, tokens.total()));
    if let Ok(fit) = &fit {
        chart = chart.curve("two Betas and a normal", curve(last, |x| fit.at(x)));
        for (part, name) in ["dense", "sparse", "between"].iter().enumerate() {
            let height = |x: f64| fit.parts(x).get(part).map_or(0.0, |(_, height)| *height);
            chart = chart.curve(*name, curve(last, height));
        }
    }
    section = section.figure(
        "Tokens in segments of each rounded density, and the model of Equation 4.18 with its three \
         parts. C₁ is the sparse stratum, C₂ the dense one.",
        &chart,
    );
    section = BETA_NORMAL.beside(section, &fit);
    THREE_BETAS.beside(section, &DensityModel::ThreeBetas.fit(&fitted))
}

/// Figure 4.15.
pub(super) fn lengths(statistics: &Statistics) -> Section {
    let lengths = &statistics.strata.lengths;
    let counts = Histogram::of_counts(&lengths.amounts()[..lengths.amounts().len() - 1]);
    let fit = DensityModel::Beta.fit(&counts.up_to(LONGEST_TOKEN));
    let last = drawn(lengths, 12);
    let mut chart = Chart::histogram("Tokens by average token length (Figure 4.15)", edges(last))
        .x_label("average length of the tokens of the segment (characters)")
        .y_label("share of tokens")
        .class("tokens", shares(lengths, last, lengths.total()));
    if let Ok(fit) = &fit {
        chart = chart.curve("Beta distribution", curve(last, |x| fit.at(x)));
    }
    let section = Section::new("Tokens by their length")
        .text("One hump only: the strata show in densities, not in the length of words.")
        .figure("Tokens in segments of each rounded average token length.", &chart);
    LENGTHS.beside(section, &fit)
}
