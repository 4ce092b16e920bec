//! `GET /health` and `GET /metrics`: for monitoring.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::Answer;
use crate::app::Shared;
use crate::refusal::Refusal;

/// That the server is alive.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

pub(crate) async fn health(State(app): Shared) -> Result<Response, Refusal> {
    Ok(Answer::json(&Health { status: "ok" })?.response(&app))
}

pub(crate) async fn metrics(State(app): Shared) -> Response {
    let mut response = app.metrics.text(app.gauges()).into_response();
    let media_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}
