//! Pages come into an index, change and stay.

use std::path::Path;

use webstrata_search::{Added, Entry, Index, IndexOptions, Query, WriterOptions};

pub(crate) fn page(id: &str, title: &str, main: &str) -> Entry {
    Entry {
        id: id.to_owned(),
        url: Some(id.to_owned()),
        title: title.to_owned(),
        main: main.to_owned(),
        ..Entry::default()
    }
}

pub(crate) fn index_of(folder: &Path, pages: &[Entry]) -> Index {
    let index = Index::open_or_create(folder, &IndexOptions::default()).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    for page in pages {
        writer.add(page).unwrap();
    }
    writer.finish().unwrap();
    index
}

pub(crate) fn ids(index: &Index, query: &Query) -> Vec<String> {
    let hits = index.searcher().unwrap().search(query).unwrap();
    hits.hits.into_iter().map(|hit| hit.id).collect()
}

fn numbers(index: &Index) -> Vec<(String, u64)> {
    let mut numbers = Vec::new();
    index.searcher().unwrap().each_id(|number, id| numbers.push((id.to_owned(), number))).unwrap();
    numbers.sort();
    numbers
}

#[test]
fn a_page_replaces_itself_and_keeps_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let old = [page("a", "Tides", "high at noon"), page("b", "Ferry", "every hour")];
    let index = index_of(folder.path(), &old);
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    assert_eq!(writer.add(&old[0]).unwrap(), Added::Unchanged);
    assert_eq!(writer.add(&page("a", "Tides", "high at midnight")).unwrap(), Added::Replaced);
    assert_eq!(writer.add(&page("c", "Boat", "none")).unwrap(), Added::New);
    assert_eq!(writer.add(&page("c", "Boat", "one")).unwrap(), Added::Replaced);
    // Not before it is committed.
    assert_eq!(ids(&index, &Query::new("noon")), ["a"]);
    writer.commit().unwrap();
    assert_eq!(ids(&index, &Query::new("noon")), [""; 0]);
    assert_eq!(ids(&index, &Query::new("midnight")), ["a"]);
    assert_eq!(ids(&index, &Query::new("boat")), ["c"]);
    let expect = [("a", 0), ("b", 1), ("c", 2)].map(|(id, number)| (id.to_owned(), number));
    assert_eq!(numbers(&index), expect);
    let contents = index.contents().unwrap();
    assert_eq!((contents.documents, contents.accepted, contents.numbers), (3, 5, 3));
    assert!(writer.remove("b").unwrap() && !writer.remove("b").unwrap());
    assert_eq!(writer.add(&old[1]).unwrap(), Added::New);
    writer.finish().unwrap();
    assert_eq!(numbers(&index)[1], ("b".to_owned(), 3));
    index.check().unwrap();
}

#[test]
fn the_same_pages_again_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let pages: Vec<Entry> =
        (0..50).map(|n| page(&format!("p{n}"), "Tides", &format!("water {n}"))).collect();
    let before = index_of(folder.path(), &pages).contents().unwrap();
    let after = index_of(folder.path(), &pages).contents().unwrap();
    assert_eq!(before, after);
    assert_eq!(after.documents, 50);
}

#[test]
fn a_second_writer_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &[]);
    let _first = index.writer(&WriterOptions::default()).unwrap();
    let other = Index::open(folder.path()).unwrap();
    let error = other.writer(&WriterOptions::default()).unwrap_err().to_string();
    assert!(error.contains("another program is writing") && !error.contains('\n'), "{error}");
}

fn opening(folder: &Path) -> String {
    let error = Index::open(folder).map(|_| ()).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn what_is_no_index_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    assert!(opening(folder.path()).contains("no index here"));
    assert!(opening(&folder.path().join("missing")).contains("no index here"));
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert!(opening(&file).contains("no index here"));
    // A folder with other things in it is left alone.
    let error = Index::create(folder.path(), &IndexOptions::default()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("not empty"), "{error}");

    let index = folder.path().join("index");
    index_of(&index, &[page("a", "Tides", "high at noon")]);
    let manifest = index.join("index.json");
    let json = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, json.replace("\"version\": 1", "\"version\": 7")).unwrap();
    assert!(opening(&index).contains("version 7"));
    std::fs::write(&manifest, json.replace("\"levels\": true", "\"levels\": false")).unwrap();
    assert!(opening(&index).contains("fields"));
    std::fs::write(&manifest, "{").unwrap();
    assert!(opening(&index).contains("does not describe an index"));
    std::fs::write(&manifest, &json).unwrap();
    assert!(Index::open(&index).is_ok());
    std::fs::write(index.join("terms/meta.json"), "{}").unwrap();
    assert!(opening(&index).contains("damaged"));
    std::fs::remove_dir_all(index.join("terms")).unwrap();
    assert!(opening(&index).contains("damaged"));
}

#[test]
fn damaged_files_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &[page("a", "Tides", "high at noon")]);
    index.check().unwrap();
    let files = std::fs::read_dir(folder.path().join("terms")).unwrap();
    let store = files
        .map(|file| file.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "store"))
        .unwrap();
    let mut bytes = std::fs::read(&store).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&store, bytes).unwrap();
    let error = Index::open(folder.path()).unwrap().check().unwrap_err().to_string();
    assert!(error.contains("damaged") && error.contains(".store"), "{error}");
}

#[test]
fn questions_to_a_damaged_index_end() {
    let folder = tempfile::tempdir().unwrap();
    let pages: Vec<Entry> =
        (0..300).map(|n| page(&format!("p{n}"), "Tides", &format!("high water {n}"))).collect();
    index_of(folder.path(), &pages);
    let terms = folder.path().join("terms");
    let files: Vec<_> =
        std::fs::read_dir(&terms).unwrap().map(|file| file.unwrap().path()).collect();
    // What tantivy panics about is told as an error; the panic itself need not be seen here.
    std::panic::set_hook(Box::new(|_| {}));
    let mut refused = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        for at in [bytes.len() / 5, bytes.len() / 2, bytes.len() * 4 / 5] {
            let mut damaged = bytes.clone();
            damaged[at..].iter_mut().take(8).for_each(|byte| *byte ^= 0x5a);
            std::fs::write(file, damaged).unwrap();
            let answer = Index::open(folder.path())
                .and_then(|index| index.searcher())
                .and_then(|searcher| searcher.search(&Query::new("high water")));
            refused += u32::from(answer.is_err_and(|error| !error.to_string().contains('\n')));
        }
        std::fs::write(file, bytes).unwrap();
    }
    let _ = std::panic::take_hook();
    assert!(refused > 0);
    assert_eq!(ids(&Index::open(folder.path()).unwrap(), &Query::new("high water 7")), ["p7"]);
}

#[test]
fn the_making_of_an_index_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    index_of(&index, &[]);
    std::fs::remove_file(index.join("index.json")).unwrap();
    index_of(&index, &[page("a", "Tides", "high at noon")]);
    assert_eq!(Index::open(&index).unwrap().contents().unwrap().documents, 1);
}
