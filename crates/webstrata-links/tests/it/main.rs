//! The crate's one integration test binary.

mod build;
#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod damage;
mod fuzz;
mod growing;
mod inputs;
mod real;
#[path = "../../../webstrata/tests/it/skipped.rs"]
mod skipped;
