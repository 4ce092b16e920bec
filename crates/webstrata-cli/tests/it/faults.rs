//! A stream through thick and thin: servers that fail in every way they know, and kill -9 at any moment.
//!
//! The quick version runs with all tests; `WEBSTRATA_FAULT_ROUNDS=500 cargo test --release -p webstrata-cli
//! --test it faults -- --nocapture` is the long one, see docs/streams.md.
