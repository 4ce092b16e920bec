//! Where the sites of a store stand.

use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use webstrata_feeds::pipeline::{SiteStatus, Status, status_file};
use webstrata_serve::ServerSettings;

use crate::open;

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(0)
}

pub(crate) fn status() -> Status {
    let site = |pages: u64, errors: u64| SiteStatus {
        pages,
        duplicates: pages / 10,
        waiting: 2,
        lost: errors,
        lag: Some(95),
        template: 40 + errors,
        bytes: pages * 52_000,
        polls: 12,
        errors: [("timeout".to_owned(), errors)].into_iter().filter(|(_, n)| *n > 0).collect(),
        last_error: (errors > 0).then(|| "https://b.example/feed: <b>no answer</b> in 20 s".into()),
        last_success: Some(now() - 40),
        next_poll: Some(now() + 300),
        ..SiteStatus::default()
    };
    let sites =
        [("aldwick.example", 12, 0), ("brackwater.example", 7, 3), ("cobble.example", 1990, 0)];
    Status {
        version: 1,
        time: now(),
        running: true,
        records: 2009,
        undelivered: 3,
        kept: 100,
        documents: 1980,
        sites: sites.map(|(name, pages, errors)| (name.to_owned(), site(pages, errors))).into(),
        ..Status::default()
    }
}

pub(crate) fn write(store: &TempDir, status: &Status) {
    let text = serde_json::to_string(status).expect("a status");
    std::fs::write(status_file(store.path()), text).expect("a status file");
}

#[test]
fn sites_are_listed_and_sorted() {
    let store = tempfile::tempdir().expect("a store");
    write(&store, &status());
    let settings =
        ServerSettings { store: Some(store.path().to_owned()), ..ServerSettings::default() };
    let Some((_server, mut browser)) = open(settings, "/#streams") else { return };
    browser.wait("document.querySelectorAll('#streams-rows tr').length === 3");
    let first = "document.querySelector('#streams-rows th').innerText";
    browser.check(&format!("{first} === 'aldwick.example'"));
    browser.click("[data-column=pages] button");
    browser.check(&format!("{first} === 'cobble.example'"));
    browser.check(
        "document.querySelector('[data-column=pages]').getAttribute('aria-sort') === 'descending'",
    );
    browser.click("[data-column=pages] button");
    browser.check(&format!("{first} === 'brackwater.example'"));
    let facts = browser.text("#streams-facts");
    assert!(facts.contains("running") && facts.contains("3"), "{facts}");
    // What went wrong is text, whatever it says.
    browser.click(".errors summary");
    browser.check("document.querySelector('.errors').innerText.includes('<b>no answer</b>')");
    browser.picture("streams");
    // It is read again, and the open error stays open.
    let mut later = status();
    later.sites.entry("aldwick.example".into()).or_default().pages = 13;
    write(&store, &later);
    browser.wait("document.querySelector('#streams-rows').innerText.includes('13')");
    browser.check("document.querySelector('.errors').open");
    browser.click("#streams-pause");
    browser
        .check("document.querySelector('#streams-pause').getAttribute('aria-pressed') === 'true'");
    browser.finish();
}

#[test]
fn without_a_store_the_page_says_so() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#streams") else { return };
    browser.wait("!document.querySelector('#no-streams').hidden");
    let told = browser.text("#no-streams");
    assert!(told.contains("webstrata serve --store"), "{told}");
    browser.check("document.querySelector('#streams-state').hidden");
    browser.finish();
}
