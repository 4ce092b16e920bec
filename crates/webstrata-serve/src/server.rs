//! Connections: accepted, bounded in their heads and their time, and brought to an end.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, TcpListener};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};
use tower::ServiceExt;

use crate::Error;
use crate::answers::Peer;
use crate::app::{self, App};
use crate::body::too_slow;
use crate::metrics::Broken;
use crate::refusal::Refusal;
use crate::settings::{Limits, ServerSettings};

/// How long accepting rests where the machine has no more connections to give.
const REST: Duration = Duration::from_millis(50);

/// How long a connection is read on after its last answer. Were it closed at once while the client is
/// still sending, the answer would be lost on its way.
const LINGER: Duration = Duration::from_secs(1);

/// Serves until SIGINT or SIGTERM. A second signal ends it without waiting for running requests.
pub fn run(settings: ServerSettings, listener: TcpListener) -> Result<(), Error> {
    run_with_callback(settings, listener, || {})
}

/// The same, and calls `ready` when the settings are good and requests will be answered.
pub fn run_with_callback(
    settings: ServerSettings,
    listener: TcpListener,
    ready: impl FnOnce(),
) -> Result<(), Error> {
    let app = App::new(settings, listener.local_addr()?.ip())?;
    ready();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::new()?;
        let (stop, mut stopped) = mpsc::channel::<()>(1);
        let server = serve_app(app, listener, async move {
            let _ = stopped.recv().await;
        });
        let mut server = pin!(server);
        tokio::select! {
            ended = &mut server => return ended,
            () = signals.next() => drop(stop),
        }
        tokio::select! {
            ended = &mut server => ended,
            () = signals.next() => Ok(()),
        }
    });
    // Pages that are still worked on are not waited for: their clients have gone.
    runtime.shutdown_background();
    served
}

#[cfg(unix)]
struct Signals(tokio::signal::unix::Signal, tokio::signal::unix::Signal);

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Signals, Error> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals(signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.0.recv() => {}
            _ = self.1.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Result<Signals, Error> {
        Ok(Signals)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Serves until `shutdown` is over. Then no connection is accepted any more, and what is under way is
/// finished, but no longer than [`Limits::grace`] is waited for it.
pub async fn serve(
    settings: ServerSettings,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let app = App::new(settings, listener.local_addr()?.ip())?;
    serve_app(app, listener, shutdown).await
}

async fn serve_app(
    app: Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (router, http) = (app::router(&app), http(&app.settings.limits));
    let server = Arc::new(Server { router, http, crowds: Arc::default(), app });
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = server.accept(&listener) => accepted,
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
        };
        let Some((stream, permits)) = accepted else { continue };
        let server = server.clone();
        connections.spawn(async move {
            server.connection(stream).await;
            drop(permits);
        });
    }
    drop(listener);
    server.app.ending.send_replace(true);
    let all_over = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(server.app.settings.limits.grace, all_over).await;
    connections.shutdown().await;
    Ok(())
}

fn http(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_headers(limits.fields)
        .max_header_size(limits.head)
        .max_buf_size(limits.head.max(64 << 10))
        // A client that has closed its end has gone: its work stops, those who wait come sooner.
        .half_close(false);
    http
}

struct Server {
    app: Arc<App>,
    router: Router,
    http: http1::Builder,
    crowds: Arc<ConnectionCounts>,
}

/// What a connection holds: its place among all, and among those of its address.
type Permits = (OwnedSemaphorePermit, CountedConnection);

impl Server {
    /// The next connection, as soon as there may be one more.
    async fn accept(&self, listener: &tokio::net::TcpListener) -> Option<(TcpStream, Permits)> {
        let permit = self.app.connections.clone().acquire_owned().await.ok()?;
        let Ok((stream, peer)) = listener.accept().await else {
            sleep(REST).await;
            return None;
        };
        let most = self.app.settings.limits.per_address;
        let Some(place) = self.crowds.enter(peer.ip(), most) else {
            self.app.metrics.broken(Broken::Crowd);
            let refusal = Refusal::busy("too many connections come from this address");
            // It fits into the empty buffer of a new connection. If not, it is dropped.
            let _ = stream.try_write(&raw_response(&refusal));
            return None;
        };
        Some((stream, (permit, place)))
    }

    async fn connection(&self, stream: TcpStream) {
        let mut ending = self.app.ending.subscribe();
        let peer = stream.peer_addr().ok().map(|peer| Peer(peer.ip()));
        // Answers are written whole; waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(TimedStream::new(stream, &self.app.settings.limits));
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            self.router.clone().oneshot(request.map(Body::new))
        });
        let mut connection = self.http.serve_connection(io, service);
        let mut over = poll_fn(|cx| connection.poll_without_shutdown(cx));
        let first = tokio::select! {
            ended = &mut over => Some(ended),
            _ = ending.wait_for(|ending| *ending) => None,
        };
        let ended = match first {
            Some(ended) => ended,
            None => {
                Pin::new(&mut connection).graceful_shutdown();
                poll_fn(|cx| connection.poll_without_shutdown(cx)).await
            }
        };
        let parts = connection.into_parts();
        let mut stream = parts.io.into_inner();
        if let Err(error) = ended
            && let Some(broken) = broken(&error, !parts.read_buf.is_empty())
        {
            self.app.metrics.broken(broken);
            if broken == Broken::Slow {
                let _ = stream.write_all(&raw_response(&too_slow("the head"))).await;
            }
        }
        let _ = timeout(LINGER, linger(&mut stream)).await;
    }
}

/// What is wrong with a head. Who is silent after an answer just has no more to ask.
fn broken(error: &hyper::Error, has_begun: bool) -> Option<Broken> {
    if error.is_timeout() {
        return has_begun.then_some(Broken::Slow);
    }
    if error.is_parse_too_large() {
        return Some(Broken::Large);
    }
    error.is_parse().then_some(Broken::Wrong)
}

/// An answer without a request, which hyper cannot make.
fn raw_response(refusal: &Refusal) -> Vec<u8> {
    let json = refusal.json();
    let head = format!(
        "HTTP/1.1 {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        refusal.status,
        json.len()
    );
    [head.as_bytes(), &json].concat()
}

/// How many connections each address has.
#[derive(Default)]
struct ConnectionCounts(Mutex<HashMap<IpAddr, usize>>);

/// A connection of an address.
struct CountedConnection(Arc<ConnectionCounts>, IpAddr);

impl ConnectionCounts {
    fn enter(
        self: &Arc<ConnectionCounts>,
        address: IpAddr,
        most: usize,
    ) -> Option<CountedConnection> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(CountedConnection(self.clone(), address))
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let mut counts = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.1);
            }
        }
    }
}

/// Ends a connection so that the client can still read the answer.
async fn linger(stream: &mut TimedStream) -> io::Result<()> {
    const MOST: u64 = 1 << 20;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(MOST), &mut tokio::io::sink()).await?;
    Ok(())
}

/// A connection that is closed if the client reads too slowly.
struct TimedStream {
    stream: TcpStream,
    /// How long writes may wait at most, how long they may still, and the bytes that a client takes for a second
    /// more. What was taken long ago gives nobody more than the most.
    patience: Duration,
    left: Duration,
    rate: usize,
    /// Since when a write waits, and until when it may.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl TimedStream {
    fn new(stream: TcpStream, limits: &Limits) -> TimedStream {
        let (patience, rate) = (limits.write_time, limits.rate);
        TimedStream { stream, patience, left: patience, rate, waiting: None }
    }

    fn check_progress<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if let Some((since, _)) = self.waiting.take() {
                self.left = self.left.saturating_sub(since.elapsed());
            }
            return written;
        }
        let left = self.left;
        let (_, until) =
            self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        until.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let written = self.check_progress(cx, written);
        if let Poll::Ready(Ok(bytes)) = written {
            let earned = Duration::from_secs_f64(bytes as f64 / self.rate as f64);
            self.left = self.patience.min(self.left + earned);
        }
        written
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.check_progress(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
