//! TLS, with the authorities that browsers trust.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::tap::Duplex;
use crate::Error;

/// How we speak TLS, trusting also the authorities in this file.
pub(super) fn config(certificates: Option<&Path>) -> Result<Arc<ClientConfig>, Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = certificates {
        add(&mut roots, file)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::new)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".into(), b"http/1.1".into()];
    Ok(Arc::new(config))
}

/// The same without HTTP/2, for proxies: a tunnel is asked for in HTTP/1.1.
pub(super) fn without_http2(config: &ClientConfig) -> Arc<ClientConfig> {
    let mut config = config.clone();
    config.alpn_protocols = vec![b"http/1.1".into()];
    Arc::new(config)
}

fn add(roots: &mut RootCertStore, file: &Path) -> Result<(), Error> {
    let wrong = |why: String| Error::new(format!("{}: {why}", file.display()));
    let bytes = fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        count += 1;
    }
    if count == 0 {
        return Err(wrong(
            "no certificate in it, expected PEM (-----BEGIN CERTIFICATE-----)".into(),
        ));
    }
    Ok(())
}

/// The same connection, encrypted, to a machine that can prove its name.
pub(super) async fn wrap(
    config: Arc<ClientConfig>,
    host: &str,
    stream: Box<dyn Duplex>,
) -> io::Result<TlsStream<Box<dyn Duplex>>> {
    // Names in brackets are addresses of IPv6; a dot at the end is no part of a certificate's name.
    let name = host.trim_start_matches('[').trim_end_matches([']', '.']).to_owned();
    let name = ServerName::try_from(name).map_err(io::Error::other)?;
    TlsConnector::from(config).connect(name, stream).await
}
