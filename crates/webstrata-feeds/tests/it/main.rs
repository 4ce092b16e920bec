//! The crate's one integration test binary: feeds, and servers on loopback that keep no promise.

#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod feeds;
mod fetching;
mod fuzz;
mod lasting;
mod proxies;
mod refusing;
mod reuse;
mod robots;
mod secure;
mod server;
