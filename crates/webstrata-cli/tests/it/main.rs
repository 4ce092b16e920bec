//! The crate's one integration test binary: the command as its users see it.
//!
//! Most tests are a transcript of commands in a directory of their own, compared as a whole with a
//! snapshot. `INSTA_UPDATE=always cargo test -p webstrata-cli` writes new ones; read them.

mod batch;
mod corpus;
mod dedup;
mod errors;
mod eval;
mod explain;
mod extract;
mod faults;
mod features;
mod links_compare;
mod links_graph;
mod links_processes;
mod links_rank;
mod links_topics;
mod lists;
mod replay;
mod search;
mod segment;
mod serve;
#[path = "../../../webstrata-stream/tests/it/server.rs"]
#[allow(dead_code)]
mod server;
mod site;
mod stream;
mod train;
mod url;
mod warc;
