//! Writes records of invented texts to stdout, of which every fourth repeats an earlier one with a few words changed:
//!
//! ```sh
//! cargo run --release -p webstrata-corpus --example generated_texts 1000000 > texts.jsonl
//! ```

use std::error::Error;
use std::io::{BufWriter, Write, stdout};

use webstrata_base::Random;

const WORDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let count: u64 = std::env::args().nth(1).ok_or("expected how many")?.parse()?;
    let mut to = BufWriter::new(stdout().lock());
    for number in 0..count {
        let mut random = Random::for_purpose(number, "text");
        let is_copy = number % 4 == 3;
        let original = number
            - if is_copy { 1 + random.below(number.min(200_000) as usize) as u64 } else { 0 };
        let mut words = text(original - u64::from(is_copy && original % 4 == 3));
        for _ in 0..if is_copy { random.below(6) } else { 0 } {
            words[random.below(WORDS)] = random.below(20_000);
        }
        write!(to, "{{\"id\":\"{number}\",\"text\":\"")?;
        words.iter().try_for_each(|word| write!(to, "w{word} "))?;
        to.write_all(b"\"}\n")?;
    }
    Ok(to.flush()?)
}

/// The words of a text that repeats nothing.
fn text(number: u64) -> Vec<usize> {
    let mut random = Random::for_purpose(number, "words");
    (0..WORDS).map(|_| random.below(20_000)).collect()
}
