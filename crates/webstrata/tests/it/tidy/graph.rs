//! Who may use whom: the manifests keep to the table and to the drawing of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{check, files, read};

/// A crate by the name of its package, and the crates of ours that it uses or may use.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The crates of the workspace: names of packages, and folders.
pub(super) fn crates() -> BTreeMap<String, String> {
    let mut crates = BTreeMap::new();
    for file in files().iter().filter(|file| file.ends_with("Cargo.toml")) {
        let folder = file.parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
        if folder.starts_with("crates/") || ["python", "wasm", "xtask"].contains(&folder.as_str()) {
            let name = manifest(&folder)["package"]["name"].as_str().expect("a name").to_owned();
            crates.insert(name, folder);
        }
    }
    crates
}

fn manifest(folder: &str) -> toml::Table {
    let text = read(&Path::new(folder).join("Cargo.toml"));
    text.parse().unwrap_or_else(|error| panic!("{folder}/Cargo.toml: {error}"))
}

/// The crates of ours that the manifest of `folder` names. Tests and benchmarks may use others.
fn uses(folder: &str, crates: &BTreeMap<String, String>) -> BTreeSet<String> {
    let manifest = manifest(folder);
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let tables = std::iter::once(&manifest)
        .chain(targets.into_iter().flat_map(|table| table.values()).filter_map(|v| v.as_table()));
    let mut uses = BTreeSet::new();
    for table in tables {
        for kind in ["dependencies", "build-dependencies"] {
            let Some(dependencies) = table.get(kind).and_then(toml::Value::as_table) else {
                continue;
            };
            for (key, value) in dependencies {
                let name = value.get("package").and_then(toml::Value::as_str).unwrap_or(key);
                if crates.contains_key(name) {
                    uses.insert(name.to_owned());
                }
            }
        }
    }
    uses
}

/// The name of a package by its name in ARCHITECTURE.md: `core`, `base`, `python`.
fn package(short: &str, crates: &BTreeMap<String, String>) -> String {
    let known = [short.to_owned(), format!("webstrata-{short}")];
    match short {
        "core" => "webstrata".to_owned(),
        _ => known.into_iter().find(|name| crates.contains_key(name)).unwrap_or(short.to_owned()),
    }
}

/// The table of "Rooms": crate, question, may use.
fn table(text: &str, crates: &BTreeMap<String, String>) -> Graph {
    let section = text.split("\n## Rooms\n").nth(1).expect("a section `Rooms`");
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut graph = Graph::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let may_use = cells[3].split(", ").filter(|name| *name != "–");
        let may_use = may_use.map(|name| package(name, crates)).collect();
        graph.insert(package(cells[1].trim_matches('`'), crates), may_use);
    }
    graph
}

/// The layer of each crate in the drawing of "Who may use whom", from the top.
fn layers(text: &str, crates: &BTreeMap<String, String>) -> BTreeMap<String, usize> {
    let section =
        text.split("\n## Who may use whom\n").nth(1).expect("a section `Who may use whom`");
    let drawing = section.split("```").nth(1).expect("a drawing");
    let mut layers = BTreeMap::new();
    for (layer, text) in drawing.split('├').enumerate() {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            let name = package(word, crates);
            if crates.contains_key(&name) && word != "core" {
                layers.insert(name, layer);
            }
        }
    }
    layers
}

/// All that a crate uses, also by way of others.
fn reachable(from: &str, graph: &Graph) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(next) = open.pop() {
        for name in graph.get(&next).into_iter().flatten() {
            if found.insert(name.clone()) {
                open.push(name.clone());
            }
        }
    }
    found
}

/// What is wrong with manifests, a table and a drawing.
fn problems(used: &Graph, table: &Graph, layers: &BTreeMap<String, usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, uses) in used {
        let Some(allowed) = table.get(name) else {
            wrong.push(format!("{name}: no row in the table of ARCHITECTURE.md"));
            continue;
        };
        for other in uses.difference(allowed) {
            wrong.push(format!("{name}: depends on {other}, which the table does not allow"));
        }
        if !layers.contains_key(name) {
            wrong.push(format!("{name}: not in the drawing of ARCHITECTURE.md"));
        }
    }
    for (name, allowed) in table {
        if !used.contains_key(name) {
            wrong.push(format!("{name}: a row in the table, but no such crate"));
        }
        for other in allowed {
            match (layers.get(name), layers.get(other)) {
                _ if !used.contains_key(other) => {
                    wrong.push(format!("{name}: may use {other}, which is no crate"));
                }
                (Some(own), Some(below)) if below <= own => {
                    wrong.push(format!("{name}: may use {other}, which is not drawn below it"));
                }
                _ => {}
            }
        }
    }
    // What people use on their pages is built without what trains, measures and draws.
    for product in ["webstrata-cli", "webstrata-python", "webstrata-wasm"] {
        if reachable(product, used).contains("webstrata-lab") {
            wrong.push(format!("{product}: uses webstrata-lab, maybe by way of another crate"));
        }
    }
    wrong
}

#[test]
fn crates_use_each_other_as_drawn() {
    let crates = crates();
    if crates.is_empty() {
        return; // `files` has said why.
    }
    let used = crates.iter().map(|(name, folder)| (name.clone(), uses(folder, &crates))).collect();
    let text = read(Path::new("ARCHITECTURE.md"));
    check(&problems(&used, &table(&text, &crates), &layers(&text, &crates)));
}

#[test]
fn a_crate_that_is_named_is_used() {
    let crates = crates();
    let mut wrong = Vec::new();
    for (name, folder) in &crates {
        let source = Path::new(folder).join("src");
        let sources: String =
            files().iter().filter(|f| f.starts_with(&source)).map(|f| read(f)).collect();
        for other in uses(folder, &crates) {
            if !sources.contains(&format!("{}::", other.replace('-', "_"))) {
                wrong.push(format!("{name}: depends on {other}, but no source names it"));
            }
        }
    }
    check(&wrong);
}

#[test]
fn every_kind_of_problem_is_found() {
    let graph = |edges: &[(&str, &[&str])]| -> Graph {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        edges.iter().map(|(name, uses)| ((*name).to_owned(), set(uses))).collect()
    };
    let used = graph(&[
        ("webstrata", &[]),
        ("webstrata-lab", &["webstrata"]),
        ("webstrata-serve", &["webstrata-lab"]),
        ("webstrata-cli", &["webstrata-serve"]),
    ]);
    let table = graph(&[
        ("webstrata", &[]),
        ("webstrata-lab", &["webstrata", "webstrata-charts"]),
        ("webstrata-serve", &["webstrata"]),
        ("webstrata-learn", &[]),
        ("webstrata-cli", &["webstrata-serve", "webstrata-lab"]),
    ]);
    let layers = [("webstrata-cli", 0), ("webstrata-lab", 0), ("webstrata-serve", 1)];
    let layers = layers.map(|(name, layer)| (name.to_owned(), layer)).into();
    let expected = [
        "webstrata: not in the drawing of ARCHITECTURE.md",
        "webstrata-serve: depends on webstrata-lab, which the table does not allow",
        "webstrata-cli: may use webstrata-lab, which is not drawn below it",
        "webstrata-lab: may use webstrata-charts, which is no crate",
        "webstrata-learn: a row in the table, but no such crate",
        "webstrata-cli: uses webstrata-lab, maybe by way of another crate",
    ];
    assert_eq!(problems(&used, &table, &layers), expected);
    let rowless = problems(&used, &Graph::new(), &layers);
    assert_eq!(rowless[0], "webstrata: no row in the table of ARCHITECTURE.md");
}
