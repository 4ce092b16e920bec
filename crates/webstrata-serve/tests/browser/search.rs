//! Search and facets, on a small index of invented pages.

use tempfile::TempDir;
use webstrata_search::{
    Date, Entry, Facet, GENERAL, Index, IndexOptions, Piece, Ranks, WriterOptions,
};
use webstrata_serve::ServerSettings;

use crate::browser::Browser;
use crate::server::Server;

const TOPICS: [&str; 3] = ["Top/Travel", "Top/Travel/Ferries", "Top/Engineering"];

/// Page n tells of ferries; every third is of engineering, the others of travel.
fn entry(number: usize) -> Entry {
    let host = ["harbour", "river", "works"][number % 3];
    let title = match number {
        0 => "Ferry <img src=x onerror=window.owned=1> number 0".into(),
        _ => format!("Ferry number {number}"),
    };
    let url = match number {
        1 => "javascript:window.owned=1".into(),
        _ => format!("https://{host}.example/{number}"),
    };
    // The first page says what must stay text.
    let place = if number == 0 { "<b>the river</b> &" } else { "the river and" };
    let text = format!(
        "The ferry number {number} crosses {place} comes back before the evening, whatever the weather is."
    );
    Entry {
        id: format!("{host}-{number}"),
        url: Some(url),
        title,
        main: text.clone(),
        boilerplate: "Timetable and prices".into(),
        host: Some(format!("{host}.example")),
        language: Some(if number.is_multiple_of(4) { "de" } else { "en" }.into()),
        date: Date::parse(if number < 10 { "2025-03-01" } else { "2026-11-16" }),
        page_type: Some(if number.is_multiple_of(5) { "forum" } else { "article" }.into()),
        pieces: vec![
            Piece { words: 19, density: 12.0, text },
            Piece { words: 3, density: 3.0, text: "Timetable and prices".into() },
        ],
        ..Entry::default()
    }
}

/// Page 4 is important in general, page 7 for travel, page 5 for engineering.
fn ranks(pages: usize) -> Ranks {
    let mut ranks = Ranks::new();
    let vector = |best: usize, is_in: fn(usize) -> bool| -> Vec<f32> {
        let rank = |n: usize| {
            if n == best {
                40.0
            } else if is_in(n) {
                6.0
            } else {
                0.2
            }
        };
        (0..pages).map(rank).collect()
    };
    ranks.add(Facet::topic(GENERAL), &vector(4, |_| true));
    ranks.add(Facet::topic(TOPICS[0]), &vector(7, |n| n % 3 != 2));
    ranks.add(Facet::topic(TOPICS[1]), &vector(10, |n| n % 3 == 1));
    ranks.add(Facet::topic(TOPICS[2]), &vector(5, |n| n % 3 == 2));
    ranks
}

fn index() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let index = Index::open_or_create(folder.path(), &IndexOptions::default()).expect("an index");
    let mut writer = index.writer(&WriterOptions::default()).expect("a writer");
    for number in 0..30 {
        writer.add(&entry(number)).expect("a page");
    }
    writer.finish().expect("a commit");
    index.write_ranks(&ranks(30)).expect("ranks");
    folder
}

fn open(index: &TempDir, path: &str) -> Option<(Server, Browser)> {
    let settings =
        ServerSettings { index: Some(index.path().to_owned()), ..ServerSettings::default() };
    let (server, mut browser) = crate::open(settings, path)?;
    browser.wait("document.querySelector('#q')");
    Some((server, browser))
}

/// Waits for results, of which this is the first.
#[track_caller]
fn first_is(browser: &mut Browser, title: &str) {
    browser.wait(&format!("document.querySelector('.hit h3')?.innerText === '{title}'"));
    browser.wait("!document.querySelector('#found[aria-busy]')");
}

#[test]
fn a_facet_ranks_anew() {
    let index = index();
    let Some((_server, mut browser)) = open(&index, "/#search") else { return };
    browser.key("/");
    browser.check("document.activeElement.id === 'q'");
    browser.write("ferry");
    browser.key("Enter");
    first_is(&mut browser, "Ferry number 4");
    browser.check("location.hash === '#search?q=ferry'");
    let told = browser.text("#found-count");
    assert!(told.contains("1–10 of 30 pages") && told.contains("general importance"), "{told}");
    browser.check("document.querySelectorAll('.hit .snippet mark').length >= 10");
    browser.check("document.querySelector('.hit-score').innerText.includes('× rank')");
    // General importance is the first; what many results share stands out.
    browser
        .check("document.querySelector('#topics .facet-name').innerText === 'general importance'");
    browser
        .check("document.querySelector('#topics .facet').getAttribute('aria-pressed') === 'true'");
    browser.check("document.querySelector('#topics .outstanding')");
    browser.picture("search");
    browser.click("[data-facet='Top/Engineering']");
    first_is(&mut browser, "Ferry number 5");
    browser.check("document.querySelector('#chips').innerText.includes('Top/Engineering')");
    browser.wait("document.querySelector('[data-facet=\"Top/Engineering\"]').getAttribute('aria-pressed') === 'true'");
    browser.check("document.activeElement.dataset.facet === 'Top/Engineering'");
    browser.picture("search-facets");
    // A second one beside it, then the first one away.
    browser.click("[data-facet='Top/Travel']");
    browser.wait("document.querySelectorAll('#chips li').length === 2");
    browser.click("#chips [aria-label='Remove facet Top/Engineering']");
    browser.wait("document.activeElement.getAttribute('aria-label') === 'Remove facet Top/Travel'");
    first_is(&mut browser, "Ferry number 7");
    // Back, and back again.
    browser.value("history.back()");
    browser.wait("document.querySelectorAll('#chips li').length === 2");
    browser.value("history.back()");
    first_is(&mut browser, "Ferry number 5");
    browser.click("[data-facet='general importance']");
    first_is(&mut browser, "Ferry number 4");
    browser.finish();
}

#[test]
fn topics_are_a_tree_and_a_list() {
    let index = index();
    let Some((_server, mut browser)) = open(&index, "/#search?q=ferry") else { return };
    browser.wait("document.querySelector('#topics [data-facet=\"Top/Travel/Ferries\"]')");
    browser.check("document.querySelector('[data-facet=\"Top/Travel/Ferries\"]').closest('ul').closest('li').querySelector('.facet').dataset.facet === 'Top/Travel'");
    browser.check("document.querySelector('[data-facet=\"Top/Travel/Ferries\"] .facet-name').innerText === 'Ferries'");
    browser.click("[name=facet-order][value=list] + span");
    browser.check("!document.querySelector('#topics ul')");
    browser.check("document.querySelector('[data-facet=\"Top/Travel/Ferries\"] .facet-name').innerText === 'Top/Travel/Ferries'");
    let shares = "[...document.querySelectorAll('#topics .facet-share')].slice(1).map((e) => parseFloat(e.innerText))";
    browser.check(&format!("{shares}.every((share, at, all) => at === 0 || all[at - 1] >= share)"));
    // A facet of a result does the same.
    browser.click(".hit-facets [title^='Rank by Top/']");
    browser.wait("document.querySelectorAll('#chips li').length === 1");
    browser.finish();
}

#[test]
fn other_dimensions_filter() {
    let index = index();
    let Some((_server, mut browser)) = open(&index, "/#search?q=ferry") else { return };
    first_is(&mut browser, "Ferry number 4");
    browser.click("#dimensions [data-facet='works.example']");
    browser.wait("document.querySelector('#found-count').innerText.includes('10 of 10 pages')");
    browser.check("location.hash.includes('host=works.example')");
    browser.wait("document.querySelector('#dimensions [data-facet=\"works.example\"]').getAttribute('aria-pressed') === 'true'");
    browser.click("#dimensions [data-facet='forum']");
    browser.wait("document.querySelector('#found-count').innerText.includes('of 2 pages')");
    browser.click("#chips [aria-label='Remove filter host']");
    browser.wait("document.querySelector('#found-count').innerText.includes('of 6 pages')");
    browser.click("#chips [aria-label='Remove filter page type']");
    browser.wait("document.querySelector('#found-count').innerText.includes('of 30 pages')");
    browser.wait("document.querySelector('#dimensions [data-facet=\"2025\"]')");
    browser.click("#dimensions [data-facet='2025']");
    browser.wait("document.querySelector('#found-count').innerText.includes('of 10 pages')");
    browser.finish();
}

#[test]
fn results_have_pages_and_questions_have_settings() {
    let index = index();
    let Some((_server, mut browser)) = open(&index, "/#search?q=ferry") else { return };
    first_is(&mut browser, "Ferry number 4");
    browser.click("#paging button");
    browser.wait("document.querySelector('#found-count').innerText.startsWith('11–20')");
    browser.check(
        "location.hash.includes('offset=10') && document.querySelector('#hits').start === 11",
    );
    browser.check("document.querySelectorAll('#paging button').length === 2");
    browser.check("document.activeElement.id === 'found-count'");
    browser.value("history.back()");
    browser.wait("document.querySelector('#found-count').innerText.startsWith('1–10')");
    // The words of boilerplate are found where they are looked for only.
    browser.click("#q");
    browser.value("document.querySelector('#q').select()");
    browser.write("timetable");
    browser.key("Enter");
    browser.wait("document.querySelector('#found-count').innerText.startsWith('No page')");
    browser.click(".more summary");
    browser.choose("#in", "all");
    browser.wait("document.querySelector('#found-count').innerText.includes('of 30')");
    // Blocks of at least ten words have no timetable.
    browser.choose("#min_words", "10");
    browser.wait("document.querySelector('#found-count').innerText.startsWith('No page')");
    browser.check("location.hash.includes('min_words=10')");
    browser.choose("#min_words", "2");
    browser.wait("document.querySelector('#found-count').innerText.includes('of 30')");
    browser.choose("#weight", "0");
    browser.wait("location.hash.includes('weight=0')");
    browser.picture("search-more");
    // An impossible one is one line.
    browser.choose("#weight", "99");
    browser.wait("document.querySelector('#error').innerText.includes('weight')");
    browser.check("document.querySelector('#found').hidden");
    let wrong = browser.take_wrong();
    assert!(wrong.iter().all(|wrong| wrong.contains("400")), "{wrong:?}");
    browser.finish();
}

#[test]
fn what_pages_say_stays_text() {
    let index = index();
    let Some((_server, mut browser)) = open(&index, "/#search?q=number+0") else { return };
    browser.wait("document.querySelector('.hit')");
    browser.check(
        "[...document.querySelectorAll('.hit h3')].some((h) => h.innerText.includes('<img src=x'))",
    );
    let snippets = "[...document.querySelectorAll('.snippet')]";
    browser.check(&format!("{snippets}.some((p) => p.innerText.includes('<b>the river</b> &'))"));
    browser.go("/#search?q=number+1&limit=50");
    browser.wait("[...document.querySelectorAll('.hit-url')].some((url) => url.innerText.startsWith('javascript:'))");
    browser.check(
        "![...document.querySelectorAll('.hit a')].some((a) => a.protocol === 'javascript:')",
    );
    browser.check("!document.querySelector('.hit img, .snippet b') && window.owned === undefined");
    browser.finish();
}

#[test]
fn search_fits_small_screens_and_has_names() {
    let index = index();
    let Some((_server, mut browser)) = open(&index, "/#search?q=ferry") else { return };
    first_is(&mut browser, "Ferry number 4");
    browser.wait("document.querySelector('#topics .facet')");
    assert_eq!(browser.nameless(), Vec::<String>::new());
    for dark in [false, true] {
        browser.dark(dark);
        crate::looks::stand_out(&mut browser);
    }
    browser.picture("search-dark");
    browser.viewport(320, 740);
    crate::looks::fits(&mut browser);
    browser.click(".more summary");
    crate::looks::fits(&mut browser);
    browser.click("#facets > summary");
    crate::looks::fits(&mut browser);
    browser.picture("small-search");
    browser.finish();
}

#[test]
fn without_an_index_the_page_says_so() {
    let Some((_server, mut browser)) = crate::open(ServerSettings::default(), "/#search?q=ferry")
    else {
        return;
    };
    browser.wait("!document.querySelector('#no-index').hidden");
    let told = browser.text("#no-index");
    assert!(told.contains("webstrata serve --index"), "{told}");
    browser.check(
        "document.querySelector('#search-form').hidden && document.querySelector('#found').hidden",
    );
    browser.finish();
}
