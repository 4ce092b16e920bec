//! The endpoints, a file each, and what those that read pages have in common.

pub(crate) mod batch;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod extractors;
pub(crate) mod facets;
pub(crate) mod fetching;
pub(crate) mod form;
pub(crate) mod health;
pub(crate) mod info;
pub(crate) mod search;
pub(crate) mod segment;
pub(crate) mod streams;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, Request};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde::Serialize;
use webstrata::LimitsHit;

use crate::app::App;
use crate::body::{self, Held, Kind};
use crate::fields::FromText;
use crate::refusal::Refusal;
use crate::request::{Format, OfPage};

/// What is served of other people's pages runs nothing and loads nothing, even if it is opened by itself.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
    frame-ancestors 'self'";

pub(crate) const JSON: &str = "application/json";

/// A page's bytes and where its encoding was said.
pub(crate) struct PageBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) charset: Option<String>,
    /// The room that the bytes take; freed when the work is done.
    _held: Held,
}

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
    pub(crate) fn json(value: &impl Serialize, limits: LimitsHit) -> Result<Answer, Refusal> {
        let body = serde_json::to_vec(value).map_err(Refusal::bad)?;
        Ok(Answer { media_type: JSON, body, limits, is_foreign: false })
    }

    fn response(self, app: &App) -> Response {
        app.metrics.cut(self.limits);
        let mut response = Response::new(Body::from(self.body));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        if self.is_foreign {
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
        }
        response
    }
}

/// What is done with a page of a request.
type Job<T> = fn(&App, T, Option<Format>, &PageBytes) -> Result<Answer, Refusal>;

/// Reads a request with a page, fetches the page if need be, and does the work on a worker.
pub(crate) async fn with_page<T: OfPage>(
    app: Arc<App>,
    request: Request,
    job: Job<T>,
) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let query = query(&parts.uri)?;
    let kind = Kind::of(&parts.headers)?;
    let sent = Sent::read(&app, &parts.headers, kind, body).await?;
    let worker = app.clone();
    let begun = app.work.run(move || {
        let (format, ready) = prepare::<T>(sent, &query)?;
        Ok(match ready {
            Ready::Page(fields, page) => Begun::Done(job(&worker, fields, format, &page)?),
            Ready::Address(fields, url) => Begun::Fetch(format, fields, url),
        })
    });
    let answer = match begun.await?? {
        Begun::Done(answer) => answer,
        Begun::Fetch(format, fields, url) => fetched(&app, format, fields, url, job).await?,
    };
    Ok(answer.response(&app))
}

async fn fetched<T: OfPage>(
    app: &Arc<App>,
    format: Option<Format>,
    mut fields: T,
    url: String,
    job: Job<T>,
) -> Result<Answer, Refusal> {
    let page = fetch(app, &mut fields, url).await?;
    let worker = app.clone();
    app.work.run(move || job(&worker, fields, format, &page)).await?
}

/// Fetches the page that a request names.
async fn fetch<T: OfPage>(app: &App, fields: &mut T, url: String) -> Result<PageBytes, Refusal> {
    let Some(fetching) = &app.fetching else { return Err(fetching::off()) };
    let page = fetching.get(url).await?;
    *fields.url() = Some(page.url);
    let charset = fields.charset().map(str::to_owned).or(page.charset);
    Ok(PageBytes { bytes: page.bytes, charset, _held: Held::default() })
}

enum Begun<T> {
    Done(Answer),
    Fetch(Option<Format>, T, String),
}

/// A request whose page is here, or where the page is.
enum Ready<T> {
    Page(T, PageBytes),
    Address(T, String),
}

/// What a client sent.
enum Sent {
    Json(Held),
    Page(Held, Option<String>),
    Form(form::Form, Held),
}

impl Sent {
    async fn read(app: &App, headers: &HeaderMap, kind: Kind, body: Body) -> Result<Sent, Refusal> {
        let mut held = body::read(headers, body, &app.settings.limits, &app.room).await?;
        app.metrics.read(held.bytes.len());
        if held.bytes.is_empty() {
            return Err(Refusal::bad(
                "the body is empty, send a page, or JSON such as {\"html\": \"…\"}",
            ));
        }
        Ok(match kind {
            Kind::Json => Sent::Json(held),
            Kind::Page { charset } => Sent::Page(held, charset),
            Kind::Form(boundary) => {
                let bytes = std::mem::take(&mut held.bytes);
                Sent::Form(form::read(bytes, boundary).await?, held)
            }
        })
    }
}

impl Sent {
    /// Is the field one of the form's? JSON is not read yet; it overwrites what it has.
    fn has(&self, name: &str) -> bool {
        matches!(self, Sent::Form(form, _) if form.fields.iter().any(|(field, _)| field == name))
    }
}

/// The fields after the `?`.
fn query(uri: &axum::http::Uri) -> Result<Vec<(String, String)>, Refusal> {
    let wrong =
        |_| Refusal::bad("what follows the `?` cannot be read, write `?name=value&name=value`");
    Query::try_from_uri(uri).map(|Query(pairs)| pairs).map_err(wrong)
}

/// Makes a request of what was sent. Fields of the body count more than those of the address.
fn prepare<T: OfPage>(
    sent: Sent,
    query: &[(String, String)],
) -> Result<(Option<Format>, Ready<T>), Refusal> {
    let mut fields = T::default();
    let mut format = None;
    for (name, text) in query {
        if sent.has(name) {
            continue;
        }
        if name == "format" {
            format = Some(Format::from_text(text).map_err(Refusal::bad)?);
        } else if name == "html" {
            return Err(Refusal::bad(
                "`html`: the page belongs into the body, not into the address",
            ));
        } else {
            fields.write(name, text).map_err(Refusal::bad)?;
        }
    }
    let ready = match sent {
        Sent::Json(held) => from_json(fields, held)?,
        Sent::Page(mut held, charset) => {
            let bytes = std::mem::take(&mut held.bytes);
            let charset = fields.charset().map(str::to_owned).or(charset);
            Ready::Page(fields, PageBytes { bytes, charset, _held: held })
        }
        Sent::Form(form, held) => {
            for (name, text) in &form.fields {
                fields.write(name, text).map_err(Refusal::bad)?;
            }
            let charset = fields.charset().map(str::to_owned).or(form.charset);
            Ready::Page(fields, PageBytes { bytes: form.file, charset, _held: held })
        }
    };
    match &ready {
        Ready::Page(fields, _) | Ready::Address(fields, _) => fields.check()?,
    }
    Ok((format, ready))
}

/// A request of JSON.
fn from_json<T: OfPage>(fields: T, held: Held) -> Result<Ready<T>, Refusal> {
    let mut fields =
        fields.read_json(&held.bytes).map_err(|e| Refusal::bad(format!("JSON: {e}")))?;
    if let Some(html) = fields.take_html() {
        if fields.charset().is_some() {
            let message = "`charset`: `html` is text already, leave it out or send bytes";
            return Err(Refusal::bad(message));
        }
        // Whatever the page says: JSON has been decoded.
        let charset = Some("utf-8".into());
        return Ok(Ready::Page(
            fields,
            PageBytes { bytes: html.into_bytes(), charset, _held: held },
        ));
    }
    match fields.url().take() {
        Some(url) => Ok(Ready::Address(fields, url)),
        None => {
            Err(Refusal::bad("no page in the JSON, write it as `html`, or its address as `url`"))
        }
    }
}
