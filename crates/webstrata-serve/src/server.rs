//! Connections: accepted, bounded in their heads and their time, and brought to an end.

use std::future::{Future, poll_fn};
use std::io;
use std::net::TcpListener;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::time::{Sleep, sleep, timeout};
use tower::ServiceExt;

use crate::Error;
use crate::app::{self, App};
use crate::body::too_slow;
use crate::settings::{Limits, Settings};

/// How long accepting rests where the machine has no more connections to give.
const REST: Duration = Duration::from_millis(50);

/// How long a connection is read on after its last answer. Were it closed at once while the client is
/// still sending, the answer would be lost on its way.
const LINGER: Duration = Duration::from_secs(1);

/// Serves until SIGINT or SIGTERM; a second one does not wait for what is under way.
pub fn run(settings: Settings, listener: TcpListener) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::new()?;
        let (told, mut tell) = mpsc::channel::<()>(1);
        let server = serve(settings, listener, async move {
            let _ = tell.recv().await;
        });
        let mut server = pin!(server);
        tokio::select! {
            ended = &mut server => return ended,
            () = signals.next() => drop(told),
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
    settings: Settings,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let app = App::new(settings, address.ip())?;
    let server =
        Arc::new(Server { router: app::router(&app), http: http(&app.settings.limits), app });
    let (stop, stopped) = watch::channel(());
    // Every connection holds the one end; when all are over, the other end hears of it.
    let (alive, mut all_over) = mpsc::channel::<()>(1);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = server.accept(&listener) => accepted,
            () = &mut shutdown => break,
        };
        let Some((stream, permit)) = accepted else { continue };
        let (server, stopped, alive) = (server.clone(), stopped.clone(), alive.clone());
        tokio::spawn(async move {
            server.connection(stream, stopped).await;
            drop((permit, alive));
        });
    }
    drop((listener, stop, stopped, alive));
    let _ = timeout(server.app.settings.limits.grace, all_over.recv()).await;
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
}

impl Server {
    /// The next connection, as soon as there may be one more.
    async fn accept(
        &self,
        listener: &tokio::net::TcpListener,
    ) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        let permit = self.app.connections.clone().acquire_owned().await.ok()?;
        match listener.accept().await {
            Ok((stream, _)) => Some((stream, permit)),
            Err(_) => {
                sleep(REST).await;
                None
            }
        }
    }

    async fn connection(&self, stream: TcpStream, mut stopped: watch::Receiver<()>) {
        // Answers are written whole; waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(Patient::new(stream, self.app.settings.limits.write_time));
        let service = service_fn(|request: hyper::Request<Incoming>| {
            self.router.clone().oneshot(request.map(Body::new))
        });
        let mut connection = self.http.serve_connection(io, service);
        let mut over = poll_fn(|cx| connection.poll_without_shutdown(cx));
        let first = tokio::select! {
            ended = &mut over => Some(ended),
            _ = stopped.changed() => None,
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
        // Who is silent after an answer just has no more to ask.
        let is_slow = ended.is_err_and(|error| error.is_timeout());
        if is_slow && !parts.read_buf.is_empty() {
            let _ = stream.write_all(&timed_out()).await;
        }
        let _ = timeout(LINGER, linger(&mut stream)).await;
    }
}

/// What is said to those whose head does not come; hyper only closes the connection.
fn timed_out() -> Vec<u8> {
    let json = too_slow("the head").json();
    let head = format!(
        "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        json.len()
    );
    [head.as_bytes(), &json].concat()
}

/// Ends a connection so that the client can still read what was said.
async fn linger(stream: &mut Patient) -> io::Result<()> {
    const MOST: u64 = 1 << 20;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(MOST), &mut tokio::io::sink()).await?;
    Ok(())
}

/// A connection that is given up where the client takes nothing for too long.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// Runs while a write waits.
    giving_up: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, patience: Duration) -> Patient {
        Patient { stream, patience, giving_up: None }
    }

    fn patiently<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.giving_up = None;
            return written;
        }
        let patience = self.patience;
        let giving_up = self.giving_up.get_or_insert_with(|| Box::pin(sleep(patience)));
        giving_up.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.patiently(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.patiently(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.patiently(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
