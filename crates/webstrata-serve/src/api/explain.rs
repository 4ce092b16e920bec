//! `POST /v1/explain`: which blocks of a page are kept and dropped, and by what.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use webstrata::Extractor;
use webstrata::output::Explanation;

use super::extract::highlighted;
use super::{Answer, PageBytes, check_places, with_page};
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
    request: &PageRequest,
    format: Option<Format>,
    bytes: &PageBytes,
) -> Result<Answer, Refusal> {
    if format.is_some_and(|format| format != Format::Json) {
        return Err(Refusal::bad("`format`: an explanation is JSON, use /v1/extract for others"));
    }
    let options = request.options(bytes.charset.clone(), &app.settings.limits);
    let asked = request.extractor()?;
    // What is explained is what /v1/extract does, so that the extractor that it falls back to counts.
    let mut page = asked.extract_page(&bytes.bytes, &options);
    let used = page.document.extractor.as_str();
    let used = Extractor::named(used).filter(|_| used != asked.name).unwrap_or(&asked);
    let most = app.settings.limits.answer;
    check_places(&page, most)?;
    let highlight = request.has_highlight().then(|| highlighted(&page));
    page.cut_again(used.cutting, &options);
    let limits = page.document.limits;
    let source = request.has_source().then(|| page.tree.source().to_owned());
    let explanation = Explanation::of(page, used, &request.parts(), &request.markup());
    let explained = Explained { id: request.id.as_ref(), explanation, highlight, source };
    Answer::json_within(&explained, limits, most)
}
