//! The crate's one integration test binary.

mod oracle;
mod pages;
mod parser;
