//! What a test says that cannot check anything here. The tests of other crates include this file, too.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says once for each test that it was skipped, and why. `eprintln!` would not do: the harness shows what
/// that writes only for tests that fail.
pub(crate) fn skipped(why: &str) {
    let thread = std::thread::current();
    // The harness gives threads the names of their tests, unless there is one thread for all.
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a test"));
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}
