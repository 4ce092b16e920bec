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
    site.file("none.toml", pipeline("sources = [\"a.html\"]", "out"));
    site.run("corpus run --fetch-only none.toml");
    site.run("corpus run --refresh none.toml");
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

/// A sitemap that is gone, one that is busy, and indexes too deep within others cost their own addresses, and no run.
#[test]
fn dead_sitemaps_of_an_index_stop_nothing() {
    let server = Server::start(Routes::new().otherwise(|request, wire| {
        let index = |names: &str| {
            let entries: String = names
                .split(' ')
                .map(|name| format!("<sitemap><loc>{name}</loc></sitemap>"))
                .collect();
            format!("<sitemapindex>{entries}</sitemapindex>")
        };
        let xml = match &*request.path {
            "/index.xml" => index("/a.xml /gone.xml /busy.xml /2.xml"),
            "/2.xml" => index("/3.xml"),
            "/3.xml" => index("/4.xml"),
            "/4.xml" => index("/5.xml /6.xml"),
            "/lost.xml" => index("/gone.xml /gone-too.xml"),
            "/busy.xml" if request.visit > 0 => "<urlset><url><loc>/2</loc></url></urlset>".into(),
            "/busy.xml" => return wire.answer("503 Service Unavailable", &[], b""),
            "/a.xml" => "<urlset><url><loc>/1</loc></url></urlset>".to_owned(),
            "/1" | "/2" => page(request.path.len(), &prose(7)),
            _ => return wire.answer("404 Not Found", &[], b""),
        };
        wire.answer("200 OK", &[], xml.as_bytes())
    }));
    let site = Site::new(&[]);
    let of = |name: &str| {
        let fetch = "[fetch]\nallow = [\"127.0.0.0/8\"]\nhost-delay = \"0s\"";
        pipeline(&format!("sitemaps = [\"{}\"]\n{fetch}", server.url(name)), "out")
    };
    site.file("corpus.toml", of("/index.xml"));
    let output = site.output("corpus run corpus.toml");
    let told = utf8(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("pages fetched: 2, addresses without: 2"), "{told}");
    assert!(told.contains("not fetched, sitemap: 2"), "{told}");
    assert!(told.contains("/gone.xml: the server answered 404 Not Found"), "{told}");
    assert!(told.contains("/4.xml: names 2 sitemaps, indexes within indexes 3 deep"), "{told}");
    // The journal has them, and nobody is asked again until that is wanted.
    let journal = std::fs::read_to_string(site.path().join("out-fetched/addresses.jsonl")).unwrap();
    assert_eq!(journal.matches("\"failed\":\"sitemap\"").count(), 2, "{journal}");
    let asked = server.requests().len();
    site.stdout("corpus run corpus.toml --quiet");
    assert_eq!(server.requests().len(), asked);
    site.stdout("corpus run --refresh corpus.toml --quiet");
    assert_eq!((server.visits("/gone.xml"), server.visits("/1")), (2, 1));
    // What was named and leads nowhere is a mistake, also for those who want quiet.
    for (name, message) in [
        ("/lost.xml", "/lost.xml: leads to no address: 2 sitemaps could not be read"),
        ("/gone.xml", "/gone.xml: the server answered 404 Not Found"),
    ] {
        site.file("corpus.toml", of(name).replace("\"out\"", "\"lost\""));
        let output = site.output("corpus run corpus.toml --quiet");
        let told = utf8(&output.stderr);
        assert!(told.contains(message) && output.status.code() == Some(2), "{told}");
    }
}

/// What a setting forbade is asked for with `--refresh` once the setting is another one.
#[test]
fn what_settings_forbid_is_not_lost() {
    let server = harbour();
    let site = Site::new(&[("list.txt", &server.url("/3"))]);
    let of = |fetch: &str| {
        pipeline(&format!("urls = [\"list.txt\"]\n[fetch]\nhost-delay = \"0s\"\n{fetch}"), "out")
    };
    site.file("corpus.toml", of(""));
    let told = utf8(&site.output("corpus run corpus.toml").stderr).to_owned();
    assert!(told.contains("not fetched, refused: 1"), "{told}");
    assert!(
        told.contains("1 of these may be there another time, or with other settings"),
        "{told}"
    );
    site.file("corpus.toml", of("allow = [\"127.0.0.0/8\"]"));
    site.stdout("corpus run --refresh corpus.toml");
    assert_eq!((server.visits("/3"), parts(&site, "out").len()), (1, 1));
}
