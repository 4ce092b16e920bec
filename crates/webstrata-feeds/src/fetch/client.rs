//! Requests over connections that are used again, by hyper: HTTP/1.1, and HTTP/2 where a server offers it.
//!
//! Callers wait on threads of their own. One thread of a runtime does what goes over all connections.

use std::error::Error as _;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::runtime::{Builder, Runtime};
use url::Url;
use webstrata_archive::fields::Fields;

use super::connect::{Connect, Resolve};
use super::dial::{Dialed, Doors, Way, dial};
use super::pool::{Key, Line, Pool, Sender};
use super::settings::FetchSettings;
use super::tap::Tap;
use super::wire::{self, Broken, Call, Exchange, Limit, MOST_HEAD};
use crate::Error;

/// Fields of a head.
const MOST_FIELDS: usize = 1024;

/// Bytes of a body that nobody wants which are read so that its connection can be used again, and how long for.
const MOST_DRAINED: u64 = 64 * 1024;
const LONGEST_DRAIN: Duration = Duration::from_millis(500);

/// How long a connection may take to be ready for the next request.
const LONGEST_PARKING: Duration = Duration::from_millis(100);

/// Bytes that a server may send of one body over HTTP/2, and of all of a connection's, before we took them.
const WINDOW: u32 = 1 << 20;
const WINDOW_OF_ALL: u32 = 4 << 20;

/// Sends requests.
pub(super) struct Client {
    runtime: Option<Runtime>,
    shared: Arc<Shared>,
    environment_counts: bool,
    ways: Mutex<Vec<Arc<Way>>>,
}

struct Shared {
    doors: Arc<Doors>,
    pool: Arc<Pool>,
}

/// One request, how much of its answer is wanted, and until when.
pub(super) struct Task {
    pub(super) call: Call,
    pub(super) way: Arc<Way>,
    pub(super) limit: Limit,
    pub(super) deadline: Instant,
}

impl Client {
    pub(super) fn new(
        resolver: Box<dyn Resolve>,
        connector: Box<dyn Connect>,
        environment_counts: bool,
    ) -> Result<Client, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("fetcher")
            .enable_io()
            .enable_time()
            .build()
            .map_err(Error::new)?;
        let doors = Arc::new(Doors { resolver, connector });
        let shared = Arc::new(Shared { doors, pool: Arc::default() });
        Ok(Client { runtime: Some(runtime), shared, environment_counts, ways: Mutex::default() })
    }

    /// Where these settings let connections lead.
    pub(super) fn way(&self, settings: &FetchSettings) -> Result<Arc<Way>, Error> {
        let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(way) = ways.iter().find(|way| way.is_of(settings)) {
            return Ok(way.clone());
        }
        let way = Arc::new(Way::new(ways.len(), settings, self.environment_counts)?);
        ways.push(way.clone());
        Ok(way)
    }

    /// Sends a request and waits for the answer.
    pub(super) fn exchange(&self, task: Task) -> Result<Exchange, Broken> {
        let ended = || Broken::Io(io::Error::other("the request has ended without an answer"));
        let runtime = self.runtime.as_ref().ok_or_else(ended)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let shared = self.shared.clone();
        runtime.spawn(async move {
            let deadline = task.deadline.into();
            let answered = tokio::time::timeout_at(deadline, shared.exchange(&task)).await;
            let late = |_| Err(Broken::Io(io::ErrorKind::TimedOut.into()));
            // Whoever does not listen any more has gone.
            let _ = sender.send(answered.unwrap_or_else(late));
        });
        receiver.recv().unwrap_or_else(|_| Err(ended()))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Also where waiting is not allowed, as within a server's own runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Why there is no answer, and whether the server had begun one.
struct Unanswered {
    why: Broken,
    had_begun: bool,
}

impl Shared {
    async fn exchange(&self, task: &Task) -> Result<Exchange, Broken> {
        let key = key(&task.way, &task.call.url);
        // A server may close a connection while the next request is on its way to it. A request that got no byte
        // of an answer over a connection that was used before is sent once more (RFC 9110, section 9.2.2). Posts
        // say who they are, so that they can be told apart where they came twice.
        while let Some(line) = self.pool.take(&key) {
            match self.send(&key, line, task).await {
                Err(Unanswered { had_begun: false, .. }) => self.pool.forget(&key),
                answered => return answered.map_err(|unanswered| unanswered.why),
            }
        }
        let dialed = dial(&self.doors, &task.way, &task.call.url, task.deadline).await?;
        let line = open(dialed).await.map_err(|error| broken(&error, Part::Head))?;
        if let Some(shared) = line.shared() {
            self.pool.keep(&key, shared);
        }
        self.send(&key, line, task).await.map_err(|unanswered| unanswered.why)
    }

    /// Sends a request over a connection, reads the answer, and keeps the connection if it can be used again.
    async fn send(&self, key: &Key, line: Line, task: &Task) -> Result<Exchange, Unanswered> {
        let Line { sender, address, forwarder } = line;
        match sender {
            Sender::Http1(mut sender, heard) => {
                heard.begin();
                let unanswered = |why| Unanswered { why, had_begun: heard.has_begun() };
                let request = task.call.http1(forwarder.as_ref()).map_err(unanswered)?;
                let response = sender.send_request(request).await;
                let response = response.map_err(|error| unanswered(broken(&error, Part::Head)))?;
                let (request, head) = heard.take();
                let (status, body) = (response.status(), response.into_body());
                let exchange = Exchange { address, ..exchange(status, request, head) };
                let (exchange, is_whole) = read(exchange, body, task.limit)
                    .await
                    .map_err(|why| Unanswered { why, had_begun: true })?;
                if is_whole && is_ready(&mut sender).await {
                    let sender = Sender::Http1(sender, heard);
                    self.pool.keep(key, Line { sender, address, forwarder });
                }
                Ok(exchange)
            }
            Sender::Http2(mut sender) => {
                let unanswered = |why| Unanswered { why, had_begun: false };
                let request = task.call.http2().map_err(unanswered)?;
                let response = sender.send_request(request).await;
                let response = response.map_err(|error| unanswered(broken(&error, Part::Head)))?;
                let head = head(&response);
                let (status, body) = (response.status(), response.into_body());
                let exchange = Exchange { address, ..exchange(status, task.call.head(), head) };
                let (exchange, _) = read(exchange, body, task.limit)
                    .await
                    .map_err(|why| Unanswered { why, had_begun: true })?;
                Ok(exchange)
            }
        }
    }
}

fn key(way: &Way, url: &Url) -> Key {
    Key {
        way: way.id,
        is_secure: url.scheme() == "https",
        host: url.host_str().unwrap_or_default().to_owned(),
        port: url.port_or_known_default().unwrap_or_default(),
    }
}

/// Begins to speak HTTP over a connection.
async fn open(dialed: Dialed) -> hyper::Result<Line> {
    let Dialed { stream, is_http2, address, forwarder } = dialed;
    if is_http2 {
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW_OF_ALL)
            .max_header_list_size(MOST_HEAD as u32)
            .handshake(TokioIo::new(stream))
            .await?;
        tokio::spawn(connection);
        return Ok(Line { sender: Sender::Http2(sender), address, forwarder });
    }
    let (tap, heard) = Tap::new(stream);
    let (sender, connection) = http1::Builder::new()
        // What browsers pass over.
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .title_case_headers(true)
        .max_headers(MOST_FIELDS)
        .max_buf_size(MOST_HEAD)
        .handshake(TokioIo::new(tap))
        .await?;
    tokio::spawn(connection);
    Ok(Line { sender: Sender::Http1(sender, heard), address, forwarder })
}

/// Is the connection free for the next request?
async fn is_ready(sender: &mut http1::SendRequest<wire::Payload>) -> bool {
    let ready = tokio::time::timeout(LONGEST_PARKING, sender.ready()).await;
    matches!(ready, Ok(Ok(())))
}

/// The head of an answer over HTTP/2, in the notation of HTTP/1.1.
fn head(response: &Response<Incoming>) -> Vec<u8> {
    let status = response.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let line = format!("HTTP/1.1 {} {reason}", status.as_u16());
    wire::head(line.trim_end(), response.headers())
}

fn exchange(status: StatusCode, request: Vec<u8>, head: Vec<u8>) -> Exchange {
    let (fields, _) = Fields::parse(&head);
    let fields = fields.iter().collect();
    Exchange { status: status.as_u16(), request, head, fields, ..Exchange::default() }
}

/// Reads the body of an answer. Says with it whether all of it has been read, so that the connection is free.
async fn read(
    exchange: Exchange,
    mut body: Incoming,
    limit: Limit,
) -> Result<(Exchange, bool), Broken> {
    // Nobody reads the bodies of redirects and of errors.
    if !(200..300).contains(&exchange.status) {
        return Ok((exchange, drain(body).await));
    }
    if body.size_hint().lower() > limit.body as u64 && !limit.cuts {
        return Err(Broken::TooLarge);
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = match frame {
            // Fields that follow a body are nobody's business.
            Ok(frame) => frame.into_data().unwrap_or_default(),
            // A connection that breaks is not an error here: what came came.
            Err(error) => match broken(&error, Part::Body) {
                Broken::Io(_) if !bytes.is_empty() => {
                    return Ok((Exchange { body: bytes, is_cut: true, ..exchange }, false));
                }
                why => return Err(why),
            },
        };
        let room = limit.body - bytes.len();
        if data.len() > room && !limit.cuts {
            return Err(Broken::TooLarge);
        }
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return Ok((Exchange { body: bytes, is_cut: true, ..exchange }, false));
        }
    }
    Ok((Exchange { body: bytes, ..exchange }, true))
}

/// Reads a body that nobody wants, if it is short.
async fn drain(mut body: Incoming) -> bool {
    if body.size_hint().lower() > MOST_DRAINED {
        return false;
    }
    let reading = async {
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return false };
            read += frame.data_ref().map_or(0, |data| data.len() as u64);
            if read > MOST_DRAINED {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(LONGEST_DRAIN, reading).await.unwrap_or(false)
}

/// What is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Body,
}

/// What an error of hyper means to us.
fn broken(error: &hyper::Error, part: Part) -> Broken {
    if error.is_parse_status() {
        return Broken::Protocol("its answer has no status".into());
    }
    if error.is_parse() {
        return Broken::Protocol(format!("its answer is no HTTP that we understand ({error})"));
    }
    if error.is_incomplete_message() {
        let message = "the connection ended before the answer";
        return Broken::Io(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(below) = source {
        message = below.to_string();
        if let Some(io) = below.downcast_ref::<io::Error>() {
            type Inner = dyn std::error::Error + Send + Sync;
            let is_tls = io.get_ref().is_some_and(Inner::is::<rustls::Error>);
            return match io.kind() {
                _ if is_tls => Broken::Io(io::Error::other(message)),
                // How hyper says that chunks are none, and that there is too much between them.
                io::ErrorKind::InvalidInput => Broken::Protocol("its chunks are broken".into()),
                io::ErrorKind::InvalidData if part == Part::Head => Broken::Protocol(message),
                io::ErrorKind::InvalidData => Broken::TooLarge,
                kind => Broken::Io(io::Error::new(kind, message)),
            };
        }
        source = below.source();
    }
    Broken::Io(io::Error::other(message))
}
