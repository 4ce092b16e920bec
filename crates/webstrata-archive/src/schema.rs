//! The JSON Schema of records, made from their types. OpenAPI documents take parts of it.

use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::record::PageRecord;

/// Where OpenAPI has schemas, and where JSON Schema has them.
const IN_OPENAPI: &str = "#/components/schemas/";
const IN_JSON_SCHEMA: &str = "#/$defs/";

/// The JSON Schema (2020-12) of a [`PageRecord`]: `docs/record.schema.json` of the repository.
pub fn record_schema() -> Value {
    let mut described = described::<PageRecord>();
    for schema in described.values_mut() {
        without_nulls(schema);
        plain(schema);
    }
    let Some(Value::Object(mut schema)) = described.remove(&*PageRecord::name()) else {
        return Value::Null;
    };
    // Their fields are the record's own.
    described.retain(|name, _| name != "Origin" && name != "Record");
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), "PageRecord".into());
    schema.insert("$defs".into(), Value::Object(described));
    Value::Object(schema)
}

/// A type and those that it is made of, by name, as [`flat`] writes them.
pub fn described<T: ToSchema>() -> Map<String, Value> {
    let mut schemas = vec![(T::name().into_owned(), <T as PartialSchema>::schema())];
    T::schemas(&mut schemas);
    flat(schemas)
}

/// Schemas by name. What a type took in of another (`flatten`) becomes its own fields, and an object has no other
/// fields than those that are listed.
pub fn flat(schemas: impl IntoIterator<Item = (String, RefOr<Schema>)>) -> Map<String, Value> {
    let written = |(name, schema)| Some((name, serde_json::to_value(schema).ok()?));
    let schemas: Map<String, Value> = schemas.into_iter().filter_map(written).collect();
    let closed = |(name, schema): (&String, &Value)| {
        let mut schema = joined(schema, &schemas);
        if schema["properties"].is_object() && schema["additionalProperties"].is_null() {
            schema["additionalProperties"] = false.into();
        }
        describe_plainly(&mut schema);
        (name.clone(), schema)
    };
    schemas.iter().map(closed).collect()
}

/// A schema that is made of several objects, as one object.
fn joined(schema: &Value, all: &Map<String, Value>) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|at| at.strip_prefix(IN_OPENAPI)) {
        return all.get(name).map_or(Value::Null, |named| joined(named, all));
    }
    let Some(parts) = schema["allOf"].as_array() else { return schema.clone() };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts.iter().map(|part| joined(part, all)) {
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    let mut one = json!({"type": "object", "properties": properties, "required": required});
    if let Some(description) = schema.get("description") {
        one["description"] = description.clone();
    }
    one
}

/// Takes the links of rustdoc out of descriptions: ``[`Limits`](crate::Limits)`` is `Limits`.
fn describe_plainly(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "description" => {
                        *text = without_links(text).replace('\n', " ");
                    }
                    other => describe_plainly(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(describe_plainly),
        _ => {}
    }
}

fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, link)) = rest.split_once("[`") {
        plain.push_str(before);
        let (name, behind) = link.split_once("`]").unwrap_or((link, ""));
        plain.extend(["`", name, "`"]);
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    plain + rest
}

/// A field of a record that has no value is left out: only those that are always there can be `null`.
fn without_nulls(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let optional = properties.iter_mut().filter(|(name, _)| !required.contains(&json!(name)));
    for (_, property) in optional {
        if let Some(Value::Array(kinds)) = property.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [only] = &kinds[..] {
                property["type"] = only.clone();
            }
        }
        if let Some(Value::Array(either)) = property.get_mut("oneOf") {
            either.retain(|one| one["type"] != "null");
            if let [only] = &either[..] {
                *property = only.clone();
            }
        }
    }
}

/// Writes what JSON Schema does not share with OpenAPI as JSON Schema has it.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // The formats of OpenAPI are sizes of numbers in memory, and a field that is missing is not null.
            let is_other = |name: &str, value: &Value| match name {
                "format" => value.is_string(),
                "default" => value.is_null(),
                _ => false,
            };
            fields.retain(|name, value| !is_other(name, value));
            for (name, value) in fields {
                match value {
                    Value::String(target) if name == "$ref" => {
                        *target = target.replace(IN_OPENAPI, IN_JSON_SCHEMA);
                    }
                    other => plain(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_rustdoc() {
        let check = |written: &str, expect: &str| assert_eq!(without_links(written), expect);
        check("More than [`Limits::bytes`].", "More than `Limits::bytes`.");
        check("A [`Rule`](crate::Rule) or [`B`].", "A `Rule` or `B`.");
        check("`html[0]`, [x]", "`html[0]`, [x]");
    }
}
