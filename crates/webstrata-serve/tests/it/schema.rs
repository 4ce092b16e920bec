//! The OpenAPI document against what the server takes and says.

use serde_json::{Map, Value, json};
use webstrata_feeds::pipeline::{STATUS_VERSION, SiteStatus, Status, status_file};
use webstrata_serve::ServerSettings;

use crate::client::{PAGE, Server};
use crate::json_schema::check;

/// Checks values against the schemas of the server's OpenAPI document.
pub(crate) struct Schemas(Value);

impl Schemas {
    pub(crate) fn of(server: &Server) -> Schemas {
        Schemas(server.get("/openapi.json").json())
    }

    pub(crate) fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        check(&self.0, schema, value, at)
    }

    /// The schema of an answer.
    pub(crate) fn answer(&self, method: &str, path: &str, status: u16, media_type: &str) -> &Value {
        let responses = &self.0["paths"][path][method]["responses"];
        let schema = &responses[status.to_string()]["content"][media_type]["schema"];
        assert!(!schema.is_null(), "{method} {path} {status} {media_type} is not described");
        schema
    }
}

const RICH: &str = "<!doctype html><html lang=en><head><title>Tides | The Harbour Post</title>\
    <meta property=og:site_name content='The Harbour Post'><meta name=author content='Jane Doe'>\
    <meta property=article:published_time content=2025-09-04><link rel=canonical href=https://harbour.example/t>\
    <meta property=og:image content=/i.png><meta name=keywords content='tide, sea'>\
    <meta name=description content='All tides'><link rel=license href=/licence></head><body>\
    <nav><a href=/a rel=nofollow>Home</a></nav><h1>Tides</h1><p hidden>Hidden text of some length</p>";

#[test]
fn answers_are_as_described() {
    let server = Server::start();
    let schemas = Schemas::of(&server);
    let page = RICH.to_owned() + PAGE;
    let all = ["blocks", "metadata", "links", "markdown", "html", "posts", "highlight", "source"];
    let names = server.get("/v1/extractors").json();
    let names: Vec<&str> = names["extractors"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    for extractor in names {
        for hidden in ["drop", "mark"] {
            let asked = json!({"html": page, "extractor": extractor, "with": all, "hidden": hidden,
                "id": 7, "url": "https://harbour.example/t"});
            for path in ["/v1/extract", "/v1/explain"] {
                let answer = server.post_json(path, &asked);
                let schema = schemas.answer("post", path, answer.status, "application/json");
                schemas.check(schema, &answer.json(), extractor).expect("a described answer");
            }
        }
    }
    for method in ["word-wrap", "plain", "rule-based", "just-rules"] {
        let answer = server.post_json("/v1/segment", &json!({"html": page, "method": method}));
        let schema = schemas.answer("post", "/v1/segment", answer.status, "application/json");
        schemas.check(schema, &answer.json(), method).expect("a described answer");
    }
    for path in ["/v1/info", "/v1/extractors", "/health"] {
        let answer = server.get(path);
        let schema = schemas.answer("get", path, answer.status, "application/json");
        schemas.check(schema, &answer.json(), path).expect("a described answer");
    }
}

/// Every key that is described is one that an answer can have.
#[test]
fn nothing_is_described_that_never_comes() {
    let server = Server::start();
    let schemas = Schemas::of(&server);
    let page = RICH.to_owned() + PAGE;
    let all = ["blocks", "metadata", "links", "markdown", "html", "posts", "highlight", "source"];
    let asked = json!({
        "html": page, "with": all, "id": 7, "url": "https://harbour.example/t", "reasons": true
    });
    let answer = server.post_json("/v1/extract", &asked).json();
    let keys = |name: &str| {
        let properties = schemas.0["components"]["schemas"][name]["properties"].as_object();
        properties.expect(name).keys().cloned().collect::<Vec<String>>()
    };
    let check = |name: &str, value: &Value, absent: &[&str]| {
        let missing: Vec<String> =
            keys(name).into_iter().filter(|key| value.get(key).is_none()).collect();
        assert_eq!(missing, absent, "{name}");
    };
    check("ExtractAnswer", &answer, &[]);
    check("BlockRecord", &answer["blocks"][0], &["site"]);
    check("Counts", &answer["blocks"][0]["counts"], &[]);
    check("Metadata", &answer["metadata"], &["modified"]);
    check("Link", &answer["links"][0], &[]);
    let explained = server.post_json("/v1/explain", &asked).json();
    check("ExplainAnswer", &explained, &[]);
    check("ExplainedBlock", &explained["blocks"][0], &["site"]);
    check("ExplainedStep", &explained["steps"][0], &[]);
    let segmented = server.post_json("/v1/segment", &json!({"html": page})).json();
    check("SegmentAnswer", &segmented, &[]);
    check("SegmentRecord", &segmented["segments"][0], &[]);
}

#[test]
fn the_status_of_streams_is_as_described() {
    let store = tempfile::tempdir().expect("a directory");
    let server = Server::with(ServerSettings {
        store: Some(store.path().into()),
        ..ServerSettings::default()
    });
    let schemas = Schemas::of(&server);
    let site = SiteStatus { errors: [("timeout".to_owned(), 2)].into(), ..SiteStatus::default() };
    let status = Status {
        version: STATUS_VERSION,
        sites: [("a".to_owned(), site)].into(),
        ..Status::default()
    };
    let json = serde_json::to_string(&status).expect("JSON");
    std::fs::write(status_file(store.path()), json).expect("a file");
    let answer = server.get("/v1/streams");
    let schema = schemas.answer("get", "/v1/streams", 200, "application/json");
    schemas.check(schema, &answer.json(), "streams").expect("a described answer");
    let sites = schemas.0["components"]["schemas"]["SiteStatus"]["properties"].as_object();
    let known = answer.json()["sites"]["a"].as_object().map(Map::len);
    assert_eq!(sites.map(Map::len), known);
}

#[test]
fn refusals_are_described() {
    let server = Server::start();
    let schemas = Schemas::of(&server);
    let check = |method: &str, path: &str, answer: &crate::client::Answer| {
        let schema = schemas.answer(method, path, answer.status, "application/json");
        schemas.check(schema, &answer.json(), path).expect("a described refusal");
    };
    check("post", "/v1/extract", &server.post_json("/v1/extract", &json!({"html": 1})));
    check(
        "post",
        "/v1/extract",
        &server.post_json("/v1/extract", &json!({"url": "https://a.example"})),
    );
    check(
        "post",
        "/v1/segment",
        &server.ask("POST", "/v1/segment", &[("Content-Type", "a/b")], b"x"),
    );
    check("get", "/v1/streams", &server.get("/v1/streams"));
    check("get", "/health", &server.ask("GET", "/health", &[("Host", "x.example")], b""));
}

/// Whatever the document calls an example is answered.
#[test]
fn examples_work() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    let mut tried = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let bodies = item["post"]["requestBody"]["content"].as_object();
        for (media_type, content) in bodies.into_iter().flatten() {
            let example = &content["example"];
            if example.is_null() {
                continue;
            }
            let text = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
            let answer = server.ask("POST", path, &[("Content-Type", media_type)], text.as_bytes());
            assert_eq!(answer.status, 200, "{path} {media_type}: {answer:?}");
            tried += 1;
        }
    }
    assert!(tried >= 10, "{tried}");
}

/// Every path is described, and every path that is described is there.
#[test]
fn all_paths_are_described() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    let described: Vec<&str> =
        document["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
    let known = server.get("/nowhere").refusal(404);
    for path in &described {
        assert!(known.contains(&format!("`{path}`")), "{path}");
        assert_ne!(server.ask("BREW", path, &[], b"").status, 404, "{path}");
    }
    let pages = ["/", "/assets/", "/openapi.json"];
    let names = known.split('`').skip(3).step_by(2);
    for name in names.filter(|name| !pages.contains(name)) {
        assert!(described.contains(&name), "{name} is not described");
    }
}
