//! A very small web server for the numbers of a stream: `/metrics` for Prometheus and `/health`.
//!
//! One thread serves many connections, each with little time and a short head: whoever connects and says nothing
//! delays neither the numbers for others nor the stream.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::status::SharedStatus;

/// The longest that a connection takes.
const LONGEST: Duration = Duration::from_secs(2);
/// Connections at a time; of more, the oldest is closed.
const MOST_CONNECTIONS: usize = 128;
/// Bytes of a request that are read.
const MOST_HEAD: usize = 8 << 10;
/// How often a connection is looked for, and how often those that are open are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const BUSY_INTERVAL: Duration = Duration::from_millis(5);

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
            let is_local = address.ip().is_loopback();
            move || {
                let mut connections: Vec<Connection> = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    while let Ok((stream, _)) = listener.accept() {
                        if connections.len() >= MOST_CONNECTIONS {
                            connections.remove(0);
                        }
                        connections.extend(Connection::new(stream).ok());
                    }
                    connections.retain_mut(|connection| {
                        connection.advance(&shared_status, is_local).unwrap_or(false)
                    });
                    let is_idle = connections.is_empty();
                    thread::sleep(if is_idle { POLL_INTERVAL } else { BUSY_INTERVAL });
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

/// A connection: its request as far as it came, then its answer as far as it went.
struct Connection {
    stream: TcpStream,
    since: Instant,
    request: Vec<u8>,
    answer: Option<Vec<u8>>,
    written: usize,
}

impl Connection {
    fn new(stream: TcpStream) -> io::Result<Connection> {
        stream.set_nonblocking(true)?;
        let (since, request) = (Instant::now(), Vec::new());
        Ok(Connection { stream, since, request, answer: None, written: 0 })
    }

    /// Reads and writes what can be without waiting; `false` when it is over.
    fn advance(&mut self, shared_status: &SharedStatus, is_local: bool) -> io::Result<bool> {
        if self.since.elapsed() > LONGEST {
            return Ok(false);
        }
        if self.answer.is_none() && self.is_read()? {
            let head = String::from_utf8_lossy(&self.request);
            self.answer = Some(answer(&head, shared_status, is_local));
        }
        let Some(answer) = &self.answer else { return Ok(true) };
        while self.written < answer.len() {
            match self.stream.write(&answer[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Is the whole head here, or as much of it as will come?
    fn is_read(&mut self) -> io::Result<bool> {
        let mut part = [0; 1024];
        while self.request.len() < MOST_HEAD {
            match self.stream.read(&mut part) {
                Ok(0) => return Ok(true),
                Ok(count) => self.request.extend_from_slice(&part[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        let has_end = self.request.windows(4).any(|four| four == b"\r\n\r\n");
        Ok(has_end || self.request.len() >= MOST_HEAD)
    }
}

fn answer(head: &str, shared_status: &SharedStatus, is_local: bool) -> Vec<u8> {
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let (status, kind, body) = match (method, path) {
        _ if is_local && !is_local_host(head) => {
            ("421 Misdirected Request", "text/plain", "ask by localhost or by an address\n".into())
        }
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
    answer.into_bytes()
}

/// Does the request call us by a name of this machine? A web page could lead a browser here by a name of its own (DNS
/// rebinding). Programs that name no host are none.
fn is_local_host(head: &str) -> bool {
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim().to_owned())
    };
    head.lines().skip(1).filter_map(field).all(|host| {
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port));
        let name = name.map_or(host.as_str(), |(name, _)| name);
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
    })
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
        let answer = ask(&metrics, "GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("\nwebstrata_stream_records_total 7\n"), "{answer}");
        assert!(ask(&metrics, "GET /health HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nok\n"));
        assert!(ask(&metrics, "HEAD /health HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n"));
        assert!(ask(&metrics, "GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 404 "));
        assert!(ask(&metrics, "POST /metrics HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 405 "));
        assert!(ask(&metrics, "").starts_with("HTTP/1.1 405 "));
    }

    #[test]
    fn clients_that_say_nothing_delay_nobody() {
        let metrics = Metrics::start(([127, 0, 0, 1], 0).into(), SharedStatus::default()).unwrap();
        let silent: Vec<TcpStream> =
            (0..60).map(|_| TcpStream::connect(metrics.address()).unwrap()).collect();
        for mut stream in &silent {
            stream.write_all(b"GET /metrics HTTP/1.1\r\nX: ").unwrap();
        }
        assert!(ask(&metrics, "GET /health HTTP/1.0\r\n\r\n").ends_with("ok\n"));
        // They are not served yet: their time is not over.
        for stream in &silent {
            stream.set_nonblocking(true).unwrap();
        }
        assert!(silent.iter().any(|mut stream| stream.read(&mut [0; 9]).is_err()));
        // Nor do many more.
        let more: Vec<_> =
            (0..2 * MOST_CONNECTIONS).map(|_| TcpStream::connect(metrics.address())).collect();
        assert!(ask(&metrics, "GET /health HTTP/1.0\r\n\r\n").ends_with("ok\n"));
        drop(more);
    }

    #[test]
    fn names_of_others_are_refused() {
        for (host, is_known) in [
            ("localhost", true),
            ("LocalHost:9100", true),
            ("127.0.0.1:9100", true),
            ("[::1]:9100", true),
            ("evil.example", false),
            ("localhost.evil.example:9100", false),
            ("192.0.2.1", false),
        ] {
            let head = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert_eq!(is_local_host(&head), is_known, "{host}");
            let answer = answer(&head, &SharedStatus::default(), true);
            assert_eq!(answer.starts_with(b"HTTP/1.1 200"), is_known, "{host}");
        }
        let elsewhere =
            answer("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", &SharedStatus::default(), false);
        assert!(elsewhere.starts_with(b"HTTP/1.1 200"));
    }
}
