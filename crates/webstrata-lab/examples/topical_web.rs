//! Writes a made-up web of topics, for the commands to work on (docs/facets.md):
//!
//! ```text
//! cargo run --release -p webstrata-lab --example topical_web DIR [hard]
//! ```
//!
//! `pages.jsonl`, `links.tsv`, `categories.tsv` (the directory) and `queries.tsv` (topic, tab, words).

use std::path::Path;
use std::{env, fs};

use webstrata_lab::retrieval::topical_web::{Options, TopicalWeb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: topical_web DIR [hard]";
    let folder = env::args().nth(1).ok_or(usage)?;
    let options = match env::args().nth(2).as_deref() {
        None => Options::default(),
        Some("hard") => {
            Options { listed: 0.1, ambiguous: 0.4, noise: 0.3, hubs: 5, ..Options::default() }
        }
        Some(_) => return Err(usage.into()),
    };
    let web = TopicalWeb::new(&options);
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("pages.jsonl"), web.to_pages())?;
    fs::write(folder.join("links.tsv"), web.to_links())?;
    // A topic that the directory does not have cannot be suggested.
    let categories = web.to_categories();
    let is_listed = |path: &str| {
        let paths = categories.lines().filter_map(|line| line.split_once('\t'));
        paths.map(|(_, other)| other).any(|other| other.starts_with(path))
    };
    let mut queries = web.queries(2);
    queries.retain(|(topic, _)| is_listed(&web.topics[*topic].path));
    let lines =
        queries.iter().map(|(topic, query)| format!("{}\t{query}\n", web.topics[*topic].path));
    fs::write(folder.join("queries.tsv"), lines.collect::<String>())?;
    println!("{} pages, {} topics, {} queries", web.pages.len(), web.topics.len(), queries.len());
    Ok(())
}
