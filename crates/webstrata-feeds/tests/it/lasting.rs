//! Servers on loopback whose connections last: HTTP/1.1 with many requests, HTTP/2 over TLS, and proxies.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use webstrata_feeds::fetch::{Connect, Resolve, Stream, System};

use crate::secure::file;

/// How long a connection may last.
const LONGEST: Duration = Duration::from_secs(20);

fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Names and their addresses: the first answer first, the last one from then on.
#[derive(Clone, Default)]
pub(crate) struct Names(Arc<Mutex<HashMap<String, Vec<IpAddr>>>>);

impl Names {
    pub(crate) fn know(self, name: &str, answers: &[&str]) -> Names {
        let answers = answers.iter().map(|ip| ip.parse().unwrap()).collect();
        self.0.lock().unwrap().insert(name.into(), answers);
        self
    }
}

impl Resolve for Names {
    fn resolve(&self, name: &str, _: Duration) -> io::Result<Vec<IpAddr>> {
        let mut known = self.0.lock().unwrap();
        let answers = known.get_mut(name).ok_or_else(|| io::Error::other("no such name"))?;
        Ok(vec![if answers.len() > 1 { answers.remove(0) } else { answers[0] }])
    }
}

/// Connects on this machine only, and remembers where to.
#[derive(Clone, Default)]
pub(crate) struct Near(pub(crate) Arc<Mutex<Vec<SocketAddr>>>);

impl Connect for Near {
    fn connect(&self, to: SocketAddr, timeout: Duration) -> io::Result<Box<dyn Stream>> {
        assert!(to.ip().is_loopback(), "{to} was about to be connected to");
        self.0.lock().unwrap().push(to);
        System.connect(to, timeout)
    }
}

/// What a lasting server does with the request for a path: an answer, and whether it hangs up without a word.
type Answers = fn(&str) -> (String, bool);

/// A server whose connections take many requests.
pub(crate) struct Lasting {
    pub(crate) address: SocketAddr,
    /// Connections that were made, and the number of the one that each request came over.
    pub(crate) log: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Lasting {
    pub(crate) fn start(answers: Answers) -> Lasting {
        let (listener, address) = listen();
        let log = Arc::<Mutex<Vec<(usize, String)>>>::default();
        let noted = log.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let noted = noted.clone();
                thread::spawn(move || drop(Lasting::serve(&stream, number, answers, &noted)));
            }
        });
        Lasting { address, log }
    }

    fn serve(
        mut stream: &TcpStream,
        number: usize,
        answers: Answers,
        log: &Mutex<Vec<(usize, String)>>,
    ) -> io::Result<()> {
        stream.set_read_timeout(Some(LONGEST))?;
        let mut reader = BufReader::new(stream);
        while let Some(head) = head(&mut reader)? {
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let (answer, hangs_up) = answers(&path);
            log.lock().unwrap().push((number, path));
            stream.write_all(answer.as_bytes())?;
            if hangs_up {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The numbers of the connections that requests came over.
    pub(crate) fn connections(&self) -> Vec<usize> {
        self.log.lock().unwrap().iter().map(|(number, _)| *number).collect()
    }
}

/// A head, with the empty line behind it.
fn head(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(head))
}

/// A server that speaks HTTP/2 over TLS, as `tides.test`.
pub(crate) struct Http2 {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Http2 {
    pub(crate) fn start() -> Http2 {
        let (listener, address) = listen();
        listener.set_nonblocking(true).unwrap();
        let connections = Arc::<AtomicUsize>::default();
        let count = connections.clone();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let tls = tokio_rustls::TlsAcceptor::from(Arc::new(server_config()));
                while let Ok((stream, _)) = listener.accept().await {
                    count.fetch_add(1, Ordering::SeqCst);
                    let tls = tls.clone();
                    tokio::spawn(async move {
                        let Ok(stream) = tls.accept(stream).await else { return };
                        let service = hyper::service::service_fn(answer);
                        let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                        let _ = server.serve_connection(TokioIo::new(stream), service).await;
                    });
                }
            });
        });
        Http2 { address, connections }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("https://tides.test:{}{path}", self.address.port())
    }
}

fn server_config() -> ServerConfig {
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".into()];
    config
}

async fn answer(
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let (status, body) = match request.uri().path() {
        "/inside" => (302, Bytes::new()),
        "/large" => (200, Bytes::from(vec![b'x'; 3_000_000])),
        "/slow" => {
            tokio::time::sleep(LONGEST).await;
            (200, Bytes::new())
        }
        "/gone" => (410, Bytes::from_static(b"secret")),
        "/host" => (200, Bytes::from(request.uri().to_string())),
        _ => (200, Bytes::from_static(b"<p>Tide")),
    };
    let response = hyper::Response::builder()
        .status(status)
        .header("Content-Type", "text/html")
        .header("Location", "http://10.0.0.1/admin");
    Ok(response.body(Full::new(body)).unwrap())
}

/// A proxy: remembers what it was asked for, and leads everything to one server of this machine.
pub(crate) struct Middle {
    pub(crate) address: SocketAddr,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Middle {
    /// One that speaks HTTP. Without a server behind it, it refuses.
    pub(crate) fn http(to: Option<SocketAddr>) -> Middle {
        Middle::start(move |stream, asked| {
            let head = head(&mut Unbuffered(&stream))?.unwrap_or_default();
            asked.lock().unwrap().push(head.clone());
            let Some(to) = to else { return (&stream).write_all(b"HTTP/1.1 403 No\r\n\r\n") };
            let server = TcpStream::connect(to)?;
            match head.starts_with("CONNECT ") {
                true => (&stream).write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?,
                false => (&server).write_all(head.as_bytes())?,
            }
            pump(stream, server)
        })
    }

    /// One that speaks SOCKS5 (RFC 1928).
    pub(crate) fn socks(to: SocketAddr) -> Middle {
        Middle::start(move |mut stream, asked| {
            let [_, methods] = take(&stream)?;
            stream.read_exact(&mut vec![0; methods.into()])?;
            stream.write_all(&[5, 0])?;
            let [_, _, _, kind] = take(&stream)?;
            let host = match kind {
                1 => Ipv4Addr::from(take::<4>(&stream)?).to_string(),
                3 => {
                    let [length] = take(&stream)?;
                    let mut name = vec![0; length.into()];
                    stream.read_exact(&mut name)?;
                    format!("name {}", String::from_utf8_lossy(&name))
                }
                other => format!("kind {other}"),
            };
            let port = u16::from_be_bytes(take(&stream)?);
            asked.lock().unwrap().push(format!("{host}:{port}"));
            stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
            pump(stream, TcpStream::connect(to)?)
        })
    }

    fn start(
        serve: impl Fn(TcpStream, &Mutex<Vec<String>>) -> io::Result<()> + Clone + Send + 'static,
    ) -> Middle {
        let (listener, address) = listen();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (serve, noted) = (serve.clone(), noted.clone());
                stream.set_read_timeout(Some(LONGEST)).unwrap();
                thread::spawn(move || drop(serve(stream, &noted)));
            }
        });
        Middle { address, asked }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn take<const N: usize>(mut stream: &TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Takes nothing from a stream that is not asked for.
struct Unbuffered<'a>(&'a TcpStream);

impl Read for Unbuffered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

impl BufRead for Unbuffered<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn consume(&mut self, _: usize) {}

    fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        let before = line.len();
        while !line[before..].ends_with('\n') {
            match take(self.0)? {
                [byte] => line.push(char::from(byte)),
            }
        }
        Ok(line.len() - before)
    }
}

/// Takes what one says to the other, until either has gone.
fn pump(mut one: TcpStream, mut other: TcpStream) -> io::Result<()> {
    let (mut from, mut to) = (one.try_clone()?, other.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        to.shutdown(std::net::Shutdown::Write)
    });
    io::copy(&mut other, &mut one)?;
    one.shutdown(std::net::Shutdown::Write)
}
