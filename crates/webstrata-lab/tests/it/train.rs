//! `webstrata-lab train` and `webstrata-lab gain` on invented sets.

use std::fs;

use insta::assert_snapshot;
use webstrata::{BlockModel, Extractor};

use crate::site::{LINKS, Site, TIDES, utf8};

/// A harbour's news: a menu, an article, a list of links, an imprint. Every fourth page is another
/// site's.
fn site(pages: usize) -> Site {
    let site = Site::new(&[]);
    let mut urls = String::new();
    for page in 0..pages {
        let (html, gold) = harbour(page);
        site.file(&format!("harbour/pages/{page:02}.html"), html);
        site.file(&format!("harbour/gold/{page:02}.txt"), gold);
        urls += &format!("{page:02}\thttp://www.pier{}.example/{page}\n", page / 4);
    }
    site.file("harbour/urls.tsv", urls);
    // One that nobody learns from.
    site.file("page.html", harbour(14).0);
    site
}

/// A page and its gold text.
fn harbour(page: usize) -> (String, String) {
    let lines: Vec<String> = (0..2 + page % 3)
        .map(|line| {
            format!(
                "The ferry number {line} of day {page} is late, as it was in the winter of the \
                 year {}, when the ice on the river held it for a week.",
                1900 + page * 7 + line
            )
        })
        .collect();
    let links: String = (0..2 + page % 4).map(|i| format!("<li><a href=x>Pier {i}</a>")).collect();
    let html = format!(
        "<title>Tides</title><table><tr><td><ul>{links}</ul><td><h1>Late ferry on day {page}</h1>\
         <p>{}</p><td><a href=y>More news from pier {page}</a><td>All rights reserved.</table>",
        lines.join("</p><p>")
    );
    (html, format!("Late ferry on day {page}\n{}\n", lines.join("\n")))
}

/// The same with annotated pages.
fn annotate(site: &Site, pages: usize) {
    for page in 0..pages {
        let html = fs::read_to_string(site.path().join(format!("harbour/pages/{page:02}.html")));
        let html = html.unwrap();
        let html = html
            .replace("<h1>", "<h1 class=x-nc-sel1>")
            .replace("<p>The", "<p class=x-nc-sel2>The");
        site.file(&format!("harbour/annotated/{page:02}.html"), html);
    }
}

/// What an extractor in a file takes of the page that nobody learns from.
fn extracted(site: &Site, toml: &str) -> String {
    let read = |file: &str| fs::read_to_string(site.path().join(file));
    let model = |file: &str| read(file).map_err(|error| error.to_string());
    let extractor = Extractor::from_toml_with(&read(toml).unwrap(), model).unwrap();
    extractor.extract(read("page.html").unwrap().as_bytes()).text()
}

#[test]
fn a_tree_and_the_extractor_that_uses_it() {
    let mut site = site(12);
    site.run("train c48 --set harbour --min-leaf 20 --out news.tree --extractor news.toml");
    site.run("train zero-r --set harbour --out zero.tree --by-site --quiet");
    site.run("train one-r --set harbour --features counts --out one.tree --folds 0 --name best");
    let read = |file: &str| fs::read_to_string(site.path().join(file)).unwrap();
    let files = format!("{}\n{}\n{}", read("news.tree"), read("news.toml"), read("one.tree"));
    let text = extracted(&site, "news.toml");
    assert_snapshot!(format!("{}{files}\nthe text of page.html:\n{text}", site.transcript()));
}

#[test]
fn every_trainer_gives_a_model_that_extracts() {
    let site = site(12);
    annotate(&site, 12);
    site.file("deep/keep", "");
    let trainers = [
        "one-r",
        "c48 --min-leaf 20 --pruning none",
        "c48 --min-leaf 20 --pruning reduced-error",
        "svm --c 0.5",
        "boost --rounds 10 --leaves 4",
    ];
    for trainer in trainers {
        for problem in ["two", "four"] {
            let files = "--out deep/my.model --extractor my.toml";
            let command = format!("train {trainer} --set harbour --problem {problem} {files}");
            let said = site.stdout(&command);
            assert!(said.contains("Try it: webstrata extract --extractor my.toml"), "{said}");
            let model = fs::read_to_string(site.path().join("deep/my.model")).unwrap();
            BlockModel::parse(&model).unwrap();
            let text = extracted(&site, "my.toml");
            assert!(text.contains("The ferry number 1 of day 14"), "{trainer} {problem}: {text}");
            // A third of twelve pages is little to prune by.
            let is_pruned_by_little = trainer.contains("reduced-error");
            assert!(is_pruned_by_little || !text.contains("rights"), "{trainer} {problem}: {text}");
            // Nothing depends on the time or the number of threads.
            site.stdout(&command);
            assert_eq!(fs::read_to_string(site.path().join("deep/my.model")).unwrap(), model);
        }
    }
}

#[test]
fn json() {
    let mut site = site(6);
    site.run(
        "train svm --set harbour --features words,link-density --out my.model --folds 3 --json",
    );
    assert_snapshot!(site.transcript());
}

#[test]
fn a_swarm_is_an_extractor() {
    let mut site = site(12);
    site.run(
        "train swarm --set harbour --particles 20 --generations 10 --splits 3 --out my.toml --quiet",
    );
    let toml = fs::read_to_string(site.path().join("my.toml")).unwrap();
    assert_eq!(Extractor::from_toml(&toml).unwrap().name, "my");
    assert!(extracted(&site, "my.toml").contains("The ferry number"));
    let json = site.stdout(
        "train swarm --set harbour --particles 20 --generations 10 --splits 0 --out my.toml --json",
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["splits"].as_array().unwrap().len(), 1);
    assert!(json["thresholds"].is_object() && json["test"]["extracted"].is_number());
    assert_snapshot!(site.transcript());
}

#[test]
fn mistakes() {
    let mut site = site(4);
    site.file("harbour/pages/99.html", TIDES);
    site.file("one-class/pages/1.html", "<p>High water at noon, low water at six");
    site.file("one-class/gold/1.txt", "High water at noon, low water at six");
    site.file("nothing/pages/1.html", "");
    site.file("nothing/gold/1.txt", "");
    site.file("other/pages/1.html", LINKS);
    site.unreadable("partly/pages/1.html");
    site.file("partly/gold/1.txt", "High water");
    site.file("partly/pages/2.html", TIDES);
    site.file("partly/gold/2.txt", "High water at the harbour bar comes half an hour later");
    for command in [
        "c48 --set harbour --features words,link-densty --out my.tree",
        "c48 --set harbour --features h5 --out my.tree",
        "c48 --set one-class --out my.tree",
        "c48 --set harbour one-class nothing --features words,h5 --min-leaf 5 --folds 2 --out my.tree",
        "c48 --set harbour --out my.txt",
        "c48 --set harbour --out missing/my.tree",
        "c48 --set harbour --out harbour/pages/00.tree",
        "c48 --set harbour --problem four --out my.tree",
        "c48 --set harbour --confidence 0.7 --out my.tree",
        "c48 --set harbour --pruning none --confidence 0.1 --out my.tree",
        "c48 --set harbour --by-site --out my.tree --features words",
        "boost --set harbour --learning-rate 0 --out my.model",
        "svm --set other --out my.model",
        "swarm --set harbour --out my.tree",
        "swarm --set harbour --train-share 1 --out my.toml",
        "zero-r --set partly --folds 0 --out my.tree --quiet",
        "swarm --set partly --out my.toml --quiet",
        "c49 --set harbour --out my.tree",
        "c48 --out my.tree",
    ] {
        site.run(&format!("train {command}"));
    }
    site.run("gain --set one-class");
    site.run("gain --set partly --features h1 --quiet");
    assert_snapshot!(site.transcript());
}

#[test]
fn gains() {
    let mut site = site(8);
    site.run("gain --set harbour --features counts,h1");
    annotate(&site, 8);
    site.run("gain --set harbour --features counts,h1 --plot gain.svg");
    site.run("gain --set harbour --features h1 --json");
    site.run("gain --set harbour --plot harbour/gain.svg");
    let svg = fs::read_to_string(site.path().join("gain.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("four classes") && svg.contains("prev.words"));
    assert_snapshot!(site.transcript());
}

#[test]
fn features_of_a_set_have_labels() {
    let mut site = site(2);
    site.file("harbour/pages/77.html", TIDES);
    let output = site.output("features harbour page.html");
    assert_eq!(output.status.code(), Some(0));
    let note = "webstrata-lab: harbour/pages/77.html: no gold text, left out\n";
    assert_eq!(utf8(&output.stderr), note);
    let mut reader = csv::Reader::from_reader(&output.stdout[..]);
    let titles = reader.headers().unwrap().clone();
    let place = |name: &str| titles.iter().position(|title| title == name).unwrap();
    let wanted = ["page", "words", "corpus-frequency", "class", "weight", "share"].map(place);
    let mut table = String::new();
    for row in reader.records() {
        let row = row.unwrap();
        table += &wanted.map(|at| row[at].to_owned()).join(" ");
        table.push('\n');
    }
    assert_snapshot!(table);
    site.run("features harbour --output harbour/pages/00.html");
    assert!(site.transcript().contains("named as input and as output"));
}

/// What the laboratory needs is said at once, before anything is computed.
#[test]
fn a_laboratory_without_its_sets() {
    let site = Site::new(&[("file", "")]);
    site.file("sets/l3s-gn1/pages/1.html", TIDES);
    site.file("sets/l3s-gn1/gold/1.txt", "High water");
    site.file("sets/l3s-gn1/annotated/1.html", TIDES);
    site.file("plain/l3s-gn1/pages/1.html", TIDES);
    site.file("plain/l3s-gn1/gold/1.txt", "High water");
    for (arguments, wanted) in [
        ("--corpora missing --out report", "missing/l3s-gn1/pages: no such folder"),
        ("--corpora plain --out report", "annotated/1.html: missing; the laboratory needs"),
        ("--corpora sets --out file/report", "file/report/steps: Not a directory"),
    ] {
        let output = site.output(&format!("lab --quiet {arguments}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(utf8(&output.stderr).contains(wanted), "{}", utf8(&output.stderr));
    }
}
