//! What is proved with other programs and with whole sets of pages.

mod exactness;
mod lab;
mod strata;
mod swarm;
mod weka;
