//! Everything that is refused, and how.

use std::thread;
use std::time::Duration;

use serde_json::json;
use webstrata_serve::{Limits, ServerSettings};

use crate::client::{Client, PAGE, Server, head};

#[test]
fn requests_that_are_wrong_are_told_why() {
    let server = Server::start();
    let check = |path: &str, media_type: &str, body: &str, status: u16, expect: &str| {
        let fields = [("Content-Type", media_type)];
        let message = server.ask("POST", path, &fields, body.as_bytes()).refusal(status);
        assert!(message.contains(expect), "{message}");
    };
    let json =
        |body: &str, expect: &str| check("/v1/extract", "application/json", body, 400, expect);
    json(
        r#"{"html":"x","extractor":"artcile"}"#,
        "unknown extractor `artcile`, did you mean `article`?",
    );
    json(r#"{"htm":"x"}"#, "unknown field `htm`, did you mean `html`?");
    json(r#"{"html":7}"#, "`html`: invalid type: integer `7`, expected a string");
    json(r#"{"html":"x","with":"blocks"}"#, "`with`: expected a list of names");
    json(r#"{"html":"x","with":["block"]}"#, "unknown part `block`, did you mean `blocks`?");
    json(r#"{"html":"x","width":-1}"#, "`width`: expected a whole number from 1 to 10000, not -1");
    json(r#"{"html":"x","deadline_ms":0}"#, "`deadline_ms`: expected a number of milliseconds");
    json(r#"{"html":"x","charset":"utf-8"}"#, "`charset`: `html` is text already");
    json(r#"{"html":"x","html":"y"}"#, "`html` is given twice");
    json("{\"html\":\"x\"", "EOF while parsing an object");
    json("[]", "an object such as");
    json("{}", "no page in the JSON");
    json("null", "invalid type: null");
    check("/v1/extract", "text/html", "", 400, "the body is empty");
    let raw = |path: &str, expect: &str| check(path, "text/html", PAGE, 400, expect);
    raw("/v1/extract?extractr=article", "unknown field `extractr`, did you mean `extractor`?");
    raw("/v1/extract?width=wide", "`width`: expected a whole number from 1 to 10000, not `wide`");
    raw("/v1/extract?width=1&width=2", "`width`: given twice");
    raw("/v1/extract?format=pdf", "unknown format `pdf`");
    raw("/v1/extract?html=x", "the page belongs into the body");
    raw("/v1/extract?charset=klingon", "`charset`: unknown charset `klingon`");
    raw("/v1/explain?format=text", "an explanation is JSON");
    raw("/v1/segment?threshold=-1", "`threshold`: expected a number, 0 or more");
    raw("/v1/segment?threshold=inf", "`threshold`: expected a number, 0 or more");
    raw("/v1/segment?method=bet", "unknown method `bet`");
    raw("/v1/segment?extractor=article", "unknown field `extractor`");
    check("/v1/extract", "image/png", PAGE, 415, "`image/png` is no page");
    check("/v1/batch", "text/html", PAGE, 415, "is no lines of JSON");
    check("/v1/batch?url=x", "application/x-ndjson", "{}", 400, "`url`: each line has its own");
    let packed = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")];
    let message = server.ask("POST", "/v1/extract", &packed, b"\x1f\x8b").refusal(415);
    assert!(message.contains("packed bodies"), "{message}");
    server.works();
}

#[test]
fn forms_that_are_wrong_are_told_why() {
    let server = Server::start();
    let check = |media_type: &str, body: &[u8], expect: &str| {
        let answer = server.ask("POST", "/v1/extract", &[("Content-Type", media_type)], body);
        let message = answer.refusal(400);
        assert!(message.contains(expect), "{message}");
    };
    let form = "multipart/form-data; boundary=x";
    check("multipart/form-data", b"--x--", "a form needs a `boundary`");
    check(form, b"--x--\r\n", "the form has no file");
    check(form, b"nonsense", "the form cannot be read");
    check(
        form,
        b"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n<p>a",
        "the form cannot be read",
    );
    check(form, b"--x\r\n\r\n\r\n\r\n--x--\r\n", "the form");
    let field = |name: &str, value: &[u8]| {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        [head.as_bytes(), value, b"\r\n"].concat()
    };
    let whole = |fields: &[Vec<u8>]| [fields.concat().as_slice(), b"--x--\r\n"].concat();
    check(form, &whole(&[field("file", b"a"), field("file", b"b")]), "the form has two files");
    check(form, &whole(&[field("file", b"a"), field("size", b"1")]), "unknown field `size`");
    check(form, &whole(&[field("file", b"a"), field("width", b"\xff")]), "is not UTF-8");
    check(form, &whole(&vec![field("width", b"1"); 100]), "the form has more than 64 fields");
    server.works();
}

#[test]
fn paths_and_methods_that_are_not_there() {
    let server = Server::start();
    let refused = |path: &str, expect: &str| {
        let message = server.get(path).refusal(404);
        assert!(message.contains(expect), "{path}: {message}");
    };
    refused("/v1/extrat", "did you mean `/v1/extract`?");
    refused("/nowhere", "expected one of `/`, `/assets/`");
    for trick in [
        "/../etc/passwd",
        "/assets/../Cargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "//v1/info",
        "/v1//info",
        "/v1/info/",
        "/assets/",
        "/assets//",
        "/./v1/info",
        "/V1/info",
        "/v1/info%00",
        "/assets/%00",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/assets/%ff",
        "/v1/info;x",
        "/%",
    ] {
        let answer = server.get(trick);
        assert!(matches!(answer.status, 400 | 404), "{trick}: {answer:?}");
    }
    let wrong = server.get("/v1/extract");
    assert!(wrong.refusal(405).contains("`/v1/extract` does not take GET"));
    assert_eq!(wrong.field("allow"), Some("POST"));
    assert_eq!(server.ask("DELETE", "/v1/info", &[], b"").field("allow"), Some("GET,HEAD"));
    assert_eq!(server.ask("BREW", "/health", &[], b"").status, 405);
    assert_eq!(server.ask("OPTIONS", "/v1/extract", &[], b"").status, 405);
    server.works();
}

#[test]
fn bodies_that_are_too_long() {
    let limits = Limits { body: 1000, ..Limits::default() };
    let server = Server::limited(limits);
    let message = server.post_page("/v1/extract", &[b'x'; 1001]).refusal(413);
    assert_eq!(message, "the body is longer than 1000 bytes, send less of the page");
    assert_eq!(server.post_page("/v1/extract", &[b'x'; 1000]).status, 200);
    // The head alone is enough to know.
    let mut client = server.connect();
    client.send(&head("POST", "/v1/extract", &[("Content-Type", "text/html")], 1 << 30));
    client.answer().refusal(413);
    // Without a length, the bytes themselves are counted.
    let mut client = server.connect();
    let fields = [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")];
    client.send(&head("POST", "/v1/extract", &fields, 0));
    let chunk = [b"100\r\n".as_slice(), &[b'x'; 256], b"\r\n"].concat();
    for _ in 0..8 {
        client.send(&chunk);
    }
    client.answer().refusal(413);
    server.works();
}

#[test]
fn bodies_that_are_too_many() {
    let limits = Limits { bodies: 4 << 20, ..Limits::default() };
    let server = Server::limited(limits);
    let large = vec![b'x'; 2 << 20];
    // None of the two can be answered before its last byte, unless it is refused.
    let mut clients = [server.connect(), server.connect()];
    for client in &mut clients {
        client.send(&head(
            "POST",
            "/v1/extract",
            &[("Content-Type", "text/html")],
            large.len() + 1,
        ));
        client.send(&large);
    }
    while !clients.iter().any(Client::has_answer) {
        thread::sleep(Duration::from_millis(1));
    }
    clients.sort_by_key(Client::has_answer);
    let [taken, refused] = &mut clients;
    let refused = refused.answer();
    assert!(refused.refusal(503).contains("too many bytes are under way"));
    assert_eq!(refused.field("retry-after"), Some("1"));
    // Small ones have room of their own.
    server.works();
    taken.send(b"x");
    assert_eq!(taken.answer().status, 200);
    assert_eq!(server.post_page("/v1/extract", &large).status, 200);
}

#[test]
fn only_those_with_the_token_are_served() {
    let token = "a-token-that-nobody-guesses";
    let server =
        Server::with(ServerSettings { token: Some(token.into()), ..ServerSettings::default() });
    let with = |value: &str| server.ask("GET", "/v1/info", &[("Authorization", value)], b"").status;
    assert_eq!(with(&format!("Bearer {token}")), 200);
    assert_eq!(with(&format!("bearer {token}")), 200);
    let wrong =
        ["Bearer", "Bearer ", token, "Basic x", &format!("Bearer {token}x"), "Bearer a-token"];
    for value in wrong {
        assert_eq!(with(value), 401, "{value}");
    }
    for path in ["/v1/info", "/v1/extractors", "/v1/streams", "/v1/nowhere", "/metrics"] {
        let answer = server.get(path);
        assert!(answer.refusal(401).contains("Authorization: Bearer"));
        assert_eq!(answer.field("www-authenticate"), Some("Bearer"));
    }
    server.post_page("/v1/extract", PAGE.as_bytes()).refusal(401);
    for path in ["/", "/health", "/openapi.json"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

#[test]
fn names_that_the_server_is_not_called_by() {
    let server = Server::start();
    let ask =
        |server: &Server, host: &str| server.ask("GET", "/v1/info", &[("Host", host)], b"").status;
    for host in ["localhost", "localhost:8080", "LOCALHOST", "127.0.0.1:1", "[::1]", "[::1]:8080"] {
        assert_eq!(ask(&server, host), 200, "{host}");
    }
    for host in ["harbour.example", "localhost.harbour.example", "192.0.2.1", "localhost@x.example"]
    {
        assert_eq!(ask(&server, host), 421, "{host}");
    }
    for host in ["", "a b", "[::1", "localhost\u{e9}"] {
        assert!(matches!(ask(&server, host), 400 | 421), "{host}");
    }
    // The name in the address counts, not the other.
    let mut client = server.connect();
    client.send(b"GET http://harbour.example/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.answer().refusal(421);
    let mut client = server.connect();
    client.send(b"GET /v1/info HTTP/1.1\r\n\r\n");
    client.answer().refusal(400);
    let mut client = server.connect();
    client.send(b"GET /v1/info HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n");
    client.answer().refusal(400);
    let mut client = server.connect();
    client.send(b"GET /health HTTP/1.0\r\n\r\n");
    assert_eq!(client.answer().status, 200);
    let allow_hosts = vec!["harbour.example".into()];
    let server = Server::with(ServerSettings { allow_hosts, ..ServerSettings::default() });
    assert_eq!(ask(&server, "harbour.example"), 200);
    assert_eq!(ask(&server, "Harbour.example:8080"), 200);
    assert_eq!(ask(&server, "other.example"), 421);
}

#[test]
fn pages_of_other_sites_may_not_ask() {
    let allow_origins = vec!["https://harbour.example".into()];
    let server = Server::with(ServerSettings { allow_origins, ..ServerSettings::default() });
    let ask = |method: &str, fields: &[(&str, &str)]| {
        let body: &[u8] = if method == "POST" { PAGE.as_bytes() } else { b"" };
        server.ask(
            method,
            "/v1/extract",
            &[&[("Content-Type", "text/html")], fields].concat(),
            body,
        )
    };
    let own = [("Host", "localhost:80"), ("Origin", "http://localhost:80")];
    assert_eq!(ask("POST", &own).status, 200);
    assert_eq!(ask("POST", &own).field("access-control-allow-origin"), None);
    for origin in ["https://evil.example", "null", "http://localhost:81", ""] {
        let answer = ask("POST", &[("Host", "localhost:80"), ("Origin", origin)]);
        assert!(answer.refusal(403).contains("may not use the API, allow it with --allow-origin"));
        assert_eq!(answer.field("access-control-allow-origin"), None);
    }
    let allowed = ask("POST", &[("Origin", "https://harbour.example")]);
    assert_eq!(allowed.status, 200);
    let origin = allowed.field("access-control-allow-origin");
    assert_eq!(origin, Some("https://harbour.example"));
    assert_eq!(allowed.field("vary"), Some("origin"));
    let preflight =
        [("Origin", "https://harbour.example"), ("Access-Control-Request-Method", "POST")];
    let answer = ask("OPTIONS", &preflight);
    assert_eq!(answer.status, 204);
    assert_eq!(answer.field("access-control-allow-headers"), Some("authorization, content-type"));
    let other = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")];
    assert_eq!(ask("OPTIONS", &other).status, 403);
}

#[test]
fn a_full_queue_says_so() {
    let limits = Limits { workers: 1, queue: 0, ..Limits::default() };
    let server = Server::limited(limits);
    // One of many at once is worked on, some others come too early.
    let page = "<p>High water is at noon today, the harbour office says.".repeat(20_000);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || server.post_page("/v1/extract?extractor=article", page.as_bytes());
        let clients: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
        let answers = clients.into_iter().map(|client| client.join().expect("an answer"));
        let check = |answer: crate::client::Answer| {
            if answer.status != 200 {
                assert!(answer.refusal(503).contains("too many pages are waiting"));
                assert_eq!(answer.field("retry-after"), Some("1"));
            }
            answer.status
        };
        answers.map(check).collect()
    });
    assert!(statuses.contains(&200), "{statuses:?}");
    assert!(statuses.contains(&503), "{statuses:?}");
    server.works();
}

#[test]
fn settings_that_cannot_be() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let settings = ServerSettings { token: Some("short".into()), ..ServerSettings::default() };
    let error = webstrata_serve::run(settings, listener).expect_err("a short token");
    assert!(error.to_string().starts_with("the token is too short"), "{error}");
}

#[test]
fn fetching_is_off() {
    let server = Server::start();
    let asked = json!({"url": "https://harbour.example/"});
    for path in ["/v1/extract", "/v1/explain", "/v1/segment"] {
        let message = server.post_json(path, &asked).refusal(403);
        assert!(message.contains("fetches no pages") && message.contains("--fetch"), "{message}");
    }
}
