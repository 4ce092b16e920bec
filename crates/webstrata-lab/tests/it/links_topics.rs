//! `webstrata-lab links topics`: what rankings biased on categories are good for.

use std::fmt::Write as _;

use webstrata_links::graph::Naming;

use crate::site::Site;
use crate::web;

/// A web of two subjects with two topics each, ten pages in each; most links stay in the topic.
fn coast() -> Site {
    let (mut links, mut categories) = (String::new(), String::from("# page\tcategory\n"));
    let topics = ["sea.tides", "sea.ports", "land.birds", "land.walks"];
    for page in 0..40 {
        let (topic, number) = (page / 10, page % 10);
        let _ = writeln!(categories, "p{page}\tsubject.{}", topics[topic]);
        for step in [1, 3, 4] {
            let _ = writeln!(links, "p{page}\tp{}", topic * 10 + (number * step + step) % 10);
        }
        if number < 3 {
            let _ = writeln!(links, "p{page}\tp{}", (page * 7 + 11) % 40);
        }
    }
    let site = Site::new(&[("categories.tsv", &categories)]);
    web::build(&site, "web", &links, Naming::Plain);
    site
}

#[test]
fn a_small_directory() {
    let mut site = coast();
    site.run("links topics web --categories categories.tsv --top 5 --out report");
    site.run("links topics web --categories categories.tsv --top 5 --level 1");
    let html = std::fs::read_to_string(site.path().join("report/index.html")).unwrap();
    assert!(html.contains("land/birds: 10 pages, Kendall to parent"));
    assert!(site.path().join("report/categories-rankings.svg").is_file());
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn json_of_judged_searches() {
    let mut site = coast();
    for page in 0..40 {
        let words = ["tides and the moon", "<p>ports", "birds", "walks with birds"][page / 10];
        site.file(&format!("texts/p{page}.txt"), words);
    }
    site.file("judged.tsv", "land/birds\tp21\t1\nland/birds\tp35\t0\nland/birds\tp22\t1\n");
    site.run(
        "links topics web --categories categories.tsv --texts texts --judgements judged.tsv --json",
    );
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn what_goes_wrong() {
    let mut site = coast();
    site.file("bad.tsv", "p1\np2\tsubject.sea\nnobody\tsubject.sea\n");
    site.file("none.tsv", "nobody\tsubject.sea\n");
    site.file("texts/nobody.txt", "tides");
    site.run("links topics web --categories bad.tsv");
    site.run("links topics web --categories none.tsv --quiet");
    site.run("links topics web --categories nowhere.tsv");
    site.run("links topics nowhere --categories categories.tsv");
    site.run("links topics web --categories categories.tsv --alpha 1");
    site.run("links topics web --categories categories.tsv --top 0");
    site.run("links topics web --categories categories.tsv --texts texts");
    site.run("links topics web");
    insta::assert_snapshot!(site.transcript());
}
