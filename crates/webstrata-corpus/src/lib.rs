//! What do many pages have in common, and which of them make a corpus?
//!
//! - [`chunks`]: texts cut for retrieval.
//! - [`filters`]: which pages enter a corpus, by rules of the literature.
//! - [`pipeline`]: from pages to a corpus, as one file.
//! - [`segmentation`]: pages cut into segments by the density of their text.
//! - [`similarity`]: near-duplicates, without comparing each page with each.

pub mod chunks;
pub mod filters;
pub mod pipeline;
pub mod segmentation;
pub mod similarity;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
