//! The crate's one integration test binary.

#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod fuzz;
