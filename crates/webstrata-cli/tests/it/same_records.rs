//! The command gives the library's record of random pages, whatever is asked. The server, Python and WebAssembly have
//! such tests, too, of the same cases.

#[path = "../../../webstrata/examples/cases/made.rs"]
mod made;

use made::Case;
use serde_json::Value;
use webstrata::output::RecordPart;

use crate::site::Site;

/// Processes that are started.
const CASES: u64 = 60;

/// The flags that ask for the same.
fn flags(case: &Case, site: &Site) -> Vec<String> {
    let parts = case.built().parts;
    let has_blocks = parts.contains(&RecordPart::Blocks);
    let has_markdown = parts.contains(&RecordPart::Markdown);
    let has_markup = has_markdown || parts.contains(&RecordPart::Html);
    let mut flags = Vec::new();
    for (name, value) in &case.request {
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Array(list) => {
                list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        let flag = match name.as_str() {
            "parts" => "--with",
            "front_matter" => "--front-matter",
            "max_bytes" => "--max-bytes",
            name => &format!("--{name}"),
        };
        match name.as_str() {
            // The command refuses what would change nothing.
            "links" | "images" if !has_markup => {}
            "front_matter" if !has_markdown => {}
            "reasons" if !has_blocks => {}
            "links" | "images" | "front_matter" | "reasons" if written == "false" => {}
            "links" | "images" | "front_matter" | "reasons" => flags.push(flag.to_owned()),
            "extractor" if written.contains('\n') => {
                site.file("mine.toml", &written);
                flags.extend([flag.to_owned(), "mine.toml".to_owned()]);
            }
            _ if written.is_empty() => {}
            _ => flags.extend([flag.to_owned(), written]),
        }
    }
    flags
}

#[test]
fn of_random_pages_whatever_is_asked() {
    let site = Site::new(&[]);
    for number in 0..CASES {
        let case = Case::of(number).without(&[]);
        if case.built().extractor().asks_for_site() {
            // The command learns the site of the pages that it is given; the library is told.
            continue;
        }
        site.file("page.html", &case.page);
        let mut command = site.command("extract -q --format jsonl page.html");
        let output = command.args(flags(&case, &site)).output().expect("the command runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{number}: {error}");
        let line: Value = serde_json::from_slice(&output.stdout).expect("a line of JSON");
        let record = case.record();
        for (name, expected) in record.as_object().expect("an object") {
            assert_eq!(line.get(name), Some(expected), "{number}, {name}: {:?}", case.request);
        }
        // Beside the record stands where the page came from.
        let others = line.as_object().expect("an object").keys();
        let others: Vec<_> = others.filter(|name| record.get(name).is_none()).collect();
        let known = ["id", "file", "text_language"];
        assert!(others.iter().all(|name| known.contains(&name.as_str())), "{others:?}");
    }
}
