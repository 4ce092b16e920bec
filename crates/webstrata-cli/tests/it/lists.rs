//! `webstrata extractors`, `webstrata blocks` and the help.

use insta::assert_snapshot;

use crate::site::{Site, TIDES, check_help_and_version};

const QUOTED: &str = "<title>Q</title><h1>Fog, \"rain\"</h1><div><p>One<br>two</div><p hidden>x";

#[test]
fn extractors() {
    let mut site = Site::new(&[]);
    site.run("extractors");
    site.run("extractors show article");
    site.run("extractors filters");
    assert_snapshot!(site.transcript());
}

#[test]
fn blocks() {
    let mut site = Site::new(&[("quoted.html", QUOTED)]);
    site.run("blocks quoted.html");
    site.run("blocks --rules ziegler --hidden mark quoted.html");
    site.run("blocks --format json --hidden mark quoted.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn what_show_prints_can_be_used() {
    let site = Site::new(&[("tides.html", TIDES)]);
    site.file("my.toml", site.stdout("extractors show sentences"));
    let own = site.stdout("extract --extractor my.toml tides.html");
    assert_eq!(own, site.stdout("extract --extractor sentences tides.html"));
}

#[test]
fn help() {
    let mut site = Site::new(&[]);
    site.run("");
    site.run("--help");
    let commands = [
        "extract",
        "explain",
        "extractors",
        "extractors show",
        "blocks",
        "segment",
        "warc",
        "dedup",
        "corpus",
        "corpus run",
        "corpus filters",
        "search",
        "links",
        "stream",
        "url",
        "serve",
    ];
    for command in commands {
        site.run(&format!("{command} --help"));
    }
    site.run("extract -h");
    assert_snapshot!(site.transcript());
}

#[test]
fn the_help_fits_a_screen_and_the_version_is_told() {
    check_help_and_version();
}
