//! How a page is read.

use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// How a page is read; the defaults are right for a page from the Web.
///
/// Fields may be added in any version: write `Options { url, ..Options::default() }`.
// Not `non_exhaustive`, which forbids just that.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What one page may cost.
    pub limits: Limits,
    /// The charset that the transport named (HTTP's `Content-Type`), if any.
    pub charset: Option<String>,
    /// What happens to text that the page hides.
    pub hidden: Hidden,
    /// The address of the page; relative links are resolved against it.
    pub url: Option<String>,
    /// Columns at which text is wrapped for its density; 80 where `None` (w_max of Equation 1).
    pub width: Option<u32>,
}

impl Options {
    /// Is this a label of an encoding of the Web, that [`Options::charset`] can be set to?
    pub fn is_charset(label: &str) -> bool {
        encoding_rs::Encoding::for_label(label.trim().as_bytes()).is_some()
    }
}

/// What happens to text that the page hides from its readers (`hidden`, `aria-hidden`,
/// `display:none`, `template`, `noscript`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Hidden {
    /// It makes no blocks.
    #[default]
    Drop,
    /// It is text like any other.
    Keep,
    /// It makes blocks of its own with the label `hidden`; extractors see them, the output has them
    /// only if an extractor keeps them.
    Mark,
}

impl Hidden {
    /// All choices with their names.
    pub const ALL: [(Hidden, &'static str); 3] =
        [(Hidden::Drop, "drop"), (Hidden::Keep, "keep"), (Hidden::Mark, "mark")];
}
