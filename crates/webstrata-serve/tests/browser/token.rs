//! A server that wants a token, and one that goes away.

use webstrata_serve::ServerSettings;

use crate::browser::Browser;
use crate::open;
use crate::server::Server;

#[test]
fn a_token_is_asked_for_and_kept() {
    let token = "a-token-for-the-harbour";
    let server =
        Server::start(ServerSettings { token: Some(token.into()), ..ServerSettings::default() });
    let Some(mut browser) = Browser::start(&server.origin) else { return };
    browser.go("/");
    browser.wait("document.querySelector('#token').open");
    browser.write("a-wrong-token-for-it");
    browser.key("Enter");
    browser.wait(
        "document.querySelector('#token').open && !document.querySelector('#token-wrong').hidden",
    );
    browser.write(token);
    browser.key("Enter");
    browser.wait("document.querySelectorAll('#extractor option').length > 3");
    browser.check("!document.querySelector('#token').open");
    crate::inspected(&mut browser);
    // Refused requests are on the console, and nothing else is.
    let wrong = browser.take_wrong();
    assert!(wrong.iter().all(|wrong| wrong.contains("401")), "{wrong:?}");
    browser.finish();
}

#[test]
fn a_server_that_went_away_is_one_line() {
    let Some((server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.click("[data-example='thread.html']");
    crate::inspected(&mut browser);
    drop(server);
    browser.choose("#extractor", "article");
    browser.wait("document.querySelector('#error').innerText.includes('does not answer')");
    browser.click("#error button");
    browser.check("document.querySelector('#error').hidden");
    browser.take_wrong();
    browser.finish();
}
