//! Real HTTP over loopback, with servers that keep no promise.

use std::io::Write;
use std::time::Duration;

use webstrata_stream::fetch::{
    Answer, Failure, FailureKind, Fetcher, Response, Settings, Validators,
};

use crate::server::{Routes, Server};

const PAGE: &[u8] = b"<html><p>High water at the harbour bar comes half an hour later.";

/// Settings for servers of tests: on this machine, without waiting.
pub(crate) fn settings() -> Settings {
    Settings {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        host_delay: Duration::ZERO,
        timeout: Duration::from_secs(10),
        respect_robots: false,
        ..Settings::default()
    }
}

fn get_with(settings: Settings, url: &str) -> Result<Box<Response>, Failure> {
    match Fetcher::new(settings).unwrap().get(url, &Validators::default())? {
        Answer::Page(page) => Ok(page),
        Answer::NotModified { .. } => panic!("no validators were sent"),
    }
}

fn get(url: &str) -> Result<Box<Response>, Failure> {
    get_with(settings(), url)
}

fn kind(url: &str) -> FailureKind {
    get(url).unwrap_err().kind()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_page_and_what_is_known_about_it() {
    let server = Server::start(Routes::new().on("/a", |_, wire| {
        let fields = ["Content-Type: text/html; charset=utf-8", "ETag: \"7\"", "X-Fold: a\r\n b"];
        wire.answer("200 OK", &fields, PAGE)
    }));
    let page = get(&server.url("/a?b=c#d")).unwrap();
    assert_eq!((page.url.clone(), page.status), (server.url("/a?b=c"), 200));
    assert_eq!(page.body, PAGE);
    assert_eq!(page.content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(page.validators.etag.as_deref(), Some("\"7\""));
    assert_eq!(page.header("x-fold"), Some("a b"));
    assert_eq!(page.address, Some(server.address().ip()));
    assert!(page.response_head.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert!(page.response_head.ends_with(b"\r\n\r\n") && page.request_head.ends_with(b"\r\n\r\n"));
    assert!(!page.truncated && page.redirects.is_empty() && page.permanent.is_none());
    let request = &server.requests()[0];
    assert_eq!(page.request_head[..request.head.len()], *request.head.as_bytes());
    assert_eq!((request.method.as_str(), request.query.as_str()), ("GET", "b=c"));
    assert_eq!(request.field("Host"), Some(server.address().to_string().as_str()));
    assert!(request.field("User-Agent").unwrap().starts_with("webstrata/"));
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let server = Server::start(Routes::new().on("/a", |request, wire| {
        if request.field("If-None-Match") == Some("\"7\"")
            && request.field("If-Modified-Since") == Some("Sun, 15 Nov 2026 08:30:00 GMT")
        {
            return wire.head("304 Not Modified", &["ETag: \"8\""]);
        }
        wire.answer("200 OK", &[], PAGE)
    }));
    let sent = Validators {
        etag: Some("\"7\"".into()),
        last_modified: Some("Sun, 15 Nov 2026 08:30:00 GMT".into()),
    };
    let fetcher = Fetcher::new(settings()).unwrap();
    let answer = fetcher.get(&server.url("/a"), &sent).unwrap();
    let Answer::NotModified { validators, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(validators, Validators { etag: Some("\"8\"".into()), ..sent.clone() });
    // What would smuggle a field is not sent at all.
    let bad = Validators { etag: Some("\"7\"\r\nX: y".into()), ..sent };
    assert!(matches!(fetcher.get(&server.url("/a"), &bad), Ok(Answer::Page(_))));
    assert_eq!(server.requests()[1].field("X"), None);
    // 304 to whom had nothing is no answer.
    let server = Server::start(Routes::new().otherwise(|_, wire| wire.head("304 No", &[])));
    assert_eq!(kind(&server.url("/")), FailureKind::Status(304));
}

#[test]
fn encodings_are_undone() {
    let packed = |encoding: &str| -> Vec<u8> {
        match encoding {
            "gzip" => gzip(PAGE),
            "zstd" => zstd::encode_all(PAGE, 3).unwrap(),
            // "<html>" and all, stored: what `brotli -q 0` makes of it is not smaller.
            "br" => [&[0x8f, 0x1f, 0x80][..], PAGE, &[0x03]].concat(),
            _ => PAGE.to_vec(),
        }
    };
    for encoding in ["gzip", "zstd", "identity"] {
        let server = Server::start(Routes::new().otherwise(move |request, wire| {
            assert!(request.field("Accept-Encoding").unwrap().contains("gzip"));
            wire.answer("200 OK", &[&format!("Content-Encoding: {encoding}")], &packed(encoding))
        }));
        let page = get(&server.url("/")).unwrap();
        assert_eq!((page.body, page.truncated), (PAGE.to_vec(), false), "{encoding}");
    }
}
