//! Connections that are used again, and HTTP/2.

use std::sync::atomic::Ordering;
use std::time::Duration;

use webstrata_feeds::fetch::{
    Answer, Failure, FailureKind, FetchSettings, Fetcher, Response, Validators,
};

use crate::fetching::settings;
use crate::lasting::{Http2, Lasting, Names, Near};
use crate::secure::file;

pub(crate) fn get(fetcher: &Fetcher, url: &str) -> Result<Box<Response>, Failure> {
    match fetcher.get(url, &Validators::default())? {
        Answer::Page(page) => Ok(page),
        Answer::NotModified { .. } => panic!("no validators were sent"),
    }
}

fn answers(path: &str) -> (String, bool) {
    let whole = |status: &str, body: &str| {
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    match path {
        "/gone" => (whole("410 Gone", "nothing here"), false),
        "/moved" => {
            ("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".into(), false)
        }
        "/much" => (whole("404 Not Found", &"x".repeat(200_000)), false),
        "/more" => (format!("{}HTTP/1.1 200 OK\r\n\r\nforged", whole("200 OK", "<p>Tide")), false),
        "/early" => (format!("HTTP/1.1 103 Early\r\n\r\n{}", whole("200 OK", path)), false),
        "/chunks" => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            (format!("{head}7\r\n/chunks\r\n0\r\n\r\n"), false)
        }
        "/leaves" => (whole("200 OK", path), true),
        _ => (whole("200 OK", path), false),
    }
}

#[test]
fn a_connection_is_used_again() {
    let server = Lasting::start(answers);
    let fetcher = Fetcher::new(settings()).unwrap();
    for path in ["/a", "/b", "/chunks", "/early", "/c"] {
        let page = get(&fetcher, &server.url(path)).unwrap();
        assert_eq!(page.body, path.as_bytes());
        // Each has its own heads.
        assert!(page.request_head.starts_with(format!("GET {path} HTTP/1.1\r\n").as_bytes()));
        assert!(page.request_head.ends_with(b"\r\n\r\n"));
        assert!(page.response_head.starts_with(b"HTTP/1.1 200 OK\r\n"));
        assert!(page.response_head.ends_with(b"\r\n\r\n") && !page.truncated);
    }
    assert_eq!(get(&fetcher, &server.url("/gone")).unwrap_err().kind(), FailureKind::Status(410));
    assert_eq!(get(&fetcher, &server.url("/moved")).unwrap().redirects.len(), 1);
    assert_eq!(server.connections(), [0; 8]);
    // The body of an error that is too long to be read for nothing costs the connection.
    assert_eq!(get(&fetcher, &server.url("/much")).unwrap_err().kind(), FailureKind::Status(404));
    assert_eq!(get(&fetcher, &server.url("/d")).unwrap().body, b"/d");
    assert_eq!(server.connections()[8..], [0, 1]);
}

#[test]
fn what_follows_an_answer_is_not_the_next_one() {
    let server = Lasting::start(answers);
    let fetcher = Fetcher::new(settings()).unwrap();
    assert_eq!(get(&fetcher, &server.url("/more")).unwrap().body, b"<p>Tide");
    assert_eq!(get(&fetcher, &server.url("/a")).unwrap().body, b"/a");
    assert_eq!(server.connections(), [0, 1]);
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_made_anew() {
    let server = Lasting::start(answers);
    let fetcher = Fetcher::new(settings()).unwrap();
    for round in 0..20 {
        assert_eq!(get(&fetcher, &server.url("/leaves")).unwrap().body, b"/leaves", "{round}");
    }
    assert_eq!(server.connections(), (0..20).collect::<Vec<_>>());
}

#[test]
fn connections_go_where_the_settings_go() {
    let server = Lasting::start(answers);
    let fetcher = Fetcher::new(settings()).unwrap();
    get(&fetcher, &server.url("/a")).unwrap();
    // Others with the same networks use the same connections; those that may not go there do not get one.
    let same = FetchSettings { max_body: 1000, ..settings() };
    get(&fetcher.with_settings(same).unwrap(), &server.url("/b")).unwrap();
    let narrow = FetchSettings { allow: Vec::new(), ..settings() };
    let failure = get(&fetcher.with_settings(narrow).unwrap(), &server.url("/c")).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Refused);
    let wide = FetchSettings { allow: vec!["all".parse().unwrap()], ..settings() };
    get(&fetcher.with_settings(wide).unwrap(), &server.url("/d")).unwrap();
    assert_eq!(server.connections(), [0, 0, 1]);
}

#[test]
fn posts_use_them_too() {
    let server = Lasting::start(answers);
    let fetcher = Fetcher::new(settings()).unwrap();
    // The server reads heads only: a body of one more head is one more request.
    let body = b"GET /body HTTP/1.1\r\n\r\n";
    let receipt = fetcher.post(&server.url("/a"), &[("Content-Type", "text/plain")], body).unwrap();
    assert_eq!(receipt.status, 200);
    let paths: Vec<String> = server.log.lock().unwrap().iter().map(|(_, it)| it.clone()).collect();
    assert_eq!(paths[0], "/a");
}

fn secure(with: FetchSettings) -> (Fetcher, Near) {
    let names = Names::default().know("tides.test", &["127.0.0.1"]);
    let settings = FetchSettings { certificates: Some(file("certificate.pem")), ..with };
    let near = Near::default();
    (Fetcher::with(settings, Box::new(names), Box::new(near.clone())).unwrap(), near)
}

#[test]
fn http2_where_a_server_speaks_it() {
    let server = Http2::start();
    let (fetcher, near) = secure(settings());
    let page = get(&fetcher, &server.url("/host?a=b")).unwrap();
    assert_eq!(page.body, server.url("/host?a=b").as_bytes());
    // Archives have it in the notation of HTTP/1.1.
    let head = String::from_utf8(page.response_head.clone()).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    assert_eq!((page.status, page.header("Content-Type")), (200, Some("text/html")));
    assert_eq!(page.content_type.as_deref(), Some("text/html"));
    let asked = String::from_utf8(page.request_head).unwrap();
    assert!(asked.starts_with("GET /host?a=b HTTP/1.1\r\nhost: tides.test:"), "{asked}");
    assert_eq!(page.address, Some(server.address.ip()));
    // Many at a time, over one connection.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(get(&fetcher, &server.url("/")).unwrap().body, b"<p>Tide"));
        }
    });
    assert_eq!(get(&fetcher, &server.url("/gone")).unwrap_err().kind(), FailureKind::Status(410));
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
    // A redirect into a private network is refused, and nothing is connected to.
    let failure = get(&fetcher, &server.url("/inside")).unwrap_err();
    assert_eq!((failure.kind(), failure.url()), (FailureKind::Refused, "http://10.0.0.1/admin"));
    assert_eq!(near.0.lock().unwrap().len(), 1);
}

#[test]
fn http2_has_the_same_bounds() {
    let server = Http2::start();
    let (fetcher, _) = secure(FetchSettings { max_body: 2_999_999, ..settings() });
    let failure = get(&fetcher, &server.url("/large")).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::TooLarge);
    let (fetcher, _) = secure(FetchSettings { timeout: Duration::from_millis(300), ..settings() });
    assert_eq!(get(&fetcher, &server.url("/slow")).unwrap_err().kind(), FailureKind::Timeout);
    let (fetcher, _) = secure(settings());
    assert_eq!(get(&fetcher, &server.url("/large")).unwrap().body.len(), 3_000_000);
}
