//! How do we know, and how do we learn it? The laboratory of webstrata.
//!
//! - [`sets`]: benchmark pages with gold texts, as laid out in folders.
//! - [`examples`]: labelled blocks, what trainers learn from.
//! - [`swarm`]: thresholds for the extractor `swarm`, learned by a particle swarm.

pub mod error;
pub mod examples;
pub mod progress;
pub mod sets;
pub mod swarm;

pub use error::Error;
pub use examples::Examples;
pub use progress::Progress;
pub use sets::{Entry, Set};
