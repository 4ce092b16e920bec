//! The full-stop criterion (4.3.2): Figure 4.17.

use crate::Chart;
use crate::plot::Mark;
use crate::report::{Comparison, Section};

use super::super::Statistics;
use super::super::counts::Bins;
use super::densities::LAST_DENSITY;
use super::fits::{Measure, Thesis, curve, drawn, histogram, row, shares};
use super::number;
use crate::density::DensityModel;

const WITHOUT: Thesis = Thesis {
    title: "Text without full stops: Beta distribution",
    parameters: &[("a", 1.394), ("b", 10.75), ("c", 0.02749)],
    goodness: &[(Measure::R2, 0.91), (Measure::Rmse, 0.015)],
};
const WITH: Thesis = Thesis {
    title: "Text with full stops: Beta distribution",
    parameters: &[("a", 30.15), ("b", 61.54), ("c", 0.024)],
    goodness: &[(Measure::R2, 0.94), (Measure::Rmse, 0.014)],
};

pub(super) fn section(statistics: &Statistics) -> Section {
    let tokens = &statistics.strata.tokens;
    let all = statistics.strata.all_tokens();
    let section = Section::new("Full stops").text(
        "A full stop is a dot after at least two letters and before white space, unless it ends an \
         abbreviation (vs., DC., Inc., Ltd., No., VAT., Jan. to Dec.). Whether a segment has one \
         tells the strata apart without looking at its density.",
    );
    let last = drawn(&all, 20);
    let points = |bins: &Bins| {
        let shares = shares(bins, last, all.total());
        (1..).map(f64::from).zip(shares).collect::<Vec<_>>()
    };
    let fits = tokens.each_ref().map(|bins| DensityModel::Beta.fit(&histogram(bins, LAST_DENSITY)));
    let names = ["without full stop (π_N)", "with full stop (π_F)"];
    let mut chart = Chart::lines("Tokens with and without full stops (Figure 4.17)")
        .x_label("text density of the segment (words a line)")
        .y_label("share of tokens")
        .marked_series("all", points(&all), Mark::LineAndDots);
    for (name, bins) in names.iter().zip(tokens) {
        chart = chart.marked_series(*name, points(bins), Mark::LineAndDots);
    }
    for ((name, bins), fit) in names.iter().zip(tokens).zip(&fits) {
        if let Ok(fit) = fit {
            let part = bins.up_to(LAST_DENSITY) as f64 / all.total().max(1) as f64;
            chart = chart.series(format!("Beta, {name}"), curve(last, |x| part * fit.at(x)));
        }
    }
    let section = section.figure(
        "Tokens by density, all together and by whether their segment has a full stop, with a Beta \
         distribution for each.",
        &chart,
    );
    let section = WITHOUT.beside(section, &fits[0]);
    criterion(WITH.beside(section, &fits[1]), statistics)
}

fn criterion(section: Section, statistics: &Statistics) -> Section {
    let Some(found) = statistics.full_stops() else {
        return section.note("There is no segment that could have a full stop.");
    };
    let [without, with] = statistics.strata.segments.each_ref().map(Bins::total);
    let comparison = Comparison::new("Text density as a sign of full stops")
        .row(
            row("information gain (bits)", 0.711, Some(found.gain), 0.05)
                .otherwise("segments weighted by their tokens", found.gain_by_tokens),
        )
        .row(row("accuracy of a linear classifier", 0.914, Some(found.accuracy), 0.02))
        .row(row("tokens in text with full stops", 0.69, Some(found.tokens), 0.05));
    section.comparison(comparison).text(format!(
        "{} segments without a full stop, {} with one. The best linear classifier expects one from a \
         density of {} on. The thesis prints 69 % for π_N and 31 % for π_F beside 4.18 · 10⁷ and \
         9.50 · 10⁷ tokens: its percentages are exchanged.",
        number(without),
        number(with),
        found.threshold
    ))
}
