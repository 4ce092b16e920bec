//! The web graph and PageRank, as in chapter 3 of the thesis.
//!
//! - [`links`]: what the rest asks of a graph, and a graph in memory.
//! - [`graph`]: a graph on disk, mapped into memory.
//! - [`build`]: how it is built, in bounded memory.
//! - [`mod@rank`]: PageRank, in partitions.
//! - `cluster`: PageRank by several processes or machines (feature `cluster`).
//! - [`topics`]: categories of pages, and rankings for mixtures of them.
//! - [`tab_separated`]: tab-separated files.

pub mod build;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod graph;
pub mod links;
pub mod rank;
pub mod tab_separated;
pub mod topics;

pub use graph::Graph;
pub use links::{InLinks, MemoryGraph, Source, Stratum};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
