//! The crate's one integration test binary.

mod build;
mod damage;
mod inputs;
mod real;
#[path = "../../../webstrata/tests/it/skipped.rs"]
mod skipped;
