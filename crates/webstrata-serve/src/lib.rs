//! webstrata as a server: a JSON API, an OpenAPI document and a web page that shows how pages are read.
//!
//! ```no_run
//! use std::net::TcpListener;
//!
//! let listener = TcpListener::bind("127.0.0.1:8080")?;
//! webstrata_serve::run(webstrata_serve::ServerSettings::default(), listener)?;
//! # Ok::<(), webstrata_serve::Error>(())
//! ```
//!
//! **The way of a request.** `server` accepts connections and bounds their heads and their time; `guard`
//! looks at who asks (host, origin, token) and counts; `body` reads bodies within their limits; `api` has
//! a file for each endpoint, which makes a `request` of a body and an answer of the page. All work on
//! pages is done by `work`: as many threads as there are processors, first come, first served.
//!
//! **Nothing that a client sends harms others.** Whatever it is, it is answered with 200 or with a 4xx
//! that says what is wrong in one line; what takes too long or is too much is cut ([`Limits`]).

mod answers;
mod api;
mod app;
mod body;
mod error;
mod fields;
mod guard;
mod local;
mod metrics;
mod openapi;
mod page;
mod refusal;
mod request;
mod server;
mod settings;
mod work;

pub use error::Error;
pub use local::LocalServer;
pub use server::{run, run_with_callback, serve};
pub use settings::{Limits, ServerSettings};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
