//! `webstrata search`: pages into an index, questions to it, ranks and facets of a small web.

use serde_json::{Value, json};

use crate::server::{Routes, Server};
use crate::site::{LINKS, Site, TIDES};

/// A harbour and a museum that write about ferries, each page with a menu.
fn pages() -> String {
    let mut lines = String::new();
    for (at, (host, subject)) in [
        ("harbour.example", "The ferry to the islands leaves every hour from the new quay"),
        ("harbour.example", "A pilot boat meets every ship that comes in behind the breakwater"),
        ("museum.example", "The first ferry of the islands was rowed by two women and a dog"),
        ("museum.example", "Paintings of ships hang in the hall where sails were made"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("{subject}, says the keeper of the books, who has seen it all before.");
        let html = format!(
            "<html lang=en><title>{subject}</title><nav><a href=/>Home</a> <a href=/ferry>Ferry tickets\
             </a></nav><h1>{subject}</h1><p>{text} {text}<p>{text}<footer><a href=/i>Imprint</a></footer>"
        );
        let line = json!({"url": format!("https://{host}/{at}"), "html": html});
        lines.push_str(&format!("{line}\n"));
    }
    lines
}

fn web() -> Site {
    let site = Site::new(&[("pages.jsonl", &pages())]);
    site.stdout("search index pages.jsonl --index web -q");
    site
}

fn answer(site: &Site, arguments: &str) -> Value {
    serde_json::from_str(&site.stdout(arguments)).unwrap()
}

fn urls(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap()).collect()
}

#[test]
fn questions() {
    let mut site = web();
    site.run("search query web ferry islands");
    site.run("search query web ferry --host museum.example -n 1 --format json");
    site.run("search query web ferry -- -islands");
    site.run("search query web tickets");
    site.run("search query web tickets --in all -n 1");
    site.run("search query web ferry --min-words 10 -n 1");
    site.run("search query web submarine");
    insta::assert_snapshot!(redacted(site.transcript()));
}

/// Sizes of files are not the same everywhere.
fn redacted(transcript: &str) -> String {
    let lines = transcript.lines().map(|line| match line.rsplit_once(", ") {
        Some((before, size)) if size.ends_with(" MB") => format!("{before}, … MB"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn pages_are_known_by_where_they_lie() {
    let site = Site::new(&[
        ("january/index.html", TIDES),
        ("february/index.html", &TIDES.replace("half an hour", "an hour")),
    ]);
    site.stdout("search index january february --index web -q");
    assert_eq!(answer(&site, "search query web harbour --format json")["total"], 2);
    // The same again, named in another way.
    site.stdout("search index ./january/ --index web -q");
    assert_eq!(answer(&site, "search query web harbour --format json")["total"], 2);
}

#[test]
fn ranks_and_facets() {
    let mut site = web();
    // Everybody links to the museum, and the harbour's pages to each other.
    let links = "https://harbour.example/0\thttps://museum.example/2\n\
                 https://harbour.example/1\thttps://museum.example/2\n\
                 https://harbour.example/0\thttps://harbour.example/1\n\
                 https://harbour.example/1\thttps://harbour.example/0\n\
                 https://museum.example/3\thttps://museum.example/2\n";
    site.file("links.tsv", links);
    site.file(
        "topics.tsv",
        "https://harbour.example/0\tTop/Sea\nhttps://museum.example/3\tTop/Arts\n",
    );
    site.stdout("links build -q -o graph links.tsv");
    site.run("search ranks web --graph graph --categories topics.tsv");
    let unbiased = answer(&site, "search query web ferry --format json");
    assert_eq!(urls(&unbiased)[0], "https://museum.example/2");
    let sea = answer(&site, "search query web ferry --facet Top/Sea^5 --weight 3 --format json");
    assert_eq!(urls(&sea)[0], "https://harbour.example/0");
    assert_eq!(sea["total"], unbiased["total"], "ranks change the order, not what is found");
    site.run("search query web ferry --facet Top/Nothing");
    site.run("search facets web ferry");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn records_of_a_stream_are_in_the_index_before_they_are_done() {
    let feed = "<rss version='2.0'><channel><item><title>High water</title><link>/tides</link></item>\
                </channel></rss>";
    let html: &[&str] = &["Content-Type: text/html; charset=utf-8"];
    let server = Server::start(
        Routes::new()
            .on("/feed", move |_, wire| wire.answer("200 OK", &[], feed.as_bytes()))
            .on("/tides", move |_, wire| wire.answer("200 OK", html, TIDES.as_bytes())),
    );
    let feeds = format!(
        "[fetch]\nallow = [\"127.0.0.1/32\"]\nhost-delay = \"0s\"\nrespect-robots = false\n\
         [[site]]\nname = \"harbour\"\nfeeds = [\"{}\"]\n",
        server.url("/feed")
    );
    let site = Site::new(&[("feeds.toml", &feeds)]);
    let run = "stream run feeds.toml --store store --index web --once --quiet";
    site.stdout(run);
    assert_eq!(answer(&site, "search query web breakwater --format json")["total"], 1);
    // An index that is made anew gets all of it again.
    std::fs::remove_dir_all(site.path().join("web")).unwrap();
    site.stdout(run);
    let again = answer(&site, "search query web breakwater --format json");
    assert_eq!(urls(&again), [server.url("/tides")]);
}

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[("page.html", TIDES), ("links.html", LINKS), ("mine/x.txt", "x")]);
    site.run("search query nowhere ferry");
    site.run("search index page.html --index mine");
    site.run("search index nothing.html --index web");
    site.run("search index page.html links.html --index web -q");
    site.run("search index page.html --index web --no-levels");
    site.run("search query web ferry --offset 200000");
    site.run("search query web ferry --weight 9");
    site.run("search query web ferry --from yesterday");
    site.run("search query web ferry --facet Top/Arts");
    site.run("search index page.html --index other --texts nobody");
    site.run("search ranks web");
    site.run("search ranks web --graph nowhere");
    site.run("search facets web ferry");
    site.file("web/index.json", "{\"version\": 7}");
    site.run("search query web ferry");
    insta::assert_snapshot!(site.transcript());
}
