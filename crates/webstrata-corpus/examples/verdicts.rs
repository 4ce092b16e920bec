//! What the filters of the literature say of each text, beside what datatrove says (`bench/datatrove_filters.py`):
//!
//! ```sh
//! webstrata extract --format jsonl --output texts.jsonl DIR
//! cargo run --release -p webstrata-corpus --example verdicts texts.jsonl > ours.jsonl
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use webstrata_archive::record::PageRecord;
use webstrata_corpus::filters::{self, Candidate, Marks, Verdict};

const NAMES: [&str; 4] = ["gopher-quality", "gopher-repetition", "c4", "fineweb"];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected TEXTS.jsonl")?;
    let filters: Vec<_> = NAMES
        .iter()
        .map(|name| Ok((*name, filters::named(name, &toml::Table::new())?)))
        .collect::<Result<_, String>>()?;
    for line in fs::read_to_string(path)?.lines() {
        let record = PageRecord::from_line(line.as_bytes())?;
        let mut said = BTreeMap::from([("id", record.id.clone())]);
        for (name, filter) in &filters {
            let mut candidate = Candidate::new(record.clone(), Marks::default());
            let verdict = match filter.judge(&mut candidate) {
                Verdict::Keep => "keep",
                Verdict::Drop(reason) => reason,
            };
            said.insert(name, verdict.to_owned());
            if *name == "c4" {
                said.insert("c4-text", candidate.text().trim().to_owned());
            }
        }
        println!("{}", serde_json::to_string(&said)?);
    }
    Ok(())
}
