//! Topics: rankings biased on the categories of a directory, and what they are good for (3.3).
//!
//! - [`read_categories`]: a tree of categories from files.
//! - [`Rankings`], [`Analysis`]: a ranking for each, compared with each other and judged.
//! - [`findings`]: what the thesis found, asked again.
//! - [`View`], [`report()`]: all of it as a page.
//! - [`combine`]: rankings for mixtures of topics.

mod analysis;
mod combine;
mod findings;
mod measure;
mod read;
mod report;
#[cfg(test)]
mod tests;
mod texts;
mod tree;

pub use analysis::{Analysis, Gain, Measured, Quality, Rankings, Settings, Siblings};
pub use combine::combine;
pub use findings::{Finding, Verdict, findings};
pub use measure::{Precision, Similarity};
pub use read::{ReadCategories, read_categories};
pub use report::{Level, View, report};
pub use texts::{Found, Texts};
pub use tree::{Categories, Category, Reach};
