//! The files that graphs are built from.
