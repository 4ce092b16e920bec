//! `webstrata segment`.

use insta::assert_snapshot;

use crate::site::{LINKS, Site, TIDES};

#[test]
fn one_page() {
    let mut site = Site::new(&[("tides.html", TIDES), ("links.html", LINKS), ("empty.html", "")]);
    site.run("segment tides.html");
    site.run("segment --method plain --threshold 0.1 tides.html");
    site.run("segment --method word-wrap --width 40 tides.html");
    site.run("segment --format text tides.html");
    site.run("segment --format highlight tides.html");
    site.run("segment --format json --method smoothed links.html");
    site.run("segment empty.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn gold() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.file("own.txt", site.stdout("segment --format text tides.html"));
    site.file("one.txt", site.stdout("segment --format text tides.html").replace("\n\n", "\n"));
    site.file("other.txt", "Home\n\nOld news");
    site.run("segment --gold own.txt tides.html");
    site.run("segment --gold one.txt --format json tides.html");
    site.run("segment --gold other.txt tides.html");
    site.run("segment --gold nowhere.txt tides.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn mistakes() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.run("segment --method plane tides.html");
    site.run("segment --threshold -1 tides.html");
    site.run("segment .");
    assert_snapshot!(site.transcript());
}

#[test]
fn colours_only_where_they_belong() {
    let site = Site::new(&[("tides.html", TIDES)]);
    let colours = |arguments: &str| site.stdout(arguments).contains('\x1b');
    assert!(!colours("segment --format highlight tides.html"));
    assert!(colours("segment --format highlight --color always tides.html"));
    assert!(!colours("segment --format json --color always tides.html"));
}
