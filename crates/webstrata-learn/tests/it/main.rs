//! What is proved with other programs and with whole sets of pages.

mod exactness;
mod lab;
#[path = "../../../webstrata/tests/it/skipped.rs"]
mod skipped;
mod strata;
mod swarm;
mod weka;
