//! Every endpoint, as it is meant to be used.

use serde_json::json;
use webstrata::{Extractor, Options, Page, Record};
use webstrata_feeds::pipeline::{STATUS_VERSION, SiteStatus, Status, status_file};
use webstrata_serve::ServerSettings;

use crate::client::{PAGE, Server};

#[test]
fn a_page_in_all_three_ways() {
    let server = Server::start();
    let expected = webstrata::extract(PAGE.as_bytes()).text();
    assert!(expected.contains("High water") && !expected.contains("Imprint"));
    let json = server.post_json("/v1/extract", &json!({"html": PAGE}));
    let raw = server.post_page("/v1/extract", PAGE.as_bytes());
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.html\"\r\n\
         Content-Type: text/html\r\n\r\n{PAGE}\r\n--x\r\n\
         Content-Disposition: form-data; name=\"with\"\r\n\r\nmarkdown,links\r\n--x--\r\n"
    );
    let fields = [("Content-Type", "multipart/form-data; boundary=x")];
    // What the form says counts more than the address.
    let form = server.ask("POST", "/v1/extract?with=blocks", &fields, form.as_bytes());
    for answer in [&json, &raw, &form] {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.field("content-type"), Some("application/json"));
        assert_eq!(answer.json()["text"], expected.as_str());
    }
    assert!(form.json()["markdown"].as_str().is_some_and(|text| text.starts_with("# Tides")));
    assert!(form.json().get("blocks").is_none());
    assert_eq!(form.json()["links"].as_array().map(Vec::len), Some(2));
    assert!(raw.json().get("markdown").is_none());
    let same: Record = serde_json::from_slice(&raw.body).expect("a record");
    assert_eq!(same, webstrata::Request::default().record(PAGE.as_bytes()));
}

#[test]
fn options_come_with_the_body_or_with_the_address() {
    let server = Server::start();
    let options = json!({
        "html": PAGE, "id": "a", "url": "https://harbour.example/tides", "extractor": "keep-all",
        "with": ["blocks", "metadata", "links", "markdown", "html", "highlight"], "links": true,
        "images": true, "hidden": "mark", "deadline_ms": 5000, "width": 40,
    });
    let in_json = server.post_json("/v1/extract", &options);
    let in_address = server.post_page(
        "/v1/extract?id=a&url=https%3A%2F%2Fharbour.example%2Ftides&extractor=keep-all\
         &with=blocks,metadata&with=links&with=markdown,html,highlight&links=true&images=1&hidden=mark\
         &deadline_ms=5000&width=40",
        PAGE.as_bytes(),
    );
    assert_eq!(in_json.status, 200, "{in_json:?}");
    assert_eq!(in_json.json(), in_address.json());
    let record = in_json.json();
    assert_eq!(record["id"], "a");
    assert_eq!(record["url"], "https://harbour.example/tides");
    assert_eq!(record["links"][0]["url"], "https://harbour.example/imprint");
    assert!(record["markdown"].as_str().is_some_and(|text| text.contains("(https://harbour")));
    assert!(record["highlight"].as_str().is_some_and(|html| html.contains("<mark class")));
    // The body counts more than the address.
    let both = server.post_json("/v1/extract?extractor=article", &options);
    assert_eq!(both.json()["extractor"], "keep-all");
}

const FIGURES: &str = "<title>Tides</title><article><h1>Tides</h1>\
    <p>High water is at noon today, the harbour office says, and the ferry leaves an hour earlier than it \
    does on other days.<figure><img src=pier.png><figcaption>The old pier at low water</figcaption></figure>\
    <p>Low water comes six hours later, when the sand banks east of the harbour fall dry, as they do twice \
    a day.</article>";

#[test]
fn parts_of_a_page_are_chosen_in_all_three_ways() {
    let server = Server::start();
    let whole = server.post_json("/v1/extract", &json!({"html": FIGURES})).json();
    assert!(whole["text"].as_str().is_some_and(|text| text.contains("old pier")), "{whole}");
    let asked = json!({"html": FIGURES, "exclude": ["caption"], "include": ["title"],
        "with": ["posts", "markdown", "blocks"], "front_matter": true});
    let in_json = server.post_json("/v1/extract", &asked).json();
    let address =
        "/v1/extract?exclude=caption&include=title&with=posts,markdown,blocks&front_matter=1";
    let in_address = server.post_page(address, FIGURES.as_bytes()).json();
    let fields = [
        ("exclude", "caption"),
        ("include", "title"),
        ("with", "posts,markdown,blocks"),
        ("front_matter", "true"),
        ("file", FIGURES),
    ];
    let part = |(name, value): (&str, &str)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let form = fields.map(part).concat() + "--x--\r\n";
    let multipart = [("Content-Type", "multipart/form-data; boundary=x")];
    let in_form = server.ask("POST", "/v1/extract", &multipart, form.as_bytes()).json();
    for record in [&in_json, &in_address, &in_form] {
        let text = record["text"].as_str().unwrap_or_default();
        assert!(text.starts_with("Tides\n\nHigh water"), "{record}");
        assert!(!text.contains("old pier") && text.contains("sand banks"), "{text}");
        assert!(record["markdown"].as_str().is_some_and(|text| text.starts_with("---\n")));
        assert_eq!(record["posts"], json!([]));
        let parts = record["blocks"].as_array().into_iter().flatten().map(|block| &block["part"]);
        assert_eq!(parts.collect::<Vec<_>>(), ["title", "body", "caption", "body"]);
    }
    let flat = server.post_page("/v1/extract?format=text&text=flat", FIGURES.as_bytes()).text();
    assert!(flat.starts_with("Tides\nHigh water"), "{flat}");
}

#[test]
fn a_format_alone() {
    let server = Server::start();
    let check = |format: &str, media_type: &str, expect: &str, is_foreign: bool| {
        let answer = server.post_page(&format!("/v1/extract?format={format}"), PAGE.as_bytes());
        assert_eq!(answer.status, 200);
        assert_eq!(answer.field("content-type"), Some(media_type));
        assert!(answer.text().contains(expect), "{format}");
        let policy = answer.field("content-security-policy").unwrap_or_default();
        assert_eq!(policy.starts_with("sandbox; default-src 'none'"), is_foreign);
        assert_eq!(answer.field("x-content-type-options"), Some("nosniff"));
    };
    check("text", "text/plain; charset=utf-8", "High water", false);
    check("markdown", "text/markdown; charset=utf-8", "# Tides", false);
    check("html", "text/html; charset=utf-8", "<h1>Tides</h1>", true);
    check("highlight", "text/html; charset=utf-8", "<mark class=\"webstrata-content\">Tides", true);
    check("json", "application/json", "\"text\":\"High water", false);
}

#[test]
fn encodings_are_where_they_are_said() {
    let server = Server::start();
    let page = b"<p>Fl\xe6rby";
    let check = |path: &str, media_type: &str, page: &[u8], expect: &str| {
        let answer = server.ask("POST", path, &[("Content-Type", media_type)], page);
        assert_eq!(answer.json()["text"], expect, "{path} {media_type}");
    };
    let path = "/v1/extract?extractor=keep-all";
    check(path, "text/html; charset=iso-8859-1", page, "Flærby\n");
    check(&format!("{path}&charset=iso-8859-1"), "text/html", page, "Flærby\n");
    check(&format!("{path}&charset=iso-8859-5"), "text/html; charset=utf-8", page, "Flцrby\n");
    check(path, "application/octet-stream", b"<meta charset=iso-8859-1><p>Fl\xe6rby", "Flærby\n");
    // JSON is text already, whatever the page says.
    let json = json!({"html": "<meta charset=iso-8859-5><p>Flærby", "extractor": "keep-all"});
    assert_eq!(server.post_json("/v1/extract", &json).json()["text"], "Flærby\n");
}

#[test]
fn an_extractor_of_ones_own() {
    let server = Server::start();
    let toml = "name = 'mine'\nsteps = [ { filter = 'classify', model = 'num-words' } ]";
    let asked = json!({"html": PAGE, "extractor": toml, "text": "flat"});
    let answer = server.post_json("/v1/extract", &asked);
    let expected = Extractor::from_toml(toml).expect("an extractor").extract(PAGE.as_bytes());
    assert_eq!(answer.json()["text"], expected.text());
    assert_eq!(answer.json()["extractor"], "mine");
    // A file of the server's machine is no model.
    let toml = "name = 'mine'\nsteps = [ { filter = 'classify', model = './secret.tree' } ]";
    let refused = server.post_json("/v1/extract", &json!({"html": PAGE, "extractor": toml}));
    assert!(refused.refusal(400).contains("secret.tree"));
}

#[test]
fn favor_and_deadlines() {
    let server = Server::start();
    let favor = |favor: serde_json::Value| {
        server.post_json("/v1/extract", &json!({"html": PAGE, "favor": favor}))
    };
    assert_eq!(favor(json!("recall")).json(), favor(json!(2.0)).json());
    assert_eq!(favor(json!("precision")).status, 200);
    let long = "<p>High water is at noon today, the harbour office says.".repeat(20_000);
    let options = json!({"html": long, "deadline_ms": 1});
    assert_eq!(server.post_json("/v1/extract", &options).json()["limits"], json!(["deadline"]));
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("webstrata_serve_pages_cut_total{limit=\"deadline\"} 1\n"));
}

#[test]
fn explanations_are_those_of_the_command() {
    let server = Server::start();
    let asked = json!({"html": PAGE, "extractor": "article", "with": ["highlight"]});
    let answer = server.post_json("/v1/explain", &asked);
    assert_eq!(answer.status, 200);
    let extractor = Extractor::named("article").expect("an extractor");
    let options = Options { charset: Some("utf-8".into()), ..Options::default() };
    let page = Page::read(PAGE.as_bytes(), extractor.cutting, &options);
    let expected = webstrata::output::Explanation::of(page, extractor, &[], &Default::default());
    let expected = serde_json::to_value(&expected).expect("JSON");
    let mut explained = answer.json();
    let highlight = explained.as_object_mut().and_then(|map| map.remove("highlight"));
    assert!(highlight.is_some_and(|html| html.as_str().is_some_and(|html| html.contains("<mark"))));
    assert_eq!(explained, expected);
}

/// Where an extractor finds next to nothing, both tell of the one that it falls back to.
#[test]
fn what_is_explained_is_what_is_extracted() {
    let server = Server::start();
    let toml = "name = 'mine'\nsteps = []\nfallback = ['keep-all']";
    let asked = json!({"html": PAGE, "extractor": toml, "with": ["highlight"]});
    let extracted = server.post_json("/v1/extract", &asked).json();
    let explained = server.post_json("/v1/explain", &asked).json();
    assert_eq!(extracted["extractor"], "keep-all");
    assert_eq!(explained["record"]["text"], extracted["text"]);
    assert_eq!(explained["record"]["extractor"], "keep-all");
    assert_eq!(explained["highlight"], extracted["highlight"]);
}

#[test]
fn segments_and_their_curve() {
    let server = Server::start();
    let answer =
        server.post_json("/v1/segment", &json!({"html": PAGE, "method": "tag-gap"})).json();
    let (segments, curve) = (answer["segments"].as_array(), answer["curve"].as_array());
    assert_eq!(segments.map(Vec::len), Some(4));
    for (index, (point, segment)) in
        curve.expect("a curve").iter().zip(segments.expect("segments")).enumerate()
    {
        assert_eq!(point["segment"], index);
        assert_eq!(point["density"], segment["text_density"]);
        assert_eq!(point["lines"], segment["lines"]);
    }
    let fused = server.post_json("/v1/segment", &json!({"html": PAGE, "threshold": 1.0e9})).json();
    assert_eq!(fused["segments"].as_array().map(Vec::len), Some(1));
    let path = "/v1/segment?method=rule-based&threshold=0.5&width=60";
    let raw = server.post_page(path, PAGE.as_bytes()).json();
    assert_eq!((&raw["method"], &raw["width"]), (&json!("rule-based"), &json!(60)));
}

#[test]
fn what_the_server_says_about_itself() {
    let server = Server::start();
    let list = server.get("/v1/extractors").json();
    let names =
        list["extractors"].as_array().expect("a list").iter().map(|one| one["name"].as_str());
    assert!(names.eq(Extractor::builtin().iter().map(|one| Some(one.name.as_str()))));
    assert_eq!(list["default"], "strata");
    let info = server.get("/v1/info").json();
    assert_eq!(info["fetch"], false);
    assert_eq!(info["limits"]["body"], 16 << 20);
    assert_eq!(server.get("/health").json(), json!({"status": "ok"}));
    assert_eq!(server.get("/openapi.json").json()["openapi"], "3.1.0");
    let metrics = server.get("/metrics");
    let media_type = Some("text/plain; version=0.0.4; charset=utf-8");
    assert_eq!(metrics.field("content-type"), media_type);
    let counted = "webstrata_serve_requests_total{route=\"/v1/info\",status=\"200\"} 1\n";
    assert!(metrics.text().contains(counted));
    assert!(metrics.text().contains("webstrata_serve_requests_in_flight 1\n"));
}

#[test]
fn the_page_and_what_it_may_do() {
    let server = Server::start();
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert_eq!(page.field("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.field("content-security-policy").expect("a policy");
    assert!(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"));
    assert_eq!(page.field("referrer-policy"), Some("no-referrer"));
    assert_eq!(page.field("access-control-allow-origin"), None);
    let mut client = server.connect();
    client.send(&crate::client::head("HEAD", "/", &[], 0));
    let head = client.answer_head().expect("an answer");
    assert_eq!((head.status, head.field("content-length")), (200, page.field("content-length")));
}

#[test]
fn where_a_stream_stands() {
    let store = tempfile::tempdir().expect("a directory");
    let settings = ServerSettings { store: Some(store.path().into()), ..ServerSettings::default() };
    let server = Server::with(settings);
    assert!(server.get("/v1/streams").refusal(404).starts_with("no stream has run"));
    let sites = [("harbour".to_owned(), SiteStatus { pages: 3, ..SiteStatus::default() })];
    let status = Status {
        version: STATUS_VERSION,
        records: 3,
        sites: sites.into_iter().collect(),
        ..Status::default()
    };
    let json = serde_json::to_string(&status).expect("JSON");
    std::fs::write(status_file(store.path()), &json).expect("a file");
    assert_eq!(server.get("/v1/streams").text(), json);
    std::fs::write(status_file(store.path()), "{").expect("a file");
    let message = server.get("/v1/streams").refusal(503);
    assert!(!message.contains(&store.path().display().to_string()), "{message}");
    assert!(Server::start().get("/v1/streams").refusal(404).contains("--store"));
}
