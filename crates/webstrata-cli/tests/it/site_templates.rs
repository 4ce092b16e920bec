//! Extractors that know a site's other pages: of folders, lines and archives.

use crate::site::Site;
use crate::small_sites::{SUBJECTS, line, page};

/// Pages of a folder teach each other what their template is.
#[test]
fn a_folder_is_a_site() {
    let mut site = Site::new(&[]);
    for number in 0..SUBJECTS.len() {
        site.file(&format!("pages/{number:02}.html"), page("island.example", number));
    }
    site.file("new.html", page("island.example", 3).replace("A pair of gulls", "A pair of terns"));
    let notice = "is written by people who live here";
    let alone = site.stdout("extract pages/03.html");
    assert!(alone.contains(notice), "the page alone does not say so: {alone}");
    let texts = site.stdout("extract --extractor strata+site --format text pages");
    assert!(!texts.contains(notice), "{texts}");
    assert!((0..SUBJECTS.len()).all(|number| texts.contains(SUBJECTS[number].1)), "{texts}");
    site.run("extract --extractor strata+site pages/03.html");
    site.run("extract --extractor strata+site --url https://island.example/3 pages/03.html");
    site.run("extract --site pages pages/03.html");
    site.run("explain --extractor strata+site --site pages pages/03.html");
    site.run("explain --extractor site --site pages pages/03.html");
    site.run("extract --extractor site --site pages ./pages/03.html");
    site.run("extract --extractor strata+site --site pages new.html");
    let own = site.stdout("explain --extractor site --site pages pages/03.html");
    assert!(own.contains("[1 of 12 pages] A pai"), "{own}");
    insta::assert_snapshot!(site.transcript());
}

/// A page that an archive has twice is no template.
#[test]
fn pages_that_come_again_do_not_count() {
    let site = Site::new(&[]);
    let lines: String =
        ["https://www.island.example/3", "http://island.example/3/?utm_source=feed"]
            .iter()
            .map(|url| line(url, url, 3, "island.example", None))
            .collect();
    site.file("pages.jsonl", lines);
    let texts = site.stdout("extract --extractor site pages.jsonl");
    assert_eq!(texts.matches(SUBJECTS[3].1).count(), 2, "{texts}");
}

/// Archives are read twice where the extractor asks for the site.
#[test]
fn archives_know_their_sites() {
    let mut archive = String::new();
    for number in 0..SUBJECTS.len() {
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}",
            page("island.example", number)
        );
        archive.push_str(&format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://island.example/{number}\r\n\
             WARC-Date: 2026-11-15T08:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{response}\r\n\r\n",
            response.len()
        ));
    }
    let site = Site::new(&[]);
    site.file("crawl.warc", archive);
    site.stdout("warc crawl.warc --out alone --compress none");
    site.stdout("warc crawl.warc --out both --compress none --extractor strata+site");
    let texts = |folder: &str| {
        std::fs::read_to_string(site.path().join(folder).join("part-00000.jsonl")).unwrap()
    };
    let notices =
        |folder: &str| texts(folder).matches("is written by people who live here").count();
    assert!(notices("alone") >= 6, "{}", texts("alone"));
    assert_eq!(notices("both"), 0, "{}", texts("both"));
}
