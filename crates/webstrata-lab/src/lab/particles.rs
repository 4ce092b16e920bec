//! The swarm: Table 1 and Figures 3 and 4 of Ziegler & Skubacz.

use serde::{Deserialize, Serialize};
use webstrata::training::ziegler::{Bound, SIGNALS};

use super::papers::{ANCHORS_ALONE, CONVERGED, ZIEGLER, ZIEGLER_TRAINING};
use super::{Setup, WithoutSteps};
use crate::plot::{Chart, Lines};
use crate::report::{Align, Compared, Comparison, Section, Table};
use crate::scores::statistics::mean;
use crate::sets::Set;
use crate::swarm::{Curve, Generation, Leader, Motion, Options, Outcome, Pages, Scores};
use webstrata_base::error::Error;

/// Splits of the pages, so that one lucky split decides nothing.
const SEEDS: u64 = 20;
/// Splits of what is tried beside: enough to see what a swarm does, and a quarter of the cost.
const FEW: u64 = 5;

/// How swarms move, and on how many splits: what the paper reports, ours, and each with one thing changed.
fn settings() -> [(&'static str, Motion, u64); 7] {
    let ours = Motion::default();
    let reported = Motion { cognitive: 2.0, social: 2.0, inertia: 0.95, ..ours };
    [
        ("ours: τ 1.7, φ 1.3, ω 0.7", ours, SEEDS),
        ("τ 1.5, φ 1.5, ω 0.7: both equal", Motion { cognitive: 1.5, social: 1.5, ..ours }, FEW),
        ("as reported: τ 2, φ 2, ω 0.95", reported, SEEDS),
        ("τ 2.3, φ 1.7, ω 0.95", Motion { cognitive: 2.3, social: 1.7, ..reported }, FEW),
        (
            "as reported, velocity at most 0.1",
            Motion { max_velocity: Some(0.1), ..reported },
            SEEDS,
        ),
        (
            "τ 2.3, φ 1.7, ω 0.95, velocity at most 0.1",
            Motion { cognitive: 2.3, social: 1.7, max_velocity: Some(0.1), ..reported },
            FEW,
        ),
        ("ours, behind the best of all populations", Motion { leader: Leader::Ever, ..ours }, FEW),
    ]
}
/// The two runs of Figure 3 with our numbers and with the reported ones, as places in [`settings`].
const FIGURE_3: [(&str, [usize; 2]); 2] = [
    ("Convergence of the swarm", [0, 1]),
    ("Convergence with the reported numbers and a limit on velocity", [5, 4]),
];

/// What is kept of one run.
#[derive(Clone, Serialize, Deserialize)]
struct Run {
    test: Scores,
    train: Scores,
    converged: usize,
    best_generation: usize,
    swing: f64,
    generations: Vec<Generation>,
    toml: String,
}

impl Run {
    fn new(outcome: Outcome) -> Run {
        Run {
            converged: outcome.converged(),
            swing: outcome.swing(),
            toml: outcome.to_toml(),
            best_generation: outcome.best_generation + 1,
            test: outcome.test,
            train: outcome.train,
            generations: outcome.generations,
        }
    }
}

/// What was measured.
struct Results {
    /// For each setting, a run for each split.
    runs: Vec<Vec<Run>>,
    curves: Vec<Curve>,
    /// On the other set: what needs no learning, and anchors alone.
    elsewhere: Option<(String, Scores, f64)>,
}

impl Results {
    fn mean_of(&self, setting: usize, value: impl Fn(&Run) -> f64) -> f64 {
        mean(&self.runs[setting].iter().map(value).collect::<Vec<_>>())
    }

    fn comparison(&self) -> Comparison {
        let compared = |name: &str, paper: f64, value: fn(&Run) -> f64| {
            Compared::new(name).paper(paper).ours(self.mean_of(0, value))
        };
        let settings = settings();
        let with_settings = |row: Compared, value: fn(&Run) -> f64| {
            let others = settings.iter().enumerate().skip(1);
            others.fold(row, |row, (place, (name, _, splits))| {
                row.otherwise(format!("{name}, {splits} splits"), self.mean_of(place, value))
            })
        };
        let elsewhere = |row: Compared, value: fn(&Scores) -> f64| match &self.elsewhere {
            Some((set, scores, _)) => row.elsewhere(set, value(scores)),
            None => row,
        };
        let fe: fn(&Run) -> f64 = |run| run.test.extracted;
        let trained: fn(&Run) -> f64 = |run| run.train.extracted;
        let converged: fn(&Run) -> f64 = |run| run.converged as f64;
        let anchors = self.curves.iter().find(|curve| curve.feature == "anchors");
        let anchors = anchors.and_then(Curve::best).map(|point| point.similarity);
        let mut alone = Compared::new("anchors alone").paper(ANCHORS_ALONE).ours(anchors);
        if let Some((set, _, similarity)) = &self.elsewhere {
            alone = alone.elsewhere(set, *similarity);
        }
        let row = compared("generations until the best is within 1 %", CONVERGED, converged);
        Comparison::new("Mean similarity on held-out pages")
            .row(with_settings(
                compared("FE: thresholds on features", ZIEGLER[0], fe).tolerance(0.02),
                fe,
            ))
            .row(elsewhere(
                compared("PR: all text after pruning", ZIEGLER[1], |run| run.test.pruned)
                    .tolerance(0.02),
                |scores| scores.pruned,
            ))
            .row(elsewhere(
                compared("TB: all text nodes", ZIEGLER[2], |run| run.test.all_text).tolerance(0.02),
                |scores| scores.all_text,
            ))
            .row(with_settings(
                compared("FE on the training pages", ZIEGLER_TRAINING, trained).tolerance(0.05),
                trained,
            ))
            .row(alone.tolerance(0.02))
            .row(with_settings(row.tolerance(5.0).decimals(1), converged))
    }

    fn settings_table(&self) -> Table {
        let mut table =
            Table::new("Swarms that move otherwise, means of splits").column("swarm", Align::Left);
        for name in [
            "splits",
            "FE, test",
            "lowest",
            "highest",
            "FE, training",
            "generations to converge",
            "best generation",
            "swing of the mean",
            "swing of the best",
        ] {
            table = table.column(name, Align::Right);
        }
        for (place, (name, _, splits)) in settings().into_iter().enumerate() {
            let tests = self.runs[place].iter().map(|run| run.test.extracted);
            let best: fn(&Run) -> f64 = |run| {
                let settled = run.generations.get(20..).unwrap_or_default();
                let moves = settled.windows(2).map(|pair| (pair[1].best - pair[0].best).abs());
                moves.sum::<f64>() / settled.len().saturating_sub(1).max(1) as f64
            };
            table = table.row([
                name.to_owned(),
                splits.to_string(),
                format!("{:.3}", self.mean_of(place, |run| run.test.extracted)),
                format!("{:.3}", tests.clone().fold(f64::INFINITY, f64::min)),
                format!("{:.3}", tests.fold(f64::NEG_INFINITY, f64::max)),
                format!("{:.3}", self.mean_of(place, |run| run.train.extracted)),
                format!("{:.1}", self.mean_of(place, |run| run.converged as f64)),
                format!("{:.1}", self.mean_of(place, |run| run.best_generation as f64)),
                format!("{:.4}", self.mean_of(place, |run| run.swing)),
                format!("{:.4}", self.mean_of(place, best)),
            ]);
        }
        table
    }

    /// Figure 3, of the first split.
    fn convergence(&self, title: &str, places: [usize; 2]) -> Chart<Lines> {
        let chart = Chart::lines(title)
            .x_label("generation")
            .y_label("mean similarity on the training pages");
        let names = ["cognition favoured", "both equal"];
        names.iter().zip(places).fold(chart, |chart, (name, place)| {
            let points = |value: fn(&Generation) -> f64| {
                let values = self.runs[place][0].generations.iter().map(value);
                values.enumerate().map(|(at, value)| (at as f64 + 1.0, value)).collect::<Vec<_>>()
            };
            chart
                .series(format!("{name}: best particle"), points(|generation| generation.best))
                .series(format!("{name}: mean particle"), points(|generation| generation.mean))
        })
    }

    /// Figure 4: a chart for each feature, as in the paper.
    fn singles(&self) -> Vec<Chart<Lines>> {
        let chart = |curve: &Curve| {
            let bound = SIGNALS.iter().find(|signal| signal.name == curve.feature);
            let direction = match bound.map(|signal| signal.bound) {
                Some(Bound::AtMost) => "at most this: strict on the left",
                _ => "at least this: permissive on the left",
            };
            Chart::lines(curve.feature.clone())
                .note(direction)
                .x_label("threshold")
                .y_label("mean similarity")
                .y_range(0.0, 1.0)
                .series("alone", curve.points.iter().map(|p| (p.threshold, p.similarity)))
        };
        self.curves.iter().map(chart).collect()
    }

    fn singles_table(&self) -> Table {
        let mut singles = Table::new("Each feature alone, at its best threshold")
            .column("feature", Align::Left)
            .column("similarity", Align::Right)
            .column("threshold", Align::Right);
        let best = |curve: &Curve| Some((curve.feature.clone(), curve.best()?));
        let mut best: Vec<_> = self.curves.iter().filter_map(best).collect();
        best.sort_by(|a, b| b.1.similarity.total_cmp(&a.1.similarity));
        for (feature, point) in best {
            let (similarity, threshold) = (point.similarity, point.threshold);
            singles = singles.row([feature, format!("{similarity:.3}"), format!("{threshold:.3}")]);
        }
        singles
    }
}

pub(super) fn section(bench: &Setup<'_>, set: &Set, other: Option<&Set>) -> Result<Section, Error> {
    let results = run(bench, set, other)?;
    let first = &results.runs[0][0];
    let mut table = Table::new("The splits").column("seed", Align::Left);
    for name in ["FE", "PR", "TB", "FE, training", "best generation"] {
        table = table.column(name, Align::Right);
    }
    for (run, seed) in results.runs[0].iter().zip(1..) {
        let number = |value: f64| format!("{value:.3}");
        table = table.row([
            format!("{seed}"),
            number(run.test.extracted),
            number(run.test.pruned),
            number(run.test.all_text),
            number(run.train.extracted),
            run.best_generation.to_string(),
        ]);
    }
    let motion = Motion::default();
    let mut section = Section::new("The swarm (Ziegler & Skubacz, Table 1, Figures 3 and 4)")
        .text(format!(
            "{} particles, {} generations, trained on {} pages of l3s-gn1 and tested on the other \
             {}; means of {SEEDS} splits. The paper has 610 news pages of its own. Two people agree \
             there by {:.3}.",
            motion.particles,
            motion.generations,
            first.train.pages,
            first.test.pages,
            ZIEGLER[3]
        ))
        .comparison(results.comparison())
        .table(table)
        .table(results.settings_table())
        .text(
            "The paper reports τ and φ around 2 and ω close to 1, and no limit on velocity. A swing is \
             how far the mean (or the best) particle of a population moves from one generation to the \
             next after the twentieth, in the mean. The last row changes one thing of the first: its \
             particles follow the best of all populations, not that of the current one, as Algorithm 1 \
             has it. What the swing loses by that comes from leaders that change.",
        );
    for (title, places) in FIGURE_3 {
        let chart = results.convergence(title, places);
        section = section
            .figure("Best and mean particle of each generation (Figure 3), first split.", &chart);
    }
    let toml = first.toml.lines().filter(|line| line.contains("keep-signal"));
    let thresholds: Vec<_> = toml.map(|line| line.trim().trim_end_matches(',')).collect();
    Ok(section
        .table(results.singles_table())
        .small_figures(
            "Single-feature classifiers",
            "What each feature reaches alone on the test pages of the first split (Figure 4). In the \
             paper the anchor ratio is best (0.77), then stop-words and number of sentences; list, \
             format and structure are poor.",
            &results.singles(),
        )
        .text(format!("The thresholds of the first split: {}.", thresholds.join(" "))))
}

fn run(bench: &Setup<'_>, set: &Set, other: Option<&Set>) -> Result<Results, Error> {
    let pages = std::cell::OnceCell::new();
    let corpus = |motion: Motion| {
        let read = || Pages::read(set, &WithoutSteps(bench.progress));
        pages.get_or_init(read).split(&Options { motion, ..Options::default() })
    };
    let settings = settings();
    let swarms: u64 = settings.iter().map(|(_, _, splits)| splits).sum();
    bench.progress.begin("the swarm", swarms as usize + 2);
    let mut runs = Vec::new();
    for (place, (name, motion, splits)) in settings.into_iter().enumerate() {
        let key = bench.key(set, name)?;
        let mut of_setting = Vec::new();
        for seed in 1..=splits {
            let step = format!("swarm-{place}-{seed:02}");
            let train = || Ok(Run::new(corpus(Motion { seed, ..motion })?.train(&())));
            of_setting.push(bench.steps.run(&step, &key, train)?);
            bench.progress.step();
        }
        runs.push(of_setting);
    }
    let key = bench.key(set, "")?;
    let curves = bench.steps.run("swarm-features", &key, || {
        Ok(corpus(Motion::default())?.single_feature_curves(&()))
    })?;
    bench.progress.step();
    let elsewhere = match other {
        None => None,
        Some(other) => {
            let key = bench.key(other, "")?;
            Some(bench.steps.run("swarm-elsewhere", &key, || {
                let pages = Pages::read(other, &WithoutSteps(bench.progress));
                let curves = pages.split(&Options::default())?.single_feature_curves(&());
                let anchors = curves.iter().find(|curve| curve.feature == "anchors");
                let anchors = anchors.and_then(Curve::best).map_or(0.0, |point| point.similarity);
                Ok((other.name.clone(), pages.unlearned(), anchors))
            })?)
        }
    };
    bench.progress.step();
    Ok(Results { runs, curves, elsewhere })
}
