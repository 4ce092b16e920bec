//! `address` of `crates/webstrata-site/tests/it/fuzz.rs`, driven by libFuzzer.

#![no_main]

#[path = "../../../crates/webstrata-site/tests/it/fuzz.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::address(bytes));
