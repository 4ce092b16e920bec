//! The main text of a page.
//!
//! `cargo run -p webstrata --example extract [FILE]`

use std::{env, fs, io};

const PAGE: &[u8] = b"<!doctype html><title>An hourly ferry</title>
    <nav><a href=/>Home</a> <a href=/news>News</a> <a href=/tides>Tides</a></nav>
    <main><h1>An hourly ferry</h1>
    <p>The ferry between the two islands will run every hour from Monday on, the harbour office
    said after a winter of two crossings a day.</p>
    <p>Tickets cost the same as before and are sold on board, in coins only.</p></main>
    <footer><a href=/imprint>Imprint</a> <a href=/jobs>Jobs</a></footer>";

fn main() -> io::Result<()> {
    let page = match env::args().nth(1) {
        Some(file) => fs::read(file)?,
        None => PAGE.to_vec(),
    };
    print!("{}", main_text(&page));
    Ok(())
}

/// Any bytes will do: extraction never fails. `limits` tells what was cut short of a page that is too
/// large or nested too deep.
fn main_text(page: &[u8]) -> String {
    let page = webstrata::extract(page);
    for limit in page.document.limits().names() {
        eprintln!("cut short by the limit on {limit}");
    }
    page.text()
}

#[test]
fn the_article_and_nothing_around_it() {
    let text = main_text(PAGE);
    assert!(text.starts_with("The ferry between the two islands"), "{text}");
    assert!(text.ends_with("in coins only.\n"), "{text}");
    assert_eq!(main_text(b""), "");
}
