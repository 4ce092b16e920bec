//! Topics: rankings biased on the categories of a directory, and what they are good for (3.3).

mod combine;
mod read;
mod tree;

pub use combine::combine;
pub use read::{ReadCategories, read_categories};
pub use tree::{Categories, Category, Reach};
