//! Find it again.

pub mod experiment;
pub mod facets;
