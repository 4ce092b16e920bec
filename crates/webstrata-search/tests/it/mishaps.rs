//! What goes wrong, and what must not go wrong with it.

use std::fs;

use webstrata_search::{
    Added, Entry, Facet, GENERAL, Index, IndexOptions, Mix, Query, Ranks, WriterOptions,
};

use crate::index::{ids, index_of, page};

/// tantivy loses the pages of a commit that fails; a writer that went on would take them for there.
#[test]
fn a_writer_that_failed_takes_no_more_pages() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &[page("a", "Tides", "high at noon")]);
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    writer.add(&page("b", "Ferry", "every hour")).unwrap();
    fs::rename(folder.path().join("terms"), folder.path().join("gone")).unwrap();
    assert!(writer.commit().is_err());
    for refused in [writer.commit().err(), writer.add(&page("b", "Ferry", "now")).err()] {
        let message = refused.expect("an error").to_string();
        assert!(message.contains("has failed before"), "{message}");
    }
}

#[test]
fn nobody_loses_files_where_an_index_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("terms");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("glossary.txt"), "tide: water that comes and goes").unwrap();
    let refused = Index::create(folder.path(), &IndexOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("name a new folder"), "{refused}");
    assert!(theirs.join("glossary.txt").exists());

    let folder = tempfile::tempdir().unwrap();
    index_of(folder.path(), &[page("a", "Tides", "high at noon")]);
    fs::remove_file(folder.path().join("index.json")).unwrap();
    assert!(Index::open_or_create(folder.path(), &IndexOptions::default()).is_err());
    assert!(fs::read_dir(folder.path().join("terms")).unwrap().count() > 2);

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".index.json.4711-0.part"), "{\"vers").unwrap();
    Index::create(folder.path(), &IndexOptions::default()).unwrap();
}

#[test]
fn an_index_is_made_once_however_many_make_it() {
    let folder = tempfile::tempdir().unwrap();
    let name = || {
        let index = Index::open_or_create(folder.path(), &IndexOptions::default()).unwrap();
        index.name().to_owned()
    };
    let names: Vec<String> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8).map(|_| scope.spawn(name)).collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert!(names.windows(2).all(|pair| pair[0] == pair[1]), "{names:?}");
}

#[test]
fn ids_and_hosts_of_any_length() {
    let folder = tempfile::tempdir().unwrap();
    let id = |end: &str| format!("https://a.example/?q={}{end}", "ä".repeat(50_000));
    let host = Some("é".repeat(40_000));
    let of = |end: &str, text: &str| Entry { host: host.clone(), ..page(&id(end), "Tides", text) };
    let index = index_of(folder.path(), &[of("1", "noon"), of("2", "midnight")]);
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    assert_eq!(writer.add(&of("1", "noon")).unwrap(), Added::Unchanged);
    assert_eq!(writer.add(&of("1", "dawn")).unwrap(), Added::Replaced);
    assert!(writer.remove(&id("2")).unwrap());
    writer.finish().unwrap();
    let searcher = index.searcher().unwrap();
    assert_eq!(searcher.documents(), 1);
    let mut numbers = Vec::new();
    searcher.each_id(|number, _| numbers.push(number)).unwrap();
    assert_eq!(numbers, [0]);
    let tops = searcher.tops(&Query::new("dawn"), &[Mix::text()], 9).unwrap();
    assert_eq!(searcher.attributes(&tops.lists[0]).unwrap()[0].host, None);
}

#[test]
fn damaged_ranks_are_the_matter_of_those_who_ask_for_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &[page("a", "Tides", "noon"), page("b", "Tides", "noon")]);
    let mut ranks = Ranks::new();
    ranks.add(Facet::topic(GENERAL), &[1.0, 3.0]);
    index.write_ranks(&ranks).unwrap();
    assert_eq!(ids(&index, &Query::new("noon")), ["b", "a"]);
    let file = folder.path().join("ranks");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
    let searcher = index.searcher().unwrap();
    let refused = searcher.search(&Query::new("noon")).unwrap_err().to_string();
    assert!(refused.contains("webstrata search ranks"), "{refused}");
    let by_text = Query { mix: Mix::text(), ..Query::new("noon") };
    assert_eq!(searcher.search(&by_text).unwrap().total, 2);
    assert_eq!(index.contents().unwrap().documents, 2);
    index.write_ranks(&ranks).unwrap();
    assert_eq!(ids(&index, &Query::new("noon")), ["b", "a"]);
}

#[test]
fn a_host_is_no_word_that_a_page_may_go_without() {
    let folder = tempfile::tempdir().unwrap();
    let at = |id: &str, host: &str, text: &str| Entry {
        host: Some(host.to_owned()),
        ..page(id, "Harbour", text)
    };
    let pages = [
        at("a", "quay.example", "the ferry leaves"),
        at("b", "pier.example", "the ferry comes back"),
        at("c", "pier.example", "the bus"),
    ];
    let index = index_of(folder.path(), &pages);
    let mut ranks = Ranks::new();
    ranks.add(Facet::topic(GENERAL), &[1.0, 2.0, 3.0]);
    index.write_ranks(&ranks).unwrap();
    assert_eq!(ids(&index, &Query::new("ferry host:nowhere.example")), [""; 0]);
    // No page has both words; those of the host that have one come instead.
    assert_eq!(ids(&index, &Query::new("ferry tunnel host:quay.example")), ["a"]);
    assert_eq!(ids(&index, &Query::new("host:pier.example")), ["c", "b"]);
}

#[test]
fn pages_too_far_behind_are_refused_not_replaced_by_others() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &[page("a", "Tides", "noon")]);
    let query = Query { offset: 100_001, ..Query::new("noon") };
    assert!(index.searcher().unwrap().search(&query).is_err());
}
