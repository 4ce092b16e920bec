//! The crate's one integration test binary.

mod fuzz;
mod languages;
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
