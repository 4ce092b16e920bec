//! The web page as a browser shows it. Each test starts a server and a headless Chromium, clicks and types
//! with real events, and fails on any error on the console and on any request to somebody else.
//!
//! `WEBSTRATA_BROWSER` names the browser, or is `none` to leave these tests out; `WEBSTRATA_SCREENSHOTS`
//! names a folder for pictures.

#![cfg(unix)]

mod browser;
mod hostile;
mod inspector;
mod keyboard;
mod looks;
mod modules;
mod search;
mod server;
#[path = "../../../webstrata/tests/it/skipped.rs"]
mod skipped;
mod streams;
mod token;

use browser::Browser;
use server::Server;
use webstrata_serve::ServerSettings;

/// A server and a browser that looks at its page; `None` where tests with browsers are left out.
fn open(settings: ServerSettings, path: &str) -> Option<(Server, Browser)> {
    let server = Server::start(settings);
    let mut browser = Browser::start(&server.origin)?;
    browser.go(path);
    browser.wait("document.querySelectorAll('#extractor option').length > 3");
    Some((server, browser))
}

/// The same with the example that it opens with.
fn open_example() -> Option<(Server, Browser)> {
    let (server, mut browser) = open(ServerSettings::default(), "/")?;
    inspected(&mut browser);
    browser.wait("!document.querySelector('#source').open");
    Some((server, browser))
}

/// Waits until a page is shown.
fn inspected(browser: &mut Browser) {
    browser.wait(
        "!document.querySelector('#result').hidden && document.querySelector('.block') \
         && document.querySelector('#curve svg') && !document.querySelector('#view-inspect[aria-busy]')",
    );
}
