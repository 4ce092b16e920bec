//! `GET /v1/search`: pages of the index, best first.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use utoipa::openapi::schema::{ArrayBuilder, Schema};
use utoipa::openapi::{RefOr, schema::ObjectBuilder, schema::SchemaType, schema::Type};
use utoipa::{PartialSchema, ToSchema};
use webstrata::error::{shortened, unknown};
use webstrata_search::facets::topics_of;
use webstrata_search::query::MOST_OFFSET;
use webstrata_search::ranks::MOST_WEIGHT;
use webstrata_search::{Date, Filters, Hit, Index, Level, Mix, Query, Ranks, Searcher, Within};

use super::{Answer, query};
use crate::app::Shared;
use crate::fields::{Fields, FromText, choice, request};
use crate::refusal::Refusal;

/// The version of [`SearchAnswer`]'s shape.
const SEARCH_VERSION: u32 = 1;

/// The membership from which on a page is said to be of a topic (thesis, section 3.4).
const LEAST_MEMBERSHIP: f64 = 0.1;

/// Hits of one answer: each has a snippet, for which its whole text is read.
const MOST_SHOWN: usize = 100;

request! {
    /// What is looked for, and where.
    SearchRequest {
        /// Words, `"phrases"`, `-words` that must not be there, `title:word`. Nothing asks for all pages.
        #[schema(example = "harbour ferry")]
        q: String,
        /// Hits to show.
        #[schema(maximum = 100, default = 10)]
        limit: usize,
        /// Hits to leave out.
        #[schema(maximum = 100_000, default = 0)]
        offset: usize,
        /// How much link ranks count: 0 not at all, 1 as in the thesis (Equation 3.5).
        #[schema(minimum = 0, maximum = 5, default = 1)]
        weight: f64,
        /// Facets by whose ranks pages are ordered; `NAME^2` counts twice as much as `NAME`.
        facet: FacetNames,
        /// Pages of this host or of one in this domain.
        #[schema(example = "harbour.example")]
        host: String,
        /// Pages in this language; `pt` includes `pt-br`.
        #[schema(example = "en")]
        language: String,
        /// Pages of this type.
        #[schema(rename = "type", example = "article")]
        page_type = "type": String,
        /// Published on this day, month or year or later.
        #[schema(example = "2026-11")]
        from: Day,
        /// Published on this day, month or year or earlier.
        to: Day,
        /// Only words of blocks of at least so many words count (section 6.1 of the paper).
        #[schema(minimum = 1, maximum = 100)]
        min_words: u32,
        /// Only words of blocks of at least this text density count.
        #[schema(minimum = 1, maximum = 20)]
        min_density: u32,
        /// Where words are looked for.
        #[schema(rename = "in")]
        within = "in": WithinName,
    }
}

choice! {
    /// Where words are looked for.
    WithinName, "part of pages" {
        /// In title and main text.
        Main = "main",
        /// In the boilerplate alone.
        Boilerplate = "boilerplate",
        /// Everywhere.
        All = "all",
    }
}

/// A day, a month or a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Day(Date);

impl FromText for Day {
    fn from_text(text: &str) -> Result<Day, String> {
        let expected = "expected a day, month or year such as 2026-11-16, 2026-11 or 2026";
        Date::parse(text).map(Day).ok_or_else(|| format!("{expected}, not `{}`", shortened(text)))
    }
}

impl<'de> serde::Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Day, D::Error> {
        crate::fields::named(from)
    }
}

impl PartialSchema for Day {
    fn schema() -> RefOr<Schema> {
        let pattern = "^[1-9][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$";
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some("A day, month or year"))
            .pattern(Some(pattern))
            .into()
    }
}

impl ToSchema for Day {}

/// Facets and their weights. Names may have commas in them, so that each is given by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FacetNames(Vec<(String, f32)>);

impl FromText for FacetNames {
    fn from_text(text: &str) -> Result<FacetNames, String> {
        FacetNames::from_another(None, text)
    }

    fn from_another(before: Option<FacetNames>, text: &str) -> Result<FacetNames, String> {
        const MOST: usize = 16;
        let FacetNames(mut names) = before.unwrap_or_default();
        if names.len() == MOST {
            return Err(format!("more than {MOST} facets"));
        }
        let weighted = text.rsplit_once('^').and_then(|(name, weight)| {
            let weight = weight.parse::<f32>().ok()?;
            Some((name.to_owned(), weight))
        });
        let (name, weight) = weighted.unwrap_or_else(|| (text.to_owned(), 1.0));
        if !(weight > 0.0 && weight <= 1000.0) {
            return Err(format!(
                "expected a weight above 0, up to 1000, not `{}`",
                shortened(text)
            ));
        }
        names.push((name, weight));
        Ok(FacetNames(names))
    }
}

impl<'de> serde::Deserialize<'de> for FacetNames {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<FacetNames, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        let add = |before, name: &String| FacetNames::from_another(Some(before), name);
        let all = names.iter().try_fold(FacetNames::default(), add);
        all.map_err(serde::de::Error::custom)
    }
}

impl PartialSchema for FacetNames {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(String::schema())
            .description(Some("Names of facets, `NAME` or `NAME^2`"))
            .into()
    }
}

impl ToSchema for FacetNames {}

/// Pages of the index, best first.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchAnswer {
    /// The version of this shape.
    version: u32,
    /// What was asked for.
    query: String,
    /// How many pages match.
    total: u64,
    /// No page has all words: these have some of them.
    relaxed: bool,
    /// How long it took, in milliseconds.
    took_ms: f64,
    /// The pages asked for.
    hits: Vec<HitAnswer>,
}

/// A page of the index.
#[derive(Serialize, ToSchema)]
struct HitAnswer {
    /// What the page is known by.
    id: String,
    /// Its address.
    #[schema(required = true)]
    url: Option<String>,
    /// Its title.
    title: String,
    /// Its host.
    #[schema(required = true)]
    host: Option<String>,
    /// Its language.
    #[schema(required = true)]
    language: Option<String>,
    /// When it was published: a day, month or year.
    #[schema(required = true)]
    date: Option<String>,
    /// What it is for.
    #[schema(required = true)]
    page_type: Option<String>,
    /// Text and rank together.
    score: f32,
    /// The text alone.
    text_score: f32,
    /// The rank that it was multiplied with; 1 is average.
    rank: f32,
    /// A few words around what was asked for: HTML, escaped, with `<mark>`.
    snippet: String,
    /// The topics that it belongs to, by its ranks.
    facets: Vec<Belonging>,
}

/// A topic that a page belongs to.
#[derive(Serialize, ToSchema)]
struct Belonging {
    /// The name of the facet.
    name: String,
    /// How sure that is (Equation 3.15).
    membership: f64,
}

pub(crate) async fn search(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    let index = index(app.index.as_ref())?;
    let asked: SearchRequest = asked(&request)?;
    let answer = app.searches.run(move || answer(&index, &asked)).await??;
    Ok(Answer::json(&answer)?.response(&app))
}

/// The index, if there is one.
pub(super) fn index(index: Option<&Arc<Index>>) -> Result<Arc<Index>, Refusal> {
    index.cloned().ok_or_else(|| {
        let message = "no index is served here, start the server with --index DIR";
        Refusal::new(StatusCode::NOT_FOUND, message)
    })
}

/// The fields of the address.
pub(super) fn asked<T: Fields>(request: &Request) -> Result<T, Refusal> {
    let mut asked = T::default();
    for (name, text) in query(request.uri())? {
        asked.write(&name, &text).map_err(Refusal::bad)?;
    }
    Ok(asked)
}

fn answer(index: &Index, asked: &SearchRequest) -> Result<SearchAnswer, Refusal> {
    let began = Instant::now();
    let searcher = index.searcher().map_err(|error| unreadable(&error))?;
    let query = asked.query(index, &searcher)?;
    let found = searcher.search(&query).map_err(|error| unreadable(&error))?;
    let ranks = searcher.ranks().map(|ranks| &**ranks);
    let hits = found.hits.into_iter().map(|hit| HitAnswer::of(hit, ranks)).collect();
    Ok(SearchAnswer {
        version: SEARCH_VERSION,
        query: query.text,
        total: found.total,
        relaxed: found.relaxed,
        took_ms: milliseconds(began),
        hits,
    })
}

/// Since then, to the thousandth.
pub(super) fn milliseconds(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// An index that cannot be read is not the client's fault; where it lies is not its business.
pub(super) fn unreadable(error: &webstrata_base::Error) -> Refusal {
    let message = error.to_string();
    let reason = message.split_once(": ").map_or("", |(_, rest)| rest);
    let status = StatusCode::SERVICE_UNAVAILABLE;
    Refusal::new(status, format!("the index cannot be read: {}", shortened(reason)))
}

impl HitAnswer {
    fn of(hit: Hit, ranks: Option<&Ranks>) -> HitAnswer {
        let topics = ranks.map(|ranks| topics_of(ranks, hit.number, LEAST_MEMBERSHIP));
        let belonging = |(name, membership)| Belonging { name, membership };
        HitAnswer {
            snippet: hit.snippet.html(),
            date: hit.date.map(|date| date.to_string()),
            facets: topics.into_iter().flatten().map(belonging).collect(),
            id: hit.id,
            url: hit.url,
            title: hit.title,
            host: hit.host,
            language: hit.language,
            page_type: hit.page_type,
            score: hit.score,
            text_score: hit.text_score,
            rank: hit.rank,
        }
    }
}

impl SearchRequest {
    /// The question to the index.
    pub(super) fn query(&self, index: &Index, searcher: &Searcher) -> Result<Query, Refusal> {
        let at_most = |name: &str, value: usize, most: usize| {
            let message = format!("`{name}`: expected {most} or less");
            if value > most { Err(Refusal::bad(message)) } else { Ok(value) }
        };
        Ok(Query {
            filters: Filters {
                host: self.host.clone(),
                language: self.language.clone(),
                page_type: self.page_type.clone(),
                from: self.from.map(|Day(date)| date),
                to: self.to.map(|Day(date)| date),
            },
            within: self.within.map_or(Within::Main, WithinName::to_within),
            level: self.level(index)?,
            mix: self.mix(searcher.ranks().map(|ranks| &**ranks))?,
            offset: at_most("offset", self.offset.unwrap_or(0), MOST_OFFSET)?,
            limit: at_most("limit", self.limit.unwrap_or(10), MOST_SHOWN)?,
            ..Query::new(self.q.clone().unwrap_or_default())
        })
    }

    fn level(&self, index: &Index) -> Result<Option<Level>, Refusal> {
        let within = |name: &str, value: u32, most: u32| {
            let message = format!("`{name}`: expected a number from 1 to {most}");
            if (1..=most).contains(&value) { Ok(value) } else { Err(Refusal::bad(message)) }
        };
        let level = match (self.min_words, self.min_density) {
            (None, None) => return Ok(None),
            (Some(words), None) => Level::Words(within("min_words", words, 100)?),
            (None, Some(density)) => Level::Density(within("min_density", density, 20)?),
            (Some(_), Some(_)) => {
                return Err(Refusal::bad("`min_words` and `min_density`: give one of them"));
            }
        };
        if index.options().levels {
            return Ok(Some(level));
        }
        let remedy = "leave `min_words` and `min_density` out";
        Err(Refusal::bad(format!("the index has no levels of words and density, {remedy}")))
    }

    fn mix(&self, ranks: Option<&Ranks>) -> Result<Mix, Refusal> {
        let weight = self.weight.unwrap_or(1.0);
        if !(0.0..=f64::from(MOST_WEIGHT)).contains(&weight) {
            return Err(Refusal::bad(format!(
                "`weight`: expected a number from 0 to {MOST_WEIGHT}"
            )));
        }
        let facets = self.facet.clone().unwrap_or_default().0;
        for (name, _) in &facets {
            let Some(ranks) = ranks else {
                let remedy = "see `webstrata search ranks`";
                return Err(Refusal::bad(format!("`facet`: the index has no ranks, {remedy}")));
            };
            if ranks.position(name).is_none() {
                return Err(Refusal::bad(unknown_facet(ranks, name)));
            }
        }
        Ok(Mix { weight: weight as f32, facets })
    }
}

/// There may be thousands, so that they are not all told.
fn unknown_facet(ranks: &Ranks, name: &str) -> String {
    const MOST: usize = 10;
    let near = unknown("facet", name, ranks.facets().iter().map(|facet| facet.name.as_str()));
    if near.ends_with('?') {
        return near;
    }
    let first: Vec<&str> =
        ranks.facets().iter().take(MOST).map(|facet| facet.name.as_str()).collect();
    format!(
        "unknown facet `{}`, /v1/facets lists them, such as `{}`",
        shortened(name),
        first.join("`, `")
    )
}

impl WithinName {
    fn to_within(self) -> Within {
        match self {
            WithinName::Main => Within::Main,
            WithinName::Boilerplate => Within::Boilerplate,
            WithinName::All => Within::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_and_their_weights() {
        let check = |text: &str, name: &str, weight: f32| {
            let expected = FacetNames(vec![(name.into(), weight)]);
            assert_eq!(FacetNames::from_text(text), Ok(expected), "{text}");
        };
        check("Top/Computers", "Top/Computers", 1.0);
        check("Top/Computers^2", "Top/Computers", 2.0);
        check("a^b", "a^b", 1.0);
        check("a^b^0.5", "a^b", 0.5);
        check("a, b", "a, b", 1.0);
        assert!(FacetNames::from_text("a^0").is_err());
        assert!(FacetNames::from_text("a^-1").is_err());
        assert!(FacetNames::from_text("a^inf").is_err());
        assert!(FacetNames::from_text("a^NaN").is_err());
    }
}
