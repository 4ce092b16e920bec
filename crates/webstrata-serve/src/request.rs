//! What clients ask for: pages and how to read them.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use webstrata::output::{MarkupOptions, Part};
use webstrata::{Extractor, Hidden, Options};
use webstrata_corpus::segmentation::{Method, Segmenter};

use crate::fields::{Fields, FromText, choice, request};
use crate::refusal::{Refusal, said, unknown};
use crate::settings::Limits;

/// Bytes of an extractor that a request brings along; the largest that we ship has some thousand.
const MOST_TOML: usize = 64 << 10;

/// Steps of such an extractor, and others that it falls back to: each may look at the whole page, which no
/// deadline stops. Those that we ship have up to ten.
const MOST_STEPS: usize = 64;
const MOST_FALLBACKS: usize = 8;

request! {
    /// A page and how to read it. Either `html` or, where fetching is on, `url` alone.
    PageRequest {
        /// Whatever the answer shall be known by; it is passed on.
        id: Id,
        /// The page. It is text already, so what it says about its encoding does not matter.
        #[schema(example = "<h1>Tides</h1><p>High water is at noon today, the harbour office says.")]
        html: String,
        /// Where the page came from: makes links absolute. Without `html`, the page is fetched from there.
        #[schema(example = "https://harbour.example/tides")]
        url: String,
        /// A built-in extractor (see `/v1/extractors`), or one as TOML.
        #[schema(example = "strata", default = "strata")]
        extractor: String,
        /// What to do with doubtful text: `precision`, `balanced`, `recall` or the weight of recall.
        favor: Favor,
        /// What the answer shall have beside the text.
        with: Vec<With>,
        /// Write where links lead, in Markdown and HTML.
        links: bool,
        /// Write images that stand in the text, in Markdown and HTML.
        images: bool,
        /// What happens to text that the page hides.
        hidden: HiddenText,
        /// The encoding that the transport named; of pages that are fetched or sent as bytes only.
        #[schema(example = "windows-1252")]
        charset: String,
        /// How long parsing may take, in milliseconds; at most as long as the server allows.
        #[schema(minimum = 1, maximum = 86_400_000)]
        deadline_ms: u64,
        /// Columns at which text is wrapped to measure its density.
        #[schema(minimum = 1, maximum = 10_000, default = 80)]
        width: u32,
    }
}

request! {
    /// A page and how to cut it into segments.
    SegmentRequest {
        /// The page. It is text already, so what it says about its encoding does not matter.
        #[schema(example = "<ul><li>Home<li>Tides</ul><p>High water is at noon today, the harbour office says.")]
        html: String,
        /// Where the page came from. Without `html`, the page is fetched from there.
        url: String,
        /// How it is cut.
        method: MethodName,
        /// Neighbours are fused where their densities differ by at most this part of the higher one.
        #[schema(minimum = 0)]
        threshold: f64,
        /// What happens to text that the page hides.
        hidden: HiddenText,
        /// The encoding that the transport named; of pages that are fetched or sent as bytes only.
        charset: String,
        /// How long parsing may take, in milliseconds; at most as long as the server allows.
        #[schema(minimum = 1, maximum = 86_400_000)]
        deadline_ms: u64,
        /// Columns at which text is wrapped to measure its density.
        #[schema(minimum = 1, maximum = 10_000, default = 80)]
        width: u32,
    }
}

choice! {
    /// A part of the answer.
    With, "part" {
        /// Every block of the page, with its label, score, counts and place.
        Blocks = "blocks",
        /// What the page says about itself.
        Metadata = "metadata",
        /// Its links.
        Links = "links",
        /// The main text as Markdown.
        Markdown = "markdown",
        /// The main text as clean HTML.
        Html = "html",
        /// The page as HTML, its main text marked and nothing in it that runs.
        Highlight = "highlight",
        /// The page itself, decoded: so that a page that was fetched can be sent along the next time.
        Source = "source",
    }
}

choice! {
    /// What the answer is.
    Format, "format" {
        /// JSON.
        Json = "json",
        /// The main text alone.
        Text = "text",
        /// The main text as Markdown.
        Markdown = "markdown",
        /// The main text as clean HTML.
        Html = "html",
        /// The page as HTML, its main text marked.
        Highlight = "highlight",
    }
}

choice! {
    /// What happens to text that a page hides.
    HiddenText, "way with hidden text" {
        /// It is left out.
        Drop = "drop",
        /// It is text like any other.
        Keep = "keep",
        /// It makes blocks of its own, which are labelled.
        Mark = "mark",
    }
}

choice! {
    /// How a page is cut into segments (thesis, Table 4.1).
    MethodName, "method" {
        /// Every wrapped line.
        WordWrap = "word-wrap",
        /// Every text between two tags.
        TagGap = "tag-gap",
        /// Neighbours of similar density are fused.
        Plain = "plain",
        /// And what stands between two of the same density.
        Smoothed = "smoothed",
        /// The same, where both are sparse.
        SmoothedSparse = "smoothed-sparse",
        /// And some tags always part, some never do.
        RuleBased = "rule-based",
        /// Only tags part.
        JustRules = "just-rules",
    }
}

/// What an answer is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected a string or a whole number")]
pub(crate) enum Id {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl FromText for Id {
    fn from_text(text: &str) -> Result<Id, String> {
        Ok(Id::Text(text.to_owned()))
    }
}

/// The weight of recall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Favor(f64);

impl Favor {
    const RANGE: std::ops::RangeInclusive<f64> = 0.01..=100.0;

    fn new(weight: f64) -> Result<Favor, String> {
        let message = "expected precision, balanced, recall or a number from 0.01 to 100";
        if Favor::RANGE.contains(&weight) { Ok(Favor(weight)) } else { Err(message.into()) }
    }
}

impl FromText for Favor {
    fn from_text(text: &str) -> Result<Favor, String> {
        Favor::new(match text {
            "precision" => 0.5,
            "balanced" => 1.0,
            "recall" => 2.0,
            number => number.parse().unwrap_or(f64::NAN),
        })
    }
}

impl<'de> Deserialize<'de> for Favor {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Favor, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected precision, balanced, recall or a number")]
        enum Written {
            Number(f64),
            Name(String),
        }
        let favor = match Written::deserialize(from)? {
            Written::Number(weight) => Favor::new(weight),
            // A number in quotes is no number in JSON.
            Written::Name(name) if name.parse::<f64>().is_ok() => Favor::new(f64::NAN),
            Written::Name(name) => Favor::from_text(&name),
        };
        favor.map_err(serde::de::Error::custom)
    }
}

impl PartialSchema for Favor {
    fn schema() -> RefOr<Schema> {
        let names = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .enum_values(Some(["precision", "balanced", "recall"]));
        let number = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Number))
            .minimum(Some(*Favor::RANGE.start()))
            .maximum(Some(*Favor::RANGE.end()));
        let both = OneOfBuilder::new().item(names).item(number);
        both.description(Some("What to do with doubtful text; a number is the weight of recall."))
            .into()
    }
}

impl ToSchema for Favor {}

/// What all requests with a page have.
pub(crate) trait OfPage: Fields + Send + 'static {
    /// The page, if it came in JSON.
    fn take_html(&mut self) -> Option<String>;
    /// Where it came from or is to be fetched from.
    fn url(&mut self) -> &mut Option<String>;
    /// The encoding that the client named.
    fn charset(&self) -> Option<&str>;
    /// Are all values such that there can be an answer?
    fn check(&self) -> Result<(), Refusal>;
}

macro_rules! of_page {
    ($name:ident, $check:expr) => {
        impl OfPage for $name {
            fn take_html(&mut self) -> Option<String> {
                self.html.take()
            }
            fn url(&mut self) -> &mut Option<String> {
                &mut self.url
            }
            fn charset(&self) -> Option<&str> {
                self.charset.as_deref()
            }
            fn check(&self) -> Result<(), Refusal> {
                check(self.charset.as_deref(), self.deadline_ms, self.width)?;
                let more: fn(&$name) -> Result<(), Refusal> = $check;
                more(self)
            }
        }
    };
}
of_page!(PageRequest, |request| request.extractor().map(|_| ()));
of_page!(SegmentRequest, |request| match request.threshold {
    Some(threshold) if !(threshold >= 0.0 && threshold.is_finite()) =>
        Err(Refusal::bad("`threshold`: expected a number, 0 or more")),
    _ => Ok(()),
});

/// What is checked of all requests.
fn check(charset: Option<&str>, deadline: Option<u64>, width: Option<u32>) -> Result<(), Refusal> {
    if let Some(charset) = charset.filter(|charset| !Options::is_charset(charset)) {
        let charset = said(charset);
        return Err(Refusal::bad(format!(
            "`charset`: unknown encoding `{charset}`, write one such as `utf-8` or `windows-1252`"
        )));
    }
    // A day, which no server allows.
    if deadline.is_some_and(|deadline| !(1..=86_400_000).contains(&deadline)) {
        return Err(Refusal::bad("`deadline_ms`: expected a number from 1 to 86400000"));
    }
    if width.is_some_and(|width| !(1..=10_000).contains(&width)) {
        return Err(Refusal::bad("`width`: expected a number from 1 to 10000"));
    }
    Ok(())
}

impl PageRequest {
    /// The extractor that was asked for.
    pub(crate) fn extractor(&self) -> Result<Extractor, Refusal> {
        let written = self.extractor.as_deref().unwrap_or("strata");
        let extractor = if written.contains(['\n', '=']) {
            own_extractor(written)?
        } else {
            let names = Extractor::builtin().iter().map(|extractor| extractor.name.as_str());
            let unknown = || Refusal::bad(unknown("extractor", written, names));
            Extractor::named(written).ok_or_else(unknown)?.clone()
        };
        let Some(Favor(recall)) = self.favor else { return Ok(extractor) };
        extractor.with_recall(recall).ok_or_else(|| {
            let name = said(&extractor.name);
            let remedy = "use it with `strata`";
            Refusal::bad(format!("`favor`: `{name}` has no step `keep-likely`, {remedy}"))
        })
    }

    /// The parts of the record that were asked for.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let parts = self.with.iter().flatten().filter_map(|with| match with {
            With::Blocks => Some(Part::Blocks),
            With::Metadata => Some(Part::Metadata),
            With::Links => Some(Part::Links),
            With::Markdown => Some(Part::Markdown),
            With::Html => Some(Part::Html),
            With::Highlight | With::Source => None,
        });
        Part::ALL.into_iter().filter(|part| parts.clone().any(|asked| asked == *part)).collect()
    }

    pub(crate) fn has_highlight(&self) -> bool {
        self.with.iter().flatten().any(|with| *with == With::Highlight)
    }

    pub(crate) fn has_source(&self) -> bool {
        self.with.iter().flatten().any(|with| *with == With::Source)
    }

    pub(crate) fn markup(&self) -> MarkupOptions {
        let (links, images) = (self.links.unwrap_or(false), self.images.unwrap_or(false));
        MarkupOptions { links, images }
    }

    pub(crate) fn options(&self, charset: Option<String>, limits: &Limits) -> Options {
        let url = self.url.clone();
        let hidden = self.hidden.map(HiddenText::meant).unwrap_or_default();
        let limits = page_limits(self.deadline_ms, limits);
        Options { limits, charset, hidden, url, width: self.width }
    }
}

fn own_extractor(toml: &str) -> Result<Extractor, Refusal> {
    if toml.len() > MOST_TOML {
        let message = format!("`extractor`: the TOML is longer than {MOST_TOML} bytes");
        return Err(Refusal::bad(message));
    }
    let extractor = Extractor::from_toml(toml);
    let extractor = extractor.map_err(|error| Refusal::bad(format!("`extractor`: {error}")))?;
    let counts = [
        ("steps", extractor.steps.len(), MOST_STEPS),
        ("fallbacks", extractor.fallback.len(), MOST_FALLBACKS),
    ];
    match counts.into_iter().find(|(_, count, most)| count > most) {
        Some((what, count, most)) => {
            Err(Refusal::bad(format!("`extractor`: {count} {what}, a request may have {most}")))
        }
        None => Ok(extractor),
    }
}

impl SegmentRequest {
    pub(crate) fn segmenter(&self) -> Segmenter {
        let default = Segmenter::new(self.method.unwrap_or(MethodName::Plain).meant());
        let threshold = self.threshold.unwrap_or(default.threshold);
        Segmenter { threshold, width: self.width.unwrap_or(default.width), ..default }
    }

    pub(crate) fn options(&self, charset: Option<String>, limits: &Limits) -> Options {
        let url = self.url.clone();
        let hidden = self.hidden.map(HiddenText::meant).unwrap_or_default();
        Options { limits: page_limits(self.deadline_ms, limits), charset, hidden, url, width: None }
    }
}

fn page_limits(deadline_ms: Option<u64>, limits: &Limits) -> webstrata::Limits {
    let asked = deadline_ms.map_or(limits.deadline, Duration::from_millis);
    let deadline = Some(asked.min(limits.deadline));
    webstrata::Limits { deadline, nodes: limits.nodes, ..webstrata::Limits::default() }
}

impl HiddenText {
    fn meant(self) -> Hidden {
        match self {
            HiddenText::Drop => Hidden::Drop,
            HiddenText::Keep => Hidden::Keep,
            HiddenText::Mark => Hidden::Mark,
        }
    }
}

impl MethodName {
    fn meant(self) -> Method {
        match self {
            MethodName::WordWrap => Method::WordWrap,
            MethodName::TagGap => Method::TagGap,
            MethodName::Plain => Method::Plain,
            MethodName::Smoothed => Method::Smoothed,
            MethodName::SmoothedSparse => Method::SmoothedSparse,
            MethodName::RuleBased => Method::RuleBased,
            MethodName::JustRules => Method::JustRules,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(json: &str) -> Result<PageRequest, String> {
        let request = PageRequest::default().read_json(json.as_bytes())?;
        request.check().map_err(|refusal| refusal.message)?;
        Ok(request)
    }

    #[test]
    fn values_are_checked() {
        let check = |json: &str, expect: &str| {
            let error = request(json).expect_err(json);
            assert!(error.contains(expect), "{error}");
        };
        check(r#"{"extractor":"artcile"}"#, "did you mean `article`?");
        check(
            r#"{"extractor":"name = 'x'\nsteps = [ { filter = 'fuse-nearbye' } ]"}"#,
            "fuse-nearby`?",
        );
        let steps = "{ filter = 'keep-largest' },".repeat(65);
        let many = serde_json::json!({"extractor": format!("name = 'x'\nsteps = [ {steps} ]")});
        check(&many.to_string(), "`extractor`: 65 steps, a request may have 64");
        let fallback = ["strata"; 9];
        let toml = format!("name = 'x'\nsteps = []\nfallback = {fallback:?}");
        check(&serde_json::json!({"extractor": toml}).to_string(), "9 fallbacks");
        check(r#"{"extractor":"article","favor":"recall"}"#, "`article` has no step `keep-likely`");
        check(r#"{"favor":"0.5"}"#, "`favor`: expected precision");
        check(r#"{"favor":1000}"#, "`favor`: expected precision");
        check(r#"{"favor":[]}"#, "`favor`: expected precision");
        check(r#"{"charset":"klingon"}"#, "unknown encoding `klingon`");
        check(r#"{"deadline_ms":0}"#, "`deadline_ms`: expected a number from 1");
        check(r#"{"width":0}"#, "`width`: expected a number from 1");
        check(r#"{"id":1.5}"#, "`id`: expected a string or a whole number");
        check(r#"{"with":["block"]}"#, "`with`: unknown part `block`, did you mean `blocks`?");
    }

    #[test]
    fn a_request_may_ask_for_less_time_but_not_for_more() {
        let limits = Limits::default();
        let deadline = |json: &str| {
            request(json).expect(json).options(None, &limits).limits.deadline.expect("a deadline")
        };
        assert_eq!(deadline(r#"{"deadline_ms":5}"#), Duration::from_millis(5));
        assert_eq!(deadline(r#"{"deadline_ms":86400000}"#), limits.deadline);
        assert_eq!(deadline("{}"), limits.deadline);
    }

    #[test]
    fn all_names_of_the_libraries_are_known() {
        for (method, name) in Method::ALL {
            assert_eq!(MethodName::from_text(name).map(MethodName::meant), Ok(method));
        }
        for (hidden, name) in Hidden::ALL {
            assert_eq!(HiddenText::from_text(name).map(HiddenText::meant), Ok(hidden));
        }
    }
}
