//! The crate's one integration test binary.

mod build;
mod damage;
mod inputs;
