//! Retrieval experiments.

pub mod known_items;
pub mod measures;
pub mod significance;
pub mod topical_web;
pub mod trec;
