//! What the pages of one site share.
//!
//! - [`url_key`]: keys that identify pages by their address.
//! - [`url_tree`]: which texts of a site repeat, by the paths of its addresses.
//! - [`template`]: both together, for an extractor that leaves a site's template out.

pub mod template;
pub mod url_key;
pub mod url_tree;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
