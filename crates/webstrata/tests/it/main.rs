//! The crate's one integration test binary.

mod conformance;
#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod fuzz;
mod fuzz_files;
mod inner_text;
mod languages;
mod loaded_models;
mod markup;
mod oracle;
mod outputs;
mod pages;
mod parser;
mod properties;
mod safety;
mod said;
mod skipped;
mod strata;
mod structure;
mod tidy;
mod torture;
