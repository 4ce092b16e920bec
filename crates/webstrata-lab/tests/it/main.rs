//! The crate's one integration test binary: the program as its users see it, and what is proved with other programs
//! and with whole sets of pages.

mod corpus;
mod eval;
mod exactness;
mod facets;
mod features;
mod lab;
mod links_compare;
mod links_topics;
mod links_web;
mod programs;
mod replay;
mod retrieval;
mod segment;
#[path = "../../../webstrata-cli/tests/it/site.rs"]
#[allow(dead_code)]
mod site;
#[path = "../../../webstrata/tests/it/skipped.rs"]
mod skipped;
#[path = "../../../webstrata-cli/tests/it/small_sites.rs"]
#[allow(dead_code)]
mod small_sites;
mod strata;
mod swarm;
mod train;
mod web;
mod weka;

/// The program that commands of a [`site::Site`] run.
pub(crate) const PROGRAM: (&str, &str) = ("webstrata-lab", env!("CARGO_BIN_EXE_webstrata-lab"));
