//! `webstrata corpus run` from addresses to a corpus: fetched once, kept, and the same bytes from then on.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use webstrata_base::random::Random;

use crate::corpus::{page, prose};
use crate::corpus_kills::files;
use crate::server::{Routes, Server};
use crate::site::{Site, utf8};

const PAGES: usize = 40;

/// Pages `/0`, `/1`, … and a sitemap of half of them.
fn harbour() -> Server {
    Server::start(Routes::new().otherwise(|request, wire| {
        thread::sleep(Duration::from_millis(4));
        let html = ["Content-Type: text/html; charset=utf-8"];
        match &*request.path {
            "/robots.txt" => wire.answer("200 OK", &[], b"User-agent: *\nDisallow: /secret"),
            "/sitemap.xml" => {
                let locs = (0..PAGES / 2).map(|it| format!("<url><loc>/{it}</loc></url>"));
                let xml = format!("<urlset>{}</urlset>", locs.collect::<String>());
                wire.answer("200 OK", &["Content-Type: text/xml"], xml.as_bytes())
            }
            path => match path.trim_start_matches('/').parse::<usize>() {
                Ok(number) => wire.answer("200 OK", &html, page(number, &prose(number)).as_bytes()),
                Err(_) => wire.answer("404 Not Found", &[], b""),
            },
        }
    }))
}

fn pipeline(inputs: &str, folder: &str) -> String {
    format!(
        "{inputs}\n[[filter]]\nname = \"words\"\nmin = 5\n[[deduplicate]]\nmethod = \"url-key\"\n\
         [output]\nfolder = \"{folder}\"\npart-size = \"8K\"\nformat = \"jsonl\"\n"
    )
}

fn parts(site: &Site, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let files = files(&site.path().join(folder));
    files.into_iter().filter(|(name, _)| name.starts_with("part-")).collect()
}

#[test]
fn addresses_become_a_corpus_through_kills() {
    let server = harbour();
    let list: String = (PAGES / 2..PAGES).map(|it| server.url(&format!("/{it}\n"))).collect();
    let site = Site::new(&[("list.txt", &list)]);
    let inputs = format!(
        "urls = [\"list.txt\", \"{}\", \"{}\"]\nsitemaps = [\"{}\"]\n[fetch]\nallow = [\"127.0.0.0/8\"]\nhost-delay = \"0s\"",
        server.url("/1"),
        server.url("/secret/1"),
        server.url("/sitemap.xml"),
    );
    site.file("corpus.toml", pipeline(&inputs, "out"));
    let (mut random, mut kills) = (Random::new(5), 0);
    for _ in 0..8 {
        let mut child = site.command("corpus run corpus.toml --quiet").spawn().unwrap();
        thread::sleep(Duration::from_millis(20 + random.below(300) as u64));
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills > 0, "too fast to be killed");
    let output = site.output("corpus run corpus.toml");
    assert_eq!(output.status.code(), Some(0), "{}", utf8(&output.stderr));
    let told = utf8(&output.stderr);
    assert!(told.contains(&format!("pages read: {PAGES}, written: {PAGES}")), "{told}");
    let written = parts(&site, "out");
    // The kept pages, as ordinary sources, give the same bytes.
    site.file("again.toml", pipeline("sources = [\"out-fetched/\"]", "again"));
    site.stdout("corpus run again.toml --quiet");
    assert_eq!(parts(&site, "again"), written);
    assert!(written.len() > 1, "one part shows nothing");
    // Nothing new, nobody is asked.
    let asked = server.requests().len();
    site.stdout("corpus run corpus.toml --quiet");
    assert_eq!((server.requests().len(), parts(&site, "out")), (asked, written.clone()));
    // A new address comes behind what was there.
    site.file("list.txt", format!("{list}{}", server.url("/900")));
    site.stdout("corpus run corpus.toml --quiet");
    let more = parts(&site, "out");
    assert!(written.iter().all(|(name, bytes)| more.get(name) == Some(bytes)));
    assert_eq!((more.len(), server.requests().len() - asked <= 3), (written.len() + 1, true));
    assert_eq!(server.visits("/secret/1"), 0);
}

#[test]
fn what_is_said_of_addresses() {
    let mut site = Site::new(&[("list.txt", "https://example.org/a\n")]);
    site.file("sources.toml", pipeline("sources = [\"https://example.org/a\"]", "out"));
    site.file(
        "fetch.toml",
        pipeline("urls = [\"list.txt\"]\n[fetch]\nhost-delays = \"1s\"", "out"),
    );
    site.file("missing.toml", pipeline("urls = [\"nowhere.txt\"]", "out"));
    site.file(
        "dry.toml",
        pipeline("urls = [\"list.txt\"]\nsitemaps = [\"https://example.org/s.xml\"]", "dry"),
    );
    site.run("corpus run sources.toml");
    site.run("corpus run fetch.toml");
    site.run("corpus run missing.toml");
    site.run("corpus run --dry-run dry.toml");
    assert!(!site.path().join("dry-fetched").exists());
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn addresses_alone_are_fetched() {
    let server = harbour();
    let site = Site::new(&[]);
    let inputs = format!(
        "sitemaps = [\"{}\"]\n[fetch]\nallow = [\"127.0.0.0/8\"]\nhost-delay = \"0s\"\nfolder = \"kept\"",
        server.url("/sitemap.xml")
    );
    site.file("corpus.toml", pipeline(&inputs, "out"));
    site.stdout("corpus run --fetch-only corpus.toml --quiet");
    assert!(!site.path().join("out").exists());
    let lines = site.stdout("extract kept");
    assert_eq!(lines.lines().count(), PAGES / 2);
    // The sitemap is asked again only where that is wanted.
    site.stdout("corpus run corpus.toml --quiet");
    assert_eq!(server.visits("/sitemap.xml"), 1);
    site.stdout("corpus run --refresh corpus.toml --quiet");
    assert_eq!((server.visits("/sitemap.xml"), server.visits("/1")), (2, 1));
}
