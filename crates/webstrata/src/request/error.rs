//! What is wrong with a request.

use std::fmt;

use super::field::Field;
use crate::error::{Error, cut, near, shortened, unknown};

/// Characters of a message about an extractor, which may quote from it.
const LONGEST_MESSAGE: usize = 300;

/// What is wrong with a request, as one line of bounded length.
///
/// ```
/// use webstrata::Request;
/// use webstrata::request::{Field, Problem};
///
/// let error = Request::builder().set("width", 0.0).unwrap_err();
/// assert_eq!(error.to_string(), "width: expected a whole number from 1 to 10000, not 0");
/// assert_eq!((error.field(), error.problem()), (Some(Field::Width), Problem::OutOfRange));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    field: Option<Field>,
    problem: Problem,
    line: Option<usize>,
    message: String,
}

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// There is no such field.
    UnknownField,
    /// The field takes another type of value.
    WrongType,
    /// The number is too small or too large.
    OutOfRange,
    /// There is nothing with this name.
    UnknownName,
    /// The extractor that is given as TOML is wrong.
    BadExtractor,
    /// The extractor has no weight of recall.
    NoRecall,
}

impl RequestError {
    /// The field that is wrong; none where it is not known.
    pub fn field(&self) -> Option<Field> {
        self.field
    }

    /// What kind of mistake it is.
    pub fn problem(&self) -> Problem {
        self.problem
    }

    /// The line of an extractor's TOML that is wrong, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// What is wrong, without the name of the field: adapters put it in front as they write it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What was expected, for adapters that have named the value already.
    pub fn expectation(&self) -> String {
        match (self.field, self.problem) {
            (Some(field), Problem::WrongType | Problem::OutOfRange) => {
                format!("expected {}", field.expected())
            }
            (Some(field @ (Field::Favor | Field::Hidden)), Problem::UnknownName) => {
                format!("expected {}", field.expected())
            }
            (Some(Field::Charset), Problem::UnknownName) => {
                format!("no such charset; expected {}", Field::Charset.expected())
            }
            _ => self.message.clone(),
        }
    }

    fn new(field: Field, problem: Problem, message: String) -> RequestError {
        RequestError { field: Some(field), problem, line: None, message }
    }

    pub(super) fn wrong(field: Field, problem: Problem, shown: &str) -> RequestError {
        RequestError::new(field, problem, format!("expected {}, not {shown}", field.expected()))
    }

    pub(super) fn unknown_field(name: &str) -> RequestError {
        let message = unknown("field", name, Field::ALL.iter().map(|field| field.name()));
        RequestError { field: None, problem: Problem::UnknownField, line: None, message }
    }

    pub(super) fn unknown_name<'a>(
        field: Field,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> RequestError {
        let message = unknown(field.thing(), name, known);
        RequestError::new(field, Problem::UnknownName, message)
    }

    /// A name that is none of those that the field takes; it may take numbers, too.
    pub(super) fn unknown_choice(field: Field, name: &str) -> RequestError {
        let known = field.names().iter().copied();
        if near(name, known.clone()).is_some() {
            return RequestError::unknown_name(field, name, known);
        }
        let shown = format!("`{}`", shortened(name));
        RequestError::wrong(field, Problem::UnknownName, &shown)
    }

    /// A name of which there are too many to list.
    pub(super) fn unknown_label(field: Field, name: &str) -> RequestError {
        let (thing, name, expected) = (field.thing(), shortened(name), field.expected());
        let message = format!("unknown {thing} `{name}`, expected {expected}");
        RequestError::new(field, Problem::UnknownName, message)
    }

    pub(super) fn extractor(error: &Error) -> RequestError {
        let message = cut(&error.to_string(), LONGEST_MESSAGE);
        let line = error.line();
        RequestError { line, ..RequestError::bad_extractor(message) }
    }

    pub(super) fn bad_extractor(message: String) -> RequestError {
        RequestError::new(Field::Extractor, Problem::BadExtractor, message)
    }

    pub(super) fn no_recall(name: &str) -> RequestError {
        let name = shortened(name);
        let message = format!("`{name}` has no step `keep-likely`, use it with `strata`");
        RequestError::new(Field::Favor, Problem::NoRecall, message)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "{}: ", field.name())?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RequestError {}
