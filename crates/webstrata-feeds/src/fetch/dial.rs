//! From an address of the Web to a connection: names, checks, proxies, TLS.
//!
//! This is the only place where names are resolved and connections made. Each hop of a redirect comes here, unless
//! a connection to the same server, made here under the same settings, still stands.

use std::future::{Ready, ready};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::Uri;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tower_service::Service;
use url::{Host, Url};

use super::connect::{Connect, Resolve, Stream};
use super::network::{Network, refusal};
use super::proxy::{Proxies, Proxy, Speech};
use super::settings::FetchSettings;
use super::tap::{Asked, Duplex};
use super::tls;
use super::wire::Broken;
use crate::Error;

/// Addresses of a name that are tried.
const MOST_ADDRESSES: usize = 8;

/// The two doors to the network.
pub(super) struct Doors {
    pub(super) resolver: Box<dyn Resolve>,
    pub(super) connector: Box<dyn Connect>,
}

/// What of the settings decides where connections lead. Fetchers with the same share connections.
pub(super) struct Way {
    /// Tells it from others.
    pub(super) id: usize,
    allow: Vec<Network>,
    connect_timeout: Duration,
    certificates: Option<PathBuf>,
    proxy: (Option<String>, bool),
    proxies: Proxies,
    tls: Arc<ClientConfig>,
}

impl Way {
    pub(super) fn new(
        id: usize,
        settings: &FetchSettings,
        environment_counts: bool,
    ) -> Result<Way, Error> {
        Ok(Way {
            id,
            allow: settings.allow.clone(),
            connect_timeout: settings.connect_timeout,
            certificates: settings.certificates.clone(),
            proxy: (settings.proxy.clone(), settings.proxy_resolves),
            proxies: Proxies::of(settings, environment_counts)?,
            tls: tls::config(settings.certificates.as_deref())?,
        })
    }

    /// Do these settings lead the same way?
    pub(super) fn is_of(&self, settings: &FetchSettings) -> bool {
        self.allow == settings.allow
            && self.connect_timeout == settings.connect_timeout
            && self.certificates == settings.certificates
            && self.proxy == (settings.proxy.clone(), settings.proxy_resolves)
    }

    fn refusal(&self, address: IpAddr) -> Option<String> {
        refusal(address, &self.allow).map(|why| refused_message(&address.to_string(), address, why))
    }
}

/// What is refused and why, and what a person writes who wants it all the same.
pub(super) fn refused_message(what: &str, address: IpAddr, why: &str) -> String {
    let network = match address {
        IpAddr::V4(address) => format!("{address}/32"),
        IpAddr::V6(address) => format!("{address}/128"),
    };
    format!(
        "{what} is refused ({why}); to fetch from it all the same, say --allow {network}, or allow = [\"{network}\"] \
         under [fetch] in a file"
    )
}

/// A connection, ready for HTTP.
pub(super) struct Dialed {
    pub(super) stream: Box<dyn Duplex>,
    pub(super) is_http2: bool,
    /// The machine at its end, where we know it.
    pub(super) address: Option<IpAddr>,
    /// The proxy that is given the requests themselves.
    pub(super) forwarder: Option<Proxy>,
}

/// Connects to the server of an address, by its proxy if it has one.
pub(super) async fn dial(
    doors: &Arc<Doors>,
    way: &Arc<Way>,
    url: &Url,
    deadline: Instant,
) -> Result<Dialed, Broken> {
    let (stream, address, forwarder) = match way.proxies.of_url(url) {
        None => {
            let addresses = checked(doors, way, url, deadline).await?;
            let (stream, address) = connect(doors, way, addresses, deadline).await?;
            (stream, Some(address), None)
        }
        Some(proxy) => {
            let (stream, address) = by_proxy(doors, way, url, &proxy, deadline).await?;
            (stream, address, proxy.forwards(url).then_some(proxy))
        }
    };
    if url.scheme() != "https" {
        return Ok(Dialed { stream, is_http2: false, address, forwarder });
    }
    let stream = tls::wrap(way.tls.clone(), url.host_str().unwrap_or_default(), stream).await?;
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok(Dialed { stream: Box::new(stream), is_http2, address, forwarder })
}

/// A connection to the server by a proxy, and the server's address, if we chose it.
async fn by_proxy(
    doors: &Arc<Doors>,
    way: &Arc<Way>,
    url: &Url,
    proxy: &Proxy,
    deadline: Instant,
) -> Result<(Box<dyn Duplex>, Option<IpAddr>), Broken> {
    let has_name = matches!(url.host(), Some(Host::Domain(_)));
    if proxy.forwards(url) {
        if !(proxy.resolves && has_name) {
            checked(doors, way, url, deadline).await?;
        }
        return Ok((to_proxy(doors, way, proxy, deadline).await?, None));
    }
    let port = url.port_or_known_default().unwrap_or_default();
    if proxy.resolves && has_name {
        let stream = to_proxy(doors, way, proxy, deadline).await?;
        let host = url.host_str().unwrap_or_default();
        return Ok((tunnel(stream, proxy, host, port).await?, None));
    }
    let mut failed = Broken::Io(io::ErrorKind::TimedOut.into());
    for address in checked(doors, way, url, deadline).await? {
        let stream = to_proxy(doors, way, proxy, deadline).await?;
        let host = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        match tunnel(stream, proxy, &host, port).await {
            Ok(stream) => return Ok((stream, Some(address.ip()))),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// A connection to a proxy. Whoever names it in settings or the environment knows where it is: its address is not
/// checked.
async fn to_proxy(
    doors: &Arc<Doors>,
    way: &Arc<Way>,
    proxy: &Proxy,
    deadline: Instant,
) -> Result<Box<dyn Duplex>, Broken> {
    let (host, port) = (proxy.host().to_owned(), proxy.port());
    let failed = |broken: Broken| match broken {
        Broken::Io(error) if error.kind() != io::ErrorKind::TimedOut => at_proxy(proxy, &error),
        other => other,
    };
    let found = resolve(doors, host.clone(), deadline).await.map_err(failed)?;
    let addresses = found.into_iter().take(MOST_ADDRESSES).map(|ip| SocketAddr::new(ip, port));
    let (stream, _) = connect(doors, way, addresses.collect(), deadline).await.map_err(failed)?;
    if proxy.speech != (Speech::Http { is_encrypted: true }) {
        return Ok(stream);
    }
    let stream = tls::wrap(tls::without_http2(&way.tls), &host, stream).await;
    Ok(Box::new(stream.map_err(|error| at_proxy(proxy, &error))?))
}

/// Asks a proxy for a way through it.
async fn tunnel(
    stream: Box<dyn Duplex>,
    proxy: &Proxy,
    host: &str,
    port: u16,
) -> Result<Box<dyn Duplex>, Broken> {
    let to = format!("https://{host}:{port}/").parse::<Uri>();
    let to = to.map_err(|error| Broken::Protocol(error.to_string()))?;
    let made = Made(Some(TokioIo::new(stream)));
    let through = match proxy.speech {
        Speech::Http { .. } => {
            let mut tunnel = Tunnel::new(proxy.uri.clone(), made);
            if let Some(pass) = proxy.authorization() {
                tunnel = tunnel.with_auth(pass.clone());
            }
            tunnel.call(to).await.map_err(|error| at_proxy(proxy, &error))
        }
        Speech::Socks5 => {
            let mut socks = SocksV5::new(proxy.uri.clone(), made);
            if let Some((name, password)) = proxy.login() {
                socks = socks.with_auth(name.to_owned(), password.to_owned());
            }
            socks.call(to).await.map_err(|error| at_proxy(proxy, &error))
        }
    };
    Ok(through?.into_inner())
}

fn at_proxy(proxy: &Proxy, error: &dyn std::error::Error) -> Broken {
    let mut message = format!("{}: {error}", proxy.name());
    let mut source = error.source();
    while let Some(below) = source {
        message.push_str(&format!(": {below}"));
        source = below.source();
    }
    Broken::Io(io::Error::other(message))
}

/// A connection that is made already, for those who want to be told how to make it.
struct Made(Option<TokioIo<Box<dyn Duplex>>>);

impl Service<Uri> for Made {
    type Response = TokioIo<Box<dyn Duplex>>;
    type Error = io::Error;
    type Future = Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(self.0.take().ok_or_else(|| io::ErrorKind::NotConnected.into()))
    }
}

/// The addresses behind the host of a URL that we may connect to.
async fn checked(
    doors: &Arc<Doors>,
    way: &Way,
    url: &Url,
    deadline: Instant,
) -> Result<Vec<SocketAddr>, Broken> {
    let port = url.port_or_known_default().unwrap_or_default();
    let found = match url.host() {
        Some(Host::Ipv4(address)) => vec![address.into()],
        Some(Host::Ipv6(address)) => vec![address.into()],
        Some(Host::Domain(name)) => resolve(doors, name.to_owned(), deadline).await?,
        None => Vec::new(),
    };
    let open = found.iter().filter(|address| way.refusal(**address).is_none());
    let open: Vec<_> = open.take(MOST_ADDRESSES).map(|ip| SocketAddr::new(*ip, port)).collect();
    if !open.is_empty() {
        return Ok(open);
    }
    Err(match found.first().and_then(|first| way.refusal(*first)) {
        Some(message) => Broken::Refused(message),
        None => Broken::Io(io::Error::other("its name has no address")),
    })
}

/// All addresses of a name.
async fn resolve(
    doors: &Arc<Doors>,
    name: String,
    deadline: Instant,
) -> Result<Vec<IpAddr>, Broken> {
    if let Ok(address) = name.parse() {
        return Ok(vec![address]);
    }
    let doors = doors.clone();
    aside(move || {
        let left = deadline.saturating_duration_since(Instant::now());
        doors.resolver.resolve(&name, left).map_err(|error| unresolved(&name, error))
    })
    .await
}

/// The same error, with the name in it.
fn unresolved(name: &str, error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::TimedOut {
        return error;
    }
    let message = error.to_string();
    let why = message.strip_prefix("failed to lookup address information: ").unwrap_or(&message);
    io::Error::new(error.kind(), format!("no address is known for the name `{name}` ({why})"))
}

/// Connects to the first of these addresses that answers.
async fn connect(
    doors: &Arc<Doors>,
    way: &Arc<Way>,
    addresses: Vec<SocketAddr>,
    deadline: Instant,
) -> Result<(Box<dyn Duplex>, IpAddr), Broken> {
    let deadline = deadline.min(Instant::now() + way.connect_timeout);
    let doors = doors.clone();
    let (stream, address) = aside(move || first(&*doors.connector, &addresses, deadline)).await?;
    let stream: Box<dyn Duplex> = match stream.socket() {
        Some(socket) => {
            let socket = socket?;
            socket.set_nonblocking(true)?;
            Box::new(tokio::net::TcpStream::from_std(socket)?)
        }
        None => Box::new(Asked::new(stream)),
    };
    Ok((stream, address))
}

fn first(
    connector: &dyn Connect,
    addresses: &[SocketAddr],
    deadline: Instant,
) -> io::Result<(Box<dyn Stream>, IpAddr)> {
    let mut last = io::Error::from(io::ErrorKind::TimedOut);
    for (index, address) in addresses.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        // Each gets its part of what is left, or one that never answers would take all of it.
        let part = left / (addresses.len() - index) as u32;
        if part.is_zero() {
            break;
        }
        match connector.connect(*address, part) {
            Ok(stream) => return Ok((stream, address.ip())),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Does work that waits, on a thread that may.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Broken> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(io::Error::other)??)
}
