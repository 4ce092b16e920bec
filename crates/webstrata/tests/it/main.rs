//! The crate's one integration test binary.

mod fuzz;
mod markup;
mod oracle;
mod pages;
mod parser;
mod properties;
mod tidy;
mod torture;
