//! How do pages arrive? Folders, web archives and JSON lines, one page after the other.

pub mod warc;
