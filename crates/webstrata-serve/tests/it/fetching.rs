//! Pages that are named by their address, from a server of this machine.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::json;
use webstrata_feeds::fetch;
use webstrata_serve::ServerSettings;

use crate::client::{PAGE, Server};

/// A site that answers `requests` requests and ends.
fn site(requests: usize) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().take(requests) {
            stream.and_then(answer).expect("a request");
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.ends_with(b"\r\n\r\n") {
        let read = stream.read(&mut buffer)?;
        request.extend_from_slice(&buffer[..read]);
    }
    let request = String::from_utf8_lossy(&request);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, media_type, body) = match path {
        "/page" => ("200 OK", "text/html", PAGE),
        "/japanese" => ("200 OK", "text/html; charset=utf-8", "<p>\u{1b}$B$\"\u{1b}(B"),
        "/image" => ("200 OK", "image/png", "no page"),
        _ => ("404 Not Found", "text/plain", "nothing"),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn fetching(allow: &[&str]) -> Server {
    let allow = allow.iter().map(|network| network.parse().expect("a network")).collect();
    let fetch = fetch::FetchSettings {
        allow,
        host_delay: Duration::ZERO,
        respect_robots: false,
        ..fetch::FetchSettings::default()
    };
    Server::with(ServerSettings { fetch: Some(fetch), ..ServerSettings::default() })
}

#[test]
fn pages_are_fetched_where_that_is_allowed() {
    let server = fetching(&["127.0.0.0/8"]);
    let site = site(6);
    let url = |path: &str| format!("http://{site}{path}");
    let answer = server.post_json("/v1/extract", &json!({"url": url("/page"), "with": ["links"]}));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["url"], url("/page").as_str());
    assert_eq!(answer.json()["links"][0]["url"], url("/imprint").as_str());
    assert_eq!(server.post_json("/v1/explain", &json!({"url": url("/page")})).status, 200);
    assert_eq!(server.post_json("/v1/segment", &json!({"url": url("/page")})).status, 200);
    // Who asks counts more than the server that answers.
    let own = json!({"url": url("/japanese"), "charset": "iso-2022-jp", "extractor": "keep-all"});
    assert_eq!(server.post_json("/v1/extract", &own).json()["text"], "あ\n");
    let image = server.post_json("/v1/extract", &json!({"url": url("/image")}));
    assert!(image.refusal(422).contains("is `image/png`, which is no page"));
    let missing = server.post_json("/v1/extract", &json!({"url": url("/missing")}));
    assert!(missing.refusal(502).starts_with(&url("/missing")));
}

#[test]
fn addresses_that_lead_nowhere_are_refused() {
    let server = fetching(&[]);
    let check = |url: &str, status: u16| {
        let message = server.post_json("/v1/extract", &json!({"url": url})).refusal(status);
        assert!(!message.is_empty());
    };
    check("http://127.0.0.1/", 403);
    check("http://[::1]/", 403);
    check("http://169.254.169.254/latest/meta-data", 403);
    check("http://2130706433/", 403);
    check("http://10.0.0.1:22/", 403);
    check("file:///etc/passwd", 400);
    check("no address", 400);
    check("", 400);
    // Nobody listens there: the name is never asked for, so nothing leaves this machine.
    let local = fetching(&["127.0.0.0/8"]);
    let free =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let free = free.expect("a port");
    let url = format!("http://{free}/");
    local.post_json("/v1/extract", &json!({"url": url})).refusal(502);
    // A name that may not be asked for looks as one that does not answer: which names there are is not told.
    let named = format!("http://localhost:{}/", free.port());
    let silent = local.post_json("/v1/extract", &json!({"url": named})).refusal(502);
    let hidden = server.post_json("/v1/extract", &json!({"url": named})).refusal(502);
    assert_eq!(hidden, silent);
}
