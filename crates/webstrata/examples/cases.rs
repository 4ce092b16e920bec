//! Pages that other programs are tested with, lines of JSON.
//!
//! `cases COUNT` writes random pages with random requests and their records, which all adapters must give alike:
//! `request` (the fields by their names), `page` (a character for each byte) and `record`. `cases hostile` writes pages
//! that would run something, each as the `markdown` and the `html` that are written of it.
//!
//! `cargo run -p webstrata --example cases -- COUNT|hostile`

#[path = "cases/hostile.rs"]
mod hostile;
#[path = "cases/made.rs"]
mod made;

use std::io::{Write, stdout};

use made::Case;
use serde_json::{Value, json};
use webstrata::output::{OutputOptions, html, markdown};
use webstrata::{Extractor, Hidden, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "100".into());
    let mut out = stdout().lock();
    if argument == "hostile" {
        for (page, hidden) in
            hostile::PAGES.iter().flat_map(|page| [(page, Hidden::Drop), (page, Hidden::Keep)])
        {
            writeln!(out, "{}", written(page, hidden))?;
        }
        return Ok(());
    }
    for number in 0..argument.parse()? {
        let case = Case::of(number).without(&[]);
        let page: String = case.page.iter().map(|byte| char::from(*byte)).collect();
        let line = json!({ "request": case.request, "page": page, "record": case.record() });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn written(attack: &str, hidden: Hidden) -> Value {
    let extractor = Extractor::named("keep-all").expect("built in");
    let source = hostile::page(attack);
    let page = extractor.extract_page(source.as_bytes(), &Options { hidden, ..Options::default() });
    let all = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };
    json!({ "page": attack, "markdown": markdown(&page, &all), "html": html(&page, &all) })
}
