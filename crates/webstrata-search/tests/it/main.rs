//! Whole ways: pages into an index, questions to it.

mod index;
mod kill;
mod mishaps;
mod questions;
