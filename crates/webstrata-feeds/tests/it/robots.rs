//! robots.txt over loopback, by RFC 9309.

use std::time::Duration;

use webstrata_feeds::fetch::{Answer, Failure, FailureKind, FetchSettings, Fetcher, Validators};

use crate::fetching;
use crate::server::{Routes, Server};

fn settings() -> FetchSettings {
    FetchSettings {
        user_agent: "tidebot/1.0 (+https://example.org/bot)".into(),
        respect_robots: true,
        ..fetching::settings()
    }
}

fn get(fetcher: &Fetcher, url: &str) -> Result<Answer, Failure> {
    fetcher.get(url, &Validators::default())
}

fn site(status: &'static str, robots: &'static str) -> Server {
    Server::start(
        Routes::new()
            .on("/robots.txt", move |_, wire| wire.answer(status, &[], robots.as_bytes()))
            .otherwise(|_, wire| wire.answer("200 OK", &[], b"<p>Tide")),
    )
}

fn check(status: &'static str, robots: &'static str, path: &str, expect: Option<FailureKind>) {
    let server = site(status, robots);
    let fetcher = Fetcher::new(settings()).unwrap();
    let got = get(&fetcher, &server.url(path)).err().map(|failure| failure.kind());
    assert_eq!(got, expect, "{status} {robots:?} {path}");
    let pages = server.requests().iter().filter(|it| it.path != "/robots.txt").count();
    assert_eq!(pages, usize::from(expect.is_none()), "{status} {robots:?} {path}");
}

#[test]
fn rules() {
    let no = Some(FailureKind::Robots);
    check("200 OK", "User-agent: *\nDisallow: /private", "/private/1", no);
    check("200 OK", "User-agent: *\nDisallow: /private", "/public", None);
    check("200 OK", "User-agent: TideBot\nDisallow: /\nUser-agent: *\nAllow: /", "/a", no);
    check("200 OK", "User-agent: other\nDisallow: /", "/a", None);
    check("200 OK", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf", no);
    check("200 OK", "\u{feff}User-agent: *\nDisallow: /\nAllow: /a", "/a", None);
    check("200 OK", "<html>not found", "/a", None);
    check("404 Not Found", "User-agent: *\nDisallow: /", "/a", None);
    check("403 Forbidden", "", "/a", None);
    // Nobody knows: then nothing is fetched.
    check("500 Broken", "", "/a", no);
    check("503 Down", "", "/a", no);
    check("429 Slow", "", "/a", no);
}

#[test]
fn the_file_is_asked_for_once() {
    let server = site("200 OK", "User-agent: *\nDisallow: /private");
    let fetcher = Fetcher::new(settings()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| get(&fetcher, &server.url("/a")).unwrap());
        }
    });
    assert!(get(&fetcher, &server.url("/private")).is_err());
    assert_eq!((server.visits("/robots.txt"), server.visits("/private")), (1, 0));
    // Another crawler may be told something else, and one that does not ask is not told.
    let settings = FetchSettings { user_agent: "other".into(), ..settings() };
    get(&fetcher.with_settings(settings.clone()).unwrap(), &server.url("/a")).unwrap();
    assert_eq!(server.visits("/robots.txt"), 2);
    let rude = FetchSettings { respect_robots: false, ..settings };
    get(&fetcher.with_settings(rude).unwrap(), &server.url("/private")).unwrap();
    assert_eq!((server.visits("/robots.txt"), server.visits("/private")), (2, 1));
}

#[test]
fn a_file_that_cannot_be_had_is_asked_for_later() {
    let server = site("500 Broken", "");
    let fetcher = Fetcher::new(settings()).unwrap();
    for _ in 0..3 {
        let failure = get(&fetcher, &server.url("/a")).unwrap_err();
        assert!(failure.is_temporary(), "{failure}");
        assert!(failure.retry_after.unwrap() <= Duration::from_secs(600));
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn redirects_of_the_file_and_pages() {
    let server = Server::start(
        Routes::new()
            .on("/robots.txt", |_, wire| wire.redirect("301 Moved", "/rules"))
            .on("/rules", |_, wire| {
                wire.answer("200 OK", &[], b"User-agent: *\nDisallow: /private")
            })
            .on("/a", |_, wire| wire.redirect("302 Found", "/private")),
    );
    let fetcher = Fetcher::new(settings()).unwrap();
    // What may not be fetched is not fetched by a redirect either.
    let failure = get(&fetcher, &server.url("/a")).unwrap_err();
    assert_eq!((failure.kind(), server.visits("/private")), (FailureKind::Robots, 0));
    // A circle is as good as no file.
    let server = Server::start(
        Routes::new()
            .on("/robots.txt", |_, wire| wire.redirect("301 Moved", "/robots.txt"))
            .on("/a", |_, wire| wire.answer("200 OK", &[], b"")),
    );
    get(&fetcher, &server.url("/a")).unwrap();
}

#[test]
fn a_file_without_end_counts_as_far_as_it_is_read() {
    let server = Server::start(
        Routes::new()
            .on("/robots.txt", |_, wire| {
                wire.head("200 OK", &[])?;
                wire.send(b"User-agent: *\nDisallow: /private\n")?;
                wire.drip(&b"# and so on\n".repeat(1000), Duration::ZERO)
            })
            .otherwise(|_, wire| wire.answer("200 OK", &[], b"")),
    );
    let fetcher = Fetcher::new(settings()).unwrap();
    get(&fetcher, &server.url("/a")).unwrap();
    let failure = get(&fetcher, &server.url("/private")).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Robots);
}

#[test]
fn crawl_delays_count_within_bounds() {
    let server = site("200 OK", "User-agent: *\nCrawl-delay: 3600");
    let most = Duration::from_millis(80);
    let with = FetchSettings { max_crawl_delay: most, ..settings() };
    let fetcher = Fetcher::new(with).unwrap();
    for _ in 0..3 {
        get(&fetcher, &server.url("/a")).unwrap();
    }
    let pages = server.requests().into_iter().filter(|it| it.path == "/a");
    let times: Vec<_> = pages.map(|request| request.at).collect();
    assert!(times[2] - times[0] >= most, "{times:?}");
}
