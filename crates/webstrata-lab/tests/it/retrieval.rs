//! `webstrata-lab retrieval` on a small site.

use insta::assert_snapshot;

use crate::site::Site;
use crate::small_sites::{SUBJECTS, page};

fn site() -> Site {
    let site = Site::new(&[]);
    for (number, (subject, ..)) in SUBJECTS.iter().enumerate() {
        let title = format!("{subject}, the news of day {number}");
        let html = page("island.example", number).replacen(subject, &title, 2);
        site.file(&format!("pages/{number:02}.html"), html);
    }
    site
}

#[test]
fn pages_are_found_by_their_titles() {
    let mut site = site();
    site.run("retrieval pages --every 50 --out report --runs runs");
    assert_snapshot!(site.transcript());
    let report = std::fs::read_to_string(site.path().join("report/index.html")).unwrap();
    assert!(report.contains("Searching in main texts") && report.contains("<svg"), "{report}");
    assert!(site.path().join("runs/strata.run").is_file());
    // The index was for this run only.
    let json = site.stdout("retrieval pages --every 50 --out again --json --index index");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["version"], &json["pages"]), (&1.into(), &12.into()));
    assert!(site.path().join("index").is_dir() && json["queries"].as_u64().unwrap() > 0);
}

#[test]
fn what_goes_wrong() {
    let mut site = site();
    site.file("topics.tsv", "1\tferry\n");
    site.run("retrieval --out report");
    site.run("retrieval pages");
    site.run("retrieval pages --out report --extractors nobody");
    site.run("retrieval --topics topics.tsv --out report");
    site.run("retrieval nowhere --out report");
    assert_snapshot!(site.transcript());
}
