//! `record` of `crates/webstrata-archive/tests/it/fuzz.rs`, driven by libFuzzer.

#![no_main]

#[path = "../../../crates/webstrata-archive/tests/it/fuzz.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::record(bytes));
