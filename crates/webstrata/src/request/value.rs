//! Plain values of fields.

use crate::error::shortened;

/// The value of a field as an adapter has it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A text of a language that tells texts from numbers: `"80"` is no number.
    Text(&'a str),
    /// Anything, written as text: `80` is a number, `true` is a flag, `links,html` is a list. Command lines, addresses
    /// and forms have nothing else.
    Written(&'a str),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A list of texts.
    List(Vec<String>),
    /// Something that no field takes; what messages call it.
    Other(&'a str),
}

impl Value<'_> {
    /// How messages show it.
    pub(super) fn shown(&self) -> String {
        match self {
            Value::Text(text) | Value::Written(text) => format!("`{}`", shortened(text)),
            // Plain where that is short.
            Value::Number(number) => match number.to_string() {
                plain if plain.len() <= 20 => plain,
                _ => format!("{number:e}"),
            },
            Value::Flag(flag) => flag.to_string(),
            Value::List(_) => "a list".into(),
            Value::Other(name) => shortened(name),
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Written(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match self {
            Value::Flag(flag) => Some(*flag),
            Value::Written("true" | "1" | "") => Some(true),
            Value::Written("false" | "0") => Some(false),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Written(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<Vec<&str>> {
        match self {
            Value::List(texts) => Some(texts.iter().map(String::as_str).collect()),
            Value::Written(text) => {
                Some(text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect())
            }
            _ => None,
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::Text(text)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Flag(flag)
    }
}

impl From<Vec<String>> for Value<'_> {
    fn from(texts: Vec<String>) -> Self {
        Value::List(texts)
    }
}
