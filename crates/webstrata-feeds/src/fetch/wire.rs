//! One request and its response, as HTTP/1.1 (RFC 9112) has them.
//!
//! Each connection serves one request: hosts are asked seconds apart anyway, and what a server wrote
//! behind its answer can never be taken for the next one.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::IpAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use url::{Position, Url};

use super::connect::Stream;
use super::response::Validators;
use super::settings::FetchSettings;
use crate::dates;
use webstrata_archive::fields::Fields;

/// Bytes of a response's head; browsers take a few times that, servers send one or two thousand.
const MOST_HEAD: usize = 64 * 1024;

/// The longest that a server's `Retry-After` counts.
const LONGEST_RETRY: Duration = Duration::from_secs(24 * 60 * 60);

/// Fields of settings that tell nobody's secrets.
const OPEN: [&str; 2] = ["Accept", "Accept-Language"];

/// Heads before the final one (`100 Continue` and the like).
const MOST_INTERIM: usize = 8;

/// Bytes of the lines between chunks, beyond as many as the body may have.
const MOST_OVERHEAD: usize = 64 * 1024;

/// The longest line before a chunk.
const MOST_LINE: u64 = 4096;

/// Bytes that are read at once.
const BUFFER: usize = 16 * 1024;

const ACCEPT: &str = "text/html,application/xhtml+xml,application/atom+xml,application/rss+xml,\
                      application/feed+json,application/xml;q=0.9,*/*;q=0.8";

/// A stream on which nothing happens after a moment in time.
pub(super) struct Timed {
    stream: Box<dyn Stream>,
    deadline: Instant,
}

impl Timed {
    pub(super) fn new(stream: Box<dyn Stream>, deadline: Instant) -> Timed {
        Timed { stream, deadline }
    }

    fn prepare(&mut self) -> io::Result<()> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        // Whatever comes later comes too late, also if it comes byte by byte.
        if left < Duration::from_millis(1) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_timeout(left)
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.prepare()?;
        self.stream.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.prepare()?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.prepare()?;
        self.stream.flush()
    }
}

/// Did this fail because of the time it took?
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

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

/// The request for an address. The fields of the settings may be secrets: others do not get them.
pub(super) fn request(
    url: &Url,
    validators: &Validators,
    settings: &FetchSettings,
    is_trusted: bool,
) -> Vec<u8> {
    let target = &url[Position::BeforePath..Position::AfterQuery];
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let mut head = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n");
    let mut add = |name: &str, value: &str| {
        head.push_str(&format!("{name}: {value}\r\n"));
    };
    add("User-Agent", &settings.user_agent);
    let is_own = |name: &str| settings.headers.keys().any(|own| own.eq_ignore_ascii_case(name));
    if !is_own("Accept") {
        add("Accept", ACCEPT);
    }
    add("Accept-Encoding", "gzip, deflate, br, zstd");
    for (name, value) in &settings.headers {
        if is_trusted || OPEN.iter().any(|open| name.eq_ignore_ascii_case(open)) {
            add(name, value);
        }
    }
    // What a server said comes back as it was, unless it would be a field of its own.
    let plain = |value: &&String| !value.chars().any(char::is_control);
    if let Some(etag) = validators.etag.as_ref().filter(plain) {
        add("If-None-Match", etag);
    }
    if let Some(date) = validators.last_modified.as_ref().filter(plain) {
        add("If-Modified-Since", date);
    }
    add("Connection", "close");
    head.push_str("\r\n");
    head.into_bytes()
}

/// Sends the request and reads the response.
pub(super) fn exchange(
    mut stream: impl Read + Write,
    request: Vec<u8>,
    limit: Limit,
) -> Result<Exchange, Broken> {
    let sent = stream.write_all(&request).and_then(|()| stream.flush());
    let Err(error) = sent else { return answer(stream, request, limit) };
    // A server may say why it does not want the rest of a long request (413), and hang up.
    let hung_up = [
        io::ErrorKind::BrokenPipe,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::ConnectionAborted,
    ];
    let answered = hung_up.contains(&error.kind()).then(|| answer(stream, request, limit).ok());
    answered.flatten().ok_or(Broken::Io(error))
}

/// Reads the response.
fn answer(stream: impl Read, request: Vec<u8>, limit: Limit) -> Result<Exchange, Broken> {
    let mut reader = BufReader::with_capacity(BUFFER, stream);
    let mut exchange = Exchange { request, ..Exchange::default() };
    for _ in 0..MOST_INTERIM {
        exchange.head = head(&mut reader)?;
        exchange.status = status(&exchange.head)?;
        if !(100..200).contains(&exchange.status) {
            let (fields, _) = Fields::parse(&exchange.head);
            exchange.fields = fields.iter().collect();
            let (body, is_cut) = body(&mut reader, &exchange, limit)?;
            return Ok(Exchange { body, is_cut, ..exchange });
        }
    }
    Err(Broken::Protocol("the server announces an answer and gives none".into()))
}

/// The head, with the empty line that ends it.
fn head(reader: &mut impl BufRead) -> Result<Vec<u8>, Broken> {
    let mut head = Vec::new();
    loop {
        let line = head.len();
        let left = (MOST_HEAD - line) as u64;
        let mut limited = (&mut *reader).take(left);
        limited.read_until(b'\n', &mut head)?;
        // Whatever else answers on this port, what it says need not be waited for.
        let start = &head[..head.len().min(5)];
        if !b"HTTP/".starts_with(start) {
            return Err(Broken::Protocol("the server does not speak HTTP".into()));
        }
        if head.len() >= MOST_HEAD {
            let message = format!("the head of its answer has more than {MOST_HEAD} bytes");
            return Err(Broken::Protocol(message));
        }
        if !head.ends_with(b"\n") {
            let message = "the connection ended before the answer";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message).into());
        }
        if line > 0 && head[line..].trim_ascii().is_empty() {
            return Ok(head);
        }
    }
}

/// The number in `HTTP/1.1 200 OK`.
fn status(head: &[u8]) -> Result<u16, Broken> {
    webstrata_archive::http::status(head)
        .filter(|status| (100..1000).contains(status))
        .ok_or_else(|| Broken::Protocol("its answer has no status".into()))
}

/// The body, by one of the three ways to tell its end (RFC 9112, section 6.3), and whether it was cut off.
fn body(
    reader: &mut impl BufRead,
    exchange: &Exchange,
    limit: Limit,
) -> Result<(Vec<u8>, bool), Broken> {
    // Nobody reads the bodies of redirects and of errors.
    if !(200..300).contains(&exchange.status) || exchange.status == 204 {
        return Ok((Vec::new(), false));
    }
    let transfer = exchange.field("Transfer-Encoding").unwrap_or_default().to_ascii_lowercase();
    match transfer.trim() {
        "chunked" => return chunks(reader, limit),
        "" | "identity" => {}
        _ => return Err(Broken::Protocol(format!("transfer encoding `{transfer}` is not known"))),
    }
    let length = length(exchange)?;
    if length.is_some_and(|length| length > limit.body as u64) && !limit.cuts {
        return Err(Broken::TooLarge);
    }
    let most = length.map_or(limit.body as u64 + 1, |length| length.min(limit.body as u64));
    let mut body = Vec::new();
    let is_broken = read_into(reader, &mut body, most)?;
    if body.len() > limit.body {
        if !limit.cuts {
            return Err(Broken::TooLarge);
        }
        body.truncate(limit.body);
    }
    let is_short = length.is_some_and(|length| (body.len() as u64) < length);
    Ok((body, is_short || is_broken))
}

/// Reads up to so many bytes. A connection that breaks is not an error here: what came came, and whether
/// it is all is the caller's question. `true` if it broke.
fn read_into(reader: &mut impl BufRead, body: &mut Vec<u8>, most: u64) -> Result<bool, Broken> {
    match reader.take(most).read_to_end(body) {
        Ok(_) => Ok(false),
        Err(error) if is_timeout(&error) => Err(error.into()),
        Err(error) if body.is_empty() => Err(error.into()),
        Err(_) => Ok(true),
    }
}

/// What `Content-Length` says. Fields that contradict each other say nothing good about the rest.
fn length(exchange: &Exchange) -> Result<Option<u64>, Broken> {
    let mut lengths = exchange
        .fields
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("Content-Length"))
        .flat_map(|(_, value)| value.split(','))
        .map(|value| value.trim().parse::<u64>());
    let wrong = || Broken::Protocol("its answer has no valid length".into());
    let Some(first) = lengths.next() else { return Ok(None) };
    let first = first.map_err(|_| wrong())?;
    if lengths.any(|other| other != Ok(first)) {
        return Err(wrong());
    }
    Ok(Some(first))
}

/// The chunks put together (RFC 9112, section 7.1).
fn chunks(reader: &mut impl BufRead, limit: Limit) -> Result<(Vec<u8>, bool), Broken> {
    let mut body = Vec::new();
    let mut overhead = 0;
    loop {
        let mut line = Vec::new();
        let is_broken = read_line(reader, &mut line)?;
        overhead += line.len();
        if overhead > limit.body.saturating_add(MOST_OVERHEAD) {
            return Err(Broken::TooLarge);
        }
        if is_broken || !line.ends_with(b"\n") {
            return Ok((body, true));
        }
        let Some(size) = chunk_size(&line) else {
            return Err(Broken::Protocol("its chunks are broken".into()));
        };
        if size == 0 {
            // Fields that follow the chunks are nobody's business.
            return Ok((body, false));
        }
        let room = (limit.body - body.len()) as u64;
        if size > room && !limit.cuts {
            return Err(Broken::TooLarge);
        }
        let before = body.len();
        let is_broken = read_into(reader, &mut body, size.min(room))?;
        let got = (body.len() - before) as u64;
        if is_broken || got < size {
            return Ok((body, true));
        }
        let mut end = Vec::new();
        let is_broken = read_line(reader, &mut end)?;
        if !end.trim_ascii().is_empty() {
            return Err(Broken::Protocol("its chunks are broken".into()));
        }
        if is_broken || end.is_empty() {
            return Ok((body, true));
        }
        overhead += end.len();
    }
}

fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Broken> {
    match reader.take(MOST_LINE).read_until(b'\n', line) {
        Ok(_) => Ok(false),
        Err(error) if is_timeout(&error) => Err(error.into()),
        Err(_) => Ok(true),
    }
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_number)?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that says something and does not listen.
    struct Deaf(&'static [u8], io::ErrorKind);

    impl Read for Deaf {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for Deaf {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.1.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_said_before_hanging_up_is_heard() {
        let limit = Limit { body: 9, cuts: true };
        let refused: &[u8] = b"HTTP/1.1 413 Content Too Large\r\nRetry-After: 999999999\r\n\r\n";
        let answered = exchange(Deaf(refused, io::ErrorKind::BrokenPipe), vec![b'x'; 99], limit);
        let answered = answered.unwrap();
        assert_eq!(answered.status, 413);
        assert_eq!(answered.retry_after(), Some(LONGEST_RETRY));
        for (answer, kind) in [
            (&b""[..], io::ErrorKind::ConnectionReset),
            (b"HTTP/1.1 4", io::ErrorKind::BrokenPipe),
            (refused, io::ErrorKind::TimedOut),
        ] {
            match exchange(Deaf(answer, kind), vec![b'x'; 99], limit) {
                Err(Broken::Io(error)) => assert_eq!(error.kind(), kind),
                other => panic!("{other:?}"),
            }
        }
    }
}
