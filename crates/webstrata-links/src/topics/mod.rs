//! Topics: the categories of a directory, which rankings are biased on (3.3).
//!
//! - [`read_categories`]: a tree of categories from files.
//! - [`combine`]: rankings for mixtures of topics.

mod combine;
mod read;
mod tree;

pub use combine::combine;
pub use read::{ReadCategories, read_categories};
pub use tree::{Categories, Category, Reach};
