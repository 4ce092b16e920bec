//! How the page looks: on small screens, in the dark, to those who do not see it.

use webstrata_serve::ServerSettings;

use crate::browser::Browser;
use crate::{inspected, open, open_example, streams};

/// Elements that stand out to the right of the window.
const SIDEWAYS: &str = "document.documentElement.scrollWidth > innerWidth ? \
    [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1) \
    .map((e) => e.tagName + '#' + e.id + '.' + e.className).slice(0, 8).join(' ') || 'something' : ''";

/// Texts whose contrast is below 4.5 (WCAG 2.2, level AA), those of switched-off controls aside.
const PALE: &str = "(() => { \
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number); \
    const light = (colour) => { const [r, g, b] = parts(colour).map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; }; \
    const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((parts(c)[3] ?? 1) > 0.9) return c; } return 'rgb(255,255,255)'; }; \
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); const pale = []; \
    while (texts.nextNode()) { const e = texts.currentNode.parentElement; \
      if (!texts.currentNode.data.trim() || !e.checkVisibility() || e.closest(':disabled, svg, .visually-hidden, option, .skip')) continue; \
      const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x); \
      const ratio = (a + 0.05) / (b + 0.05); \
      if (ratio < 4.5) pale.push(ratio.toFixed(2) + ' ' + e.className + ' ' + texts.currentNode.data.trim().slice(0, 40)); } \
    return [...new Set(pale)].join('; '); })()";

/// Nobody has to scroll sideways.
#[track_caller]
pub(crate) fn fits(browser: &mut Browser) {
    assert_eq!(browser.value(SIDEWAYS), serde_json::json!(""));
}

/// All texts can be read.
#[track_caller]
pub(crate) fn stand_out(browser: &mut Browser) {
    assert_eq!(browser.value(PALE), serde_json::json!(""));
}

#[test]
fn small_screens_do_not_scroll_sideways() {
    let store = tempfile::tempdir().expect("a store");
    streams::write(&store, &streams::status());
    let settings =
        ServerSettings { store: Some(store.path().to_owned()), ..ServerSettings::default() };
    let Some((_server, mut browser)) = open(settings, "/#inspect") else { return };
    // 320 is what WCAG 2.2 asks for (1.4.10).
    browser.viewport(320, 740);
    fits(&mut browser);
    browser.picture("small-start");
    browser.click("[data-example='news.html']");
    inspected(&mut browser);
    browser.choose("#extractor", "keep-all");
    browser.wait("!document.querySelector('#change').hidden");
    browser.show_first_blocks();
    browser.click("#block-2");
    for tab in ["why", "text", "markdown", "html", "page", "metadata", "links", "json"] {
        browser.click(&format!("#tab-{tab}"));
        browser.wait(&format!(
            "document.querySelector('[aria-labelledby=tab-{tab}]').childElementCount > 0"
        ));
        fits(&mut browser);
    }
    browser.picture("small-inspector");
    browser.go("/#streams");
    browser.wait("document.querySelectorAll('#streams-rows tr').length === 3");
    fits(&mut browser);
    browser.picture("small-streams");
    browser.go("/#search");
    browser.wait("!document.querySelector('#view-search').hidden");
    fits(&mut browser);
    browser.key("?");
    fits(&mut browser);
    browser.finish();
}

#[test]
fn colours_follow_the_system_and_the_switch() {
    let Some((_server, mut browser)) = open_example() else { return };
    let paper = "getComputedStyle(document.documentElement).backgroundColor";
    let light = browser.value(paper);
    browser.dark(true);
    let dark = browser.value(paper);
    assert_ne!(light, dark);
    browser.picture("inspector-dark");
    browser.click("#theme");
    assert_eq!(browser.value(paper), light);
    browser.check("document.querySelector('#theme').getAttribute('aria-label').includes('light')");
    // It is remembered.
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.readyState === 'complete' && document.querySelectorAll('#extractor option').length > 3");
    assert_eq!(browser.value(paper), light);
    browser.click("#theme");
    browser.dark(false);
    assert_eq!(browser.value(paper), dark);
    browser.finish();
}

#[test]
fn texts_stand_out_in_both_colours() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.choose("#extractor", "keep-all");
    browser.wait("document.querySelector('.block.added')");
    browser.show_first_blocks();
    browser.click("#block-3");
    for dark in [false, true] {
        browser.dark(dark);
        for tab in ["why", "metadata", "links", "text"] {
            browser.click(&format!("#tab-{tab}"));
            stand_out(&mut browser);
        }
    }
    browser.finish();
}

#[test]
fn all_controls_have_names() {
    let store = tempfile::tempdir().expect("a store");
    streams::write(&store, &streams::status());
    let fetch = Some(Default::default());
    let settings =
        ServerSettings { store: Some(store.path().to_owned()), fetch, ..ServerSettings::default() };
    let Some((_server, mut browser)) = open(settings, "/#inspect") else { return };
    let check = |browser: &mut Browser| assert_eq!(browser.nameless(), Vec::<String>::new());
    check(&mut browser);
    browser.click("[data-example='thread.html']");
    inspected(&mut browser);
    browser.choose("#extractor", "keep-all");
    browser.wait("!document.querySelector('#change').hidden");
    for tab in ["why", "text", "page", "metadata", "links", "json"] {
        browser.click(&format!("#tab-{tab}"));
        browser.wait(&format!(
            "document.querySelector('[aria-labelledby=tab-{tab}]').childElementCount > 0"
        ));
        check(&mut browser);
    }
    browser.go("/#streams");
    browser.wait("document.querySelectorAll('#streams-rows tr').length === 3");
    check(&mut browser);
    browser.key("?");
    check(&mut browser);
    browser.finish();
}
