//! Trains `strata-max`: joins what trees and a network say of blocks.
//!
//! The network is trained by `network/train.py` of this crate, from what `webstrata-lab train strata --export` writes.

use std::path::Path;

use rayon::prelude::*;
use webstrata::training::strata::decision::best_set;
use webstrata::training::strata::max_model::{MaxModel, join};

use super::fit::Outcome;
use super::samples::Samples;
use super::{TrainingOptions, Validation, export, folds_of, judge_pages, learn_pages};
use crate::Error;

/// The model of `strata-max` and what it is worth.
pub struct Max {
    /// The model.
    pub model: MaxModel,
    /// What the trees find without the network.
    pub trees: Validation,
    /// What both find.
    pub both: Validation,
}

/// What is gained where the network is asked on pages of little confidence only.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Cascade {
    /// The confidence up to which it is asked.
    pub up_to: f32,
    /// The share of pages on which it is asked.
    pub asked: f64,
    /// The mean F1 of all pages, by the convention of their sets.
    pub own: f64,
    /// The mean of the sets' means.
    pub own_of_sets: f64,
}

/// Joins the scores of trees and network that lie in a folder, and learns of pages by both.
///
/// # Errors
///
/// Where the folder has not what is needed, or was made of other pages or folds.
pub fn train_max(
    samples: &Samples,
    settings: &TrainingOptions,
    folder: &Path,
) -> Result<Max, Error> {
    let fold_of = folds_of(samples, settings.folds);
    let blocks = samples.pages.iter().map(|page| page.words.len()).sum();
    let scores = export::read_scores(folder, blocks)?;
    let joined: Vec<f32> =
        scores.trees.iter().zip(&scores.network).map(|(trees, own)| join(*trees, *own)).collect();
    let judge =
        |scores: &[f32]| judge_pages(samples, &fold_of, outcomes(samples, scores), settings);
    let (trees, both) = (judge(&scores.trees)?, judge(&joined)?);
    let pages = learn_pages(samples, &both.outcomes, settings)?;
    let mut model = MaxModel::of_network(&scores.model)
        .map_err(|error| Error::at(folder, error.to_string()))?;
    model.pages = pages;
    Ok(Max { model, trees, both })
}

fn outcomes(samples: &Samples, scores: &[f32]) -> Vec<Outcome> {
    let mut rest = scores;
    let mut parts = Vec::with_capacity(samples.pages.len());
    for page in &samples.pages {
        let (own, others) = rest.split_at(page.words.len());
        parts.push((page, own));
        rest = others;
    }
    let outcome = |(page, scores): (&super::Sample, &[f32])| {
        let (kept, expected) = best_set(scores, &page.words, 1.0);
        Outcome { scores: scores.to_vec(), kept, expected, ..Outcome::default() }
    };
    parts.into_par_iter().map(outcome).collect()
}

impl Max {
    /// What a cascade gives that asks the network up to some confidences.
    pub fn cascades(&self, samples: &Samples) -> Vec<Cascade> {
        [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0].map(|up_to| self.cascade(samples, up_to)).into()
    }

    fn cascade(&self, samples: &Samples, up_to: f32) -> Cascade {
        let (mut asked, mut pages) = (0, 0);
        let mut sums = vec![(0.0, 0usize); samples.sets.len()];
        for (at, page) in samples.pages.iter().enumerate() {
            let ask = up_to > 0.0 && self.trees.judged[at].1 <= up_to;
            let from = if ask { &self.both } else { &self.trees };
            let Some(f1) = from.outcomes[at].f1 else { continue };
            asked += usize::from(ask);
            pages += 1;
            sums[page.set].0 += f1.own;
            sums[page.set].1 += 1;
        }
        let all: f64 = sums.iter().map(|(sum, _)| sum).sum();
        let means = sums.iter().filter(|(_, count)| *count > 0);
        let means: Vec<f64> = means.map(|(sum, count)| sum / *count as f64).collect();
        Cascade {
            up_to,
            asked: asked as f64 / pages.max(1) as f64,
            own: all / pages.max(1) as f64,
            own_of_sets: means.iter().sum::<f64>() / means.len().max(1) as f64,
        }
    }
}
