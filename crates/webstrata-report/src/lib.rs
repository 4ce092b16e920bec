//! What every experiment on many pages needs, whatever it is about.
//!
//! - [`plot`]: charts as SVG.
//! - [`report`]: sections, tables and figures as one page to look at, as Markdown and as JSON.
//! - [`steps`]: long work that goes on where it stopped, files that are written whole or not at all.
//! - [`progress`]: how far it is.
//! - [`random`]: numbers that are the same on every machine.
//! - [`error`]: why it cannot go on, in a line.
//!
//! No page, no block and no model is known here: that is why the laboratory and the statistics of a
//! corpus can share it without knowing each other.

pub mod error;
mod markup;
pub mod plot;
pub mod progress;
pub mod random;
pub mod report;
pub mod steps;

pub use error::Error;
pub use plot::Chart;
pub use progress::Progress;
pub use report::Report;
pub use steps::Steps;
