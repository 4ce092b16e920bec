//! Segments that occur again and again (4.3.3): Figures 4.18 and 4.19, Tables 4.6 and 4.7.

use crate::Chart;
use crate::plot::Mark;
use crate::report::{Align, Comparison, Section, Table};

use super::super::counts::{Bins, some_ranks};
use super::super::summary::{Templates, share};
use super::super::{SPARSE, Statistics};
use super::fits::{Measure, Thesis, curve, drawn, edges, histogram, parameters, row, shares};
use super::{number, shortened};
use crate::density::{DensityModel, Fit, FitError, Histogram};

const RANKS: Thesis = Thesis {
    title: "Segment frequency: Lavalette's law",
    parameters: &[("a1", 0.7408)],
    goodness: &[(Measure::R2, 0.9329)],
};
const TEMPLATES: Thesis = Thesis {
    title: "Tokens of templates: two Betas and a normal distribution",
    parameters: &[("a1", 106.6), ("b1", 162.6), ("a2", 5.348), ("b2", 64.35), ("d", 0.4821)],
    goodness: &[(Measure::R2, 0.9966), (Measure::Rmse, 0.0026)],
};
/// The thesis' x_norm of this fit.
const LAST_TEMPLATE: usize = 31;
/// Segments in Table 4.6 and in Table 4.7.
const FREQUENT: usize = 60;
const RARE: usize = 20;
/// Occurrences of rare segments in Table 4.7.
const RARE_COUNT: u32 = 3;
/// Ranks below which every one is fitted; beyond, some.
const FITTED: usize = 50_000;

pub(super) fn section(statistics: &Statistics) -> Section {
    let least = statistics.thresholds().template;
    let templates = statistics.templates(least);
    let kept = &statistics.segments.known;
    let mut section = Section::new("Templates").text(format!(
        "Segments are the same if they are so without dates, addresses, digits and signs; their \
         SHA-1 digests are counted. A segment that occurs at least {least} times is taken for a \
         template (thesis: 10): {}{} different ones are.",
        if kept.dropped() > 0 { "at least " } else { "" },
        number(templates.segments)
    ));
    if kept.dropped() > 0 {
        section = section.note(format!(
            "There are more different segments than are kept: the rarest left the table {} times, and \
             every count may be too low by up to {}. What is said of templates here is the least that \
             they are.",
            number(kept.dropped()),
            number(u64::from(kept.error()))
        ));
    }
    let section = frequencies(section, statistics);
    let section = densities(section, statistics, &templates);
    rare(frequent(section, statistics), statistics)
}

/// Figure 4.18.
fn frequencies(section: Section, statistics: &Statistics) -> Section {
    let counts = statistics.frequencies();
    let point = |place: usize| ((place + 1) as f64, f64::from(counts[place]));
    let is_whole = statistics.segments.known.dropped() == 0;
    let fits = if is_whole { laws(&counts) } else { Vec::new() };
    let drawn: Vec<(f64, f64)> =
        some_ranks(counts.len() as u64).into_iter().map(|rank| point(rank as usize - 1)).collect();
    let mut chart = Chart::lines("Segments by frequency (Figure 4.18)")
        .note("both axes logarithmic")
        .x_label("rank of the segment")
        .y_label("occurrences")
        .log_x()
        .log_y()
        .y_range(0.5, f64::from(counts.first().copied().unwrap_or(1)) * 2.0)
        .series("segments", drawn.clone());
    for fit in fits.iter().flatten() {
        let curve = drawn.iter().map(|(rank, _)| (*rank, fit.at(*rank)));
        chart = chart.series(fit.model.name(), curve);
    }
    let section = section.figure("How often each segment occurs, the most frequent first.", &chart);
    let Some(lavalette) = fits.first() else {
        return section.note(format!(
            "{}: not fitted. The law ends at the last rank, but the rare segments that have the last \
             ranks left the table; a fit to the others would be one of the table's size.",
            RANKS.title
        ));
    };
    let section = RANKS.beside(section, lavalette);
    section.table(parameters("The fitted laws", ["frequencies"; 2].into_iter().zip(&fits)))
}

/// The laws of frequencies by rank, fitted: Lavalette's first.
fn laws(counts: &[u32]) -> Vec<Result<Fit, FitError>> {
    // The last rank has to be there: the law ends at it.
    let stride = counts.len() / FITTED + 1;
    let fitted = (0..counts.len()).filter(|place| {
        *place < FITTED / 5 || place.is_multiple_of(stride) || place + 1 == counts.len()
    });
    let points = fitted.map(|place| ((place + 1) as f64, f64::from(counts[place])));
    let fitted = Histogram::new(points);
    let laws = [DensityModel::Lavalette, DensityModel::MenzerathAltmann];
    laws.map(|law| fitted.clone().and_then(|points| law.fit(&points))).into()
}

/// Figure 4.19 and the shares of 4.3.3.
fn densities(section: Section, statistics: &Statistics, templates: &Templates) -> Section {
    let [without, with] = &templates.tokens;
    let mut all = without.clone();
    all.merge(with);
    let tokens = statistics.strata.all_tokens();
    let fit = DensityModel::BetaNormal.fit(&histogram(&all, LAST_TEMPLATE));
    let last = drawn(&tokens, 20);
    let points =
        |bins: &Bins| (1..).map(f64::from).zip(shares(bins, last, all.total())).collect::<Vec<_>>();
    let mut chart = Chart::lines("Tokens of templates by density (Figure 4.19)")
        .x_label("text density of the segment (words a line)")
        .y_label("share of the tokens of templates")
        .marked_series("all templates", points(&all), Mark::LineAndDots)
        .marked_series("without full stop", points(without), Mark::LineAndDots)
        .marked_series("with full stop", points(with), Mark::LineAndDots);
    if let Ok(fit) = &fit {
        chart = chart.series("two Betas and a normal", curve(last, |x| fit.at(x)));
    }
    let rest: Vec<f64> = tokens
        .amounts()
        .iter()
        .zip(all.amounts())
        .map(|(tokens, template)| tokens.saturating_sub(*template) as f64)
        .collect();
    let bars = Chart::histogram("Share of templates by density", edges(last))
        .x_label("text density of the segment (words a line)")
        .y_label("share of the tokens of this density")
        .class("templates", all.amounts().iter().take(last + 1).skip(1).map(|n| *n as f64))
        .class("other text", rest.into_iter().take(last + 1).skip(1))
        .shares();
    let section = section
        .figure("Where the text is that occurs again and again.", &chart)
        .figure("How much of the text of each density is template.", &bars);
    shares_of_templates(TEMPLATES.beside(section, &fit), statistics, templates, &all)
}

fn shares_of_templates(
    section: Section,
    statistics: &Statistics,
    templates: &Templates,
    all: &Bins,
) -> Section {
    if statistics.tokens() == 0 {
        return section.note("There is no text that could be a template.");
    }
    let tokens = statistics.strata.all_tokens();
    let [without, with] = &templates.tokens;
    let from = |bins: &Bins, first: usize| bins.total() - bins.up_to(first - 1);
    let of = |part: u64, whole: u64| (whole > 0).then(|| 100.0 * share(part, whole));
    let sparse = tokens.up_to(SPARSE);
    let comparison = Comparison::new("Tokens of templates, %")
        .row(row("of all tokens", 28.0, of(all.total(), tokens.total()), 5.0))
        .row(row(
            "of sparse text (density ≤ 5), those without full stop",
            63.0,
            of(without.up_to(SPARSE), sparse),
            5.0,
        ))
        .row(row(
            "of text with density ≥ 6, those with full stop",
            17.0,
            of(from(with, 6), from(&tokens, 6)),
            5.0,
        ))
        .row(row(
            "of text with density ≥ 9, those with full stop",
            20.0,
            of(from(with, 9), from(&tokens, 9)),
            5.0,
        ))
        .row(row("of templates, those with full stop", 47.0, of(with.total(), all.total()), 5.0))
        .row(row("sparse text, of all tokens", 23.0, of(sparse, tokens.total()), 5.0))
        .row(row(
            "of templates, those that are sparse",
            47.0,
            of(all.up_to(SPARSE), all.total()),
            5.0,
        ));
    section.comparison(comparison).text(
        "Sparse text can be told page by page, without knowing any other page. The last row is how \
         much of the templates the rule ρ' ≤ 5 finds if it is asked of segments. The filter \
         `drop-sparse` asks it of blocks; what that removes is not measured here.",
    )
}

/// Table 4.6.
fn frequent(section: Section, statistics: &Statistics) -> Section {
    let found = statistics.most_frequent(FREQUENT);
    if found.is_empty() {
        return section.note("Table 4.6: no segment occurs twice.");
    }
    let column =
        |table: Table| table.column("frequency", Align::Right).column("segment", Align::Left);
    let title = match statistics.segments.known.error() {
        0 => "Table 4.6: the most frequent segments".to_owned(),
        error => format!(
            "Table 4.6: the most frequent segments, counts too low by at most {}",
            number(u64::from(error))
        ),
    };
    let mut table = column(column(column(Table::new(title))));
    let rows = found.len().div_ceil(3);
    for place in 0..rows {
        let cells = (0..3).filter_map(|third| found.get(third * rows + place));
        table = table
            .row(cells.flat_map(|(count, text)| [number(u64::from(*count)), shortened(text, 60)]));
    }
    section.table(table)
}

/// Table 4.7.
fn rare(section: Section, statistics: &Statistics) -> Section {
    // Where the table lost segments, nothing smaller than this can be said about any.
    let error = statistics.segments.known.error();
    let most = RARE_COUNT.max(error);
    let found = statistics.segments.rare(most);
    if found.is_empty() {
        return section.note("Table 4.7: no sparse segment is rare.");
    }
    let title = format!(
        "Table 4.7: some segments with a density of at most {SPARSE} that occur {most} times or less"
    );
    let mut table =
        Table::new(title).column("frequency", Align::Right).column("segment", Align::Left);
    for (count, text) in found.into_iter().take(RARE) {
        let at_most = if error > 0 { "at most " } else { "" };
        table = table.row([format!("{at_most}{}", number(u64::from(count))), shortened(text, 100)]);
    }
    section.table(table)
}
