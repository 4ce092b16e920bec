//! What all other crates of webstrata share: errors, files, steps, tries, progress, sizes and durations, random numbers.
//!
//! - [`error`]: why something cannot go on, in one line, with a kind that can be matched.
//! - [`files`]: files that are written whole or not at all, and names that last.
//! - [`steps`]: long work that resumes where it stopped.
//! - [`progress`]: how far it is.
//! - [`quantity`]: sizes and durations as people write them.
//! - [`tries`]: work that may kill the process, and what is not tried a third time.
//! - [`random`]: random numbers that are the same on every machine.

pub mod error;
pub mod files;
pub mod progress;
pub mod quantity;
pub mod random;
pub mod steps;
pub mod tries;

pub use error::{Error, ErrorKind};
pub use files::{make_folders, sync_folder, write_whole};
pub use progress::Progress;
pub use quantity::thousands;
pub use random::Random;
pub use steps::Steps;
pub use tries::Tries;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
