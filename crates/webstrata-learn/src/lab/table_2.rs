//! One row of Table 2: train, judge what was not trained on, measure.

use serde::{Deserialize, Serialize};
use webstrata::{Class, Model};

use super::papers::How;
use crate::error::Error;
use crate::examples::Examples;
use crate::measures::Measures;
use crate::trainers::{Boost, C48, OneR, Pruning, Svm, Tree, zero_r};
use crate::validation::cross_validate;

/// The weight of 1R's smallest interval: that of C4.8's leaves.
pub(super) const BUCKET: f64 = 1000.0;
/// The leaves of Algorithms 1 and 2.
const FEW_LEAVES: usize = 8;

/// What a row says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Judged {
    pub(super) measures: Measures,
    /// Of the tree learned from all blocks.
    pub(super) leaves: Option<usize>,
    /// That tree, where it is worth printing.
    pub(super) model: Option<String>,
}

/// Cross-validates one way of learning.
pub(super) fn judge(
    how: How,
    examples: &Examples,
    fold_of: &[u8],
    folds: usize,
) -> Result<Judged, Error> {
    let tree = |train: fn(&Examples) -> Tree| {
        let probabilities =
            cross_validate(examples, fold_of, |known, unknown| train(known).probabilities(unknown));
        let leaves = Some(train(examples).leaves());
        Judged { measures: Measures::of(examples, &probabilities), leaves, model: None }
    };
    Ok(match how {
        How::ZeroR => Judged { leaves: None, ..tree(zero_r) },
        How::OneR => tree(|known| OneR { min_bucket: BUCKET }.train(known)),
        How::C48 => tree(|known| C48::default().train(known)),
        How::Published(_) if examples.classes.len() > 2 => reduced(examples, fold_of, folds)?,
        How::Published(name) => published(name, examples, fold_of)?,
        How::ReducedError => reduced(examples, fold_of, folds)?,
        How::Svm => by_model(examples, fold_of, |known| {
            Svm::default().train(known, "svm", "A linear support vector machine")
        })?,
        How::Boost => by_model(examples, fold_of, |known| {
            // Probabilities of four classes are not part of a verdict, so AuC is that of content.
            let boost = Boost { rounds: 80, ..Boost::default() };
            boost.train(known, "boost", "Boosted trees", &())
        })?,
    })
}

/// A tree of the paper: its verdicts as they are, and for the area under the curve the shares of
/// classes in its leaves, from the other folds.
fn published(name: &str, examples: &Examples, fold_of: &[u8]) -> Result<Judged, Error> {
    let tree = Model::named(name).and_then(|model| Tree::of_model(model, examples));
    let tree = tree.ok_or_else(|| Error::new(format!("{name}: no tree over these features")))?;
    let verdicts = Measures::of(examples, &tree.probabilities(examples));
    let shares = cross_validate(examples, fold_of, |known, unknown| {
        tree.refit(known).probabilities(unknown)
    });
    let Measures { auc, .. } = Measures::of(examples, &shares);
    let measures = Measures { auc, ..verdicts };
    Ok(Judged { measures, leaves: Some(tree.leaves()), model: None })
}

/// Reduced-error pruning, with the smallest leaves (doubling from C4.8's) that leave few of them.
fn reduced(examples: &Examples, fold_of: &[u8], folds: usize) -> Result<Judged, Error> {
    let mut min_leaf = C48::default().min_leaf;
    let pruning = Pruning::ReducedError { folds: 3, seed: folds as u64 };
    let train = |min_leaf: f64, known: &Examples| C48 { min_leaf, pruning }.train(known);
    let mut tree = train(min_leaf, examples);
    while tree.leaves() > FEW_LEAVES {
        min_leaf *= 2.0;
        tree = train(min_leaf, examples);
    }
    let probabilities = cross_validate(examples, fold_of, |known, unknown| {
        train(min_leaf, known).probabilities(unknown)
    });
    let about = format!("Leaves of at least {min_leaf} words, reduced-error pruning");
    Ok(Judged {
        measures: Measures::of(examples, &probabilities),
        leaves: Some(tree.leaves()),
        model: Some(tree.model(examples, "relearned", &about)?.to_string()),
    })
}

/// Models that are no single tree are judged as the core runs them.
fn by_model(
    examples: &Examples,
    fold_of: &[u8],
    train: impl Fn(&Examples) -> Result<Model, Error> + Sync,
) -> Result<Judged, Error> {
    let classes = examples.classes.len();
    let failed = std::sync::Mutex::new(None);
    let probabilities = cross_validate(examples, fold_of, |known, unknown| {
        let mut probabilities = vec![0.0; unknown.len() * classes];
        match train(known) {
            Ok(model) => {
                for (row, cells) in probabilities.chunks_exact_mut(classes).enumerate() {
                    fill(&model, unknown, row, cells);
                }
            }
            Err(error) => *failed.lock().expect("nobody panics with it") = Some(error),
        }
        probabilities
    });
    if let Some(error) = failed.into_inner().expect("nobody panics with it") {
        return Err(error);
    }
    Ok(Judged { measures: Measures::of(examples, &probabilities), leaves: None, model: None })
}

/// The probabilities that a verdict stands for: of two classes, its score; of more, certainty.
fn fill(model: &Model, examples: &Examples, row: usize, cells: &mut [f64]) {
    let value = |feature: usize| {
        let place = examples.features.iter().position(|known| *known == feature);
        place.map_or(0.0, |column| examples.columns[column][row])
    };
    let verdict = model.classify_row(value);
    let class = examples.classes.iter().position(|class| *class == verdict.class).unwrap_or(0);
    let is_boosted = model.leaves() > 0;
    if is_boosted && examples.classes == [Class::Boilerplate, Class::Content] {
        cells[1] = f64::from(verdict.score);
        cells[0] = 1.0 - cells[1];
    } else {
        cells[class] = 1.0;
    }
}
