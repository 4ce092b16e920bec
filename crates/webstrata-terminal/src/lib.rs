//! What the programs of webstrata share.
//!
//! A run goes one way. [`program`] reads the command line and refuses what is wrong with it. A command makes real
//! objects of it (an extractor, options, a list of pages) and works through them, many pages at once by [`batch`].
//! Results are printed by [`output`], messages by [`report`].

pub mod addresses;
pub mod args;
pub mod batch;
pub mod exit;
pub mod extractor;
pub mod input;
pub mod known_sites;
pub mod output;
pub mod panics;
pub mod program;
pub mod report;
pub mod style;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
