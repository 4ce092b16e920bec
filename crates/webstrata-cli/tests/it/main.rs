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
mod features;
mod lists;
mod replay;
mod segment;
mod site;
mod stream;
mod train;
mod url;
mod warc;
