//! `webstrata-lab segment`: methods on sets, and charts of pages.

use insta::assert_snapshot;

use crate::site::{Site, TIDES};

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
    let one_page = ["--method plain", "--threshold 0.3", "--plot a.svg"];
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
fn mistakes() {
    let mut site = Site::new(&[("tides.html", TIDES), ("empty.html", "")]);
    site.run("segment");
    site.run("segment tides.html");
    site.run("segment --plot densities.gif tides.html");
    site.run("segment --plot nowhere/densities.svg tides.html");
    site.run("segment --plot densities.svg --method plane tides.html");
    site.run("segment --plot densities.svg --threshold many tides.html");
    site.run("segment --plot densities.svg --threshold=-1 tides.html");
    site.run("segment --plot densities.svg .");
    site.run("segment --plot empty.svg empty.html");
    assert_snapshot!(site.transcript());
}
