//! N of the heuristics that have one, tried (section 5.5 of the URL Tree paper).

use serde::Serialize;
use webstrata_lab::report::{Align, Table};
use webstrata_lab::scores::statistics::mean;
use webstrata_site::url_tree::Heuristic;

use super::methods::Outcome;

/// The paper's values, and smaller ones, for domains with fewer pages than the paper's.
const SIZES: [u32; 12] = [20, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000];
/// The share of pages with gold that N is chosen on: the paper's first 10,000 of 56,436.
const TUNED_ON: f64 = 10_000.0 / 56_436.0;

/// The four heuristics, and the two that have an N with all of its values.
pub(super) fn heuristics() -> Vec<Heuristic> {
    let mut all = vec![Heuristic::Strict, Heuristic::StrictAtDomain];
    all.extend(SIZES.map(Heuristic::StrictSupport));
    all.extend(SIZES.map(Heuristic::RelaxedAtDomain));
    all
}

/// What one heuristic reaches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Tried {
    heuristic: String,
    /// F1 (lcs) on the first pages, which N is chosen on, and on the others.
    tuning: f64,
    rest: f64,
    /// On all pages: precision and recall of the longest common subsequence.
    precision: f64,
    recall: f64,
    /// Pages on whose domain the rule applies: it has seen more than N others.
    applies: usize,
    /// F1 (lcs) on these, and that of `strict`.
    where_it_applies: Option<[f64; 2]>,
}

/// What each heuristic reaches, where N was tried.
pub(super) fn tried(heuristics: &[Heuristic], outcomes: &[Outcome]) -> Vec<Tried> {
    let has_size = |one: &Heuristic| {
        matches!(one, Heuristic::StrictSupport(_) | Heuristic::RelaxedAtDomain(_))
    };
    if heuristics.iter().filter(|one| has_size(one)).count() < SIZES.len() {
        return Vec::new();
    }
    let tuned = (outcomes.len() as f64 * TUNED_ON).round() as usize;
    let strict = heuristics.iter().position(|one| *one == Heuristic::Strict);
    let lcs = |one: &Outcome, index: usize| one.scores[index].map(|score| score.lcs);
    let mean_of = |some: &[&Outcome], index: usize| {
        mean(&some.iter().filter_map(|one| lcs(one, index)).collect::<Vec<_>>())
    };
    let all: Vec<&Outcome> = outcomes.iter().collect();
    let one = |(index, heuristic): (usize, &Heuristic)| {
        let size = match heuristic {
            Heuristic::StrictSupport(size) | Heuristic::RelaxedAtDomain(size) => *size,
            _ => 0,
        };
        let applies: Vec<&Outcome> = outcomes.iter().filter(|one| one.seen > size).collect();
        let both = strict.filter(|_| size > 0 && !applies.is_empty());
        let scores = || all.iter().filter_map(|one| one.scores[index]);
        Tried {
            heuristic: heuristic.to_string(),
            tuning: mean_of(&all[..tuned], index),
            rest: mean_of(&all[tuned..], index),
            precision: mean(&scores().map(|score| score.precision).collect::<Vec<_>>()),
            recall: mean(&scores().map(|score| score.recall).collect::<Vec<_>>()),
            applies: applies.len(),
            where_it_applies: both.map(|strict| [index, strict].map(|at| mean_of(&applies, at))),
        }
    };
    heuristics.iter().enumerate().map(one).collect()
}

/// All of it as a table.
pub(super) fn table(tried: &[Tried]) -> Table {
    let mut table = Table::new("N, tried (F1 by lcs)").column("heuristic", Align::Left);
    for name in [
        "tuning set",
        "rest",
        "precision",
        "recall",
        "pages with more than N before",
        "F1 there",
        "strict there",
    ] {
        table = table.column(name, Align::Right);
    }
    for one in tried {
        let mut row = vec![one.heuristic.clone()];
        row.extend([one.tuning, one.rest, one.precision, one.recall].map(|v| format!("{v:.4}")));
        row.push(one.applies.to_string());
        row.extend(one.where_it_applies.iter().flatten().map(|value| format!("{value:.4}")));
        table = table.row(row);
    }
    table
}

/// The same as text.
pub(super) fn text(tried: &[Tried]) -> String {
    let mut text = String::new();
    for one in tried {
        let there = one
            .where_it_applies
            .map_or(String::new(), |[own, strict]| format!("{own:>9.4}{strict:>9.4}"));
        text += &format!(
            "{:24}{:>9.4}{:>9.4}{:>9.4}{:>9.4}{:>8}{there}\n",
            one.heuristic, one.tuning, one.rest, one.precision, one.recall, one.applies
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::methods::Score;
    use super::*;

    #[test]
    fn heuristics_where_they_apply() {
        let heuristics = heuristics();
        let count = heuristics.len();
        let page = |seen: u32| {
            let score = |index: usize| {
                let relaxed =
                    matches!(heuristics[index], Heuristic::RelaxedAtDomain(n) if seen > n);
                Some(Score { lcs: if relaxed { 0.5 } else { 0.9 }, ..Score::default() })
            };
            Outcome { domain: "pier.example".into(), seen, scores: (0..count).map(score).collect() }
        };
        let outcomes: Vec<Outcome> = (1..=60).map(page).collect();
        let tried = tried(&heuristics, &outcomes);
        let of = |name: &str| tried.iter().find(|one| one.heuristic == name).unwrap();
        let relaxed = of("relaxed-at-domain-20");
        let [own, strict] = relaxed.where_it_applies.unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        assert_eq!(relaxed.applies, 40);
        near(own, 0.5);
        near(strict, 0.9);
        near(relaxed.tuning, 0.9);
        assert_eq!(of("relaxed-at-domain-100").where_it_applies, None);
        // 49 pages are beyond the tuning set's 11, 40 of them relaxed.
        near(relaxed.rest, (40.0 * 0.5 + 9.0 * 0.9) / 49.0);
        assert!(super::tried(&Heuristic::PAPER, &outcomes).is_empty());
        assert_eq!(text(&tried).lines().count(), count);
    }
}
