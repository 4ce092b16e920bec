//! A reason beside every dependency.

use std::path::Path;

use super::graph::crates;
use super::{check, read};

/// The dependencies of other projects in a manifest without a comment above them. One comment speaks for
/// neighbours whose names begin with the same word, as `serde` and `serde_json`.
fn without_reason(manifest: &str) -> Vec<&str> {
    let mut wrong = Vec::new();
    let mut in_dependencies = false;
    let mut has_comment = false;
    let mut reasoned = None;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.trim_end_matches(']').ends_with("dependencies");
        }
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
        let word = name.split(['-', '_']).next().unwrap_or_default();
        if in_dependencies && word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            if has_comment || word == "webstrata" {
                reasoned = Some(word);
            } else if reasoned != Some(word) {
                wrong.push(name);
            }
        } else {
            reasoned = None;
        }
        has_comment = line.starts_with('#');
    }
    wrong
}

#[test]
fn every_dependency_has_its_reason_beside_it() {
    let mut wrong = Vec::new();
    for folder in crates().values() {
        let manifest = read(&Path::new(folder).join("Cargo.toml"));
        for name in without_reason(&manifest) {
            wrong.push(format!("{folder}/Cargo.toml: `{name}` has no comment that says why"));
        }
    }
    check(&wrong);
}

#[test]
fn a_missing_reason_is_found() {
    let manifest = "# A package.\n[package]\nname = \"a\"\n\n[dependencies]\nurl = \"2\"\nwebstrata.workspace = true\n\
        # Data.\nserde = \"1\"\nserde_json = \"1\"\ntoml = \"1\"\n\n[dev-dependencies]\n\nserde-test = \"1\"\n";
    assert_eq!(without_reason(manifest), ["url", "toml", "serde-test"]);
}
