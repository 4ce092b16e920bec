//! `webstrata-lab eval` on an invented set.

use insta::assert_snapshot;

use crate::site::{LINKS, Site, TIDES, utf8};

/// What a person would take of [`TIDES`], headline aside.
const GOLD: &str = "High water at the harbour bar comes half an hour later than the printed table \
    says, because the new breakwater slows the last of the flood on its way in.\n\
    The harbour office has printed a second table, which visiting boats can have for nothing at \
    the window, and asks them to throw the first one away before they do anything else.\n";

/// Three pages that can be scored, one with an empty gold text, a page without gold, and gold without
/// a page.
fn site() -> Site {
    Site::new(&[
        ("sets/tides/pages/1.html", TIDES),
        ("sets/tides/pages/2.html", TIDES),
        ("sets/tides/pages/3.html", LINKS),
        ("sets/tides/pages/4.html", TIDES),
        ("sets/tides/pages/5.html", TIDES),
        ("sets/tides/gold/1.txt", GOLD),
        ("sets/tides/gold/2.txt", "Monday\nHigh water comes later\n"),
        ("sets/tides/gold/3.txt", "Home"),
        ("sets/tides/gold/4.txt", " …\n"),
        ("sets/tides/gold/6.txt", GOLD),
        ("my.toml", "name = 'article'\nsteps = [{ filter = 'keep-all' }]"),
    ])
}

#[test]
fn tables() {
    let mut site = site();
    site.run("eval --set sets --extractor article my.toml --worst 2");
    site.run("eval --set sets/tides --extractor article keep-all --measure lcs --sample 2 --quiet");
    assert_snapshot!(site.transcript());
}

/// The gold texts of some sets have the title, which our text has only by their convention.
#[test]
fn by_convention() {
    let mut site = site();
    let gold = format!("The tide tables\nBy Jane Roe\n{GOLD}");
    let page = format!(
        "<title>The tide tables</title><ul><li><a href=/>Home</a></ul><article><h1>The tide tables</h1>\
         <p class=byline>By Jane Roe</p><p>{}</p></article>",
        GOLD.replace('\n', "</p><p>")
    );
    site.file("known/l3s-gn1/pages/1.html", page);
    site.file("known/l3s-gn1/gold/1.txt", gold);
    let scores = |convention: &str| {
        let json = site.stdout(&format!(
            "eval --set known --extractor strata --convention {convention} --json --quiet"
        ));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let rows = json["sets"][0]["rows"].as_array().unwrap().clone();
        let score = move |label: &str| {
            let row =
                rows.iter().find(|row| row["extractor"] == label).expect("a row of that name");
            row["mean"].as_f64().unwrap()
        };
        (score("strata, by default"), score("strata, by convention"))
    };
    let (by_default, own) = scores("own");
    assert!(by_default < 1.0 && own == 1.0, "{by_default} {own}");
    assert_eq!(scores("l3s-gn1"), (by_default, own));
    assert_eq!(scores("fundus"), (by_default, by_default));
    site.run("eval --set sets --extractor strata --convention fundis");
    assert_snapshot!(site.transcript());
}

#[test]
fn json() {
    let mut site = site();
    site.run("eval --set sets --extractor bte --json --per-page pages.jsonl --quiet");
    assert_snapshot!(site.transcript());
    let lines = std::fs::read_to_string(site.path().join("pages.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&line["set"], &line["extractor"]), (&"tides".into(), &"bte".into()));
    assert!(line["bag"]["recall"].as_f64().unwrap() > 0.9, "{line}");
}

/// Our own texts come back with the same scores.
#[test]
fn outputs() {
    let mut site = site();
    let line = |id: u32, text: &str| serde_json::json!({ "id": id.to_string(), "text": text });
    let lines = format!("{}\nnonsense\n{}\n", line(1, GOLD), line(9, ""));
    site.run("eval --set sets --extractor article --write out --quiet");
    site.file("out/perfect/tides.jsonl", lines);
    site.file("out/absent/other.jsonl", "");
    site.run("eval --set sets --extractor article --outputs out --worst 1");
    site.run("eval --set sets --outputs sets/tides/pages");
    site.run("eval --set sets --outputs missing");
    assert_snapshot!(site.transcript());
}

#[test]
fn all_builtin_extractors_are_the_default() {
    let site = site();
    let table = site.stdout("eval --set sets --quiet");
    let json = site.stdout("eval --set sets --quiet --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["sets"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), webstrata::Extractor::builtin().len());
    assert!(rows.iter().all(|row| table.contains(row["extractor"].as_str().unwrap())));
    assert_eq!(site.stdout("eval --set sets --quiet --jobs 1"), table);
}

#[test]
fn mistakes() {
    let mut site = site();
    site.file("twice/tides/pages/1.html", TIDES);
    site.file("twice/tides/gold/1.txt", GOLD);
    site.file("broken/pages/1.html", TIDES);
    site.unreadable("partly/pages/1.html");
    site.file("partly/gold/1.txt", GOLD);
    site.file("partly/pages/2.html", TIDES);
    site.file("partly/gold/2.txt", GOLD);
    site.file("no-words/pages/1.html", TIDES);
    site.file("no-words/gold/1.txt", "…");
    site.file("bad.toml", "version = 1\nset = 1\n");
    for arguments in [
        "eval",
        "eval --set missing",
        "eval --set twice sets",
        "eval --set broken",
        "eval --set .",
        "eval --set sets --extractor artcile",
        "eval --set sets --measure bags",
        "eval --set sets --sample 0",
        "eval --set sets --update-floors",
        "eval --set sets --floors missing.toml",
        "eval --set sets --floors bad.toml",
        "eval --set sets --floors bad.toml --hidden keep",
        "eval --set partly --extractor article",
        "eval --set no-words --extractor article",
        "eval --set sets --extractor article article --write out",
    ] {
        site.run(arguments);
    }
    assert_snapshot!(site.transcript());
}

#[test]
fn floors() {
    let mut site = site();
    let eval = "eval --set sets --extractor article bte --floors floors.toml --json";
    let said = |site: &Site, arguments: &str| {
        let output = site.output(&format!("{eval} {arguments}"));
        (output.status.code(), utf8(&output.stderr).to_owned())
    };
    let mut transcript = String::new();
    let mut step = |site: &Site, what: &str, arguments: &str| {
        let (code, stderr) = said(site, arguments);
        // The notes about the set's files are the same each time.
        let lines: Vec<&str> = stderr.lines().filter(|line| !line.contains("left out")).collect();
        transcript.push_str(&format!("# {what}\n{}\nexit {code:?}\n\n", lines.join("\n")));
    };
    step(&site, "written", "--update-floors");
    let written = || std::fs::read_to_string(site.path().join("floors.toml")).unwrap();
    let first = written();
    step(&site, "they hold", "");
    step(&site, "a sample has floors of its own", "--sample 2");
    site.file("floors.toml", first.replace("article = 0.", "article = 1."));
    step(&site, "too high", "");
    step(&site, "not lowered", "--update-floors");
    assert!(written().contains("article = 1."), "{}", written());
    step(&site, "lowered", "--update-floors --allow-lower headings");
    let lowered = written();
    step(&site, "they hold again", "");
    site.file("sets/tides/gold/3.txt", "News");
    step(&site, "another set", "");
    step(&site, "not replaced", "--update-floors");
    step(&site, "replaced", "--update-floors --allow-lower gold");
    site.run("eval --set sets --extractor article my.toml --floors floors.toml --quiet");
    assert_snapshot!(format!("{transcript}{}{lowered}", site.transcript()));
}
