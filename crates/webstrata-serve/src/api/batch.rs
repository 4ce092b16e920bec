//! `POST /v1/batch`: many pages, a line of JSON each, answered line by line in their order.
//!
//! Lines are read only as fast as answers are taken, and some at a time: neither a long batch nor a slow
//! client costs more memory than a few pages. A client that goes stops the work on its lines.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::stream::{self, Stream, StreamExt};
use http_body_util::BodyExt;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;
use utoipa::ToSchema;
use webstrata::error::shortened;

use super::{Answer, Ready, extract, fetched, from_json, query};
use crate::answers::Peer;
use crate::app::{App, Shared};
use crate::body::{HeldBody, refuse_encodings, too_slow};
use crate::fields::Fields;
use crate::refusal::{ProblemDetail, Refusal};
use crate::request::{Asked, Id, PageFields, PageRequest};

/// What lines of JSON are called; there is no registered name.
const MEDIA_TYPES: [&str; 4] =
    ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/json"];

/// How long a line is looked for once more.
const SECOND_LOOK: Duration = Duration::from_millis(200);

/// A line that could not be answered.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchProblem {
    /// What the line asked to be known by, if that could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    /// Its number, from 1; empty lines count.
    line: u64,
    /// What is wrong.
    error: ProblemDetail,
}

pub(crate) async fn batch(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    check_media_type(&parts.headers)?;
    let mut common = Asked::<PageFields>::default();
    for (name, text) in query(&parts.uri)? {
        if ["id", "html", "url"].contains(&name.as_str()) {
            return Err(Refusal::bad(format!("`{name}`: each line has its own, write it there")));
        }
        common.write(&name, &text).map_err(Refusal::bad)?;
    }
    common.clone().build()?;
    let common = Arc::new(common);
    let peer = Peer::of(&parts.extensions);
    let at_a_time = app.settings.limits.batch.max(1);
    let counted = app.clone();
    let answers = lines(app.clone(), body)
        .map(move |line| answered(app.clone(), common.clone(), line, peer))
        .buffered(at_a_time)
        .map(move |line| {
            counted.metrics.batch_line();
            counted.metrics.written(line.len());
            Ok::<_, Infallible>(line)
        });
    let mut response = Response::new(Body::from_stream(answers));
    let media_type = HeaderValue::from_static(MEDIA_TYPES[0]);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Refusal> {
    refuse_encodings(headers)?;
    let written = headers.get(CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or_default());
    let essence = written.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if MEDIA_TYPES.contains(&essence.as_str()) {
        return Ok(());
    }
    let message =
        format!("`{}` is no lines of JSON, send `{}`", shortened(&essence), MEDIA_TYPES[0]);
    Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
}

/// A line that came, or why it did not.
struct Line {
    number: u64,
    read: Result<HeldBody, Refusal>,
}

/// The lines of a body. After one that does not come in time, there are no more.
fn lines(app: Arc<App>, body: Body) -> impl Stream<Item = Line> + Send {
    let ending = app.ending.subscribe();
    let reader = Reader { app, body, ending, rest: Bytes::new(), number: 0, is_over: false };
    stream::unfold(reader, |mut reader| async {
        let line = reader.next().await?;
        Some((line, reader))
    })
}

struct Reader {
    app: Arc<App>,
    body: Body,
    ending: watch::Receiver<bool>,
    /// What came behind the last line.
    rest: Bytes,
    number: u64,
    is_over: bool,
}

impl Reader {
    /// The next line that is not empty.
    async fn next(&mut self) -> Option<Line> {
        // Empty lines do not count: who sends nothing else has gone to sleep.
        let mut waited = Duration::ZERO;
        while !self.is_over {
            let read = self.line(&mut waited).await;
            let is_empty = |held: &HeldBody| held.bytes.trim_ascii().is_empty();
            if !read.as_ref().is_ok_and(is_empty) {
                return Some(Line { number: self.number, read });
            }
        }
        None
    }

    /// The next line. One that is refused is read to its end, so that the one after it is read as such.
    async fn line(&mut self, waited: &mut Duration) -> Result<HeldBody, Refusal> {
        let (mut held, mut refusal) = (HeldBody::default(), None);
        loop {
            let end = self.rest.iter().position(|byte| *byte == b'\n');
            let piece = self.rest.split_to(end.unwrap_or(self.rest.len()));
            if refusal.is_none() {
                refusal = self.take(&mut held, &piece).err();
            }
            if end.is_some() {
                let _ = self.rest.split_to(1);
                break;
            }
            match self.piece(waited).await {
                Ok(Some(piece)) => self.rest = piece,
                Ok(None) => {
                    self.is_over = true;
                    break;
                }
                Err(broken) => {
                    self.is_over = true;
                    refusal = Some(broken);
                    break;
                }
            }
        }
        self.number += 1;
        refusal.map_or(Ok(held), Err)
    }

    /// The next piece of the body. A server that ends reads no more.
    async fn piece(&mut self, waited: &mut Duration) -> Result<Option<Bytes>, Refusal> {
        let began = Instant::now();
        let time = self.app.settings.limits.body_time.saturating_sub(*waited);
        let came = tokio::select! {
            came = timeout(time, self.body.frame()) => came,
            _ = self.ending.wait_for(|ending| *ending) => return Err(ended()),
        };
        let came = match came {
            Ok(came) => came,
            // The time may have passed while the client took no answers, so that nobody looked for lines.
            Err(_) => match timeout(SECOND_LOOK, self.body.frame()).await {
                Ok(came) => came,
                Err(_) => return Err(too_slow("the line")),
            },
        };
        *waited += began.elapsed().min(time);
        match came {
            None => Ok(None),
            Some(Ok(frame)) => Ok(Some(frame.into_data().unwrap_or_default())),
            Some(Err(_)) => Err(Refusal::bad("the body is broken off or badly chunked")),
        }
    }

    fn take(&self, held: &mut HeldBody, piece: &[u8]) -> Result<(), Refusal> {
        self.app.metrics.read(piece.len());
        let limit = self.app.settings.limits.body;
        if held.bytes.len() + piece.len() > limit {
            *held = HeldBody::default();
            let message = format!("the line is longer than {limit} bytes, send less of the page");
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        held.push(piece, &self.app.room)
    }
}

fn ended() -> Refusal {
    let message = "the server ends, send this line and those after it again";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
}

/// The answer to a line, as a line.
async fn answered(
    app: Arc<App>,
    common: Arc<Asked<PageFields>>,
    line: Line,
    peer: Option<IpAddr>,
) -> Bytes {
    let Line { number, read } = line;
    let (id, answer) = match read {
        Ok(held) => answer(&app, common, held).await,
        Err(refusal) => (None, Err(refusal)),
    };
    let held = answer.and_then(|Answer { mut body, limits, .. }| {
        app.metrics.cut(limits);
        body.push(b'\n');
        app.answers.hold(body, peer)
    });
    held.unwrap_or_else(|refusal| {
        let problem = BatchProblem { id, line: number, error: refusal.problem().error };
        // Numbers and strings can always be written.
        let mut bytes = serde_json::to_vec(&problem).unwrap_or_default();
        bytes.push(b'\n');
        bytes.into()
    })
}

/// What a line is known by, and its answer.
async fn answer(
    app: &Arc<App>,
    common: Arc<Asked<PageFields>>,
    held: HeldBody,
) -> (Option<Id>, Result<Answer, Refusal>) {
    let worker = app.clone();
    // All batches together are some lines before those who ask once, however many there are.
    let _turn = app.batch_lines.acquire().await;
    let begun = app.work.run_unqueued(move || begin(&worker, &common, held)).await;
    match begun {
        Err(refusal) => (None, Err(refusal)),
        Ok((id, Err(refusal))) => (id, Err(refusal)),
        Ok((id, Ok(Begun::Done(answer)))) => (id, Ok(answer)),
        Ok((id, Ok(Begun::Fetch(asked, url)))) => {
            (id, fetched(app, None, *asked, url, extract::answer).await)
        }
    }
}

enum Begun {
    Done(Answer),
    Fetch(Box<PageRequest>, String),
}

fn begin(
    app: &App,
    common: &Asked<PageFields>,
    held: HeldBody,
) -> (Option<Id>, Result<Begun, Refusal>) {
    let ready = match from_json(common.clone(), held) {
        Ok(ready) => ready,
        Err(refusal) => return (None, Err(refusal)),
    };
    let (Ready::Page(fields, _) | Ready::Address(fields, _)) = &ready;
    let id = fields.own.id.clone();
    let begun = ready.build().and_then(|ready| match ready {
        Ready::Page(asked, page) => extract::answer(app, &asked, None, &page).map(Begun::Done),
        Ready::Address(asked, url) => Ok(Begun::Fetch(Box::new(asked), url)),
    });
    (id, begun)
}
