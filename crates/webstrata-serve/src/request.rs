//! What clients ask for: pages and how to read them.
//!
//! The fields are those of [`webstrata::Request`], with its names, ranges and messages, and a few of the server's own.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use webstrata::request::{Field, RequestBuilder, RequestError, Takes, Value};
use webstrata::{Options, Request};
use webstrata_corpus::segmentation::{Method, Segmenter};

use crate::fields::{Fields, FromText, choice, request, value};
use crate::refusal::Refusal;
use crate::settings::Limits;

/// Parts of the answer that only the server makes.
pub(crate) const HIGHLIGHT: &str = "highlight";
pub(crate) const SOURCE: &str = "source";
pub(crate) const OTHER_PARTS: [&str; 2] = [HIGHLIGHT, SOURCE];

/// The field with the page.
const HTML: &str = "html";

/// Names of a list; there are fewer that we know.
const LONGEST_LIST: usize = 64;

request! {
    /// What a request for the main text has of its own.
    PageFields {
        /// Whatever the answer shall be known by; it is passed on.
        id: Id,
    }
}

request! {
    /// What a request for segments has of its own.
    SegmentFields {
        /// How it is cut.
        method: MethodName,
        /// Neighbours are fused where their densities differ by at most this part of the higher one.
        #[schema(minimum = 0)]
        threshold: f64,
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

/// What a request for a page has beside the fields of [`Request`].
pub(crate) trait OwnFields: Fields + Clone + Send + 'static {
    /// Does such a request have this field?
    fn has(field: Field) -> bool;

    /// Are all values such that there can be an answer?
    fn check(&self) -> Result<(), Refusal>;
}

impl OwnFields for PageFields {
    /// How much of a page is read, the server says.
    fn has(field: Field) -> bool {
        field != Field::MaxBytes
    }

    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }
}

impl OwnFields for SegmentFields {
    fn has(field: Field) -> bool {
        field.is_of_reading() && field != Field::MaxBytes
    }

    fn check(&self) -> Result<(), Refusal> {
        match self.threshold {
            Some(threshold) if !(threshold >= 0.0 && threshold.is_finite()) => {
                Err(Refusal::bad("`threshold`: expected a number, 0 or more"))
            }
            _ => Ok(()),
        }
    }
}

/// A request as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Asked<F> {
    pub(crate) own: F,
    html: Option<String>,
    builder: RequestBuilder,
    /// Fields that were written as text, with what was written.
    texts: Vec<(Field, String)>,
    /// The first value of JSON that is wrong. It is told when all is read, so that the answer can have the `id`.
    wrong: Option<String>,
}

impl<F: Fields> Default for Asked<F> {
    fn default() -> Asked<F> {
        let builder = Request::builder().other_parts(&OTHER_PARTS);
        Asked { own: F::default(), html: None, builder, texts: Vec::new(), wrong: None }
    }
}

/// A request whose values are right.
#[derive(Debug)]
pub(crate) struct Built<F> {
    pub(crate) own: F,
    pub(crate) request: Request,
}

/// A request for the main text of a page.
pub(crate) type PageRequest = Built<PageFields>;

/// A request for the segments of a page.
pub(crate) type SegmentRequest = Built<SegmentFields>;

/// What clients call a field.
pub(crate) fn name(field: Field) -> &'static str {
    match field {
        Field::Parts => "with",
        other => other.name(),
    }
}

/// The fields of [`Request`] that such requests have.
pub(crate) fn fields<F: OwnFields>() -> impl Iterator<Item = Field> {
    Field::ALL.into_iter().filter(|field| F::has(*field))
}

fn field_named<F: OwnFields>(written: &str) -> Option<Field> {
    fields::<F>().find(|field| name(*field) == written)
}

/// One line about a request that is wrong.
fn line(error: &RequestError) -> String {
    match error.field() {
        Some(field) => format!("`{}`: {}", name(field), error.message()),
        None => error.message().to_owned(),
    }
}

impl<F: OwnFields> Fields for Asked<F> {
    fn names() -> Vec<&'static str> {
        let mut names = F::names();
        names.push(HTML);
        names.extend(fields::<F>().map(name));
        names
    }

    fn read<'de, M: MapAccess<'de>>(&mut self, name: &str, map: &mut M) -> Result<(), M::Error> {
        if name == HTML {
            self.html = value(name, map)?;
        } else if let Some(field) = field_named::<F>(name) {
            let plain: Option<Plain> = value(name, map)?;
            let set = plain.map(|plain| self.builder.set_field(field, plain.value()).map(|_| ()));
            if let Some(Err(error)) = set {
                self.wrong.get_or_insert_with(|| line(&error));
            }
        } else if F::names().contains(&name) {
            self.own.read(name, map)?;
        } else {
            return Err(crate::fields::unknown_field::<Self, _>(name));
        }
        Ok(())
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
        if name == HTML {
            self.html = crate::fields::text(name, self.html.take(), text)?;
            return Ok(());
        }
        let Some(field) = field_named::<F>(name) else {
            if F::names().contains(&name) {
                return self.own.write(name, text);
            }
            return Err(crate::fields::unknown_name::<Self>(name));
        };
        let before = self.texts.iter_mut().find(|(written, _)| *written == field);
        let text = match before {
            Some((_, list)) if matches!(field.takes(), Takes::Names(_)) => {
                list.push(',');
                list.push_str(text);
                list.as_str()
            }
            Some(_) => return Err(format!("`{name}`: given twice, once is enough")),
            None => {
                self.texts.push((field, text.to_owned()));
                text
            }
        };
        let set = self.builder.set_field(field, Value::Written(text));
        set.map(|_| ()).map_err(|error| line(&error))
    }
}

impl<F: OwnFields> Asked<F> {
    /// The page, if it came in JSON.
    pub(crate) fn take_html(&mut self) -> Option<String> {
        self.html.take()
    }

    /// Where the page came from or is to be fetched from.
    pub(crate) fn url(&self) -> Option<&str> {
        self.builder.url()
    }

    /// The encoding that the client named.
    pub(crate) fn charset(&self) -> Option<&str> {
        self.builder.charset()
    }

    /// The request, if all its values are right. The extractor is built here, once.
    pub(crate) fn build(self) -> Result<Built<F>, Refusal> {
        if let Some(wrong) = self.wrong {
            return Err(Refusal::bad(wrong));
        }
        self.own.check()?;
        let request = self.builder.build().map_err(|error| Refusal::bad(line(&error)))?;
        Ok(Built { own: self.own, request })
    }
}

impl<F> Built<F> {
    /// How the page is read, with its encoding and within the server's limits.
    pub(crate) fn options(&self, charset: Option<String>, limits: &Limits) -> Options {
        let mut options = Options { charset, ..self.request.options.clone() };
        let asked: Duration = options.limits.deadline.unwrap_or(limits.deadline);
        options.limits.deadline = Some(asked.min(limits.deadline));
        options.limits.nodes = limits.nodes;
        options
    }
}

impl SegmentRequest {
    pub(crate) fn segmenter(&self) -> Segmenter {
        let default = Segmenter::new(self.own.method.unwrap_or(MethodName::Plain).method());
        let threshold = self.own.threshold.unwrap_or(default.threshold);
        let width = self.request.options.width.unwrap_or(default.width);
        Segmenter { threshold, width, ..default }
    }
}

/// A value of JSON that a field of [`Request`] may have.
enum Plain {
    Text(String),
    Number(f64),
    Flag(bool),
    List(Vec<String>),
    Object,
}

impl Plain {
    fn value(&self) -> Value<'_> {
        match self {
            Plain::Text(text) => Value::Text(text),
            Plain::Number(number) => Value::Number(*number),
            Plain::Flag(flag) => Value::Flag(*flag),
            Plain::List(texts) => Value::List(texts.clone()),
            Plain::Object => Value::Other("an object"),
        }
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Plain, D::Error> {
        from.deserialize_any(PlainVisitor)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plain value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Plain, E> {
        Ok(Plain::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Plain, E> {
        Ok(Plain::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Plain, E> {
        Ok(Plain::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Plain, E> {
        Ok(Plain::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Plain, E> {
        Ok(Plain::Number(number))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Plain, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = items.next_element()? {
            texts.push(text);
            if texts.len() > LONGEST_LIST {
                let message = format!("a list of more than {LONGEST_LIST} names");
                return Err(serde::de::Error::custom(message));
            }
        }
        Ok(Plain::List(texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plain, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Plain::Object)
    }
}

impl MethodName {
    fn method(self) -> Method {
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
    use webstrata::Part;
    use webstrata::output::{RecordPart, TextShape};

    use super::*;

    fn request(json: &str) -> Result<PageRequest, String> {
        let asked = Asked::<PageFields>::default().read_json(json.as_bytes())?;
        asked.build().map_err(|refusal| refusal.message)
    }

    #[test]
    fn values_of_json_become_plain_ones() {
        let check = |json: &str, expect: &str| {
            let error = request(json).expect_err(json);
            assert!(error.contains(expect), "{error}");
        };
        check(
            r#"{"extractor":"artcile"}"#,
            "`extractor`: unknown extractor `artcile`, did you mean",
        );
        check(r#"{"extractor":"article","favor":"recall"}"#, "`favor`: `article` has no step");
        check(r#"{"favor":"0.5"}"#, "`favor`: expected precision");
        check(r#"{"favor":[]}"#, "`favor`: expected precision");
        check(r#"{"favor":{"a":{}}}"#, "to 100, not an object");
        check(r#"{"width":true}"#, "`width`: expected a whole number from 1 to 10000, not true");
        check(r#"{"id":1.5}"#, "`id`: expected a string or a whole number");
        check(r#"{"with":["block"]}"#, "`with`: unknown part `block`, did you mean `blocks`?");
        check(r#"{"with":[1]}"#, "`with`: invalid type: integer `1`, expected a string");
        let long = format!(r#"{{"with":[{}"links"]}}"#, r#""links","#.repeat(LONGEST_LIST));
        check(&long, "`with`: a list of more than 64 names");
        check(
            r#"{"exclude":["captoin"]}"#,
            "`exclude`: unknown part `captoin`, did you mean `caption`?",
        );
        check(r#"{"include":"comment"}"#, "`include`: expected a list of parts");
        check(r#"{"text":"plain"}"#, "`text`: expected structured or flat, not `plain`");
        check(r#"{"front_matter":"yes"}"#, "`front_matter`: expected true or false");
        check(
            r#"{"max_bytes":1}"#,
            "unknown field `max_bytes`, expected one of `id`, `html`, `url`",
        );
        let right =
            r#"{"with":["html","source","blocks"],"width":40,"favor":2,"links":true,"url":null}"#;
        let PageRequest { request, .. } = request(right).expect(right);
        assert_eq!(request.parts, [RecordPart::Html, RecordPart::Blocks]);
        assert!(request.has_other_part(SOURCE) && !request.has_other_part(HIGHLIGHT));
        assert_eq!((request.options.width, request.favor()), (Some(40), Some(2.0)));
        assert!(request.markup.links && request.options.url.is_none());
    }

    #[test]
    fn parts_of_the_page_can_be_chosen() {
        let written = r#"{"exclude":["caption"],"include":["byline","comments"],"text":"flat",
            "front_matter":true,"with":["posts","markdown"]}"#;
        let PageRequest { request, .. } = request(written).expect(written);
        assert_eq!(request.parts, [RecordPart::Posts, RecordPart::Markdown]);
        let markup = &request.markup;
        assert!(markup.exclude.has(Part::Caption) && !markup.exclude.has(Part::Byline));
        assert!(markup.include.has(Part::Byline) && markup.include.has(Part::Comment));
        assert!(markup.front_matter && markup.text == TextShape::Flat);
    }

    #[test]
    fn fields_of_text_may_be_given_once_but_for_lists() {
        let mut asked = Asked::<PageFields>::default();
        let written = [
            ("with", "links"),
            ("with", "html,source"),
            ("id", "x"),
            ("links", ""),
            ("exclude", "caption"),
            ("exclude", "table,code"),
        ];
        for (name, text) in written {
            asked.write(name, text).expect(name);
        }
        let twice = asked.write("links", "").expect_err("given twice");
        assert_eq!(twice, "`links`: given twice, once is enough");
        let PageRequest { request, own } = asked.build().expect("right");
        let excluded = [Part::Caption, Part::Table, Part::Code];
        assert_eq!(request.markup.exclude, excluded.into_iter().collect());
        assert_eq!(
            (request.parts, own.id),
            (vec![RecordPart::Links, RecordPart::Html], Some(Id::Text("x".into())))
        );
        let mut asked = Asked::<SegmentFields>::default();
        let unknown = asked.write("extractor", "article").expect_err("no such field");
        assert!(
            unknown.starts_with("unknown field `extractor`, expected one of `method`"),
            "{unknown}"
        );
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
    fn all_methods_are_known() {
        for (method, name) in Method::ALL {
            assert_eq!(MethodName::from_text(name).map(MethodName::method), Ok(method));
        }
    }
}
