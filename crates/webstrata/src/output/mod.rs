//! What a document is written as.

mod code;
mod discussion;
mod elements;
mod explanation;
mod footnotes;
mod highlight;
mod html;
mod images;
mod kept;
mod links;
mod markdown;
mod math;
mod record;
mod selection;
mod sink;
pub(crate) mod table;
mod text;
mod walk;

use crate::part::Parts;

pub use explanation::{Decision, EXPLANATION_VERSION, ExplainedBlock, ExplainedStep, Explanation};
pub use highlight::highlight;
pub use html::html;
pub use markdown::markdown;
pub use record::{BlockRecord, RECORD_VERSION, Record, RecordPart, SeenRecord};
pub use text::text;

pub use crate::strata::reasons::{Reason, Reasons};

/// What plain text, [`markdown()`] and [`html()`] write.
///
/// Fields may be added in any version: write `OutputOptions { links: true, ..Default::default() }`.
// Not `non_exhaustive`, which forbids just that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputOptions {
    /// Links are written with where they lead; otherwise only their text is.
    pub links: bool,
    /// Images of the main text are written, with their alternative text.
    pub images: bool,
    /// The shape of plain text.
    pub text: TextShape,
    /// Blocks of these parts are written, also those that the extractor dropped.
    pub include: Parts,
    /// Blocks of these parts are not written. Excluding wins over including.
    pub exclude: Parts,
    /// Markdown begins with the page's metadata as YAML.
    pub front_matter: bool,
    /// Blocks of records say why the trees of `strata` score them so.
    pub reasons: bool,
}

impl OutputOptions {
    /// The default, where a constant is needed.
    pub const DEFAULT: OutputOptions = OutputOptions {
        links: false,
        images: false,
        text: TextShape::Structured,
        include: Parts::NONE,
        exclude: Parts::NONE,
        front_matter: false,
        reasons: false,
    };
}

/// The shape of plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextShape {
    /// Lines of code, rows of tables, marks of lists and paragraphs are kept.
    #[default]
    Structured,
    /// One line for each block that the extractor kept, as boilerpipe writes it.
    Flat,
}

impl TextShape {
    /// Both shapes with their names.
    pub const ALL: [(TextShape, &'static str); 2] =
        [(TextShape::Structured, "structured"), (TextShape::Flat, "flat")];
}
