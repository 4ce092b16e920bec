//! `POST /v1/extract`: a page in, its main text out.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata::output::{self, RecordPart};
use webstrata::{Page, Record};

use super::{Answer, PageBytes, check_places, with_page};
use crate::app::{App, Shared};
use crate::refusal::Refusal;
use crate::request::{Format, HIGHLIGHT, Id, PageRequest, SOURCE};

/// The main text of a page, and what else was asked for.
#[derive(Serialize, ToSchema)]
#[schema(as = ExtractAnswer)]
pub(crate) struct Extracted<'a> {
    /// What the request asked to be known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a Id>,
    #[serde(flatten)]
    pub(crate) record: Record,
    /// The language that the main text is written in, if the text is long enough to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text_language: Option<&'static str>,
    /// The page as HTML with its main text marked and nothing in it that runs (`with`: `highlight`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) highlight: Option<String>,
    /// The page itself, decoded (`with`: `source`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
}

pub(crate) async fn extract(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    with_page(app, request, answer).await
}

/// The work: everything from bytes to bytes.
pub(crate) fn answer(
    app: &App,
    asked: &PageRequest,
    format: Option<Format>,
    bytes: &PageBytes,
) -> Result<Answer, Refusal> {
    let options = asked.options(bytes.charset.clone(), &app.settings.limits);
    let request = &asked.request;
    let page = request.extract_with(&bytes.bytes, &options);
    let alone = |media_type, body: String, is_foreign| {
        let limits = page.document.limits();
        Ok(Answer { media_type, body: body.into_bytes(), limits, is_foreign })
    };
    match format.unwrap_or(Format::Json) {
        Format::Json => record(asked, &page, app.settings.limits.answer),
        Format::Text => alone("text/plain; charset=utf-8", request.text(&page), false),
        Format::Markdown => alone("text/markdown; charset=utf-8", request.markdown(&page), false),
        Format::Html => alone("text/html; charset=utf-8", request.html(&page), true),
        Format::Highlight => alone("text/html; charset=utf-8", highlighted(&page), true),
    }
}

fn record(asked: &PageRequest, page: &Page<'_>, most: usize) -> Result<Answer, Refusal> {
    let request = &asked.request;
    if request.parts.contains(&RecordPart::Blocks) {
        check_places(page, most)?;
    }
    let answer = Extracted {
        id: asked.own.id.as_ref(),
        record: request.record_of(page),
        text_language: page.document.text_language(),
        highlight: request.has_other_part(HIGHLIGHT).then(|| highlighted(page)),
        source: request.has_other_part(SOURCE).then(|| page.tree.source().to_owned()),
    };
    Answer::json_within(&answer, page.document.limits(), most)
}

pub(crate) fn highlighted(page: &Page<'_>) -> String {
    output::highlight(&page.document, &page.tree)
}
