//! The server from outside, over TCP on this machine, by a client that can misbehave.

mod batch;
mod client;
#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod endpoints;
mod fetching;
mod fuzz;
mod hostile;
#[path = "../../../webstrata-archive/tests/it/json_schema.rs"]
mod json_schema;
mod properties;
mod refusals;
mod same_records;
mod schema;
mod search;
mod shutdown;
