//! A request and its response, whatever version of HTTP carries them.

use std::io;
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri, Version};
use url::{Position, Url};

use super::proxy::Proxy;
use super::response::Validators;
use super::settings::FetchSettings;
use crate::dates;

/// Bytes of a response's head; browsers take a few times that, servers send one or two thousand.
pub(super) const MOST_HEAD: usize = 64 * 1024;

/// The longest that a server's `Retry-After` counts.
const LONGEST_RETRY: Duration = Duration::from_secs(24 * 60 * 60);

/// Fields of settings that tell nobody's secrets.
const OPEN: [&str; 2] = ["Accept", "Accept-Language"];

const ACCEPT: &str = "text/html,application/xhtml+xml,application/atom+xml,application/rss+xml,\
                      application/feed+json,application/xml;q=0.9,*/*;q=0.8";

/// Did this fail because of the time it took?
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The body of a request.
pub(super) type Payload = Full<Bytes>;

/// How much of a body is wanted.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) body: usize,
    /// A longer body is cut off instead of refused.
    pub(super) cuts: bool,
}

/// Why there is no response.
#[derive(Debug)]
pub(super) enum Broken {
    Io(io::Error),
    TooLarge,
    /// This is no HTTP.
    Protocol(String),
    /// It leads where we do not go.
    Refused(String),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::Io(error)
    }
}

/// A request and its response.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub(super) request: Vec<u8>,
    pub(super) status: u16,
    /// The head as it came.
    pub(super) head: Vec<u8>,
    pub(super) fields: Vec<(String, String)>,
    /// The body without chunks, still in its content encodings.
    pub(super) body: Vec<u8>,
    /// It has not come as a whole.
    pub(super) is_cut: bool,
    pub(super) address: Option<IpAddr>,
}

impl Exchange {
    fn field(&self, name: &str) -> Option<&str> {
        let named = |(field, _): &&(String, String)| field.eq_ignore_ascii_case(name);
        self.fields.iter().find(named).map(|(_, value)| value.as_str()).filter(|it| !it.is_empty())
    }

    /// Where it leads, if it leads elsewhere.
    pub(super) fn redirect(&self) -> Option<String> {
        let leads = matches!(self.status, 301 | 302 | 303 | 307 | 308);
        self.field("Location").filter(|_| leads).map(str::to_owned)
    }

    pub(super) fn validators(&self) -> Validators {
        let owned = |name| self.field(name).map(str::to_owned);
        Validators { etag: owned("ETag"), last_modified: owned("Last-Modified") }
    }

    /// How long the server wants to be left alone: seconds, or until a date; but a day at most.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        retry_after(self.field("Retry-After")?, now).map(|after| after.min(LONGEST_RETRY))
    }

    /// `404 Not Found`, as far as it is short and plain.
    pub(super) fn status_line(&self) -> String {
        let line = self.head.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let reason = line.splitn(3, ' ').nth(2).unwrap_or_default();
        let reason: String = reason.chars().filter(|c| !c.is_control()).take(60).collect();
        format!("{} {}", self.status, reason.trim()).trim().to_owned()
    }
}

fn retry_after(value: &str, now: Duration) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<u64>() {
        // A span that cannot be added to a time is a joke.
        return Some(Duration::from_secs(seconds.min(u64::from(u32::MAX))));
    }
    let until = u64::try_from(dates::parse(value)?).ok()?;
    Some(Duration::from_secs(until).saturating_sub(now))
}

/// What is asked of a server.
#[derive(Clone, Debug)]
pub(super) struct Call {
    method: Method,
    pub(super) url: Url,
    fields: HeaderMap,
    body: Bytes,
}

impl Call {
    /// The request for an address. The fields of the settings may be secrets: others do not get them.
    pub(super) fn get(
        url: &Url,
        validators: &Validators,
        settings: &FetchSettings,
        is_trusted: bool,
    ) -> Call {
        let mut call = Call::new(Method::GET, url, settings);
        let is_own = |name: &str| settings.headers.keys().any(|own| own.eq_ignore_ascii_case(name));
        if !is_own("Accept") {
            call.add("Accept", ACCEPT);
        }
        call.add("Accept-Encoding", "gzip, deflate, br, zstd");
        for (name, value) in &settings.headers {
            if is_trusted || OPEN.iter().any(|open| name.eq_ignore_ascii_case(open)) {
                call.add(name, value);
            }
        }
        // What a server said comes back as it was, unless it would be a field of its own.
        let plain = |value: &&String| !value.chars().any(char::is_control);
        if let Some(etag) = validators.etag.as_ref().filter(plain) {
            call.add("If-None-Match", etag);
        }
        if let Some(date) = validators.last_modified.as_ref().filter(plain) {
            call.add("If-Modified-Since", date);
        }
        call
    }

    /// The request that takes a body to an address, with these fields and those of the settings.
    pub(super) fn post(
        url: &Url,
        fields: &[(&str, &str)],
        settings: &FetchSettings,
        body: &[u8],
    ) -> Call {
        let mut call = Call::new(Method::POST, url, settings);
        let own = settings.headers.iter().map(|(name, value)| (&**name, &**value));
        for (name, value) in fields.iter().copied().chain(own) {
            call.add(name, value);
        }
        Call { body: Bytes::copy_from_slice(body), ..call }
    }

    fn new(method: Method, url: &Url, settings: &FetchSettings) -> Call {
        let (fields, body) = (HeaderMap::new(), Bytes::new());
        let mut call = Call { method, url: url.clone(), fields, body };
        call.add("Host", &url[Position::BeforeHost..Position::AfterPort]);
        call.add("User-Agent", &settings.user_agent);
        call
    }

    /// Settings are checked before; what is no field all the same is left out.
    fn add(&mut self, name: &str, value: &str) {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
            self.fields.append(name, value);
        }
    }

    /// As HTTP/1.1 has it; with the whole address, where a proxy forwards it.
    pub(super) fn http1(&self, forwarder: Option<&Proxy>) -> Result<Request<Payload>, Broken> {
        let start = if forwarder.is_some() { Position::BeforeScheme } else { Position::BeforePath };
        let mut request = self.request(&self.url[start..Position::AfterQuery])?;
        if let Some(pass) = forwarder.and_then(Proxy::authorization) {
            request.headers_mut().insert(hyper::header::PROXY_AUTHORIZATION, pass.clone());
        }
        Ok(request)
    }

    /// As HTTP/2 has it, where the address stands in fields of its own.
    pub(super) fn http2(&self) -> Result<Request<Payload>, Broken> {
        let mut request = self.request(&self.url[Position::BeforeScheme..Position::AfterQuery])?;
        *request.version_mut() = Version::HTTP_2;
        request.headers_mut().remove(hyper::header::HOST);
        Ok(request)
    }

    fn request(&self, target: &str) -> Result<Request<Payload>, Broken> {
        let uri = target.parse::<Uri>();
        let uri = uri.map_err(|error| Broken::Protocol(format!("cannot be asked for: {error}")))?;
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = self.fields.clone();
        Ok(request)
    }

    /// The head of this request in the notation of HTTP/1.1, which archives keep also of what HTTP/2 carried.
    pub(super) fn head(&self) -> Vec<u8> {
        let target = &self.url[Position::BeforePath..Position::AfterQuery];
        head(&format!("{} {target} HTTP/1.1", self.method), &self.fields)
    }
}

/// A head in the notation of HTTP/1.1.
pub(super) fn head(line: &str, fields: &HeaderMap) -> Vec<u8> {
    let mut head = format!("{line}\r\n").into_bytes();
    for (name, value) in fields {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}
