//! Pages that requests name by their address: fetched by the stream's fetcher, with all its checks.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::time::timeout;
use webstrata::error::shortened;
use webstrata_archive::charset_of;
use webstrata_feeds::fetch::{self, Answer, Failure, FailureKind, Fetcher, Response, Validators};

use crate::Error;
use crate::refusal::Refusal;
use crate::settings::Limits;
use crate::work::Workers;

/// The longest that a request waits for the turn of a host. A client that would wait longer is told so
/// instead of keeping a thread.
const LONGEST_TURN: Duration = Duration::from_secs(5);

/// Fetches pages, some at a time.
pub(crate) struct Fetching {
    fetcher: Arc<Fetcher>,
    work: Workers,
    time: Duration,
}

/// A page that was fetched.
pub(crate) struct Fetched {
    pub(crate) bytes: Vec<u8>,
    pub(crate) charset: Option<String>,
    /// Its address after redirects.
    pub(crate) url: String,
}

impl Fetching {
    pub(crate) fn new(settings: &fetch::FetchSettings, limits: &Limits) -> Result<Fetching, Error> {
        let settings = fetch::FetchSettings {
            max_body: settings.max_body.min(limits.body),
            max_decoded: settings.max_decoded.min(limits.body),
            max_crawl_delay: settings.max_crawl_delay.min(LONGEST_TURN),
            // A client waits for the answer: a thread is not kept for what comes too late for it.
            connect_timeout: settings.connect_timeout.min(limits.fetch_time),
            timeout: settings.timeout.min(limits.fetch_time / 2),
            ..settings.clone()
        };
        let fetcher = Arc::new(Fetcher::new(settings).map_err(Error::new)?);
        let work = Workers::new("fetches", limits.fetches, limits.queue, limits.queue_time);
        Ok(Fetching { fetcher, work, time: limits.fetch_time })
    }

    /// How many pages are being fetched.
    pub(crate) fn busy(&self) -> usize {
        self.work.busy()
    }

    pub(crate) async fn get(&self, url: String) -> Result<Fetched, Refusal> {
        let fetcher = self.fetcher.clone();
        let get = self.work.run(move || fetcher.get(&url, &Validators::default()));
        let Ok(answer) = timeout(self.time, get).await else {
            let message = "fetching the page took too long, send it as `html`";
            return Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, message));
        };
        match answer?.map_err(|failure| refused(&failure))? {
            Answer::Page(page) => fetched(*page),
            Answer::NotModified { url, .. } => {
                let message = format!("{}: has not changed, which was not asked", shortened(&url));
                Err(Refusal::new(StatusCode::BAD_GATEWAY, message))
            }
        }
    }
}

fn fetched(page: Response) -> Result<Fetched, Refusal> {
    let Response { body, url, content_type, .. } = page;
    if let Some(other) = content_type.as_deref().filter(|written| !is_page(written)) {
        let message = format!("{}: is `{}`, which is no page", shortened(&url), shortened(other));
        return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    let charset = content_type.as_deref().and_then(charset_of).map(str::to_owned);
    Ok(Fetched { bytes: body, charset, url })
}

/// Servers call pages many things; none of them is an image.
fn is_page(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let others = ["application/pdf", "application/zip", "application/json"];
    let kinds = ["image/", "audio/", "video/", "font/"];
    !others.contains(&essence.as_str()) && !kinds.iter().any(|kind| essence.starts_with(kind))
}

/// That pages are not fetched here.
pub(crate) fn off() -> Refusal {
    let message = "this server fetches no pages, send the page as `html` or start it with --fetch";
    Refusal::new(StatusCode::FORBIDDEN, message)
}

fn refused(failure: &Failure) -> Refusal {
    // What is wrong on the way, such as with a proxy, is the server's own business as well.
    let is_hidden = match failure.kind() {
        FailureKind::Network => true,
        FailureKind::Refused => has_name(failure.url()),
        _ => false,
    };
    let status = match failure.kind() {
        // The same for names that lead into the server's own networks as for those that lead nowhere: which of them there
        // are is nobody's business.
        _ if is_hidden => StatusCode::BAD_GATEWAY,
        FailureKind::BadUrl => StatusCode::BAD_REQUEST,
        FailureKind::Refused | FailureKind::Robots => StatusCode::FORBIDDEN,
        FailureKind::TooSoon => StatusCode::SERVICE_UNAVAILABLE,
        FailureKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        FailureKind::Status(_)
        | FailureKind::TooLarge
        | FailureKind::TooManyRedirects
        | FailureKind::RedirectLoop
        | FailureKind::Network
        | FailureKind::Protocol
        | FailureKind::Encoding => StatusCode::BAD_GATEWAY,
    };
    let message = match failure.kind() {
        _ if is_hidden => "cannot be reached from here".to_owned(),
        FailureKind::Refused => "its network or port is not fetched from here".to_owned(),
        _ => shortened(failure.message()),
    };
    let message = format!("{}: {message}", shortened(failure.url()));
    Refusal { retry_after: failure.retry_after, ..Refusal::new(status, message) }
}

/// Is the host of this address a name, and no number?
fn has_name(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    !host.starts_with('[') && host.bytes().any(|byte| byte.is_ascii_alphabetic())
}
