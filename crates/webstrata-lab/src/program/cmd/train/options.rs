//! The options of each trainer.

use anyhow::bail;
use webstrata_lab::trainers::{Boost, C48, OneR, Pruning, Svm};
use webstrata_lab::training::Trainer;

use super::LearnArgs;
use webstrata_terminal::args::at_least_one;

#[derive(Debug, clap::Args)]
pub(super) struct ZeroRArgs {
    #[command(flatten)]
    pub(super) learn: LearnArgs,
}

impl ZeroRArgs {
    #[expect(clippy::unused_self, reason = "as the others")]
    pub(super) fn trainer(&self) -> Trainer {
        Trainer::ZeroR
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct OneRArgs {
    #[command(flatten)]
    pub(super) learn: LearnArgs,

    /// The least number of words in the most frequent class of an interval
    #[arg(long, value_name = "WORDS", default_value = "6", value_parser = above_0)]
    min_bucket: f64,
}

impl OneRArgs {
    pub(super) fn trainer(&self) -> Trainer {
        Trainer::OneR(OneR { min_bucket: self.min_bucket })
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  webstrata-lab train c48 --set sets/news --min-leaf 100 --out news.tree --extractor news.toml")]
pub(super) struct C48Args {
    #[command(flatten)]
    pub(super) learn: LearnArgs,

    /// The least number of words in each branch of a split
    #[arg(long, value_name = "WORDS", default_value = "1000", value_parser = above_0)]
    min_leaf: f64,

    /// How the tree is pruned
    #[arg(long, value_enum, value_name = "HOW", default_value = "pessimistic")]
    pruning: PruningKind,

    /// The confidence of pessimistic pruning, below 0.5; a smaller one prunes more [default: 0.25]
    #[arg(long, value_name = "NUMBER", value_parser = above_0)]
    confidence: Option<f64>,

    /// The folds of reduced-error pruning; one of them is held out [default: 3]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    pruning_folds: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PruningKind {
    /// By an upper bound of the error on the training blocks
    Pessimistic,
    /// By the errors on held-out blocks
    ReducedError,
    /// Not at all
    None,
}

impl C48Args {
    pub(super) fn trainer(&self) -> anyhow::Result<Trainer> {
        if self.confidence.is_some() && self.pruning != PruningKind::Pessimistic {
            bail!("--confidence belongs to --pruning pessimistic; leave one of them out");
        }
        if self.pruning_folds.is_some() && self.pruning != PruningKind::ReducedError {
            bail!("--pruning-folds needs --pruning reduced-error");
        }
        let pruning = match self.pruning {
            PruningKind::None => Pruning::None,
            PruningKind::Pessimistic => {
                let confidence = self.confidence.unwrap_or(0.25);
                if confidence > 0.5 {
                    bail!("--confidence is at most 0.5, found {confidence}");
                }
                Pruning::Pessimistic { confidence }
            }
            PruningKind::ReducedError => {
                let folds = self.pruning_folds.unwrap_or(3);
                if folds < 2 {
                    bail!("--pruning-folds is at least 2: one part is kept aside");
                }
                Pruning::ReducedError { folds, seed: self.learn.out.seed }
            }
        };
        Ok(Trainer::C48(C48 { min_leaf: self.min_leaf, pruning }))
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct SvmArgs {
    #[command(flatten)]
    pub(super) learn: LearnArgs,

    /// The cost of errors, relative to the size of the weights
    #[arg(short, long, value_name = "NUMBER", default_value = "1", value_parser = above_0)]
    c: f64,

    /// The largest violation of the optimality conditions at the end
    #[arg(long, value_name = "NUMBER", default_value = "0.001", value_parser = above_0)]
    tolerance: f64,

    /// The largest number of passes over the blocks
    #[arg(long, value_name = "N", default_value = "1000", value_parser = at_least_one::<usize>)]
    max_passes: usize,
}

impl SvmArgs {
    pub(super) fn trainer(&self) -> Trainer {
        let SvmArgs { c, tolerance, max_passes, .. } = *self;
        Trainer::Svm(Svm { c, tolerance, max_passes, seed: self.learn.out.seed })
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct BoostArgs {
    #[command(flatten)]
    pub(super) learn: LearnArgs,

    /// The number of trees for each class
    #[arg(long, value_name = "N", default_value = "160", value_parser = at_least_one::<usize>)]
    rounds: usize,

    /// The largest number of leaves of a tree
    #[arg(long, value_name = "N", default_value = "31", value_parser = at_least_one::<usize>)]
    leaves: usize,

    /// The part of the best step that each tree takes
    #[arg(long, value_name = "NUMBER", default_value = "0.1", value_parser = above_0)]
    learning_rate: f64,

    /// The L2 regularisation, which keeps the steps of small leaves small
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = above_0)]
    l2: f64,

    /// The least curvature of a leaf: the sum of weight · p · (1 − p) over its blocks
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = above_0)]
    min_leaf_weight: f64,

    /// The share of blocks that a tree is grown on
    #[arg(long, value_name = "SHARE", default_value = "1", value_parser = share)]
    row_share: f64,

    /// The share of features that a tree is grown on
    #[arg(long, value_name = "SHARE", default_value = "1", value_parser = share)]
    column_share: f64,
}

impl BoostArgs {
    pub(super) fn trainer(&self) -> Trainer {
        let BoostArgs { rounds, leaves, learning_rate, l2, min_leaf_weight, .. } = *self;
        let BoostArgs { row_share, column_share, .. } = *self;
        let seed = self.learn.out.seed;
        Trainer::Boost(Boost {
            rounds,
            leaves,
            learning_rate,
            l2,
            min_leaf_weight,
            row_share,
            column_share,
            seed,
        })
    }
}

/// A number above 0.
pub(super) fn above_0(written: &str) -> Result<f64, String> {
    let number: Option<f64> = written.parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0);
    number.ok_or_else(|| "expected a number above 0".into())
}

/// A part of the whole.
fn share(written: &str) -> Result<f64, String> {
    above_0(written)
        .ok()
        .filter(|n| *n <= 1.0)
        .ok_or_else(|| "expected a share, above 0 and at most 1".into())
}
