//! What the benchmark binaries share: the pages and the tools that run over them.

pub mod ours;
pub mod pages;
pub mod tools;

#[cfg(feature = "peers")]
mod html5gum_store;
#[cfg(feature = "peers")]
mod peers;
