//! Which pages matter, and to whom: the web graph and PageRank on it, as chapter 3 of the thesis has them.
//!
//! - [`links`]: what the rest asks of a graph, and a graph in memory.
//! - [`graph`]: a graph on disk, mapped into memory.
//! - [`build`]: how it is built, in bounded memory.
//! - [`mod@rank`]: PageRank, in partitions.
//! - `cluster`: PageRank by several processes or machines (feature `cluster`).
//! - [`compare`]: how alike two rankings are.
//! - [`judge`]: how good a ranking is, by what people or categories say.
//! - [`topics`]: rankings biased on categories, and what they are good for.
//! - [`strata`]: what difference it makes where links stand.
//! - [`lines`]: files of lines with tabs.

pub mod build;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod compare;
pub mod graph;
pub mod judge;
pub mod lines;
pub mod links;
pub mod rank;
pub mod strata;
pub mod topics;

pub use graph::Graph;
pub use links::{InLinks, MemoryGraph, Source, Stratum};
