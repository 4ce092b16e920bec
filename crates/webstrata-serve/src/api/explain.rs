//! `POST /v1/explain`: which blocks of a page are kept and dropped, and by what.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use webstrata::Page;
use webstrata::output::Explanation;

use super::extract::highlighted;
use super::{Answer, PageBytes, with_page};
use crate::app::{App, Shared};
use crate::refusal::Refusal;
use crate::request::{Format, Id, PageRequest};

#[derive(Serialize)]
struct Explained<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(flatten)]
    explanation: Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    highlight: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

pub(crate) async fn explain(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    with_page(app, request, answer).await
}

fn answer(
    app: &App,
    request: PageRequest,
    format: Option<Format>,
    bytes: &PageBytes,
) -> Result<Answer, Refusal> {
    if format.is_some_and(|format| format != Format::Json) {
        return Err(Refusal::bad("`format`: an explanation is JSON, use /v1/extract for others"));
    }
    let options = request.options(bytes.charset.clone(), &app.settings.limits);
    let extractor = request.extractor()?;
    let page = Page::read(&bytes.bytes, extractor.cutting, &options);
    let limits = page.document.limits;
    let source = request.has_source().then(|| page.tree.source().to_owned());
    // Explaining consumes the page; marking it takes a second look at its tree.
    let highlight = request.has_highlight().then(|| {
        let mut page = Page::read(&bytes.bytes, extractor.cutting, &options);
        extractor.apply(&mut page.document);
        highlighted(&page)
    });
    let explanation = Explanation::of(page, &extractor, &request.parts(), &request.markup());
    Answer::json(&Explained { id: request.id.as_ref(), explanation, highlight, source }, limits)
}
