//! `webstrata links build` and `links stats`: web graphs.

use crate::site::{LINKS, Site, TIDES};

const PAIRS: &str = "# a small web\n\
    https://tides.example/\thttps://tides.example/high\n\
    https://tides.example/high\thttps://tides.example/\tboilerplate\n\
    https://tides.example/high\thttps://www.moon.example/phases?month=5#today\n\
    https://tides.example/low\thttps://tides.example/\tboilerplate\n\
    https://tides.example/low\thttps://tides.example/low\n\
    https://tides.example/low\thttps://ads.example/\tcontent\tnofollow\n\
    https://tides.example/mean\thttps://tides.example/\tboilerplate\n\
    https://tides.example/mean\tftp://tides.example/tables\n\
    no address\thttps://tides.example/\n\
    https://www.moon.example/\thttps://tides.example/\n";

#[test]
fn a_graph_of_pairs() {
    let mut site = Site::new(&[("web.tsv", PAIRS)]);
    site.run("links build web.tsv --out web");
    site.run("links stats web --partitions 2");
    site.run("links stats web --verify --json --partitions 2");
    site.run("links build web.tsv --out web");
    site.run("links build web.tsv --out strict --strict");
    site.run("links build web.tsv --out other --nofollow keep --self-links keep --uncrawled drop --links content --hosts domain --quiet");
    site.run("links stats other");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn a_graph_that_grows() {
    let mut site = Site::new(&[("web.tsv", PAIRS)]);
    site.file(
        "more.tsv",
        "https://a.example/\thttps://tides.example/\nhttps://tides.example/\thttps://a.example/\n",
    );
    site.run("links build web.tsv --out web --quiet");
    site.run("links build more.tsv --out web --add");
    site.run("links build more.tsv --out web --add --hosts domain");
    site.run("links build more.tsv --out nowhere --add");
    site.run("links stats web --json");
    insta::assert_snapshot!(site.transcript());
}

/// A build in which nothing was right leaves nothing that is in the way of the next one.
#[test]
fn a_build_without_a_page() {
    let mut site = Site::new(&[("web.tsv", PAIRS), ("wrong.tsv", "no address\talso none\n")]);
    site.file("texts.jsonl", "{\"url\": \"https://tides.example/\"}\n");
    site.file("none.txt", "# nothing\n");
    site.run("links build wrong.tsv texts.jsonl --out web");
    site.run("links build none.txt --format edges --out web");
    site.run("links stats web");
    site.run("links build web.tsv --out web");
    insta::assert_snapshot!(site.transcript());
}

/// What `extract` writes is what `links build` reads.
#[test]
fn a_graph_of_records() {
    let mut site = Site::new(&[("tides.html", TIDES), ("links.html", LINKS)]);
    site.run("extract tides.html --url https://tides.example/high --with links --format jsonl --output tides.jsonl");
    site.run("extract links.html --url https://moon.example/ --with links --format jsonl --output moon.jsonl");
    site.run("links build tides.jsonl moon.jsonl --out web");
    site.run("links stats web");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn graphs_of_numbers_and_of_names() {
    let mut site = Site::new(&[("edges.txt", "% from to\n0 1\n1 2\n2 0\n2 7\n2 x\n")]);
    site.file("names.tsv", "High water\tLow water\nLow water\tEbb\n");
    site.file("listed.dat", "2 1 1\n1 http://tides.example/\n2 http://moon.example/\n1 2\n");
    site.file("empty.tsv", "# nothing\n");
    site.run("links build edges.txt --out numbers");
    site.run("links build edges.txt --format edges --out numbers --pages 5");
    site.run("links stats numbers");
    site.run("links build edges.txt --format edges --out numbers --add --quiet");
    site.file("gap.txt", "0 4294967294\n");
    site.run("links build gap.txt --format edges --dense --out gap");
    site.run("links build gap.txt --format edges --out gap");
    site.run("links build edges.txt --format edges --out gap --add");
    site.run("links pagerank gap --out - --quiet");
    site.run("links build names.tsv --names plain --out names");
    site.run("links build listed.dat --format listed --out listed");
    site.run("links build empty.tsv --out empty");
    site.run("links stats empty");
    site.run("links build names.tsv edges.txt --out mixed --format edges --names plain");
    site.run("links build names.tsv --out mixed --pages 3");
    site.run("links build missing.tsv --out missing");
    site.run("links stats missing");
    insta::assert_snapshot!(site.transcript());
}
