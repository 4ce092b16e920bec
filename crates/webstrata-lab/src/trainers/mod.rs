//! Trainers: labelled blocks in, a [`BlockModel`](webstrata::BlockModel) out, which the core runs.
//!
//! All of them give the same model for the same examples and the same seed, on any number of threads.

pub mod boost;
pub mod c48;
pub mod one_r;
pub mod svm;
pub mod tree;

pub use boost::{Boost, Forest, Gradient};
pub use c48::{C48, Pruning};
pub use one_r::{OneR, zero_r};
pub use svm::Svm;
pub use tree::Tree;
