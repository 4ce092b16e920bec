//! How do pages arrive? Folders, web archives and JSON lines, one page after the other.
//!
//! ```
//! use webstrata_stream::{Limits, Source};
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
//! Any bytes may come: nothing here panics, nothing holds more than a few times [`Limits`] in memory, and
//! what is damaged costs the records that it touches and no others.

pub mod archive;
mod arrival;
#[cfg(feature = "feeds")]
mod calendar;
#[cfg(feature = "feeds")]
mod dates;
#[cfg(feature = "feeds")]
mod error;
pub mod export;
#[cfg(feature = "feeds")]
pub mod feeds;
#[cfg(feature = "feeds")]
pub mod fetch;
mod fields;
pub mod folder;
mod http;
mod input;
mod lines;
#[cfg(feature = "feeds")]
pub mod pipeline;
#[cfg(feature = "feeds")]
mod quantity;
#[cfg(feature = "feeds")]
pub mod sinks;
pub mod site;
pub mod sniff;
mod source;
mod statuses;
#[cfg(feature = "feeds")]
pub mod store;
mod unpack;
pub mod url_key;
pub mod url_tree;
mod warc;

pub use arrival::{Arrival, Limits, Problem, ProblemKind, charset_of};
#[cfg(feature = "feeds")]
pub use dates::parse as parse_date;
#[cfg(feature = "feeds")]
pub use error::Error;
pub use input::Streamed;
pub use lines::JsonLines;
pub use source::{Cursor, Kind, Source};
pub use statuses::Statuses;
