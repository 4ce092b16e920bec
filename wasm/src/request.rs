//! Options as JavaScript writes them.

use serde_json::{Map, Value as Json};
use webstrata::Request;
use webstrata::error::unknown;
use webstrata::request::{Field, RequestError, Value};

use crate::host;

/// What options may ask for that every record has.
const ALWAYS_THERE: [&str; 1] = ["text"];

/// Reads options. A page that is text already is not decoded, whatever it and the options say.
pub(crate) fn read(json: &[u8], is_text: bool) -> Result<Request, String> {
    let expected = || "options: expected an object, such as { extractor: 'article' }".to_owned();
    let fields: Map<String, Json> = serde_json::from_slice(json).map_err(|_| expected())?;
    let mut builder = Request::builder().other_parts(&ALWAYS_THERE);
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let names = Field::ALL.map(self::name);
        let field = Field::ALL.into_iter().find(|field| self::name(*field) == name);
        let field = field.ok_or_else(|| unknown("option", name, names))?;
        builder.set_field(field, plain(field, value)).map_err(|error| line(&error))?;
    }
    let mut request = builder.build().map_err(|error| line(&error))?;
    request.options.limits.clock = host::clock;
    if is_text {
        request.options.charset = Some("utf-8".into());
    }
    Ok(request)
}

/// What JavaScript calls a field.
fn name(field: Field) -> &'static str {
    match field {
        Field::Parts => "formats",
        Field::DeadlineMs => "deadlineMs",
        Field::MaxBytes => "maxBytes",
        Field::FrontMatter => "frontMatter",
        other => other.name(),
    }
}

fn line(error: &RequestError) -> String {
    let field = error.field().map_or("options", name);
    format!("`{field}`: {}", error.message())
}

fn plain(field: Field, value: &Json) -> Value<'_> {
    match value {
        Json::String(text) => Value::Text(text),
        Json::Bool(flag) => Value::Flag(*flag),
        Json::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            // JavaScript has no whole numbers of their own.
            let is_whole = field.range().is_some_and(|range| range.whole);
            Value::Number(if is_whole { number.trunc() } else { number })
        }
        Json::Array(list) => {
            let texts: Option<Vec<String>> =
                list.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            texts.map_or(Value::Other("a list of other things"), Value::List)
        }
        Json::Object(own) => {
            let toml = own.get("toml").and_then(Json::as_str);
            let toml = toml.filter(|_| field == Field::Extractor && own.len() == 1);
            toml.map_or(Value::Other("an object"), Value::Text)
        }
        Json::Null => Value::Other("null"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use webstrata::output::{OutputOptions, RecordPart, TextShape};
    use webstrata::{Extractor, Part};

    use super::*;

    fn read(json: &str) -> Result<Request, String> {
        super::read(json.as_bytes(), false)
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
        check(r#"{"url":5}"#, "`url`: expected a text, not 5");
        check(r#"{"extractor":"artcile"}"#, "unknown extractor `artcile`, did you mean `article`?");
        check(r#"{"extractor":{"toml":5}}"#, "`extractor`: expected the name of an extractor");
        check(r#"{"extractor":{"toml":"","x":1}}"#, "or one as TOML, not an object");
        let toml =
            r#"{"extractor":{"toml":"name = 'x'\nsteps = [ { filter = 'fuse-nearbye' } ]"}}"#;
        check(toml, "`extractor`: line 2: step 1: unknown filter `fuse-nearbye`, did you mean");
        check(r#"{"formats":["markdwon"]}"#, "`formats`: unknown part `markdwon`, did you mean");
        check(r#"{"formats":[1]}"#, "`formats`: expected a list of names");
        check(r#"{"exclude":["captoin"]}"#, "`exclude`: unknown part `captoin`, did you mean");
        check(r#"{"include":"comment"}"#, "`include`: expected a list of parts");
        check(r#"{"text":"plain"}"#, "`text`: expected structured or flat, not `plain`");
        check(r#"{"front_matter":true}"#, "unknown option `front_matter`, did you mean");
        check(r#"{"deadlineMs":0}"#, "`deadlineMs`: expected a number of milliseconds");
        check(r#"{"maxBytes":1e10}"#, "`maxBytes`: expected a whole number from 1 to 2147483647");
        check(r#"{"favor":"0.5"}"#, "`favor`: expected precision");
        check(r#"{"extractor":"article","favor":"recall"}"#, "`favor`: `article` has no step");
        let long = format!(r#"{{"{}":1}}"#, "x".repeat(100_000));
        assert!(read(&long).err().is_some_and(|line| line.len() < 500));
    }

    #[test]
    fn null_is_as_good_as_nothing() {
        let request = read(r#"{"url":null,"favor":null,"nothing":null}"#).expect("no error");
        assert_eq!(request.extractor().name, "strata");
        assert!(request.options.url.is_none() && request.parts.is_empty());
    }

    #[test]
    fn values_of_javascript_become_plain_ones() {
        let request = read(
            r#"{"favor":"recall","deadlineMs":1500.5,"width":40.5,"links":true,"formats":["text","html"],
                "extractor":{"toml":"name = 'x'\nsteps = [ { filter = 'keep-likely' } ]"}}"#,
        )
        .expect("no error");
        assert_eq!(request.extractor().name, "x");
        assert_eq!(request.options.limits.deadline, Some(Duration::from_micros(1_500_500)));
        assert_eq!((request.options.width, request.markup.links), (Some(40), true));
        assert_eq!(request.parts, [RecordPart::Html]);
        let request = read(
            r#"{"text":"flat","include":["byline"],"exclude":["captions"],"frontMatter":true,"formats":["posts"]}"#,
        )
        .expect("no error");
        let OutputOptions { text, include, exclude, front_matter, .. } = request.markup;
        assert!(include.has(Part::Byline) && exclude.has(Part::Caption) && front_matter);
        assert_eq!((text, request.parts), (TextShape::Flat, vec![RecordPart::Posts]));
        let strata = Extractor::default_builtin();
        let request = read(r#"{"favor":2}"#).expect("no error");
        assert_eq!(Some(request.extractor()), strata.with_recall(2.0).as_ref());
    }
}
