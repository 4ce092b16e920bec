//! `model` of `crates/webstrata/tests/it/fuzz_files.rs`, driven by libFuzzer.

#![no_main]

#[path = "../../../crates/webstrata/tests/it/fuzz_files.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::model(bytes));
