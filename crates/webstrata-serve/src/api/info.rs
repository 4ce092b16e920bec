//! `GET /v1/info`: what this server is and does.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::Answer;
use crate::app::Shared;
use crate::refusal::Refusal;

/// The version of [`Info`]'s shape.
const INFO_VERSION: u32 = 1;

/// What the server is and does.
#[derive(Serialize, ToSchema)]
pub(crate) struct Info {
    /// The version of this shape.
    version: u32,
    /// The release of webstrata.
    #[schema(example = "0.1.0")]
    release: &'static str,
    /// Does it fetch pages by their address?
    fetch: bool,
    /// Is there an index to search?
    index: bool,
    /// Is there a stream to look at?
    streams: bool,
    /// Must a token be shown?
    token: bool,
    /// The limits of requests.
    limits: InfoLimits,
}

/// What requests may cost.
#[derive(Serialize, ToSchema)]
struct InfoLimits {
    /// Bytes of a body.
    body: usize,
    /// Milliseconds of parsing.
    deadline_ms: u64,
    /// Pages that may wait for a worker.
    queue: usize,
}

pub(crate) async fn info(State(app): Shared) -> Result<Response, Refusal> {
    let settings = &app.settings;
    let limits = InfoLimits {
        body: settings.limits.body,
        deadline_ms: u64::try_from(settings.limits.deadline.as_millis()).unwrap_or(u64::MAX),
        queue: settings.limits.queue,
    };
    let info = Info {
        version: INFO_VERSION,
        release: env!("CARGO_PKG_VERSION"),
        fetch: settings.fetch.is_some(),
        index: settings.index.is_some(),
        streams: settings.store.is_some(),
        token: settings.token.is_some(),
        limits,
    };
    Ok(Answer::json(&info)?.response(&app))
}
