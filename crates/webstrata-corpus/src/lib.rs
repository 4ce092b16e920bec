//! What do many pages have in common?
//!
//! - [`segmentation`]: pages cut into segments by the density of their text.
//! - [`similarity`]: near-duplicates, without comparing each page with each.

pub mod segmentation;
pub mod similarity;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
