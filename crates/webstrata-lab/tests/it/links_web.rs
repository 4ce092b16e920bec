//! `webstrata-lab links strata`, `plot` and `compare` on a small web.

use insta::assert_snapshot;
use webstrata_links::graph::Naming;
use webstrata_links::rank::{RankOptions, Surfer};

use crate::site::Site;
use crate::small_sites::pairs;
use crate::web;

#[test]
fn content_and_boilerplate() {
    let mut site = Site::new(&[]);
    let graph = web::build(&site, "web", &pairs(), Naming::Hosts);
    let by_content = Surfer { boilerplate: 0.0, ..Surfer::default() };
    site.file(
        "all.tsv",
        web::ranks(&graph, &RankOptions { partitions: 2, ..RankOptions::default() }),
    );
    let options = RankOptions { surfer: by_content, ..RankOptions::default() };
    site.file("content.tsv", web::ranks(&graph, &options));
    site.run("links compare all.tsv content.tsv --moved 3");
    site.run("links strata web");
    site.run("links strata web --out report");
    let report = std::fs::read_to_string(site.path().join("report/index.html")).unwrap();
    assert!(report.contains("menu or footer of its site"), "{report}");
    assert_snapshot!(site.transcript());
}

#[test]
fn charts() {
    let mut site = Site::new(&[]);
    web::build(&site, "web", &pairs(), Naming::Domains);
    site.file("run.json", r#"{"version": 1, "iterations": 3, "residuals": [0.5, 0.05, 1e-7]}"#);
    site.run("links plot web --out dots.svg");
    site.run("links plot run.json --out convergence.svg");
    assert_snapshot!(site.transcript());
    let chart = |name: &str| std::fs::read_to_string(site.path().join(name)).unwrap();
    let dots = chart("dots.svg");
    assert!(dots.contains("Links of web") && dots.contains("fill-opacity"), "{dots}");
    let convergence = chart("convergence.svg");
    assert!(convergence.starts_with("<svg ") && convergence.contains("iteration"), "{convergence}");
}

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[("text.json", "{}")]);
    web::build(&site, "plain", "a\tb\nb\tc\n", Naming::Plain);
    site.run("links strata plain");
    site.run("links strata nowhere");
    site.run("links plot plain --out dots.gif");
    site.run("links plot plain");
    site.run("links plot nowhere --out dots.svg");
    site.run("links plot text.json --out dots.svg");
    site.run("links plot plain --out nowhere/dots.svg");
    site.run("links");
    assert_snapshot!(site.transcript());
}
