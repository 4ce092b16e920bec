//! Addresses that are refused. Names are resolved by a recorder and connections made by another: nothing
//! leaves this machine, and what would have is known.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use webstrata_feeds::fetch::{
    Connect, FailureKind, FetchSettings, Fetcher, Network, Resolve, Stream, Validators, refusal,
};

/// Knows some names, and remembers what it was asked.
#[derive(Clone, Default)]
struct Names {
    /// For each name what it answers: the first answer first, the last one from then on.
    known: Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Names {
    fn know(&self, name: &str, answers: &[&[&str]]) {
        let parse = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        let answers = answers.iter().map(parse).collect();
        self.known.lock().unwrap().insert(name.into(), answers);
    }
}

impl Resolve for Names {
    fn resolve(&self, name: &str, _: Duration) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().push(name.into());
        let mut known = self.known.lock().unwrap();
        let answers = known.get_mut(name).ok_or_else(|| io::Error::other("no such name"))?;
        Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
    }
}

/// Connects to nothing, and remembers where it should have. A few addresses answer with a script.
#[derive(Clone, Default)]
struct Recorder {
    asked: Arc<Mutex<Vec<SocketAddr>>>,
    answers: Arc<Mutex<HashMap<IpAddr, String>>>,
}

impl Connect for Recorder {
    fn connect(&self, to: SocketAddr, _: Duration) -> io::Result<Box<dyn Stream>> {
        self.asked.lock().unwrap().push(to);
        let answer = self.answers.lock().unwrap().get(&to.ip()).cloned();
        match answer {
            Some(answer) => Ok(Box::new(Script(io::Cursor::new(answer.into_bytes())))),
            None => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

/// Says what it has to say, whatever it hears.
struct Script(io::Cursor<Vec<u8>>);

impl io::Read for Script {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl io::Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Script {
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        assert!(!timeout.is_zero());
        Ok(())
    }
}

/// Public addresses, for whoever asks.
const PUBLIC: &str = "93.184.215.14";
const PUBLIC_V6: &str = "2606:2800:21f:cb07:6820:80da:af6b:8b2c";

fn fetcher(names: &Names, recorder: &Recorder, allow: &[&str]) -> Fetcher {
    let allow = allow.iter().map(|network| network.parse().unwrap()).collect();
    let settings = FetchSettings {
        allow,
        host_delay: Duration::ZERO,
        respect_robots: false,
        ..FetchSettings::default()
    };
    Fetcher::with(settings, Box::new(names.clone()), Box::new(recorder.clone())).unwrap()
}

/// What becomes of a request for this address, and where it connects.
fn try_get(url: &str, allow: &[&str]) -> (FailureKind, Vec<SocketAddr>) {
    let (names, recorder) = (Names::default(), Recorder::default());
    names.know("public.example", &[&[PUBLIC]]);
    names.know("public.example.", &[&[PUBLIC]]);
    names.know("private.example", &[&["10.1.2.3"]]);
    names.know("mixed.example", &[&["192.168.1.1", PUBLIC, "::1", PUBLIC_V6]]);
    names.know("mapped.example", &[&["::ffff:127.0.0.1"]]);
    names.know("empty.example", &[&[]]);
    let failure = fetcher(&names, &recorder, allow).get(url, &Validators::default()).unwrap_err();
    let asked = recorder.asked.lock().unwrap().clone();
    (failure.kind(), asked)
}

/// The message says what stands in the way, and what to write where it is wanted all the same.
#[test]
fn messages_name_the_remedy() {
    let names = Names::default();
    names.know("private.example", &[&["10.1.2.3"]]);
    let fetcher = fetcher(&names, &Recorder::default(), &[]);
    for (url, message) in [
        (
            "http://private.example/feed",
            "10.1.2.3 is refused (a private network); to fetch from it all the same, say --allow 10.1.2.3/32, or \
             allow = [\"10.1.2.3/32\"] under [fetch] in a file",
        ),
        (
            "http://[::1]/",
            "::1 is refused (this machine); to fetch from it all the same, say --allow ::1/128, or \
             allow = [\"::1/128\"] under [fetch] in a file",
        ),
        (
            "http://localhost/",
            "localhost is refused (this machine); to fetch from it all the same, say --allow 127.0.0.1/32, or \
             allow = [\"127.0.0.1/32\"] under [fetch] in a file",
        ),
        (
            "http://nowhere.example/",
            "no address is known for the name `nowhere.example` (no such name)",
        ),
    ] {
        let failure = fetcher.get(url, &Validators::default()).unwrap_err();
        assert_eq!(failure.message(), message);
    }
}

#[test]
fn refused_addresses_are_never_connected_to() {
    for host in [
        // This machine, in every way to write it.
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.1",
        "127.0.0.1.",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "localhost.localdomain",
        "①②⑦.0.0.1",
        "0",
        "0.0.0.0",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        // Private, of the provider, of the link.
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.1.1",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[fe80::1]",
        "[febf::1]",
        "[fec0::1]",
        // Services of clouds.
        "169.254.169.254",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "168.63.129.16",
        "2852039166",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::169.254.169.254]",
        // For many, for nobody, for documents and measurements.
        "224.0.0.1",
        "239.255.255.255",
        "255.255.255.255",
        "240.0.0.1",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "198.18.0.1",
        "198.19.255.255",
        "192.0.0.8",
        "[ff02::1]",
        "[2001:db8::1]",
        "[100::1]",
        "[3fff::1]",
        "[5f00::1]",
        // IPv4 within IPv6: 6to4, Teredo (server and client), NAT64, ISATAP, translated.
        "[2002:7f00:1::]",
        "[2002:a00:1::1]",
        "[2001:0:7f00:1::]",
        "[2001::f5ff:fffe]",
        "[64:ff9b::10.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::8.8.8.8]",
        "[64:ff9b:1:a00:0:100::]",
        "[::ffff:0:10.0.0.1]",
        "[2606:2800::5efe:10.0.0.1]",
        "[2606:2800::200:5efe:7f00:1]",
        // Names that lead there.
        "private.example",
        "mapped.example",
    ] {
        let (kind, asked) = try_get(&format!("http://{host}/"), &[]);
        assert_eq!(kind, FailureKind::Refused, "{host}");
        assert!(asked.is_empty(), "{host}: {asked:?}");
    }
}

#[test]
fn public_addresses_are_asked_and_nothing_else() {
    let at = |ip: &str, port: u16| SocketAddr::new(ip.parse().unwrap(), port);
    let check = |url: &str, expect: &[SocketAddr]| {
        assert_eq!(try_get(url, &[]), (FailureKind::Network, expect.to_vec()), "{url}");
    };
    check("http://public.example/", &[at(PUBLIC, 80)]);
    check("https://public.example./", &[at(PUBLIC, 443)]);
    check("http://public.example:8080/", &[at(PUBLIC, 8080)]);
    // Of a name with both kinds of addresses, only the public ones.
    check("http://mixed.example/", &[at(PUBLIC, 80), at(PUBLIC_V6, 80)]);
    check("http://8.8.8.8/", &[at("8.8.8.8", 80)]);
    check("http://172.32.0.1/", &[at("172.32.0.1", 80)]);
    check("http://100.128.0.1/", &[at("100.128.0.1", 80)]);
    check("http://[2002:808:808::1]/", &[at("2002:808:808::1", 80)]);
    check("http://[64:ff9b::808:808]/", &[at("64:ff9b::808:808", 80)]);
    check("http://empty.example/", &[]);
    check("http://unknown.example/", &[]);
}

#[test]
fn addresses_that_are_none() {
    for url in [
        "",
        "ftp://public.example/",
        "file:///etc/hostname",
        "gopher://public.example/",
        "http://",
        "javascript:x()",
        "data:text/html,x",
        "//public.example/",
        "http://[::1",
        "http://a b/",
        "http://1.2.3.4.5.6/",
        "http://256.1.1.1/",
    ] {
        assert_eq!(try_get(url, &["all"]), (FailureKind::BadUrl, Vec::new()), "{url}");
    }
    let long = format!("http://public.example/{}", "a".repeat(10_000));
    assert_eq!(try_get(&long, &[]).0, FailureKind::BadUrl);
}

#[test]
fn ports_of_other_services() {
    for port in [1, 22, 25, 110, 143, 6000, 6667, 10080] {
        let (kind, asked) = try_get(&format!("http://public.example:{port}/"), &["all"]);
        assert_eq!((kind, asked), (FailureKind::Refused, Vec::new()), "{port}");
    }
    for port in [81, 8080, 3000, 65535] {
        let (kind, asked) = try_get(&format!("http://public.example:{port}/"), &[]);
        assert_eq!((kind, asked.len()), (FailureKind::Network, 1), "{port}");
    }
}

#[test]
fn what_is_allowed_is_asked() {
    let asked = |url, allow: &[&str]| try_get(url, allow).1.len();
    assert_eq!(asked("http://127.0.0.1/", &["127.0.0.0/8"]), 1);
    assert_eq!(asked("http://[::ffff:127.0.0.1]/", &["127.0.0.0/8"]), 1);
    assert_eq!(asked("http://127.0.0.1/", &["10.0.0.0/8"]), 0);
    assert_eq!(asked("http://10.1.2.3/", &["10.1.2.3"]), 1);
    assert_eq!(asked("http://10.1.2.4/", &["10.1.2.3"]), 0);
    assert_eq!(asked("http://private.example/", &["10.0.0.0/8"]), 1);
    assert_eq!(asked("http://mixed.example/", &["192.168.0.0/16"]), 3);
    assert_eq!(asked("http://169.254.169.254/", &["all"]), 1);
    assert_eq!(asked("http://[fd00::1]/", &["fd00::/8"]), 1);
    // One part of what an address stands for is not all of it.
    assert_eq!(asked("http://[2001:0:7f00:1::f5ff:fffe]/", &["127.0.0.0/8"]), 0);
}

/// A name that is public when it is checked and private when it is used: it is never looked up twice.
#[test]
fn rebinding_is_impossible() {
    let (names, recorder) = (Names::default(), Recorder::default());
    names.know("rebind.example", &[&[PUBLIC], &["127.0.0.1"]]);
    let answer = "HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n";
    recorder.answers.lock().unwrap().insert(PUBLIC.parse().unwrap(), answer.into());
    let fetcher = fetcher(&names, &recorder, &[]);
    let failure = fetcher.get("http://rebind.example/", &Validators::default()).unwrap_err();
    // The first hop goes to the address that was checked; the second one is checked anew, and refused.
    assert_eq!(failure.kind(), FailureKind::Refused);
    assert_eq!(failure.url(), "http://rebind.example/again");
    assert_eq!(*recorder.asked.lock().unwrap(), [SocketAddr::new(PUBLIC.parse().unwrap(), 80)]);
    assert_eq!(names.asked.lock().unwrap().len(), 2);
}

#[test]
fn redirects_and_robots_are_checked_as_well() {
    let (names, recorder) = (Names::default(), Recorder::default());
    names.know("public.example", &[&[PUBLIC]]);
    names.know("private.example", &[&["192.168.0.1"]]);
    let answer = "HTTP/1.1 301 Moved\r\nLocation: http://private.example/admin\r\n\r\n";
    recorder.answers.lock().unwrap().insert(PUBLIC.parse().unwrap(), answer.into());
    let fetcher = fetcher(&names, &recorder, &[]);
    let settings = FetchSettings { respect_robots: true, ..fetcher.settings().clone() };
    for fetcher in [&fetcher, &fetcher.with_settings(settings).unwrap()] {
        recorder.asked.lock().unwrap().clear();
        let failure = fetcher.get("http://public.example/", &Validators::default()).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Refused, "{failure}");
        let asked = recorder.asked.lock().unwrap();
        assert_eq!(*asked, [SocketAddr::new(PUBLIC.parse().unwrap(), 80)]);
    }
}

/// Every IPv4 address that the standard library calls special is refused; within IPv6, too.
#[test]
fn nothing_special_slips_through() {
    for first in 0..=255_u8 {
        for second in 0..=255_u8 {
            for last in [[0, 0], [0, 1], [2, 1], [100, 7], [113, 9], [255, 255]] {
                let ip = std::net::Ipv4Addr::new(first, second, last[0], last[1]);
                let is_special = ip.is_private()
                    || ip.is_loopback()
                    || ip.is_link_local()
                    || ip.is_broadcast()
                    || ip.is_documentation()
                    || ip.is_multicast()
                    || ip.is_unspecified()
                    || first == 0
                    || first >= 240
                    || (first == 100 && second & 0xc0 == 64)
                    || (first == 198 && second & 0xfe == 18);
                let refused = refusal(ip.into(), &[]).is_some();
                assert!(!is_special || refused, "{ip}");
                assert!(is_special || !refused || first == 192, "{ip}");
                let mapped = IpAddr::from(ip.to_ipv6_mapped());
                assert_eq!(refusal(mapped, &[]).is_some(), refused, "{mapped}");
                assert_eq!(refusal(mapped, &[Network::ALL]), None);
            }
        }
    }
}

#[test]
fn networks_are_written_as_they_are_read() {
    for text in ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32", "all", "::/0", "0.0.0.0/0"] {
        let network: Network = text.parse().unwrap();
        assert_eq!(network.to_string(), text);
    }
    let one: Network = "10.0.0.1".parse().unwrap();
    assert_eq!(one.to_string(), "10.0.0.1/32");
    for wrong in ["", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "example.org", "10.0.0.0/8/8"] {
        assert!(wrong.parse::<Network>().is_err(), "{wrong}");
    }
    let half: Network = "128.0.0.0/1".parse().unwrap();
    assert!(half.contains("200.1.1.1".parse().unwrap()));
    assert!(!half.contains("100.1.1.1".parse().unwrap()) && !half.contains("::1".parse().unwrap()));
}
