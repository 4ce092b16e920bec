//! What a document is written as.

mod code;
mod explanation;
mod footnotes;
mod highlight;
mod html;
mod kept;
mod links;
mod markdown;
mod math;
mod record;
mod visit;

pub use explanation::{Decision, EXPLANATION_VERSION, ExplainedBlock, ExplainedStep, Explanation};
pub use highlight::highlight;
pub use html::html;
pub use markdown::markdown;
pub use record::{BlockRecord, Part, RECORD_VERSION, Record, SeenRecord};

/// What [`markdown()`] and [`html()`] write besides the text. Neither choice changes the text.
///
/// Fields may be added in any version: write `MarkupOptions { links: true, ..Default::default() }`.
// Not `non_exhaustive`, which forbids just that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkupOptions {
    /// Links are written with where they lead; otherwise only their text is.
    pub links: bool,
    /// Images that stand between kept texts are written, with their alternative text.
    pub images: bool,
}
