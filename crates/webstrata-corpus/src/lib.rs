//! What do many pages have in common?
//!
//! - [`segmentation`]: pages cut into segments by the density of their text.
//! - [`similarity`]: near-duplicates, without comparing each page with each.
//! - [`density`]: how the tokens of a corpus spread over densities, and the models of it.
//! - [`statistics`]: what a corpus is made of, counted in one pass, and its report.

pub mod density;
pub mod segmentation;
pub mod similarity;
pub mod statistics;
