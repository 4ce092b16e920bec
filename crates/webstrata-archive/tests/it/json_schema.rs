//! Values against as much of JSON Schema as our schemas use.

use serde_json::{Map, Value};

/// Checks a value against a schema. References point into `root`.
pub(crate) fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(target) = schema["$ref"].as_str() {
        let schema = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        let schema = schema.unwrap_or_else(|| panic!("{at}: {target} leads nowhere"));
        return check(root, schema, value, at);
    }
    for (word, least) in [("oneOf", 1), ("anyOf", 1), ("allOf", usize::MAX)] {
        let Some(schemas) = schema[word].as_array() else { continue };
        let results: Vec<_> = schemas.iter().map(|one| check(root, one, value, at)).collect();
        let fitting = results.iter().filter(|result| result.is_ok()).count();
        if fitting < least.min(schemas.len()) || (word == "oneOf" && fitting > 1) {
            return Err(format!("{at}: fits {fitting} of {word}: {results:?}"));
        }
    }
    check_type(schema, value, at)?;
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return Err(format!("{at}: {value} is none of {}", schema["enum"]));
    }
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let is_out = |number| {
        least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most)
    };
    if value.as_f64().is_some_and(is_out) {
        return Err(format!("{at}: {value} is out of range"));
    }
    match value {
        Value::Array(items) => (items.iter().enumerate())
            .try_for_each(|(n, item)| check(root, &schema["items"], item, &format!("{at}[{n}]"))),
        Value::Object(object) => check_object(root, schema, object, at),
        _ => Ok(()),
    }
}

fn check_type(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        Value::Null => return Ok(()),
        kind => vec![kind.clone()],
    };
    let is = |kind: &Value| match kind.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        other => panic!("{at}: {other:?} is no type"),
    };
    if kinds.iter().any(is) { Ok(()) } else { Err(format!("{at}: {value} is no {kinds:?}")) }
}

fn check_object(
    root: &Value,
    schema: &Value,
    object: &Map<String, Value>,
    at: &str,
) -> Result<(), String> {
    let required = schema["required"].as_array().into_iter().flatten();
    let mut names = required.filter_map(Value::as_str);
    if let Some(name) = names.find(|name| !object.contains_key(*name)) {
        return Err(format!("{at}: has no `{name}`"));
    }
    object.iter().try_for_each(|(name, value)| {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(property), _) => check(root, property, value, &at),
            (None, Value::Bool(false)) => Err(format!("{at}: is not described")),
            (None, others @ Value::Object(_)) => check(root, others, value, &at),
            (None, _) => Ok(()),
        }
    })
}
