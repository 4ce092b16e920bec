//! Filters tuned on English pages: word lists, and thresholds that were only ever checked there.
//!
//! They are listed with all others in [`mod@crate::filters`]. They have a module of their own, as in
//! boilerpipe, because their rules may not hold in other languages.

mod end_of_text;
mod full_text;
mod metadata;

pub use self::end_of_text::{DropAfterEnd, DropAfterEndFromBottom, FindEndOfText};
pub use self::full_text::{DropShortFullText, KeepLargestFullText};
pub use self::metadata::KeepArticleMetadata;

/// From how many words per line on a text counts as running text.
const FULL_TEXT_DENSITY: f64 = 9.0;
