//! `webstrata explain`.

use insta::assert_snapshot;

use crate::site::{Site, TIDES, example};

#[test]
fn table() {
    let mut site = Site::new(&[("tides.html", TIDES), ("empty.html", "")]);
    site.file("news.html", example("news"));
    site.run("explain tides.html");
    site.run("explain --extractor sentences --all tides.html");
    site.run("explain news.html");
    site.run("explain empty.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn json() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.run("explain --json --extractor largest tides.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn filter() {
    let mut site = Site::new(&[]);
    site.run("explain --filter fuse-nearby");
    site.run("explain --filter BlockProximityFusion");
    site.run("explain --filter keep-all");
    assert_snapshot!(site.transcript());
}

#[test]
fn colours_only_where_they_belong() {
    let site = Site::new(&[("tides.html", TIDES)]);
    let colours = |arguments: &str| site.stdout(arguments).contains('\x1b');
    assert!(!colours("explain tides.html"));
    assert!(!colours("extractors"));
    assert!(!colours("explain --color never tides.html"));
    assert!(colours("explain --color always tides.html"));
    assert!(colours("--color always extractors"));
    assert!(!colours("explain --color always --json tides.html"));
}

/// A page must not be able to steer a terminal.
#[test]
fn control_characters_are_not_passed_on() {
    let site = Site::new(&[("evil.html", "<p>\x1b]0;owned\x07 and &#x9b;31m more, line by line")]);
    let table = site.stdout("explain evil.html");
    assert!(!table.contains(|c: char| c.is_control() && c != '\n'), "{table:?}");
}
