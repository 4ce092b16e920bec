//! Filters: the small steps that an extractor is made of.
//!
//! A [`Filter`] looks at the blocks of a [`Document`] and changes one thing about them. Its name
//! tells which, and property tests hold every filter to it:
//!
//! | name | what it may change |
//! |---|---|
//! | `Find…` | adds labels |
//! | `Classify`, `Keep…`, `Drop…` | sets content and score; may label what it decided about |
//! | `Fuse…`, `Split…`, `Remove…` | the list of blocks |
//!
//! Atoms never change, every filter takes any document, and all run in linear time. A [`Step`] is
//! any one of these filters with its parameters, as it stands in an extractor's TOML.
//!
//! Filters whose word lists or thresholds come from English pages live in
//! [`mod@crate::english`] and are listed here with the others.

mod classify;
mod fuse;
mod labelled;
pub(crate) mod largest;
mod least_tags;
mod likely;
mod macros;
mod short;
mod signal;
mod site;
mod sparse;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod title;

pub use self::classify::{Classify, KeepAll, KeepInverted};
pub use self::fuse::{
    FuseContent, FuseNearby, FuseSameDensity, FuseSameMarkup, RemoveBoilerplate, SplitParagraphs,
};
pub use self::labelled::{DropLabelled, FindPrecedingLabels, KeepLabelled, KeepSurrounded};
pub use self::largest::KeepLargest;
pub use self::least_tags::KeepLeastTags;
pub use self::likely::{KeepBestContainer, KeepLikely};
pub use self::short::{DropShort, DropWithoutClause};
pub use self::signal::KeepSignal;
pub use self::site::{DropRepeated, KeepLikelyOnSite};
pub use self::sparse::DropSparse;
pub use self::title::{DropBeforeTitle, FindTitle, KeepTitleToContent};
pub use crate::english::{
    DropAfterEnd, DropAfterEndFromBottom, DropShortFullText, FindEndOfText, KeepArticleMetadata,
    KeepLargestFullText,
};

pub(crate) use self::macros::filter;
use self::macros::steps;
use crate::document::{Block, Document};

/// One step on the way from a page's blocks to its main text.
pub trait Filter {
    /// Applies the filter to all blocks of the document.
    fn apply(&self, document: &mut Document);
}

// Every filter, by its name in TOML. To add one: write it with `filter!`, name it after what it may
// change, list it here, and use it in an extractor.
steps! {
    "classify" Classify,
    "find-title" FindTitle,
    "find-end-of-text" FindEndOfText,
    "find-preceding-labels" FindPrecedingLabels,
    "keep-all" KeepAll,
    "keep-inverted" KeepInverted,
    "keep-labelled" KeepLabelled,
    "keep-surrounded" KeepSurrounded,
    "keep-largest" KeepLargest,
    "keep-largest-full-text" KeepLargestFullText,
    "keep-least-tags" KeepLeastTags,
    "keep-best-container" KeepBestContainer,
    "keep-likely" KeepLikely,
    "keep-likely-on-site" KeepLikelyOnSite,
    "keep-signal" KeepSignal,
    "keep-title-to-content" KeepTitleToContent,
    "keep-article-metadata" KeepArticleMetadata,
    "drop-labelled" DropLabelled,
    "drop-short" DropShort,
    "drop-short-full-text" DropShortFullText,
    "drop-without-clause" DropWithoutClause,
    "drop-sparse" DropSparse,
    "drop-repeated" DropRepeated,
    "drop-before-title" DropBeforeTitle,
    "drop-after-end" DropAfterEnd,
    "drop-after-end-from-bottom" DropAfterEndFromBottom,
    "fuse-nearby" FuseNearby,
    "fuse-content" FuseContent,
    "fuse-same-density" FuseSameDensity,
    "fuse-same-markup" FuseSameMarkup,
    "split-paragraphs" SplitParagraphs,
    "remove-boilerplate" RemoveBoilerplate,
}

/// Calls `decide` on every block that is a `candidate` and whose text passes `test`.
pub(crate) fn decide_by_text(
    document: &mut Document,
    candidate: impl Fn(&Block) -> bool,
    mut test: impl FnMut(&str) -> bool,
    decide: impl Fn(&mut Block),
) {
    let mut blocks = std::mem::take(&mut document.blocks);
    for block in &mut blocks {
        if candidate(block) && document.with_text(block, &mut test) {
            decide(block);
        }
    }
    document.blocks = blocks;
}
