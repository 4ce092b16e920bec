//! `webstrata dedup`: which pages repeat others.

use std::fmt::Write as _;

use webstrata_base::Random;

use crate::corpus::part;
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

/// What every page of a publisher has below its text, and above it.
const NOTICE: &str = "All rights reserved. The contents of these pages may not be copied, stored, handed on or shown in \
    public, in whole or in part, by whatever means, without written permission of the publisher, which may be asked for at \
    the address below. By using these pages you accept our terms of use, our statement on privacy and the conditions of \
    sale, as they stand on the day of your visit. Prices include taxes but not postage, and hold while stocks last. \
    Pictures are similar to the goods and bind nobody. We may earn a commission on what you buy by way of our links. \
    Opinions are those of their authors, and the publisher is not liable for pages of others to which these pages lead. \
    Complaints are heard by the court at the seat of the publisher. The house takes part in no arbitration and is not \
    obliged to. Residents of some states have further rights, about which the statement on privacy tells more, under \
    the heading of further rights of residents of some states.";
const COOKIES: &str = "We and our many partners store information on your device and read it from there, such as \
    cookies, and process personal data, such as unique identifiers and what a device sends as a matter of course, for \
    advertising and content made for you, for measuring both, for research on audiences and for the development of \
    services. With your permission we and our partners may use precise data on your place, and recognise you by a scan of \
    your device. You may agree to this or ask for more before you do, and you may change your mind at any time by the \
    button at the foot of the page. Some processing needs no consent, but you may object to it.";

const COPIED: [usize; 3] = [7, 8, 19];

/// Invented paragraphs, one to four, that no other number has.
fn report(number: usize) -> String {
    let nouns = [
        "harbour", "table", "ferry", "island", "chain", "tide", "slipway", "office", "boat",
        "engine", "captain", "lamp", "buoy", "mast", "rope", "storm", "bridge", "signal",
    ];
    let verbs = ["crossed", "left", "showed", "passed", "needed", "carried", "found", "closed"];
    let mut random = Random::for_purpose(number as u64, "report");
    let mut text = String::new();
    for _ in 0..1 + number % 4 {
        text.push_str("<p>");
        for _ in 0..3 {
            let [one, two, three, four] = [(); 4].map(|()| nouns[random.below(nouns.len())]);
            let [here, there, then] = [(); 3].map(|()| verbs[random.below(verbs.len())]);
            let days = 2 + random.below(88);
            let _ = write!(
                text,
                "The {one} {here} the {two} on Monday, and the {three} that {there} a {four} {then} it again after {days} days. "
            );
        }
    }
    text
}

/// A page of one of four publishers, with the same notices: three say in their markup what they are, the last does not.
fn with_notices(publisher: usize, number: usize) -> String {
    let title = format!("Report {number}");
    let head = format!("<!doctype html><html lang=en><title>{title}</title>");
    let menu = "<nav><ul><li><a href=/>Home</a><li><a href=/new>New</a><li><a href=/help>Help</a></ul></nav>";
    let links = "<p><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a> <a href=/terms>Terms of use</a></p>";
    let main = format!("<h1>{title}</h1>{}", report(number));
    match publisher {
        0 => format!(
            "{head}<div class=cookie-banner role=dialog><p>{COOKIES}</p><button>Agree</button></div>{menu}\
             <main>{main}</main><footer>{links}<p>{NOTICE}</p></footer>"
        ),
        1 => format!(
            "{head}<header>{menu}</header><article>{main}</article><footer class=legal>{links}<small>{NOTICE}</small></footer>\
             <div id=cookie-consent class=consent>{COOKIES} <button>Agree</button> <button>More</button></div>"
        ),
        2 => format!(
            "{head}{menu}<div id=content>{main}</div><div id=footer class=footer>{links}<p class=disclaimer>{NOTICE}</p></div>\
             <div class=cookie-notice><p>{COOKIES}</p><button>Agree</button></div>"
        ),
        _ => format!(
            "{head}{menu}{main}<h2>Terms of use</h2><p>{NOTICE}</p><h2>Cookies</h2><p>{COOKIES}</p>"
        ),
    }
}

/// Thirty reports, and some of them again by other publishers.
fn reports(publisher: impl Fn(usize) -> usize) -> Site {
    let site = Site::new(&[]);
    for number in 0..30 {
        let page = with_notices(publisher(number), number);
        site.file(&format!("site/a{number:02}.html"), page);
    }
    for number in COPIED {
        let page = with_notices((number + 1) % 3, number);
        site.file(&format!("site/b{number:02}.html"), page);
    }
    site
}

/// The lines of JSON of pages that were dropped, by their names.
fn dropped(lines: &str, is_dropped: impl Fn(&serde_json::Value) -> bool) -> Vec<String> {
    let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let name = |line: serde_json::Value| {
        line["id"]
            .as_str()
            .unwrap()
            .trim_start_matches("site/")
            .trim_end_matches(".html")
            .to_owned()
    };
    lines.filter(is_dropped).map(name).collect()
}

/// Pages that have nothing in common but long notices are no duplicates, also where the notices are longer than their own
/// text. Copies of a text are, whatever stands around them.
#[test]
fn notices_make_no_duplicates() {
    let site = reports(|number| number % 3);
    let duplicates = |arguments: &str| {
        let said = site.stdout(&format!("dedup --format json --quiet {arguments} site"));
        dropped(&said, |line| !line["duplicate_of"].is_null())
    };
    assert_eq!(duplicates(""), ["b07", "b08", "b19"]);
    // The segments of the thesis' method are the notices: it drops unique pages.
    let by_segments = duplicates("--method rule-based");
    let unique = by_segments.iter().filter(|id| id.starts_with('a')).count();
    assert!(unique >= 10, "{by_segments:?}");
}

/// Notices that nothing tells from the text are taken for it. Paragraphs that all pages have are taken out before texts
/// are compared, where the pipeline says so.
#[test]
fn notices_in_the_text_are_taken_out_first() {
    let site = reports(|_| 3);
    let pipeline = |methods: &[&str]| {
        let step = |method: &&str| format!("[[deduplicate]]\nmethod = \"{method}\"\n");
        let steps: String = methods.iter().map(step).collect();
        let output = "[output]\nfolder = \"out\"\nformat = \"jsonl\"\n";
        site.file("corpus.toml", format!("sources = [\"site/\"]\n{steps}{output}"));
        site.stdout("corpus run --restart --quiet --rejected dropped corpus.toml");
        dropped(&part(&site.path().join("dropped")), |_| true)
    };
    let unique = |ids: &[String]| ids.iter().filter(|id| id.starts_with('a')).count();
    let by_text = pipeline(&["main-text"]);
    assert!(unique(&by_text) >= 3, "{by_text:?}");
    assert_eq!(pipeline(&["repeated-paragraphs", "main-text"]), ["b07", "b08", "b19"]);
}
