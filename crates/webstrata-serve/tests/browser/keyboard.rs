//! The page without a mouse.

use webstrata_serve::ServerSettings;

use crate::{inspected, open, open_example};

#[test]
fn a_page_can_be_inspected_by_keys_alone() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.key("Tab");
    browser.check("document.activeElement.className === 'skip'");
    browser.key("Enter");
    browser.check("document.activeElement.id === 'main' && location.hash === '#inspect'");
    // From the start of the content by Tab to the first example.
    for _ in 0..12 {
        if browser.is("document.activeElement.dataset.example") {
            break;
        }
        browser.key("Tab");
    }
    browser.check("document.activeElement.dataset.example === 'news.html'");
    browser.key("Enter");
    inspected(&mut browser);
    browser.key("b");
    browser.check("document.activeElement.id === 'blocks'");
    // The first kept block is chosen.
    browser
        .check("document.querySelector('.block[aria-selected=true]').classList.contains('kept')");
    browser.key("Home");
    for _ in 0..2 {
        browser.key("ArrowDown");
    }
    browser.check("document.querySelector('#block-2[aria-selected=true]')");
    browser.check(
        "document.querySelector('#blocks').getAttribute('aria-activedescendant') === 'block-2'",
    );
    browser.key("n");
    browser
        .check("document.querySelector('.block[aria-selected=true]').classList.contains('kept')");
    browser.check("document.querySelector('#why').innerText.includes('Kept by step 1')");
    browser.key("End");
    browser.key("ArrowUp");
    browser.check("document.querySelector('#blocks').scrollTop > 100");
    browser.key("d");
    browser.check("document.activeElement.id === 'curve'");
    browser.key("Home");
    browser.key("ArrowRight");
    browser.check("document.querySelector('#block-1[aria-selected=true]')");
    browser.key("o");
    browser.check("document.activeElement.id === 'tab-why'");
    browser.key("ArrowRight");
    browser.wait("document.querySelector('#panel-text').innerText.includes('chain ferry')");
    browser.key("ArrowLeft");
    browser.key("ArrowLeft");
    browser.check("document.activeElement.id === 'tab-json'");
    browser.key("/");
    browser.check("document.activeElement.id === 'block-find'");
    browser.write("slipway");
    browser.wait("document.querySelectorAll('.block').length < 10");
    browser.finish();
}

#[test]
fn keys_are_explained_and_views_have_numbers() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.key("?");
    browser.check("document.querySelector('#keys').open");
    browser.key("Escape");
    browser.check("!document.querySelector('#keys').open");
    browser.key("2");
    browser.wait("!document.querySelector('#view-search').hidden && document.querySelector('#view-inspect').hidden");
    browser.check("document.title.startsWith('Search')");
    browser.check("document.querySelector('nav [aria-current]').innerText === 'Search'");
    browser.key("1");
    // What was inspected is still there.
    browser.wait("!document.querySelector('#view-inspect').hidden && !document.querySelector('#result').hidden");
    browser.value("history.back()");
    browser.wait("!document.querySelector('#view-search').hidden");
    browser.finish();
}

#[test]
fn letters_can_be_switched_off() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.click("#keys-open");
    browser.click("#keys-on");
    browser.key("Escape");
    browser.key("2");
    browser.key("?");
    browser.check(
        "!document.querySelector('#keys').open && !document.querySelector('#view-inspect').hidden",
    );
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.readyState === 'complete' && document.querySelectorAll('#extractor option').length > 3");
    browser.check("!document.querySelector('#keys-on').checked");
    browser.finish();
}

#[test]
fn the_focus_goes_where_the_answer_is() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.value("document.querySelector('[data-example]').focus()");
    browser.key("Enter");
    inspected(&mut browser);
    browser.wait("document.activeElement.id === 'facts'");
    // The source stays open for whoever opens it to paste the next page.
    browser.click("#source summary");
    browser.choose("#extractor", "article");
    browser.wait("document.querySelector('#facts').innerText.includes('447')");
    browser.check("document.querySelector('#source').open");
    browser.finish();
}

#[test]
fn the_focus_can_be_seen() {
    let Some((_server, mut browser)) = open_example() else { return };
    for _ in 0..40 {
        browser.key("Tab");
        let shown = browser.is(
            "(() => { const e = document.activeElement; if (e === document.body) return true; \
             const seen = (node) => { const style = getComputedStyle(node); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2; }; \
             return seen(e) || (e.nextElementSibling && seen(e.nextElementSibling)); })()",
        );
        let element = browser.value("document.activeElement.outerHTML.slice(0, 200)");
        assert!(shown, "no outline: {element}");
    }
    browser.finish();
}
