//! Filters tuned on English pages: word lists, and thresholds that were only ever checked there.
//!
//! They are listed with all others in [`mod@crate::filters`]; they stand in a folder of their own, as
//! they do in boilerpipe, so that nobody takes them for rules that hold in every language.

mod end_of_text;
mod full_text;
mod metadata;

pub use self::end_of_text::{DropAfterEnd, DropAfterEndFromBottom, FindEndOfText};
pub use self::full_text::{DropShortFullText, KeepLargestFullText};
pub use self::metadata::KeepArticleMetadata;

/// From how many words per line on a text counts as running text.
const FULL_TEXT_DENSITY: f64 = 9.0;
