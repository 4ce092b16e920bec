//! The commands that documents show, run.
//!
//! In a block of a document that begins with ```` ```sh ````, every line is a command of the program, and all are run, one
//! after the other, on invented inputs that have the names the document uses. A block that begins with
//! ```` ```sh others ```` has commands of other programs too: they build or measure for minutes, or need benchmark sets.
//! These are not run, but the files and examples that they name have to be there.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

use webstrata_archive::warc_writer::{Exchange, WarcWriterOptions, Writer};

use crate::corpus::{page, prose};
use crate::kinds::{MHTML, table};
use crate::server::{Routes, Server};
use crate::site::{Site, TIDES};

/// What is written before a block's first line.
const ALL: &str = "```sh";
const OTHERS: &str = "```sh others";

/// Measures a command, and is not there everywhere.
const TIME: &str = "/usr/bin/time -v ";

/// Serves until it is stopped: it has to say where.
const SERVER: &str = "webstrata serve";

/// The site that documents fetch pages from.
const SITE: &str = "https://example.org";

/// What stands in for it: a server on loopback, with a sitemap.
static WEB: LazyLock<Server> = LazyLock::new(|| {
    let html = ["Content-Type: text/html; charset=utf-8"];
    Server::start(Routes::new().otherwise(move |request, wire| match &*request.path {
        "/robots.txt" => wire.answer("404 Not Found", &[], b""),
        "/sitemap.xml" => {
            let xml = "<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>";
            wire.answer("200 OK", &["Content-Type: text/xml"], xml.as_bytes())
        }
        _ => wire.answer("200 OK", &html, TIDES.as_bytes()),
    }))
});

/// A line that fetches pages, with our server in the place of the site, and leave to ask it.
fn from_our_server(line: &str) -> String {
    const EXTRACT: &str = "webstrata extract ";
    if !line.starts_with(EXTRACT) || !(line.contains(SITE) || line.contains("--urls")) {
        return line.to_owned();
    }
    let allowed = format!("{EXTRACT}--allow 127.0.0.1/32 --host-delay 0s ");
    line.replacen(EXTRACT, &allowed, 1).replace(SITE, &WEB.url(""))
}

/// A line of a block, and whether it may belong to another program.
struct Line {
    number: usize,
    text: String,
    may_be_other: bool,
}

/// The lines of all blocks of commands.
fn lines(document: &str) -> Vec<Line> {
    let (mut found, mut block) = (Vec::new(), None);
    for (number, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), block) {
            (Some(_), Some(_)) => block = None,
            (Some(_), None) => block = Some(line.trim_end()),
            (None, Some(ALL | OTHERS)) if !line.trim().is_empty() => {
                let text = line.strip_prefix(TIME).unwrap_or(line).to_owned();
                found.push(Line { number: number + 1, text, may_be_other: block == Some(OTHERS) });
            }
            _ => {}
        }
    }
    found
}

/// The first block of the document that describes a pipeline.
fn pipeline(document: &str) -> &str {
    let (_, rest) = document.split_once("```toml\n").expect("a pipeline");
    rest.split_once("```").expect("the end of a block").0
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(document: &str) -> String {
    fs::read_to_string(repository().join(document)).expect("a document")
}

/// Pages of invented texts, one of which comes again.
fn pages() -> Vec<String> {
    (0..8).map(|number| page(number, &prose(number % 7))).collect()
}

fn lines_of_pages() -> String {
    let line = |(number, html): (usize, String)| {
        let url = format!("https://example.org/{number}");
        format!("{}\n", serde_json::json!({"id": number.to_string(), "url": url, "html": html}))
    };
    pages().into_iter().enumerate().map(line).collect()
}

fn archive() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(folder.path(), "crawl", WarcWriterOptions::default()).unwrap();
    let mut file = None;
    for (number, html) in pages().iter().enumerate() {
        let url = format!("https://example.org/archived/{number}");
        let exchange = Exchange {
            response_head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
            body: html.as_bytes(),
            ..Exchange::new(&url, UNIX_EPOCH + Duration::from_secs(1_794_744_000))
        };
        file = Some(writer.response(&exchange).unwrap().file);
    }
    drop(writer);
    fs::read(file.unwrap()).unwrap()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// The inputs that documents name, in a folder.
fn inputs() -> Site {
    let site = Site::new(&[("page.html", TIDES), ("thread.html", TIDES)]);
    let folders = ["pages", "crawl", "mirror"];
    let sets =
        ["wcxb-dev", "dragnet", "cleaneval", "l3s-gn1"].map(|set| format!("DIR/{set}/pages"));
    for folder in folders.iter().copied().chain(sets.iter().map(String::as_str)) {
        for (number, html) in pages().iter().enumerate() {
            site.file(&format!("{folder}/{number}.html"), html);
        }
    }
    site.file("crawl/packed.html.gz", gzipped(TIDES.as_bytes()));
    for name in ["crawl.warc.gz", "more.warc.gz", "crawl/1.warc.gz"] {
        site.file(name, archive());
    }
    site.file("DIR/pages.jsonl", lines_of_pages());
    site.file("corpus.toml", pipeline(&read("docs/corpus.md")));
    let mine = "name = \"mine\"\n[[steps]]\nfilter = \"keep-all\"\n";
    site.file("my.toml", mine);
    let record = |number| {
        let text = serde_json::json!({"id": format!("r{number}"), "text": prose(number)});
        format!("{text}\n")
    };
    site.file("texts.jsonl", (20..24).map(record).collect::<String>());
    site.file("list.txt", ["/1", "/2", "/3"].map(|path| WEB.url(path)).join("\n"));
    site.file("saved.mhtml", format!("{MHTML}{}\r\n------x--", TIDES.replace('=', "=3D")));
    let (links, htmls): (Vec<String>, Vec<String>) =
        (0..).map(|number| format!("{SITE}/{number}")).zip(pages()).unzip();
    site.file("pages.parquet", table(&[("link", &links), ("raw_html", &htmls)]));
    // What stands in for a web server: the documents fetch one page by it.
    site.file("programs/curl", "#!/bin/sh\ncat page.html\n");
    let curl = site.path().join("programs/curl");
    fs::set_permissions(&curl, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let packed = zstd::encode_all((30..34).map(record).collect::<String>().as_bytes(), 1).unwrap();
    site.file("texts/1.jsonl.zst", packed);
    site
}

fn shell(site: &Site, line: &str) -> Command {
    let program = Path::new(crate::PROGRAM.1).parent().unwrap();
    let programs = site.path().join("programs");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = [program.to_owned(), programs].into_iter().chain(std::env::split_paths(&others));
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("PATH", std::env::join_paths(path).unwrap());
    command.current_dir(site.path()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Is the program in the command, or is it of another one?
fn is_ours(line: &str) -> bool {
    line.split('|').any(|part| part.trim_start().starts_with("webstrata "))
}

/// What a line of the program says where it fails.
fn failure(site: &Site, line: &str) -> Option<String> {
    if line.starts_with(SERVER) {
        let start = format!("exec {} --listen 127.0.0.1:0", line.split(" #").next().unwrap());
        let mut child = shell(site, &start).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        return (!said.contains("http://127.0.0.1:")).then_some(said);
    }
    let output = shell(site, &from_our_server(line)).output().unwrap();
    let said = || format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    (!output.status.success()).then(said)
}

/// What a line of another program names that is not there.
fn missing(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(" #").next().unwrap().split_whitespace().collect();
    let value = |option| words.iter().skip_while(|word| **word != option).nth(1).copied();
    let mut paths: Vec<PathBuf> = words
        .iter()
        .filter(|word| {
            ["bench/", "crates/", "docs/", "examples/", "python/", "wasm/", "./"]
                .iter()
                .any(|folder| word.starts_with(folder))
        })
        .map(PathBuf::from)
        .collect();
    if let Some(package) = value("-p") {
        let package = Path::new("crates").join(package);
        paths.extend(value("--example").map(|name| package.join(format!("examples/{name}.rs"))));
        paths.push(package);
    }
    let is_there = |path: &PathBuf| repository().join(path).exists();
    paths.iter().filter(|path| !is_there(path)).map(|path| path.display().to_string()).collect()
}

/// What is wrong with the lines that the test is about.
fn wrong(name: &str, document: &str, site: &Site, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for Line { number, text, may_be_other } in lines(document) {
        let why = match is_ours(&text) {
            true if is_meant(&text) => failure(site, &text),
            true => None,
            false if !may_be_other => Some(format!("begins its block with `{OTHERS}`, or is ours")),
            false => {
                let missing = missing(&text);
                (!missing.is_empty()).then(|| format!("not there: {}", missing.join(", ")))
            }
        };
        wrong.extend(why.map(|why| format!("{name}:{number}: {text}\n  {why}")));
    }
    wrong
}

fn check(name: &str, site: &Site, is_meant: impl Fn(&str) -> bool) {
    let wrong = wrong(name, &read(name), site, is_meant);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn from_a_crawl_to_a_corpus() {
    let site = inputs();
    check("docs/corpus.md", &site, |_| true);
    assert!(site.path().join("corpus/manifest.json").is_file());
    assert!(site.path().join("dropped").is_dir());
}

#[test]
fn near_duplicates() {
    let site = inputs();
    check("docs/dedup.md", &site, |_| true);
    let decisions = fs::read_to_string(site.path().join("decisions.jsonl")).unwrap();
    assert!(decisions.contains("\"duplicate_of\":\""), "{decisions}");
}

/// The program's commands are all that the README has; of the list of commands, those that make or clean corpora.
#[test]
fn readme_and_commands() {
    for (document, commands) in [
        ("README.md", &[""][..]),
        (
            "docs/commands.md",
            &["extract", "explain", "blocks", "segment", "warc", "dedup", "corpus"],
        ),
    ] {
        let site = inputs();
        // They write it themselves.
        fs::remove_dir_all(site.path().join("texts")).unwrap();
        check(document, &site, |line| {
            commands.iter().any(|command| line.contains(&format!("webstrata {command}")))
        });
    }
}

#[test]
fn what_is_wrong_is_found() {
    let site = inputs();
    let document = "```sh\nwebstrata extract page.html > text\nwebstrata extract --no-such page.html\n\
        cat page.html | webstrata extract nowhere.html\ncargo test\n```\n```sh others\ncargo run -p webstrata --example none\n\
        python bench/none.py\npython bench/near_duplicates.py\n/usr/bin/time -v webstrata serve --none\n```\n```text\nnone\n```\n";
    let wrong = wrong("d.md", document, &site, |_| true);
    let at: Vec<&str> = wrong.iter().filter_map(|why| why.split(": ").next()).collect();
    assert_eq!(at, ["d.md:3", "d.md:4", "d.md:5", "d.md:8", "d.md:9", "d.md:11"], "{wrong:?}");
    assert!(fs::read_to_string(site.path().join("text")).unwrap().contains("breakwater"));
}
