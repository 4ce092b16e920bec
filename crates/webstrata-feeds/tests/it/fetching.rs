//! Real HTTP over loopback, with servers that keep no promise.

use std::io::Write;
use std::time::Duration;

use webstrata_feeds::fetch::{
    Answer, Failure, FailureKind, FetchSettings, Fetcher, Response, Validators,
};

use crate::server::{Request, Routes, Server};

const PAGE: &[u8] = b"<html><p>High water at the harbour bar comes half an hour later.";

/// Settings for servers of tests: on this machine, without waiting.
pub(crate) fn settings() -> FetchSettings {
    FetchSettings {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        host_delay: Duration::ZERO,
        timeout: Duration::from_secs(10),
        respect_robots: false,
        ..FetchSettings::default()
    }
}

fn get_with(settings: FetchSettings, url: &str) -> Result<Box<Response>, Failure> {
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
    let brotli = [b"\x8b\x1f\x80", PAGE, b"\x03"].concat();
    let zstd = zstd::encode_all(PAGE, 3).unwrap();
    for (encoding, bytes) in
        [("gzip", gzip(PAGE)), ("zstd", zstd), ("br", brotli), ("identity", PAGE.to_vec())]
    {
        let server = Server::start(Routes::new().otherwise(move |request, wire| {
            let accepted = request.field("Accept-Encoding").unwrap_or_default();
            assert!(encoding == "identity" || accepted.contains(encoding));
            wire.answer("200 OK", &[&format!("Content-Encoding: {encoding}")], &bytes)
        }));
        let page = get(&server.url("/")).unwrap();
        assert_eq!((page.body, page.truncated), (PAGE.to_vec(), false), "{encoding}");
    }
    let server = Server::start(Routes::new().otherwise(|_, wire| {
        wire.answer("200 OK", &["Content-Encoding: gzip"], b"\x1f\x8b\0\x01\x02\xff\xfe")
    }));
    assert_eq!(kind(&server.url("/")), FailureKind::Encoding);
}

#[test]
fn redirects() {
    let server = Server::start(
        Routes::new()
            .on("/1", |_, wire| wire.redirect("301 Moved", "/2"))
            .on("/2", |_, wire| wire.redirect("308 Moved", "3?a#b"))
            .on("/3", |_, wire| wire.redirect("302 Found", "//user:secret@127.0.0.1/"))
            .on("/there", |_, wire| wire.answer("200 OK", &[], PAGE))
            .on("/circle", |_, wire| wire.redirect("302 Found", "/circle2"))
            .on("/circle2", |_, wire| wire.redirect("302 Found", "/circle"))
            .on("/itself", |_, wire| wire.redirect("302 Found", "/itself"))
            .on("/file", |_, wire| wire.redirect("302 Found", "file:///etc/hostname"))
            .on("/nowhere", |_, wire| wire.answer("301 Moved", &[], b""))
            .on("/wrong", |_, wire| wire.redirect("302 Found", "http://[/"))
            .on("/go", |request, wire| wire.redirect("302 Found", &request.query.clone()))
            .on("/count", |request, wire| {
                let next = 1 + request.query.parse::<u32>().unwrap_or(0);
                wire.redirect("307 Temporary", &format!("/count?{next}"))
            }),
    );
    for (path, expect) in [
        ("/circle", FailureKind::RedirectLoop),
        ("/itself", FailureKind::RedirectLoop),
        ("/file", FailureKind::BadUrl),
        ("/wrong", FailureKind::BadUrl),
        ("/nowhere", FailureKind::Status(301)),
        ("/count", FailureKind::TooManyRedirects),
        ("/go?http://10.0.0.1/", FailureKind::Refused),
        ("/go?http://0xa000001/", FailureKind::Refused),
        ("/go?http://[::ffff:10.0.0.1]/", FailureKind::Refused),
        ("/go?http://127.0.0.1:22/", FailureKind::Refused),
        ("/go?http://169.254.169.254/latest/meta-data/", FailureKind::Refused),
    ] {
        assert_eq!(kind(&server.url(path)), expect, "{path}");
    }
    assert_eq!(server.visits("/count"), 11);
    let before = server.requests().len();
    let _ = get(&server.url("/1"));
    let seen: Vec<String> = server.requests()[before..].iter().map(|it| it.path.clone()).collect();
    assert_eq!(seen, ["/1", "/2", "/3"]);
}

#[test]
fn what_is_known_after_redirects() {
    let server = Server::start(
        Routes::new()
            .on("/1", |_, wire| wire.redirect("301 Moved", "/2"))
            .on("/2", |_, wire| wire.redirect("308 Moved", "/3"))
            .on("/3", |_, wire| wire.redirect("302 Found", "/4"))
            .on("/4", |_, wire| wire.redirect("301 Moved", "/5"))
            .on("/5", |_, wire| wire.answer("200 OK", &[], PAGE)),
    );
    let page = get(&server.url("/1")).unwrap();
    assert_eq!(page.url, server.url("/5"));
    assert_eq!(page.permanent, Some(server.url("/3")));
    assert_eq!(page.redirects, ["/1", "/2", "/3", "/4"].map(|path| server.url(path)));
}

#[test]
fn secrets_stay_with_the_first_host() {
    let other = Server::start(Routes::new().otherwise(|_, wire| wire.answer("200 OK", &[], PAGE)));
    let to = other.url("/there");
    let server =
        Server::start(Routes::new().on("/", move |_, wire| wire.redirect("302 Found", &to)));
    let headers = [("Cookie", "a=b"), ("authorization", "Basic x"), ("Accept-Language", "de")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let with = FetchSettings { headers, ..settings() };
    // Credentials of the address are not sent at all.
    let url = server.url("/").replace("http://", "http://user:secret@");
    let page = get_with(with, &url).unwrap();
    assert!(!page.redirects[0].contains("secret"));
    let (first, second) = (&server.requests()[0], &other.requests()[0]);
    assert_eq!(first.field("Cookie"), Some("a=b"));
    assert_eq!(first.field("Authorization"), Some("Basic x"));
    assert_eq!((second.field("Cookie"), second.field("Authorization")), (None, None));
    assert_eq!(second.field("Accept-Language"), Some("de"));
    assert_eq!(first.field("Referer"), None);
}

#[test]
fn secrets_go_to_the_servers_of_feeds_only() {
    let page = || Routes::new().otherwise(|_, wire| wire.answer("200 OK", &[], b""));
    let other = Server::start(page());
    let to = other.url("/moved");
    let home = Server::start(page().on("/moves", move |_, wire| wire.redirect("301 Moved", &to)));
    let headers = [("X-Api-Key", "s3cret"), ("Accept-Language", "de")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let with = FetchSettings { headers, respect_robots: true, ..settings() };
    let fetcher = Fetcher::new(with).unwrap().for_feeds(&[home.url("/feed")]);
    for url in [home.url("/a"), home.url("/moves"), other.url("/linked")] {
        fetcher.get(&url, &Validators::default()).unwrap();
    }
    let keys = |server: &Server| -> Vec<(String, Option<String>)> {
        let key = |name: &str, request: &Request| request.field(name).map(str::to_owned);
        let requests = server.requests();
        assert!(requests.iter().all(|it| it.field("Accept-Language") == Some("de")));
        requests.iter().map(|it| (it.path.clone(), key("X-Api-Key", it))).collect()
    };
    let (ours, theirs) = (keys(&home), keys(&other));
    assert!(ours.iter().all(|(_, key)| key.as_deref() == Some("s3cret")), "{ours:?}");
    let paths: Vec<&str> = theirs.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/robots.txt", "/moved", "/linked"]);
    assert!(theirs.iter().all(|(_, key)| key.is_none()), "{theirs:?}");
}

#[test]
fn a_page_with_all_its_redirects_has_a_deadline() {
    let server = Server::start(Routes::new().otherwise(|request, wire| {
        std::thread::sleep(Duration::from_millis(300));
        wire.redirect("302 Found", &format!("{}x", request.path))
    }));
    let with =
        FetchSettings { timeout: Duration::from_millis(400), max_redirects: 1000, ..settings() };
    assert_eq!(get_with(with, &server.url("/")).unwrap_err().kind(), FailureKind::Timeout);
    assert!(server.requests().len() < 8);
}

#[test]
fn settings_that_would_smuggle_are_errors() {
    for (name, value) in [("X", "a\r\nHost: b"), ("A b", "c"), ("", "c"), ("host", "example.org")] {
        let headers = [(name.to_owned(), value.to_owned())].into();
        assert!(Fetcher::new(FetchSettings { headers, ..settings() }).is_err(), "{name}");
    }
    let user_agent = "a\r\nX: y".to_owned();
    assert!(Fetcher::new(FetchSettings { user_agent, ..settings() }).is_err());
}

#[test]
fn servers_that_lie_about_lengths() {
    let chunked = "Transfer-Encoding: chunked";
    let server = Server::start(
        Routes::new()
            .on("/short", |_, wire| {
                wire.head("200 OK", &["Content-Length: 1000"])?;
                wire.send(PAGE)
            })
            .on("/more", |_, wire| {
                wire.head("200 OK", &["Content-Length: 6"])?;
                wire.send(PAGE)
            })
            .on("/two", |_, wire| {
                wire.head("200 OK", &["Content-Length: 6", "Content-Length: 7"])?;
                wire.send(PAGE)
            })
            .on("/negative", |_, wire| wire.head("200 OK", &["Content-Length: -1"]))
            .on("/huge", |_, wire| wire.head("200 OK", &["Content-Length: 99999999999"]))
            .on("/until-close", |_, wire| {
                wire.head("200 OK", &[])?;
                wire.send(PAGE)
            })
            .on("/chunks", move |_, wire| {
                wire.head("200 OK", &[chunked, "Content-Length: 3"])?;
                wire.send(b"6;a=b\r\n<html>\r\n3\r\n<p>\r\n0\r\nTrailer: x\r\n\r\n")
            })
            .on("/chunk-cut", move |_, wire| {
                wire.head("200 OK", &[chunked])?;
                wire.send(b"6\r\n<html>\r\n30\r\n<p>")
            })
            .on("/chunk-wrong", move |_, wire| {
                wire.head("200 OK", &[chunked])?;
                wire.send(b"6\r\n<html>\r\nwhat\r\n<p>")
            })
            .on("/chunk-huge", move |_, wire| {
                wire.head("200 OK", &[chunked])?;
                wire.send(b"ffffffffffffffff\r\n<p>")
            })
            .on("/chunk-extensions", move |_, wire| {
                wire.head("200 OK", &[chunked])?;
                let line = format!("1;{}\r\nx\r\n", "e".repeat(3000));
                wire.drip(line.as_bytes(), Duration::ZERO)
            })
            .on("/endless", |_, wire| {
                wire.head("200 OK", &[])?;
                wire.drip(&[b'x'; 65536], Duration::ZERO)
            })
            .on("/no-content", |_, wire| wire.head("204 No Content", &[])),
    );
    let small = || FetchSettings { max_body: 100_000, ..settings() };
    let body = |path| {
        let page = get_with(small(), &server.url(path)).unwrap();
        (String::from_utf8(page.body).unwrap(), page.truncated)
    };
    let page = String::from_utf8(PAGE.to_vec()).unwrap();
    assert_eq!(body("/short"), (page.clone(), true));
    assert_eq!(body("/more"), ("<html>".into(), false));
    assert_eq!(body("/until-close"), (page, false));
    assert_eq!(body("/chunks"), ("<html><p>".into(), false));
    assert_eq!(body("/chunk-cut"), ("<html><p>".into(), true));
    // What is announced and does not come has not come.
    assert_eq!(body("/chunk-huge"), ("<p>".into(), true));
    assert_eq!(body("/no-content"), (String::new(), false));
    for (path, expect) in [
        ("/two", FailureKind::Protocol),
        ("/negative", FailureKind::Protocol),
        ("/huge", FailureKind::TooLarge),
        ("/chunk-wrong", FailureKind::Protocol),
        ("/chunk-extensions", FailureKind::TooLarge),
        ("/endless", FailureKind::TooLarge),
    ] {
        let failure = get_with(small(), &server.url(path)).unwrap_err();
        assert_eq!(failure.kind(), expect, "{path}: {failure}");
    }
}

#[test]
fn bombs_are_not_unpacked() {
    let bomb = gzip(&vec![0; 20_000_000]);
    let server = Server::start(
        Routes::new()
            .otherwise(move |_, wire| wire.answer("200 OK", &["Content-Encoding: gzip"], &bomb)),
    );
    let with = FetchSettings { max_decoded: 1_000_000, ..settings() };
    let failure = get_with(with, &server.url("/")).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::TooLarge);
    assert!(!failure.is_temporary());
}

#[test]
fn servers_that_take_their_time() {
    let server = Server::start(
        Routes::new()
            .on("/hang", |_, wire| wire.hang())
            .on("/drip-head", |_, wire| {
                wire.send(b"HTTP/1.1 200 OK\r\nX: ")?;
                wire.drip(b"x", Duration::from_millis(5))
            })
            .on("/drip-body", |_, wire| {
                wire.head("200 OK", &["Content-Length: 1000000"])?;
                wire.drip(b"x", Duration::from_millis(5))
            })
            .on("/drip-chunks", |_, wire| {
                wire.head("200 OK", &["Transfer-Encoding: chunked"])?;
                wire.drip(b"1\r\nx\r\n", Duration::from_millis(5))
            }),
    );
    for path in ["/hang", "/drip-head", "/drip-body", "/drip-chunks"] {
        let with = FetchSettings { timeout: Duration::from_millis(200), ..settings() };
        let failure = get_with(with, &server.url(path)).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Timeout, "{path}");
        assert!(failure.is_temporary());
    }
}

#[test]
fn what_answers_is_no_http() {
    let server = Server::start(
        Routes::new()
            .on("/ssh", |_, wire| {
                wire.send(b"SSH-2.0-OpenSSH\r\n")?;
                wire.hang()
            })
            .on("/nothing", |_, wire| wire.send(b""))
            .on("/reset", |_, wire| wire.reset())
            .on("/half", |_, wire| wire.send(b"HTTP/1.1 200 OK\r\nContent-"))
            .on("/status", |_, wire| wire.send(b"HTTP/1.1 what\r\n\r\n"))
            .on("/interim", |_, wire| wire.send(&b"HTTP/1.1 102 P\r\n\r\n".repeat(20)))
            .on("/early", |_, wire| {
                wire.send(b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n")?;
                wire.answer("200 OK", &[], PAGE)
            })
            .on("/flood", |_, wire| {
                wire.send(b"HTTP/1.1 200 OK\r\n")?;
                wire.drip(&b"X: y\r\n".repeat(1000), Duration::ZERO)
            })
            .on("/long", |_, wire| {
                wire.send(b"HTTP/1.1 200 OK\r\nX: ")?;
                wire.drip(&[b'x'; 10_000], Duration::ZERO)
            })
            .on("/reset-in-body", |_, wire| {
                wire.head("200 OK", &["Content-Length: 1000"])?;
                wire.send(PAGE)?;
                std::thread::sleep(Duration::from_millis(50));
                wire.reset()
            }),
    );
    for (path, expect) in [
        ("/ssh", FailureKind::Protocol),
        ("/nothing", FailureKind::Network),
        ("/reset", FailureKind::Network),
        ("/half", FailureKind::Network),
        ("/status", FailureKind::Protocol),
        ("/interim", FailureKind::Protocol),
        ("/flood", FailureKind::Protocol),
        ("/long", FailureKind::Protocol),
    ] {
        let failure = get(&server.url(path)).unwrap_err();
        assert_eq!(failure.kind(), expect, "{path}: {failure}");
        let shown = failure.to_string();
        assert!(shown.starts_with(&server.url(path)) && !shown.contains('\n'), "{shown}");
    }
    assert_eq!(get(&server.url("/early")).unwrap().body, PAGE);
    let page = get(&server.url("/reset-in-body")).unwrap();
    assert!(page.truncated && PAGE.starts_with(&page.body));
}

#[test]
fn nobody_listens() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(kind(&format!("http://{free}/")), FailureKind::Network);
}

#[test]
fn statuses_and_when_to_come_back() {
    let server = Server::start(
        Routes::new()
            .on("/busy", |_, wire| wire.answer("429 Slow", &["Retry-After: 7"], b""))
            .on("/down", |_, wire| {
                let date = "Retry-After: Wed, 15 Nov 2127 08:30:00 GMT";
                wire.answer("503 Down", &[date], b"")
            })
            .on("/past", |_, wire| {
                wire.answer("503 Down", &["Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"], b"")
            })
            .on("/gone", |_, wire| wire.answer("410 Gone\x07", &[], b"secret")),
    );
    let busy = get(&server.url("/busy")).unwrap_err();
    assert_eq!(busy.kind(), FailureKind::Status(429));
    assert_eq!(busy.retry_after, Some(Duration::from_secs(7)));
    assert!(busy.is_temporary());
    let down = get(&server.url("/down")).unwrap_err();
    assert_eq!(down.retry_after, Some(Duration::from_secs(86_400)));
    assert_eq!(get(&server.url("/past")).unwrap_err().retry_after, Some(Duration::ZERO));
    let gone = get(&server.url("/gone")).unwrap_err();
    assert_eq!(gone.message(), "the server answered 410 Gone");
    assert!(!gone.is_temporary());
}

#[test]
fn a_host_that_wants_to_be_left_alone_is() {
    let server = Server::start(
        Routes::new().otherwise(|_, wire| wire.answer("503 Down", &["Retry-After: 3600"], b"")),
    );
    let fetcher = Fetcher::new(settings()).unwrap();
    let get = |path| fetcher.get(&server.url(path), &Validators::default()).unwrap_err();
    assert_eq!(get("/a").kind(), FailureKind::Status(503));
    let soon = get("/b");
    assert_eq!(soon.kind(), FailureKind::TooSoon);
    assert!(soon.retry_after.unwrap() > Duration::from_secs(3500) && soon.is_temporary());
    assert_eq!(server.requests().len(), 1);
    // A fetcher for another site knows it, too.
    let other = fetcher.with_settings(settings()).unwrap();
    assert!(other.ready_at(&server.url("/")) > std::time::Instant::now());
}

#[test]
fn threads_can_share_a_fetcher() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Fetcher>();
}

#[test]
fn requests_to_a_host_are_a_delay_apart() {
    let server = Server::start(Routes::new().otherwise(|_, wire| wire.answer("200 OK", &[], PAGE)));
    let delay = Duration::from_millis(60);
    let fetcher = Fetcher::new(FetchSettings { host_delay: delay, ..settings() }).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fetcher.get(&server.url("/"), &Validators::default()).unwrap());
        }
    });
    let mut times: Vec<_> = server.requests().iter().map(|request| request.at).collect();
    times.sort();
    // Turns are a delay apart; how soon the server sees a request after its turn is the machine's matter.
    assert!(times[3] - times[0] > delay, "{times:?}");
    assert!(fetcher.ready_at("http://127.0.0.1/") > times[3]);
    assert!(fetcher.ready_at("not an address") <= std::time::Instant::now());
}
