//! The vocabulary of the two classes (4.3.2): Figure 4.16 and Tables 4.4 and 4.5.

use crate::Chart;
use crate::report::{Align, Comparison, Section, Table};

use super::super::counts::some_ranks;
use super::super::terms::Typical;
use super::super::{LOW, SPARSE, Statistics};
use super::fits::{Measure, Thesis, row};
use super::{number, shortened};
use crate::density::{DensityModel, Histogram};

const RATIOS: Thesis = Thesis {
    title: "Document frequency ratio: c · (x / (1 − x))^−a₁",
    parameters: &[("a1", 0.39), ("c", 0.01)],
    goodness: &[(Measure::R2, 0.9468), (Measure::Rmse, 0.0034)],
};
/// Terms of each class in a table.
const SHOWN: usize = 20;
/// Terms that are typical for a class have at least this typicality.
const TYPICAL: f64 = 0.05;

pub(super) fn section(statistics: &Statistics) -> Section {
    let thresholds = statistics.thresholds();
    let least = thresholds.pages_of_term;
    let terms = statistics.typical_terms(least);
    let section = Section::new("Terms and where they are at home").text(format!(
        "π₁ is the text in segments with a density of at most {LOW}, π₂ the rest. {} terms are on at \
         least {least} pages (thesis: 100); only these are compared.",
        number(terms.len() as u64)
    ));
    let section = shares(ratios(section, statistics, least), &terms);
    let section = table(
        section,
        "Table 4.5: the most typical terms of π₁ and π₂",
        ["in π₁", "in π₂"],
        &terms,
    );
    let frequent = thresholds.frequent;
    let sparse = statistics.typical_sparse_terms(least, frequent);
    let title = format!(
        "Table 4.4: the most typical terms in segments with a density of at most {SPARSE}, by how \
         often the segment occurs (thesis: 100)"
    );
    let names =
        [format!("in segments that occur {frequent} times or more"), "in rarer ones".into()];
    table(section, &title, names.each_ref().map(String::as_str), &sparse).note(
        "Table 4.4 counts segments, where the thesis counts pages: which segments are frequent is \
         known when all pages were seen and none is kept.",
    )
}

fn ratios(section: Section, statistics: &Statistics, least: u32) -> Section {
    let ratios = statistics.frequency_ratios(least);
    let place = |rank: u64| rank as f64 / (ratios.len() + 1) as f64;
    let points: Vec<(f64, f64)> =
        (1..).zip(&ratios).map(|(rank, ratio)| (place(rank), *ratio)).collect();
    let fit = Histogram::new(points).and_then(|points| DensityModel::RatioPowerLaw.fit(&points));
    let drawn: Vec<(f64, f64)> = some_ranks(ratios.len() as u64)
        .into_iter()
        .map(|rank| (place(rank), ratios[rank as usize - 1]))
        .collect();
    let mut chart = Chart::lines("Document frequency ratio of terms (Figure 4.16)")
        .note("pages with the term in π₁ to pages with it in π₂, divided by the largest")
        .x_label("rank of the term / number of terms")
        .y_label("ratio / largest ratio")
        .log_y()
        .series("terms", drawn.clone());
    if let Ok(fit) = &fit {
        chart = chart.series("power law", drawn.iter().map(|(x, _)| (*x, fit.at(*x))));
    }
    let section = section.figure(
        "A few terms on the left are at home in templates, a few on the right in running text.",
        &chart,
    );
    RATIOS.beside(section, &fit)
}

/// How many terms are typical for a class.
fn shares(section: Section, terms: &[Typical]) -> Section {
    if terms.is_empty() {
        return section.note("No term is on enough pages to be compared.");
    }
    let share = |number: usize| Some(100.0 * number as f64 / terms.len() as f64);
    let first = terms.iter().filter(|term| term.typicality <= -TYPICAL).count();
    let second = terms.iter().filter(|term| term.typicality >= TYPICAL).count();
    let comparison = Comparison::new("Terms that are typical for a class, %")
        .row(row("ε ≤ −0.05 (C₁)", 20.0, share(first), 5.0))
        .row(row("ε ≥ 0.05 (C₂)", 42.7, share(second), 5.0));
    section.comparison(comparison)
}

fn table(section: Section, title: &str, names: [&str; 2], terms: &[Typical]) -> Section {
    let mut table = Table::new(title)
        .column("rank", Align::Right)
        .column(names[0], Align::Left)
        .column("ε", Align::Right)
        .column(names[1], Align::Left)
        .column("ε", Align::Right);
    let first: Vec<&Typical> = terms.iter().take_while(|term| term.typicality < 0.0).collect();
    let second: Vec<&Typical> =
        terms.iter().rev().take_while(|term| term.typicality > 0.0).collect();
    let rows = first.len().max(second.len()).min(SHOWN);
    let cells = |terms: &[&Typical], place: usize| match terms.get(place) {
        Some(Typical { term, typicality }) => [shortened(term, 30), format!("{typicality:.2}")],
        None => Default::default(),
    };
    for place in 0..rows {
        let ([first, first_value], [second, second_value]) =
            (cells(&first, place), cells(&second, place));
        table = table.row([(place + 1).to_string(), first, first_value, second, second_value]);
    }
    if rows == 0 {
        section.note(format!("{title}: no term is typical."))
    } else {
        section.table(table)
    }
}
