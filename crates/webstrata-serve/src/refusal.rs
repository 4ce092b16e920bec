//! Why a request is not answered: a status and one line of JSON.

use std::fmt;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata::error::nearest;

/// The most characters of what a client wrote that are said back to it.
const MOST_SAID: usize = 80;

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
    #[schema(example = "unknown extractor `artcile`, did you mean `article`?")]
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

/// One line about a name that is none of those known.
pub(crate) fn unknown<'a>(
    thing: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    let written = said(name);
    match near(name, known.clone()) {
        Some(near) => format!("unknown {thing} `{written}`, did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
            format!("unknown {thing} `{written}`, expected one of {}", known.join(", "))
        }
    }
}

/// The nearest name. What is far too long for any is not compared: that takes time for each pair of letters.
fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MOST_SAID { None } else { nearest(name, known) }
}

/// What a client wrote, fit for a line: not too long, and nothing in it that moves a cursor.
pub(crate) fn said(text: &str) -> String {
    let mut line: String =
        text.chars().take(MOST_SAID).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST_SAID).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_right() {
        let check = |name: &str, expect: &str| {
            assert_eq!(unknown("path", name, ["/v1/extract", "/health"]), expect);
        };
        check("/v1/extrat", "unknown path `/v1/extrat`, did you mean `/v1/extract`?");
        check("/", "unknown path `/`, expected one of `/v1/extract`, `/health`");
        let long = "x".repeat(100_000);
        assert!(unknown("path", &long, ["/health"]).len() < 200);
        assert_eq!(said("a\nb\u{7}"), "a b ");
    }
}
