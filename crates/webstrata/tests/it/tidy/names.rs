//! Documents and comments name only what exists: crates, commands, paths, links.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::graph::crates;
use super::{check, files, is_rust, read, root};

/// Programs and packages that are no crates of the workspace.
const PROGRAMS: [&str; 2] = ["webstrata-bench", "webstrata-fuzz"];

/// Words of other kinds that begin alike: classes, keys and files of the web page, names of temporary files, pages of the
/// manual.
const WORDS: &[&str] = &[
    "webstrata-article",
    "webstrata-browser",
    "webstrata-content",
    "webstrata-extract",
    "webstrata-image",
    "webstrata-keys",
    "webstrata-none",
    "webstrata-parity",
    "webstrata-pieces",
    "webstrata-search-query",
    "webstrata-spark",
    "webstrata-tests",
    "webstrata-theme",
    "webstrata-token",
    "webstrata-words",
    "webstrata-xyz",
];

/// Where the programs define their commands.
const DEFINITIONS: [(&str, &str); 2] = [
    ("webstrata", "crates/webstrata-cli/src"),
    ("webstrata-lab", "crates/webstrata-lab/src/program"),
];

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

/// Documents, sources, scripts and manifests. The history names what was, the invented pages are no documents, and
/// this file has examples of what is wrong.
fn texts() -> Vec<PathBuf> {
    let extensions = ["md", "rs", "toml", "py", "sh"];
    let is_text = |file: &PathBuf| {
        let extension = file.extension().map(|extension| extension.to_string_lossy());
        extension.map_or(file.starts_with("test"), |e| extensions.contains(&e.as_ref()))
    };
    files()
        .into_iter()
        .filter(is_text)
        .filter(|file| {
            !file.ends_with("CHANGELOG.md") && !file.starts_with("crates/webstrata/tests/pages")
        })
        .filter(|file| !file.starts_with("crates/webstrata/tests/it/tidy"))
        .collect()
}

fn is_name(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}

/// The names that begin with `webstrata-` in a line.
fn crate_names(line: &str) -> Vec<&str> {
    let begins = |(at, _): &(usize, &str)| {
        !line[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    let whole = |(at, _): (usize, &'_ str)| {
        let end = line[at..].find(|c| !is_name(c)).map_or(line.len(), |length| at + length);
        line[at..end].trim_end_matches('-')
    };
    line.match_indices("webstrata-")
        .filter(begins)
        .map(whole)
        .filter(|n| *n != "webstrata")
        .collect()
}

#[test]
fn crates_that_are_named_exist() {
    let crates = crates();
    let is_known =
        |name: &str| crates.contains_key(name) || PROGRAMS.contains(&name) || WORDS.contains(&name);
    let mut wrong = Vec::new();
    for file in texts() {
        for (number, line) in read(&file).lines().enumerate() {
            for name in crate_names(line).into_iter().filter(|name| !is_known(name)) {
                wrong.push(format!("{}:{}: {name} is no crate", file.display(), number + 1));
            }
        }
    }
    check(&wrong);
    assert_eq!(crate_names("the crate `webstrata-stream`, a-webstrata-x"), ["webstrata-stream"]);
}

/// The commands of a program: `extract`, `links build`.
fn commands(folder: &str) -> BTreeSet<String> {
    let mut commands = BTreeSet::new();
    for file in files().iter().filter(|file| file.starts_with(folder)) {
        let text = read(file);
        let name = file.strip_prefix(folder).unwrap_or(file).with_extension("");
        let group = match name.to_string_lossy().strip_prefix("cmd/") {
            Some(name) => format!("{} ", name.trim_end_matches("/mod")),
            None => String::new(),
        };
        commands.extend(variants(&text).iter().map(|name| format!("{group}{name}")));
    }
    commands
}

/// The commands that an `enum` derived from `Subcommand` lists.
fn variants(text: &str) -> Vec<String> {
    let mut variants = Vec::new();
    for list in text.split("Subcommand)]\n").skip(1) {
        let mut given = None;
        for line in list.lines().skip(1).take_while(|line| *line != "}") {
            let Some(line) = line.strip_prefix("    ") else { continue };
            if let Some(name) = line.strip_prefix("#[command(name = \"") {
                given = name.split('"').next();
            } else if line.starts_with(|c: char| c.is_ascii_uppercase()) {
                let name = line.split(|c: char| !c.is_ascii_alphanumeric()).next();
                let name =
                    given.take().map_or_else(|| kebab(name.unwrap_or_default()), str::to_owned);
                variants.push(name);
            }
        }
    }
    variants
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}

/// The calls of our programs in a text: number of line, program, and what follows it. A call stands in backticks or
/// begins a line, in Markdown a line of code.
fn calls(text: &str, markdown: bool) -> Vec<(usize, &'static str, &str)> {
    let mut calls = Vec::new();
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().trim_start_matches("//!").trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let comment = line.trim_start().starts_with("//") || line.starts_with('#');
        for (program, _) in DEFINITIONS {
            let call = format!("{program} ");
            let in_backticks = format!("`{call}");
            let quoted = line.match_indices(&in_backticks).map(|(at, _)| at + 1);
            let begins = line.len() - line.trim_start().len();
            let is_code = if markdown { in_code } else { !comment };
            let first = (is_code && line[begins..].starts_with(&call)).then_some(begins);
            calls.extend(
                quoted.chain(first).map(|at| (number + 1, program, &line[at + call.len()..])),
            );
        }
    }
    calls
}

/// The command that a call names and that does not exist.
fn unknown<'a>(call: &'a str, commands: &BTreeSet<String>) -> Option<&'a str> {
    // A word, not an option, a file or a placeholder.
    let length = |text: &str| {
        let length = text.find(|c| !is_name(c)).unwrap_or(text.len());
        let is_word = text.starts_with(|c: char| c.is_ascii_lowercase())
            && !text[length..].starts_with(['.', '/', '_', '+', '|', ':']);
        if is_word { length } else { 0 }
    };
    let first = length(call);
    if first == 0 || call.starts_with("help") {
        return None;
    }
    let group = format!("{} ", &call[..first]);
    if !commands.iter().any(|command| command.starts_with(&group)) {
        return (!commands.contains(&call[..first])).then_some(&call[..first]);
    }
    let rest = call[first..].strip_prefix(' ')?;
    let both = first + 1 + length(rest);
    let is_known = both == first + 1 || commands.contains(&call[..both]);
    (!is_known).then_some(&call[..both])
}

#[test]
fn commands_that_are_named_exist() {
    let known: BTreeMap<&str, BTreeSet<String>> =
        DEFINITIONS.iter().map(|(program, folder)| (*program, commands(folder))).collect();
    if files().is_empty() {
        return;
    }
    assert!(known["webstrata"].contains("links build"), "{known:?}");
    assert!(known["webstrata-lab"].contains("train c48"), "{known:?}");
    let mut wrong = Vec::new();
    for file in texts() {
        let text = read(&file);
        for (number, program, call) in calls(&text, is_markdown(&file)) {
            if let Some(name) = unknown(call, &known[program]) {
                wrong
                    .push(format!("{}:{number}: `{program} {name}` is no command", file.display()));
            }
        }
    }
    check(&wrong);
}

#[test]
fn a_command_that_is_gone_is_found() {
    let commands = ["extract", "stream run", "links build"].map(str::to_owned).into();
    let text = "webstrata does\n`webstrata train x` and `webstrata stream replay`\n```sh\nwebstrata lab\n\
        webstrata extract page\nwebstrata links DIR\nwebstrata stream run\n```\nwebstrata is\n";
    let wrong: Vec<_> = calls(text, true)
        .into_iter()
        .filter_map(|(line, _, call)| Some((line, unknown(call, &commands)?)))
        .collect();
    assert_eq!(wrong, [(2, "train"), (2, "stream replay"), (4, "lab")]);
}

/// The paths `crates/…` in a line, but not those of other sites.
fn places(line: &str) -> Vec<String> {
    let mut places = Vec::new();
    for (at, _) in line.match_indices("crates/") {
        let end = line[at..].find(|c: char| !c.is_ascii_alphanumeric() && !"-_./".contains(c));
        let path = &line[at..end.map_or(line.len(), |length| at + length)];
        let is_foreign = line[..at].ends_with('/') && !line[..at].ends_with("../");
        // `NAME` is to be filled in.
        if !is_foreign && !path.contains("NAME") {
            places.push(path.trim_end_matches('.').to_owned());
        }
    }
    places
}

/// The example that a line runs, `-p CRATE --example NAME`, as a file.
fn example(line: &str, crates: &BTreeMap<String, String>) -> Option<String> {
    let word = |after: &str| line.split(after).nth(1)?.split([' ', '`', ';', ',']).next();
    let (name, example) = (word(" -p ")?, word("--example ")?);
    Some(format!("{}/examples/{example}.rs", crates.get(name).map_or(name, String::as_str)))
}

/// Where the links of a line of Markdown lead, but for those to other sites.
fn links(line: &str) -> Vec<&str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
    targets.filter(|target| !target.is_empty() && !target.contains(':')).collect()
}

#[test]
fn paths_and_links_of_documents_lead_somewhere() {
    let mut wrong = Vec::new();
    for file in texts().iter().filter(|file| is_markdown(file)) {
        let folder = file.parent().unwrap_or(Path::new(""));
        for (number, line) in read(file).lines().enumerate() {
            let places = places(line).into_iter().map(PathBuf::from);
            let links = links(line).into_iter().map(|link| folder.join(link));
            for place in places.chain(links).filter(|place| !root().join(place).exists()) {
                wrong.push(format!("{}:{}: no {}", file.display(), number + 1, place.display()));
            }
        }
    }
    check(&wrong);
    assert_eq!(
        places("`crates/a-b/src/c.rs`. Or crates/x. x.io/crates/y"),
        ["crates/a-b/src/c.rs", "crates/x"]
    );
    assert_eq!(links("[a](b.md#c), [d](#e) and [f](https://g)"), ["b.md"]);
}

#[test]
fn paths_in_sources_lead_somewhere() {
    let mut wrong = Vec::new();
    for file in texts().iter().filter(is_rust) {
        for (number, line) in read(file).lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            for place in
                places(line).iter().filter(|place| is_comment && !root().join(place).exists())
            {
                wrong.push(format!("{}:{}: no {place}", file.display(), number + 1));
            }
        }
    }
    check(&wrong);
}

#[test]
fn examples_that_are_named_exist() {
    let crates = crates();
    let mut wrong = Vec::new();
    for file in texts() {
        let is_rust = is_rust(&&file);
        for (number, line) in read(&file).lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let example = example(line, &crates).filter(|_| is_comment || !is_rust);
            if let Some(example) = example.filter(|example| !root().join(example).is_file()) {
                wrong.push(format!("{}:{}: no {example}", file.display(), number + 1));
            }
        }
    }
    check(&wrong);
    let known = [("a-lab".to_owned(), "crates/lab".to_owned())].into();
    let line = "`cargo run -p a-lab --example gallery DIR`";
    assert_eq!(example(line, &known).as_deref(), Some("crates/lab/examples/gallery.rs"));
}

#[test]
fn documents_are_short() {
    let mut wrong = Vec::new();
    for (file, most) in [("README.md", 1000), ("ARCHITECTURE.md", 2500), ("CONTRIBUTING.md", 700)] {
        let file = Path::new(file);
        let is_there = root().join(file).is_file();
        let words = if is_there { read(file).split_whitespace().count() } else { 0 };
        if words > most {
            wrong.push(format!("{}: {words} words, at most {most}", file.display()));
        }
    }
    check(&wrong);
}
