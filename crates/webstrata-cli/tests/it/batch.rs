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
        "features long.html",
    ] {
        let mut child = site.command(arguments).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), utf8(&output.stderr)), (Some(0), ""), "{arguments}");
    }
}
