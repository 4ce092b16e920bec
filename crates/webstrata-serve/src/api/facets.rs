//! `GET /v1/facets`: the facets of search results.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata_search::Index;
use webstrata_search::facets::{Dimension, FacetOptions, facets_of};

use super::Answer;
use super::search::{
    Day, FacetNames, SearchRequest, WithinName, asked, index, milliseconds, unreadable,
};
use crate::app::Shared;
use crate::fields::request;
use crate::refusal::Refusal;

/// The version of [`FacetsAnswer`]'s shape.
const FACETS_VERSION: u32 = 1;

request! {
    /// A search, and how its facets are looked for (thesis, section 3.4).
    FacetsRequest {
        /// Words, `"phrases"`, `-words` that must not be there, `title:word`. Nothing asks for all pages.
        #[schema(example = "harbour ferry")]
        q: String,
        /// How much link ranks count: 0 not at all, 1 as in the thesis (Equation 3.5).
        #[schema(minimum = 0, maximum = 5, default = 1)]
        weight: f64,
        /// Facets that were chosen already; `NAME^2` counts twice as much as `NAME`.
        facet: FacetNames,
        /// Pages of this host or of one in this domain.
        host: String,
        /// Pages in this language; `pt` includes `pt-br`.
        language: String,
        /// Pages of this type.
        #[schema(rename = "type")]
        page_type = "type": String,
        /// Published on this day, month or year or later.
        from: Day,
        /// Published on this day, month or year or earlier.
        to: Day,
        /// Only words of blocks of at least so many words count.
        #[schema(minimum = 1, maximum = 100)]
        min_words: u32,
        /// Only words of blocks of at least this text density count.
        #[schema(minimum = 1, maximum = 20)]
        min_density: u32,
        /// Where words are looked for.
        #[schema(rename = "in")]
        within = "in": WithinName,
        /// How many of the best results are looked at.
        #[schema(minimum = 1, maximum = 1000, default = 100)]
        k: usize,
        /// The membership from which on a page counts for a facet.
        #[schema(minimum = 0, maximum = 100, default = 0.1)]
        threshold: f64,
        /// The share of results from which on a facet is suggested.
        #[schema(minimum = 0.01, maximum = 1, default = 0.1)]
        lambda: f64,
        /// How often the rankings of facets that were found are looked at, too.
        #[schema(maximum = 5, default = 1)]
        iterations: usize,
    }
}

/// The facets that the results of a search have.
#[derive(Serialize, ToSchema)]
pub(crate) struct FacetsAnswer {
    /// The version of this shape.
    version: u32,
    /// What was asked for.
    query: String,
    /// How many pages match.
    total: u64,
    /// How long it took, in milliseconds.
    took_ms: f64,
    /// The facets, by what they are about.
    dimensions: Vec<Dimension>,
}

pub(crate) async fn facets(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    let index = index(app.index.as_ref())?;
    let asked: FacetsRequest = asked(&request)?;
    let answer = app.searches.run(move || answer(&index, &asked)).await??;
    Ok(Answer::json(&answer)?.response(&app))
}

fn answer(index: &Index, asked: &FacetsRequest) -> Result<FacetsAnswer, Refusal> {
    let began = Instant::now();
    let settings = asked.settings()?;
    let searcher = index.searcher().map_err(|error| unreadable(&error))?;
    let query = asked.search().query(index, &searcher)?;
    let found = facets_of(&searcher, &query, &settings).map_err(|error| unreadable(&error))?;
    Ok(FacetsAnswer {
        version: FACETS_VERSION,
        query: query.text,
        total: found.total,
        took_ms: milliseconds(began),
        dimensions: found.dimensions,
    })
}

impl FacetsRequest {
    fn search(&self) -> SearchRequest {
        let FacetsRequest { q, weight, facet, host, language, page_type, from, to, .. } =
            self.clone();
        let (min_words, min_density, within) = (self.min_words, self.min_density, self.within);
        SearchRequest {
            q,
            weight,
            facet,
            host,
            language,
            page_type,
            from,
            to,
            min_words,
            min_density,
            within,
            ..SearchRequest::default()
        }
    }

    fn settings(&self) -> Result<FacetOptions, Refusal> {
        let default = FacetOptions::default();
        let within = |name: &str, value: f64, least: f64, most: f64| {
            let message = format!("`{name}`: expected a number from {least} to {most}");
            if (least..=most).contains(&value) { Ok(value) } else { Err(Refusal::bad(message)) }
        };
        let sample = self.k.unwrap_or(default.sample);
        let iterations = self.iterations.unwrap_or(default.iterations);
        within("k", sample as f64, 1.0, 1000.0)?;
        within("iterations", iterations as f64, 0.0, 5.0)?;
        Ok(FacetOptions {
            sample,
            iterations,
            threshold: within(
                "threshold",
                self.threshold.unwrap_or(default.threshold),
                0.0,
                100.0,
            )?,
            least_share: within("lambda", self.lambda.unwrap_or(default.least_share), 0.01, 1.0)?,
            ..default
        })
    }
}
