//! A stream through thick and thin: servers that fail in every way they know, and kill -9 at any moment.
//!
//! The quick version runs with all tests; `WEBSTRATA_FAULT_ROUNDS=500 cargo test --release -p webstrata-cli
//! --test it faults -- --nocapture` is the long one, see docs/streams.md.

mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use webstrata::{Extractor, Options, Page};
use webstrata_base::random::Random;
use webstrata_feeds::parse_date;
use webstrata_feeds::store::Store;
use webstrata_site::template::SiteExtractor;
use webstrata_site::url_key::{Rules, UrlKey};
use webstrata_site::url_tree::{Bounds, Heuristic, UrlTree, Visit, text_key};

use self::world::{Kind, POISONS, SITES, World, html, kind, page, sentence};
use crate::site::Site;
use crate::stream::records;

/// Rounds of the quick version.
const ROUNDS: usize = 6;
/// Items that appear on each site in a round.
const GROWTH: usize = 6;
/// Runs that the stream gets at the end to come to rest.
const REST: usize = 40;

const RUN: &str = "stream run feeds.toml --store store --out out --warc archive --quiet";

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_lost_and_nothing_is_twice() {
    let rounds = std::env::var("WEBSTRATA_FAULT_ROUNDS").ok().and_then(|it| it.parse().ok());
    let rounds: usize = rounds.unwrap_or(ROUNDS);
    let seed = std::env::var("WEBSTRATA_FAULT_SEED").ok().and_then(|it| it.parse().ok());
    let seed: u64 = seed.unwrap_or(7);
    let mut random = Random::new(seed);
    let world = World::start(seed);
    let site = Site::new(&[("feeds.toml", &world.feeds_toml(""))]);
    let mut peaks = Vec::new();
    for _ in 0..rounds {
        world.grow(GROWTH);
        let mut child = site.command(RUN).spawn().unwrap();
        thread::sleep(Duration::from_millis(20 + random.below(1500) as u64));
        peaks.extend(peak_memory(&child));
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself: {:?}", ended(child));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    come_to_rest(&site, &world);
    let found = records(&site, "out");
    check_records(&found, &world);
    check_counts(&site, &found);
    let tree = check_tree(&site, &found);
    check_tracked(&world);
    check_archives(&site, &world);
    check_requests(&site, &world);
    check_memory(&peaks);
    let requests = world.server.requests().len();
    println!(
        "{rounds} rounds, {} items, {} records, {requests} requests, peak memory {} kB, of which the URL Tree {} kB",
        world.items() * SITES,
        found.len(),
        peaks.iter().max().copied().unwrap_or_default(),
        tree / 1000
    );
}

fn ended(child: Child) -> String {
    format!("{:?}", child.wait_with_output())
}

/// Lets the stream run undisturbed until nothing waits any more. Servers fail on, until each address has
/// failed as often as it will.
fn come_to_rest(site: &Site, world: &World) {
    for _ in 0..REST {
        site.stdout(&format!("{RUN} --once"));
        let status = status(site);
        let sites = status["sites"].as_object().unwrap();
        let waiting: u64 = sites.values().map(|site| site["waiting"].as_u64().unwrap()).sum();
        let behind = sites.values().filter(|site| site["items"] != expected_items(world)).count();
        if waiting == 0 && behind == 0 {
            return;
        }
        // Pauses after failures are a second long.
        thread::sleep(Duration::from_millis(500));
    }
    panic!("it does not come to rest: {:#}", status(site));
}

fn status(site: &Site) -> Value {
    serde_json::from_str(&site.stdout("stream status store --format json")).unwrap()
}

/// Items of a site by their ids, which hold within their feed: those in both feeds count twice.
fn expected_items(world: &World) -> u64 {
    (0..world.items()).map(|number| if number.is_multiple_of(4) { 2 } else { 1 }).sum()
}

/// Every page once, under numbers without gaps, with its text; and no other.
fn check_records(found: &[Value], world: &World) {
    let numbers = found.iter().map(|one| one["sequence"].as_u64().unwrap());
    assert!(numbers.eq(1..=found.len() as u64), "numbers have gaps or repeat");
    let mut pages = BTreeSet::new();
    for one in found {
        let url = one["response_url"].as_str().unwrap();
        let (site, number) = page_of(url);
        assert!(pages.insert((site, number)), "twice: {url}");
        let text = one["text"].as_str().unwrap();
        assert!(text.contains(&sentence(site, number)), "{url}: {text}");
        assert_eq!(one["site"], format!("harbour {site}"));
        // Dates in the future are not believed.
        assert!(one["published"].as_str().unwrap() < "2998");
    }
    let mut expected = BTreeSet::new();
    for site in 0..SITES {
        for number in 0..world.items() {
            expected.extend(page(number).map(|page| (site, page)));
        }
    }
    let lost: Vec<_> = expected.difference(&pages).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    assert_eq!(pages, expected);
}

/// The site and the number of a page, by its address.
fn page_of(url: &str) -> (usize, usize) {
    let path = url.split('?').next().unwrap();
    let (site, number) = path.rsplit_once("/page-").unwrap_or_else(|| panic!("{url}"));
    (site.rsplit_once('/').unwrap().1.parse().unwrap(), number.parse().unwrap())
}

/// Pages were asked for under addresses with tracking parameters, too; that they are there once, others check.
fn check_tracked(world: &World) {
    let requests = world.server.requests();
    let tracked = requests.iter().filter(|request| request.query.contains("utm_source")).count();
    let expected = (0..world.items()).filter(|it| kind(*it) == Kind::Tracked).count();
    assert!(tracked >= expected * SITES, "{tracked} of {expected}");
}

/// The counters tell what happened: what can never come was given up once each, and for its reason.
fn check_counts(site: &Site, found: &[Value]) {
    let status = status(site);
    let mut pages = 0;
    for (name, counted) in status["sites"].as_object().unwrap() {
        let number = |field: &str| counted[field].as_u64().unwrap();
        pages += number("pages");
        assert_eq!(
            number("items"),
            number("pages") + number("duplicates") + number("lost"),
            "{name}: {counted:#}"
        );
        if number("items") > 16 * POISONS.len() as u64 {
            for (_, error) in POISONS {
                assert!(counted["errors"][error].as_u64() > Some(0), "{name}: no {error}");
            }
        }
    }
    assert_eq!((pages, status["undelivered"].as_u64()), (found.len() as u64, Some(0)));
    assert_eq!(status["records"], pages);
}

/// The tree in the store is the one that a run without any trouble would have made of the same pages. How many bytes it has:
/// memory that grows with what was done, up to the tree's bounds.
fn check_tree(site: &Site, found: &[Value]) -> usize {
    let store = Store::open_existing(&site.path().join("store")).unwrap();
    let (mut restored, mut kept) = (UrlTree::new(Bounds::default()), Vec::new());
    store
        .visits(|serial, visit| {
            restored.restore(serial, &visit);
            kept.push(visit);
        })
        .unwrap();
    let expected: Vec<Visit> = found.iter().map(expected_visit).collect();
    let keys = |visits: &[Visit]| -> Vec<String> {
        visits.iter().map(|visit| visit.key.as_str().to_owned()).collect()
    };
    assert_eq!(keys(&kept), keys(&expected), "the tree has other documents, or another order");
    let different: BTreeSet<&[u64]> = expected.iter().map(|visit| &*visit.texts).collect();
    assert_eq!(different.len(), expected.len(), "documents that could be taken for another");
    for (kept, expected) in kept.iter().zip(&expected) {
        assert_eq!(kept, expected, "this document of the tree is not that of its page");
    }
    let mut steady = UrlTree::new(Bounds::default());
    for visit in &expected {
        steady.insert(&mut visit.clone());
    }
    assert_eq!(counts(&restored, &kept), counts(&steady, &kept));
    // What every page of a site has is on all of them.
    let footer = text_key("Harbour 0, all rights reserved");
    let view = restored.view(&kept[0].key);
    assert_eq!(view.count(view.domain(), footer) as usize, kept.len());
    restored.allocated()
}

/// What the tree must have of a record's page: made anew from the page as the server sends it.
fn expected_visit(record: &Value) -> Visit {
    let field = |name: &str| record[name].as_str().unwrap();
    let (site, number) = page_of(field("response_url"));
    let (html, options) = (html(site, number), Options::default());
    let cutting = Extractor::named("strata").unwrap().cutting;
    let document = Page::read(html.as_bytes(), cutting, &options).document;
    let texts = (0..document.atoms.len()).map(|atom| text_key(document.atom_text(atom)));
    let reader = SiteExtractor::new(Extractor::named("strata+site").unwrap());
    let reading = reader.read(html.as_bytes(), &options);
    Visit {
        key: Rules::default().key(field("response_url"), field("item_title")).unwrap(),
        time: parse_date(field("fetched")).unwrap(),
        texts: tidy(texts.collect()),
        places: tidy(reading.keys.places(reading.document())),
    }
}

/// Sorted, each once.
fn tidy(keys: Vec<u64>) -> Vec<u64> {
    keys.into_iter().collect::<BTreeSet<u64>>().into_iter().collect()
}

/// How often each key of each document stands in its domain and at the node that judges it.
fn counts(tree: &UrlTree, visits: &[Visit]) -> BTreeMap<(UrlKey, u64), (u32, u32)> {
    let mut all = BTreeMap::new();
    for visit in visits {
        let view = tree.view(&visit.key);
        let node = view.select(Heuristic::default());
        for key in visit.texts.iter().chain(&visit.places) {
            let count = (view.count(view.domain(), *key), view.count(node, *key));
            all.insert((visit.key.clone(), *key), count);
        }
    }
    all
}

/// The archives have every page that the store knows of, and none that it does not.
fn check_archives(site: &Site, world: &World) {
    let status = status(site);
    let sites = status["sites"].as_object().unwrap().values();
    let fetched: u64 = sites
        .map(|site| site["pages"].as_u64().unwrap() + site["duplicates"].as_u64().unwrap())
        .sum();
    let lines = site.stdout("extract --quiet --ext warc.gz archive");
    assert_eq!(lines.lines().count() as u64, fetched, "of {} items", world.items());
}

/// Nobody was asked who may not be, and nothing is fetched again when nothing is new.
fn check_requests(site: &Site, world: &World) {
    assert!(!world.was_trespassed(), "it connected to a refused address");
    world.calm_down();
    let before = world.server.requests().len();
    site.stdout(&format!("{RUN} --once"));
    let requests = world.server.requests();
    let new: Vec<&String> = requests[before..].iter().map(|request| &request.path).collect();
    assert!(new.iter().all(|path| path.contains("/feed")), "{new:?}");
    let hosts: BTreeSet<_> = requests.iter().filter_map(|request| request.field("Host")).collect();
    assert_eq!(hosts.len(), 1, "{hosts:?}");
}

/// Memory is bounded, and does not grow with what was done.
fn check_memory(peaks: &[u64]) {
    let largest = |part: &[u64]| part.iter().copied().max().unwrap_or_default();
    assert!(largest(peaks) < 400_000, "{peaks:?}");
    if peaks.len() >= 30 {
        let third = peaks.len() / 3;
        let (first, last) = (largest(&peaks[..third]), largest(&peaks[2 * third..]));
        println!("peak memory of the first third {first} kB, of the last {last} kB");
        assert!(last < first * 3 / 2 + 20_000, "{first} kB at first, {last} kB at last");
    }
}

/// The most memory that a process had, in kB.
fn peak_memory(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().split(' ').next()?.parse().ok()
}
