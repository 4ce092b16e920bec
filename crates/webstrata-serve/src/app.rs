//! The state that all requests share, and the routes.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::{Semaphore, watch};
use webstrata::Extractor;
use webstrata::error::shortened;
use webstrata_search::Index;

use crate::answers::AnswerMemory;
use crate::api;
use crate::api::fetching::Fetching;
use crate::body::BodyMemory;
use crate::guard;
use crate::metrics::{Gauges, Metrics};
use crate::openapi;
use crate::page::{ASSETS, Asset, INDEX};
use crate::refusal::Refusal;
use crate::settings::ServerSettings;
use crate::{Error, work::Workers};

/// Nothing from elsewhere, no scripts but the page's own; styles also inside the page, since the pages
/// that it shows in a sandbox have theirs inside and take this policy on.
const PAGE_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; connect-src 'self'; frame-src 'self' blob:; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The paths, for the message about an unknown path and for the labels of the metrics.
pub(crate) const PATHS: &[&str] = &[
    "/",
    "/assets/",
    "/health",
    "/metrics",
    "/openapi.json",
    "/v1/batch",
    "/v1/explain",
    "/v1/extract",
    "/v1/extractors",
    "/v1/facets",
    "/v1/info",
    "/v1/search",
    "/v1/segment",
    "/v1/streams",
    "other",
];

/// What all requests share.
pub(crate) struct App {
    pub(crate) settings: ServerSettings,
    /// The address that the server listens on.
    pub(crate) address: IpAddr,
    pub(crate) work: Workers,
    /// Searches are short and do not wait behind pages.
    pub(crate) searches: Workers,
    /// Lines of batches that are worked on or wait for a worker.
    pub(crate) batch_lines: Semaphore,
    /// Becomes true when the server has to stop.
    pub(crate) ending: watch::Sender<bool>,
    pub(crate) fetching: Option<Fetching>,
    pub(crate) index: Option<Arc<Index>>,
    pub(crate) metrics: Metrics,
    pub(crate) room: BodyMemory,
    pub(crate) answers: AnswerMemory,
    pub(crate) connections: Arc<Semaphore>,
}

pub(crate) type Shared = State<Arc<App>>;

impl App {
    pub(crate) fn new(settings: ServerSettings, address: IpAddr) -> Result<Arc<App>, Error> {
        settings.check()?;
        let limits = &settings.limits;
        // Otherwise the first request would wait for them.
        Extractor::builtin();
        let fetching = settings.fetch.as_ref().map(|fetch| Fetching::new(fetch, limits));
        let index = settings.index.as_deref().map(Index::open).transpose().map_err(Error::new)?;
        Ok(Arc::new(App {
            index: index.map(Arc::new),
            address,
            work: Workers::new("pages", limits.workers, limits.queue, limits.queue_time),
            fetching: fetching.transpose()?,
            metrics: Metrics::default(),
            searches: Workers::new("searches", limits.workers, limits.queue, limits.queue_time),
            batch_lines: Semaphore::new(2 * limits.workers),
            ending: watch::Sender::new(false),
            room: BodyMemory::new(limits.bodies),
            answers: AnswerMemory::new(limits),
            connections: Arc::new(Semaphore::new(limits.connections)),
            settings,
        }))
    }

    pub(crate) fn gauges(&self) -> Gauges {
        let connections = self.settings.limits.connections;
        Gauges {
            waiting: self.work.waiting(),
            busy: self.work.busy(),
            fetching: self.fetching.as_ref().map_or(0, Fetching::busy),
            connections: connections.saturating_sub(self.connections.available_permits()),
        }
    }
}

pub(crate) fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/", get(|| async { INDEX.answer() }))
        .route("/assets/{name}", get(asset))
        .route("/health", get(api::health::health))
        .route("/v1/extract", post(api::extract::extract))
        .route("/v1/explain", post(api::explain::explain))
        .route("/v1/segment", post(api::segment::segment))
        .route("/v1/batch", post(api::batch::batch))
        .route("/v1/search", get(api::search::search))
        .route("/v1/facets", get(api::facets::facets))
        .route("/v1/streams", get(api::streams::streams))
        .route("/openapi.json", get(openapi::openapi))
        .route("/v1/extractors", get(api::extractors::extractors))
        .route("/v1/info", get(api::info::info))
        .route("/metrics", get(api::health::metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app.clone())
}

async fn asset(Path(name): Path<String>) -> Response {
    let found = ASSETS.iter().find(|asset| asset.name == name);
    let unknown = || {
        let names = ASSETS.iter().map(|asset| asset.name);
        Refusal::unknown(StatusCode::NOT_FOUND, "asset", &name, names)
    };
    found.map_or_else(|| unknown().into_response(), Asset::answer)
}

impl Asset {
    fn answer(&self) -> Response {
        let mut response = Response::new(self.bytes.into());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        // The next release has other files of the same names.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }
}

async fn not_found(uri: Uri) -> Refusal {
    let paths = PATHS.iter().copied().filter(|path| *path != "other");
    Refusal::unknown(StatusCode::NOT_FOUND, "path", uri.path(), paths)
}

async fn wrong_method(method: Method, uri: Uri) -> Refusal {
    let (method, path) = (shortened(method.as_str()), shortened(uri.path()));
    let message = format!("`{path}` does not take {method}, see the field `Allow` of this answer");
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message)
}
