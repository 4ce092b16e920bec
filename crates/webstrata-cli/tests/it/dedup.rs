//! `webstrata dedup`: which pages repeat others.

use crate::site::{LINKS, Site, TIDES};

/// The same text with another menu.
fn elsewhere() -> String {
    TIDES.replace("<a href=/>Home</a>", "<ul><li><a href=/>Harbours of the coast</a></ul>")
}

/// A text that only its menu has in common with the others.
fn other() -> String {
    let (head, _) = TIDES.split_once("<h1>").unwrap();
    format!(
        "{head}<h1>Ferry</h1><p>The ferry to the islands leaves an hour earlier on Sundays, since \
         the skipper sings in the choir and the choir does not wait for anybody, not even for him."
    )
}

fn coast() -> Site {
    let site = Site::new(&[("site/a.html", TIDES), ("site/links.html", LINKS)]);
    site.file("site/b.html", elsewhere());
    site.file("site/c.html", other());
    site
}

#[test]
fn pages_that_repeat_others() {
    let mut site = coast();
    site.run("dedup site");
    site.run("dedup --format json site");
    site.run("dedup --unique site");
    site.run("dedup --unique --format json --quiet site/b.html site/a.html");
    site.run("dedup --method rule-based --quiet site");
    site.run("dedup --hashes 64 --threshold 0.9 --method fulltext --quiet site");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn json_lines_by_date() {
    let mut site = Site::new(&[]);
    let line = |id: &str, date: &str, html: &str| {
        let html = html.replace('\\', "").replace('"', "\\\"");
        format!(
            "{{\"id\":\"{id}\",\"url\":\"https://example.org/{id}\",\"date\":\"{date}\",\"html\":\"{html}\"}}\n"
        )
    };
    let lines = [
        line("undated", "yesterday", TIDES),
        line("late", "2020-03-01", TIDES),
        line("early", "2019-01-01", &elsewhere()),
        line("other", "2018-01-01", &other()),
    ];
    site.file("pages.jsonl", lines.concat());
    site.run("dedup --format json --order arrival pages.jsonl");
    site.run("dedup --format json --order date pages.jsonl");
    insta::assert_snapshot!(site.transcript());
}

/// What `extract` and `warc` write is compared by its text, packed or not, as the pages are.
#[test]
fn records_of_extract() {
    let mut site = coast();
    site.run("extract --format jsonl --output records.jsonl site");
    site.run("dedup records.jsonl");
    site.file("other.jsonl", "{\"id\": 1, \"text\": \"High water is at noon.\"}\n{\"html\": \"<p>High water is at noon.\"}\n{\"more\": 1}\n");
    site.run("dedup --method same-text other.jsonl");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn pages_with_the_same_address() {
    let mut site = Site::new(&[]);
    let line = |url: &str| format!("{{\"url\": \"{url}\", \"html\": \"<p>High water\"}}\n");
    let urls = [
        "https://www.example.org/tides/?utm_source=feed",
        "http://example.org/tides",
        "https://example.org/ferry",
        "mailto:a",
    ];
    site.file("pages.jsonl", urls.map(line).concat());
    site.run("dedup --method url-key pages.jsonl");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn the_same_for_any_number_of_threads() {
    let site = coast();
    (0..40).for_each(|copy| site.file(&format!("site/copy-{copy}.html"), elsewhere()));
    let one = site.stdout("dedup --jobs 1 --quiet site");
    assert_eq!(one.matches("duplicate of site/a.html").count(), 41);
    assert_eq!(site.stdout("dedup --jobs 4 --quiet site"), one);
}

#[test]
fn what_goes_wrong() {
    let mut site = coast();
    site.file("site/broken.jsonl", "{\"html\": 1\n");
    site.file("report.html", b"%PDF-1.4");
    site.run("dedup");
    site.run("dedup --bands 0 site");
    site.run("dedup --hashes 64 site");
    site.run("dedup --method same-text --threshold 0.5 site");
    site.run("dedup --threshold 1.5 site");
    site.run("dedup --extractor strata+site site");
    site.run("dedup --memory 1M site");
    site.run("dedup --method cut site");
    site.run("dedup nowhere.warc");
    site.run("dedup site/broken.jsonl report.html site/c.html");
    site.run("dedup site/links.html");
    site.run("dedup site/a.html --output site/a.html");
    insta::assert_snapshot!(site.transcript());
}
