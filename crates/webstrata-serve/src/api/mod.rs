//! The endpoints, a file each, and what those that read pages have in common.

mod answer;
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

use std::mem;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, Request};
use axum::http::HeaderMap;
use axum::response::Response;
use tokio::runtime::Handle;

use self::answer::{Answer, check_places};
use self::form::Form;
use crate::app::App;
use crate::body::{self, Held, Kind};
use crate::fields::FromText;
use crate::refusal::Refusal;
use crate::request::{Format, OfPage};

/// A page's bytes and where its encoding was said.
pub(crate) struct PageBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) charset: Option<String>,
    /// The room that the bytes take; freed when the work is done.
    _held: Held,
}

/// What is done with a page of a request.
type Job<T> = fn(&App, &T, Option<Format>, &PageBytes) -> Result<Answer, Refusal>;

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
            Ready::Page(fields, page) => Begun::Done(job(&worker, &fields, format, &page)?),
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
    app.work.run(move || job(&worker, &fields, format, &page)).await?
}

/// Fetches the page that a request names.
async fn fetch<T: OfPage>(app: &App, fields: &mut T, url: String) -> Result<PageBytes, Refusal> {
    let Some(fetching) = &app.fetching else { return Err(fetching::off()) };
    let page = fetching.get(url).await?;
    *fields.url() = Some(page.url);
    let charset = fields.charset().map(str::to_owned).or(page.charset);
    app.metrics.read(page.bytes.len());
    let mut held = Held::of_page(page.bytes, &app.room)?;
    Ok(PageBytes { bytes: mem::take(&mut held.bytes), charset, _held: held })
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
    Form(Held, String),
}

impl Sent {
    async fn read(app: &App, headers: &HeaderMap, kind: Kind, body: Body) -> Result<Sent, Refusal> {
        let held = body::read(headers, body, &app.settings.limits, &app.room).await?;
        app.metrics.read(held.bytes.len());
        if held.bytes.is_empty() {
            let remedy = "send a page, or JSON such as {\"html\": \"…\"}";
            return Err(Refusal::bad(format!("the body is empty, {remedy}")));
        }
        Ok(match kind {
            Kind::Json => Sent::Json(held),
            Kind::Page { charset } => Sent::Page(held, charset),
            Kind::Form(boundary) => Sent::Form(held, boundary),
        })
    }

    /// The page and the fields beside it; of JSON, nothing yet.
    fn opened(&mut self) -> Result<Form, Refusal> {
        match self {
            Sent::Json(_) => Ok(Form::default()),
            Sent::Page(held, charset) => {
                let (file, charset) = (mem::take(&mut held.bytes), charset.take());
                Ok(Form { file, charset, fields: Vec::new() })
            }
            Sent::Form(held, boundary) => {
                let (bytes, boundary) = (mem::take(&mut held.bytes), mem::take(boundary));
                // All bytes are here: nothing is waited for.
                Handle::current().block_on(form::read(bytes, boundary))
            }
        }
    }
}

/// The fields after the `?`.
fn query(uri: &axum::http::Uri) -> Result<Vec<(String, String)>, Refusal> {
    let remedy = "write `?name=value&name=value`";
    let wrong = |_| Refusal::bad(format!("what follows the `?` cannot be read, {remedy}"));
    Query::try_from_uri(uri).map(|Query(pairs)| pairs).map_err(wrong)
}

/// Makes a request of what was sent. Fields of the body count more than those of the address.
fn prepare<T: OfPage>(
    mut sent: Sent,
    query: &[(String, String)],
) -> Result<(Option<Format>, Ready<T>), Refusal> {
    let (mut fields, mut format) = (T::default(), None);
    let form = sent.opened()?;
    let in_form = |name: &str| form.fields.iter().any(|(field, _)| field == name);
    for (name, text) in query {
        match name.as_str() {
            "format" => format = Some(Format::from_text(text).map_err(Refusal::bad)?),
            "html" => {
                let message = "`html`: the page belongs into the body, not into the address";
                return Err(Refusal::bad(message));
            }
            name if in_form(name) => {}
            name => fields.write(name, text).map_err(Refusal::bad)?,
        }
    }
    for (name, text) in &form.fields {
        fields.write(name, text).map_err(Refusal::bad)?;
    }
    let ready = match sent {
        Sent::Json(held) => from_json(fields, held)?,
        Sent::Page(held, _) | Sent::Form(held, _) => {
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
fn from_json<T: OfPage>(fields: T, mut held: Held) -> Result<Ready<T>, Refusal> {
    let mut fields =
        fields.read_json(&held.bytes).map_err(|e| Refusal::bad(format!("JSON: {e}")))?;
    if let Some(html) = fields.take_html() {
        if fields.charset().is_some() {
            let message = "`charset`: `html` is text already, leave it out or send bytes";
            return Err(Refusal::bad(message));
        }
        // The room is that of the page now.
        held.bytes = Vec::new();
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
