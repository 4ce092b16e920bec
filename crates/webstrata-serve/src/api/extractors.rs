//! `GET /v1/extractors`: the built-in extractors.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata::Extractor;
use webstrata::filters::Step;

use super::Answer;
use crate::app::Shared;
use crate::refusal::Refusal;

/// The version of [`Extractors`]' shape.
const EXTRACTORS_VERSION: u32 = 1;

/// The extractors that the server knows.
#[derive(Serialize, ToSchema)]
pub(crate) struct Extractors {
    /// The version of this shape.
    version: u32,
    /// The one that is used where none is named.
    default: &'static str,
    /// All of them.
    extractors: Vec<Listed>,
}

/// An extractor.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedExtractor)]
struct Listed {
    /// What it is called.
    name: &'static str,
    /// One line on what it is for.
    about: &'static str,
    /// Where it is described.
    paper: &'static str,
    /// Does `favor` change it?
    favor: bool,
    /// Its steps.
    steps: Vec<ListedStep>,
    /// The extractor as TOML, to begin with where another one is wanted.
    toml: String,
}

/// A step of an extractor.
#[derive(Serialize, ToSchema)]
struct ListedStep {
    /// The name of its filter.
    filter: &'static str,
    /// What it does.
    doc: String,
}

pub(crate) async fn extractors(State(app): Shared) -> Result<Response, Refusal> {
    let list = Extractors {
        version: EXTRACTORS_VERSION,
        default: &Extractor::default_builtin().name,
        extractors: Extractor::builtin().iter().map(listed).collect(),
    };
    Ok(Answer::json(&list)?.response(&app))
}

fn listed(extractor: &'static Extractor) -> Listed {
    let step = |step: &Step| ListedStep { filter: step.name(), doc: step.doc() };
    Listed {
        name: &extractor.name,
        about: &extractor.about,
        paper: &extractor.paper,
        favor: extractor.with_recall(1.0).is_some(),
        steps: extractor.steps.iter().map(step).collect(),
        toml: extractor.to_toml(),
    }
}
