//! How pages are read: the keyword arguments that all functions share.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use webstrata::error::unknown;
use webstrata::output::Record;
use webstrata::request::{Field, Problem, RequestBuilder, RequestError, Takes, Value};
use webstrata::{Options, Page, Request};

use crate::errors::{ExtractorError, wrong_option};
use crate::extractor::{Extractor, Steps};
use crate::input::{Input, mended};
use crate::url_tree::Sites;

/// The option that only Python has.
const KEEP_PAGE: &str = "keep_page";

/// What `formats` may name that every document has.
const ALWAYS_THERE: [&str; 1] = ["text"];

/// How pages are read, and what is made of them.
#[derive(Clone)]
pub(crate) struct PageOptions {
    pub(crate) request: Request,
    /// The request's extractor, and what it was made from.
    pub(crate) steps: Steps,
    pub(crate) keep_page: bool,
    /// What is known of sites, if anything is.
    pub(crate) sites: Option<Arc<Sites>>,
}

impl PageOptions {
    /// Reads keyword arguments. `extractor` is what a method was called on, if it was one.
    pub(crate) fn read(
        keywords: Option<&Bound<'_, PyDict>>,
        extractor: Option<&Extractor>,
        mut keep_page: bool,
    ) -> PyResult<PageOptions> {
        let mut steps = extractor.map_or_else(Steps::default, |extractor| extractor.steps.clone());
        let mut builder = Request::builder().other_parts(&ALWAYS_THERE);
        for (name, value) in keywords.into_iter().flatten() {
            let name = address(&name.cast_into::<PyString>()?)?;
            let field = Field::ALL.into_iter().find(|field| self::name(*field) == name);
            match field {
                None if name != KEEP_PAGE => return Err(unknown_option(&name)),
                // None stands for the default everywhere.
                _ if value.is_none() => {}
                None => keep_page = flag(&name, &value)?,
                Some(Field::Extractor) if extractor.is_some() => {
                    let message =
                        "this is a method of an extractor; use webstrata.extract for others";
                    return Err(PyTypeError::new_err(message));
                }
                Some(Field::Extractor) => steps = Steps::of(&value)?,
                Some(field) => set(&mut builder, field, &value)?,
            }
        }
        builder.extractor(steps.shared());
        let request = builder.build().map_err(|error| refused(&error))?;
        let steps = steps.favored_by(&request);
        Ok(PageOptions { request, steps, keep_page, sites: None })
    }

    /// The options for one page: what is known of it beside its bytes.
    pub(crate) fn for_page(&self, input: &Input, url: Option<&str>) -> Options {
        let mut options = self.request.options.clone();
        if let Some(url) = url {
            options.url = Some(url.to_owned());
        }
        input.tell(&mut options);
        options
    }

    pub(crate) fn extract<'a>(&self, bytes: &'a [u8], options: &Options) -> Page<'a> {
        match &self.sites {
            Some(sites) => sites.extract(bytes, &self.request, options),
            None => self.request.extract_with(bytes, options),
        }
    }

    pub(crate) fn record_of(&self, page: &Page<'_>) -> Record {
        self.request.record_of(page)
    }
}

/// What Python calls a field.
fn name(field: Field) -> &'static str {
    match field {
        Field::Parts => "formats",
        other => other.name(),
    }
}

/// The exception for a request that is wrong.
pub(crate) fn refused(error: &RequestError) -> PyErr {
    let field = error.field().map_or("options", name);
    let line = format!("{field}: {}", error.message());
    match error.problem() {
        Problem::WrongType => PyTypeError::new_err(line),
        Problem::BadExtractor => ExtractorError::new_err(line),
        _ => wrong_option(line),
    }
}

/// Sets a field to a value of Python's.
fn set(builder: &mut RequestBuilder, field: Field, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_flag = field.takes() == Takes::Flag;
    let is_list = matches!(field.takes(), Takes::Names(_));
    let (text, of_type);
    let plain = if let Ok(written) = value.cast::<PyString>() {
        text = match field {
            Field::Url => address(written)?,
            _ => self::text(name(field), value)?,
        };
        if is_list { Value::List(vec![text]) } else { Value::Text(&text) }
    } else if let Some(flag) = value.extract().ok().filter(|_| is_flag) {
        Value::Flag(flag)
    } else if let Ok(flag) = value.cast::<PyBool>() {
        // True and False are numbers to Python, not here.
        Value::Flag(flag.is_true())
    } else if let Ok(number) = value.extract() {
        Value::Number(number)
    } else if value.is_instance_of::<PyInt>() {
        Value::Number(f64::INFINITY)
    } else if let Some(names) = value.try_iter().ok().filter(|_| is_list) {
        let names = names.map(|one| self::text(name(field), &one?));
        Value::List(names.collect::<PyResult<_>>()?)
    } else {
        of_type = type_name(value);
        Value::Other(&of_type)
    };
    builder.set_field(field, plain).map(|_| ()).map_err(|error| refused(&error))
}

/// The bytes of a page that are read, where they are asked for.
pub(crate) fn max_bytes(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    let mut builder = Request::builder();
    set(&mut builder, Field::MaxBytes, value)?;
    let request = builder.build().map_err(|error| refused(&error))?;
    Ok(Some(request.options.limits.bytes))
}

/// A choice that there is not, and those that there are.
pub(crate) fn no_such(option: &str, thing: &str, written: &str, names: &[&str]) -> PyErr {
    wrong_option(format!("{option}: {}", unknown(thing, written, names.iter().copied())))
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

fn unknown_option(written: &str) -> PyErr {
    let names = Field::ALL.iter().map(|field| name(*field)).chain([KEEP_PAGE]);
    PyTypeError::new_err(unknown("option", written, names))
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "this".into(), |name| name.to_string())
}

/// What a value should have been.
fn wrong_type(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    PyTypeError::new_err(format!("{name}: expected {expected}, not {}", type_name(value)))
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
    value.extract().map_err(|_| wrong_type(name, value, "true or false"))
}

/// A whole number in a range.
pub(crate) fn within(
    name: &str,
    value: &Bound<'_, PyAny>,
    least: usize,
    most: usize,
) -> PyResult<usize> {
    let number: Option<usize> = match value.extract() {
        Ok(number) if !value.is_instance_of::<PyBool>() => Some(number),
        // One that does not fit.
        Err(_) if value.is_instance_of::<PyInt>() => None,
        _ => return Err(wrong_type(name, value, "int")),
    };
    let number = number.filter(|number| (least..=most).contains(number));
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
