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
use crate::answers::Peer;
use crate::app::App;
use crate::body::{self, BodyKind, HeldBody};
use crate::fields::{Fields, FromText};
use crate::refusal::Refusal;
use crate::request::{Asked, Built, Format, OwnFields};

/// A page's bytes and where its encoding was said.
pub(crate) struct PageBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) charset: Option<String>,
    /// The room that the bytes take; freed when the work is done.
    _held: HeldBody,
}

/// What is done with a page of a request.
type Job<F> = fn(&App, &Built<F>, Option<Format>, &PageBytes) -> Result<Answer, Refusal>;

/// Reads a request with a page, fetches the page if need be, and does the work on a worker.
pub(crate) async fn with_page<F: OwnFields>(
    app: Arc<App>,
    request: Request,
    job: Job<F>,
) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let query = query(&parts.uri)?;
    let kind = BodyKind::of(&parts.headers)?;
    let peer = Peer::of(&parts.extensions);
    let sent = Sent::read(&app, &parts.headers, kind, body).await?;
    let worker = app.clone();
    let begun = app.work.run(move || {
        let (format, ready) = prepare::<F>(sent, &query)?;
        Ok(match ready {
            Ready::Page(asked, page) => Begun::Done(job(&worker, &asked, format, &page)?),
            Ready::Address(asked, url) => Begun::Fetch(format, asked, url),
        })
    });
    let answer = match begun.await?? {
        Begun::Done(answer) => answer,
        Begun::Fetch(format, asked, url) => fetched(&app, format, asked, url, job).await?,
    };
    answer.held_response(&app, peer)
}

async fn fetched<F: OwnFields>(
    app: &Arc<App>,
    format: Option<Format>,
    mut asked: Built<F>,
    url: String,
    job: Job<F>,
) -> Result<Answer, Refusal> {
    let page = fetch(app, &mut asked, url).await?;
    let worker = app.clone();
    app.work.run(move || job(&worker, &asked, format, &page)).await?
}

/// Fetches the page that a request names.
async fn fetch<F>(app: &App, asked: &mut Built<F>, url: String) -> Result<PageBytes, Refusal> {
    let Some(fetching) = &app.fetching else { return Err(fetching::off()) };
    let page = fetching.get(url).await?;
    let options = &mut asked.request.options;
    options.url = Some(page.url);
    let charset = options.charset.clone().or(page.charset);
    app.metrics.read(page.bytes.len());
    let mut held = HeldBody::of_page(page.bytes, &app.room)?;
    Ok(PageBytes { bytes: mem::take(&mut held.bytes), charset, _held: held })
}

enum Begun<F> {
    Done(Answer),
    Fetch(Option<Format>, Built<F>, String),
}

/// A request whose page is here, or where the page is.
enum Ready<T> {
    Page(T, PageBytes),
    Address(T, String),
}

impl<F: OwnFields> Ready<Asked<F>> {
    /// The same with all values checked.
    fn build(self) -> Result<Ready<Built<F>>, Refusal> {
        Ok(match self {
            Ready::Page(asked, page) => Ready::Page(asked.build()?, page),
            Ready::Address(asked, url) => Ready::Address(asked.build()?, url),
        })
    }
}

/// What a client sent.
enum Sent {
    Json(HeldBody),
    Page(HeldBody, Option<String>),
    Form(HeldBody, String),
}

impl Sent {
    async fn read(
        app: &App,
        headers: &HeaderMap,
        kind: BodyKind,
        body: Body,
    ) -> Result<Sent, Refusal> {
        let held = body::read(headers, body, &app.settings.limits, &app.room).await?;
        app.metrics.read(held.bytes.len());
        if held.bytes.is_empty() {
            let remedy = "send a page, or JSON such as {\"html\": \"…\"}";
            return Err(Refusal::bad(format!("the body is empty, {remedy}")));
        }
        Ok(match kind {
            BodyKind::Json => Sent::Json(held),
            BodyKind::Page { charset } => Sent::Page(held, charset),
            BodyKind::Form(boundary) => Sent::Form(held, boundary),
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
fn prepare<F: OwnFields>(
    mut sent: Sent,
    query: &[(String, String)],
) -> Result<(Option<Format>, Ready<Built<F>>), Refusal> {
    let (mut fields, mut format) = (Asked::<F>::default(), None);
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
    Ok((format, ready.build()?))
}

/// A request of JSON.
fn from_json<F: OwnFields>(
    fields: Asked<F>,
    mut held: HeldBody,
) -> Result<Ready<Asked<F>>, Refusal> {
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
    match fields.url().map(str::to_owned) {
        Some(url) => Ok(Ready::Address(fields, url)),
        None => {
            Err(Refusal::bad("no page in the JSON, write it as `html`, or its address as `url`"))
        }
    }
}
