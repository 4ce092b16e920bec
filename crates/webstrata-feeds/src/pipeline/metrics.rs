//! A very small web server for the numbers of a stream: `/metrics` for Prometheus and `/health`.
//!
//! One connection at a time, each with little time and a short head: whoever connects can delay the
//! numbers, but neither the stream nor its memory.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::status::SharedStatus;

/// The longest that a connection takes, and the longest that the end of the server waits for it.
const LONGEST: Duration = Duration::from_secs(2);
/// Bytes of a request that are read.
const MOST_HEAD: usize = 8 << 10;
/// How often a connection is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The server; it ends when this is dropped.
#[derive(Debug)]
pub struct Metrics {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Metrics {
    /// Listens on an address and serves the status.
    pub fn start(address: SocketAddr, shared_status: SharedStatus) -> io::Result<Metrics> {
        let listener = TcpListener::bind(address)?;
        // So that the thread sees that it is over, also where nobody connects.
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let thread = thread::Builder::new().name("metrics".into()).spawn({
            let stop = stop.clone();
            move || {
                while !stop.load(Ordering::Relaxed) {
                    match listener.accept() {
                        Ok((stream, _)) => drop(serve(stream, &shared_status)),
                        Err(_) => thread::sleep(POLL_INTERVAL),
                    }
                }
            }
        })?;
        Ok(Metrics { address, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Metrics {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut stream: TcpStream, shared_status: &SharedStatus) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(LONGEST))?;
    let head = head(&mut stream)?;
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let (status, kind, body) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => {
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", shared_status.read().metrics())
        }
        ("GET" | "HEAD", "/health") => ("200 OK", "text/plain", "ok\n".into()),
        ("GET" | "HEAD", _) => {
            ("404 Not Found", "text/plain", "not here; try /metrics or /health\n".into())
        }
        _ => ("405 Method Not Allowed", "text/plain", "GET only\n".into()),
    };
    let length = body.len();
    let body = if method == "HEAD" { "" } else { &body };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes())
}

/// The request up to the end of its head, or as much as came in time.
fn head(stream: &mut TcpStream) -> io::Result<String> {
    let end = Instant::now() + LONGEST;
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while head.len() < MOST_HEAD && !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            count => head.extend_from_slice(&part[..count]),
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::status::Status;
    use super::*;

    fn ask(metrics: &Metrics, request: &str) -> String {
        let mut stream = TcpStream::connect(metrics.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn answers() {
        let shared_status = SharedStatus::default();
        let metrics = Metrics::start(([127, 0, 0, 1], 0).into(), shared_status.clone()).unwrap();
        shared_status.set(Status { records: 7, ..Status::default() });
        let answer = ask(&metrics, "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("\nwebstrata_stream_records_total 7\n"), "{answer}");
        assert!(ask(&metrics, "GET /health HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nok\n"));
        assert!(ask(&metrics, "HEAD /health HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n"));
        assert!(ask(&metrics, "GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 404 "));
        assert!(ask(&metrics, "POST /metrics HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 405 "));
        assert!(ask(&metrics, "").starts_with("HTTP/1.1 405 "));
    }
}
