//! The crate's one integration test binary: archives, lines and folders as they lie on disks.

mod archives;
mod damage;
mod folders;
mod json_lines;
mod json_schema;
mod limits;
mod records;
mod warc_writer;
mod writing;
