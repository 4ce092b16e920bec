//! The swarm: Table 1 and Figures 3 and 4 of Ziegler & Skubacz.

use super::papers::{ZIEGLER, ZIEGLER_TRAINING};
use super::{Setup, WithoutSteps};
use crate::plot::Chart;
use crate::report::{Align, Compared, Comparison, Section, Table};
use crate::scores::statistics::mean;
use crate::sets::Set;
use crate::swarm::{Corpus, Curve, Motion, Options, Outcome};
use webstrata_base::error::Error;

/// Splits of the pages, so that one lucky split decides nothing.
const SEEDS: u64 = 20;

struct Results {
    /// One for each split.
    outcomes: Vec<Outcome>,
    /// The first split again, with both components of the motion equal.
    equal: Outcome,
    curves: Vec<Curve>,
}

pub(super) fn section(bench: &Setup<'_>, set: &Set) -> Result<Section, Error> {
    let results = run(bench, set)?;
    let all =
        |value: fn(&Outcome) -> f64| -> Vec<f64> { results.outcomes.iter().map(value).collect() };
    let compared = |name: &str, paper: f64, value: fn(&Outcome) -> f64| {
        Compared::new(name).paper(paper).ours(mean(&all(value)))
    };
    let comparison = Comparison::new("Mean similarity on held-out pages")
        .row(
            compared("FE: thresholds on features", ZIEGLER[0], |o| o.test.extracted)
                .tolerance(0.02),
        )
        .row(
            compared("PR: all text after pruning", ZIEGLER[1], |o| o.test.pruned)
                .tolerance(0.02)
                .why("other pages: PR measures how much stands around an article, not the method"),
        )
        .row(
            compared("TB: all text nodes", ZIEGLER[2], |o| o.test.all_text)
                .tolerance(0.02)
                .why("other pages: TB measures how much text, scripts included, a page has beside its article"),
        )
        .row(
            compared("FE on the training pages", ZIEGLER_TRAINING, |o| o.train.extracted)
                .tolerance(0.05),
        );
    let mut table = Table::new("The splits").column("seed", Align::Left);
    for name in ["FE", "PR", "TB", "FE, training", "best generation"] {
        table = table.column(name, Align::Right);
    }
    for outcome in &results.outcomes {
        let number = |value: f64| format!("{value:.3}");
        table = table.row([
            outcome.options.motion.seed.to_string(),
            number(outcome.test.extracted),
            number(outcome.test.pruned),
            number(outcome.test.all_text),
            number(outcome.train.extracted),
            (outcome.best_generation + 1).to_string(),
        ]);
    }
    let first = &results.outcomes[0];
    let mut convergence = Chart::lines("Convergence of the swarm")
        .x_label("generation")
        .y_label("mean similarity on the training pages");
    for (name, outcome) in [("cognition favoured", first), ("both equal", &results.equal)] {
        let points = |value: fn(&crate::swarm::Generation) -> f64| {
            let values = outcome.generations.iter().map(value);
            values.enumerate().map(|(at, value)| (at as f64 + 1.0, value)).collect::<Vec<_>>()
        };
        convergence = convergence
            .series(format!("{name}: best particle"), points(|generation| generation.best))
            .series(format!("{name}: mean particle"), points(|generation| generation.mean));
    }
    let mut singles = Table::new("Each feature alone, at its best threshold")
        .column("feature", Align::Left)
        .column("similarity", Align::Right)
        .column("threshold", Align::Right);
    let mut best: Vec<(&str, f64, f64)> = results
        .curves
        .iter()
        .filter_map(|curve| {
            let point = curve.best()?;
            Some((curve.feature.as_str(), point.similarity, point.threshold))
        })
        .collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (feature, similarity, threshold) in &best {
        singles = singles.row([
            (*feature).to_owned(),
            format!("{similarity:.3}"),
            format!("{threshold:.3}"),
        ]);
    }
    let mut chart = Chart::lines("Single-feature classifiers")
        .x_label("share of the feature's thresholds, most permissive to strictest by value")
        .y_label("mean similarity on the test pages");
    for curve in &results.curves {
        let last = curve.points.len().saturating_sub(1).max(1) as f64;
        let points = curve.points.iter().enumerate();
        chart = chart
            .series(curve.feature.clone(), points.map(|(at, p)| (at as f64 / last, p.similarity)));
    }
    let thresholds = toml_of(first);
    Ok(Section::new("The swarm (Ziegler & Skubacz, Table 1, Figures 3 and 4)")
        .text(format!(
            "{} particles, {} generations, trained on {} pages of l3s-gn1 and tested on the other \
             {}; means of {SEEDS} splits. The paper has 610 news pages of its own. Two people agree \
             there by {:.3}.",
            first.options.motion.particles,
            first.options.motion.generations,
            first.train.pages,
            first.test.pages,
            ZIEGLER[3]
        ))
        .comparison(comparison)
        .table(table)
        .figure("Best and mean particle of each generation (Figure 3).", &convergence)
        .table(singles)
        .figure(
            "What each feature reaches alone (Figure 4). In the paper the anchor ratio is best \
             (0.77), then stop-words and number of sentences; list, format and structure are poor.",
            &chart,
        )
        .text(format!("The thresholds of the first split: {thresholds}.")))
}

fn run(bench: &Setup<'_>, set: &Set) -> Result<Results, Error> {
    let read = |motion: Motion| {
        let options = Options { motion, ..Options::default() };
        Corpus::read(set, &options, &WithoutSteps(bench.progress))
    };
    let key = bench.key(set, "")?;
    bench.progress.begin("the swarm", SEEDS as usize + 2);
    let mut outcomes = Vec::new();
    for seed in 1..=SEEDS {
        let motion = Motion { seed, ..Motion::default() };
        let step = format!("swarm-{seed:02}");
        outcomes.push(bench.steps.run(&step, &key, || Ok(read(motion)?.train(&())))?);
        bench.progress.step();
    }
    let motion = Motion { seed: 1, ..Motion::default() };
    let curves =
        bench.steps.run("swarm-features", &key, || Ok(read(motion)?.single_feature_curves(&())))?;
    bench.progress.step();
    let both = f64::midpoint(motion.cognitive, motion.social);
    let equal = bench.steps.run("swarm-equal", &key, || {
        Ok(read(Motion { cognitive: both, social: both, ..motion })?.train(&()))
    })?;
    bench.progress.step();
    Ok(Results { outcomes, equal, curves })
}

/// The thresholds in one line.
fn toml_of(outcome: &Outcome) -> String {
    let toml = outcome.to_toml();
    let lines = toml.lines().filter(|line| line.contains("keep-signal"));
    lines.map(|line| line.trim().trim_end_matches(',').to_owned()).collect::<Vec<_>>().join(" ")
}
