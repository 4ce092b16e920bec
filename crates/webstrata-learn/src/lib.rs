//! How do we know, and how do we learn it? The laboratory of webstrata.
//!
//! - [`sets`]: benchmark pages with gold texts, as laid out in folders.
//! - [`examples`]: labelled blocks, what trainers learn from.
//! - [`table`]: the features of blocks as CSV and Parquet, for other people's tools.
//! - [`steps`]: long work that goes on where it stopped.
//! - [`report`] and [`plot`]: what came out, as a page to look at.

pub mod error;
pub mod examples;
mod markup;
pub mod plot;
pub mod progress;
pub mod report;
pub mod sets;
pub mod steps;
pub mod table;

pub use error::Error;
pub use examples::Examples;
pub use plot::Chart;
pub use progress::Progress;
pub use report::Report;
pub use sets::{Entry, Set};
pub use steps::Steps;
