//! `webstrata extract` when all goes well.

use insta::assert_snapshot;

use crate::site::{LINKS, Site, TIDES, example};

#[test]
fn one_page() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.run("extract tides.html");
    site.pipe(TIDES, "extract");
    site.pipe(TIDES, "extract -");
    site.run("extract --format json tides.html");
    site.run("extract --format jsonl tides.html");
    site.run("extract --format highlight tides.html");
    site.run("extract --extractor keep-all tides.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn markup() {
    let mut site = Site::new(&[("tides.html", TIDES), ("again.html", TIDES)]);
    site.run("extract --format markdown tides.html");
    site.run("extract --format markdown tides.html again.html");
    site.run("extract -e keep-all -f markdown --links --images --url https://tides.example/a/ tides.html");
    site.run("extract -e keep-all --format html --links tides.html");
    site.run("extract --format html tides.html again.html");
    site.run("extract --links tides.html");
    site.run("extract --format markdown --with blocks tides.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn blocks() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.run("extract --format json --with blocks tides.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn metadata_and_links() {
    const PAGE: &str = "<html lang=en><title>An hourly ferry | The Harbour Post</title>
        <meta property=og:site_name content='The Harbour Post'><link rel=canonical href=/ferry>
        <h1>An hourly ferry</h1><p class=byline>By Jane Doe</p><time datetime=2025-09-04>Thursday</time>
        <p>The ferry between the two islands will run every hour from Monday on, the harbour office said
        after a winter of two crossings a day. The <a href=/tides rel=nofollow>tide tables</a> are on board.
        <p>Tickets cost the same as before and are sold on board, in coins only, as they always were.
        <ul><li><a href=https://sea.example/>The sea</a><li><a href=#top>Top</a></ul>";
    let mut site = Site::new(&[("ferry.html", PAGE)]);
    let all = "--with metadata,links,markdown,html --links";
    site.run(&format!("extract -f json {all} --url https://harbour.example/a/b ferry.html"));
    site.run("extract --format jsonl --with metadata ferry.html");
    site.run("extract --format jsonl --with links --with markdown ferry.html");
    site.run("extract --with metadata ferry.html");
    site.run("extract --format json --with links --links ferry.html");
    site.run("extract --format json --with weather ferry.html");
    site.run("extract --format jsonl --url https://harbour.example/ ferry.html ferry.html");
    assert_snapshot!(site.transcript());
}

const FERRY: &str = "<html lang=en><title>An hourly ferry | The Harbour Post</title>
    <meta property=og:site_name content='The Harbour Post'><nav><a href=/>Home</a> <a href=/jobs>Jobs</a></nav>
    <article><h1>An hourly ferry</h1><p class=byline>By Jane Doe, <time datetime=2025-09-04>4 September</time></p>
    <p>The ferry between the two islands will run every hour from Monday on, the harbour office said
    after a winter of two crossings a day, which had left many people on the wrong side of the sound.</p>
    <figure><img src=pier.png><figcaption>The old pier at low water</figcaption></figure>
    <p>Tickets cost the same as before and are sold on board, in coins only, as they always were:</p>
    <ul><li>one way, four coins<li>both ways, seven coins</ul>
    <table><tr><th>Day<th>Ferries<tr><td>Monday<td>24<tr><td>Sunday<td>12</table></article>
    <section id=comments class=comments><h2>Comments</h2><div class=comment><b class=author>Bob</b>
    <time datetime=2025-09-05>5 September</time><p>At last, I had waited for this all winter long.</p></div></section>";

#[test]
fn parts_of_a_page() {
    let mut site = Site::new(&[("ferry.html", FERRY)]);
    site.run("extract ferry.html");
    site.run("extract --text flat ferry.html");
    site.run("extract --include title,byline --exclude caption,table ferry.html");
    site.run("extract --format markdown --front-matter --exclude captions ferry.html");
    site.run("extract --format json --with posts --include comment ferry.html");
    site.run("extract --exclude captoin ferry.html");
    site.run("extract --text plain ferry.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn many_pages() {
    let mut site = Site::new(&[
        ("site/b.html", TIDES),
        ("site/a/index.HTM", TIDES),
        ("site/a/notes.txt", TIDES),
        ("site/c.shtml", LINKS),
        ("other.txt", TIDES),
    ]);
    site.run("extract site/b.html other.txt");
    site.run("extract site");
    site.run("extract --format text site");
    site.run("extract --ext .txt,html site");
    site.run("extract --format jsonl other.txt site/c.shtml");
    site.pipe(TIDES, "extract --format jsonl - site");
    assert_snapshot!(site.transcript());
}

#[test]
fn pages_without_text() {
    let mut site = Site::new(&[("links.html", LINKS), ("empty.html", ""), ("tides.html", TIDES)]);
    site.run("extract links.html");
    site.run("extract --quiet links.html");
    site.run("extract empty.html");
    site.pipe("", "extract");
    // Text in one page is enough, and an empty line stands only between texts.
    site.run("extract links.html tides.html empty.html");
    site.run("extract --format jsonl links.html empty.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn reading() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    site.file("koi8.html", b"<p hidden>hidden</p><p>\xf0\xd2\xc9\xcc\xc9\xd7".as_slice());
    site.run("extract --extractor keep-all --charset koi8-r --hidden keep koi8.html");
    site.run("extract --extractor keep-all --max-bytes 120 tides.html");
    site.run("extract --extractor keep-all --max-bytes 0.12K --format jsonl tides.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn own_extractor() {
    let mut site = Site::new(&[
        ("tides.html", TIDES),
        ("mine/my.toml", "name = 'my'\nsteps = [{ filter = 'classify', model = 'short.tree' }]"),
        // Found beside the TOML, not in the current directory.
        ("mine/short.tree", "name: short\nabout: -\nwords <= 2: content\nwords > 2: boilerplate"),
    ]);
    site.run("extract --extractor mine/my.toml tides.html");
    site.run("extractors show mine/my.toml");
    assert_snapshot!(site.transcript());
}

#[test]
fn output_file() {
    let site = Site::new(&[("tides.html", TIDES)]);
    let text = site.stdout("extract tides.html");
    assert_eq!(site.stdout("extract tides.html --output out.txt"), "");
    assert_eq!(std::fs::read_to_string(site.path().join("out.txt")).unwrap(), text);
}

#[test]
fn all_example_pages_have_text() {
    let site = Site::new(&[]);
    for name in ["news", "utf16", "russian-koi8", "broken", "frames"] {
        site.file(&format!("pages/{name}.html"), example(name));
    }
    let lines = site.stdout("extract pages");
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_ne!(record["text"], "", "{line}");
    }
    assert_eq!(lines.lines().count(), 5);
}

#[test]
fn a_deadline_cuts_a_long_page_short() {
    let site = Site::new(&[]);
    site.file(
        "long.html",
        format!("<title>Long</title>{}", TIDES.repeat((20 << 20) / TIDES.len())),
    );
    let line = site.stdout("extract --deadline 1ms --extractor keep-all --format jsonl long.html");
    assert!(line.contains(r#""limits":["deadline"]"#), "{}", &line[line.len() - 200..]);
    let output = site.output("extract --deadline 1ms --extractor keep-all long.html");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "webstrata: long.html: read in part only, limit reached: deadline\n"
    );
}
