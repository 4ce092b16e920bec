//! How pages are read: the keyword arguments that all functions share.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyIterator, PyString};
use webstrata::error::nearest;
use webstrata::output::{MarkupOptions, Part};
use webstrata::{Hidden, Options, Page};

use crate::errors::wrong_option;
use crate::extractor::{Extractor, Steps};
use crate::input::{Input, mended};
use crate::url_tree::Sites;

/// The names of the options, for whoever misspells one.
const NAMES: [&str; 12] = [
    "url",
    "extractor",
    "favor",
    "formats",
    "links",
    "images",
    "hidden",
    "charset",
    "deadline_ms",
    "max_bytes",
    "width",
    "keep_page",
];

/// Positions in a page are 32 bits, one of them a sign.
const MOST_BYTES: usize = (1 << 31) - 1;

/// A day; a page that takes longer is none.
const LONGEST_DEADLINE: f64 = 86_400_000.0;

/// How pages are read, and what is made of them.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) steps: Steps,
    pub(crate) options: Options,
    pub(crate) parts: Vec<Part>,
    pub(crate) markup: MarkupOptions,
    pub(crate) keep_page: bool,
    /// What is known of sites, if anything is.
    pub(crate) sites: Option<Arc<Sites>>,
}

/// What a document may have beside its text.
pub(crate) const PARTS: [(Part, &str); 5] = [
    (Part::Blocks, "blocks"),
    (Part::Metadata, "metadata"),
    (Part::Links, "links"),
    (Part::Markdown, "markdown"),
    (Part::Html, "html"),
];

impl Settings {
    /// Reads keyword arguments. `extractor` is what a method was called on, if it was one.
    pub(crate) fn read(
        keywords: Option<&Bound<'_, PyDict>>,
        extractor: Option<&Extractor>,
        keep_page: bool,
    ) -> PyResult<Settings> {
        let mut settings = Settings {
            steps: extractor.map_or_else(Steps::default, |extractor| extractor.steps.clone()),
            options: Options::default(),
            parts: Vec::new(),
            markup: MarkupOptions::default(),
            keep_page,
            sites: None,
        };
        let mut recall = None;
        for (name, value) in keywords.into_iter().flatten() {
            let name = name.cast_into::<PyString>()?;
            // None is everywhere what nobody said.
            if value.is_none() && NAMES.iter().any(|known| name == *known) {
                continue;
            }
            match address(&name)?.as_str() {
                "extractor" if extractor.is_some() => {
                    let message =
                        "this is a method of an extractor; use webstrata.extract for others";
                    return Err(PyTypeError::new_err(message));
                }
                "extractor" => settings.steps = Steps::of(&value)?,
                "favor" => recall = Some(favor(&value)?),
                name => settings.set(name, &value)?,
            }
        }
        if let Some(recall) = recall.filter(|recall| *recall != 1.0) {
            settings.steps = settings.steps.with_recall(recall)?;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name {
            "url" => {
                let text = value.cast().map_err(|_| wrong_type(name, value, "str"))?;
                self.options.url = Some(address(text)?);
            }
            "formats" => self.parts = parts(value)?,
            "links" => self.markup.links = flag(name, value)?,
            "images" => self.markup.images = flag(name, value)?,
            "hidden" => self.options.hidden = hidden(value)?,
            "charset" => self.options.charset = Some(charset(value)?),
            "deadline_ms" => self.options.limits.deadline = Some(deadline(value)?),
            "max_bytes" => self.options.limits.bytes = within(name, value, 1, MOST_BYTES)?,
            "width" => self.options.width = Some(within(name, value, 1, 10_000)? as u32),
            "keep_page" => self.keep_page = flag(name, value)?,
            unknown => return Err(unknown_option(unknown)),
        }
        Ok(())
    }

    /// The options for one page: what is known of it beside its bytes.
    pub(crate) fn for_page(&self, input: &Input, url: Option<&str>) -> Options {
        let mut options = self.options.clone();
        if let Some(url) = url {
            options.url = Some(url.to_owned());
        }
        input.tell(&mut options);
        options
    }

    pub(crate) fn extract<'a>(&self, bytes: &'a [u8], options: &Options) -> Page<'a> {
        match &self.sites {
            Some(sites) => sites.extract(bytes, &self.steps, options),
            None => self.steps.extract_page(bytes, options),
        }
    }
}

/// A choice that there is not, and those that there are.
pub(crate) fn no_such(option: &str, kind: &str, written: &str, names: &[&str]) -> PyErr {
    let hint = match nearest(written, names.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("expected one of {}", names.join(", ")),
    };
    wrong_option(format!("{option}: no such {kind} {written:?}, {hint}"))
}

/// Refuses options that a function has no use for.
pub(crate) fn refuse(
    keywords: Option<&Bound<'_, PyDict>>,
    function: &str,
    names: &[&str],
) -> PyResult<()> {
    for name in names {
        if keywords.is_some_and(|keywords| keywords.contains(name).unwrap_or_default()) {
            return Err(PyTypeError::new_err(format!("{function}() has no option {name}")));
        }
    }
    Ok(())
}

fn unknown_option(name: &str) -> PyErr {
    let near = nearest(name, NAMES);
    let hint = match near {
        Some(near) => format!("did you mean {near}?"),
        None => format!("expected one of {}", NAMES.join(", ")),
    };
    // A name may be anything; a message is one line.
    PyTypeError::new_err(format!("unknown option {}, {hint}", name.escape_debug()))
}

/// What a value should have been.
fn wrong_type(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "this".into(), |name| name.to_string());
    PyTypeError::new_err(format!("{name}: expected {expected}, not {kind}"))
}

/// An address; of those that are no valid Unicode, what is valid.
pub(crate) fn address(value: &Bound<'_, PyString>) -> PyResult<String> {
    value.to_cow().map_or_else(|_| mended(value), |url| Ok(url.into_owned()))
}

pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, value, "str"))?;
    let invalid = |_| wrong_option(format!("{name}: expected valid Unicode"));
    text.to_cow().map(Cow::into_owned).map_err(invalid)
}

fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong_type(name, value, "True or False"))
}

/// A number, or `None` where it is one that does not fit. True and False are numbers to Python, not here.
fn number<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    value: &Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<Option<T>> {
    match value.extract() {
        Ok(number) if !value.is_instance_of::<PyBool>() => Ok(Some(number)),
        Err(_) if value.is_instance_of::<PyInt>() => Ok(None),
        _ => Err(wrong_type(name, value, expected)),
    }
}

/// A whole number in a range.
pub(crate) fn within(
    name: &str,
    value: &Bound<'_, PyAny>,
    least: usize,
    most: usize,
) -> PyResult<usize> {
    let number = number(name, value, "int")?.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| wrong_option(format!("{name}: expected a number from {least} to {most}")))
}

/// The same of a number that Python has checked to be one.
pub(crate) fn in_range(name: &str, number: i64, least: usize, most: usize) -> PyResult<usize> {
    let number = usize::try_from(number).ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| match most {
        usize::MAX => wrong_option(format!("{name}: expected {least} or more")),
        _ => wrong_option(format!("{name}: expected a number from {least} to {most}")),
    })
}

fn deadline(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let milliseconds = number("deadline_ms", value, "a number of milliseconds")?;
    let milliseconds = milliseconds.unwrap_or(f64::INFINITY);
    let fits = milliseconds > 0.0 && milliseconds <= LONGEST_DEADLINE;
    let wrong = || wrong_option("deadline_ms: expected more than 0 and at most a day");
    fits.then(|| Duration::from_secs_f64(milliseconds / 1000.0)).ok_or_else(wrong)
}

fn charset(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let label = text("charset", value)?;
    if Options::is_charset(&label) {
        return Ok(label);
    }
    Err(wrong_option(format!(
        "charset: no such charset {label:?}, expected a label of the Web's, such as utf-8, windows-1252, shift_jis"
    )))
}

fn hidden(value: &Bound<'_, PyAny>) -> PyResult<Hidden> {
    let written = text("hidden", value)?;
    let named = Hidden::ALL.iter().find(|(_, name)| *name == written).map(|(hidden, _)| *hidden);
    named.ok_or_else(|| {
        wrong_option(format!("hidden: no such choice {written:?}, expected drop, keep or mark"))
    })
}

/// The weight of recall.
fn favor(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let wrong =
        || wrong_option("favor: expected precision, balanced, recall or a number from 0.01 to 100");
    if value.is_instance_of::<PyString>() {
        return match text("favor", value)?.as_str() {
            "precision" => Ok(0.5),
            "balanced" => Ok(1.0),
            "recall" => Ok(2.0),
            _ => Err(wrong()),
        };
    }
    let weight = number("favor", value, "str or a number")?.unwrap_or(f64::INFINITY);
    (0.01..=100.0).contains(&weight).then_some(weight).ok_or_else(wrong)
}

fn names<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    value.try_iter().map_err(|_| wrong_type("formats", value, "names of formats"))
}

/// `text` is always there; the others are parts of a record.
fn parts(value: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let names: Vec<String> = match value.cast::<PyString>() {
        Ok(_) => vec![text("formats", value)?],
        Err(_) => names(value)?.map(|name| text("formats", &name?)).collect::<PyResult<_>>()?,
    };
    let mut parts = Vec::new();
    for name in names.iter().filter(|name| *name != "text") {
        let Some((part, _)) = PARTS.iter().find(|(_, known)| known == name) else {
            let all = PARTS.map(|(_, name)| name);
            let near = nearest(name, all.into_iter().chain(["text"]));
            let hint = match near {
                Some(near) => format!("did you mean {near}?"),
                None => format!("expected text, {}", all.join(", ")),
            };
            return Err(wrong_option(format!("formats: no such format {name:?}, {hint}")));
        };
        if !parts.contains(part) {
            parts.push(*part);
        }
    }
    Ok(parts)
}
