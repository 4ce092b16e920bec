//! `POST /v1/explain`: which blocks of a page are kept and dropped, and by what.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata::output::Explanation;

use super::extract::highlighted;
use super::{Answer, PageBytes, check_places, with_page};
use crate::app::{App, Shared};
use crate::refusal::Refusal;
use crate::request::{Format, HIGHLIGHT, Id, PageRequest, SOURCE};

/// A page, every block with its decision, and what each step did.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplainAnswer)]
pub(crate) struct Explained<'a> {
    /// What the request asked to be known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(flatten)]
    explanation: Explanation,
    /// The page as HTML with its main text marked (`with`: `highlight`).
    #[serde(skip_serializing_if = "Option::is_none")]
    highlight: Option<String>,
    /// The page itself, decoded (`with`: `source`).
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

pub(crate) async fn explain(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    with_page(app, request, answer).await
}

fn answer(
    app: &App,
    asked: &PageRequest,
    format: Option<Format>,
    bytes: &PageBytes,
) -> Result<Answer, Refusal> {
    if format.is_some_and(|format| format != Format::Json) {
        return Err(Refusal::bad("`format`: an explanation is JSON, use /v1/extract for others"));
    }
    let options = asked.options(bytes.charset.clone(), &app.settings.limits);
    let request = &asked.request;
    // What is explained is what /v1/extract does, so that the extractor that it falls back to counts.
    let mut page = request.extract_with(&bytes.bytes, &options);
    let used = request.applied_to(&page.document);
    let most = app.settings.limits.answer;
    check_places(&page, most)?;
    let highlight = request.has_other_part(HIGHLIGHT).then(|| highlighted(&page));
    page.cut_again(used.cutting, &options);
    let source = request.has_other_part(SOURCE).then(|| page.tree.source().to_owned());
    let explanation = request.explain_by(page, used);
    let limits = explanation.record.limits.iter().map(String::as_str).collect();
    let explained = Explained { id: asked.own.id.as_ref(), explanation, highlight, source };
    Answer::json_within(&explained, limits, most)
}
