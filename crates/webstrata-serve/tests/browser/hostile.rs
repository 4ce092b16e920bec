//! A page that wants to run something: nothing of it does, wherever it is shown.

use webstrata_serve::ServerSettings;

use crate::{inspected, open};

const PAGE: &str = r#"<html><head><title><img src=x onerror="window.owned=1">Title</title>
<base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
<link rel="stylesheet" href="https://elsewhere.example/a.css"><style>body{background:url(https://elsewhere.example/b.png)}@import "https://elsewhere.example/c.css";</style>
<meta name="author" content="<script>window.owned=1</script>"><meta property="og:url" content="javascript:window.owned=1"></head>
<body onload="window.owned=1"><script>window.owned = 1; parent.owned = 1; top.owned = 1;</script>
<p>&lt;script&gt;window.owned=1&lt;/script&gt; is what this paragraph says, with words enough to be content by any measure there is.</p>
<img src=x onerror="window.owned=1"><img src="https://elsewhere.example/pixel.gif"><svg onload="window.owned=1"><script>window.owned=1</script></svg>
<p style="background:url(https://elsewhere.example/d.png)">A paragraph <a href="javascript:window.owned=1">with a link</a> <a href="https://elsewhere.example/" ping="https://elsewhere.example/ping">and another</a> that stands among many words so that it stays.</p>
<p>Here is <a href="data:text/html,<script>parent.owned=1</script>">a third link</a>, <a href=" java&#10;script:window.owned=1">a fourth</a>, and text that goes on for a while.</p>
<iframe srcdoc="<script>parent.owned=1;top.owned=1</script>"></iframe><object data="https://elsewhere.example/o"></object><form action="https://elsewhere.example/"><button autofocus onfocus="window.owned=1">Send</button></form>
<video src="https://elsewhere.example/v" poster="https://elsewhere.example/p"></video></body></html>"#;

#[test]
fn nothing_of_a_hostile_page_runs() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.click("#html");
    browser.write(PAGE);
    browser.click("#address");
    browser.write("https://elsewhere.example/\"><script>owned=1</script>");
    browser.click("#source-form .primary");
    inspected(&mut browser);
    browser.choose("#extractor", "keep-all");
    browser.wait("document.querySelector('#facts').innerText.includes('100 %')");
    for tab in ["why", "text", "markdown", "html", "page", "metadata", "links", "json"] {
        browser.click(&format!("#tab-{tab}"));
        browser.wait(&format!("!document.querySelector('[aria-labelledby=tab-{tab}]').hidden"));
    }
    browser.click("#tab-page");
    browser.wait("document.querySelector('.page-frame[data-shown]')");
    browser.check("window.owned === undefined");
    browser.check("!/elsewhere\\.example\\/(a|b|c|d|p|o|v)/.test(document.querySelector('.page-frame').srcdoc)");
    browser
        .check("![...document.querySelectorAll('a')].some((a) => !/^https?:$/.test(a.protocol))");
    browser.check("!document.querySelector('main script, main img, main svg script')");
    browser.check("document.querySelector('#facts').innerText.includes('<img src=x')");
    browser.picture("hostile");
    browser.finish();
}

#[test]
fn a_frame_that_calls_somebody_is_noticed() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    let page =
        "data:text/html,<iframe sandbox srcdoc='<img src=http://elsewhere.example/x>'></iframe>";
    browser.call("Page.navigate", serde_json::json!({ "url": page }));
    let mut wrong = Vec::new();
    for _ in 0..500 {
        wrong.extend(browser.take_wrong());
        if wrong.iter().any(|wrong| wrong.contains("http://elsewhere.example/x")) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("not noticed: {wrong:?}");
}

#[test]
fn snippets_have_marks_and_nothing_else() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    let shown = |browser: &mut crate::browser::Browser, snippet: &str| {
        let snippet = crate::browser::quoted(snippet);
        let script = format!(
            "import('/assets/dom.js').then((dom) => {{ const box = document.createElement('p'); \
             box.append(...dom.marked({snippet})); return box.innerHTML; }})"
        );
        browser.value(&script).as_str().unwrap_or_default().to_owned()
    };
    let mut check = |snippet: &str, expect: &str| assert_eq!(shown(&mut browser, snippet), expect);
    check("a <mark>ferry</mark> &amp; more", "a <mark>ferry</mark> &amp; more");
    check("<img src=x onerror=1> <mark>", "&lt;img src=x onerror=1&gt; ");
    check("&amp;lt;b&amp;gt; &#39;&#x27;", "&amp;lt;b&amp;gt; ''");
    check("<mark>one", "<mark>one</mark>");
    check("&#9999999999; &lt;script&gt;", "&amp;#9999999999; &lt;script&gt;");
    browser.finish();
}
