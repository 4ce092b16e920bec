//! Pages by their addresses: named ones, lists, sitemaps; from a server on loopback.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use flate2::write::GzEncoder;
use serde_json::Value;
use webstrata_base::random::Random;

use crate::server::{Routes, Server};
use crate::site::{Site, TIDES, utf8};

const HTML: &str = "Content-Type: text/html; charset=utf-8";
/// The flags with which a server on loopback is asked, without waiting between requests.
const LOCAL: &str = "--allow 127.0.0.1/32 --host-delay 0s";

/// A page that no other one equals.
fn page(number: usize) -> String {
    TIDES.replace("half an hour", &format!("{number} minutes and a little bit"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Pages `/1`, `/2`, …, each after a moment; `/secret/…` is for nobody.
fn harbour(pause: u64) -> Server {
    let routes = Routes::new()
        .on("/robots.txt", |_, wire| {
            wire.answer("200 OK", &[], b"User-agent: *\nDisallow: /secret/\n")
        })
        .on("/old", |_, wire| wire.redirect("301 Moved Permanently", "/1"))
        .on("/inner", |_, wire| wire.redirect("302 Found", "http://127.0.0.2:8080/1"))
        .on("/paper", |_, wire| {
            wire.answer("200 OK", &["Content-Type: application/pdf"], b"%PDF-1.7")
        })
        .on("/data", |_, wire| {
            wire.answer("200 OK", &["Content-Type: application/json"], b"{\"a\": 1}")
        });
    Server::start(routes.otherwise(move |request, wire| {
        thread::sleep(Duration::from_millis(pause));
        match request.path.trim_start_matches('/').parse::<usize>() {
            Ok(number) => wire.answer("200 OK", &[HTML], page(number).as_bytes()),
            Err(_) => wire.answer("404 Not Found", &[HTML], b"not here"),
        }
    }))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Stderr and exit code, the server's address as `HARBOUR`.
fn said(site: &Site, server: &Server, arguments: &str) -> (String, Option<i32>) {
    let output = site.output(arguments);
    let stderr = utf8(&output.stderr).replace(&server.url(""), "HARBOUR");
    (stderr, output.status.code())
}

#[test]
fn an_address_is_an_input() {
    let (server, site) = (harbour(0), Site::new(&[("one.html", &page(1))]));
    let old = server.url("/old");
    let text = site.stdout("extract one.html");
    assert_eq!(site.stdout(&format!("extract {LOCAL} {old}")), text);
    let record = site.stdout(&format!("extract {LOCAL} --format json {old}"));
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["id"], old);
    assert_eq!(record["url"], server.url("/1"));
    assert_eq!((record["status"].as_u64(), record["file"].as_str()), (Some(200), None));
    assert!(record["fetched"].as_str().unwrap().ends_with('Z'), "{record}");
    let both = site.stdout(&format!("extract {LOCAL} one.html {}", server.url("/1")));
    assert_eq!(both, format!("{text}\n{text}"));
}

#[test]
fn what_an_address_does_not_give() {
    let (server, site) = (harbour(0), Site::new(&[]));
    // Nobody listens here any more.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (path, message) in [
        ("/none", "HARBOUR/none: the server answered 404 Not Found"),
        ("/secret/1", "HARBOUR/secret/1: the site's robots.txt does not allow `webstrata`"),
        (
            "/paper",
            "HARBOUR/paper: a PDF, not a web page; convert it first, for example with pdftotext",
        ),
        ("/data", "HARBOUR/data: is `application/json`, not a web page"),
        (
            "/inner",
            "HARBOUR/inner: 127.0.0.2 is refused (this machine); to fetch from it all the same, say --allow 127.0.0.2/32, or \
             allow = [\"127.0.0.2/32\"] under [fetch] in a file (http://127.0.0.2:8080/1)",
        ),
    ] {
        let told = said(&site, &server, &format!("extract {LOCAL} {}", server.url(path)));
        assert_eq!(told, (format!("webstrata: {message}\n"), Some(2)));
    }
    assert_eq!(server.visits("/secret/1"), 0);
    let (told, code) = said(&site, &server, &format!("extract {}", server.url("/1")));
    assert!(told.contains("127.0.0.1 is refused (this machine); "), "{told}");
    assert!(told.contains("say --allow 127.0.0.1/32, "), "{told}");
    assert_eq!((told.lines().count(), code), (1, Some(2)));
    let (told, code) = said(&site, &server, &format!("extract {LOCAL} http://{gone}/"));
    assert!(told.contains("is this machine online? HTTPS_PROXY names a proxy"), "{told}");
    assert_eq!((told.lines().count(), code), (1, Some(2)));
    site.file("list", format!("http://{gone}/a\nhttp://{gone}/b"));
    let (told, code) = said(&site, &server, &format!("extract {LOCAL} --urls list --pages kept"));
    assert!(told.contains("none of 2 addresses could be reached") && code == Some(2), "{told}");
    // They were not asked for, as far as the next run knows.
    assert_eq!(fs::read_to_string(site.path().join("kept/addresses.jsonl")).unwrap(), "");
}

#[test]
fn mistakes_with_addresses() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.run("explain https://example.org/");
    site.run("extract http://127.0.0.1/");
    site.run("extract http://127.0.0.1:9/ --allow all");
    site.run("extract --allow everything http://127.0.0.1/");
    site.run("extract --urls nowhere.txt");
    site.run("extract --pages kept tides.html");
    site.pipe("https://example.org/", "extract --urls - -");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn lists_are_fetched_once_and_counted() {
    let (server, other) = (harbour(0), harbour(0));
    let mut list = String::from("# a list\n\n");
    for number in 1..=12 {
        list.push_str(&format!("{}\r\n{}\n", server.url(&format!("/{number}")), other.url("/7")));
    }
    for path in ["/1#again", "/none", "/secret/2", "/paper"] {
        list.push_str(&format!("{}\n", server.url(path)));
    }
    list.push_str("example.org/no-address\n");
    let site = Site::new(&[("list", &list)]);
    let output = site.output(&format!("extract {LOCAL} --urls list"));
    assert_eq!(output.status.code(), Some(0));
    let ids: BTreeSet<String> = lines(utf8(&output.stdout))
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let mut wanted: BTreeSet<String> =
        (1..=12).map(|number| server.url(&format!("/{number}"))).collect();
    wanted.insert(other.url("/7"));
    assert_eq!(ids, wanted);
    let told = utf8(&output.stderr);
    for line in [
        "pages fetched: 13, addresses without: 4",
        "not fetched, bad-url: 1",
        "not fetched, no-page: 1",
        "not fetched, robots: 1",
        "not fetched, status-404: 1",
        "/none: the server answered 404 Not Found",
    ] {
        assert!(told.contains(line), "{line} in {told}");
    }
    assert_eq!((server.visits("/1"), server.visits("/robots.txt"), other.visits("/7")), (1, 1, 1));
}

#[test]
fn a_host_is_asked_for_one_page_at_a_time() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let server = Server::start(Routes::new().otherwise({
        let most = most.clone();
        move |request, wire| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(10));
            now.fetch_sub(1, Ordering::SeqCst);
            match &*request.path {
                "/robots.txt" => wire.answer("404 Not Found", &[], b""),
                _ => wire.answer("200 OK", &[HTML], TIDES.as_bytes()),
            }
        }
    }));
    let list: String = (1..=20).map(|number| server.url(&format!("/{number}\n"))).collect();
    let site = Site::new(&[("list", &list)]);
    assert_eq!(site.stdout(&format!("extract {LOCAL} --urls list")).lines().count(), 20);
    assert_eq!((most.load(Ordering::SeqCst), server.requests().len()), (1, 21));
}

#[test]
fn what_fails_for_now_is_asked_again() {
    let server = Server::start(Routes::new().otherwise(|request, wire| match &*request.path {
        "/robots.txt" => wire.answer("404 Not Found", &[], b""),
        "/busy" if request.visit == 0 => wire.answer("503 Service Unavailable", &[], b""),
        "/broken" if request.visit == 0 => wire.reset(),
        _ => wire.answer("200 OK", &[HTML], TIDES.as_bytes()),
    }));
    let list = ["/busy", "/broken", "/1"].map(|path| server.url(path)).join("\n");
    let site = Site::new(&[("list", &list)]);
    assert_eq!(site.stdout(&format!("extract {LOCAL} --urls list")).lines().count(), 3);
    assert_eq!(["/busy", "/1"].map(|path| server.visits(path)), [2, 1]);
    assert!(server.visits("/broken") >= 2);
}

/// The addresses that the journal has, in whole lines.
fn journal(site: &Site) -> Vec<String> {
    let text = fs::read_to_string(site.path().join("kept/addresses.jsonl")).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let lines = whole.map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| line["address"].as_str().map(str::to_owned)).collect()
}

/// How often an address was asked for.
fn visits(servers: &[&Server], address: &str) -> usize {
    let path = |server: &&Server| address.strip_prefix(&server.url("")).map(str::to_owned);
    servers.iter().filter_map(|server| path(server).map(|path| server.visits(&path))).sum()
}

/// Killed again and again, a run ends with every page once, and asks for no page again that it has.
#[test]
fn a_list_that_is_killed_goes_on() {
    const PAGES: usize = 60;
    let (one, two) = (harbour(8), harbour(3));
    let mut list = String::new();
    for number in 0..PAGES / 2 {
        list.push_str(&format!(
            "{}\n{}\n",
            one.url(&format!("/{number}")),
            two.url(&format!("/{number}"))
        ));
    }
    list.push_str(&one.url("/none"));
    let site = Site::new(&[("list", &list)]);
    let run = format!("extract {LOCAL} --urls list --pages kept --output out.jsonl");
    let (mut random, mut kills) = (Random::new(11), 0);
    // How often each address that the journal has was asked for by then.
    let mut noted: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..8 {
        let mut child = site.command(&run).spawn().unwrap();
        thread::sleep(Duration::from_millis(30 + random.below(150) as u64));
        if child.try_wait().unwrap().is_none() {
            kills += 1;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for address in journal(&site) {
            let visits = visits(&[&one, &two], &address);
            noted.entry(address).or_insert(visits);
        }
    }
    assert!(kills > 0, "too fast to be killed");
    assert!(!noted.is_empty(), "too slow to have anything to remember");
    let output = site.output(&run);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // Nothing that was noted was asked for again, by no run.
    for (address, before) in &noted {
        assert_eq!(visits(&[&one, &two], address), *before, "{address}");
    }
    let written = fs::read_to_string(site.path().join("out.jsonl")).unwrap();
    let records: BTreeMap<String, Value> =
        lines(&written).into_iter().map(|it| (it["id"].as_str().unwrap().to_owned(), it)).collect();
    assert_eq!((records.len(), written.lines().count()), (PAGES, PAGES));
    for server in [&one, &two] {
        for number in 0..PAGES / 2 {
            let url = server.url(&format!("/{number}"));
            assert_eq!(records[&url]["url"], url);
            assert!(server.visits(&format!("/{number}")) <= 1 + kills);
        }
    }
    // Another run reads what is there, and writes the same records, whether they were read or just fetched.
    let asked = one.requests().len() + two.requests().len();
    site.stdout(&run);
    assert_eq!(one.requests().len() + two.requests().len(), asked);
    let again = fs::read_to_string(site.path().join("out.jsonl")).unwrap();
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    assert_eq!(sorted(&again), sorted(&written));
    // The archives are an ordinary input.
    let archived = lines(&site.stdout("extract kept"));
    let texts = |records: &mut dyn Iterator<Item = &Value>| -> Vec<String> {
        let mut texts: Vec<String> = records.map(|it| it["text"].to_string()).collect();
        texts.sort();
        texts
    };
    assert_eq!(texts(&mut archived.iter()), texts(&mut records.values()));
    // More addresses are a round of their own: what was there stays as it is.
    let before = fs::read(site.path().join("kept/pages-0001-00000.warc.gz")).unwrap();
    site.file("list", format!("{list}\n{}\n", one.url("/900")));
    site.stdout(&run);
    assert_eq!(fs::read(site.path().join("kept/pages-0001-00000.warc.gz")).unwrap(), before);
    assert_eq!(lines(&site.stdout("extract kept")).len(), PAGES + 1);
    assert!(one.visits("/none") <= 1 + kills);
}

/// What was said of an address is not said again, and what cannot be read is no page that was there.
#[test]
fn a_later_run_tells_what_it_has() {
    let (server, site) = (harbour(0), Site::new(&[]));
    let pages = ["/1", "/2", "/3"].map(|path| server.url(path)).join("\n");
    site.file("list", format!("example.org/no-address\n{pages}\n"));
    let run = format!("extract {LOCAL} --urls list --pages kept --jobs 1");
    let (told, code) = said(&site, &server, &run);
    assert!(told.contains("not fetched, bad-url: 1") && code == Some(0), "{told}");
    let before = journal(&site);
    assert_eq!(before.len(), 4);
    let (told, _) = said(&site, &server, &run);
    assert!(told.contains("pages fetched: 0, there before: 3, addresses without: 0"), "{told}");
    assert_eq!(journal(&site), before);
    let archive = site.path().join("kept/pages-0001-00000.warc.gz");
    let mut bytes = fs::read(&archive).unwrap();
    let lines = lines(&fs::read_to_string(site.path().join("kept/addresses.jsonl")).unwrap());
    let last = lines.iter().filter_map(|line| line["offset"].as_u64()).max().unwrap();
    bytes[last as usize + 200] ^= 0xff;
    fs::write(&archive, bytes).unwrap();
    let (told, code) = said(&site, &server, &run);
    assert!(told.contains("there before: 2") && code == Some(2), "{told}");
}

/// Also with `--quiet`, a failure has a reason.
#[test]
fn failures_are_told_to_those_who_want_quiet() {
    let (server, site) = (harbour(0), Site::new(&[]));
    site.file("list", server.url("/none"));
    for (arguments, message) in [
        ("--urls list", "none of the addresses has a page"),
        (
            "--sitemap HARBOUR/none.xml",
            "sitemaps and lists that cannot be read, or not as a whole: 1",
        ),
    ] {
        let arguments = arguments.replace("HARBOUR", &server.url(""));
        let (told, code) = said(&site, &server, &format!("extract -q {LOCAL} {arguments}"));
        assert!(told.contains(message) && told.lines().count() == 1, "{told}");
        assert_eq!(code, Some(2));
    }
}

#[test]
fn sitemaps_lead_to_pages() {
    let other = Server::start(
        Routes::new()
            .on("/1", |_, wire| wire.answer("200 OK", &[HTML], page(101).as_bytes()))
            .on("/2", |_, wire| wire.answer("200 OK", &[HTML], page(102).as_bytes())),
    );
    let foreign = other.url("/1");
    let server = Server::start(
        Routes::new()
            .on("/robots.txt", |request, wire| {
                let host = request.field("Host").unwrap_or_default();
                wire.answer("200 OK", &[], format!("Sitemap: http://{host}/index.xml.gz\n").as_bytes())
            })
            .on("/index.xml.gz", |_, wire| {
                let index = "<sitemapindex><sitemap><loc>/a.xml.gz</loc></sitemap><sitemap><loc>/b.xml</loc></sitemap>\
                    <sitemap><loc>/gone.xml</loc></sitemap></sitemapindex>";
                wire.answer("200 OK", &["Content-Type: application/gzip"], &gzip(index.as_bytes()))
            })
            .on("/a.xml.gz", |_, wire| {
                let urls = "<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>";
                wire.answer("200 OK", &["Content-Type: application/gzip"], &gzip(urls.as_bytes()))
            })
            .on("/b.xml", move |_, wire| {
                let urls = format!("<urlset><url><loc>/3</loc></url><url><loc>{foreign}</loc></url></urlset>");
                wire.answer("200 OK", &["Content-Type: text/xml"], urls.as_bytes())
            })
            .on("/1", |_, wire| wire.answer("200 OK", &[HTML], page(1).as_bytes()))
            .on("/2", |_, wire| wire.answer("200 OK", &[HTML], page(2).as_bytes()))
            .on("/3", |_, wire| wire.answer("200 OK", &[HTML], page(3).as_bytes())),
    );
    let site = Site::new(&[]);
    for start in ["/index.xml.gz", "/robots.txt"] {
        let output = site.output(&format!("extract {LOCAL} --sitemap {}", server.url(start)));
        let ids: BTreeSet<String> = lines(utf8(&output.stdout))
            .iter()
            .map(|line| line["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(ids, ["/1", "/2", "/3"].map(|path| server.url(path)).into());
        let told = utf8(&output.stderr);
        assert!(told.contains("1 addresses of other hosts, for which it does not speak"), "{told}");
        assert!(told.contains("/gone.xml: the server answered 404 Not Found"), "{told}");
        // A sitemap that cannot be read is a failure: nobody knows what is missing.
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(other.visits("/1"), 0);
    assert_eq!(other.visits("/robots.txt"), 2);
}

/// A host may let the sitemap of another one speak for it, in its robots.txt.
#[test]
fn sitemaps_speak_for_hosts_that_say_so() {
    let main = Server::start(Routes::new().otherwise(|request, wire| match &*request.path {
        "/robots.txt" => wire.answer("404 Not Found", &[], b""),
        _ => wire.answer("200 OK", &[], format!("{}\n", request.query).as_bytes()),
    }));
    let sitemap = format!("{}?", main.url("/list.txt"));
    let friend =
        Server::start(Routes::new().otherwise(move |request, wire| match &*request.path {
            "/robots.txt" => {
                let host = request.field("Host").unwrap_or_default();
                let named = format!("{sitemap}http://{host}/5");
                wire.answer("200 OK", &[], format!("Sitemap: {named}").as_bytes())
            }
            _ => wire.answer("200 OK", &[HTML], page(5).as_bytes()),
        }));
    let site = Site::new(&[]);
    let url = format!("{}?{}", main.url("/list.txt"), friend.url("/5"));
    let found = lines(&site.stdout(&format!("extract {LOCAL} --sitemap {url}")));
    assert_eq!((found.len(), found[0]["url"].as_str()), (1, Some(&*friend.url("/5"))));
}
