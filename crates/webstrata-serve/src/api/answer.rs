//! Answers, and how long they may be.

use std::io;
use std::mem;
use std::net::IpAddr;

use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_FRAME_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;
use webstrata::{LimitsHit, Page};

use crate::app::App;
use crate::refusal::Refusal;

/// What is served of other people's pages runs nothing and loads nothing, even if it is opened by itself.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
    frame-ancestors 'self'";

/// An answer that was worked out.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) media_type: &'static str,
    pub(crate) body: Vec<u8>,
    /// The limits that the page ran into.
    pub(crate) limits: LimitsHit,
    /// Is this HTML that somebody else wrote?
    pub(crate) is_foreign: bool,
}

impl Answer {
    /// An answer that is never long.
    pub(crate) fn json(value: &impl Serialize) -> Result<Answer, Refusal> {
        Answer::json_within(value, LimitsHit::default(), usize::MAX)
    }

    /// An answer that may be many times as long as the page.
    pub(crate) fn json_within(
        value: &impl Serialize,
        limits: LimitsHit,
        most: usize,
    ) -> Result<Answer, Refusal> {
        let mut written = Bounded { bytes: Vec::new(), most };
        serde_json::to_writer(&mut written, value).map_err(|_| too_long(most))?;
        let media_type = "application/json";
        Ok(Answer { media_type, body: written.bytes, limits, is_foreign: false })
    }

    /// The response of an answer that is never long.
    pub(crate) fn response(mut self, app: &App) -> Response {
        let body = Body::from(mem::take(&mut self.body));
        self.with_body(app, body)
    }

    /// The response to this address, if there is room for it.
    pub(crate) fn held_response(
        mut self,
        app: &App,
        peer: Option<IpAddr>,
    ) -> Result<Response, Refusal> {
        let held = app.answers.hold(mem::take(&mut self.body), peer)?;
        Ok(self.with_body(app, app.answers.body(held)))
    }

    fn with_body(self, app: &App, body: Body) -> Response {
        app.metrics.cut(self.limits);
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        if self.is_foreign {
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
            headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
        }
        response
    }
}

/// Takes so many bytes and no more.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most - self.bytes.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_long(most: usize) -> Refusal {
    let message = format!("the answer is longer than {most} bytes, ask for less of the page");
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
}

/// Would the places of a page's blocks make the answer too long? Each may take thousands of bytes where the
/// page's block takes four, so that this is asked before they are all written.
pub(crate) fn check_places(page: &Page<'_>, most: usize) -> Result<(), Refusal> {
    /// What a block takes beside its text and its place.
    const COUNTS: usize = 300;
    let mut length = 0;
    for atom in &page.document.atoms {
        // The selector is about as long as the path.
        length += 2 * page.tree.path(atom.nodes.start).len() + COUNTS;
        if length > most {
            return Err(too_long(most));
        }
    }
    Ok(())
}
