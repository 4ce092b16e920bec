//! Fetches pages politely and safely.
//!
//! ```no_run
//! use webstrata_feeds::fetch::{Answer, Fetcher, FetchSettings, Validators};
//!
//! let fetcher = Fetcher::new(FetchSettings::default())?;
//! match fetcher.get("https://example.org/feed.xml", &Validators::default()) {
//!     Ok(Answer::Page(page)) => println!("{}: {} bytes", page.url, page.body.len()),
//!     Ok(Answer::NotModified { .. }) => println!("nothing new"),
//!     Err(failure) => eprintln!("{failure}"),
//! }
//! # Ok::<(), webstrata_feeds::Error>(())
//! ```
//!
//! **Safe.** Addresses of private networks, of this machine and of clouds' services are refused, on every
//! hop of a redirect and in every disguise ([`refusal`]). A name is resolved once for a connection, all its
//! addresses are checked, and the connection is made to exactly these; the name is not looked up again. Bytes on
//! the wire, unpacked bytes, heads and time are bounded, also against servers that send a byte now and then.
//!
//! **Frugal.** Connections are used again, many requests at a time where a server speaks HTTP/2. Proxies are those
//! of `HTTPS_PROXY` and its like, or of the settings; they are asked for addresses that were checked here.
//!
//! **Polite.** A host is asked at most once in `host_delay`, or as often as its robots.txt says, and not at
//! all while it asks to be left alone (`Retry-After`).

mod backoff;
mod client;
mod connect;
mod dial;
mod failure;
mod hosts;
mod network;
mod pool;
mod post;
mod proxy;
mod response;
mod robots;
mod settings;
mod tap;
mod tls;
mod wire;

use std::cell::Cell;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use url::{Host, Origin, Url};

pub use self::backoff::Backoff;
pub use self::connect::{Connect, Resolve, Stream, System};
pub use self::failure::{Failure, FailureKind};
pub use self::network::{Network, is_local_name, is_refused_port, refusal};
pub use self::post::Receipt;
pub use self::response::{Answer, Response, Validators};
pub use self::robots::may_fetch;
pub use self::settings::FetchSettings;

use self::client::{Client, Task};
use self::dial::{Way, refused_message};
use self::hosts::Hosts;
use self::robots::{RobotsCache, Verdict};
use self::wire::{Broken, Call, Exchange};
use crate::Error;
use webstrata_archive::http::{Head, Undecoded};

/// Bytes of an address; browsers and servers take no longer ones.
const LONGEST_URL: usize = 8_192;

/// Exchanges of the full length that one page may take, with its redirects and its robots.txt.
const MOST_EXCHANGES: u32 = 4;

/// Fetches pages. Threads share one.
pub struct Fetcher {
    settings: FetchSettings,
    shared: Arc<Shared>,
    way: Arc<Way>,
    /// The servers that get the fields of the settings; `None`: the server that is asked first.
    trusted: Option<Vec<Origin>>,
}

/// What fetchers with different settings have in common.
struct Shared {
    client: Client,
    hosts: Hosts,
    robots: RobotsCache,
}

/// What may be fetched in one go, and whether robots.txt is asked first.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    body: usize,
    decoded: usize,
    redirects: usize,
    /// Longer bodies are cut off instead of refused.
    cuts: bool,
    asks_robots: bool,
    /// The servers that get the fields of the settings.
    trusted: &'a [Origin],
    /// When all of it must be over. Waiting for a host's turn does not count.
    deadline: &'a Cell<Instant>,
}

impl Fetcher {
    /// A fetcher on the machine's own network, by the proxies that the settings or the environment name.
    pub fn new(settings: FetchSettings) -> Result<Fetcher, Error> {
        Fetcher::of_client(settings, Client::new(Box::new(System), Box::new(System), true)?)
    }

    /// A fetcher that finds and reaches others in these ways. Proxies of the environment do not count.
    pub fn with(
        settings: FetchSettings,
        resolver: Box<dyn Resolve>,
        connector: Box<dyn Connect>,
    ) -> Result<Fetcher, Error> {
        Fetcher::of_client(settings, Client::new(resolver, connector, false)?)
    }

    fn of_client(settings: FetchSettings, client: Client) -> Result<Fetcher, Error> {
        let (hosts, robots) = (Hosts::default(), RobotsCache::default());
        Fetcher::of(settings, Arc::new(Shared { client, hosts, robots }))
    }

    /// A fetcher with other settings that knows what this one knows about hosts: when each was asked last,
    /// and what its robots.txt says.
    pub fn with_settings(&self, settings: FetchSettings) -> Result<Fetcher, Error> {
        Fetcher::of(settings, self.shared.clone())
    }

    fn of(settings: FetchSettings, shared: Arc<Shared>) -> Result<Fetcher, Error> {
        settings.check()?;
        let way = shared.client.way(&settings)?;
        Ok(Fetcher { settings, shared, way, trusted: None })
    }

    /// The same fetcher for a site: the fields of its settings go to the servers of its feeds only, since
    /// its feeds may link to anybody. Otherwise they go to the server that is asked first.
    pub fn for_feeds(&self, feeds: &[String]) -> Fetcher {
        let origins = feeds.iter().filter_map(|feed| address(feed).ok().map(|url| url.origin()));
        Fetcher {
            settings: self.settings.clone(),
            shared: self.shared.clone(),
            way: self.way.clone(),
            trusted: Some(origins.collect()),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &FetchSettings {
        &self.settings
    }

    /// Fetches a page, or learns that it has not changed. Waits until its host may be asked again; but
    /// where that takes longer than `max_crawl_delay`, fails at once and says how long.
    pub fn get(&self, url: &str, validators: &Validators) -> Result<Answer, Failure> {
        let url = address(url)?;
        let first = [url.origin()];
        let bounds = Bounds {
            body: self.settings.max_body,
            decoded: self.settings.max_decoded,
            redirects: self.settings.max_redirects,
            cuts: false,
            asks_robots: self.settings.respect_robots,
            trusted: self.trusted.as_deref().unwrap_or(&first),
            deadline: &Cell::new(Instant::now() + self.settings.timeout * MOST_EXCHANGES),
        };
        self.follow(url, validators, bounds)
    }

    /// From when on the host of this address may be asked; now, if it may be. A scheduler that looks here
    /// first does not keep a thread waiting in [`Fetcher::get`].
    pub fn ready_at(&self, url: &str) -> Instant {
        let now = Instant::now();
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.map_or(now, |host| self.shared.hosts.ready_at(&host, now))
    }

    /// Requests an address and follows its redirects.
    fn follow(
        &self,
        mut url: Url,
        validators: &Validators,
        bounds: Bounds<'_>,
    ) -> Result<Answer, Failure> {
        let mut redirects: Vec<String> = Vec::new();
        let mut permanent = None;
        let mut is_permanent = true;
        loop {
            let exchange = self.request(&url, validators, bounds)?;
            let Some(to) = exchange.redirect() else {
                return self.answer(&url, exchange, validators, redirects, permanent, bounds);
            };
            let next = redirected(&url, &to)?;
            redirects.push(url.into());
            if redirects.iter().any(|before| before == next.as_str()) {
                let message = "its redirects lead in a circle";
                return Err(Failure::new(FailureKind::RedirectLoop, next.as_str(), message));
            }
            if redirects.len() > bounds.redirects {
                let message = format!("more than {} redirects", bounds.redirects);
                return Err(Failure::new(FailureKind::TooManyRedirects, next.as_str(), message));
            }
            is_permanent &= matches!(exchange.status, 301 | 308);
            if is_permanent {
                permanent = Some(next.as_str().to_owned());
            }
            url = next;
        }
    }

    /// Requests one address, if robots.txt allows it and when its host is ready.
    fn request(
        &self,
        url: &Url,
        validators: &Validators,
        bounds: Bounds<'_>,
    ) -> Result<Exchange, Failure> {
        self.check(url)?;
        let mut delay = self.settings.host_delay;
        if bounds.asks_robots {
            delay = delay.max(self.check_robots(url, bounds)?.min(self.settings.max_crawl_delay));
        }
        let waited = self.wait(url, delay)?;
        bounds.deadline.set(bounds.deadline.get() + waited);
        let is_trusted = bounds.trusted.contains(&url.origin());
        let call = Call::get(url, validators, &self.settings, is_trusted);
        let exchange = self.exchange(url, call, bounds)?;
        // Only these two mean the host; others speak of the page.
        if let Some(after) = exchange.retry_after().filter(|_| matches!(exchange.status, 429 | 503))
        {
            self.shared.hosts.block_until(host(url), Instant::now() + after);
        }
        Ok(exchange)
    }

    /// Refuses what can be refused without knowing the addresses of a name.
    fn check(&self, url: &Url) -> Result<(), Failure> {
        let refused = |why: String| Err(Failure::new(FailureKind::Refused, url.as_str(), why));
        let port = url.port_or_known_default().unwrap_or_default();
        if is_refused_port(port) {
            return refused(format!("port {port} is refused, since no web server listens there"));
        }
        let local = IpAddr::from([127, 0, 0, 1]);
        match (url.host(), refusal(local, &self.settings.allow)) {
            (Some(Host::Domain(name)), Some(why)) if is_local_name(name) => {
                refused(refused_message(name, local, why))
            }
            _ => Ok(()),
        }
    }

    /// Checks the site's robots.txt. Returns its crawl delay.
    fn check_robots(&self, url: &Url, bounds: Bounds<'_>) -> Result<Duration, Failure> {
        let agent = self.settings.agent();
        match self.shared.robots.verdict(url, agent, |robots| self.robots(robots, bounds)) {
            Verdict::Allowed(delay) => Ok(delay),
            Verdict::Disallowed => {
                let message = format!("the site's robots.txt does not allow `{agent}`");
                Err(Failure::new(FailureKind::Robots, url.as_str(), message))
            }
            Verdict::Unknown(failure, again) => {
                use FailureKind::{Network, Refused, Robots, Timeout};
                let (why, is_of_host) =
                    (failure.message(), matches!(failure.kind(), Network | Refused | Timeout));
                let kind = if is_of_host { failure.kind() } else { Robots };
                // Where nothing of the host can be had, its robots.txt is not what is in the way.
                let is_here = Url::parse(failure.url()).is_ok_and(|end| end.host() == url.host());
                let message = match is_of_host && is_here {
                    true => why.to_owned(),
                    false => format!("its robots.txt cannot be fetched: {why}"),
                };
                let failure = Failure::new(kind, url.as_str(), message);
                Err(failure.after(Some(again)))
            }
        }
    }

    /// Fetches a robots.txt.
    fn robots(&self, url: Url, page: Bounds<'_>) -> Result<Vec<u8>, Failure> {
        let bounds = Bounds {
            body: robots::MOST_BYTES,
            decoded: 16 * robots::MOST_BYTES,
            redirects: robots::MOST_REDIRECTS,
            cuts: true,
            asks_robots: false,
            ..page
        };
        match self.follow(url, &Validators::default(), bounds)? {
            Answer::Page(page) => Ok(page.body),
            Answer::NotModified { .. } => Ok(Vec::new()),
        }
    }

    /// Waits until the host may be asked, if that is not long, and says how long that took.
    fn wait(&self, url: &Url, delay: Duration) -> Result<Duration, Failure> {
        let now = Instant::now();
        let longest = self.settings.max_crawl_delay.max(self.settings.host_delay);
        match self.shared.hosts.reserve(host(url), now, delay, longest) {
            Ok(wait) => {
                if !wait.is_zero() {
                    std::thread::sleep(wait);
                }
                Ok(wait)
            }
            Err(wait) => {
                let message = format!("the host asked to wait another {} s", wait.as_secs());
                let failure = Failure::new(FailureKind::TooSoon, url.as_str(), message);
                Err(failure.after(Some(wait)))
            }
        }
    }

    /// One request and its response.
    fn exchange(&self, url: &Url, call: Call, bounds: Bounds<'_>) -> Result<Exchange, Failure> {
        let deadline = bounds.deadline.get().min(Instant::now() + self.settings.timeout);
        let limit = wire::Limit { body: bounds.body, cuts: bounds.cuts };
        let task = Task { call, way: self.way.clone(), limit, deadline };
        self.shared.client.exchange(task).map_err(|broken| match broken {
            Broken::Io(error) => self.failed(url, &error),
            Broken::TooLarge => too_large(url, bounds.body),
            Broken::Protocol(why) => Failure::new(FailureKind::Protocol, url.as_str(), why),
            Broken::Refused(why) => Failure::new(FailureKind::Refused, url.as_str(), why),
        })
    }

    /// The failure that an error of the network is.
    fn failed(&self, url: &Url, error: &io::Error) -> Failure {
        if wire::is_timeout(error) {
            let message =
                format!("no whole answer within {} s", self.settings.timeout.as_secs_f64());
            return Failure::new(FailureKind::Timeout, url.as_str(), message);
        }
        Failure::new(FailureKind::Network, url.as_str(), error)
    }

    /// What the last response means.
    fn answer(
        &self,
        url: &Url,
        exchange: Exchange,
        sent: &Validators,
        redirects: Vec<String>,
        permanent: Option<String>,
        bounds: Bounds<'_>,
    ) -> Result<Answer, Failure> {
        let validators = exchange.validators();
        if exchange.status == 304 && *sent != Validators::default() {
            let validators = Validators {
                etag: validators.etag.or_else(|| sent.etag.clone()),
                last_modified: validators.last_modified.or_else(|| sent.last_modified.clone()),
            };
            return Ok(Answer::NotModified { url: url.as_str().to_owned(), permanent, validators });
        }
        if !(200..300).contains(&exchange.status) {
            let message = format!("the server answered {}", exchange.status_line());
            let kind = FailureKind::Status(exchange.status);
            let failure = Failure::new(kind, url.as_str(), message);
            return Err(failure.after(exchange.retry_after()));
        }
        let head = Head::parse(&exchange.head).unchunked();
        let body = head.decode(exchange.body, bounds.decoded).map_err(|why| match why {
            Undecoded::TooLong => too_large(url, bounds.decoded),
            Undecoded::Packed(encoding) => {
                let message = format!("its body is packed as `{encoding}` and cannot be unpacked");
                Failure::new(FailureKind::Encoding, url.as_str(), message)
            }
        })?;
        Ok(Answer::Page(Box::new(Response {
            url: url.as_str().to_owned(),
            status: exchange.status,
            permanent,
            content_type: head.content_type,
            headers: exchange.fields,
            validators,
            body: body.bytes,
            truncated: exchange.is_cut || body.is_cut,
            address: exchange.address,
            request_head: exchange.request,
            response_head: exchange.head,
            redirects,
        })))
    }
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

fn too_large(url: &Url, limit: usize) -> Failure {
    let message = format!("its body has more than {limit} bytes");
    Failure::new(FailureKind::TooLarge, url.as_str(), message)
}

/// An address that can be asked: of the Web, without credentials, which would end up in logs, and without
/// a fragment.
pub(crate) fn address(text: &str) -> Result<Url, Failure> {
    let bad = |why: &str| {
        let shown: String = text.chars().take(200).collect();
        Failure::new(FailureKind::BadUrl, &shown, why)
    };
    if text.len() > LONGEST_URL {
        return Err(bad("this address is too long"));
    }
    let mut url = Url::parse(text.trim()).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => bad("no address; one begins with https://"),
        error => bad(&error.to_string()),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("only http and https are fetched"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(bad("this address has no host"));
    }
    let cleaned = url.set_username("").and_then(|()| url.set_password(None));
    if cleaned.is_err() {
        return Err(bad("this address has no host"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn redirected(from: &Url, to: &str) -> Result<Url, Failure> {
    let bad = |why: &str| {
        let shown: String = to.chars().take(200).collect();
        let message = format!("it redirects to `{shown}`: {why}");
        Failure::new(FailureKind::BadUrl, from.as_str(), message)
    };
    if to.len() > LONGEST_URL {
        return Err(bad("this address is too long"));
    }
    let joined = from.join(to.trim()).map_err(|error| bad(&error.to_string()))?;
    address(joined.as_str()).map_err(|failure| bad(failure.message()))
}
