//! The crate's one integration test binary: the command as its users see it.
//!
//! Most tests are a transcript of commands in a directory of their own, compared as a whole with a
//! snapshot. `INSTA_UPDATE=always cargo test -p webstrata-cli` writes new ones; read them.

mod addresses;
mod batch;
mod corpus;
mod corpus_fetched;
mod corpus_kills;
mod corpus_outputs;
mod dedup;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod disk;
mod documents;
mod errors;
mod explain;
mod extract;
mod faults;
mod kinds;
mod links_graph;
mod links_processes;
mod links_rank;
mod lists;
mod pipes;
mod same_records;
mod search;
mod segment;
mod serve;
#[path = "../../../webstrata-feeds/tests/it/server.rs"]
#[allow(dead_code)]
mod server;
mod site;
mod site_templates;
#[allow(dead_code)]
mod small_sites;
mod stream;
mod url;
#[path = "../../../webstrata-archive/tests/it/wacz.rs"]
mod wacz;
mod warc;

/// The program that commands of a [`site::Site`] run.
pub(crate) const PROGRAM: (&str, &str) = ("webstrata", env!("CARGO_BIN_EXE_webstrata"));
