//! `webstrata-lab corpus`.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::site::{LINKS, Site, TIDES};

const FILES: [&str; 3] = ["index.html", "report.md", "report.json"];

/// Lines of JSON, each a page that shares its menu with the others.
fn pages(number: usize) -> String {
    let page = |n: usize| {
        let text = "high water comes later than the table says. ".repeat(n % 9);
        let html = format!("<ul><li>Home<li>Tides</ul><p>Page {n}: {text}</p><p>Number{n}</p>");
        serde_json::json!({ "html": html }).to_string() + "\n"
    };
    (0..number).map(page).collect()
}

fn report(folder: &Path) -> Vec<Vec<u8>> {
    FILES.iter().map(|file| fs::read(folder.join(file)).unwrap()).collect()
}

#[test]
fn a_report_of_a_folder() {
    let site = Site::new(&[("crawl/a.html", TIDES), ("crawl/b/c.html", LINKS)]);
    let said = site.stdout("corpus crawl --out report");
    assert_eq!(said, "report/index.html: 2 pages, 72 tokens\n");
    let html = fs::read_to_string(site.path().join("report/index.html")).unwrap();
    for figure in
        ["4.3", "4.6", "4.13", "4.14", "4.15", "4.16", "4.17", "4.18", "4.19", "4.23", "4.24"]
    {
        assert!(html.contains(&format!("(Figure {figure})")), "{figure}");
    }
    let json = fs::read(site.path().join("report/report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["version"], 2);
    assert!(site.path().join("report/tokens-by-text-density-figure-4-14.svg").is_file());
    assert!(!site.path().join("report/steps").exists());
}

#[test]
fn nothing_to_report() {
    let mut site =
        Site::new(&[("empty/readme.txt", ""), ("blank/a.html", ""), ("odd/a.html", "%PDF-1.7")]);
    for folder in ["empty", "blank", "odd", "missing"] {
        site.run(&format!("corpus {folder} --out report-{folder}"));
    }
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn a_report_among_its_pages() {
    let site = Site::new(&[("crawl/a.html", TIDES), ("report.html", LINKS)]);
    for out in ["crawl", "crawl/report", "./crawl/../crawl/b/c"] {
        let output = site.output(&format!("corpus crawl --out {out}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("inside crawl") && said.lines().count() == 1, "{said}");
    }
    assert!(!site.path().join("crawl/report").exists());
    site.stdout("corpus crawl --out crawl-report");
}

#[test]
fn threads_change_nothing() {
    let site = Site::new(&[("pages.jsonl", &pages(300))]);
    site.stdout("corpus pages.jsonl --out one --jobs 1");
    site.stdout("corpus pages.jsonl --out many --jobs 5");
    assert!(report(&site.path().join("one")) == report(&site.path().join("many")));
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let site = Site::new(&[("pages.jsonl", &pages(12_000))]);
    let arguments = "corpus pages.jsonl --out report --keep-every 1 --jobs 1";
    let mut child = site.command(arguments).spawn().unwrap();
    let kept = site.path().join("report/steps/corpus.json");
    let is_running = loop {
        if child.try_wait().unwrap().is_some() {
            break false;
        }
        if kept.exists() {
            break true;
        }
        thread::sleep(Duration::from_millis(2));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let is_kept = is_running && kept.exists();
    let again = site.output(arguments);
    assert!(again.status.success(), "{again:?}");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(said.contains("going on after "), is_kept, "{said}");
    let whole = site.stdout("corpus pages.jsonl --out whole");
    assert!(whole.contains("12000 pages"), "{whole}");
    assert!(report(&site.path().join("report")) == report(&site.path().join("whole")));
}
