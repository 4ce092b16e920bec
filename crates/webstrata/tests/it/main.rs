//! The crate's one integration test binary.

mod oracle;
mod parser;
