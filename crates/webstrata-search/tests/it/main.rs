//! Whole ways: pages into an index, questions to it.

#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod fuzz;
mod index;
mod kill;
mod mishaps;
mod questions;
