//! The checks of `tests/it/fuzz.rs`, driven by libFuzzer. The last two bytes choose how the page is
//! read, so that the seeds of `tests/corpus` serve as they are.

#![no_main]

#[path = "../../crates/webstrata/tests/it/fuzz.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let [page @ .., low, high] = data {
        fuzz::check(u16::from_le_bytes([*low, *high]), page);
    }
});
