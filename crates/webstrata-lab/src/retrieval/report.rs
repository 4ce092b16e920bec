//! The experiment as a page: Figure 7, and all numbers.

use crate::plot::Lines;
use crate::report::{Align, Section, Table};
use crate::{Chart, Report};

use super::measures::Measure;
use super::sliding::{Outcome, Outcomes, Variant};

/// What the paper measured with the BLOGS06 collection: P@10 and NDCG@10.
const PAPER: [(&str, f64, f64); 4] = [
    ("whole page", 0.18, 0.0985),
    ("density ≥ 14", 0.32, 0.1823),
    ("bte", 0.33, 0.1627),
    ("words ≥ 11", 0.44, 0.2476),
];

/// A page with the figure and the tables.
pub fn report(
    title: &str,
    facts: &[(&str, String)],
    found: &Outcomes,
    plateau: Option<Section>,
) -> Report {
    let about = "How well queries find their pages if only a part of each page's text is searched, as section 6 of the \
                 paper asks it: blocks with a minimum of words or density, and what extractors find.";
    let report = Report::new(title).about(about);
    let report = facts.iter().fold(report, |report, (name, value)| report.fact(*name, value));
    let report = report
        .section(
            Section::new("Figure 7")
                .figure(CAPTION, &chart(found, "Minimum number of words", words))
                .figure(CAPTION, &chart(found, "Minimum text density", density)),
        )
        .section(Section::new("In short").table(short(found)).table(paper()));
    plateau.into_iter().fold(report, Report::section).section(
        Section::new("All numbers").table(table("All variants", found, found.outcomes.iter())),
    )
}

const CAPTION: &str = "Levels are those of whole pages and of extractors, which know no minimum.";

/// The minimum numbers of words that were tried.
pub(super) fn minima(found: &Outcomes) -> impl Iterator<Item = u32> {
    found.outcomes.iter().filter_map(|outcome| words(&outcome.variant))
}

fn words(variant: &Variant) -> Option<u32> {
    if let Variant::Words(least) = variant { Some(*least) } else { None }
}

fn density(variant: &Variant) -> Option<u32> {
    if let Variant::Density(least) = variant { Some(*least) } else { None }
}

fn chart(found: &Outcomes, title: &str, least: fn(&Variant) -> Option<u32>) -> Chart<Lines> {
    let measure = found.measure;
    let points = found.outcomes.iter().filter_map(|outcome| {
        Some((f64::from(least(&outcome.variant)?), outcome.mean.get(measure)))
    });
    let chart = Chart::lines(title)
        .note(format!("{} queries", found.queries))
        .series("minimum", points)
        .x_label("minimum")
        .y_label(measure.name());
    let levels = found.outcomes.iter().filter(|outcome| is_level(&outcome.variant));
    levels
        .fold(chart, |chart, outcome| chart.at_y(outcome.mean.get(measure), outcome.variant.name()))
}

fn is_level(variant: &Variant) -> bool {
    matches!(variant, Variant::Text(_) | Variant::Words(1))
}

fn short(found: &Outcomes) -> Table {
    table("Whole pages, the best minima, and extractors", found, found.in_short().into_iter())
}

fn table<'a>(title: &str, found: &Outcomes, outcomes: impl Iterator<Item = &'a Outcome>) -> Table {
    let table = Table::new(title).column("searched", Align::Left);
    let table = Measure::ALL
        .iter()
        .fold(table, |table, measure| table.column(measure.name(), Align::Right));
    let difference = format!("{} of {} higher by", found.measure.name(), found.reference.name());
    let table = [&difference[..], "95 %", "p"]
        .into_iter()
        .fold(table, |table, name| table.column(name, Align::Right));
    outcomes.fold(table, |table, outcome| {
        let measures =
            Measure::ALL.iter().map(|measure| format!("{:.4}", outcome.mean.get(*measure)));
        let sure = outcome.behind.shown();
        let sure = if outcome.variant == found.reference { Default::default() } else { sure };
        table.row(std::iter::once(outcome.variant.name()).chain(measures).chain(sure))
    })
}

fn paper() -> Table {
    let table = Table::new("The paper's, 50 queries on 3 million pages of blogs (BLOGS06)")
        .column("searched", Align::Left);
    let table =
        ["P@10", "NDCG@10"].into_iter().fold(table, |table, name| table.column(name, Align::Right));
    PAPER.iter().fold(table, |table, (name, precision, ndcg)| {
        table.row([(*name).to_owned(), format!("{precision:.2}"), format!("{ndcg:.4}")])
    })
}

#[cfg(test)]
mod tests {
    use super::super::measures::Measures;
    use super::super::significance::Difference;
    use super::*;

    #[test]
    fn a_page_of_few_variants() {
        let outcome = |variant: Variant, reciprocal_rank: f64| Outcome {
            variant,
            mean: Measures { reciprocal_rank, ..Measures::default() },
            behind: Difference { mean: 0.9 - reciprocal_rank, ..Difference::default() },
            queries: Vec::new(),
        };
        let strata = Variant::Text("strata".to_owned());
        let found = Outcomes {
            queries: 7,
            measure: Measure::ReciprocalRank,
            reference: strata.clone(),
            outcomes: vec![
                outcome(Variant::Words(1), 0.25),
                outcome(Variant::Words(2), 0.5),
                outcome(Variant::Words(3), 0.375),
                outcome(Variant::Density(2), 0.4375),
                outcome(strata, 0.9),
            ],
        };
        let page = report("Retrieval", &[("pages", "5".into())], &found, None).to_markdown();
        let short = page.split("In short").nth(1).unwrap().split("All numbers").next().unwrap();
        assert!(short.contains("words ≥ 2") && !short.contains("words ≥ 3"), "{short}");
        assert!(short.contains("+0.4000") && short.contains("whole page"), "{short}");
        assert!(page.split("All numbers").nth(1).unwrap().contains("words ≥ 3"));
        assert_eq!(report("Retrieval", &[], &found, None).figures().len(), 2);
    }
}
