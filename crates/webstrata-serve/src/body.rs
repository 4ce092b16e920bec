//! Bodies of requests, within their limits.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use webstrata::error::shortened;
use webstrata_archive::charset_of;

use crate::refusal::Refusal;
use crate::settings::Limits;

/// What a body is, as its head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// A request as JSON.
    Json,
    /// The page itself.
    Page {
        /// The encoding that the head names.
        charset: Option<String>,
    },
    /// A form with the page as a file, and what parts its fields.
    Form(String),
}

impl BodyKind {
    pub(crate) fn of(headers: &HeaderMap) -> Result<BodyKind, Refusal> {
        refuse_encodings(headers)?;
        let Some(written) = headers.get(CONTENT_TYPE) else {
            return Ok(BodyKind::Page { charset: None });
        };
        let written = written.to_str().unwrap_or_default();
        let essence = written.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Ok(BodyKind::Json),
            "text/html" | "application/xhtml+xml" | "application/octet-stream" => {
                Ok(BodyKind::Page { charset: charset_of(written).map(str::to_owned) })
            }
            "multipart/form-data" => multer::parse_boundary(written).map(BodyKind::Form).map_err(|_| {
                Refusal::bad("`Content-Type`: a form needs a `boundary`, as in `curl -F file=@page.html`")
            }),
            other => Err(unsupported(&format!(
                "`{}` is no page, send `text/html`, `application/octet-stream`, `application/json` or \
                 `multipart/form-data`",
                shortened(other)
            ))),
        }
    }
}

pub(crate) fn refuse_encodings(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_plain =
        |value: &axum::http::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(is_plain) {
        return Ok(());
    }
    Err(unsupported("`Content-Encoding`: packed bodies are not read, send the page as it is"))
}

fn unsupported(message: &str) -> Refusal {
    Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
}

/// Bodies up to this size have room of their own, which no large ones can take.
pub(crate) const SMALL: usize = 1 << 20;

/// What all bodies together may take, in bytes; the same of answers.
pub(crate) struct BodyMemory {
    any: Arc<Semaphore>,
    small: Arc<Semaphore>,
}

impl BodyMemory {
    pub(crate) fn new(bytes: usize) -> BodyMemory {
        let small = bytes / 4;
        let any = Arc::new(Semaphore::new(bytes - small));
        BodyMemory { any, small: Arc::new(Semaphore::new(small)) }
    }

    /// Room for some bytes; for those of a small body in any case where others are large.
    pub(crate) fn take(&self, bytes: usize, is_small: bool) -> Result<Permit, Refusal> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let own = [&self.small].into_iter().filter(|_| is_small);
        let taken = own.chain([&self.any]).find_map(|room| {
            let permit = room.clone().try_acquire_many_owned(bytes).ok()?;
            Some(Permit(permit))
        });
        taken.ok_or_else(|| Refusal::busy("too many bytes are under way"))
    }
}

/// Room that was taken; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Permit(#[expect(dead_code, reason = "held, not looked at")] OwnedSemaphorePermit);

/// A body that was read, and the room that it takes.
#[derive(Debug, Default)]
pub(crate) struct HeldBody {
    pub(crate) bytes: Vec<u8>,
    room: Vec<Permit>,
    is_small: bool,
    /// How many bytes there is room for.
    allowed: usize,
}

impl HeldBody {
    /// A body of which is known beforehand whether it is small.
    fn of_size(is_small: bool) -> HeldBody {
        HeldBody { is_small, ..HeldBody::default() }
    }

    /// A page that came in another way.
    pub(crate) fn of_page(bytes: Vec<u8>, room: &BodyMemory) -> Result<HeldBody, Refusal> {
        let permit = room.take(bytes.len(), bytes.len() <= SMALL)?;
        Ok(HeldBody { room: vec![permit], allowed: bytes.len(), bytes, is_small: false })
    }

    /// Adds a piece.
    pub(crate) fn push(&mut self, piece: &[u8], room: &BodyMemory) -> Result<(), Refusal> {
        // Room is taken in steps that grow, so that a body of many pieces has few permits.
        let needed = (self.bytes.len() + piece.len()).saturating_sub(self.allowed);
        if needed > 0 {
            let step = needed.max(self.allowed).min(SMALL.max(needed));
            let (size, permit) = match room.take(step, self.is_small) {
                Ok(permit) => (step, permit),
                Err(_) => (needed, room.take(needed, self.is_small)?),
            };
            self.room.push(permit);
            self.allowed += size;
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }
}

/// Reads a whole body.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
    room: &BodyMemory,
) -> Result<HeldBody, Refusal> {
    // Whoever says at once that it is too much is told so before a byte of it is read.
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > limits.body as u64) {
        return Err(Refusal::too_large(limits.body));
    }
    let is_small = length.is_some_and(|length| length <= SMALL as u64);
    match timeout(limits.body_time, pieces(body, limits, HeldBody::of_size(is_small), room)).await {
        Ok(held) => held,
        Err(_) => Err(too_slow("the body")),
    }
}

pub(crate) fn too_slow(what: &str) -> Refusal {
    let message = format!("{what} took too long to come, send it faster");
    Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
}

/// Bytes that come a few at a time keep the room of those that came before: they are given up early.
async fn pieces(
    mut body: Body,
    limits: &Limits,
    mut held: HeldBody,
    room: &BodyMemory,
) -> Result<HeldBody, Refusal> {
    let window = limits.body_time / 6;
    let least = (limits.rate as f64 * window.as_secs_f64()) as usize;
    let (mut until, mut came) = (Instant::now() + window, 0);
    loop {
        let Ok(frame) = timeout_at(until, body.frame()).await else {
            if came < least {
                return Err(too_slow("the body"));
            }
            (until, came) = (Instant::now() + window, 0);
            continue;
        };
        let Some(frame) = frame else { return Ok(held) };
        let frame = frame.map_err(|_| Refusal::bad("the body is broken off or badly chunked"))?;
        let Ok(piece) = frame.into_data() else { continue };
        if held.bytes.len() + piece.len() > limits.body {
            return Err(Refusal::too_large(limits.body));
        }
        came += piece.len();
        held.push(&piece, room)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &'static str) -> HeaderMap {
        let name = axum::http::HeaderName::from_static(name);
        HeaderMap::from_iter([(name, axum::http::HeaderValue::from_static(value))])
    }

    #[test]
    fn kinds_of_bodies() {
        let check = |written: &'static str, expect: BodyKind| {
            assert_eq!(BodyKind::of(&headers("content-type", written)), Ok(expect), "{written}");
        };
        let page = |charset: Option<&str>| BodyKind::Page { charset: charset.map(str::to_owned) };
        check("application/json", BodyKind::Json);
        check("Application/JSON; charset=utf-8", BodyKind::Json);
        check("text/html", page(None));
        check("text/html; charset=\"latin1\"", page(Some("latin1")));
        check("application/octet-stream", page(None));
        check("multipart/form-data; boundary=x", BodyKind::Form("x".into()));
        assert_eq!(BodyKind::of(&HeaderMap::new()), Ok(page(None)));
        let refused =
            |name, value| BodyKind::of(&headers(name, value)).expect_err(value).status.as_u16();
        assert_eq!(refused("content-type", "application/x-www-form-urlencoded"), 415);
        assert_eq!(refused("content-type", ""), 415);
        assert_eq!(refused("content-type", "multipart/form-data"), 400);
        assert_eq!(refused("content-encoding", "gzip"), 415);
    }
}
