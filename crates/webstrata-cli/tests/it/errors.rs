//! One clear line for everything that goes wrong.

use insta::assert_snapshot;

use crate::site::{LINKS, Site, TIDES};

#[test]
fn inputs() {
    let mut site =
        Site::new(&[("tides.html", TIDES), ("none/notes.txt", "x"), ("site/b.html", TIDES)]);
    site.unreadable("site/a.html");
    site.file("paper.html", "%PDF-1.7 …");
    site.file("page.html.gz", b"\x1f\x8b\x08\0".as_slice());
    site.file("photo.html", b"\xff\xd8\xff\xe0".as_slice());
    site.file("data.html", [0, 1, 0, 0, 0, 2, 0, 0].repeat(9));
    site.run("extract missing.html");
    // The rest is done.
    site.run("extract missing.html tides.html");
    site.run("extract site none");
    site.run("extract paper.html page.html.gz photo.html data.html");
    site.pipe("%PDF-1.7", "extract");
    site.run("extract - -");
    site.run("explain missing.html");
    site.run("explain paper.html");
    site.run("explain site");
    site.run("blocks site");
    assert_snapshot!(site.transcript());
}

/// Each broken line is named by its number, the first few of a file.
#[test]
fn lines_of_json() {
    let tides = serde_json::json!({ "url": "https://example.org/", "html": TIDES }).to_string();
    let broken = ["", "{\"html\": ", "[1]", "{\"url\": \"https://example.org/\"}"];
    let many = [&[&*tides][..], &broken, &["no JSON"; 20], &[&tides]].concat().join("\n");
    let mut site = Site::new(&[("a.jsonl", &many), ("b.jsonl", "{}"), ("a.html", TIDES)]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, many.as_bytes()).unwrap();
    site.file("c.jsonl.gz", packed.finish().unwrap());
    for arguments in ["extract a.jsonl b.jsonl -o a.txt", "extract c.jsonl.gz -o c.txt"] {
        site.run(arguments);
    }
    site.run("url learn a.jsonl");
    site.file("records.jsonl", format!("{}\n\n{many}", site.stdout("extract -f jsonl a.html")));
    site.run("search index records.jsonl --index index");
    assert_snapshot!(site.transcript());
}

#[test]
fn outputs() {
    let mut site = Site::new(&[("tides.html", TIDES), ("links.html", LINKS)]);
    site.run("extract tides.html --output missing/out.txt");
    site.run("extract tides.html links.html --output ./links.html");
    site.run("extract tides.html --output tides.parquet");
    site.run("extract --format json tides.html links.html");
    site.run("extract --format json .");
    site.run("extract --format highlight tides.html links.html");
    site.run("extract --with blocks tides.html");
    site.run("extract --favor nothing tides.html");
    site.run("extract --favor recall --extractor article tides.html");
    assert_snapshot!(site.transcript());
    let links = std::fs::read_to_string(site.path().join("links.html")).unwrap();
    assert_eq!(links, LINKS, "the input was overwritten");
}

#[test]
fn extractors() {
    let mut site = Site::new(&[
        ("tides.html", TIDES),
        ("syntax.toml", "name = 'my'\nsteps = ["),
        (
            "field.toml",
            "name = 'my'\n\n[[steps]]\nfilter = 'fuse-nearby'\n\nsame-level = true\nmax-distanse = 1\n",
        ),
        ("filter.toml", "name = 'my'\nsteps = [\n  { filter = 'keep-al' },\n]"),
        ("mine/nomodel.toml", "name = 'my'\nsteps = [{ filter = 'classify', model = 'my.tree' }]"),
        ("badmodel.toml", "name = 'my'\nsteps = [{ filter = 'classify', model = 'bad.tree' }]"),
        ("bad.tree", "name: bad\nabout: -\nwords"),
    ]);
    site.run("extract --extractor artcile tides.html");
    site.run("extract --extractor readability tides.html");
    for toml in ["missing", "syntax", "field", "filter", "mine/nomodel", "badmodel"] {
        site.run(&format!("extract --extractor {toml}.toml tides.html"));
    }
    site.run("explain --extractor artcile tides.html");
    site.run("explain --filter fuse-nearbye");
    site.run("explain --filter readability");
    site.run("extractors show artcile");
    assert_snapshot!(site.transcript());
}

#[test]
fn arguments() {
    let mut site = Site::new(&[("tides.html", TIDES)]);
    for arguments in [
        "tides.html",
        "missing/page.html",
        "-",
        "extrct tides.html",
        "readability",
        "extract --deadline 10 tides.html",
        "extract --deadline soon tides.html",
        "extract --deadline 0ms tides.html",
        "extract --max-bytes many tides.html",
        "extract --max-bytes 3G tides.html",
        "extract --jobs 0 tides.html",
        "extract --width 0 tides.html",
        "extract --charset utf-9 tides.html",
        "extract --hidden maybe tides.html",
        "extract --format jsn tides.html",
        "extract --extracter article tides.html",
        "extract --extractor",
        "explain tides.html --filter keep-all",
        "blocks --rules atomc tides.html",
        "blocks --features tides.html",
        "eval --set sets",
        "links compare a.tsv b.tsv",
        "stream replay stream.jsonl",
        "search experiment sets",
        "segment --set sets",
        "extractors shwo article",
        "extractors show",
        "--color always tides.html",
    ] {
        site.run(arguments);
    }
    assert_snapshot!(site.transcript());
}
