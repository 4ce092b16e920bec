//! The inspector: a page comes in, and everything about it is shown.

use webstrata_serve::ServerSettings;

use crate::browser::Browser;
use crate::{inspected, open, open_example};

fn paste(browser: &mut Browser, html: &str) {
    if !browser.is("document.querySelector('#source').open") {
        browser.click("#source summary");
    }
    browser.click("#html");
    browser.value("document.querySelector('#html').select()");
    browser.write(html);
    browser.click("#source-form .primary");
}

#[test]
fn an_example_is_shown_with_all_its_facts() {
    let Some((_server, mut browser)) = open_example() else { return };
    let facts = browser.text("#facts");
    for fact in ["Chain ferry to cross the Osk", "article", "en-GB", "UTF-8", "none"] {
        assert!(facts.contains(fact), "{fact} is not in {facts}");
    }
    assert!(facts.contains("417 of 829 words"), "{facts}");
    let summary = browser.text("#curve-summary");
    assert!(summary.contains("segments of") && summary.contains("atomic blocks"), "{summary}");
    browser.check("document.querySelectorAll('.curve-borders line').length > 10");
    browser.check("document.querySelector('.curve-kept').getAttribute('d').length > 20");
    browser.check("document.querySelectorAll('.kinds li').length === 9");
    browser.picture("inspector");
    browser.finish();
}

/// Loads the page again, and waits until that is another one.
fn reload(browser: &mut Browser) {
    browser.value("window.before = true");
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("!window.before && document.querySelectorAll('#extractor option').length > 3");
}

/// The first look explains itself: an example is there, its first kept block is chosen, and the reasons are words.
#[test]
fn the_page_opens_with_an_example() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    inspected(&mut browser);
    browser.wait("document.querySelector('.reasons li')");
    browser.check(
        "document.querySelector('#source-name').innerText.includes('news.html, an example')",
    );
    browser.wait("!document.querySelector('#source').open");
    browser.check("document.querySelector('.block.kept[aria-selected=true]')");
    browser.check("document.querySelector('#html').value.includes('<title>Chain ferry')");
    let why = browser.text("#why");
    for part in [
        "✓ kept",
        "The chain ferry that",
        "article-body",
        "With a base of",
        "which is content with over 99 %",
    ] {
        assert!(why.contains(part), "{part} is not in {why}");
    }
    browser.picture("inspector-first");
    browser.finish();
}

#[test]
fn reload_and_back_keep_the_page() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    let page =
        |name: &str| format!("<title>{name}</title><p>{} of the tides.</p>", "A tale ".repeat(30));
    let shows = |name: &str| {
        format!(
            "!document.querySelector('#result').hidden && document.querySelector('#facts').innerText.includes('{name}')"
        )
    };
    paste(&mut browser, &page("First"));
    browser.wait(&shows("First"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("second.html");
    // In an encoding that a text would not keep.
    let mut bytes = page("Second").into_bytes();
    bytes.extend(b"<meta charset=windows-1252><p>caf\xe9");
    std::fs::write(&file, bytes).expect("a file");
    browser.give_file("#file", &file);
    browser.wait(&shows("Second"));
    reload(&mut browser);
    browser.wait(&shows("Second"));
    browser.wait("document.querySelector('#facts').innerText.includes('windows-1252')");
    browser.value("history.back()");
    browser.wait(&shows("First"));
    browser.value("history.forward()");
    browser.wait(&shows("Second"));
    // Also from another view, and where the address names none.
    browser.key("2");
    browser.wait("!document.querySelector('#view-search').hidden");
    reload(&mut browser);
    browser.wait("document.querySelectorAll('#extractor option').length > 3");
    browser.key("1");
    browser.wait(&shows("Second"));
    browser.finish();
}

#[test]
fn a_pasted_address_is_fetched_or_refused_in_words() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    paste(&mut browser, "https://example.org/tides");
    browser.check("document.querySelector('#error').innerText.includes('fetches no pages')");
    browser.check("document.querySelector('#result').hidden");
    browser.finish();
    let fetch = webstrata_feeds::fetch::FetchSettings::default();
    let settings = ServerSettings { fetch: Some(fetch), ..ServerSettings::default() };
    let Some((_server, mut browser)) = open(settings, "/#inspect") else { return };
    browser.wait("!document.querySelector('#fetch-form').hidden");
    paste(&mut browser, " www.example.org/tides\n");
    browser.check("document.querySelector('#fetch-url').value === 'https://www.example.org/tides'");
    browser.check("document.activeElement.innerText === 'Fetch'");
    browser.check("document.querySelector('#error').innerText.includes('press Fetch')");
    // A page that begins with an address is a page.
    paste(&mut browser, "https://example.org/ <p>A tale of the tides.");
    inspected(&mut browser);
    browser.finish();
}

#[test]
fn on_a_phone_the_text_comes_first() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    browser.viewport(390, 844);
    reload(&mut browser);
    inspected(&mut browser);
    browser.check("document.querySelector('#tab-text').getAttribute('aria-selected') === 'true'");
    browser.wait("document.querySelector('#panel-text pre')");
    browser.check("document.querySelector('#panel-text pre').getBoundingClientRect().top < 400");
    browser.check("document.documentElement.scrollWidth <= 390");
    browser.picture("inspector-phone-text");
    browser.finish();
}

/// Texts run the way of their letters, and words of the metadata stay whole.
#[test]
fn right_to_left_and_long_sources() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    let hebrew =
        "הגאות בנמל מאחרת בחצי שעה מן הלוח המודפס, משום ששובר הגלים החדש מאט את המים. ".repeat(3);
    paste(
        &mut browser,
        &format!(
            "<title>גאות</title><meta property=\"article:published_time\" content=\"2026-11-15\"><p>{hebrew}<p>{hebrew}"
        ),
    );
    inspected(&mut browser);
    browser.check("getComputedStyle(document.querySelector('.block-text')).direction === 'rtl'");
    browser.check("getComputedStyle(document.querySelector('.why-text')).direction === 'rtl'");
    browser.click("#tab-metadata");
    browser.wait("document.querySelector('.source-name code')");
    browser.check("[...document.querySelectorAll('.source-name code')].every((it) => it.getClientRects().length === 1)");
    browser.finish();
}

#[test]
fn a_click_on_a_block_explains_it() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.choose("#extractor", "article");
    browser.wait("document.querySelector('#facts').innerText.includes('447 of 829')");
    browser.choose("#block-find", "Search the Ledger");
    browser.wait("document.querySelectorAll('.block').length === 1");
    browser.click(".block");
    let why = browser.text("#why");
    for part in [
        "dropped",
        "Search the Ledger",
        "classify",
        "decided",
        "Selector",
        "words",
        "remove-boilerplate",
    ] {
        assert!(why.contains(part), "{part} is not in {why}");
    }
    assert!(why.contains("took this out"), "{why}");
    browser.check("document.querySelectorAll('.steps li').length === 9");
    browser.check("document.querySelector('.curve-chosen').getAttribute('width') > 0");
    let told = browser.text("#curve-readout");
    assert!(told.contains("dropped: line"), "{told}");
    browser.picture("inspector-why");
    browser.finish();
}

#[test]
fn blocks_and_curve_point_at_each_other() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.show_first_blocks();
    browser.hover("#block-3");
    browser.wait("document.querySelector('.curve-hover').getAttribute('width') > 0");
    browser.check("document.querySelector('#curve-readout').innerText.startsWith('Block 3,')");
    // The middle of the curve is the middle of the article.
    browser.click("#curve");
    browser.wait("document.querySelector('.block[aria-selected=true]')");
    browser.check("document.querySelector('#curve-readout').innerText.includes('words a line')");
    let same = "document.querySelector('.block[aria-selected=true]').id.slice(6) === \
                document.querySelector('#why h3').innerText.match(/\\d+/)[0]";
    browser.check(same);
    browser
        .check("document.querySelector('#curve').getAttribute('aria-valuetext').includes('Block')");
    browser.finish();
}

#[test]
fn another_extractor_shows_what_changed() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.check("document.querySelector('#change').hidden");
    browser.choose("#extractor", "keep-all");
    browser.wait("!document.querySelector('#change').hidden");
    let change = browser.text("#change-text");
    assert!(change.contains("417 → 829"), "{change}");
    assert!(change.contains("− 0 blocks") && change.contains("compared with strata"), "{change}");
    browser.choose("#block-filter", "changed");
    browser.check("document.querySelectorAll('.block.added').length > 10");
    browser.check("!document.querySelector('.block.removed, .block:not(.added)')");
    browser.picture("inspector-changes");
    // And back: what came goes.
    browser.choose("#extractor", "strata");
    browser.wait("document.querySelector('#change-text').innerText.includes('829 → 417')");
    browser.check(
        "document.querySelector('.block.removed') && !document.querySelector('.block.added')",
    );
    browser.check("document.querySelector('#status').textContent.includes('removed')");
    browser.click("#compare-forget");
    browser.wait(
        "document.querySelector('#change').hidden && !document.querySelector('.block.removed')",
    );
    browser.finish();
}

#[test]
fn a_pinned_run_stays_what_others_are_compared_with() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.choose("#extractor", "keep-all");
    browser.wait("document.querySelector('#change-text').innerText.includes('417 → 829')");
    browser.click("#compare-pin");
    browser.choose("#extractor", "article");
    browser.wait("document.querySelector('#change-text').innerText.includes('417 → 447')");
    browser
        .check("document.querySelector('#change-text').innerText.includes('compared with strata')");
    browser.finish();
}

#[test]
fn an_extractor_can_be_edited() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.choose("#extractor", "min-words");
    browser.wait("!document.querySelector('#change').hidden");
    browser.click("#edit");
    browser.check("document.activeElement.id === 'toml'");
    browser.check("document.querySelector('#toml').value.includes('name = \"min-words\"')");
    browser.value(
        "(() => { const toml = document.querySelector('#toml'); \
         toml.value = 'name = \"mine\"\\ncutting = \"boilerpipe\"\\nsteps = [{ filter = \"keep-all\" }]'; })()",
    );
    browser.click("#editor .primary");
    browser.wait("document.querySelector('#facts').innerText.includes('829 of 829')");
    browser.check("document.querySelector('#extractor').value === 'your own'");
    browser.check("document.querySelector('#facts').innerText.includes('mine')");
    // A wrong one is one line, and the page stays as it is.
    browser.value("document.querySelector('#toml').value = 'steps = [{ filter = \"keep-al\" }]'");
    browser.click("#editor .primary");
    browser.wait("!document.querySelector('#error').hidden");
    browser.check("document.querySelector('#facts').innerText.includes('829 of 829')");
    browser.click("#editor-close");
    browser.check("document.querySelector('#editor').hidden");
    let wrong = browser.take_wrong();
    assert!(wrong.iter().all(|wrong| wrong.contains("400")), "{wrong:?}");
    browser.finish();
}

#[test]
fn the_knob_moves_only_what_has_doubts() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.click("[name=favor][value=recall] + span");
    browser.wait("!document.querySelector('#change').hidden");
    let words = |browser: &mut Browser| {
        let text = browser.text("#change-text");
        let pair = text.split("words").last().unwrap_or_default().replace(',', "");
        let numbers: Vec<u32> =
            pair.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        (numbers[0], numbers[1])
    };
    let (balanced, recall) = words(&mut browser);
    assert!(recall > balanced, "{recall} {balanced}");
    browser.choose("#extractor", "article");
    browser.wait("document.querySelector('#favor').disabled");
    browser.wait("document.querySelector('#facts').innerText.includes('447')");
    browser.finish();
}

#[test]
fn segments_follow_method_and_threshold() {
    let Some((_server, mut browser)) = open_example() else { return };
    let segments = |browser: &mut Browser| {
        let text = browser.text("#curve-summary");
        text.split(' ').next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(0)
    };
    let usual = segments(&mut browser);
    browser.choose("#threshold", "1");
    browser.wait(&format!(
        "!document.querySelector('#curve-summary').innerText.startsWith('{usual} ')"
    ));
    let most = segments(&mut browser);
    assert!(most < usual, "{most} {usual}");
    browser.choose("#method", "word-wrap");
    browser.wait("document.querySelector('#threshold').disabled");
    browser.wait(&format!(
        "!document.querySelector('#curve-summary').innerText.startsWith('{most} ')"
    ));
    browser.finish();
}

#[test]
fn outputs_stand_in_tabs() {
    let Some((_server, mut browser)) = open_example() else { return };
    let tabs = [
        ("text", "The chain ferry that joins Tarnbeck"),
        ("markdown", "# Chain ferry to cross the Osk"),
        ("html", "<h1>Chain ferry to cross the Osk"),
        ("metadata", "Ines Corrow"),
        ("links", "In boilerplate"),
        ("json", "\"decided_by\""),
    ];
    for (tab, part) in tabs {
        browser.click(&format!("#tab-{tab}"));
        browser
            .wait(&format!("document.querySelector('#panel-{tab}').innerText.includes('{part}')"));
        browser.check(&format!("document.querySelector('#why').hidden && !document.querySelector('#panel-{tab}').hidden"));
    }
    browser.check("!document.querySelector('#panel-json').innerText.includes('\"took\"')");
    browser.click("#tab-page");
    browser.wait("document.querySelector('.page-frame')");
    browser.check("document.querySelector('.page-frame').getAttribute('sandbox') === ''");
    browser.check("document.querySelector('.page-frame').srcdoc.includes('<mark class=\"webstrata-content\">')");
    browser.check("!/<img|src=|href=|url\\(/i.test(document.querySelector('.page-frame').srcdoc)");
    browser.picture("inspector-marked");
    // The outputs follow the extractor.
    browser.click("#tab-text");
    browser.choose("#extractor", "keep-all");
    browser.wait("document.querySelector('#panel-text').innerText.includes('Search the Ledger')");
    browser.finish();
}

#[test]
fn downloads_have_the_whole_output() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.value(
        "(() => { window.saved = []; const make = URL.createObjectURL; \
         URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return make.call(URL, blob); }; \
         HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }; })()",
    );
    browser.click("#tab-markdown");
    browser.click("#panel-markdown [aria-label='Download Markdown']");
    browser.wait("saved.length === 2");
    browser.check("saved.includes('news.md')");
    browser.check("saved.some((text) => text.startsWith('# Chain ferry'))");
    browser.click("#panel-markdown [aria-label='Copy Markdown']");
    browser.wait("document.querySelector('#status').textContent === 'Copied Markdown.'");
    browser.finish();
}

#[test]
fn pages_are_pasted_and_chosen() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.click("#source-form .primary");
    browser.wait("document.querySelector('#error').innerText.includes('no HTML yet')");
    paste(
        &mut browser,
        "<title>Tides</title><p>High water is at noon, and low water comes six hours after it.</p>",
    );
    inspected(&mut browser);
    browser.check("document.querySelector('#facts').innerText.includes('Tides')");
    browser.check("document.querySelector('#error').hidden");
    // A file goes as bytes: its charset is the server's to find.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hafen.html");
    let html = b"<meta charset=iso-8859-1><title>H\xe4fen</title><p>Die Schiffe l\xf6schen ihre Ladung am fr\xfchen Morgen.";
    std::fs::write(&file, html).expect("a page");
    browser.give_file("#file", &file);
    browser.wait("document.querySelector('#facts').innerText.includes('Häfen')");
    browser.check("document.querySelector('#facts').innerText.includes('windows-1252')");
    browser.check("document.querySelector('#source-name').innerText.startsWith('hafen.html')");
    browser.check("document.querySelector('#change').hidden");
    browser.finish();
}

#[test]
fn addresses_can_be_given_where_pages_are_fetched() {
    let Some((server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.check("document.querySelector('#fetch-form').hidden");
    browser.finish();
    drop(server);
    let settings = ServerSettings { fetch: Some(Default::default()), ..ServerSettings::default() };
    let Some((_server, mut browser)) = open(settings, "/#inspect") else { return };
    browser.wait("!document.querySelector('#fetch-form').hidden");
    // A loopback address is refused, and the refusal is one line on the page.
    browser.click("#fetch-url");
    browser.write("http://127.0.0.1:9/");
    browser.key("Enter");
    browser.wait("!document.querySelector('#error').hidden");
    let error = browser.text("#error span");
    assert!(error.contains("127.0.0.1") && !error.contains('\n'), "{error}");
    let wrong = browser.take_wrong();
    assert!(wrong.iter().all(|wrong| wrong.contains("403")), "{wrong:?}");
    browser.finish();
}

#[test]
fn a_page_is_fetched_once() {
    let networks = ["127.0.0.0/8"].iter().filter_map(|text| text.parse().ok());
    let fetch =
        webstrata_feeds::fetch::FetchSettings { allow: networks.collect(), ..Default::default() };
    let settings = ServerSettings { fetch: Some(fetch), ..ServerSettings::default() };
    let Some((server, mut browser)) = open(settings, "/#inspect") else { return };
    browser.wait("!document.querySelector('#fetch-form').hidden");
    let url = format!("{}/assets/news.html", server.origin);
    browser.click("#fetch-url");
    browser.write(&url);
    browser.key("Enter");
    inspected(&mut browser);
    browser.check("document.querySelector('#facts').innerText.includes('417 of 829 words')");
    browser.check(&format!("document.querySelector('#address').value === '{url}'"));
    // From now on the page is sent along: the server would be asked for nothing if it were gone.
    browser.value(
        "(() => { window.sent = []; const ask = fetch; \
         window.fetch = (url, request) => { sent.push(JSON.parse(request.body)); return ask(url, request); }; })()",
    );
    browser.choose("#extractor", "article");
    browser.wait("document.querySelector('#facts').innerText.includes('447')");
    browser.check("sent.length === 1 && sent[0].html.includes('<title>Chain ferry')");
    browser.finish();
}

#[test]
fn a_page_that_fails_leaves_nothing_of_the_one_before() {
    let Some((_server, mut browser)) = open_example() else { return };
    browser.show_first_blocks();
    browser.click("#block-3");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("empty.html");
    std::fs::write(&file, "").expect("a file");
    browser.give_file("#file", &file);
    browser.wait("!document.querySelector('#error').hidden");
    browser.check("document.querySelector('#result').hidden");
    let are_refusals = |wrong: &[String]| wrong.iter().all(|wrong| wrong.contains("400"));
    let wrong = browser.take_wrong();
    assert!(are_refusals(&wrong), "{wrong:?}");
    // A page without text has no curve and no blocks.
    paste(&mut browser, "<title>Nothing</title><script>let x</script>");
    browser.wait("document.querySelector('#facts').innerText.includes('Nothing')");
    browser.check("!document.querySelector('.block') && !document.querySelector('#curve svg')");
    browser.check("document.querySelector('#error').hidden");
    browser.click("#curve");
    browser.key("ArrowRight");
    browser.check("!document.querySelector('#blocks').hasAttribute('aria-activedescendant')");
    // Whatever a file is called, it is read as a page.
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "<title>Notes</title><p>Kept in a file of another name.")
        .expect("a file");
    browser.give_file("#file", &file);
    browser.wait("document.querySelector('#facts').innerText.includes('Notes')");
    // The page was refused twice, to be explained and to be segmented; either may be told late.
    let late = browser.take_wrong();
    assert!(are_refusals(&late), "{late:?}");
    browser.finish();
}

#[test]
fn the_chosen_block_stays_chosen() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    browser.choose("#extractor", "article");
    let html = "<p hidden>Only for machines.</p><p>Home</p><p>A paragraph that tells of the ships and of the tides \
                that they wait for, with words enough to be kept.</p>";
    paste(&mut browser, html);
    inspected(&mut browser);
    browser.click("#block-1");
    browser.check("document.querySelector('#why').innerText.includes('A paragraph')");
    browser.choose("#hidden", "keep");
    browser.wait("document.querySelectorAll('.block').length === 3");
    browser.check("document.querySelector('#block-2[aria-selected=true]')");
    browser.check("document.querySelector('#why').innerText.includes('A paragraph')");
    // And when its text is gone, nothing is chosen.
    browser.click("#block-0");
    browser.choose("#hidden", "drop");
    browser.wait("document.querySelectorAll('.block').length === 2");
    browser.check("!document.querySelector('[aria-selected=true].block')");
    browser.check("document.querySelector('#why').innerText.includes('Choose a block')");
    browser.finish();
}

#[test]
fn long_pages_stay_small() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/#inspect") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("long.html");
    let block =
        |number: usize| format!("<p>Block {number} tells of the tides and of the ships.</p>");
    let html: String = (0..20_000).map(block).collect();
    std::fs::write(&file, html).expect("a page");
    browser.give_file("#file", &file);
    inspected(&mut browser);
    browser.check("document.querySelectorAll('.block').length < 100");
    browser.check("document.querySelectorAll('*').length < 2000");
    browser.click("#blocks");
    browser.key("End");
    browser.wait("document.querySelector('#block-19999[aria-selected=true]')");
    browser.check("document.querySelector('#why').innerText.includes('Block 19999')");
    browser.finish();
}
