use proptest::prelude::*;

use super::*;
use crate::markup::{has_only_references, skeleton};

/// A report with `text` wherever a text can be, and charts without it: these have a test of their
/// own.
fn report_of(text: &str) -> Report {
    let chart = Chart::bars("Bars").bar("one", 1.0);
    let table = Table::new(text)
        .column(text, Align::Left)
        .column(text, Align::Right)
        .row([text, text])
        .row([text]);
    let comparison = Comparison::new(text)
        .row(Compared::new(text).paper(0.9).ours(0.95).otherwise(format!("x{text}"), 0.93))
        .row(Compared::new(text).ours(0.95));
    let below = Section::new(text).table(table).comparison(comparison);
    let section = Section::new(text).text(text).note(text).figure(text, &chart).section(below);
    Report::new(text).about(text).fact(text, text).section(section)
}

proptest! {
    #[test]
    fn no_text_becomes_markup(text in "[ -_a-~\\u{0}-\\u{2ff}<>&\"']{0,20}") {
        // Backticks are the one thing that means something; the next test is about them.
        let text = text.replace('`', "");
        let html = report_of(&text).to_html();
        prop_assert_eq!(skeleton(&html), skeleton(&report_of("tide").to_html()));
        let body = html.split("</style>").nth(1).unwrap_or_default();
        prop_assert!(has_only_references(body));
    }

    #[test]
    fn code_is_closed(text in "[a`<]{0,12}") {
        let html = report_of(&text).to_html();
        prop_assert_eq!(html.matches("<code>").count(), html.matches("</code>").count());
        prop_assert_eq!(pieces(&text).iter().map(|(code, piece)| {
            piece.len() + if *code { 2 } else { 0 }
        }).sum::<usize>(), text.len());
    }

    #[test]
    fn json_is_json(text in any::<String>()) {
        let json: serde_json::Value = serde_json::from_str(&report_of(&text).to_json()).unwrap();
        prop_assert_eq!(json["title"].as_str(), Some(text.as_str()));
    }
}

/// Two sections, one of which disagrees with its paper.
fn tides() -> Report {
    let table = Table::new("Table 1: stations")
        .column("station", Align::Left)
        .column("metres", Align::Right)
        .row(["the bar | outer", "4.1"])
        .row(["quay", "3.9"]);
    let comparison = Comparison::new("Table 2: high water")
        .row(Compared::new("noon").paper(4.1).ours(4.1).decimals(1))
        .row(
            Compared::new("night")
                .paper(4.0)
                .ours(3.7)
                .decimals(1)
                .otherwise("the `new` breakwater", 4.0),
        )
        .row(Compared::new("spring").paper(4.8).decimals(1));
    Report::new("Tides")
        .about("Tables against the gauge.")
        .fact("version", "0.1.0")
        .section(Section::new("Stations").text("Measured at the bar.").table(table))
        .section(
            Section::new("Heights")
                .figure("Paper and gauge.", &comparison.chart())
                .comparison(comparison)
                .note("Spring tides were not measured."),
        )
}

#[test]
fn markdown() {
    let expect = "\
# Tides

Tables against the gauge.

- version: 0.1.0

## Stations

Measured at the bar.

**Table 1: stations**

| station | metres |
| --- | --: |
| the bar \\| outer | 4.1 |
| quay | 3.9 |

## Heights

Figure: Table 2: high water. Paper and gauge.

**Table 2: high water**

|  | paper | ours | difference | why |
| --- | --: | --: | --: | --- |
| noon | 4.1 | 4.1 | 0.0 |  |
| night | 4.0 | 3.7 | ▼ −0.3 | agrees with the `new` breakwater: 4.0 |
| spring | 4.8 | – | – |  |

> Spring tides were not measured.
";
    assert_eq!(tides().to_markdown(), expect);
}

#[test]
fn json() {
    let json: serde_json::Value = serde_json::from_str(&tides().to_json()).unwrap();
    assert_eq!(json["version"], 2);
    assert_eq!(json["agreement"], serde_json::json!({"within": 1, "tested": 1, "of": 2}));
    let night = &json["sections"][1]["parts"][1]["comparison"]["rows"][1];
    assert_eq!((&night["paper"], &night["verdict"]), (&4.0.into(), &"below".into()));
    assert_eq!(json["sections"][0]["parts"][1]["table"]["rows"][1][0], "quay");
}

#[test]
fn html_marks_what_disagrees_and_needs_nothing_else() {
    let html = tides().to_html();
    assert_eq!(html.matches("<tr class=\"off\">").count(), 1);
    assert!(html.contains("<b>1 of 2 agree</b>") && html.contains("1 explained, 0 not: Heights"));
    assert!(html.contains("agrees with the <code>new</code> breakwater: 4.0"));
    assert!(!html.contains("why missing"));
    for outside in ["http://", "https://", "<script", "<link", "@import", "url(", "src="] {
        // The name of the SVG namespace is no address.
        let html = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn another_corpus_explains_what_moves_with_it() {
    let heights = |ours: f64| {
        let row = Compared::new("night").paper(4.0).ours(ours).decimals(1);
        Section::new("Below")
            .section(Section::new("Heights").comparison(Comparison::new("High").row(row)))
    };
    let report = Report::new("Tides").section(heights(3.7));
    assert_eq!(report.agreement().tested, 0);
    let still = report.clone().beside("the quay", &Report::new("").section(heights(3.8)));
    assert_eq!(still.agreement().tested, 0);
    assert!(
        still.to_html().contains("why missing") && still.to_html().contains("on the quay: 3.8")
    );
    let moved = report.beside("the quay", &Report::new("").section(heights(4.1)));
    assert_eq!(moved.agreement().tested, 1);
    let unlike = Section::new("").comparison(Comparison::new("Low"));
    let other =
        Report::new("Tides").section(heights(3.7)).beside("x", &Report::new("").section(unlike));
    assert_eq!(other.agreement().tested, 0);
}

#[test]
fn every_link_leads_somewhere() {
    let same = || Section::new("Top").section(Section::new("Top")).section(Section::new("!"));
    let html = Report::new("x").section(same()).section(same()).to_html();
    let after = |mark: &str| -> Vec<String> {
        let rest = html.split(mark).skip(1);
        rest.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let (targets, links) = (after(" id=\""), after("href=\"#"));
    let different: std::collections::BTreeSet<_> = targets.iter().collect();
    assert_eq!(different.len(), targets.len());
    assert_eq!(targets, ["top", "top-2", "top-3", "part", "top-4", "top-5", "part-2"]);
    assert!(links.iter().all(|link| targets.contains(link)));
}

#[test]
fn written_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("report");
    tides().write(&folder).unwrap();
    for (file, expect) in [
        ("index.html", tides().to_html()),
        ("report.md", tides().to_markdown()),
        ("report.json", tides().to_json()),
    ] {
        assert_eq!(std::fs::read_to_string(folder.join(file)).unwrap(), expect);
    }
    assert_eq!(tides().figures()[0].0, "table-2-high-water.svg");
}

#[test]
#[should_panic(expected = "x: 2 cells for 1 columns")]
fn more_cells_than_columns() {
    let _ = Table::new("x").column("a", Align::Left).row(["1", "2"]);
}
