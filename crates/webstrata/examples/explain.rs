//! Why was a block dropped? Which step decided about each block of a page.
//!
//! `cargo run -p webstrata --example explain`

use webstrata::output::Explanation;
use webstrata::{Extractor, Options, Page};

const PAGE: &[u8] = b"<title>An hourly ferry - The Post</title>
    <ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul>
    <h1>An hourly ferry</h1>
    <p>The ferry between the two islands will run every hour from Monday on, the harbour office
    said after a winter of two crossings a day, and on Sundays it will carry bicycles as well.</p>
    <p>Tickets cost the same as before and are sold on board, in coins only, since the machine on the
    quay has not been repaired and nobody knows when it will be.</p>
    <p><a href=/jobs>Jobs</a></p>";

fn main() {
    for (text, verdict) in verdicts(PAGE) {
        println!("{verdict:40} {text}");
    }
}

/// The beginning of each block, and what became of it.
fn verdicts(page: &[u8]) -> Vec<(String, String)> {
    let extractor = Extractor::named("article").expect("a built-in extractor");
    let page = Page::read(page, extractor.cutting, &Options::default());
    let explanation = Explanation::of(page, extractor, &[], &Default::default());
    let verdict = |block: &webstrata::output::ExplainedBlock| {
        let verdict = if block.block.content { "kept" } else { "dropped" };
        let step = match block.decided_by {
            Some(decision) => format!("by step {}, {}", decision.step + 1, decision.filter),
            None => "by no step".to_owned(),
        };
        let text = block.block.text.chars().take(30).collect();
        (text, format!("{verdict} {step}"))
    };
    explanation.blocks.iter().map(verdict).collect()
}

#[test]
fn every_block_has_a_reason() {
    main();
    let verdicts = verdicts(PAGE);
    let (menu, why) = &verdicts[0];
    assert!(menu.starts_with("Home"), "{menu}");
    assert!(why.starts_with("dropped by step"), "{why}");
    assert!(
        verdicts.iter().any(|(text, why)| text.starts_with("The ferry") && why.starts_with("kept"))
    );
}
