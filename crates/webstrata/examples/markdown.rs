//! Markdown and metadata of a page, from one parse.
//!
//! `cargo run -p webstrata --example markdown`

use webstrata::output::{OutputOptions, RecordPart};
use webstrata::{Extractor, Options, Record};

const PAGE: &[u8] = br#"<!doctype html><html lang=en>
    <title>An hourly ferry | The Tarnbeck Ledger</title>
    <meta name=author content="Ada Holm">
    <meta property="article:published_time" content="2025-04-03T08:00:00Z">
    <nav><a href=/>Home</a> <a href=/news>News</a></nav>
    <article><h1>An hourly ferry</h1>
    <p>The ferry between the two islands will run <em>every hour</em> from Monday on, the harbour
    office said after a winter of two crossings a day.</p>
    <ul><li>First crossing at six in the morning</li><li>Last crossing at ten at night</li></ul>
    <p>Tickets cost the same as before and are sold on board, in coins only.</p></article>
    <footer><a href=/imprint>Imprint</a></footer>"#;

fn main() {
    let record = record(PAGE);
    println!("{}", record.markdown.as_deref().unwrap_or_default());
    // The same as JSON, every field with its name.
    println!("{}", serde_json::to_string_pretty(&record).expect("records are plain values"));
}

fn record(page: &[u8]) -> Record {
    // Where the page came from; relative links are resolved against it.
    let url = Some("https://ledger.example/ferry".to_owned());
    let options = Options { url, ..Options::default() };
    // The page is read once: its tree stays with its document, and every part is made from them.
    let page = Extractor::default_builtin().extract_page(page, &options);
    Record::of(&page, &[RecordPart::Metadata, RecordPart::Markdown], &OutputOptions::default())
}

#[test]
fn structure_and_metadata() {
    main();
    let record = record(PAGE);
    let markdown = record.markdown.expect("it was asked for");
    assert!(markdown.starts_with("# An hourly ferry\n\nThe ferry"), "{markdown}");
    assert!(
        markdown.contains("*every hour*") && markdown.contains("- First crossing"),
        "{markdown}"
    );
    let metadata = record.metadata.expect("it was asked for");
    assert_eq!(metadata.authors[0].value, "Ada Holm");
    assert!(metadata.published.expect("a date").value.starts_with("2025-04-03"));
}
