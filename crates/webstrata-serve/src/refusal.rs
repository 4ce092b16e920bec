//! Why a request is not answered: a status and one line of JSON.

use std::fmt;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata::error::unknown;

/// A request that is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) retry_after: Option<Duration>,
}

/// Why a request was refused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What is wrong.
    pub(crate) error: ProblemDetail,
}

/// What is wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDetail {
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599, example = 400)]
    pub(crate) status: u16,
    /// One line that names what is wrong and what to do about it.
    #[schema(example = "`extractor`: unknown extractor `artcile`, did you mean `article`?")]
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl fmt::Display) -> Refusal {
        let message = message.to_string().replace(['\n', '\r'], ", ");
        Refusal { status, message, retry_after: None }
    }

    pub(crate) fn bad(message: impl fmt::Display) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn too_large(limit: usize) -> Refusal {
        let message = format!("the body is longer than {limit} bytes, send less of the page");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// Too much at once; it will be less after some time.
    pub(crate) fn busy(what: &str) -> Refusal {
        let message = format!("{what}, try again in a second");
        let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message);
        Refusal { retry_after: Some(Duration::from_secs(1)), ..refusal }
    }

    /// The `thing` called `name` is none of those known.
    pub(crate) fn unknown<'a>(
        status: StatusCode,
        thing: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Refusal {
        Refusal::new(status, unknown(thing, name, known))
    }

    pub(crate) fn problem(&self) -> Problem {
        let (status, message) = (self.status.as_u16(), self.message.clone());
        Problem { error: ProblemDetail { status, message } }
    }

    pub(crate) fn json(&self) -> Vec<u8> {
        // Numbers and strings can always be written.
        serde_json::to_vec(&self.problem()).unwrap_or_default()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.json()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(after) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
