//! What rankings of pages are worth (thesis, chapter 3).
//!
//! - [`compare`]: how alike two rankings are.
//! - [`judge`]: how good a ranking is, by what people or categories say.
//! - [`topics`]: rankings biased on categories, and what they are good for.
//! - [`partitions`]: which pages make a partition, and what that does.
//! - [`strata`]: what difference it makes where links stand.

pub mod compare;
pub mod judge;
pub mod partitions;
pub mod strata;
pub mod topics;
