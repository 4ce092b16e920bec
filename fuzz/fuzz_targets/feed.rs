//! The checks of `webstrata-feeds`'s `tests/it/fuzz.rs`, driven by libFuzzer.

#![no_main]

#[path = "../../crates/webstrata-feeds/tests/it/fuzz.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::check(data));
