//! The corpora of the fuzzers: for each target a file of lines, each of them an input, escaped as byte strings of Rust
//! are. `fuzz/run` hands them to libFuzzer, `fuzz/run --keep` makes them, and the tests of the crates run over them.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

/// Mutations of each corpus that a test runs over.
const MUTATIONS: usize = 400;

/// Runs a check over the corpus of a target, and over mutations of it.
pub(crate) fn hold(target: &str, check: fn(&[u8])) {
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "{target}: no corpus");
    let checked = |input: &[u8]| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(input))) {
            eprintln!("{target}, on {}", input.escape_ascii());
            resume_unwind(panic);
        }
    };
    inputs.iter().for_each(|input| checked(input));
    let mut random =
        Random(target.bytes().fold(1, |seed: u64, byte| (seed << 5) ^ u64::from(byte)));
    for _ in 0..MUTATIONS {
        checked(&mutation(&inputs, &mut random));
    }
}

/// xorshift64*: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// The inputs of a target.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpora");
    let file = folder.join(format!("{target}.txt"));
    let text = std::fs::read_to_string(&file);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(unescaped).collect()
}

/// What `escape_ascii` wrote.
pub(crate) fn unescaped(line: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let byte = digit().zip(digit()).map(|(high, low)| (high << 4 | low) as u8);
                byte.expect("two digits")
            }
            Some(other) => other,
        });
    }
    bytes
}

/// An input, changed in a few places or joined with another.
fn mutation(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = inputs[random.below(inputs.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = at + random.below((bytes.len() - at).min(32) + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            _ => {
                let other = &inputs[random.below(inputs.len())];
                let from = random.below(other.len() + 1);
                drop(bytes.splice(at..end, other[from..].iter().take(64).copied()));
            }
        }
    }
    bytes
}

#[test]
fn what_was_escaped_comes_back() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(unescaped(&all.escape_ascii().to_string()), all);
}
