//! `webstrata-lab replay`, `train site`, and extractors that know a site's other pages.

use crate::site::Site;

/// The subjects of invented articles, each with a sentence that no other has.
const SUBJECTS: [(&str, &str); 12] = [
    (
        "Breakwater",
        "The breakwater was mended with stones that two barges brought up from the old quarry.",
    ),
    (
        "Choir",
        "Nobody in the choir had noticed that the organ was tuned a quarter of a tone too low.",
    ),
    (
        "Ferry",
        "From Monday on the ferry leaves at seven, because the mail boat needs the pier at eight.",
    ),
    (
        "Gulls",
        "A pair of gulls has nested on the roof of the harbour office for the ninth year in a row.",
    ),
    (
        "Lamp",
        "The lamp at the end of the mole burns with a bulb that can only be bought abroad by now.",
    ),
    (
        "Nets",
        "Fishermen dry their nets on the football field again, which the club has asked them not to do.",
    ),
    (
        "Oysters",
        "Oysters from the northern bank may be sold again after the water was found to be clean.",
    ),
    (
        "Pilot",
        "Our last pilot has brought his three thousandth ship past the sandbank without any damage.",
    ),
    (
        "Rain",
        "More rain fell on Tuesday than in the whole of the month before, and the cellars are full.",
    ),
    (
        "School",
        "The school has a new teacher, who crosses over from the mainland on every working day.",
    ),
    (
        "Tides",
        "High water at the bar comes half an hour later than the table that hangs at the window says.",
    ),
    (
        "Wreck",
        "Divers have found the wreck of a lugger that nobody on the island remembers the name of.",
    ),
];

/// A page of a site: its article, between texts that all pages of the site have.
fn page(site: &str, number: usize) -> String {
    let (subject, sentence) = SUBJECTS[number];
    format!(
        "<!doctype html><html lang=en><title>{subject} | {site}</title><nav><a href=/>Home</a></nav>\
         <div class=post><h1>{subject}</h1><p class=by>Written by the editors of {site}.</p>\
         <div class=text><p>{sentence}</p><p>{subject} will be the subject of the next meeting, too, said the mayor, \
         who does not like to leave things as they are.</p></div>\
         <div class=notice><p>{site} is written by people who live here. If you like what we write, tell your \
         friends about it, and let us know what we should write about next.</p></div></div>\
         <footer>Imprint</footer>"
    )
}

fn text(number: usize) -> String {
    let (subject, sentence) = SUBJECTS[number];
    format!(
        "{sentence}\n{subject} will be the subject of the next meeting, too, said the mayor, who does not like to \
         leave things as they are.\n"
    )
}

fn line(id: &str, url: &str, number: usize, site: &str, duplicate_of: Option<&str>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\\\"").replace('\n', "\\n"));
    let original = duplicate_of.map_or("null".to_owned(), quoted);
    format!(
        "{{\"id\":{},\"response_url\":{},\"feed_title\":{},\"published\":\"2026-11-{:02}T08:00:00Z\",\"html\":{},\
         \"gold_text\":{},\"duplicate_of\":{original}}}\n",
        quoted(id),
        quoted(url),
        quoted(SUBJECTS[number].0),
        number + 1,
        quoted(&page(site, number)),
        quoted(&text(number)),
    )
}

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
    site.run("stream replay stream.jsonl");
    site.run("stream replay stream.jsonl --heuristic strict-support-3 --similar --format json");
    insta::assert_snapshot!(site.transcript());
    let one = site.stdout("stream replay stream.jsonl --jobs 1");
    assert_eq!(site.stdout("stream replay stream.jsonl --jobs 3"), one);
    assert!(one.contains("Duplicates, 6 planted"), "{one}");
}

#[test]
fn the_report_has_the_figures_of_the_paper() {
    let site = Site::new(&[]);
    site.file("stream.jsonl", stream());
    site.stdout("stream replay stream.jsonl --out report");
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
    assert!(own.contains("[1 of 12 pages] A pair"), "{own}");
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

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[("pages/a.html", "<p>Tide")]);
    site.file("broken.jsonl", "{\"html\": 1}\n[]\n");
    site.file("rules.toml", "[[rule]]\nmatch = '('\nkeep = []\n");
    site.run("stream replay");
    site.run("stream replay nowhere.jsonl");
    site.run("stream replay broken.jsonl");
    site.run("stream replay broken.jsonl --rules rules.toml");
    site.run("stream replay broken.jsonl --heuristic lenient");
    site.run("train site broken.jsonl --out site.txt");
    site.run("train site broken.jsonl --out site.model");
    insta::assert_snapshot!(site.transcript());
}
