//! HTTPS over loopback, with a certificate of our own: for `tides.test`, of no authority but itself.
//! `tests/tls` was made by `openssl req -x509 -newkey ec … -days 36500` and is good for nothing else.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use webstrata_feeds::fetch::{
    Answer, Failure, FailureKind, FetchSettings, Fetcher, Resolve, System, Validators,
};

use crate::fetching;

pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// Every name is this machine's.
struct Here;

impl Resolve for Here {
    fn resolve(&self, _: &str, _: Duration) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

/// Answers one connection, and ends it with or without saying so.
fn server(says_goodbye: bool) -> (SocketAddr, JoinHandle<io::Result<()>>) {
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept()?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let connection = ServerConnection::new(Arc::new(config)).map_err(io::Error::other)?;
        let mut stream = StreamOwned::new(connection, stream);
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n<p>Tide")?;
        if says_goodbye {
            stream.conn.send_close_notify();
        }
        stream.flush()
    });
    (address, server)
}

fn get(
    settings: FetchSettings,
    host: &str,
    says_goodbye: bool,
) -> Result<(Vec<u8>, bool), Failure> {
    let (address, server) = server(says_goodbye);
    let fetcher = Fetcher::with(settings, Box::new(Here), Box::new(System)).unwrap();
    let url = format!("https://{host}:{}/", address.port());
    let answer = fetcher.get(&url, &Validators::default());
    // What it thinks of a client that went away is its own matter.
    let _ = server.join().unwrap();
    match answer? {
        Answer::Page(page) => Ok((page.body, page.truncated)),
        other => panic!("{other:?}"),
    }
}

fn trusting() -> FetchSettings {
    FetchSettings { certificates: Some(file("certificate.pem")), ..fetching::settings() }
}

#[test]
fn a_server_that_proves_its_name() {
    assert_eq!(get(trusting(), "tides.test", true).unwrap(), (b"<p>Tide".to_vec(), false));
    assert_eq!(get(trusting(), "tides.test.", true).unwrap().0, b"<p>Tide");
    // Without a goodbye, somebody in between may have cut the rest off.
    assert_eq!(get(trusting(), "tides.test", false).unwrap(), (b"<p>Tide".to_vec(), true));
}

#[test]
fn servers_that_do_not() {
    for (settings, host) in [(fetching::settings(), "tides.test"), (trusting(), "ebb.test")] {
        let failure = get(settings, host, true).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Network);
        assert!(failure.message().contains("certificate"), "{failure}");
    }
}

#[test]
fn certificates_that_are_none() {
    for wrong in ["key.pem", "none.pem"] {
        let settings = FetchSettings { certificates: Some(file(wrong)), ..fetching::settings() };
        let error = Fetcher::new(settings).err().unwrap().to_string();
        assert!(error.contains(wrong) && !error.contains('\n'), "{error}");
    }
}
