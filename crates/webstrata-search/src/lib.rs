//! Indexes and searches pages.
//!
//! An [`Index`] holds pages ([`Entry`]) by the words of their title, main text and boilerplate; a
//! [`Query`] is answered by its [`Searcher`] with [`Hits`], ordered by BM25 times link rank
//! ([`Ranks`]).
//!
//! ```
//! use webstrata_search::{Entry, Index, IndexOptions, Query, WriterOptions};
//!
//! # fn main() -> Result<(), webstrata_base::Error> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! let index = Index::open_or_create(folder, &IndexOptions::default())?;
//! let mut writer = index.writer(&WriterOptions::default())?;
//! writer.add(&Entry {
//!     id: "https://example.org/ferry".into(),
//!     title: "An hourly ferry".into(),
//!     main: "The ferry between the two islands will run every hour.".into(),
//!     ..Entry::default()
//! })?;
//! writer.finish()?;
//!
//! let hits = index.searcher()?.search(&Query::new("\"two islands\" ferry"))?;
//! assert_eq!(hits.total, 1);
//! assert!(hits.hits[0].snippet.html().contains("<mark>islands</mark>"));
//! # Ok(())
//! # }
//! ```
//!
//! - [`mod@index`], [`writer`]: the folder, and how pages come into it.
//! - [`tokens`]: what a word is.
//! - [`query`], [`search`], [`snippets`]: questions and answers.
//! - [`levels`]: text by the length and density of its blocks (paper, section 6.1).
//! - [`ranks`]: link ranks (thesis, Equations 3.5 and 3.6).
//! - [`facets`]: the aspects that results have, by ranks and by counts (thesis, section 3.4).

mod collect;
mod compile;
mod digest;
pub mod entry;
pub mod facets;
pub mod index;
pub mod levels;
pub mod query;
pub mod ranks;
mod schema;
pub mod search;
pub mod snippets;
pub mod tokens;
pub mod writer;

pub use collect::Top;
pub use entry::{Date, Entry, Piece};
pub use index::{Contents, Index, IndexOptions};
pub use levels::Level;
pub use query::{Filters, Matching, Query, Within};
pub use ranks::{Facet, GENERAL, Mix, Ranks};
pub use search::{Attributes, Best, Hit, Hits, Searcher, Tops};
pub use snippets::Snippet;
pub use writer::{Added, Writer, WriterOptions};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
