//! The laboratory of webstrata: how we know, and how we learn it.
//!
//! - [`sets`]: benchmark pages with gold texts, as laid out in folders.
//! - [`gold`], [`dataset`], [`examples`]: a set's pages as labelled blocks, what trainers learn from.
//! - [`conventions`]: what gold texts have beside the main text.
//! - [`trainers`]: from examples to a model that the core runs; [`folds`], [`validation`] and
//!   [`measures`] tell how good it is, [`training`] does it all, and [`information`] says which features
//!   tell most.
//! - [`swarm`]: thresholds for the extractor `swarm`, learned by a particle swarm.
//! - [`scores`]: how good a text is, given the gold text; [`floors`]: how good it must be;
//!   [`outputs`]: texts of other tools.
//! - [`table`]: the features of blocks as CSV and Parquet, for other people's tools.
//! - [`density`], [`statistics`]: how the tokens of a corpus spread over densities, and what it is made of.
//! - [`segmentation`], [`similarity`]: the thesis' experiments on segments and near-duplicates.
//! - [`links`]: rankings compared and judged, topics, and what difference it makes where links stand.
//! - [`retrieval`]: does it help to search in main texts only?
//! - [`plot`], [`report`]: charts, and sections, tables and figures as one page to look at.
//! - [`lab`]: all of it at once: the papers' tables and figures, made anew.

pub mod conventions;
pub mod dataset;
pub mod density;
pub mod examples;
pub mod floors;
pub mod folds;
pub mod gold;
pub mod information;
pub mod lab;
pub mod links;
mod markup;
pub mod measures;
pub mod outputs;
pub mod plot;
pub mod report;
pub mod retrieval;
pub mod scores;
pub mod segmentation;
pub mod sets;
pub mod similarity;
pub mod site_training;
pub mod statistics;
pub mod strata;
pub mod swarm;
pub mod table;
pub mod trainers;
pub mod training;
pub mod validation;

pub use examples::Examples;
pub use plot::Chart;
pub use report::Report;
pub use scores::lcs;
pub use sets::{Entry, Set};
pub use webstrata_base::{Error, Progress, Steps};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
