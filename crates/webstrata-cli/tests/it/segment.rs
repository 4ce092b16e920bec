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
fn sets() {
    let menu = "<ul><li>Home<li>News</ul>";
    let mut site = Site::new(&[
        ("news/pages/a.html", TIDES),
        ("news/gold/a.txt", "High water comes later"),
        ("news/pages/b.html", &format!("{menu}<p>Fog at the harbour bar all day.<p>Imprint")),
        ("news/gold/b.txt", "Fog at the harbour bar all day."),
    ]);
    site.run("segment --set news --out report");
    site.run("segment --set news tides.html");
    site.run("segment --out report tides.html");
    site.run("segment --set nowhere");
    let report = std::fs::read_to_string(site.path().join("report/index.html")).unwrap();
    assert_eq!(report.matches("<figure").count(), 2 * 6, "{report}");
    assert_snapshot!(site.transcript());
}

#[test]
fn sets_take_no_options_of_one_page() {
    let site = Site::new(&[("news/pages/a.html", TIDES), ("news/gold/a.txt", "High water")]);
    let one_page =
        ["--method plain", "--threshold 0.3", "--format json", "--plot a.svg", "--gold a.txt"];
    for option in one_page {
        let output = site.output(&format!("segment --set news {option}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{option}: {said}");
        assert!(said.contains("cannot be used with"), "{option}: {said}");
    }
}

#[test]
fn sets_are_read_whole() {
    let site = Site::new(&[("news/pages/a.html", TIDES), ("news/gold/a.txt", "High water")]);
    let output = site.output("segment --set news --deadline 1ms");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("--deadline does not count"), "{said}");
    assert_eq!(output.stdout, site.output("segment --set news").stdout);
}

#[test]
fn mistakes() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.run("segment --method plane tides.html");
    site.run("segment --threshold -1 tides.html");
    site.run("segment --plot densities.gif tides.html");
    site.run("segment .");
    assert_snapshot!(site.transcript());
}

#[test]
fn charts() {
    let site = Site::new(&[("tides.html", TIDES)]);
    site.stdout("segment --plot tides.svg tides.html");
    let svg = std::fs::read_to_string(site.path().join("tides.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("class=\"border\""), "{svg}");
}

#[test]
#[cfg(feature = "png")]
fn pictures() {
    let site = Site::new(&[("tides.html", TIDES)]);
    // A machine without fonts says so.
    let output = site.output("segment --plot tides.png tides.html");
    match std::fs::read(site.path().join("tides.png")) {
        Ok(png) => assert!(png.starts_with(b"\x89PNG") && output.status.success()),
        Err(_) => assert!(String::from_utf8_lossy(&output.stderr).contains("no font")),
    }
}

#[test]
fn colours_only_where_they_belong() {
    let site = Site::new(&[("tides.html", TIDES)]);
    let colours = |arguments: &str| site.stdout(arguments).contains('\x1b');
    assert!(!colours("segment --format highlight tides.html"));
    assert!(colours("segment --format highlight --color always tides.html"));
    assert!(!colours("segment --format json --color always tides.html"));
}
