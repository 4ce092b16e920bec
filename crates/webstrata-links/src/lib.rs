//! Which pages matter, and to whom: the web graph and PageRank on it, as chapter 3 of the thesis has them.
//!
//! - [`compare`]: how alike two rankings are.
//! - [`links`]: what the rest asks of a graph, and a graph in memory.

pub mod compare;
pub mod links;

pub use links::{InLinks, MemoryGraph, Source, Stratum};
