//! A small HTTP server on loopback that writes what it is told, byte by byte, so that it can lie.
//!
//! ```ignore
//! let server = Server::start(
//!     Routes::new()
//!         .on("/feed.xml", |request, wire| wire.answer("200 OK", &["ETag: \"1\""], b"<rss/>"))
//!         .on("/drip", |_, wire| wire.drip(b"x", Duration::from_millis(10)))
//!         .otherwise(|_, wire| wire.answer("404 Not Found", &[], b"")),
//! );
//! fetch(&server.url("/feed.xml"));
//! assert_eq!(server.requests()[0].path, "/feed.xml");
//! ```
//!
//! Nothing here lasts: a connection ends when its route returns, when the client goes away, when the
//! server is dropped, or after [`LONGEST`].

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a connection may last, whatever its route wants.
pub(crate) const LONGEST: Duration = Duration::from_secs(20);

/// Bytes of a request's head; ours have some hundred.
const LONGEST_HEAD: usize = 64 * 1024;

/// What a client asked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    /// The whole head as it came.
    pub(crate) head: String,
    /// What came behind the head, if its `Content-Length` said that something would.
    pub(crate) body: Vec<u8>,
    /// How many requests for this path came before, of any connection.
    pub(crate) visit: usize,
    /// When it was read.
    pub(crate) at: Instant,
}

impl Request {
    /// The value of a field of the head.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.trim().eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// The way to the client.
pub(crate) struct Wire {
    stream: TcpStream,
    end: Instant,
    is_stopped: Arc<AtomicBool>,
    /// The last byte of the head has not been taken, so that the connection can be reset.
    has_unread: bool,
}

impl Wire {
    /// Writes these bytes.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Writes a whole response, with the right length.
    pub(crate) fn answer(&mut self, status: &str, fields: &[&str], body: &[u8]) -> io::Result<()> {
        let length = format!("Content-Length: {}", body.len());
        self.head(status, &[fields, &[&length]].concat())?;
        self.send(body)
    }

    /// Writes the head of a response and the empty line behind it.
    pub(crate) fn head(&mut self, status: &str, fields: &[&str]) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n");
        for field in fields {
            head.push_str(field);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        self.send(head.as_bytes())
    }

    /// Leads the client elsewhere.
    pub(crate) fn redirect(&mut self, status: &str, to: &str) -> io::Result<()> {
        self.answer(status, &[&format!("Location: {to}")], b"")
    }

    /// Writes the same bytes again and again, as long as somebody listens.
    pub(crate) fn drip(&mut self, bytes: &[u8], pause: Duration) -> io::Result<()> {
        while self.goes_on() {
            self.send(bytes)?;
            thread::sleep(pause);
        }
        Ok(())
    }

    /// Says nothing more, as long as the client waits.
    pub(crate) fn hang(&mut self) -> io::Result<()> {
        self.stream.set_read_timeout(Some(Duration::from_millis(20)))?;
        self.take_unread()?;
        while self.goes_on() {
            match self.stream.read(&mut [0; 512]) {
                Ok(0) => return Ok(()),
                Err(error) if !is_timeout(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the connection with a reset instead of an orderly close.
    pub(crate) fn reset(&mut self) -> io::Result<()> {
        // A socket that is closed while there is something to read resets the connection.
        Err(io::Error::new(io::ErrorKind::ConnectionReset, "on purpose"))
    }

    fn goes_on(&self) -> bool {
        Instant::now() < self.end && !self.is_stopped.load(Ordering::Relaxed)
    }

    fn take_unread(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_unread) {
            self.stream.read_exact(&mut [0])?;
        }
        Ok(())
    }
}

/// What a route does.
type Route = Box<dyn Fn(&Request, &mut Wire) -> io::Result<()> + Send + Sync>;

/// What is answered, by path.
#[derive(Default)]
pub(crate) struct Routes {
    paths: HashMap<String, Route>,
    otherwise: Option<Route>,
}

impl Routes {
    /// Nothing is found.
    pub(crate) fn new() -> Routes {
        Routes::default()
    }

    /// What happens on requests for this path, whatever their query.
    pub(crate) fn on<F>(mut self, path: &str, route: F) -> Routes
    where
        F: Fn(&Request, &mut Wire) -> io::Result<()> + Send + Sync + 'static,
    {
        self.paths.insert(path.to_owned(), Box::new(route));
        self
    }

    /// What happens on all others; without it, 404.
    pub(crate) fn otherwise<F>(mut self, route: F) -> Routes
    where
        F: Fn(&Request, &mut Wire) -> io::Result<()> + Send + Sync + 'static,
    {
        self.otherwise = Some(Box::new(route));
        self
    }

    fn run(&self, request: &Request, wire: &mut Wire) -> io::Result<()> {
        match self.paths.get(&request.path).or(self.otherwise.as_ref()) {
            Some(route) => route(request, wire),
            None => wire.answer("404 Not Found", &["Content-Type: text/plain"], b"not here"),
        }
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    routes: Routes,
    log: Mutex<Vec<Request>>,
    is_stopped: Arc<AtomicBool>,
}

impl Server {
    /// Listens on a free port of 127.0.0.1.
    pub(crate) fn start(routes: Routes) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let is_stopped = Arc::new(AtomicBool::new(false));
        let shared = Arc::new(Shared { routes, log: Mutex::default(), is_stopped });
        let acceptor = thread::spawn({
            let shared = shared.clone();
            move || accept(&listener, &shared)
        });
        Server { address, shared, acceptor: Some(acceptor) }
    }

    /// The address of a path here.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far, in the order in which they came.
    pub(crate) fn requests(&self) -> Vec<Request> {
        lock(&self.shared.log).clone()
    }

    /// How often a path was asked for.
    pub(crate) fn visits(&self, path: &str) -> usize {
        lock(&self.shared.log).iter().filter(|request| request.path == path).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // Wakes the acceptor, which then sees that it is over.
        drop(TcpStream::connect(self.address));
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = shared.clone();
        // A client that goes away in the middle is what many tests are about.
        thread::spawn(move || drop(serve(stream, &shared)));
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(LONGEST))?;
    stream.set_write_timeout(Some(LONGEST))?;
    let is_stopped = shared.is_stopped.clone();
    let mut wire = Wire { stream, end: Instant::now() + LONGEST, is_stopped, has_unread: true };
    let head = read_head(&mut wire.stream)?;
    let mut request = parse(head);
    let length = request.field("Content-Length").and_then(|length| length.parse().ok());
    if let Some(length) = length.filter(|length| *length <= LONGEST_HEAD) {
        wire.take_unread()?;
        request.body = vec![0; length];
        wire.stream.read_exact(&mut request.body)?;
    }
    {
        let mut log = lock(&shared.log);
        request.visit = log.iter().filter(|other| other.path == request.path).count();
        log.push(request.clone());
    }
    shared.routes.run(&request, &mut wire)?;
    wire.take_unread()?;
    wire.stream.shutdown(std::net::Shutdown::Write)
}

/// The head up to the line feed that ends it, which stays unread.
fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r") {
        if head.len() > LONGEST_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

fn parse(head: String) -> Request {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    Request { method, path, query, head, body: Vec::new(), visit: 0, at: Instant::now() }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
