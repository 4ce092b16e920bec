//! The crate's one integration test binary: archives, lines and folders as they lie on disks.

mod archive;
mod archives;
mod damage;
mod folders;
mod limits;
mod lines;
mod writing;
