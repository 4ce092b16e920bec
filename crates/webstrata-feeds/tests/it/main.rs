//! The crate's one integration test binary: feeds, and servers on loopback that keep no promise.

mod feeds;
mod fetching;
mod fuzz;
mod refusing;
mod robots;
mod secure;
mod server;
