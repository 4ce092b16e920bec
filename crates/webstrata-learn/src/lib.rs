//! How do we know, and how do we learn it? The laboratory of webstrata.
//!
//! - [`sets`]: benchmark pages with gold texts, as laid out in folders.
//! - [`gold`], [`dataset`], [`examples`]: a set's pages as labelled blocks, what trainers learn from.
//! - [`trainers`]: from examples to a model that the core runs; [`folds`], [`validation`] and
//!   [`measures`] tell how good it is, [`training`] does it all, and [`information`] says which features
//!   tell most.
//! - [`swarm`]: thresholds for the extractor `swarm`, learned by a particle swarm.
//! - [`scores`]: how good a text is, given the gold text; [`floors`]: how good it must be;
//!   [`outputs`]: texts of other tools.
//! - [`table`]: the features of blocks as CSV and Parquet, for other people's tools.
//! - [`steps`], [`progress`], [`random`], [`report`] and [`plot`], which other experiments need, too:
//!   long work that goes on where it stopped, and what came out, as a page to look at.
//! - [`lab`]: all of it at once: the papers' tables and figures, made anew.

pub mod dataset;
pub mod examples;
pub mod floors;
pub mod folds;
pub mod gold;
pub mod information;
pub mod lab;
pub mod measures;
pub mod outputs;
pub mod scores;
pub mod sets;
pub mod site;
pub mod strata;
pub mod swarm;
pub mod table;
pub mod trainers;
pub mod training;
pub mod validation;

pub use examples::Examples;
pub use scores::lcs;
pub use sets::{Entry, Set};
pub use webstrata_report::{Chart, Error, Progress, Report, Steps};
pub use webstrata_report::{error, plot, progress, random, report, steps};
