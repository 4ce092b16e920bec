//! What people do in this repository, and the command for each: what `cargo xtask --help` prints.

use std::fmt::Write;

/// A group of chores.
struct Part {
    name: &'static str,
    /// What is done, and its command.
    chores: &'static [(&'static str, &'static str)],
}

const fn part(name: &'static str, chores: &'static [(&'static str, &'static str)]) -> Part {
    Part { name, chores }
}

const PARTS: &[Part] = &[
    part(
        "Test",
        &[
            ("everything", "./test"),
            ("format, lints, the core and the command", "./test quick"),
            ("some Python tests, on a wheel in a fresh environment", "python/test -k many"),
            (
                "the Python package while you change it",
                "cd python && maturin develop && pytest tests",
            ),
            ("the npm package as it is shipped", "wasm/test"),
            (
                "the web page in a headless Chromium; WEBSTRATA_SCREENSHOTS=DIR takes pictures, \
                 WEBSTRATA_BROWSER=none leaves it out",
                "cargo test -p webstrata-serve --test browser",
            ),
            (
                "rewrite the expected outputs of pages, then read the diff",
                "WEBSTRATA_BLESS=1 cargo test -p webstrata --test it pages",
            ),
            (
                "rewrite what is read from broken feeds, then read the diff",
                "WEBSTRATA_BLESS=1 cargo test -p webstrata-feeds --test it feeds",
            ),
            (
                "rewrite the snapshots of the programs, then read the diff",
                "INSTA_UPDATE=always cargo test -p webstrata-cli -p webstrata-lab",
            ),
            (
                "the main text of pages in many languages, page by page",
                "cargo test -p webstrata --test it languages -- --nocapture",
            ),
        ],
    ),
    part(
        "Test at length",
        &[
            (
                "hostile pages at full size",
                "cargo test --release -p webstrata --test it -- --ignored torture --nocapture",
            ),
            (
                "random pages for ten minutes",
                "cargo test --release -p webstrata --test it -- --ignored fuzz_for",
            ),
            (
                "all that strangers write, by coverage: thirty minutes over all targets, and a table of what was \
                 done. `fuzz/run --help` says how for some of them",
                "fuzz/run 30",
            ),
            (
                "the memory of 1,200 hostile pages, each beside what it may take",
                "WEBSTRATA_HOSTILE=1200 cargo test --release -p webstrata --test it no_page_takes -- --nocapture",
            ),
            (
                "the writer of an index through 1,000 kills",
                "WEBSTRATA_KILLS=1000 cargo test --release -p webstrata-search --test it nothing_committed",
            ),
            (
                "a stream through 500 kills, see docs/streams.md",
                "WEBSTRATA_FAULT_ROUNDS=500 cargo test --release -p webstrata-cli --test it faults -- --nocapture",
            ),
            (
                "a bomb of ten gigabytes in an archive",
                "cargo test --release -p webstrata-archive --test it -- --ignored ten_gigabytes",
            ),
            ("the server's OpenAPI document, by schemathesis", "bench/schemathesis"),
            (
                "random pages with random requests and their records, which all adapters give alike",
                "cargo run -p webstrata --example cases -- 100000",
            ),
            ("the licences of what is compiled into a package", "xtask/notices CRATE FILE"),
        ],
    ),
    part(
        "Compare with other programs",
        &[
            ("results with boilerpipe's own", "cargo xtask parity SETS"),
            (
                "our tree with html5ever's on real pages",
                "WEBSTRATA_SETS=SETS cargo test -p webstrata --test it real",
            ),
            (
                "C4.8, 1R and information gain with Weka's; WEBSTRATA_WEKA names its jar",
                "cargo test -p webstrata-lab --test it -- --ignored weka",
            ),
            (
                "our fits with scipy's; WEBSTRATA_PYTHON names a Python that has it",
                "cargo test -p webstrata-lab --lib -- --ignored scipy",
            ),
            (
                "our archives, read by warcio and FastWARC; WEBSTRATA_PYTHON names a Python that has them",
                "cargo test -p webstrata-archive --test it -- --ignored other_readers",
            ),
            (
                "published web graphs with their known counts, see docs/links.md",
                "WEBSTRATA_GRAPHS=DIR cargo test -p webstrata-links --test it real -- --nocapture",
            ),
            (
                "PageRank with other tools, to the same error; are the ranks the same?",
                "bench/links/run GRAPHS --check",
            ),
        ],
    ),
    part(
        "Measure quality",
        &[
            (
                "scores against gold texts; the worst pages with `--worst 5`",
                "webstrata-lab eval --set SETS",
            ),
            (
                "other tools' scores beside ours, texts in OUT/<tool>/<set>.jsonl",
                "webstrata-lab eval --set SETS --outputs OUT",
            ),
            (
                "are scores as high as they were? All pages with `--all`",
                "WEBSTRATA_SETS=SETS eval/check",
            ),
            (
                "raise the floors after an improvement, then the same with `--sample 40`. A floor is lowered \
                 only with `--allow-lower REASON`, and the reason stays in the file",
                "webstrata-lab eval --set SETS --floors eval/floors.toml --update-floors",
            ),
            ("headings, lists, tables and code of our Markdown", "cargo xtask structure SETS"),
            ("titles, authors and dates against what people noted", "cargo xtask metadata SETS"),
            ("posts of forums against the marks of their software", "cargo xtask threads SETS"),
            (
                "trafilatura's beside them, then `cargo xtask metadata SETS --outputs FILE`",
                "bench/.venv/bin/python bench/metadata.py SETS/SET > FILE",
            ),
            (
                "planted near-duplicates, found and missed, see docs/dedup.md",
                "cargo xtask duplicates plant DIR N",
            ),
        ],
    ),
    part(
        "Papers",
        &[
            (
                "the papers' tables and figures, made anew, as a page",
                "webstrata-lab lab --corpora SETS --out report/",
            ),
            (
                "the strata of a corpus, beside the thesis'",
                "webstrata-lab corpus SETS/l3s-gn1 --out report/",
            ),
            (
                "methods that cut pages into segments, see docs/segmentation.md",
                "webstrata-lab segment --set SETS/l3s-gn1 SETS/wcxb-dev --out report/",
            ),
            (
                "near-duplicates by segmentation method, beside Table 4.3",
                "cargo xtask duplicates table",
            ),
            (
                "does it help to search in main texts only? See docs/retrieval.md",
                "webstrata-lab retrieval --set SETS/wcxb-dev --out report/",
            ),
            (
                "the random writers and the density model on real pages",
                "cargo run --release -p webstrata-lab --example writers SETS/l3s-gn1",
            ),
            (
                "a made-up web of topics, as files, see docs/facets.md",
                "cargo run --release -p webstrata-lab --example topical_web DIR",
            ),
            (
                "searches with known topics, as files, see docs/facets.md",
                "cargo run --release -p webstrata-lab --example facet_queries DIR",
            ),
            (
                "all kinds of charts and tables on one page",
                "cargo run -p webstrata-lab --example gallery DIR",
            ),
        ],
    ),
    part(
        "Train",
        &[
            (
                "a model on your own pages, see `webstrata-lab train --help`",
                "webstrata-lab train TRAINER --set SETS/SET --out FILE",
            ),
            ("which features say most", "webstrata-lab gain --set SETS/SET --plot gain.svg"),
            (
                "how good the swarm is on twenty splits",
                "webstrata-lab train swarm --set SETS/l3s-gn1 --out my.toml",
            ),
            (
                "is `swarm.toml` what the trainer learns, and do models give in the core what the trainer saw?",
                "WEBSTRATA_SETS=SETS cargo test --release -p webstrata-lab --test it real_pages",
            ),
        ],
    ),
    part(
        "Measure speed",
        &[
            ("extraction beside other tools", "bench/run SETS"),
            (
                "the Python package beside others, see its head",
                "bench/.venv/bin/python bench/python.py SETS",
            ),
            (
                "Spark beside the command, pages per second and core, see its head",
                "python python/bench/spark.py --command target/release/webstrata",
            ),
            (
                "the npm package beside the native library, see docs/wasm.md",
                "node wasm/bench.mjs SETS",
            ),
            (
                "reading web archives, see docs/benchmarks.md",
                "cargo run --release -p webstrata-archive --example speed",
            ),
            (
                "archives in bulk, beside FastWARC and resiliparse",
                "bench/.venv/bin/python bench/bulk.py target/release/webstrata DIR",
            ),
            (
                "building a graph",
                "cargo run --release -p webstrata-links --example graph DIR numbers 100000000",
            ),
            ("PageRank beside other tools, to the same error", "bench/links/run GRAPHS"),
            (
                "a million pages in an index, and questions to it",
                "cargo run --release -p webstrata-search --example million DIR",
            ),
            ("the same by Python's tantivy", "bench/.venv/bin/python bench/search.py DIR"),
            (
                "a server to put under load, or beside hostile clients",
                "cargo run --release -p webstrata-serve --example serve",
            ),
            (
                "the load; with `--clients 20 --hostile 40` the hostile clients",
                "cargo run --release -p webstrata-serve --example load -- 127.0.0.1:8080 SETS/wcxb-dev/pages --pid PID",
            ),
        ],
    ),
    part(
        "Package and show",
        &[
            (
                "all crates that are published, as they are uploaded",
                "cargo package --workspace --exclude webstrata-python --exclude webstrata-wasm --exclude xtask",
            ),
            ("Python wheels for everybody", "python/wheels"),
            ("the npm package", "wasm/build"),
            (
                "an index and a stream's state to try the server with",
                "cargo run -p webstrata-serve --example sample -- INDEX STORE",
            ),
        ],
    ),
];

/// Columns of a terminal.
const WIDTH: usize = 80;

/// All chores, part by part.
pub(crate) fn help() -> String {
    let mut help = String::from(
        "What people do in this repository, and the command for it.\n\n\
         SETS is a folder of benchmark sets: SETS/<set>/pages/<id>.html and, where known,\n\
         SETS/<set>/gold/<id>.txt. `webstrata-lab` is\n\
         `cargo run --release -p webstrata-lab --`.\n\
         `cargo xtask CHORE --help` shows the options of parity, structure, metadata and\n\
         duplicates.\n",
    );
    for part in PARTS {
        // Writing to a string cannot fail.
        let _ = writeln!(help, "\n{}", part.name);
        for (what, command) in part.chores {
            // A command stays in one line, so that it can be copied.
            let _ = writeln!(help, "{}      {command}", wrapped(what));
        }
    }
    help
}

/// A text in lines that fit a terminal.
fn wrapped(text: &str) -> String {
    let mut lines = String::from(" ");
    let mut column = 1;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column + 1 + length > WIDTH {
            lines.push_str("\n ");
            column = 1;
        }
        lines.push(' ');
        lines.push_str(word);
        column += 1 + length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    /// What a command names that is not in the repository.
    fn missing(command: &str) -> Vec<String> {
        let mut missing = Vec::new();
        let mut need = |there: bool, what: String| {
            if !there {
                missing.push(what);
            }
        };
        let words: Vec<&str> = command.split_whitespace().collect();
        let value = |option: &str| {
            let at = words.iter().position(|word| *word == option)?;
            words.get(at + 1).copied()
        };
        let is_file = |path: PathBuf| root().join(path).is_file();
        let package = value("-p").map(|name| Path::new("crates").join(name));
        if let Some(package) = &package {
            need(is_file(package.join("Cargo.toml")), format!("{}", package.display()));
        }
        for (option, folder) in [("--example", "examples"), ("--test", "tests")] {
            let (Some(name), Some(package)) = (value(option), &package) else { continue };
            let path = package.join(folder).join(name);
            let there = is_file(path.with_extension("rs")) || is_file(path.join("main.rs"));
            need(there, format!("{option} {name}"));
        }
        if let ["cargo", "xtask", chore, ..] = words[..] {
            need(crate::CHORES.contains(&chore), format!("chore {chore}"));
        }
        // The program is built from a package of its name.
        if let Some(program) = words.first().filter(|word| word.starts_with("webstrata")) {
            need(root().join("crates").join(program).is_dir(), (*program).to_owned());
        }
        let folders = ["./", "bench/", "docs/", "eval/", "fuzz/", "python/", "wasm/"];
        let is_ours = |word: &&&str| folders.iter().any(|folder| word.starts_with(folder));
        let is_made = |word: &&&str| word.starts_with("bench/.venv");
        for word in words.iter().filter(is_ours).filter(|word| !is_made(word)) {
            need(is_file(word.into()), (*word).to_owned());
        }
        missing
    }

    #[test]
    fn commands_name_what_is_there() {
        let chores = PARTS.iter().flat_map(|part| part.chores);
        let wrong: Vec<String> = chores
            .filter_map(|(_, command)| {
                let missing = missing(command);
                (!missing.is_empty()).then(|| format!("{command}\n  missing: {missing:?}"))
            })
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
        // Documents that are named for more.
        let help = help();
        let documents = help.split_whitespace().filter(|word| word.starts_with("docs/"));
        for document in documents {
            let document = document.trim_end_matches(['.', ',', ';']);
            assert!(root().join(document).is_file(), "{document}");
        }
    }

    #[test]
    fn what_is_missing_is_found() {
        assert_eq!(missing("cargo test -p webstrata --test it pages"), [""; 0]);
        assert_eq!(missing("cargo run -p webstrata --example none"), ["--example none"]);
        assert_eq!(missing("cargo test -p webstrata --test none"), ["--test none"]);
        assert_eq!(missing("cargo test -p none"), ["crates/none"]);
        assert_eq!(missing("cargo xtask none"), ["chore none"]);
        assert_eq!(missing("webstrata-none eval"), ["webstrata-none"]);
        assert_eq!(missing("eval/none --all"), ["eval/none"]);
    }

    #[test]
    fn descriptions_fit_a_terminal() {
        let help = help();
        let texts = help.lines().filter(|line| !line.starts_with("      "));
        for line in texts {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        assert!(help.contains("\nTest\n  everything\n      ./test\n"));
    }
}
