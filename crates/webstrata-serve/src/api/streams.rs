//! `GET /v1/streams`: the status of the sites of a stream.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use webstrata_feeds::pipeline::{STATUS_VERSION, Status, status_file};

use super::Answer;
use crate::app::Shared;
use crate::refusal::Refusal;

pub(crate) async fn streams(State(app): Shared) -> Result<Response, Refusal> {
    let Some(store) = app.settings.store.clone() else {
        let message = "no stream is shown here, start the server with --store DIR";
        return Err(Refusal::new(StatusCode::NOT_FOUND, message));
    };
    let status = app.searches.run(move || read(&store)).await??;
    Ok(Answer::json(&status)?.response(&app))
}

/// Paths of the server's machine are not told.
fn read(store: &Path) -> Result<Status, Refusal> {
    let text = fs::read(status_file(store)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let remedy = "start one with `webstrata stream run`";
            Refusal::new(StatusCode::NOT_FOUND, format!("no stream has run in the store, {remedy}"))
        }
        kind => unreadable(&kind),
    })?;
    let status: Status = serde_json::from_slice(&text).map_err(|error| unreadable(&error))?;
    if status.version == STATUS_VERSION {
        return Ok(status);
    }
    let version = status.version;
    Err(unreadable(&format!("version {version}, this release knows {STATUS_VERSION}")))
}

fn unreadable(why: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("the store's status cannot be read: {why}"),
    )
}
