//! Which pages matter, and to whom: the web graph and PageRank on it, as chapter 3 of the thesis has them.
//!
//! - [`links`]: what the rest asks of a graph, and a graph in memory.
//! - [`rank`]: PageRank.
//! - `cluster`: PageRank by several processes or machines (feature `cluster`).

#[cfg(feature = "cluster")]
pub mod cluster;
pub mod links;
pub mod rank;

pub use links::{InLinks, MemoryGraph, Source, Stratum};
