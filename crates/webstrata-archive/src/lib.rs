//! Reads pages and writes records.
//!
//! Pages come from folders, web archives (also in WACZ files), JSON lines and tables (Parquet, Arrow), one after the
//! other:
//!
//! ```
//! use webstrata_archive::{Limits, Source};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("crawl.warc");
//! # let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The tide comes in.";
//! # std::fs::write(&path, format!(
//! #     "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/\r\n\
//! #      Content-Length: {}\r\n\r\n{page}\r\n\r\n", page.len())).unwrap();
//! for arrival in Source::open(&[path], Limits::default()) {
//!     match arrival {
//!         Ok(page) => assert_eq!(page.url.as_deref(), Some("https://example.org/")),
//!         Err(problem) => eprintln!("{problem}"), // the next page comes all the same
//!     }
//! }
//! ```
//!
//! Any input is accepted: nothing here panics, nothing holds more than a few times [`Limits`] in memory, and
//! damage costs the records that it touches and no others.
//!
//! Pages become records in one way: [`record`]. Records go out as JSON lines or as Parquet: [`export`]. Web archives are written by [`warc_writer`].

mod arrival;
mod columns;
mod digest;
pub mod export;
pub mod fields;
pub mod folder;
pub mod http;
mod input;
mod json_lines;
mod pipe;
pub mod record;
pub mod saved;
#[cfg(feature = "schema")]
pub mod schema;
pub mod sniff;
mod source;
mod statuses;
#[cfg(feature = "parquet")]
mod table;
mod unpack;
mod warc;
pub mod warc_writer;
mod zip;

pub use arrival::{Arrival, Limits, Problem, ProblemKind, charset_of};
pub use columns::Columns;
pub use input::Streamed;
pub use json_lines::{JsonLines, json_mistake};
pub use pipe::{Pipe, is_packed};
pub use source::{Cursor, InputKind, Source};
pub use statuses::Statuses;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
