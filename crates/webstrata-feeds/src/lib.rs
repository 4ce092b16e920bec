//! Follows feeds and fetches the pages that they name.
//!
//! - [`fetch`]: pages over HTTP, politely and in bounds.
//! - [`feeds`]: RSS, Atom and JSON Feed, however broken; the file of feeds to follow.
//! - [`addresses`]: lists of addresses and sitemaps, fetched once; what came is kept in web archives.
//! - [`store`]: what is known, in one file that survives the program.
//! - [`pipeline`]: the loop: feeds in, records out.
//! - [`sinks`]: where records go.

pub mod addresses;
mod calendar;
mod dates;
pub mod feeds;
pub mod fetch;
pub mod pipeline;
pub mod sinks;
pub mod store;

pub use dates::parse as parse_date;
pub use webstrata_base::Error;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
