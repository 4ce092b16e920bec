//! Whole ways: pages into an index, questions to it.

mod index;
mod questions;
