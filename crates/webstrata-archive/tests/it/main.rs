//! The crate's one integration test binary: archives, lines and folders as they lie on disks.

mod archives;
#[path = "../../../../fuzz/corpora.rs"]
mod corpora;
mod damage;
mod folders;
mod fuzz;
mod json_lines;
mod json_schema;
mod kinds;
mod limits;
mod records;
mod wacz;
mod warc_writer;
mod writing;
