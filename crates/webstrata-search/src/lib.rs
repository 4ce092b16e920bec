//! Find it again.
