//! The crate's one integration test binary.

mod fuzz;
mod markup;
mod oracle;
mod pages;
mod parser;
mod properties;
mod safety;
mod structure;
mod tidy;
mod torture;
