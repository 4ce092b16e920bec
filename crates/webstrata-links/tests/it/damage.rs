//! Graphs that are damaged, foreign or in use.

use std::fs;
use std::path::{Path, PathBuf};

use webstrata_links::build::{GraphOptions, NamedBuilder, NumberedBuilder};
use webstrata_links::graph::{Choice, Graph, Naming, Rules};
use webstrata_links::{InLinks, Stratum};

use crate::fuzz::use_up;

const LINKS: [(&str, &str, bool); 5] = [
    ("https://a.example/", "https://a.example/1", false),
    ("https://a.example/1", "https://b.example/", true),
    ("https://b.example/", "https://a.example/", false),
    ("https://b.example/", "https://b.example/2", true),
    ("https://b.example/2", "https://a.example/1", false),
];

fn add(folder: &Path, add: bool) -> Graph {
    let settings = GraphOptions { add, ..GraphOptions::default() };
    let mut builder = NamedBuilder::new(folder, &settings).unwrap();
    for (from, to, boilerplate) in LINKS {
        builder.link(from, to, boilerplate, false).unwrap();
    }
    builder.finish(&()).unwrap()
}

fn data_files(graph: &Path) -> Vec<PathBuf> {
    let mut data = fs::read_dir(graph).unwrap().map(|entry| entry.unwrap().path());
    let data = data.find(|path| path.is_dir()).unwrap();
    fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn message(folder: &Path) -> String {
    let error = Graph::open(folder).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn a_file_that_is_cut_missing_or_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let graph = folder.path();
    add(graph, false);
    add(graph, true);
    add(other.path(), false);
    let files = data_files(graph);
    assert!(files.len() > 10, "{files:?}");
    for file in &files {
        let whole = fs::read(file).unwrap();
        for length in [0, 7, 31, 32, whole.len().saturating_sub(1)] {
            if length < whole.len() {
                fs::write(file, &whole[..length]).unwrap();
                assert!(message(graph).contains("build it anew"));
            }
        }
        fs::remove_file(file).unwrap();
        assert!(message(graph).contains("build it anew"));
        // The same file of another graph.
        let foreign =
            data_files(other.path()).into_iter().find(|path| path.file_name() == file.file_name());
        if let Some(foreign) = foreign {
            fs::copy(foreign, file).unwrap();
            assert!(message(graph).contains("anew"));
        }
        fs::write(file, &whole).unwrap();
        Graph::open(graph).unwrap();
    }
}

#[test]
fn a_bit_that_is_wrong_is_found_by_its_checksum() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), false);
    add(folder.path(), true);
    for file in data_files(folder.path()) {
        let whole = fs::read(&file).unwrap();
        for place in 32..whole.len() {
            for value in [whole[place] ^ 1, 0xff] {
                let mut wrong = whole.clone();
                wrong[place] = value;
                fs::write(&file, &wrong).unwrap();
                assert_eq!(Graph::open(folder.path()).is_ok(), wrong == whole);
                if let Ok(graph) = Graph::open_unverified(folder.path()) {
                    use_up(&graph);
                    assert_eq!(graph.verify().is_ok(), wrong == whole, "{}", file.display());
                }
            }
        }
        fs::write(&file, &whole).unwrap();
    }
}

#[test]
fn a_description_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("graph");
    assert!(message(&graph).contains("no graph"));
    add(&graph, false);
    let json = fs::read_to_string(graph.join("graph.json")).unwrap();
    // Graphs of earlier releases have no checksum of this.
    let checksum = json.rfind(",\n  \"xxh3\"").unwrap();
    let older = format!("{}\n}}\n", &json[..checksum]);
    fs::write(graph.join("graph.json"), &older).unwrap();
    Graph::open(&graph).unwrap();
    let flipped = json.replace("\"across_content\": 2", "\"across_content\": 3");
    assert_ne!(flipped, json);
    fs::write(graph.join("graph.json"), flipped).unwrap();
    assert!(message(&graph).contains("not as it was written"));
    let json = older;
    for (wrong, expected) in [
        (json.replace("\"version\": 1", "\"version\": 2"), "a graph of version 2"),
        (json.replace("\"pages\": 4", "\"pages\": 5"), "build it anew"),
        (json.replace("\"pages\": 4", "\"pages\": 18446744073709551615"), "build it anew"),
        (json.replace("\"hosts\": 2", "\"hosts\": 18446744073709551615"), "build it anew"),
        (json.replace("\"inside_content\": 1", "\"inside_content\": 18446744073709551615"), "anew"),
        (json.replace("\"names\": \"hosts\"", "\"names\": \"numbers\""), "build it anew"),
        (json[..json.len() / 2].to_owned(), "no description"),
        (String::new(), "no description"),
    ] {
        assert_ne!(wrong, json);
        fs::write(graph.join("graph.json"), wrong).unwrap();
        let message = message(&graph);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("graph");
    add(&graph, false);
    let error =
        |settings: &GraphOptions| NamedBuilder::new(&graph, settings).err().unwrap().to_string();
    assert!(error(&GraphOptions::default()).contains("there is a graph already"));
    let domains = Rules { names: Naming::Domains, ..Rules::default() };
    let settings = GraphOptions { rules: domains, add: true, ..GraphOptions::default() };
    assert!(error(&settings).contains("built by other rules"));
    let settings = GraphOptions { add: true, ..GraphOptions::default() };
    assert!(NumberedBuilder::new(&graph, &settings, None).is_err());
    // A folder with something else in it.
    fs::write(folder.path().join("diary.txt"), "Rain.").unwrap();
    let other =
        NamedBuilder::new(folder.path(), &GraphOptions::default()).err().unwrap().to_string();
    assert!(other.contains("not empty"), "{other}");
    // None of this has left anything, and the graph is whole.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(names(&graph), ["data-000001", "graph.json", "lock"]);
    Graph::open(&graph).unwrap();
}

#[test]
fn a_build_that_is_given_up_leaves_the_graph_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("graph");
    let begin = |add| {
        // So little memory that everything goes to files at once.
        let settings = GraphOptions { memory: 0, add, ..GraphOptions::default() };
        let mut builder = NamedBuilder::new(&graph, &settings).unwrap();
        for page in 0..100 {
            builder
                .link("https://c.example/", &format!("https://c.example/{page}"), false, false)
                .unwrap();
        }
        builder
    };
    drop(begin(false));
    assert_eq!(names(&graph), ["lock"]);
    let before = add(&graph, false);
    let builder = begin(true);
    // Two at a time would lose what one of them adds.
    let settings = GraphOptions { add: true, ..GraphOptions::default() };
    let second = NamedBuilder::new(&graph, &settings).err().unwrap().to_string();
    assert!(second.contains("another program"), "{second}");
    drop(builder);
    assert_eq!(names(&graph), ["data-000001", "graph.json", "lock"]);
    assert_eq!(Graph::open(&graph).unwrap().about(), before.about());
    // What a program that was killed leaves: the next build removes it.
    fs::create_dir_all(graph.join("data-000002/sort")).unwrap();
    fs::create_dir_all(graph.join("data-000007")).unwrap();
    fs::write(graph.join(".graph.json.17-0.part"), "{").unwrap();
    let after = begin(true).finish(&()).unwrap();
    assert_eq!(after.pages(), before.pages() + 101);
    assert_eq!(names(&graph), ["data-000002", "graph.json", "lock"]);
    // Whoever had the old one open still has it.
    before.verify().unwrap_err();
    assert_eq!(before.name(0), after.name(0));
}

#[test]
fn nothing_is_added_to_a_damaged_graph() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), false);
    let settings = GraphOptions { add: true, ..GraphOptions::default() };
    for file in data_files(folder.path()) {
        let whole = fs::read(&file).unwrap();
        let mut wrong = whole.clone();
        wrong[whole.len() - 1] ^= 1;
        fs::write(&file, &wrong).unwrap();
        let error = NamedBuilder::new(folder.path(), &settings).err().unwrap().to_string();
        assert!(error.contains("anew"), "{error}");
        fs::write(&file, &whole).unwrap();
    }
    assert_eq!(names(folder.path()), ["data-000001", "graph.json", "lock"]);
}

/// Readers always find a graph, whichever of two generations it is.
#[test]
fn a_graph_is_opened_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..20).for_each(|_| drop(add(folder.path(), true))));
        while !writer.is_finished() {
            assert_eq!(Graph::open(folder.path()).unwrap().pages(), 4);
        }
    });
    assert_eq!(Graph::open(folder.path()).unwrap().about().generation, 21);
}

/// Of builds that begin at the same time, one wins; none removes what another one has finished.
#[test]
fn builds_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), false);
    let settings = GraphOptions { add: true, ..GraphOptions::default() };
    let try_adding = || {
        let added = (0..20).filter(|_| {
            let Ok(mut builder) = NamedBuilder::new(folder.path(), &settings) else { return false };
            builder.link(LINKS[0].0, LINKS[0].1, false, false).unwrap();
            builder.finish(&()).unwrap();
            true
        });
        added.count() as u64
    };
    let added: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(try_adding)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let graph = Graph::open(folder.path()).unwrap();
    graph.verify().unwrap();
    assert!(added > 0);
    assert_eq!(graph.about().generation, added + 1);
}

#[test]
fn an_empty_graph_is_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let named = NamedBuilder::new(&folder.path().join("a"), &GraphOptions::default()).unwrap();
    let numbered =
        NumberedBuilder::new(&folder.path().join("b"), &GraphOptions::default(), None).unwrap();
    for graph in [named.finish(&()).unwrap(), numbered.finish(&()).unwrap()] {
        assert_eq!((graph.pages(), graph.hosts()), (0, &[0][..]));
        graph.read(0..0, &mut |_, _| unreachable!());
        assert_eq!((graph.links_before(0), graph.find("https://a.example/")), (0, None));
        graph.verify().unwrap();
    }
    let declared =
        NumberedBuilder::new(&folder.path().join("c"), &GraphOptions::default(), Some(3)).unwrap();
    assert_eq!(declared.finish(&()).unwrap().hosts(), [0, 3]);
}

/// A host that is much larger than all others, with little memory.
#[test]
fn a_large_host() {
    let folder = tempfile::tempdir().unwrap();
    let rules = Rules { self_links: Choice::Keep, ..Rules::default() };
    let settings = GraphOptions { rules, memory: 1 << 20, add: false };
    let mut builder = NamedBuilder::new(folder.path(), &settings).unwrap();
    let pages = 50_000;
    for page in (0..pages).rev() {
        let from = format!("https://one.example/{page:06}");
        builder.link(&from, "https://one.example/000000", false, false).unwrap();
        builder.link(&from, "https://two.example/", true, false).unwrap();
    }
    let graph = builder.finish(&()).unwrap();
    assert_eq!(graph.hosts(), [0, pages, pages + 1]);
    assert_eq!(graph.about().links.by_stratum(), [pages as u64, 0, 0, pages as u64]);
    // Numbered in the order of paths, so that all links of the front page are one run.
    let front = graph.find("https://one.example/000000").unwrap();
    graph.read(front..front + 1, &mut |_, row| {
        assert!(row.iter().map(|source| source.page()).eq(0..pages));
    });
    assert_eq!(graph.out_degrees(17), [1, 0, 0, 1]);
    assert_eq!(Stratum::COUNT, 4);
}
