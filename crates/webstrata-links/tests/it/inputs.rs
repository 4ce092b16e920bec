//! Files of links, right and wrong.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use webstrata_base::{Error, Progress};
use webstrata_links::InLinks;
use webstrata_links::build::inputs::{Inputs, Pages, Tally};
use webstrata_links::build::{GraphOptions, NamedBuilder, NumberedBuilder};
use webstrata_links::graph::{Graph, Naming, Rules, Wanted};

/// Remembers what was said.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn begin(&self, _part: &str, _steps: usize) {}
    fn step(&self) {}
    fn note(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
    fn failure(&self, _message: &str) {}
}

struct Built {
    graph: Graph,
    tally: Tally,
    /// Without the folder.
    notes: Vec<String>,
    _folder: tempfile::TempDir,
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn named(
    rules: Rules,
    bytes: &[u8],
    read: impl Fn(&mut Inputs<'_>, &Path, &mut NamedBuilder) -> Result<(), Error>,
) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "links", bytes);
    let settings = GraphOptions { rules, ..GraphOptions::default() };
    let notes = Notes::default();
    let mut inputs = Inputs::new(false, &notes);
    let mut builder = NamedBuilder::new(&folder.path().join("graph"), &settings).unwrap();
    read(&mut inputs, &path, &mut builder).unwrap();
    let (graph, tally) = (builder.finish(&()).unwrap(), inputs.tally());
    // The same is an error where nothing may be wrong.
    let mut strict = Inputs::new(true, &());
    let mut builder = NamedBuilder::new(&folder.path().join("strict"), &settings).unwrap();
    let failed = read(&mut strict, &path, &mut builder).err();
    let place = format!("{}/", folder.path().display());
    let notes: Vec<String> =
        notes.0.into_inner().unwrap().iter().map(|note| note.replace(&place, "")).collect();
    let first = failed.map(|error| error.to_string().replace(&place, "") + "; left out");
    assert_eq!(first.as_ref(), notes.first());
    Built { graph, tally, notes, _folder: folder }
}

fn pairs(inputs: &mut Inputs<'_>, path: &Path, builder: &mut NamedBuilder) -> Result<(), Error> {
    inputs.pairs(path, builder)
}

fn records(inputs: &mut Inputs<'_>, path: &Path, builder: &mut NamedBuilder) -> Result<(), Error> {
    inputs.records(path, builder)
}

fn links(graph: &Graph) -> Vec<String> {
    let mut links = Vec::new();
    graph.read(0..graph.pages(), &mut |page, row| {
        for source in row {
            let kind = if source.stratum().is_boilerplate() { " (boilerplate)" } else { "" };
            links.push(format!("{} > {}{kind}", graph.name(source.page()), graph.name(page)));
        }
    });
    links.sort();
    links
}

const PAIRS: &str = "# from\tto\n\
    https://a.example\thttps://b.example/x#top\n\
    https://a.example/\thttps://b.example/x\tboilerplate\n\
    \n\
    http://a.example/\thttps://b.example/x\tboilerplate\n\
    https://a.example/\thttps://c.example/\tcontent\tnofollow\r\n\
    https://a.example/\tmailto:me@a.example\n\
    https://a.example/\tb.example\n\
    https://a.example/\thttps://b.example/\tmenu\n\
    https://d.example/\n\
    https://a.example/\thttps://a.example/#top\n\
    \thttps://a.example/\n";

#[test]
fn pairs_of_addresses() {
    let built = named(Rules::default(), PAIRS.as_bytes(), pairs);
    assert_eq!(
        links(&built.graph),
        [
            "http://a.example/ > https://b.example/x (boilerplate)",
            "https://a.example/ > https://b.example/x",
        ]
    );
    assert_eq!(built.graph.pages(), 4);
    assert_eq!(built.tally, Tally { lines: 10, taken: 3, dropped: 1, self_links: 1, wrong: 4 });
    assert_eq!(
        built.notes,
        [
            "links:7: `mailto:me@a.example` is not the address of a page; expected http or https; left out",
            "links:8: `b.example` is no address: relative URL without a base; left out",
            "links:9: `menu` is not content, boilerplate or nofollow; left out",
            "links:12: a name is empty; expected from, tab, to; left out",
        ]
    );
}

#[test]
fn packed_files_and_bytes_that_are_no_text() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(PAIRS.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(PAIRS.as_bytes(), 1).unwrap();
    for packed in [gzip, zstd] {
        let built = named(Rules::default(), &packed, pairs);
        assert_eq!(built.tally.taken, 3);
    }
    let built = named(
        Rules::default(),
        b"https://a.example/\thttps://b.example/\xff\nhttps://a.example/\thttps://b.example/\n",
        pairs,
    );
    assert_eq!((built.tally.wrong, built.tally.taken), (1, 1));
    assert_eq!(built.notes, ["links:1: not UTF-8; left out"]);
}

#[test]
fn plain_names() {
    let rules = Rules { names: Naming::Plain, ..Rules::default() };
    let text = "# Articles\nHigh_water\tLow_water\nLow_water\tÅland\nHigh_water\tHigh_water\n";
    let built = named(rules, text.as_bytes(), pairs);
    assert_eq!(links(&built.graph), ["High_water > Low_water", "Low_water > Åland"]);
    assert_eq!(built.graph.hosts(), [0, 3]);
    assert_eq!(built.graph.find("Åland"), Some(2));
}

#[test]
fn records_of_the_core() {
    let page = |url: &str, links: &str| {
        format!("{{\"version\":1,\"title\":\"T\",\"url\":{url},\"links\":{links}}}\n")
    };
    let link = |url: &str, content: bool, rest: &str| {
        format!("{{\"url\":\"{url}\",\"text\":\"x\",\"in_content\":{content}{rest}}}")
    };
    let all = format!(
        "[{},{},{},{}]",
        link("https://b.example/", true, ""),
        link("https://a.example/imprint", false, ",\"rel\":\"author\""),
        link("https://c.example/", true, ",\"rel\":\"ugc NoFollow\""),
        link("/relative", true, ""),
    );
    let text = [
        page("\"https://a.example/\"", &all),
        page("\"https://e.example/\"", "[]"),
        page("null", "[]"),
        "{\"url\":\"https://f.example/\"}\n".into(),
        "{\"url\":\n".into(),
        page("\"file:///x\"", "[]"),
    ]
    .concat();
    let built = named(Rules::default(), text.as_bytes(), records);
    let expected = [
        "https://a.example/ > https://a.example/imprint (boilerplate)",
        "https://a.example/ > https://b.example/",
    ];
    assert_eq!(links(&built.graph), expected);
    assert!(built.graph.find("https://e.example/").is_some());
    assert_eq!(built.tally, Tally { lines: 6, taken: 2, dropped: 1, self_links: 0, wrong: 5 });
    assert_eq!(built.notes.len(), 5);
    let rules = Rules { links: Wanted::Boilerplate, ..Rules::default() };
    let built = named(rules, text.as_bytes(), records);
    assert_eq!(links(&built.graph), &expected[..1]);
}

#[test]
fn lists_with_names() {
    let text = "3 2 1\n1 https://a.example/ \n2\thttps://b.example/\tother columns\nn 3 https://c.example/\n\
                1 2\ne 3 1\n2 9\nnothing\n";
    let built = named(Rules::default(), text.as_bytes(), |inputs, path, builder| {
        inputs.listed(path, &mut Pages::default(), builder)
    });
    let expected =
        ["https://a.example/ > https://b.example/", "https://c.example/ > https://a.example/"];
    assert_eq!(links(&built.graph), expected);
    assert_eq!(
        built.notes,
        [
            "links:1: page 3 has no name before this line; left out",
            "links:7: page 9 has no name before this line; left out",
            "links:8: expected a number and a name, or two numbers; left out",
        ]
    );
}

#[test]
fn lists_of_edges() {
    let folder = tempfile::tempdir().unwrap();
    let text = "% pages 4\n0 1\n1\t2 0.5\n3 3\n2 4\n2 99999999999\n1 x\n-1 2\n";
    let path = file(folder.path(), "edges", text.as_bytes());
    for (pages, expected, wrong) in
        [(Some(4), vec!["0 > 1", "1 > 2"], 4), (None, vec!["0 > 1", "1 > 2", "2 > 4"], 3)]
    {
        let graph = folder.path().join(format!("graph-{wrong}"));
        let notes = Notes::default();
        let mut inputs = Inputs::new(false, &notes);
        let mut builder = NumberedBuilder::new(&graph, &GraphOptions::default(), pages).unwrap();
        inputs.edges(&path, &mut builder).unwrap();
        let graph = builder.finish(&()).unwrap();
        assert_eq!(
            (links(&graph), inputs.tally().wrong),
            (expected.into_iter().map(str::to_owned).collect(), wrong)
        );
        let note = &notes.0.lock().unwrap()[0];
        let why = match pages {
            Some(_) => "edges:5: no page 4, there are 4; left out",
            None => "edges:6: page 99999999999, at most 4294967295; left out",
        };
        assert!(note.ends_with(why), "{note}");
    }
}

/// Thirteen bytes must not fill a disk.
#[test]
fn numbers_with_a_gap_beyond_reason() {
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, links: &[(u64, u64)], pages: Option<u64>| {
        let path = folder.path().join(name);
        let mut builder = NumberedBuilder::new(&path, &GraphOptions::default(), pages).unwrap();
        for (from, to) in links {
            builder.link(*from, *to, false).unwrap();
        }
        (builder.finish(&()).map(|graph| graph.pages()), path)
    };
    let (built, path) = build("gap", &[(0, 4_294_967_294)], None);
    assert_eq!(
        built.unwrap_err().to_string(),
        "a graph of 4294967295 pages with 1 links; if it has, say so with --pages 4294967295; \
         without --dense, pages are numbered as they come"
    );
    assert!(Graph::open(&path).is_err(), "nothing was written");
    assert_eq!(build("small", &[(0, 1_000_000)], None).0.unwrap(), 1_000_001);
    assert_eq!(build("told", &[(0, 2_000_000)], Some(2_000_001)).0.unwrap(), 2_000_001);
}

/// Numbers as names leave no gaps, however high they are; what is written is what was read.
#[test]
fn numbers_that_are_names() {
    let text = "0 4294967294\n007 18446744073709551615 1.5\n7 0\n18446744073709551616 1\n";
    let rules = Rules { names: Naming::Plain, ..Rules::default() };
    let built = named(rules, text.as_bytes(), |inputs, path, builder| {
        inputs.edges_by_name(path, builder)?;
        Ok(())
    });
    assert_eq!(links(&built.graph), ["0 > 4294967294", "7 > 0", "7 > 18446744073709551615"]);
    assert_eq!(built.graph.pages(), 4);
    assert_eq!(built.notes, ["links:4: no link; expected two numbers; left out"]);
}
