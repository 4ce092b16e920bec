//! `webstrata-lab replay` and `train site`: recorded streams.

use crate::site::Site;
use crate::small_sites::{SUBJECTS, line};

fn stream() -> String {
    let mut lines = String::new();
    for number in 0..SUBJECTS.len() {
        for site in ["island.example", "coast.example"] {
            let id = format!("{site}-{number}");
            let url = format!("https://www.{site}/news/{number}/");
            lines.push_str(&line(&id, &url, number, site, None));
            if number % 4 == 0 {
                let again = format!("http://{site}/news/{number}?utm_source=feed");
                lines.push_str(&line(&format!("{id}-d1"), &again, number, site, Some(&id)));
            }
        }
    }
    lines
}

#[test]
fn a_stream_is_replayed() {
    let mut site = Site::new(&[]);
    site.file("stream.jsonl", stream());
    site.run("replay stream.jsonl");
    site.run("replay stream.jsonl --heuristic strict-support-3 --similar --format json");
    insta::assert_snapshot!(site.transcript());
    let one = site.stdout("replay stream.jsonl --jobs 1");
    assert_eq!(site.stdout("replay stream.jsonl --jobs 3"), one);
    assert!(one.contains("Duplicates, 6 planted"), "{one}");
}

#[test]
fn the_report_has_the_figures_of_the_paper() {
    let site = Site::new(&[]);
    site.file("stream.jsonl", stream());
    site.stdout("replay stream.jsonl --out report");
    let report = std::fs::read_to_string(site.path().join("report/report.md")).unwrap();
    for figure in ["Figure 2", "Figure 4", "Figure 5"] {
        assert!(report.contains(figure), "{figure}");
    }
}

#[test]
fn a_model_is_learned_from_a_stream() {
    let site = Site::new(&[]);
    site.file("stream.jsonl", stream());
    let said = site.stdout("train site stream.jsonl --out site.model --folds 2 --rounds 20");
    assert!(said.contains("from 24 pages of 2 domains"), "{said}");
    let model = std::fs::read(site.path().join("site.model")).unwrap();
    let model = webstrata::training::site::SiteModel::from_bytes(&model).unwrap();
    assert_eq!(model.to_bytes().first(), Some(&b'w'));
}

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[("pages/a.html", "<p>Tide")]);
    site.file("broken.jsonl", "{\"html\": 1}\n[]\n");
    site.file("rules.toml", "[[rule]]\nmatch = '('\nkeep = []\n");
    site.run("replay");
    site.run("replay nowhere.jsonl");
    site.run("replay broken.jsonl");
    site.run("replay broken.jsonl --rules rules.toml");
    site.run("replay broken.jsonl --heuristic lenient");
    site.run("train site broken.jsonl --out site.txt");
    site.run("train site broken.jsonl --out site.model");
    insta::assert_snapshot!(site.transcript());
}
