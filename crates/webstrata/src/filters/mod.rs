//! Filters: the small steps that an extractor is made of.
//!
//! A [`Filter`] looks at the blocks of a [`Document`] and changes one thing about them. Its
//! [`Verb`], which its name begins with, tells which. Property tests hold every built-in filter to
//! its verb:
//!
//! | name | what it may change |
//! |---|---|
//! | `Find…` | adds labels |
//! | `Classify`, `Keep…`, `Drop…` | sets content and score; may label what it decided about |
//! | `Fuse…`, `Split…`, `Remove…` | the list of blocks |
//!
//! Atoms never change, every filter takes any document, and all run in linear time. A [`Step`] is
//! any one of these filters with its parameters, as it stands in an extractor's TOML, or a filter of
//! your own ([`Filter`] shows how to write one).
//!
//! `DropAfterEnd`, `DropAfterEndFromBottom`, `DropShortFullText`, `FindEndOfText`,
//! `KeepArticleMetadata` and `KeepLargestFullText` have word lists or thresholds that come from English
//! pages.

mod classify;
mod fuse;
mod labelled;
pub(crate) mod largest;
mod least_tags;
pub(crate) mod likely;
mod macros;
mod own;
mod short;
mod signal;
mod site;
mod sparse;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod title;
mod verb;

use std::fmt;
use std::sync::Arc;

pub use self::classify::{Classify, KeepAll, KeepInverted};
pub use self::fuse::{
    FuseContent, FuseNearby, FuseSameDensity, FuseSameMarkup, RemoveBoilerplate, SplitParagraphs,
};
pub use self::labelled::{DropLabelled, FindPrecedingLabels, KeepLabelled, KeepSurrounded};
pub use self::largest::KeepLargest;
pub use self::least_tags::KeepLeastTags;
pub use self::likely::{KeepBestContainer, KeepLikely};
pub use self::own::OwnFilter;
pub use self::short::{DropShort, DropWithoutClause};
pub use self::signal::KeepSignal;
pub use self::site::{DropRepeated, KeepLikelyOnSite};
pub use self::sparse::DropSparse;
pub use self::title::{DropBeforeTitle, FindTitle, KeepTitleToContent};
pub use self::verb::Verb;
pub use crate::english::{
    DropAfterEnd, DropAfterEndFromBottom, DropShortFullText, FindEndOfText, KeepArticleMetadata,
    KeepLargestFullText,
};

pub(crate) use self::macros::filter;
use self::macros::steps;
use crate::document::{Block, Document};

/// One step on the way from a page's blocks to its main text.
///
/// The built-in filters implement it, and so can yours:
///
/// ```
/// use webstrata::filters::{Classify, Filter, Verb};
/// use webstrata::{Document, Extractor};
///
/// /// Drops blocks that are in capitals throughout.
/// #[derive(Debug)]
/// struct DropCapitals;
///
/// impl Filter for DropCapitals {
///     fn name(&self) -> &'static str {
///         "drop-capitals"
///     }
///
///     fn verb(&self) -> Verb {
///         Verb::Drop
///     }
///
///     fn apply(&self, document: &mut Document) {
///         let in_capitals: Vec<bool> = document
///             .blocks
///             .iter()
///             .map(|block| document.with_text(block, |text| text == text.to_uppercase()))
///             .collect();
///         for (block, in_capitals) in document.blocks.iter_mut().zip(in_capitals) {
///             block.is_content &= !in_capitals;
///         }
///     }
/// }
///
/// let extractor = Extractor::new("calm").step(Classify::default()).step(DropCapitals);
/// assert_eq!(extractor.steps[1].name(), "drop-capitals");
/// ```
pub trait Filter: fmt::Debug + Send + Sync {
    /// Its name in lower case with hyphens, which begins with its verb: `drop-capitals`. It is what
    /// [`Extractor::explain`](crate::Extractor::explain) shows.
    fn name(&self) -> &'static str;

    /// What it may change. An explanation relies on it.
    fn verb(&self) -> Verb;

    /// Applies the filter to all blocks of the document.
    ///
    /// It should take any document, even an empty one, without a panic and in linear time.
    fn apply(&self, document: &mut Document);

    /// Does it look at [`Document::site`], that is, do other pages of the site help?
    fn asks_for_site(&self) -> bool {
        false
    }

    /// The same filter with another weight of recall: above 1 it keeps more doubtful blocks, below 1
    /// fewer. `None` where it has no such weight.
    fn with_recall(&self, recall: f64) -> Option<Step> {
        let _ = recall;
        None
    }

    /// The filter as a step. The built-in filters have steps of their own; leave it as it is.
    #[doc(hidden)]
    fn into_step(self) -> Step
    where
        Self: Sized + 'static,
    {
        (Arc::new(self) as Arc<dyn Filter>).into()
    }
}

// Every filter. To add one: write it with `filter!`, name it after what it may change, list it here,
// and use it in an extractor.
steps! {
    Classify,
    FindTitle,
    FindEndOfText,
    FindPrecedingLabels,
    KeepAll,
    KeepInverted,
    KeepLabelled,
    KeepSurrounded,
    KeepLargest,
    KeepLargestFullText,
    KeepLeastTags,
    KeepBestContainer,
    KeepLikely,
    KeepLikelyOnSite,
    KeepSignal,
    KeepTitleToContent,
    KeepArticleMetadata,
    DropLabelled,
    DropShort,
    DropShortFullText,
    DropWithoutClause,
    DropSparse,
    DropRepeated,
    DropBeforeTitle,
    DropAfterEnd,
    DropAfterEndFromBottom,
    FuseNearby,
    FuseContent,
    FuseSameDensity,
    FuseSameMarkup,
    SplitParagraphs,
    RemoveBoilerplate,
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
