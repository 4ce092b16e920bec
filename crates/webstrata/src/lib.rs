//! Separates a web page's main text from its boilerplate.
//!
//! ```
//! let page = b"<h1>An hourly ferry</h1><p>The ferry between the two islands will run every hour \
//!     from Monday on, the harbour office said after a winter of two crossings a day.</p>\
//!     <p>Tickets cost the same as before and are sold on board, in coins only.</p>\
//!     <footer><a href=/imprint>Imprint</a> <a href=/jobs>Jobs</a></footer>";
//! let text = webstrata::extract(page).text();
//! assert!(text.starts_with("The ferry between"));
//! assert!(!text.contains("Imprint"));
//! ```
//!
//! A page goes one way: bytes are decoded and parsed into a [`Tree`], whose text is cut into the
//! blocks of a [`Document`]; an [`Extractor`], which is a list of [`filters`], decides which blocks
//! are content; and the [`Page`] is written as [`output`]: text, Markdown, HTML or a [`Record`].
//! Nothing on that way fails: see [`Limits`] for what bounds it, and [`Document::limits`] for what
//! was cut short.
//!
//! Read on in [`document`], then [`mod@extractors`], then any filter.

mod addresses;
mod blocks;
mod bytes;
mod class;
mod clock;
pub mod cutting;
mod decode;
pub mod document;
mod embedded;
mod endless;
mod english;
pub mod error;
pub mod extractors;
pub mod features;
pub mod filters;
mod glue;
mod hiding;
mod html;
mod language;
pub mod limits;
pub mod links;
pub mod metadata;
pub mod model;
pub mod options;
pub mod output;
mod page;
pub mod part;
pub mod request;
mod selectors;
pub mod site;
mod stop_words;
#[cfg_attr(not(feature = "training"), allow(dead_code, unreachable_pub))]
mod strata;
mod streamed;
pub mod thread;
#[cfg(feature = "training")]
pub mod training;
pub mod tree;
mod whitespace;
pub mod words;
#[cfg_attr(not(feature = "training"), allow(dead_code, unreachable_pub))]
mod ziegler;

pub use class::Class;
pub use document::{Atom, Block, Counts, Document, Enclosing, Label, Labels};
pub use error::{Error, ErrorKind};
pub use extractors::{Extractor, StepTrace};
pub use html::tag::Tag;
pub use limits::{Limit, Limits, LimitsHit};
pub use links::Link;
pub use metadata::Metadata;
pub use model::BlockModel;
pub use options::{Hidden, Options};
pub use output::Record;
pub use page::{Page, read};
pub use part::{Part, Parts};
pub use request::Request;
pub use selectors::Selectors;
pub use strata::PageType;
pub use thread::Post;
pub use tree::{NodeId, Tree};

/// Reads a page and finds its main text with the default extractor, `strata`.
pub fn extract(page: &[u8]) -> Page<'_> {
    Extractor::default_builtin().extract_page(page, &Options::default())
}

/// The examples of the READMEs, this crate's and the repository's, are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../../README.md")]
struct Readme;
