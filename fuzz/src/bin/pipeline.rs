//! `pipeline` of `crates/webstrata-corpus/tests/it/fuzz.rs`, driven by libFuzzer.

#![no_main]

#[path = "../../../crates/webstrata-corpus/tests/it/fuzz.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::pipeline(bytes));
