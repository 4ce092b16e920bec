//! Requests for pages, described by the table of fields that reads them.

use std::borrow::Cow;

use serde_json::Value as Json;
use utoipa::openapi::schema::{
    ArrayBuilder, ObjectBuilder, OneOfBuilder, RefBuilder, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use webstrata::Part;
use webstrata::request::{Field, Range, Takes};

use crate::request::{
    Built, Id, MethodName, OTHER_PARTS, OwnFields, PageFields, SegmentFields, fields, name,
};

type Schemas = Vec<(String, RefOr<Schema>)>;

/// What the description of a request has beside its fields.
trait Described: OwnFields + PartialSchema {
    const NAME: &'static str;
    const ABOUT: &'static str;
    const EXAMPLE: &'static str;
    /// Schemas that the own fields refer to.
    fn own_schemas(schemas: &mut Schemas);
}

impl Described for PageFields {
    const NAME: &'static str = "PageRequest";
    const ABOUT: &'static str =
        "A page and how to read it. Either `html` or, where fetching is on, `url` alone.";
    const EXAMPLE: &'static str =
        "<h1>Tides</h1><p>High water is at noon today, the harbour office says.";

    fn own_schemas(schemas: &mut Schemas) {
        schemas.push((Id::name().into_owned(), Id::schema()));
    }
}

impl Described for SegmentFields {
    const NAME: &'static str = "SegmentRequest";
    const ABOUT: &'static str = "A page and how to cut it into segments.";
    const EXAMPLE: &'static str = "<ul><li>Home<li>Tides</ul><p>High water is at noon today, the \
        harbour office says.";

    fn own_schemas(schemas: &mut Schemas) {
        schemas.push((MethodName::name().into_owned(), MethodName::schema()));
    }
}

impl<F: Described> PartialSchema for Built<F> {
    fn schema() -> RefOr<Schema> {
        let html =
            "The page. It is text already, so what it says about its encoding does not matter.";
        let html = optional(Type::String).description(Some(html)).examples([F::EXAMPLE]);
        let mut object = match F::schema() {
            RefOr::T(Schema::Object(own)) => ObjectBuilder::from(own),
            _ => ObjectBuilder::new(),
        };
        object = object.description(Some(F::ABOUT)).property("html", html);
        for field in fields::<F>() {
            object = object.property(name(field), property(field));
        }
        object.into()
    }
}

impl<F: Described> ToSchema for Built<F> {
    fn name() -> Cow<'static, str> {
        F::NAME.into()
    }

    fn schemas(schemas: &mut Schemas) {
        F::own_schemas(schemas);
        for field in fields::<F>() {
            let Some(name) = schema_name(field) else { continue };
            let schema = match field {
                // Blocks have one, too.
                Field::Include | Field::Exclude => Part::schema(),
                _ => names(field),
            };
            schemas.push((name.to_owned(), schema));
        }
    }
}

/// Fields whose values have a schema of their own.
fn schema_name(field: Field) -> Option<&'static str> {
    match field {
        Field::Parts => Some("With"),
        Field::Favor => Some("Favor"),
        Field::Hidden => Some("HiddenText"),
        Field::Text => Some("TextShape"),
        Field::Include | Field::Exclude => Some("Part"),
        _ => None,
    }
}

/// The values of such a field.
fn names(field: Field) -> RefOr<Schema> {
    let others: &[&str] = if field == Field::Parts { &OTHER_PARTS } else { &[] };
    let names = field.names().iter().chain(others).copied();
    let names =
        ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).enum_values(Some(names));
    match field.takes() {
        Takes::NameOrNumber(_, range) => {
            let number = within(ObjectBuilder::new().schema_type(Type::Number), range);
            let both = OneOfBuilder::new().item(names).item(number);
            both.description(Some(field.about())).into()
        }
        _ => names.description(Some(field.about())).into(),
    }
}

fn property(field: Field) -> RefOr<Schema> {
    let about = Some(match field {
        Field::Url => {
            "Where the page came from: makes links absolute. Without `html`, the page is fetched from there."
        }
        Field::Extractor => "A built-in extractor (see `/v1/extractors`), or one as TOML.",
        Field::Charset => {
            "The encoding that the transport named; of pages that are fetched or sent as bytes only."
        }
        Field::DeadlineMs => {
            "How long parsing may take, in milliseconds; at most as long as the server allows."
        }
        Field::Parts => "What the answer shall have beside the text.",
        other => other.about(),
    });
    if let Some(name) = schema_name(field) {
        let one = RefBuilder::new().ref_location_from_schema_name(name);
        if matches!(field.takes(), Takes::Names(_)) {
            let list = ArrayBuilder::new().items(one.build()).description(about);
            let kinds = SchemaType::Array(vec![Type::Array, Type::Null]);
            return list.schema_type(kinds).into();
        }
        let null = ObjectBuilder::new().schema_type(SchemaType::Type(Type::Null));
        let one = one.description(about);
        return OneOfBuilder::new().item(null).item(one.build()).into();
    }
    let object = match field.takes() {
        Takes::Flag => optional(Type::Boolean),
        Takes::Number(range) if range.whole => within(optional(Type::Integer), range),
        Takes::Number(range) => within(optional(Type::Number), range),
        _ => optional(Type::String),
    };
    let default = match (field.takes(), field.default_text()) {
        (_, "") | (Takes::Flag, _) => None,
        (Takes::Number(_), number) => number.parse::<u64>().ok().map(Json::from),
        (_, text) => Some(Json::from(text)),
    };
    let example = match field {
        Field::Url => Some("https://harbour.example/tides"),
        Field::Extractor => Some("strata"),
        Field::Charset => Some("windows-1252"),
        _ => None,
    };
    object.description(about).default(default).examples(example).into()
}

/// In JSON, `null` is as good as no field.
fn optional(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Array(vec![kind, Type::Null]))
}

fn within(object: ObjectBuilder, range: Range) -> ObjectBuilder {
    object.minimum(Some(range.least)).maximum(Some(range.most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Fields;
    use crate::request::Asked;

    #[test]
    fn requests_have_the_fields_that_are_read() {
        fn check<F: Described>() {
            let schema = serde_json::to_value(Built::<F>::schema()).expect("JSON");
            let described = schema["properties"].as_object().expect("an object");
            let mut read = Asked::<F>::names();
            read.sort_unstable();
            let mut names: Vec<&str> = described.keys().map(String::as_str).collect();
            names.sort_unstable();
            assert_eq!(names, read);
            assert_eq!(described["width"]["maximum"], 10_000.0);
            assert_eq!(described["width"]["default"], 80);
        }
        check::<PageFields>();
        check::<SegmentFields>();
    }
}
