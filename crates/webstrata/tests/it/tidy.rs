//! The rules of the house that a compiler does not check.

mod graph;
mod names;
mod reasons;

use std::path::{Path, PathBuf};
use std::process::Command;

use webstrata::Extractor;
use webstrata::filters::Step;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tracked and new files of the repository; none where there is no repository, as in a crate
/// from the registry. The test says so then.
fn files() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let listed = listed.map(|listed| listed.stdout).unwrap_or_default();
    if listed.is_empty() {
        crate::skipped::skipped(
            "git lists no files: it is not installed, or this is no repository",
        );
    }
    let files = String::from_utf8_lossy(&listed);
    files.lines().map(PathBuf::from).filter(|file| root().join(file).is_file()).collect()
}

fn read(file: &Path) -> String {
    let bytes = std::fs::read(root().join(file)).expect("a listed file");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_rust(file: &&PathBuf) -> bool {
    file.extension().is_some_and(|extension| extension == "rs")
}

/// The files of this crate's library.
fn sources() -> Vec<PathBuf> {
    files().into_iter().filter(|file| file.starts_with("crates/webstrata/src")).collect()
}

fn check(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Lines of code (comments aside) that contain one of the words.
fn lines_with(files: &[PathBuf], words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(is_rust) {
        let text = read(file);
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim().starts_with("//"));
        for (number, line) in code {
            for word in words.iter().filter(|word| line.contains(**word)) {
                found.push(format!("{}:{}: {word}", file.display(), number + 1));
            }
        }
    }
    found
}

#[test]
fn the_library_stands_alone() {
    // No files, no network, no threads: bytes in, documents out.
    let outside =
        ["std::fs", "std::net", "std::thread", "std::process", "std::env", "tokio", "println!"];
    check(&lines_with(&sources(), &outside));
    let manifest = read(Path::new("crates/webstrata/Cargo.toml"));
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let dependencies = dependencies.split("\n[").next().unwrap_or_default();
    assert!(dependencies.contains("memchr"));
    assert!(!dependencies.contains("path =") && !dependencies.contains("webstrata"));
    assert!(manifest.contains("[lints]\nworkspace = true"));
    assert!(read(Path::new("Cargo.toml")).contains("unsafe_code = \"forbid\""));
}

#[test]
fn files_are_short() {
    let mut wrong = Vec::new();
    let is_script = |file: &PathBuf| {
        let extension = file.extension().unwrap_or_default();
        extension == "py" || (file.starts_with("wasm") && (extension == "js" || extension == "mjs"))
    };
    for file in files().iter().filter(|file| is_rust(file) || is_script(file)) {
        let lines = read(file).lines().count();
        if lines > 600 {
            wrong.push(format!("{}: {lines} lines, at most 600", file.display()));
        }
    }
    check(&wrong);
}

#[test]
fn unsafe_code_is_in_one_file() {
    // It maps files; Rust cannot know that nobody changes them meanwhile.
    let maps = Path::new("crates/webstrata-links/src/graph/map.rs");
    let words = ["allow(unsafe", "unsafe {", "unsafe fn", "unsafe impl"];
    let others: Vec<PathBuf> = files()
        .into_iter()
        .filter(|file| file.starts_with("crates") || file.starts_with("python"))
        .filter(|file| file != maps)
        .filter(|file| !file.ends_with("tidy.rs"))
        .collect();
    check(&lines_with(&others, &words));
    // What names functions of the WebAssembly module is spelled `unsafe`, and nothing else there is.
    let module: Vec<PathBuf> =
        files().into_iter().filter(|file| file.starts_with("wasm")).collect();
    check(&lines_with(&module, &words[1..]));
    for file in files().iter().filter(|file| file.ends_with("Cargo.toml")) {
        let manifest = read(file);
        if file.starts_with("crates/webstrata-links") || file.starts_with("python") {
            assert!(manifest.contains("unsafe_code = \"deny\""));
        } else if file.starts_with("crates") {
            assert!(manifest.contains("[lints]\nworkspace = true"), "{}", file.display());
        }
    }
}

#[test]
fn nothing_is_left_unfinished() {
    let unfinished =
        [["to", "do!("], ["db", "g!("], ["unimple", "mented!("]].map(|word| word.concat());
    check(&lines_with(&files(), &unfinished.each_ref().map(String::as_str)));
}

#[test]
fn no_file_names_a_place_on_somebodys_machine() {
    let places =
        [["/t", "mp/"], ["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"]].map(|part| part.concat());
    let mut wrong = Vec::new();
    // The invented pages have paths of their own.
    let pages = ["crates/webstrata/tests/pages", "crates/webstrata/tests/corpus"];
    for file in files().iter().filter(|file| !pages.iter().any(|pages| file.starts_with(pages))) {
        for (number, line) in read(file).lines().enumerate() {
            let is_root = |(at, _): (usize, &str)| {
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || ".-_~}".contains(c))
            };
            if places.iter().any(|place| line.match_indices(place.as_str()).any(is_root)) {
                wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    check(&wrong);
}

#[test]
fn every_fuzzer_runs_what_tests_run_too() {
    let mut wrong = Vec::new();
    for file in files().iter().filter(|file| file.starts_with("fuzz/src/bin")) {
        let (name, target) = (file.file_stem().unwrap_or_default().to_string_lossy(), read(file));
        let checks = target.split('"').find_map(|path| path.strip_prefix("../../../"));
        let checks = checks.map(|path| read(Path::new(path))).unwrap_or_default();
        let is_checked = target.contains(&format!("checks::{name}(bytes)"))
            && checks.contains(&format!("pub(crate) fn {name}(bytes: &[u8])"))
            && checks.contains(&format!("hold(\"{name}\", {name})"));
        if !is_checked || !root().join(format!("fuzz/corpora/{name}.txt")).is_file() {
            wrong.push(format!("{}: no check, no corpus, or no test over it", file.display()));
        }
    }
    check(&wrong);
}

/// The parts of the library's files behind `#[cfg(test)]`, and the tests beside it.
fn test_code() -> String {
    let mut code = String::new();
    for file in files().iter().filter(is_rust) {
        let text = read(file);
        let name = file.to_string_lossy();
        if name.contains("/tests/") || name.ends_with("tests.rs") {
            code.push_str(&text);
        } else if let Some((_, tests)) = text.split_once("#[cfg(test)]\nmod tests {") {
            code.push_str(tests);
        }
    }
    code
}

#[test]
fn every_filter_is_documented_and_tested() {
    let code = test_code();
    let mut wrong = Vec::new();
    for name in Step::names() {
        let step = Step::named(name).expect("its own name");
        let doc = step.doc();
        if doc.len() < 40 || !doc.trim_end().ends_with('.') {
            wrong.push(format!("{name}: no paragraph of documentation"));
        }
        // The variant of `Step` and the filter share their name.
        let debug = format!("{step:?}");
        let filter = debug.split(['(', ' ']).next().unwrap_or_default();
        if !files().is_empty() && !code.contains(filter) {
            wrong.push(format!("{name}: {filter} is in no test"));
        }
    }
    check(&wrong);
}

#[test]
fn every_extractor_tells_what_it_is_for() {
    // A crate from the registry has no documents beside it.
    let file = Path::new("docs/extractors.md");
    let list = root().join(file).is_file().then(|| read(file));
    let is_listed = |extractor: &Extractor| {
        let row = format!("| `{}` ", extractor.name);
        list.as_ref().is_none_or(|list| list.contains(&row))
    };
    let mut wrong = Vec::new();
    for extractor in Extractor::builtin() {
        if extractor.about.is_empty() || extractor.paper.is_empty() {
            wrong.push(format!("{}: no `about` or no `paper`", extractor.name));
        }
        if !is_listed(extractor) {
            wrong.push(format!("{}: not in docs/extractors.md", extractor.name));
        }
    }
    let written: Vec<_> = files()
        .into_iter()
        .filter(|file| file.starts_with("crates/webstrata/src/extractors") && !is_rust(&file))
        .filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned()))
        .filter(|name| Extractor::named(name).is_none())
        .collect();
    wrong.extend(written.iter().map(|name| format!("{name}.toml: not among the built-in ones")));
    check(&wrong);
}
