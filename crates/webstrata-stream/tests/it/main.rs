//! The crate's one integration test binary: archives, lines and folders as they lie on disks, and
//! servers on loopback that keep no promise.

mod archive;
mod archives;
mod damage;
#[cfg(feature = "feeds")]
mod feeds;
#[cfg(feature = "feeds")]
mod fetching;
mod folders;
mod limits;
mod lines;
#[cfg(feature = "feeds")]
mod refusing;
#[cfg(feature = "feeds")]
mod robots;
#[cfg(feature = "feeds")]
mod server;
mod writing;
