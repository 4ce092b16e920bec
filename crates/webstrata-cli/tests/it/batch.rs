//! Many pages at once.

use std::io::Read;

use crate::site::{LINKS, Site, TIDES, utf8};

/// Pages of very different lengths, some of which fail.
fn uneven() -> Site {
    let site = Site::new(&[]);
    for number in 0..120 {
        let text = TIDES.repeat(1 + (number * 7919) % 50);
        site.file(&format!("site/{number:03}.html"), format!("{text}<p>Page {number}"));
    }
    site.file("site/020.html", "");
    site.file("site/030.html", LINKS);
    site.file("site/040.html", "%PDF-1.7");
    site.unreadable("site/050x.html");
    site
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let site = uneven();
    let one = site.output("extract --jobs 1 site");
    let four = site.output("extract --jobs 4 site");
    assert_eq!(one, four);
    assert_eq!(one.status.code(), Some(2));
    let ids: Vec<&str> = utf8(&one.stdout).lines().map(|line| &line[..12]).collect();
    assert_eq!(ids.len(), 119);
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!(
        utf8(&one.stderr),
        "webstrata: site/020.html: empty, no text in it\n\
         webstrata: site/040.html: a PDF, not a web page; convert it first, for example with \
         pdftotext\n\
         webstrata: site/050x.html: No such file or directory\n"
    );
}

/// What a terminal would show must not end up in logs.
#[test]
fn no_progress_bar_in_a_pipe() {
    let site = Site::new(&[("site/a.html", TIDES), ("site/b.html", TIDES)]);
    assert_eq!(utf8(&site.output("extract site").stderr), "");
    assert_eq!(utf8(&site.output("extract site --output out.jsonl").stderr), "");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let site = Site::new(&[]);
    // More than fits into the pipe, so that the command is still writing when we leave.
    site.file("long.html", TIDES.repeat((1 << 20) / TIDES.len()));
    site.file("short.html", TIDES.repeat((200 << 10) / TIDES.len()));
    for arguments in [
        "extract --extractor keep-all long.html",
        "extract --extractor keep-all --format jsonl --jobs 2 long.html long.html long.html",
        "explain --all short.html",
        "blocks short.html",
    ] {
        let mut child = site.command(arguments).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), utf8(&output.stderr)), (Some(0), ""), "{arguments}");
    }
}

fn record(number: usize, html: &str) -> String {
    let response = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/{number}\r\n\
         WARC-Date: 2026-11-15T08:00:00Z\r\nWARC-Payload-Digest: sha1:A{number}\r\n\
         Content-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    )
}

/// A line of JSON.
fn line(id: &str, html: &str) -> String {
    let html = html.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{{\"id\": \"{id}\", \"url\": \"https://example.org/{id}\", \"html\": \"{html}\"}}\n")
}

#[test]
fn archives_and_lines() {
    let mut site = Site::new(&[("crawl/a.html", TIDES)]);
    let broken = record(2, TIDES).replace("Content-Length: ", "Content-Length: 1");
    let records = [record(1, TIDES), broken, record(3, "%PDF-1.7"), record(4, LINKS)];
    site.file("crawl/b.warc", records.concat());
    let pages = [line("first", TIDES), "{\"url\": \"a\"}\n".into(), line("last", LINKS)];
    site.file("pages.jsonl", pages.concat());
    site.run("extract crawl pages.jsonl");
    site.run("extract --format text crawl/b.warc");
    site.run("extract --format json crawl/b.warc");
    site.run("extract no.warc.gz");
    site.run("blocks crawl/b.warc");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn the_number_of_jobs_changes_nothing_in_archives() {
    let site = Site::new(&[]);
    let page = |number: usize| {
        let html = format!("{}<p>Page {number}", TIDES.repeat(1 + (number * 7919) % 50));
        record(number, &html)
    };
    let mut records: Vec<String> = (0..100).map(page).collect();
    records[30] = records[30].replace("Content-Length: ", "Content-Length: 9");
    site.file("a.warc", records.concat());
    let one = site.output("extract --jobs 1 a.warc");
    assert_eq!(one, site.output("extract --jobs 4 a.warc"));
    assert_eq!(utf8(&one.stdout).lines().count(), 99);
    assert_eq!(one.status.code(), Some(2));
}

/// On a terminal, many pages end with what came of them; where nobody looks, nothing is added.
#[cfg(target_os = "linux")]
#[test]
fn a_summary_for_people() {
    let site =
        Site::new(&[("pages/a.html", TIDES), ("pages/b.html", TIDES), ("pages/c.html", LINKS)]);
    let said = |arguments: &str| {
        let command = format!("{} {arguments}", crate::PROGRAM.1);
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(site.path());
        let output = script.stdin(std::process::Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let summary = "3 pages in ";
    assert!(said("extract pages -o texts.jsonl").contains(summary));
    assert!(
        said("extract pages -o texts.jsonl").contains(": 136 words, 6 dropped"),
        "words of all three"
    );
    assert!(!said("extract pages -o texts.jsonl --quiet").contains(summary));
    assert!(!said("extract pages/a.html -o text.txt").contains("pages in "));
    let silent = site.output("extract pages -o texts.jsonl");
    assert_eq!(String::from_utf8_lossy(&silent.stderr), "");
}
