//! How do we know, and how do we learn it? The laboratory of webstrata.
//!
//! - [`sets`]: benchmark pages with gold texts, as laid out in folders.
//! - [`examples`]: labelled blocks, what trainers learn from.
//! - [`scores`]: how good a text is, given the gold text; [`floors`]: how good it must be.

pub mod error;
pub mod examples;
pub mod floors;
pub mod progress;
pub mod scores;
pub mod sets;

pub use error::Error;
pub use examples::Examples;
pub use progress::Progress;
pub use scores::lcs;
pub use sets::{Entry, Set};
