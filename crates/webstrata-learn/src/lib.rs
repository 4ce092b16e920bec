//! How do we know, and how do we learn it? The laboratory of webstrata.
//!
//! - [`sets`]: benchmark pages with gold texts, as laid out in folders.
//! - [`examples`]: labelled blocks, what trainers learn from.
//! - [`trainers`]: from examples to a model that the core runs.

pub mod error;
pub mod examples;
pub mod progress;
pub mod sets;
pub mod trainers;

pub use error::Error;
pub use examples::Examples;
pub use progress::Progress;
pub use sets::{Entry, Set};
