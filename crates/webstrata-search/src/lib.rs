//! Find it again.

pub mod experiment;
