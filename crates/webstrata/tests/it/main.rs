//! The crate's one integration test binary.

mod fuzz;
mod languages;
mod loaded_models;
mod markup;
mod oracle;
mod pages;
mod parser;
mod properties;
mod safety;
mod skipped;
mod strata;
mod structure;
mod tidy;
mod torture;
