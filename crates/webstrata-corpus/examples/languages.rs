//! The language of each text, with its confidence, beside what other programs say (`bench/languages.py`):
//!
//! ```sh
//! cargo run --release -p webstrata-corpus --example languages texts.jsonl > ours.jsonl
//! ```
//!
//! The time for each kind of text goes to stderr: of each text the best of five rounds, on one thread.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write, stdout};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use webstrata::metadata::identify_language;

const ROUNDS: usize = 5;

#[derive(Deserialize)]
struct Text {
    set: String,
    letters: usize,
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected TEXTS.jsonl")?;
    let texts = fs::read_to_string(path)?;
    let texts: Vec<Text> = texts.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut to = BufWriter::new(stdout().lock());
    for text in &texts {
        let said = identify_language(&text.text);
        let (language, confidence) = said.map_or((None, 0.0), |(of, sure)| (Some(of), sure));
        writeln!(to, "{}", json!({"language": language, "confidence": confidence}))?;
    }
    to.flush()?;

    let mut kinds: BTreeMap<(&str, usize), Vec<&str>> = BTreeMap::new();
    for text in &texts {
        kinds.entry((&text.set, text.letters)).or_default().push(&text.text);
    }
    for ((set, letters), texts) in kinds {
        let once = |text: &str| {
            let start = Instant::now();
            std::hint::black_box(identify_language(text));
            start.elapsed()
        };
        let best = |text: &&str| (0..ROUNDS).map(|_| once(text)).min().unwrap_or(Duration::ZERO);
        let all: Duration = texts.iter().map(best).sum();
        let each = all.as_secs_f64() * 1e6 / texts.len() as f64;
        eprintln!("{set}, {letters} letters: {} texts, {each:.2} µs each", texts.len());
    }
    Ok(())
}
