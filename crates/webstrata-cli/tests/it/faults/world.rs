//! A small Web on loopback whose servers fail in every way they know.

use std::io::{self, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::server::{Request, Routes, Server, Wire};

/// Sites of the world, and feeds of each.
pub(crate) const SITES: usize = 3;
pub(crate) const FEEDS: usize = 2;
/// Items that a feed lists; older ones are gone from it.
const LISTED: usize = 400;
/// How often one address fails before it is well.
const MOST_FAULTS: usize = 3;

/// What an item leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A page, by its own address.
    Page,
    /// The page of the item before, by an address that redirects there.
    Again,
    /// The same, by its own address with parameters that tell nothing of it.
    Tracked,
    /// A page that never comes, or that nobody may ask for.
    Poison(&'static str),
}

/// The kinds of items that can never become a record, with the error that each must be counted as.
pub(crate) const POISONS: [(&str, &str); 7] = [
    ("bomb", "too-large"),
    ("circle", "redirect-loop"),
    ("metadata", "refused"),
    ("neighbour", "refused"),
    ("mapped", "refused"),
    ("gone", "status-410"),
    ("picture", "no-page"),
];

/// What the item of this number is.
pub(crate) fn kind(number: usize) -> Kind {
    match number % 16 {
        5 => Kind::Again,
        11 => Kind::Tracked,
        8 => Kind::Poison(POISONS[number / 16 % POISONS.len()].0),
        _ => Kind::Page,
    }
}

/// The page that the item of this number leads to, of its site.
pub(crate) fn page(number: usize) -> Option<usize> {
    match kind(number) {
        Kind::Page => Some(number),
        Kind::Again | Kind::Tracked => Some(number - 1),
        Kind::Poison(_) => None,
    }
}

/// The name of a boat, in letters: to the URL Tree, texts that differ in digits are the same.
fn name(site: usize, number: usize) -> String {
    let syllables = ["ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"];
    let digits = format!("{site}{number}");
    digits.bytes().map(|digit| syllables[usize::from(digit - b'0')]).collect()
}

/// A sentence that no other page has.
pub(crate) fn sentence(site: usize, number: usize) -> String {
    format!(
        "Boat {number}, the {}, of harbour {site} came in on the last of the flood with so much fish that the \
         cooperative had to borrow crates from the other side of the bay, as it did in the year {}.",
        name(site, number),
        1000 + number
    )
}

/// The world: it has as many items as time has passed.
pub(crate) struct World {
    pub(crate) server: Server,
    items: Arc<AtomicUsize>,
    calm: Arc<AtomicUsize>,
    /// Listens where nobody may connect to.
    neighbour: TcpListener,
}

impl World {
    pub(crate) fn start(seed: u64) -> World {
        let (items, calm) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        // An address of this machine that the settings do not allow.
        let neighbour = TcpListener::bind("127.0.0.2:0").unwrap();
        neighbour.set_nonblocking(true).unwrap();
        let shore = Shore {
            items: items.clone(),
            calm: calm.clone(),
            seed,
            neighbour: neighbour.local_addr().unwrap().port(),
            bomb: bomb(),
        };
        let server = Server::start(Routes::new().otherwise(move |it, wire| shore.answer(it, wire)));
        World { server, items, calm, neighbour }
    }

    /// More items appear on each site.
    pub(crate) fn grow(&self, items: usize) {
        self.items.fetch_add(items, Ordering::SeqCst);
    }

    /// From now on nothing fails that need not.
    pub(crate) fn calm_down(&self) {
        self.calm.store(1, Ordering::SeqCst);
    }

    pub(crate) fn items(&self) -> usize {
        self.items.load(Ordering::SeqCst)
    }

    /// Did somebody connect where nobody may?
    pub(crate) fn was_trespassed(&self) -> bool {
        self.neighbour.accept().is_ok()
    }

    pub(crate) fn feeds_toml(&self, extra: &str) -> String {
        let mut text = format!(
            "interval = \"1s\"\n[fetch]\nallow = [\"127.0.0.1/32\"]\nhost-delay = \"0s\"\n\
             respect-robots = false\ntimeout = \"700ms\"\nconnect-timeout = \"700ms\"\n\
             max-decoded = \"1MB\"\n[stream]\njobs = 6\nattempts = 1000\nretry = \"1s\"\n\
             retry-most = \"1s\"\nfile-size = \"60kB\"\ncommit-after = \"50ms\"\n{extra}\n"
        );
        for site in 0..SITES {
            let feeds: Vec<String> = (0..FEEDS)
                .map(|feed| format!("\"{}\"", self.server.url(&format!("/{site}/feed{feed}"))))
                .collect();
            text.push_str(&format!(
                "[[site]]\nname = \"harbour {site}\"\nfeeds = [{}]\n",
                feeds.join(", ")
            ));
        }
        text
    }
}

/// What the server knows.
struct Shore {
    items: Arc<AtomicUsize>,
    calm: Arc<AtomicUsize>,
    seed: u64,
    neighbour: u16,
    bomb: Vec<u8>,
}

impl Shore {
    fn answer(&self, request: &Request, wire: &mut Wire) -> io::Result<()> {
        let Some((site, page)) = request.path.trim_start_matches('/').split_once('/') else {
            return wire.answer("404 Not Found", &[], b"");
        };
        let site: usize = site.parse().unwrap_or_default();
        if let Some(fault) = self.fault(request) {
            return fault_of(fault, request.path.contains("feed"), wire);
        }
        if let Some(feed) = page.strip_prefix("feed") {
            return self.feed(site, feed.parse().unwrap_or_default(), request, wire);
        }
        let (kind, number) = page.split_once('-').unwrap_or_default();
        let number: usize = number.parse().unwrap_or_default();
        match kind {
            "page" => {
                // Some pages say that they are in another encoding than they are.
                let charset = ["utf-8", "utf-8", "klingon-1"][number % 3];
                let field = format!("Content-Type: text/html; charset={charset}");
                wire.answer("200 OK", &[&field], html(site, number).as_bytes())
            }
            "again" => wire.redirect("302 Found", &format!("/{site}/page-{}", number - 1)),
            "bomb" => {
                let fields = ["Content-Type: text/html", "Content-Encoding: gzip"];
                wire.answer("200 OK", &fields, &self.bomb)
            }
            "circle" => wire.redirect("302 Found", &format!("/{site}/circles-{number}")),
            "circles" => wire.redirect("302 Found", &format!("/{site}/circle-{number}")),
            "metadata" => wire.redirect("302 Found", "http://169.254.169.254/latest/meta-data/"),
            "neighbour" => {
                wire.redirect("302 Found", &format!("http://127.0.0.2:{}/", self.neighbour))
            }
            "mapped" => wire
                .redirect("302 Found", &format!("http://[::ffff:127.0.0.2]:{}/", self.neighbour)),
            "gone" => wire.answer("410 Gone", &[], b""),
            "picture" => wire.answer("200 OK", &["Content-Type: image/png"], b"\x89PNG"),
            _ => wire.answer("404 Not Found", &[], b""),
        }
    }

    /// Whether this request fails, and how: by chance, but the same in every run of the seed.
    fn fault(&self, request: &Request) -> Option<u64> {
        if self.calm.load(Ordering::SeqCst) > 0 || request.visit >= MOST_FAULTS {
            return None;
        }
        let mut mixed = self.seed ^ request.visit as u64;
        for byte in request.path.bytes() {
            mixed = (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        mixed ^= mixed >> 29;
        (mixed % 10 < 3).then_some(mixed / 10 % 7)
    }

    fn feed(&self, site: usize, feed: usize, request: &Request, wire: &mut Wire) -> io::Result<()> {
        let items = self.items.load(Ordering::SeqCst);
        let tag = format!("\"{items}\"");
        if request.field("If-None-Match") == Some(&tag) {
            return wire.answer("304 Not Modified", &[&format!("ETag: {tag}")], b"");
        }
        let mut text = String::from("<rss version=\"2.0\"><channel><title>Harbour</title>");
        for number in (0..items).rev().take(LISTED) {
            let path = match kind(number) {
                Kind::Page => format!("page-{number}"),
                Kind::Again => format!("again-{number}"),
                Kind::Tracked => {
                    let page = number - 1;
                    format!("page-{page}?utm_source=rss&amp;utm_medium={feed}&amp;fbclid={number}")
                }
                Kind::Poison(poison) => format!("{poison}-{number}"),
            };
            // Each item is in one of the feeds; every fourth in all of them, described otherwise.
            if number % FEEDS != feed && !number.is_multiple_of(4) {
                continue;
            }
            let date = if number.is_multiple_of(9) { "2999" } else { "2025" };
            text.push_str(&format!(
                "<item><title>{}</title><link>/{site}/{path}</link>\
                 <guid isPermaLink=\"false\">{number}</guid>\
                 <description>in {feed}, {number}</description>\
                 <pubDate>Fri, 01 Aug {date} 08:00:00 GMT</pubDate></item>",
                title(page(number).unwrap_or(number))
            ));
        }
        // One feed ends in the middle of nowhere, as many do.
        if feed == 0 {
            text.push_str("</channel></rss>");
        }
        let fields = [&*format!("ETag: {tag}"), "Content-Type: application/rss+xml; charset=ascii"];
        wire.answer("200 OK", &fields, text.as_bytes())
    }
}

fn title(number: usize) -> String {
    format!("Boat {number} &amp; the tide\u{a0}tables")
}

/// What goes wrong, by its number.
fn fault_of(fault: u64, is_feed: bool, wire: &mut Wire) -> io::Result<()> {
    let html = "Content-Type: text/html";
    match fault {
        0 => wire.hang(),
        1 => wire.reset(),
        2 => {
            wire.head("200 OK", &[html, "Content-Length: 100000"])?;
            wire.send(b"<p>This is not all, says the head, and then")
        }
        3 => wire.answer("503 Service Unavailable", &["Retry-After: 1"], b""),
        4 => wire.answer("500 Internal Server Error", &[html], b"<p>Sorry"),
        5 if is_feed => wire.answer("200 OK", &[], b"<rss><channel><item><title>Fog & <<<"),
        5 => wire.send(b"SSH-2.0-OpenSSH_9.6\r\n"),
        _ => wire.drip(b"H", Duration::from_millis(50)),
    }
}

/// A page: the site's frame around one text.
pub(crate) fn html(site: usize, number: usize) -> String {
    let other = "The harbour master reminds all skippers that the inner basin is dredged on weekdays and \
                 that nobody should moor at the southern wall before the evening, whatever the table says.";
    format!(
        "<!doctype html><html lang=en><title>Boat {number}</title><nav><a href=/>Home</a> \
         <a href=/tides>Tides of harbour {site}</a></nav><h1>Boat {number}</h1><p>{}</p><p>{other} \
         Entry {number}.</p><footer>Harbour {site}, all rights reserved</footer>",
        sentence(site, number)
    )
}

/// Thirty megabytes of nothing in thirty kilobytes.
fn bomb() -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..30 {
        gzip.write_all(&zeros).unwrap();
    }
    gzip.finish().unwrap()
}
