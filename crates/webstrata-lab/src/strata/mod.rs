//! Trains `strata`: reads sets, cross-validates by site, fits the model that ships.
//!
//! A site's pages are always in one fold, and whatever a page is judged by (words, first scores,
//! sums) was learned from other sites: the scores are those of unseen sites.

mod export;
mod fit;
mod max;
mod report;
mod samples;

use std::path::PathBuf;

use rayon::prelude::*;
use webstrata::training::strata::features::{Group, names};
use webstrata::training::strata::model::widths;
use webstrata::training::strata::{PageModel, PageType, Rows, StrataModel};

pub use self::fit::Outcome;
pub use self::max::{Cascade, Max, train_max};
pub use self::report::{Calibration, Row, Summary};
pub use self::samples::{F1, Sample, Samples};
use crate::conventions::Convention;
use crate::trainers::Boost;
use crate::{Error, Progress, folds};

/// The F1 from which on a text is nearly right: what the confidence is the probability of.
pub const GOOD: f64 = 0.9;

/// How to train.
#[derive(Clone, Debug)]
pub struct TrainingOptions {
    /// The first pass over blocks.
    pub first: Boost,
    /// The second.
    pub second: Boost,
    /// Classes of blocks.
    pub classes: Boost,
    /// Types of pages.
    pub page_types: Boost,
    /// Confidence in pages.
    pub confidence: Boost,
    /// How much the F1 of pages counts beside the likelihood of blocks.
    pub page_share: f64,
    /// Groups of features that are not looked at, for ablation.
    pub without: Vec<Group>,
    /// Sets that are tested but not learned from, as indices into [`Samples::sets`], for ablation.
    pub without_sets: Vec<usize>,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// A folder for what models look at, for trainers of other kinds.
    pub export: Option<PathBuf>,
}

impl Default for TrainingOptions {
    fn default() -> TrainingOptions {
        let blocks = Boost {
            rounds: 280,
            leaves: 16,
            learning_rate: 0.1,
            l2: 5.0,
            min_leaf_weight: 2.0,
            row_share: 0.8,
            column_share: 0.5,
            seed: 1,
        };
        let pages = Boost {
            rounds: 60,
            leaves: 8,
            learning_rate: 0.06,
            l2: 2.0,
            min_leaf_weight: 2.0,
            row_share: 0.7,
            column_share: 0.3,
            seed: 3,
        };
        TrainingOptions {
            first: Boost { rounds: blocks.rounds / 2, ..blocks },
            second: Boost { seed: 2, ..blocks },
            classes: Boost { rounds: 12, leaves: 8, learning_rate: 0.3, seed: 4, ..blocks },
            page_types: pages,
            confidence: Boost { rounds: 100, leaves: 6, ..pages },
            page_share: 1.5,
            without: Vec::new(),
            without_sets: Vec::new(),
            folds: 5,
            export: None,
        }
    }
}

impl TrainingOptions {
    /// The same with so many trees in the second pass over blocks, and half of them in the first.
    #[must_use]
    pub fn with_rounds(mut self, rounds: usize) -> TrainingOptions {
        self.first.rounds = rounds.div_ceil(2);
        self.second.rounds = rounds;
        self
    }

    /// Sets the features to 0 that are not to be looked at.
    fn blind(&self, rows: &mut Rows) {
        if self.without.is_empty() {
            return;
        }
        let (first, second) = widths();
        let of_name = |(group, _): &(Group, String)| *group;
        let mut groups: Vec<Group> = names().iter().map(of_name).collect();
        groups.resize(first, Group::Words);
        groups.resize(second, Group::Scores);
        for (feature, group) in groups.iter().enumerate() {
            if self.without.contains(group) {
                rows.clear(feature);
            }
        }
    }
}

/// What cross-validation found out, for each page in turn.
pub struct Validation {
    /// What was found on each page.
    pub outcomes: Vec<Outcome>,
    /// The type of each page and the confidence in its text.
    pub judged: Vec<(PageType, f32)>,
}

/// The fold that tests each page.
fn folds_of(samples: &Samples, count: usize) -> Vec<u8> {
    let sites: Vec<u32> = samples.pages.iter().map(|page| page.site).collect();
    folds::grouped(&sites, &vec![1.0; sites.len()], count, 1)
}

/// Cross-validates by site.
///
/// # Errors
///
/// Where there are too few sites.
pub fn validate(
    samples: &Samples,
    settings: &TrainingOptions,
    progress: &impl Progress,
) -> Result<Validation, Error> {
    let fold_of = folds_of(samples, settings.folds);
    let mut outcomes = vec![Outcome::default(); samples.pages.len()];
    if let Some(folder) = &settings.export {
        export::pages(samples, &fold_of, folder)?;
    }
    progress.begin("cross-validating", settings.folds * 5);
    for fold in 0..settings.folds as u8 {
        let (test, mut train) = split(&fold_of, fold);
        train.retain(|page| !settings.without_sets.contains(&samples.pages[*page].set));
        let (model, mut rows) = fit::blocks(samples, &train, settings, progress)?;
        let found: Vec<(Outcome, Rows)> = test
            .par_iter()
            .map(|page| fit::outcome(&model, &samples.pages[*page], settings))
            .collect();
        for (page, found) in test.iter().zip(found) {
            (outcomes[*page], rows[*page]) = found;
        }
        if let Some(folder) = &settings.export {
            export::rows(&rows, &folder.join(export::rows_of(fold)))?;
        }
    }
    if let Some(folder) = &settings.export {
        export::scores(&outcomes, folder)?;
    }
    judge_pages(samples, &fold_of, outcomes, settings)
}

/// Tells types of pages and confidence by what models of other sites learned, and how right texts are.
fn judge_pages(
    samples: &Samples,
    fold_of: &[u8],
    mut outcomes: Vec<Outcome>,
    settings: &TrainingOptions,
) -> Result<Validation, Error> {
    let mut judged = vec![(PageType::Article, 0.0); samples.pages.len()];
    let mut models = Vec::new();
    for fold in 0..settings.folds as u8 {
        let (test, train) = split(fold_of, fold);
        let mut model = PageModel::default();
        fit::page_types(&mut model, samples, &train, &outcomes, settings)?;
        for page in test {
            let row = fit::page_row(&model, &samples.pages[page], &outcomes[page]);
            judged[page].0 = model.judge_row(&row).0;
        }
        models.push(model);
    }
    let pages = samples.pages.par_iter().zip(&judged).zip(&mut outcomes);
    pages.try_for_each(|((page, (page_type, _)), outcome)| {
        let own = Convention::of_set(&samples.sets[page.set]).unwrap_or_default();
        fit::finish(page, *page_type, own, outcome)
    })?;
    for (fold, model) in models.iter_mut().enumerate() {
        let (test, train) = split(fold_of, fold as u8);
        fit::confidence(model, samples, &train, &outcomes, settings)?;
        for page in test {
            let row = fit::page_row(model, &samples.pages[page], &outcomes[page]);
            judged[page].1 = model.judge_row(&row).1;
        }
    }
    Ok(Validation { outcomes, judged })
}

/// Learns of whole pages from all of them. The outcomes are those of a validation.
fn learn_pages(
    samples: &Samples,
    outcomes: &[Outcome],
    settings: &TrainingOptions,
) -> Result<PageModel, Error> {
    let all: Vec<usize> = (0..samples.pages.len()).collect();
    let mut model = PageModel::default();
    fit::page_types(&mut model, samples, &all, outcomes, settings)?;
    fit::confidence(&mut model, samples, &all, outcomes, settings)?;
    Ok(model)
}

fn split(fold_of: &[u8], fold: u8) -> (Vec<usize>, Vec<usize>) {
    (0..fold_of.len()).partition(|page| fold_of[*page] == fold)
}

/// Trains the model on all pages. The pages' outcomes are those of [`validate`].
///
/// # Errors
///
/// Where there are too few sites.
pub fn train(
    samples: &Samples,
    outcomes: &[Outcome],
    settings: &TrainingOptions,
    progress: &impl Progress,
) -> Result<StrataModel, Error> {
    progress.begin("training", 5);
    let all: Vec<usize> = (0..samples.pages.len()).collect();
    let (model, rows) = fit::blocks(samples, &all, settings, progress)?;
    if let Some(folder) = &settings.export {
        export::rows(&rows, &folder.join(export::ALL_ROWS))?;
    }
    let pages = learn_pages(samples, outcomes, settings)?;
    Ok(StrataModel { pages, ..model })
}
