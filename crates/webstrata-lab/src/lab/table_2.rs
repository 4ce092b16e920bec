//! One row of Table 2: train, judge what was not trained on, measure.

use serde::{Deserialize, Serialize};
use webstrata::BlockModel;

use super::papers::How;
use crate::examples::Examples;
use crate::measures::Measures;
use crate::trainers::{Boost, C48, OneR, Pruning, Svm, Tree};
use crate::training::{Folds, Trainer};
use crate::validation::cross_validate;
use webstrata_base::error::Error;

/// The paper's folds.
pub(super) const FOLDS: Folds = Folds { count: 10, by_site: false, seed: 1 };
/// The weight of 1R's smallest interval: that of C4.8's leaves.
pub(super) const BUCKET: f64 = 1000.0;
/// The leaves of Algorithms 1 and 2.
const FEW_LEAVES: usize = 8;
/// Half of the default: the row is beyond the paper, and forty models are trained for it.
const ROUNDS: usize = 80;

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
pub(super) fn judge(how: How, examples: &Examples, folds: Folds) -> Result<Judged, Error> {
    let trainer = match how {
        How::ZeroR => Trainer::ZeroR,
        How::OneR => Trainer::OneR(OneR { min_bucket: BUCKET }),
        How::C48 => Trainer::C48(C48::default()),
        How::Svm => Trainer::Svm(Svm::default()),
        How::Boost => Trainer::Boost(Boost { rounds: ROUNDS, ..Boost::default() }),
        How::Published(name) if examples.classes.len() == 2 => {
            return published(name, examples, folds);
        }
        How::Published(_) | How::ReducedError => return reduced(examples, folds),
    };
    let has_leaves = matches!(how, How::OneR | How::C48);
    let leaves = has_leaves.then(|| trainer.train(examples, "row", "", &()));
    let leaves = leaves.transpose()?.map(|model| model.leaves());
    Ok(Judged { measures: validate(trainer, examples, folds)?, leaves, model: None })
}

pub(super) fn validate(
    trainer: Trainer,
    examples: &Examples,
    folds: Folds,
) -> Result<Measures, Error> {
    let validated = trainer.validate(examples, folds, &())?;
    validated.map(|validated| validated.measures).ok_or_else(too_few)
}

fn too_few() -> Error {
    Error::new("too few pages or sites for a cross-validation")
}

/// A tree of the paper: its verdicts as they are, and for the area under the curve the shares of
/// classes in its leaves, from the other folds.
fn published(name: &str, examples: &Examples, folds: Folds) -> Result<Judged, Error> {
    let tree = BlockModel::named(name).and_then(|model| Tree::of_model(model, examples));
    let tree = tree.ok_or_else(|| Error::new(format!("{name}: no tree over these features")))?;
    let verdicts = Measures::of(examples, &tree.probabilities(examples));
    let fold_of = folds.assign(examples).ok_or_else(too_few)?;
    let shares = cross_validate(examples, &fold_of, |known, unknown| {
        tree.refit(known).probabilities(unknown)
    });
    let Measures { auc, .. } = Measures::of(examples, &shares);
    let measures = Measures { auc, ..verdicts };
    Ok(Judged { measures, leaves: Some(tree.leaves()), model: None })
}

/// Reduced-error pruning, with the smallest leaves (doubling from C4.8's) that leave few of them.
fn reduced(examples: &Examples, folds: Folds) -> Result<Judged, Error> {
    let pruning = Pruning::ReducedError { folds: 3, seed: folds.seed };
    let mut c48 = C48 { pruning, ..C48::default() };
    let mut tree = c48.train(examples);
    while tree.leaves() > FEW_LEAVES {
        c48.min_leaf *= 2.0;
        tree = c48.train(examples);
    }
    let about = format!("Leaves of at least {} words, reduced-error pruning", c48.min_leaf);
    Ok(Judged {
        measures: validate(Trainer::C48(c48), examples, folds)?,
        leaves: Some(tree.leaves()),
        model: Some(tree.model(examples, "relearned", &about)?.to_string()),
    })
}
