//! Proxies. None of them connects to where it is asked to: they lead to servers of this machine.

use webstrata_feeds::fetch::{FailureKind, FetchSettings, Fetcher};

use crate::fetching::settings;
use crate::lasting::{Http2, Lasting, Middle, Names, Near};
use crate::reuse::get;
use crate::secure::file;

/// Public addresses, which nobody connects to.
const PUBLIC: &str = "93.184.215.14";
const OTHER: &str = "93.184.215.15";

fn fetcher(proxy: String, proxy_resolves: bool) -> (Fetcher, Near) {
    let names = Names::default()
        .know("tides.test", &[PUBLIC])
        .know("private.test", &["192.168.0.1"])
        .know("rebind.test", &[PUBLIC, "127.0.0.1"])
        .know("both.test", &[PUBLIC, OTHER]);
    let settings = FetchSettings {
        allow: Vec::new(),
        certificates: Some(file("certificate.pem")),
        proxy: Some(proxy),
        proxy_resolves,
        ..settings()
    };
    let near = Near::default();
    (Fetcher::with(settings, Box::new(names), Box::new(near.clone())).unwrap(), near)
}

/// An address at the port where the server behind the proxy would be.
fn at(server: &Http2, name: &str, path: &str) -> String {
    format!("https://{name}:{}{path}", server.address.port())
}

fn plain(path: &str) -> (String, bool) {
    let moved = |to: &str| format!("302 Found\r\nLocation: {to}");
    // A proxy is asked for the whole address, a server for a path.
    let (status, body) =
        match path.trim_start_matches("http://rebind.test").trim_start_matches("http://tides.test")
        {
            "/inside" => (moved("http://10.0.0.1/"), ""),
            "/name" => (moved("http://private.test/"), ""),
            "/again" => (moved("/"), ""),
            "/here" => (moved("http://127.0.0.1:8080/"), ""),
            _ => ("200 OK".to_owned(), "<p>Tide"),
        };
    (
        format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
        true,
    )
}

#[test]
fn a_tunnel_leads_to_the_address_that_was_checked() {
    let server = Http2::start();
    let proxy = Middle::http(Some(server.address));
    let (fetcher, near) = fetcher(format!("http://me:word@{}", proxy.address), false);
    let page = get(&fetcher, &server.url("/host")).unwrap();
    assert_eq!(page.body, server.url("/host").as_bytes());
    assert_eq!(page.address, Some(PUBLIC.parse().unwrap()));
    let port = server.address.port();
    let asked = proxy.asked();
    assert!(asked[0].starts_with(&format!("CONNECT {PUBLIC}:{port} HTTP/1.1\r\n")), "{asked:?}");
    assert!(asked[0].contains("Proxy-Authorization: Basic bWU6d29yZA==\r\n"), "{asked:?}");
    // The tunnel is used again, and what is refused never gets to the proxy.
    get(&fetcher, &server.url("/")).unwrap();
    for url in
        [server.url("/inside"), at(&server, "private.test", "/"), at(&server, "10.0.0.1", "/")]
    {
        assert_eq!(get(&fetcher, &url).unwrap_err().kind(), FailureKind::Refused, "{url}");
    }
    assert_eq!((proxy.asked().len(), near.0.lock().unwrap().clone()), (1, vec![proxy.address]));
    // The name that was public when it was checked is asked for by that address.
    let failure = get(&fetcher, &at(&server, "rebind.test", "/")).unwrap_err();
    assert!(failure.message().contains("certificate"), "{failure}");
    assert!(proxy.asked()[1].starts_with(&format!("CONNECT {PUBLIC}:")));
    assert_eq!(
        get(&fetcher, &at(&server, "rebind.test", "/")).unwrap_err().kind(),
        FailureKind::Refused
    );
}

#[test]
fn a_tunnel_by_name_where_the_proxy_resolves() {
    let server = Http2::start();
    let proxy = Middle::http(Some(server.address));
    let (fetcher, _) = fetcher(format!("http://{}", proxy.address), true);
    assert_eq!(get(&fetcher, &server.url("/")).unwrap().address, None);
    assert!(proxy.asked()[0].starts_with("CONNECT tides.test:"));
    // What has no name, and what no name may mean, is refused all the same.
    for host in ["10.0.0.1", "127.0.0.1", "[::1]", "localhost", "a.localhost", "[::ffff:10.0.0.1]"]
    {
        let failure = get(&fetcher, &at(&server, host, "/")).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Refused, "{host}");
    }
    assert_eq!(get(&fetcher, &server.url("/inside")).unwrap_err().kind(), FailureKind::Refused);
    assert_eq!(proxy.asked().len(), 1);
}

#[test]
fn a_proxy_forwards_what_is_not_encrypted() {
    let server = Lasting::start(plain);
    let proxy = Middle::http(Some(server.address));
    let (fetcher, _) = fetcher(format!("http://me:word@{}", proxy.address), false);
    let page = get(&fetcher, "http://tides.test/a?b=c").unwrap();
    assert_eq!((&*page.body, page.address), (&b"<p>Tide"[..], None));
    let asked = proxy.asked();
    assert!(asked[0].starts_with("GET http://tides.test/a?b=c HTTP/1.1\r\nHost: tides.test\r\n"));
    assert!(asked[0].contains("Proxy-Authorization: Basic"), "{asked:?}");
    for path in ["/inside", "/name", "/here"] {
        let failure = get(&fetcher, &format!("http://tides.test{path}")).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Refused, "{path}");
    }
    assert_eq!(proxy.asked().len(), 4);
    // A name that becomes private between two hops.
    let failure = get(&fetcher, "http://rebind.test/again").unwrap_err();
    assert_eq!((failure.kind(), failure.url()), (FailureKind::Refused, "http://rebind.test/"));
    assert_eq!(proxy.asked().len(), 5);
}

#[test]
fn socks_is_given_addresses() {
    let server = Http2::start();
    let proxy = Middle::socks(server.address);
    let (fetcher, _) = fetcher(format!("socks5://{}", proxy.address), false);
    assert_eq!(get(&fetcher, &server.url("/")).unwrap().body, b"<p>Tide");
    let port = server.address.port();
    assert_eq!(proxy.asked(), [format!("{PUBLIC}:{port}")]);
    for url in
        [server.url("/inside"), at(&server, "private.test", "/"), at(&server, "10.0.0.1", "/")]
    {
        assert_eq!(get(&fetcher, &url).unwrap_err().kind(), FailureKind::Refused, "{url}");
    }
    let _ = get(&fetcher, &at(&server, "rebind.test", "/"));
    assert_eq!(
        get(&fetcher, &at(&server, "rebind.test", "/")).unwrap_err().kind(),
        FailureKind::Refused
    );
    assert_eq!(proxy.asked(), [format!("{PUBLIC}:{port}"), format!("{PUBLIC}:{port}")]);
    // Plain HTTP goes through it as well.
    let server = Lasting::start(plain);
    let proxy = Middle::socks(server.address);
    let (fetcher, _) = self::fetcher(format!("socks5://{}", proxy.address), false);
    assert_eq!(get(&fetcher, "http://tides.test/").unwrap().body, b"<p>Tide");
    assert_eq!(get(&fetcher, "http://tides.test/inside").unwrap_err().kind(), FailureKind::Refused);
    assert_eq!(proxy.asked(), [format!("{PUBLIC}:80"), format!("{PUBLIC}:80")]);
}

#[test]
fn socks_is_given_names_where_it_resolves() {
    let server = Lasting::start(plain);
    let proxy = Middle::socks(server.address);
    let (fetcher, _) = fetcher(format!("socks5h://{}", proxy.address), false);
    assert_eq!(get(&fetcher, "http://unknown.test/").unwrap().body, b"<p>Tide");
    assert_eq!(get(&fetcher, "http://tides.test/inside").unwrap_err().kind(), FailureKind::Refused);
    assert_eq!(get(&fetcher, "http://localhost/").unwrap_err().kind(), FailureKind::Refused);
    assert_eq!(proxy.asked(), ["name unknown.test:80", "name tides.test:80"]);
}

#[test]
fn proxies_that_do_not_want_to_are_named() {
    let proxy = Middle::http(None);
    let (fetcher, _) = fetcher(format!("http://me:word@{}", proxy.address), false);
    let failure = get(&fetcher, "https://tides.test/").unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Network);
    let name = format!("the proxy {}", proxy.address);
    assert!(failure.message().contains(&name) && !failure.message().contains("word"), "{failure}");
    // Nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for proxy in [format!("http://{free}"), format!("socks5://{free}")] {
        let (fetcher, _) = self::fetcher(proxy, false);
        let failure = get(&fetcher, "https://tides.test/").unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Network);
        assert!(failure.message().contains(&format!("the proxy {free}")), "{failure}");
    }
}
