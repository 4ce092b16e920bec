use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use webstrata::{Document, Record};

use super::server::{Routes, Server};
use super::*;
use crate::feeds::FeedsFile;
use crate::sinks::{Failed, Webhook};
use crate::store::tests::Disk;
use crate::store::{Change, FILE, Pending, Place, Position};

const NOW: i64 = 1_794_744_000;

/// Takes the text of a page as it is.
struct Plain;

impl Extract for Plain {
    type Cut = Record;

    fn cut(&self, page: &Response) -> Record {
        webstrata::Request::default().record(&page.body)
    }

    fn keys(&self, cut: &Record) -> PageKeys {
        PageKeys { texts: vec![cut.text.len() as u64, 7], places: Vec::new() }
    }

    fn record(
        &self,
        cut: Record,
        tree: &UrlTree,
        visit: Option<&Visit>,
        origin: Origin,
    ) -> PageRecord {
        let visit = visit.expect("all have keys here");
        let view = tree.view(&visit.key);
        // A page is in the tree before its record is made.
        assert!(view.count(view.domain(), 7) >= 1);
        PageRecord::of_stream(cut, &Document::default(), origin)
    }
}

/// Remembers what it got, and fails now and then.
#[derive(Clone, Default)]
struct Memory {
    got: Arc<Mutex<Vec<u64>>>,
    calls: usize,
    fails_each: usize,
}

impl Memory {
    fn numbers(&self) -> Vec<u64> {
        self.got.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Sink for Memory {
    fn name(&self) -> String {
        "memory".into()
    }

    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed> {
        self.calls += 1;
        if self.fails_each > 0 && self.calls.is_multiple_of(self.fails_each) {
            return Err(Failed::new("memory", "no space left"));
        }
        // One at a time: outputs need not take all.
        let kept = &records[0];
        assert_eq!(kept.sequence, position.next);
        self.got.lock().unwrap_or_else(PoisonError::into_inner).push(kept.sequence);
        Ok(Position { next: position.next + 1, ..position.clone() })
    }
}

/// Remembers the failures that it is told.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Progress for Told {
    fn begin(&self, _part: &str, _steps: usize) {}
    fn step(&self) {}
    fn note(&self, _message: &str) {}
    fn failure(&self, message: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned());
    }
}

/// A site with so many pages.
fn server(pages: usize) -> Server {
    server_of(pages, String::new())
}

/// The same with this behind each page.
fn server_of(pages: usize, end: String) -> Server {
    Server::start(
        Routes::new()
            .on("/feed", move |_, wire| {
                let items = (0..pages).map(|page| {
                    format!("<item><title>Tide {page}</title><link>/{page}</link></item>")
                });
                let feed = format!("<rss><channel>{}</channel></rss>", items.collect::<String>());
                wire.answer("200 OK", &[], feed.as_bytes())
            })
            .otherwise(move |request, wire| {
                let page = format!("<p>High water of page {} is at noon today.{end}", request.path);
                wire.answer("200 OK", &["Content-Type: text/html"], page.as_bytes())
            }),
    )
}

fn run_once(
    store: Store,
    server: &Server,
    sink: Box<dyn Sink>,
    extra: &str,
) -> Result<Summary, Error> {
    run_feed(store, &server.url("/feed"), sink, extra)
}

fn run_feed(store: Store, feed: &str, sink: Box<dyn Sink>, extra: &str) -> Result<Summary, Error> {
    run_told(store, feed, sink, extra, &())
}

fn run_told(
    store: Store,
    feed: &str,
    sink: Box<dyn Sink>,
    extra: &str,
    progress: &dyn Progress,
) -> Result<Summary, Error> {
    let text = format!(
        "[fetch]\nallow = [\"127.0.0.1/32\"]\nhost-delay = \"0s\"\nrespect-robots = false\n\
         [stream]\njobs = 3\n{extra}\n[[site]]\nname = \"a\"\nfeeds = [\"{feed}\"]"
    );
    let file = FeedsFile::from_toml(&text).unwrap();
    let settings = StreamSettings::from_table(&file.stream).unwrap();
    let fetchers = [Fetcher::new(file.sites[0].fetch.clone()).unwrap()];
    let stream = Stream {
        sites: &file.sites,
        fetchers: &fetchers,
        settings: &settings,
        rules: &Rules::default(),
        extract: &Plain,
        sink,
        archive: None,
        once: true,
        stop: &AtomicBool::new(false),
        progress,
        shared_status: SharedStatus::default(),
        status: None,
        clock: &|| NOW,
    };
    run(store, stream)
}

#[test]
fn a_full_disk_is_waited_for() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(30));
    drop(Store::open(folder.path()).unwrap());
    let path = folder.path().join(FILE);
    let disk = Disk::full_each(97);
    // Opening writes, too, and may meet a full disk.
    let store = (0..9).find_map(|_| disk.store(&path).ok()).unwrap();
    let sink = Memory { fails_each: 11, ..Memory::default() };
    let (told, feed) = (Told::default(), server.url("/feed"));
    let output = Box::new(sink.clone());
    let summary = run_told(store, &feed, output, "commit-pages = 4", &told).unwrap();
    assert!(disk.failures() > 0);
    // As a failure, which is also told to those who want no notes.
    let told = told.0.into_inner().unwrap();
    assert!(told.iter().any(|message| message.contains("the disk is full; make room")), "{told:?}");
    assert_eq!((summary.pages, summary.undelivered, summary.stuck), (30, 0, None));
    assert!(sink.numbers().into_iter().eq(1..=30));
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.waiting("a").unwrap(), 0);
    let mut visits = 0;
    store.visits(|_, _| visits += 1).unwrap();
    assert_eq!((visits, store.numbers().unwrap().sequence), (30, 31));
}

#[test]
fn records_that_no_output_takes_wait() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(5));
    let sink = Memory { fails_each: 1, ..Memory::default() };
    let store = Store::open(folder.path()).unwrap();
    let summary = run_once(store, &server, Box::new(sink), "").unwrap();
    assert_eq!((summary.pages, summary.undelivered), (5, 5));
    assert_eq!(summary.stuck.as_deref(), Some("memory: no space left"));
    // The next run has nothing to fetch, and delivers.
    let sink = Memory::default();
    let store = Store::open(folder.path()).unwrap();
    let summary = run_once(store, &server, Box::new(sink.clone()), "").unwrap();
    assert_eq!((summary.pages, summary.undelivered, summary.stuck), (0, 0, None));
    assert!(sink.numbers().into_iter().eq(1..=5));
}

#[test]
fn with_a_backlog_no_page_is_fetched() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(9));
    let mut store = Store::open(folder.path()).unwrap();
    let old = Change::Output { sequence: 1, time: 0, record: b"{}".to_vec() };
    store.commit(&[old]).unwrap();
    let sink = Memory { fails_each: 1, ..Memory::default() };
    let summary = run_once(store, &server, Box::new(sink), "backlog = 1").unwrap();
    assert_eq!((summary.pages, summary.waiting, summary.undelivered), (0, 9, 1));
}

#[test]
fn what_comes_while_a_transaction_is_full_is_not_lost() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(60));
    let (store, sink) = (Store::open(folder.path()).unwrap(), Memory::default());
    let summary = run_once(store, &server, Box::new(sink.clone()), "commit-pages = 1").unwrap();
    assert_eq!((summary.pages, summary.waiting, summary.undelivered), (60, 0, 0));
    assert!(sink.numbers().into_iter().eq(1..=60));
}

#[test]
fn an_output_is_known_before_it_gets_anything() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(2));
    let sink = Memory { fails_each: 1, ..Memory::default() };
    run_once(Store::open(folder.path()).unwrap(), &server, Box::new(sink), "").unwrap();
    let position = Store::open(folder.path()).unwrap().position("memory").unwrap();
    assert_eq!(position.map(|position| position.next), Some(1));
}

#[test]
fn a_feed_says_what_it_has_now_and_then_though_it_does_not_change() {
    let server =
        Server::start(Routes::new().on(
            "/feed",
            |request, wire| match request.field("If-None-Match") {
                Some(_) => wire.answer("304 Not Modified", &[], b""),
                None => wire.answer("200 OK", &["ETag: \"1\""], b"<rss><channel></channel></rss>"),
            },
        ));
    let folder = tempfile::tempdir().unwrap();
    let run = |at: i64| {
        let mut store = Store::open(folder.path()).unwrap();
        // As if the feed had last said so much earlier.
        if let Some(mut state) = store.feed(&server.url("/feed")).unwrap() {
            state.last_full = state.last_full.map(|last| last - at);
            store.commit(&[Change::Feed { url: server.url("/feed"), state }]).unwrap();
        }
        run_once(store, &server, Box::new(Memory::default()), "remember = \"40d\"").unwrap();
        server.requests().last().and_then(|it| it.field("If-None-Match").map(str::to_owned))
    };
    const DAY: i64 = 24 * 3600;
    assert_eq!(run(0), None);
    assert!(run(9 * DAY).is_some());
    assert!(run(2 * DAY).is_some(), "only then it is known to be too long ago");
    assert_eq!(run(0), None);
    assert!(run(0).is_some());
}

#[test]
fn a_page_that_comes_again_is_remembered_anew() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(1));
    let mut store = Store::open(folder.path()).unwrap();
    let hash = Rules::default().key(&server.url("/0"), "Tide 0").unwrap().hash();
    store.commit(&[Change::Key { hash, sequence: 7, time: NOW - 3600 }]).unwrap();
    let summary = run_once(store, &server, Box::new(Memory::default()), "").unwrap();
    assert_eq!((summary.pages, summary.duplicates), (0, 1));
    let mut store = Store::open(folder.path()).unwrap();
    let memory = crate::store::Retention { age: Duration::from_secs(60), entries: 9 };
    store.forget(memory, NOW).unwrap();
    assert_eq!(store.key(hash).unwrap(), Some(7));
}

#[test]
fn what_a_wrong_clock_put_off_comes_back() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(1));
    let mut store = Store::open(folder.path()).unwrap();
    let late = |number| Place { site: "a".into(), not_before: i64::MAX / 2, number };
    let add = |number| Change::Add { place: late(number), item: Pending::default() };
    store.commit(&(1..=2500).map(add).collect::<Vec<_>>()).unwrap();
    let summary = run_once(store, &server, Box::new(Memory::default()), "").unwrap();
    assert_eq!((summary.pages, summary.waiting), (1, 2500));
    let store = Store::open(folder.path()).unwrap();
    let day = 24 * 3600;
    assert_eq!(store.due("a", NOW + day, 9999, |_| false).unwrap().len(), 2500);
}

#[test]
fn where_a_feed_moved_to_is_not_believed_for_ever() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(1));
    let mut store = Store::open(folder.path()).unwrap();
    let (url, gone) = (server.url("/feed"), Server::start(Routes::new()));
    let moved_to = Some(gone.url("/"));
    // A server that is not there: that may be over in a minute, each time.
    drop(gone);
    let state = crate::store::FeedState { moved_to, ..Default::default() };
    store.commit(&[Change::Feed { url, state }]).unwrap();
    drop(store);
    let mut feeds = Vec::new();
    for _ in 0..4 {
        let store = Store::open(folder.path()).unwrap();
        feeds.push(run_once(store, &server, Box::new(Memory::default()), "").unwrap().feeds);
    }
    assert_eq!(feeds, [0, 0, 0, 1]);
}

#[test]
fn items_are_not_taken_without_end() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(1));
    let mut store = Store::open(folder.path()).unwrap();
    let later = |number| Place { site: "a".into(), not_before: NOW + 60, number };
    let add = |number| Change::Add { place: later(number), item: Pending::default() };
    store.commit(&(1..=50_000).map(add).collect::<Vec<_>>()).unwrap();
    let summary = run_once(store, &server, Box::new(Memory::default()), "").unwrap();
    assert_eq!((summary.feeds, summary.waiting), (0, 50_000));
    let mut store = Store::open(folder.path()).unwrap();
    store.commit(&[Change::Remove { place: later(1) }]).unwrap();
    let summary = run_once(store, &server, Box::new(Memory::default()), "").unwrap();
    assert_eq!((summary.feeds, summary.waiting), (1, 49_999));
}

#[test]
fn a_record_is_refused_once_whatever_happens_to_the_next() {
    let hook = Server::start(Routes::new().on("/hook", |request, wire| {
        match (request.body.iter().filter(|byte| **byte == b'\n').count(), request.visit) {
            (1, 2) => wire.answer("503 Service Unavailable", &[], b""),
            _ => wire.answer("422 Unprocessable Content", &[], b""),
        }
    }));
    let folder = tempfile::tempdir().unwrap();
    let refused = folder.path().join("refused.jsonl");
    let mut sink = Webhook::new(&hook.url("/hook"), &refused, &BTreeMap::new()).unwrap();
    let kept = |sequence: u64| KeptRecord { sequence, time: NOW, record: b"{}".to_vec() };
    let start = Position { next: 1, ..Position::default() };
    let position = sink.deliver(&start, &[kept(1), kept(2), kept(3)]).unwrap();
    assert_eq!((position.next, position.refused), (2, 1));
    let position = sink.deliver(&position, &[kept(2), kept(3)]).unwrap();
    assert_eq!((position.next, position.refused), (4, 3));
    assert_eq!(std::fs::read_to_string(refused).unwrap().lines().count(), 3);
}

#[test]
fn to_a_web_address() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(9));
    let received = Arc::new(Mutex::new(BTreeMap::<u64, usize>::new()));
    let hook = Server::start(Routes::new().on("/hook", {
        let received = received.clone();
        move |request, wire| {
            if request.visit == 0 {
                return wire.answer("503 Service Unavailable", &[], b"");
            }
            if request.visit == 1 {
                return wire.reset();
            }
            let body = String::from_utf8_lossy(&request.body).into_owned();
            let lines = body.lines().map(|line| serde_json::from_str(line).unwrap());
            let lines: Vec<serde_json::Value> = lines.collect();
            let number = |line: &serde_json::Value| line["sequence"].as_u64().unwrap();
            let numbers: Vec<u64> = lines.iter().map(number).collect();
            if numbers.contains(&4) {
                return wire.answer("422 Unprocessable Content", &[], b"");
            }
            let key = format!("{}-{}", numbers[0], numbers[numbers.len() - 1]);
            let is_right = request.method == "POST"
                && request.field("Idempotency-Key") == Some(&key)
                && request.field("Authorization") == Some("Bearer x");
            assert!(is_right, "{request:?}");
            let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
            numbers.into_iter().for_each(|number| *received.entry(number).or_default() += 1);
            wire.answer("204 No Content", &[], b"")
        }
    }));
    let refused = folder.path().join("refused.jsonl");
    let fields = BTreeMap::from([("Authorization".to_owned(), "Bearer x".to_owned())]);
    let sink = Webhook::new(&hook.url("/hook"), &refused, &fields).unwrap();
    let store = Store::open(folder.path()).unwrap();
    let summary = run_once(store, &server, Box::new(sink), "").unwrap();
    assert_eq!((summary.pages, summary.undelivered, summary.stuck), (9, 0, None));
    let received = received.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let expected: BTreeMap<u64, usize> = (1..=9).filter(|it| *it != 4).map(|it| (it, 1)).collect();
    assert_eq!(received, expected);
    let refused = std::fs::read_to_string(refused).unwrap();
    assert_eq!(refused.lines().count(), 1);
    assert!(refused.contains("\"sequence\":4,"), "{refused}");
}

/// A page that names feeds.
fn naming(feeds: &[&str]) -> Vec<u8> {
    let links = feeds
        .iter()
        .map(|feed| format!("<link rel=alternate type=application/rss+xml href='{feed}'>"));
    format!("<!doctype html><title>Harbour</title>{}<p>Tides.", links.collect::<String>()).into()
}

fn paths(server: &Server) -> Vec<String> {
    server.requests().iter().map(|request| request.path.clone()).collect()
}

#[test]
fn the_feed_that_a_page_names() {
    let html: &[&str] = &["Content-Type: text/html", "ETag: \"1\""];
    let server = Server::start(
        Routes::new()
            .on("/", move |_, wire| wire.answer("200 OK", html, &naming(&["/rss", "/comments"])))
            .on("/rss", |_, wire| wire.redirect("301 Moved Permanently", "/feed"))
            .on("/feed", |request, wire| match request.field("If-None-Match") {
                Some("\"1\"") if request.visit == 0 => wire.answer("500 Whose tag?", &[], b""),
                Some("\"1\"") => wire.answer("304 Not Modified", &[], b""),
                _ => {
                    let feed = "<rss><channel><item><title>Tide</title><link>/tide</link></item>\
                                </channel></rss>";
                    wire.answer("200 OK", &["ETag: \"1\""], feed.as_bytes())
                }
            })
            .on("/tide", move |_, wire| wire.answer("200 OK", html, b"<p>High water is at noon.")),
    );
    let folder = tempfile::tempdir().unwrap();
    let run = || {
        let store = Store::open(folder.path()).unwrap();
        run_feed(store, &server.url("/"), Box::new(Memory::default()), "").unwrap()
    };
    let summary = run();
    assert_eq!((summary.pages, summary.feeds, summary.errors), (1, 1, 0));
    assert_eq!(paths(&server), ["/", "/rss", "/feed", "/tide"]);
    run();
    assert_eq!(paths(&server)[4..], ["/feed"], "the page is not asked again");
    let store = Store::open(folder.path()).unwrap();
    let state = store.feed(&server.url("/")).unwrap().unwrap();
    assert_eq!(state.named, Some(server.url("/rss")));
    assert_eq!(state.moved_to, Some(server.url("/feed")));
    let counters = store.counters().unwrap().remove(0).1;
    assert_eq!((counters.discovered, counters.polls, counters.unchanged), (1, 3, 1));
}

#[test]
fn pages_that_lead_to_no_feed() {
    let html: &[&str] = &["Content-Type: text/html"];
    let server = Server::start(
        Routes::new()
            .on("/circle", move |_, wire| wire.answer("200 OK", html, &naming(&["/circles"])))
            .on("/circles", move |_, wire| wire.answer("200 OK", html, &naming(&["/circle"])))
            .on("/repair", move |_, wire| {
                wire.answer("200 OK", html, &naming(&["/comments", "/repair/"]))
            })
            .on("/none", move |_, wire| wire.answer("200 OK", html, &naming(&[])))
            .on("/gone", move |_, wire| wire.answer("200 OK", html, &naming(&["/missing"]))),
    );
    for (path, asked, error) in [
        ("/circle", &["/circle", "/circles"][..], "bad-feed"),
        ("/repair", &["/repair"], "bad-feed"),
        ("/none", &["/none"], "bad-feed"),
        ("/gone", &["/gone", "/missing"], "status-404"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        // The second run begins where the first did.
        for round in 1..=2 {
            let before = paths(&server).len();
            let store = Store::open(folder.path()).unwrap();
            let sink = Box::new(Memory::default());
            let summary = run_feed(store, &server.url(path), sink, "").unwrap();
            assert_eq!((summary.feeds, summary.errors), (0, 1), "{path}");
            assert_eq!(paths(&server)[before..], *asked, "{path}");
            let store = Store::open(folder.path()).unwrap();
            let state = store.feed(&server.url(path)).unwrap().unwrap();
            assert_eq!((state.named, state.failures), (None, round), "{path}");
            let counters = store.counters().unwrap().remove(0).1;
            assert_eq!(counters.errors, BTreeMap::from([(error.to_owned(), u64::from(round))]));
        }
    }
}

/// A site whose feed is this.
fn serving(feed: String) -> Server {
    Server::start(
        Routes::new()
            .on("/feed", move |_, wire| wire.answer("200 OK", &["ETag: \"1\""], feed.as_bytes()))
            .otherwise(|request, wire| {
                let page = format!("<p>The weather of {} is rain and fog.", request.path);
                wire.answer("200 OK", &["Content-Type: text/html"], page.as_bytes())
            }),
    )
}

#[test]
fn items_of_one_title_are_all_fetched() {
    let item = |page: u32, guid: &str| {
        format!("<item><title>Weather</title><link>/weather/{page}</link>{guid}</item>")
    };
    let rss = |guid: &dyn Fn(u32) -> String| {
        let items: String = (0..10).map(|page| item(page, &guid(page))).collect();
        format!("<rss><channel>{items}</channel></rss>")
    };
    let notes = (0..20).map(|page| format!("{{\"id\":\"{page}\",\"url\":\"/notes/{page}\"}}"));
    let json = format!("{{\"items\":[{}]}}", notes.collect::<Vec<_>>().join(","));
    for (feed, extra, pages) in [
        (rss(&|page| format!("<guid isPermaLink=\"false\">weather-{page}</guid>")), "", 10),
        (rss(&|_| String::new()), "", 10),
        (rss(&|_| "<guid isPermaLink=\"false\">0</guid>".into()), "", 10),
        (json, "", 20),
        (rss(&|_| String::new()), "item-identity = \"content\"", 1),
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), serving(feed));
        for pages in [pages, 0] {
            let store = Store::open(folder.path()).unwrap();
            let summary = run_once(store, &server, Box::new(Memory::default()), extra).unwrap();
            assert_eq!((summary.pages, summary.duplicates, summary.lost), (pages, 0, 0));
        }
    }
}

#[test]
fn what_is_not_read_of_a_feed_is_counted() {
    use crate::feeds::MOST_ITEMS;
    let many = "<item><title>No link</title></item>".repeat(MOST_ITEMS + 1);
    let items =
        "<item><title>Tide</title><link>/1</link></item><item><title>No link</title></item>";
    for (feed, is_cut, has_tag) in [
        (format!("<rss><channel>{items}</channel></rss>"), 0, true),
        (format!("<rss><channel>{many}</channel></rss>"), 1, true),
        // If it does not change, it is asked for whole again.
        (format!("<rss><channel>{items}<item><tit"), 1, false),
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), serving(feed));
        let store = Store::open(folder.path()).unwrap();
        run_once(store, &server, Box::new(Memory::default()), "").unwrap();
        let store = Store::open(folder.path()).unwrap();
        let counters = store.counters().unwrap().remove(0).1;
        assert_eq!(counters.cut_feeds, is_cut);
        assert_eq!(counters.errors.get("no-link"), Some(&1));
        let state = store.feed(&server.url("/feed")).unwrap().unwrap();
        assert_eq!(state.etag.is_some(), has_tag);
    }
}

/// A page with which the program has ended twice is not tried a third time: it would end again, for ever.
#[test]
fn a_page_that_ends_the_program_is_set_aside() {
    for (deaths, pages) in [(1, 3), (2, 2)] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server_of(3, " ".repeat(1 << 20)));
        let store = Store::open(folder.path()).unwrap();
        std::fs::write(folder.path().join("under-way.deaths"), format!("{deaths} 2\n")).unwrap();
        let summary = run_once(store, &server, Box::new(Memory::default()), "").unwrap();
        assert_eq!((summary.pages, summary.lost, summary.waiting), (pages, 3 - pages, 0));
        let counters = Store::open(folder.path()).unwrap().counters().unwrap().remove(0).1;
        assert_eq!(counters.errors.get("killed"), (deaths == 2).then_some(&1));
        let left = std::fs::read_to_string(folder.path().join("under-way")).unwrap();
        assert!(left.trim().is_empty(), "{left}");
    }
}

#[test]
fn a_store_that_was_moved_finds_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    let run = |place: &std::path::Path, pages: usize| {
        let server = server(pages);
        let store = Store::open(place).unwrap();
        let files = crate::sinks::Files::new(&place.join("records"), Default::default()).unwrap();
        run_once(store, &server, Box::new(files), "").unwrap()
    };
    assert_eq!(run(&here, 2).undelivered, 0);
    std::fs::rename(&here, &there).unwrap();
    // The server is another, so that all pages are new.
    let summary = run(&there, 3);
    assert_eq!((summary.pages, summary.undelivered, summary.stuck), (3, 0, None));
    let files: Vec<_> = std::fs::read_dir(there.join("records")).unwrap().flatten().collect();
    let text = std::fs::read_to_string(files[0].path()).unwrap();
    assert_eq!((files.len(), text.lines().count()), (1, 5));
}
