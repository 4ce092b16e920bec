//! The server from outside, over TCP on this machine, by a client that can misbehave.

mod batch;
mod client;
mod endpoints;
mod fetching;
mod hostile;
#[path = "../../../webstrata-archive/tests/it/json_schema.rs"]
mod json_schema;
mod properties;
mod refusals;
mod schema;
mod search;
mod shutdown;
