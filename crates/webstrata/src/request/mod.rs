//! What to do with a page: one description that the command, the server, Python and JavaScript share.
//!
//! Each [`Field`] has a name, one line of documentation, the values that it takes and a default. A
//! [`RequestBuilder`] takes values by the names of their fields and refuses what is wrong with a [`RequestError`];
//! what it builds, a [`Request`], does the work and cannot fail any more.
//!
//! ```
//! use webstrata::Request;
//!
//! let mut builder = Request::builder();
//! builder.set("extractor", "article")?;
//! builder.set("parts", vec!["markdown".to_owned()])?;
//! let request = builder.build()?;
//! let record = request.record(b"<h1>Tides</h1><p>High water is at noon.");
//! assert_eq!(record.extractor, "article");
//! assert!(record.markdown.is_some() && record.links.is_none());
//!
//! let error = Request::builder().set("favor", "recal").unwrap_err();
//! assert_eq!(error.to_string(), "favor: unknown value `recal`, did you mean `recall`?");
//! # Ok::<(), webstrata::request::RequestError>(())
//! ```

mod error;
mod field;
#[cfg(test)]
mod tests;
mod value;

use std::sync::Arc;
use std::time::Duration;

pub use self::error::{Problem, RequestError};
pub use self::field::{Field, Range, Takes};
pub use self::value::Value;
use crate::document::Document;
use crate::extractors::{Extractor, builtin_names};
use crate::options::{Hidden, Options};
use crate::output::{
    self, Explanation, OutputOptions, Record, RecordPart, TextShape, html, markdown,
};
use crate::page::Page;
use crate::part::{Part, Parts};

/// Bytes of an extractor that is given as TOML; the largest built-in one has some thousand.
const LONGEST_TOML: usize = 64 << 10;

/// Steps of such an extractor, and others that it falls back to: each may look at the whole page, which no deadline
/// stops. Built-in ones have up to ten.
const MOST_STEPS: usize = 64;
const MOST_FALLBACKS: usize = 8;

/// The weight of recall that favors neither.
const BALANCED: f64 = 1.0;

/// What to do with pages. Made by [`Request::builder`]; the default is what [`extract`](crate::extract) does.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    extractor: Chosen,
    favor: Option<f64>,
    /// How pages are read.
    pub options: Options,
    /// What records have beside the text, in the order that was asked for.
    pub parts: Vec<RecordPart>,
    /// What of the page is written, and how.
    pub markup: OutputOptions,
    /// The parts that were asked for and that only the adapter makes, see [`RequestBuilder::other_parts`].
    pub other_parts: Vec<&'static str>,
}

/// An extractor that many requests can share.
#[derive(Clone, Debug)]
enum Chosen {
    BuiltIn(&'static Extractor),
    Own(Arc<Extractor>),
}

impl Default for Chosen {
    fn default() -> Chosen {
        Chosen::BuiltIn(Extractor::default_builtin())
    }
}

impl Chosen {
    fn get(&self) -> &Extractor {
        match self {
            Chosen::BuiltIn(extractor) => extractor,
            Chosen::Own(extractor) => extractor,
        }
    }
}

impl Request {
    /// A request to which fields can be added.
    pub fn builder() -> RequestBuilder {
        RequestBuilder::default()
    }

    /// The extractor, with the weight of recall that was asked for.
    pub fn extractor(&self) -> &Extractor {
        self.extractor.get()
    }

    /// The same, for those who keep it longer than the request.
    pub fn shared_extractor(&self) -> Arc<Extractor> {
        match &self.extractor {
            Chosen::BuiltIn(extractor) => Arc::new((*extractor).clone()),
            Chosen::Own(extractor) => extractor.clone(),
        }
    }

    /// The weight of recall that was asked for.
    pub fn favor(&self) -> Option<f64> {
        self.favor
    }

    /// Reads a page as the extractor cuts it. The extractor is not applied.
    pub fn read<'a>(&self, bytes: &'a [u8]) -> Page<'a> {
        Page::read(bytes, self.extractor().cutting, &self.options)
    }

    /// Reads a page and finds its main text.
    pub fn extract<'a>(&self, bytes: &'a [u8]) -> Page<'a> {
        self.extract_with(bytes, &self.options)
    }

    /// The same for a page of which more is known than of others, such as its address.
    pub fn extract_with<'a>(&self, bytes: &'a [u8], options: &Options) -> Page<'a> {
        self.extractor().extract_page(bytes, options)
    }

    /// Reads a page, finds its main text and makes its record.
    pub fn record(&self, bytes: &[u8]) -> Record {
        self.record_of(&self.extract(bytes))
    }

    /// The record, with the parts asked for, of a page whose main text was found.
    pub fn record_of(&self, page: &Page<'_>) -> Record {
        Record::of(page, &self.parts, &self.markup)
    }

    /// The main text of such a page as plain text.
    pub fn text(&self, page: &Page<'_>) -> String {
        output::text(page, &self.markup)
    }

    /// The main text of such a page as Markdown.
    pub fn markdown(&self, page: &Page<'_>) -> String {
        markdown(page, &self.markup)
    }

    /// The main text of such a page as clean HTML.
    pub fn html(&self, page: &Page<'_>) -> String {
        html(page, &self.markup)
    }

    /// Applies the extractor to a page that was just [read](Request::read) and tells what each step does.
    pub fn explain(&self, page: Page<'_>) -> Explanation {
        self.explain_by(page, self.extractor())
    }

    /// Tells what each step does to a page that was just cut for this extractor.
    pub fn explain_by(&self, page: Page<'_>, extractor: &Extractor) -> Explanation {
        Explanation::of(page, extractor, &self.parts, &self.markup)
    }

    /// The extractor that found a document's text: the one asked for, or a built-in one that it fell back to.
    pub fn applied_to(&self, document: &Document) -> &Extractor {
        let (asked, used) = (self.extractor(), document.extractor.as_str());
        Extractor::named(used).filter(|_| used != asked.name).unwrap_or(asked)
    }

    /// Was this part asked for, of those that only the adapter makes?
    pub fn has_other_part(&self, name: &str) -> bool {
        self.other_parts.contains(&name)
    }
}

/// Takes the fields of a request. A field that is set again replaces what it was.
#[derive(Clone, Debug, Default)]
pub struct RequestBuilder {
    request: Request,
    known_other_parts: &'static [&'static str],
}

impl RequestBuilder {
    /// Names that the field `parts` takes beside those of [`RecordPart`]: what an adapter adds to records by itself.
    #[must_use]
    pub fn other_parts(mut self, names: &'static [&'static str]) -> RequestBuilder {
        self.known_other_parts = names;
        self
    }

    /// Sets a field by its name.
    pub fn set<'v>(
        &mut self,
        name: &str,
        value: impl Into<Value<'v>>,
    ) -> Result<&mut RequestBuilder, RequestError> {
        let field = Field::named(name).ok_or_else(|| RequestError::unknown_field(name))?;
        self.set_field(field, value)
    }

    /// Sets a field, for adapters that have other names for fields.
    pub fn set_field<'v>(
        &mut self,
        field: Field,
        value: impl Into<Value<'v>>,
    ) -> Result<&mut RequestBuilder, RequestError> {
        let value = &value.into();
        let Request { extractor, favor, options, parts, markup, other_parts } = &mut self.request;
        match field {
            Field::Url => options.url = Some(text(field, value)?.to_owned()),
            Field::Extractor => *extractor = chosen(text(field, value)?)?,
            Field::Favor => *favor = Some(weight(value)?),
            Field::Parts => (*parts, *other_parts) = self::parts(value, self.known_other_parts)?,
            Field::Links => markup.links = flag(field, value)?,
            Field::Images => markup.images = flag(field, value)?,
            Field::Text => markup.text = shape(value)?,
            Field::Include => markup.include = page_parts(field, value)?,
            Field::Exclude => markup.exclude = page_parts(field, value)?,
            Field::FrontMatter => markup.front_matter = flag(field, value)?,
            Field::Reasons => markup.reasons = flag(field, value)?,
            Field::Hidden => options.hidden = hidden(value)?,
            Field::Charset => options.charset = Some(charset(text(field, value)?)?),
            Field::DeadlineMs => {
                let seconds = number(field, value)? / 1000.0;
                options.limits.deadline = Some(Duration::from_secs_f64(seconds));
            }
            Field::MaxBytes => options.limits.bytes = number(field, value)? as usize,
            Field::Width => options.width = Some(number(field, value)? as u32),
        }
        Ok(self)
    }

    /// Sets the extractor to one that is built already.
    pub fn extractor(&mut self, extractor: Arc<Extractor>) -> &mut RequestBuilder {
        self.request.extractor = Chosen::Own(extractor);
        self
    }

    /// The charset that was set, if any.
    pub fn charset(&self) -> Option<&str> {
        self.request.options.charset.as_deref()
    }

    /// The address that was set, if any.
    pub fn url(&self) -> Option<&str> {
        self.request.options.url.as_deref()
    }

    /// The request, unless its fields contradict each other.
    pub fn build(self) -> Result<Request, RequestError> {
        let mut request = self.request;
        let Some(favor) = request.favor else { return Ok(request) };
        let extractor = request.extractor();
        match extractor.with_recall(favor) {
            Some(favored) => request.extractor = Chosen::Own(Arc::new(favored)),
            // Extractors without such a weight are balanced.
            None if favor == BALANCED => {}
            None => return Err(RequestError::no_recall(&extractor.name)),
        }
        Ok(request)
    }
}

/// A built-in extractor by its name.
pub fn extractor_named(name: &str) -> Result<&'static Extractor, RequestError> {
    let unknown = || RequestError::unknown_name(Field::Extractor, name, builtin_names());
    Extractor::named(name).ok_or_else(unknown)
}

/// No name has a line break or an equals sign, and no TOML is without one.
fn chosen(written: &str) -> Result<Chosen, RequestError> {
    if written.contains(['\n', '=']) {
        return Ok(Chosen::Own(Arc::new(from_toml(written)?)));
    }
    extractor_named(written).map(Chosen::BuiltIn)
}

fn from_toml(toml: &str) -> Result<Extractor, RequestError> {
    if toml.len() > LONGEST_TOML {
        let message = format!("the TOML is longer than {LONGEST_TOML} bytes");
        return Err(RequestError::bad_extractor(message));
    }
    let extractor = Extractor::from_toml(toml).map_err(|error| RequestError::extractor(&error))?;
    let counts = [
        ("steps", extractor.steps.len(), MOST_STEPS),
        ("fallbacks", extractor.fallback.len(), MOST_FALLBACKS),
    ];
    match counts.into_iter().find(|(_, count, most)| count > most) {
        Some((what, count, most)) => {
            let message = format!("{count} {what}, a request may have {most}");
            Err(RequestError::bad_extractor(message))
        }
        None => Ok(extractor),
    }
}

fn wrong_type(field: Field, value: &Value<'_>) -> RequestError {
    RequestError::wrong(field, Problem::WrongType, &value.shown())
}

fn text<'a>(field: Field, value: &'a Value<'_>) -> Result<&'a str, RequestError> {
    value.text().ok_or_else(|| wrong_type(field, value))
}

fn flag(field: Field, value: &Value<'_>) -> Result<bool, RequestError> {
    value.flag().ok_or_else(|| wrong_type(field, value))
}

fn number(field: Field, value: &Value<'_>) -> Result<f64, RequestError> {
    let number = value.number().ok_or_else(|| wrong_type(field, value))?;
    let out = || RequestError::wrong(field, Problem::OutOfRange, &value.shown());
    let range = field.range().filter(|range| range.contains(number)).ok_or_else(out)?;
    if range.whole && number.fract() != 0.0 {
        return Err(wrong_type(field, value));
    }
    Ok(number)
}

/// The weight of recall.
fn weight(value: &Value<'_>) -> Result<f64, RequestError> {
    let Some(written) = value.text() else { return number(Field::Favor, value) };
    let named = field::FAVORS.into_iter().find(|(name, _)| *name == written);
    match named {
        Some((_, weight)) => Ok(weight),
        None if value.number().is_some() => number(Field::Favor, value),
        None => Err(RequestError::unknown_choice(Field::Favor, written)),
    }
}

fn hidden(value: &Value<'_>) -> Result<Hidden, RequestError> {
    let written = text(Field::Hidden, value)?;
    let named = Hidden::ALL.into_iter().find(|(_, name)| *name == written);
    named
        .map(|(hidden, _)| hidden)
        .ok_or_else(|| RequestError::unknown_choice(Field::Hidden, written))
}

fn shape(value: &Value<'_>) -> Result<TextShape, RequestError> {
    let written = text(Field::Text, value)?;
    let named = TextShape::ALL.into_iter().find(|(_, name)| *name == written);
    named.map(|(shape, _)| shape).ok_or_else(|| RequestError::unknown_choice(Field::Text, written))
}

/// Parts of a page by their names.
fn page_parts(field: Field, value: &Value<'_>) -> Result<Parts, RequestError> {
    let names = value.list().ok_or_else(|| wrong_type(field, value))?;
    let known = |name: &&str| {
        Part::named(name).ok_or_else(|| RequestError::unknown_name(field, name, Part::NAMES))
    };
    names.iter().map(known).collect()
}

fn parts(
    value: &Value<'_>,
    others: &'static [&'static str],
) -> Result<(Vec<RecordPart>, Vec<&'static str>), RequestError> {
    let names = value.list().ok_or_else(|| wrong_type(Field::Parts, value))?;
    let (mut parts, mut other_parts) = (Vec::new(), Vec::new());
    for name in names {
        if let Some(part) = RecordPart::named(name) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        } else if let Some(other) = others.iter().find(|other| **other == name) {
            if !other_parts.contains(other) {
                other_parts.push(*other);
            }
        } else {
            let known = RecordPart::NAMES.iter().chain(others).copied();
            return Err(RequestError::unknown_name(Field::Parts, name, known));
        }
    }
    Ok((parts, other_parts))
}

fn charset(label: &str) -> Result<String, RequestError> {
    if Options::is_charset(label) {
        return Ok(label.to_owned());
    }
    Err(RequestError::unknown_label(Field::Charset, label))
}
