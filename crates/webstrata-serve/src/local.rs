//! The server without a socket: whoever asks is in the same process.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::Error;
use crate::app::{self, App};
use crate::settings::ServerSettings;

/// Answers requests without a socket, by the same routes, with the same limits and refusals. What concerns connections is
/// left out: how long heads may take, how many clients there may be.
///
/// ```
/// use webstrata_serve::{LocalServer, ServerSettings};
///
/// let server = LocalServer::new(ServerSettings::default())?;
/// let fields = [("Host", &b"localhost"[..]), ("Content-Type", &b"text/html"[..])];
/// let (status, answer) = server.ask("POST", "/v1/extract?extractor=keep-all", &fields, b"<p>High water.")?;
/// assert_eq!(status, 200);
/// assert!(String::from_utf8_lossy(&answer).contains("High water."));
/// # Ok::<(), webstrata_serve::Error>(())
/// ```
pub struct LocalServer {
    router: Router,
    runtime: tokio::runtime::Runtime,
}

impl LocalServer {
    /// A server of these settings that listens nowhere.
    ///
    /// # Errors
    ///
    /// Where the settings are no good.
    pub fn new(settings: ServerSettings) -> Result<LocalServer, Error> {
        let app = App::new(settings, IpAddr::V4(Ipv4Addr::LOCALHOST))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            // Starting a thread costs more than most answers.
            .thread_keep_alive(Duration::from_secs(60))
            .build()?;
        Ok(LocalServer { router: app::router(&app), runtime })
    }

    /// The status and the body of an answer.
    ///
    /// # Errors
    ///
    /// Where it is no request by HTTP: a method, a path or a field that cannot be, or an answer that breaks off.
    pub fn ask(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &[u8])],
        body: &[u8],
    ) -> Result<(u16, Vec<u8>), Error> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_vec())).map_err(Error::new)?;
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await;
            let answer = answer.unwrap_or_else(|never| match never {});
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.map_err(Error::new)?;
            Ok((status, body.to_bytes().to_vec()))
        })
    }
}
