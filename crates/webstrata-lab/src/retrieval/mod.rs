//! Does it help to search in main texts only? The retrieval experiment of section 6 of the paper.
//!
//! - [`trec`]: queries and judgements from files; [`known_items`]: queries that pages answer themselves, for a corpus
//!   without judgements.
//! - [`corpus`]: pages as they are indexed for it.
//! - [`sliding`]: all minima of words and density, and extractors; [`report()`]: the tables, and Figure 7.
//! - [`Lengths`]: how good minima are where there is text for them.
//! - [`measures`], [`significance`]: how good, and how sure.
//! - [`topical_web`]: a made-up web, to try facets on.

pub mod corpus;
mod graded;
pub mod known_items;
mod lengths;
pub mod measures;
mod report;
pub mod significance;
pub mod sliding;
pub mod topical_web;
pub mod trec;

pub use corpus::{ReadPage, Reader, Repeats, Words};
pub use graded::topic_of;
pub use known_items::{Item, KnownItems};
pub use lengths::Lengths;
pub use measures::{Measure, Measures};
pub use report::report;
pub use significance::Difference;
pub use sliding::{Outcome, Outcomes, Variant, run, run_file};
pub use trec::{Judgements, Topic};
