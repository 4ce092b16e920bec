//! Options as JavaScript writes them.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};
use webstrata::error::nearest;
use webstrata::output::{MarkupOptions, Part};
use webstrata::{Extractor, Hidden, Limits, Options};

use crate::host;

/// The options that there are.
const NAMES: [&str; 11] = [
    "url",
    "extractor",
    "favor",
    "formats",
    "links",
    "images",
    "hidden",
    "charset",
    "deadlineMs",
    "maxBytes",
    "width",
];

/// What can be asked for; the text is always there.
const FORMATS: [(&str, Option<Part>); 6] = [
    ("text", None),
    ("markdown", Some(Part::Markdown)),
    ("html", Some(Part::Html)),
    ("metadata", Some(Part::Metadata)),
    ("links", Some(Part::Links)),
    ("blocks", Some(Part::Blocks)),
];

/// A day, as on the server.
const LONGEST_DEADLINE: f64 = 86_400_000.0;

/// A module has 4 GiB of memory at most, and a page's tree takes several times the page.
const MOST_BYTES: f64 = 1_073_741_824.0;

/// Characters of a wrong name that a message repeats.
const MOST_SAID: usize = 80;

/// How to read a page and what to say about it.
pub(crate) struct Request {
    pub(crate) extractor: Cow<'static, Extractor>,
    pub(crate) options: Options,
    pub(crate) parts: Vec<Part>,
    pub(crate) markup: MarkupOptions,
}

impl Request {
    /// Reads options. A page that is text already is not decoded, whatever it and the options say.
    pub(crate) fn read(json: &[u8], is_text: bool) -> Result<Request, String> {
        let expected =
            || "options: expected an object, such as { extractor: 'article' }".to_owned();
        let fields: Map<String, Value> = serde_json::from_slice(json).map_err(|_| expected())?;
        let limits = Limits { clock: host::clock, ..Limits::default() };
        let mut request = Request {
            extractor: Cow::Borrowed(Extractor::default_builtin()),
            options: Options { limits, ..Options::default() },
            parts: Vec::new(),
            markup: MarkupOptions::default(),
        };
        let mut recall = None;
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let read = match name.as_str() {
                "favor" => favor(value).map(|favor| recall = Some(favor)),
                name => request.set(name, value),
            };
            // A name that is not known says so itself.
            read.map_err(|wrong| match wrong {
                Wrong::Value(expected) => format!("`{name}`: {expected}"),
                Wrong::Name(line) => line,
            })?;
        }
        if let Some(recall) = recall {
            request.extractor = Cow::Owned(favored(&request.extractor, recall)?);
        }
        if is_text {
            request.options.charset = Some("utf-8".into());
        }
        Ok(request)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), Wrong> {
        let Request { options, markup, .. } = self;
        match name {
            "url" => options.url = Some(text(value)?.to_owned()),
            "extractor" => self.extractor = extractor(value)?,
            "formats" => self.parts = parts(value)?,
            "links" => markup.links = truth(value)?,
            "images" => markup.images = truth(value)?,
            "hidden" => options.hidden = one_of("way with hidden text", value, Hidden::ALL)?,
            "charset" => options.charset = Some(charset(value)?),
            "deadlineMs" => {
                let milliseconds = number(value, LONGEST_DEADLINE)?;
                options.limits.deadline = Some(Duration::from_secs_f64(milliseconds / 1000.0));
            }
            "maxBytes" => options.limits.bytes = number(value, MOST_BYTES)? as usize,
            "width" => options.width = Some(number(value, 10_000.0)? as u32),
            _ => return Err(Wrong::Name(unknown("option", name, NAMES))),
        }
        Ok(())
    }
}

/// What is wrong with an option.
enum Wrong {
    /// Its value; what was expected.
    Value(String),
    /// A name: the whole line.
    Name(String),
}

fn expected(what: impl Into<String>) -> Wrong {
    Wrong::Value(format!("expected {}", what.into()))
}

fn text(value: &Value) -> Result<&str, Wrong> {
    value.as_str().ok_or_else(|| expected("a string"))
}

fn truth(value: &Value) -> Result<bool, Wrong> {
    value.as_bool().ok_or_else(|| expected("true or false"))
}

fn number(value: &Value, most: f64) -> Result<f64, Wrong> {
    let number = value.as_f64().filter(|number| (1.0..=most).contains(number));
    number.ok_or_else(|| expected(format!("a number from 1 to {most}")))
}

fn one_of<T: Copy, const N: usize>(
    thing: &str,
    value: &Value,
    all: [(T, &'static str); N],
) -> Result<T, Wrong> {
    let name = text(value)?;
    let found = all.iter().find(|(_, known)| *known == name).map(|(value, _)| *value);
    found.ok_or_else(|| Wrong::Name(unknown(thing, name, all.map(|(_, name)| name))))
}

fn parts(value: &Value) -> Result<Vec<Part>, Wrong> {
    let list = value.as_array();
    let list = list.ok_or_else(|| expected("a list, such as ['text', 'markdown']"))?;
    let all = FORMATS.map(|(name, part)| (part, name));
    let parts: Result<Vec<_>, Wrong> =
        list.iter().map(|name| one_of("format", name, all)).collect();
    Ok(parts?.into_iter().flatten().collect())
}

fn charset(value: &Value) -> Result<String, Wrong> {
    let label = text(value)?;
    if Options::is_charset(label) {
        return Ok(label.to_owned());
    }
    let remedy = "write one such as `utf-8` or `windows-1252`";
    Err(Wrong::Value(format!("unknown encoding `{}`, {remedy}", said(label))))
}

fn extractor(value: &Value) -> Result<Cow<'static, Extractor>, Wrong> {
    if let Some(toml) =
        value.as_object().filter(|own| own.len() == 1).and_then(|own| own.get("toml"))
    {
        let own = Extractor::from_toml(text(toml)?);
        return own.map(Cow::Owned).map_err(|error| Wrong::Value(error.to_string()));
    }
    let name = value.as_str().ok_or_else(|| expected("a name, or { toml: '…' }"))?;
    let names = Extractor::builtin().iter().map(|extractor| extractor.name.as_str());
    let unknown = || Wrong::Name(unknown("extractor", name, names));
    Extractor::named(name).map(Cow::Borrowed).ok_or_else(unknown)
}

fn favor(value: &Value) -> Result<f64, Wrong> {
    let weight = match value.as_str() {
        Some("precision") => Some(0.5),
        Some("balanced") => Some(1.0),
        Some("recall") => Some(2.0),
        Some(_) => None,
        None => value.as_f64().filter(|weight| (0.01..=100.0).contains(weight)),
    };
    weight.ok_or_else(|| expected("'precision', 'balanced', 'recall' or a number from 0.01 to 100"))
}

fn favored(extractor: &Extractor, recall: f64) -> Result<Extractor, String> {
    extractor.with_recall(recall).ok_or_else(|| {
        let name = said(&extractor.name);
        format!("`favor`: `{name}` has no step `keep-likely`, use it with `strata`")
    })
}

/// One line about a name that is none of those known.
fn unknown<'a>(
    thing: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    // What is far too long for any is not compared: that takes time for each pair of letters.
    let near = if name.len() > MOST_SAID { None } else { nearest(name, known.clone()) };
    let name = said(name);
    if let Some(near) = near {
        return format!("unknown {thing} `{name}`, did you mean `{near}`?");
    }
    let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    format!("unknown {thing} `{name}`, expected one of {}", known.join(", "))
}

/// What somebody wrote, fit for a line.
fn said(text: &str) -> String {
    let fit = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.chars().take(MOST_SAID).map(fit).collect();
    if text.chars().nth(MOST_SAID).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Request, String> {
        Request::read(json.as_bytes(), false)
    }

    #[test]
    fn wrong_options_get_one_line() {
        let check = |json: &str, expect: &str| {
            let line = read(json).err().unwrap_or_else(|| panic!("{json}: no error"));
            assert!(line.contains(expect) && !line.contains('\n'), "{json}: {line}");
        };
        check("[]", "options: expected an object");
        check(r#""article""#, "options: expected an object");
        check(r#"{"deadline_ms":5}"#, "unknown option `deadline_ms`, did you mean `deadlineMs`?");
        check(r#"{"qq":5}"#, "unknown option `qq`, expected one of `url`, `extractor`");
        check(r#"{"url":5}"#, "`url`: expected a string");
        check(r#"{"extractor":"artcile"}"#, "unknown extractor `artcile`, did you mean `article`?");
        check(r#"{"extractor":5}"#, "`extractor`: expected a name, or { toml");
        check(r#"{"extractor":{"toml":5}}"#, "`extractor`: expected a string");
        check(r#"{"extractor":{"toml":"","x":1}}"#, "`extractor`: expected a name, or { toml");
        let toml =
            r#"{"extractor":{"toml":"name = 'x'\nsteps = [ { filter = 'fuse-nearbye' } ]"}}"#;
        check(toml, "`extractor`: line 2: step 1: unknown filter `fuse-nearbye`, did you mean");
        check(r#"{"formats":"text"}"#, "`formats`: expected a list");
        check(r#"{"formats":["markdwon"]}"#, "unknown format `markdwon`, did you mean `markdown`?");
        check(r#"{"formats":[1]}"#, "`formats`: expected a string");
        check(r#"{"links":1}"#, "`links`: expected true or false");
        check(r#"{"hidden":"kep"}"#, "unknown way with hidden text `kep`, did you mean `keep`?");
        check(r#"{"charset":"klingon"}"#, "`charset`: unknown encoding `klingon`");
        check(r#"{"deadlineMs":0}"#, "`deadlineMs`: expected a number from 1 to 86400000");
        check(r#"{"deadlineMs":"NaN"}"#, "`deadlineMs`: expected a number");
        check(r#"{"maxBytes":1e10}"#, "`maxBytes`: expected a number from 1 to 1073741824");
        check(r#"{"width":-1}"#, "`width`: expected a number from 1 to 10000");
        check(r#"{"favor":"0.5"}"#, "`favor`: expected 'precision'");
        check(r#"{"favor":1000}"#, "`favor`: expected 'precision'");
        check(r#"{"extractor":"article","favor":"recall"}"#, "`article` has no step `keep-likely`");
        let long = format!(r#"{{"{}":1}}"#, "x".repeat(100_000));
        assert!(read(&long).err().is_some_and(|line| line.len() < 500));
    }

    #[test]
    fn what_is_null_is_not_said() {
        let request = read(r#"{"url":null,"favor":null,"nothing":null}"#).expect("no error");
        assert_eq!(request.extractor.name, "strata");
        assert!(request.options.url.is_none() && request.parts.is_empty());
    }

    #[test]
    fn all_names_of_the_core_are_known() {
        let formats: Vec<Part> = FORMATS.iter().filter_map(|(_, part)| *part).collect();
        assert!(Part::ALL.iter().all(|part| formats.contains(part)));
        let request = read(r#"{"favor":"recall","deadlineMs":1500.5}"#).expect("no error");
        let strata = Extractor::default_builtin();
        assert_eq!(Some(request.extractor.into_owned()), strata.with_recall(2.0));
        assert_eq!(request.options.limits.deadline, Some(Duration::from_micros(1_500_500)));
    }
}
