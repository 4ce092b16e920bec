//! An extractor of one's own, from TOML.
//!
//! `cargo run -p webstrata --example own_extractor`

use webstrata::{Error, ErrorKind, Extractor};

/// A list of filters with their parameters; those left out have their defaults.
/// `webstrata extractors` lists the built-in extractors, which are files like this one.
const MINE: &str = r#"
name = "mine"
about = "Blocks of ten words or more, without what is mostly links"
steps = [
  { filter = "classify", model = "num-words" },
  { filter = "fuse-nearby", max-distance = 1, content-only = true },
  { filter = "drop-short", min-words = 10 },
]
"#;

const PAGE: &[u8] = b"<p><a href=/>Home</a> <a href=/news>News</a>
    <p>The ferry between the two islands will run every hour from Monday on, the harbour office
    said after a winter of two crossings a day, and on Sundays it will carry bicycles as well.
    <p>Tickets cost the same as before and are sold on board, since the machine on the quay has not
    been repaired: in coins only.
    <p><a href=/jobs>Jobs</a>";

fn main() -> Result<(), Error> {
    let mine = Extractor::from_toml(MINE)?;
    print!("{}", mine.extract(PAGE).text());
    // A mistake is told with its line and the remedy, and its kind can be matched.
    let error = Extractor::from_toml(&MINE.replace("min-words", "min-wrods")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownName);
    eprintln!("{error}");
    Ok(())
}

#[test]
fn it_reads_back_and_extracts() -> Result<(), Error> {
    main()?;
    let mine = Extractor::from_toml(MINE)?;
    assert_eq!(Extractor::from_toml(&mine.to_toml())?, mine);
    let text = mine.extract(PAGE).text();
    assert!(text.starts_with("The ferry") && text.ends_with("coins only.\n"), "{text}");
    Ok(())
}
