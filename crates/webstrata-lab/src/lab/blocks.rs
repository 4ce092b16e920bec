//! Blocks: the WSDM paper's Table 2 and its Figures 1 and 5.

use std::cell::OnceCell;

use serde::Serialize;
use webstrata::features::{FEATURES, feature};
use webstrata::{BlockModel, Class};

use super::Setup;
use super::experiments::{Experiments, Tried, explain};
use super::papers::{Cells, How, TABLE_2, Which};
use super::table_1::{self, Reading};
use super::table_2::{BUCKET, FOLDS, Judged, judge};
use crate::dataset::{Dataset, Problem};
use crate::examples::Examples;
use crate::information;
use crate::plot::Chart;
use crate::report::{Align, Compared, Comparison, Section, Table};
use crate::sets::Set;
use crate::trainers::OneR;
use crate::training::Folds;
use webstrata_base::error::Error;

pub(super) fn sections(bench: &Setup<'_>, set: &Set) -> Result<Vec<Section>, Error> {
    let news = News { bench, set, dataset: OnceCell::new() };
    Ok(vec![table_1::section(bench, set)?, news.information()?, news.table_2()?, news.densities()?])
}

/// The annotated news pages, read when a step needs them.
struct News<'a> {
    bench: &'a Setup<'a>,
    set: &'a Set,
    dataset: OnceCell<Dataset>,
}

/// How far F1 and the area under the curve may be from the paper's.
const TOLERANCES: [f64; 2] = [1.5, 1.0];

impl News<'_> {
    fn dataset(&self) -> Result<&Dataset, Error> {
        if let Some(dataset) = self.dataset.get() {
            return Ok(dataset);
        }
        let dataset = Reading::PAPER.dataset(self.bench, self.set)?;
        Ok(self.dataset.get_or_init(|| dataset))
    }

    /// Runs a step whose result depends on the pages and on `options`.
    fn step<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        name: &str,
        options: &str,
        step: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.bench.steps.run(name, &self.bench.key(self.set, options)?, step)
    }

    /// Figure 1.
    fn information(&self) -> Result<Section, Error> {
        let mut section = Section::new("Information gain (WSDM Figure 1, thesis Figure 4.20)")
            .text(
                "How many bits a feature alone tells about a word's class. Numbers are cut into \
             intervals by minimum description length first, as Weka does.",
            );
        self.bench.progress.begin("Figure 1", 2);
        for (problem, name) in [(Problem::TwoClass, "two"), (Problem::FourClass, "four")] {
            let gains: Vec<f64> = self.step(&format!("figure-1-{name}"), name, || {
                Ok(information::gains(&self.dataset()?.examples(problem)))
            })?;
            self.bench.progress.step();
            let mut ranked: Vec<(usize, f64)> = gains.into_iter().enumerate().collect();
            ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
            let title = format!("Information gain, {name} classes");
            let mut chart = Chart::bars(title).x_label("bits");
            for (feature, gain) in &ranked {
                let name = FEATURES[*feature].name;
                let group = match name.split_once('.') {
                    Some(("prev", _)) => "block above",
                    Some(_) => "block below",
                    None => "block",
                };
                chart = chart.bar_in(group, name, *gain);
            }
            let best: Vec<String> = ranked
                .iter()
                .take(10)
                .map(|(feature, gain)| format!("{} {gain:.3}", FEATURES[*feature].name))
                .collect();
            section = section.figure(format!("The first ten: {}.", best.join(", ")), &chart);
        }
        Ok(section.text(
            "The paper finds relative position, the quotients of words and text density, average \
             word length and number of words to be strong.",
        ))
    }

    /// Table 2 and Algorithms 1 and 2.
    fn table_2(&self) -> Result<Section, Error> {
        let mut section = Section::new("Classifiers (WSDM Table 2, thesis Table 4.9)").text(
            "Stratified 10-fold cross-validation over blocks, as in the paper; everything is \
             weighted by words. Each measure is the mean over the classes, weighted by their words, \
             as Weka prints it. Trees have leaves of at least 1000 words. In the last column blocks \
             of one site are never on both sides.",
        );
        let experiments = Experiments::new(self.bench, self.set);
        let mut trees = Vec::new();
        for (number, problem) in Problem::ALL.into_iter().enumerate() {
            let classes = if number == 0 { "two" } else { "four" };
            self.bench.progress.begin(&format!("Table 2, {classes} classes"), TABLE_2.len());
            let (mut judged, mut by_site) = (Vec::new(), Vec::new());
            let mut tried: Vec<Vec<Tried>> = Vec::new();
            let examples: OnceCell<Examples> = OnceCell::new();
            for (place, row) in TABLE_2.iter().enumerate() {
                let name = format!("table-2-{classes}-{place:02}");
                let result: (Judged, f64) = self.step(&name, row.name, || {
                    if examples.get().is_none() {
                        let _ = examples.set(self.dataset()?.examples(problem));
                    }
                    let all = examples.get().expect("just set");
                    let chosen = all.with_features(&row.features.indices());
                    let judged = judge(row.how, &chosen, FOLDS)?;
                    let by_site = judge(row.how, &chosen, Folds { by_site: true, ..FOLDS })?;
                    Ok((judged, by_site.measures.f1))
                })?;
                let measures = result.0.measures;
                let differs = row.paper.is_some_and(|both| {
                    let paper = both[number].0;
                    (measures.f1 - paper[2]).abs() > TOLERANCES[0]
                        || (measures.auc - paper[4]).abs() > TOLERANCES[1]
                });
                tried.push(if differs {
                    let name = format!("table-2-{classes}-{place:02}-tried");
                    self.step(&name, row.name, || experiments.of(row, problem, self.dataset()?))?
                } else {
                    Vec::new()
                });
                self.bench.progress.step();
                judged.push(result.0);
                by_site.push(result.1);
            }
            section = section.section(rows(number, &judged, &by_site, &tried));
            if number == 0 {
                trees = judged;
            }
        }
        Ok(section.section(algorithms(&trees)).section(self.one_rule()?))
    }

    /// What 1R finds.
    fn one_rule(&self) -> Result<Section, Error> {
        let (best, density): (String, Vec<f64>) = self.step("one-rule", "", || {
            let examples = self.dataset()?.examples(Problem::TwoClass);
            let rule = OneR { min_bucket: BUCKET };
            let best = rule.train(&examples);
            let best = best.columns().first().map_or("none", |column| FEATURES[*column].name);
            let chosen = examples.with_features(&Which::Own("text-density").indices());
            Ok((best.to_owned(), rule.train(&chosen).thresholds(0)))
        })?;
        let density: Vec<String> = density.iter().map(|value| format!("{value:.2}")).collect();
        Ok(Section::new("What 1R finds")
            .text(format!(
                "On text density alone, 1R cuts at {} (the paper: 10.5). Over all features it takes \
                 {best}; the paper's takes text density (F1 87.9), with link density close behind (87.4).",
                density.join(" and at ")
            )))
    }

    /// Figure 5.
    fn densities(&self) -> Result<Section, Error> {
        const DENSITIES: usize = 30;
        let words: Vec<Vec<f64>> = self.step("figure-5", "", || {
            let mut words = vec![vec![0.0; DENSITIES]; Class::ALL.len()];
            for page in &self.dataset()?.pages {
                for (class, counts) in page.classes.iter().zip(&page.counts) {
                    let density = counts.text_density().ceil() as usize;
                    words[*class as usize][density.min(DENSITIES - 1)] += f64::from(counts.words);
                }
            }
            Ok(words)
        })?;
        let edges = (0..=DENSITIES).map(|edge| edge as f64 - 0.5);
        let mut chart = Chart::histogram("Words by text density", edges)
            .x_label("text density, rounded up")
            .y_label("words");
        for (class, name) in Class::ALL {
            chart = chart.class(name, words[class as usize].iter().copied());
        }
        Ok(Section::new("The two strata (WSDM Figure 5, thesis Figure 4.24)").figure(
            "Short, functional text on the left, running text around a density of 12 on the right, \
             and an undecided class between them.",
            &chart,
        ))
    }
}

impl Which {
    /// The features, as indices into [`FEATURES`].
    pub(super) fn indices(self) -> Vec<usize> {
        let by_name = |name: &str| feature(name).expect("one of the features");
        let those = |keep: fn(&str) -> bool| {
            (0..FEATURES.len()).filter(|feature| keep(FEATURES[*feature].name)).collect()
        };
        match self {
            Which::None => Vec::new(),
            Which::Own(name) => vec![by_name(name)],
            Which::Three(names) => names
                .iter()
                .flat_map(|name| {
                    [
                        by_name(name),
                        by_name(&format!("prev.{name}")),
                        by_name(&format!("next.{name}")),
                    ]
                })
                .collect(),
            Which::AllOwn => those(|name| !name.contains('.') && !name.ends_with("-quotient")),
            Which::AllOwnAndQuotients => those(|name| !name.contains('.')),
            Which::AllLocal => those(|name| !name.ends_with("corpus-frequency")),
            Which::All => those(|_| true),
        }
    }
}

/// Table 2 for one problem.
fn rows(problem: usize, judged: &[Judged], by_site: &[f64], tried: &[Vec<Tried>]) -> Section {
    let title = if problem == 0 { "Two classes" } else { "Four classes" };
    let mut table = Table::new(format!("{title}: paper / ours")).column("algorithm", Align::Left);
    for name in ["dim", "precision", "recall", "F1", "FP rate", "AuC", "leaves", "F1 by site"] {
        table = table.column(name, Align::Right);
    }
    let (mut f1, mut auc) = (
        Comparison::new(format!("{title}: F1, percent")),
        Comparison::new(format!("{title}: ROC AuC, percent")),
    );
    for (((row, judged), by_site), tried) in TABLE_2.iter().zip(judged).zip(by_site).zip(tried) {
        let measures = judged.measures;
        let ours = [
            measures.precision,
            measures.recall,
            measures.f1,
            measures.false_positives,
            measures.auc,
        ];
        let paper = row.paper.map(|both| both[problem]);
        let mut cells = vec![row.name.to_owned(), row.features.indices().len().to_string()];
        for (place, ours) in ours.into_iter().enumerate() {
            cells.push(match paper {
                Some(Cells(paper, _)) => format!("{:.1} / {ours:.1}", paper[place]),
                None => format!("{ours:.1}"),
            });
        }
        let leaves = [paper.and_then(|paper| paper.1), judged.leaves.map(|leaves| leaves as u32)];
        let leaves = leaves.map(|leaves| leaves.map_or("–".to_owned(), |l| l.to_string()));
        cells.push(if paper.is_some() { leaves.join(" / ") } else { leaves[1].clone() });
        cells.push(format!("{by_site:.1}"));
        table = table.row(cells);
        if let Some(Cells(paper, _)) = paper {
            let compared = |place: usize, tolerance: f64| {
                let compared = Compared::new(row.name).paper(paper[place]).ours(ours[place]);
                compared.tolerance(tolerance).decimals(1)
            };
            f1 = f1.row(explain(compared(2, TOLERANCES[0]), tried, |measures| measures.f1));
            auc = auc.row(explain(compared(4, TOLERANCES[1]), tried, |measures| measures.auc));
        }
    }
    let chart = f1.chart();
    Section::new(title)
        .table(table)
        .comparison(f1)
        .comparison(auc)
        .figure("F1 of the paper's classifiers and ours.", &chart)
}

/// Algorithms 1 and 2 beside what we learn from the same features.
fn algorithms(judged: &[Judged]) -> Section {
    let mut section = Section::new("Algorithms 1 and 2, as published and relearned").text(
        "The paper's trees come with the library as the models density and num-words. Relearned: \
         C4.8 on the same six features with reduced-error pruning, and leaves large enough to leave \
         at most eight of them in the tree of all blocks.",
    );
    for (row, judged) in TABLE_2.iter().zip(judged) {
        let published = match row.how {
            How::Published(name) => BlockModel::named(name).map(ToString::to_string),
            How::ReducedError => judged.model.clone(),
            _ => None,
        };
        if let Some(model) = published {
            let mut table = Table::new(row.name).column("tree", Align::Left);
            // After the lines of name and about.
            for line in model.lines().skip(2).filter(|line| !line.is_empty()) {
                table = table.row([line]);
            }
            section = section.table(table);
        }
    }
    section
}
