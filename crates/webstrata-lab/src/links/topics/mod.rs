//! Topics: rankings biased on the categories of a directory, and what they are good for (3.3).
//!
//! - [`Rankings`], [`Analysis`]: a ranking for each category, compared with each other and judged.
//! - [`findings`]: what the thesis found, asked again.
//! - [`View`], [`report()`]: all of it as a page.

mod analysis;
mod findings;
mod measure;
mod report;
#[cfg(test)]
mod tests;
mod texts;

pub use analysis::{Analysis, Gain, Judges, Measured, Quality, Rankings, Siblings, TopicOptions};
pub use findings::{Finding, Verdict, findings};
pub use measure::{Precision, Similarity};
pub use report::{Level, View, report};
pub use texts::{Found, Queries, Texts};
