//! The OpenAPI document, made of the types that the endpoints read and write.

mod requests;

use std::sync::LazyLock;

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem,
    PathsBuilder,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, ContentBuilder, Header, InfoBuilder, LicenseBuilder, OpenApi,
    OpenApiBuilder, Ref, RefOr, Required, Response as Described, ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};
use webstrata_archive::schema;
use webstrata_feeds::pipeline::Status;

use crate::api::batch::BatchProblem;
use crate::api::explain::Explained;
use crate::api::extract::Extracted;
use crate::api::extractors::Extractors;
use crate::api::facets::{FacetsAnswer, FacetsRequest};
use crate::api::health::Health;
use crate::api::info::Info;
use crate::api::search::{SearchAnswer, SearchRequest};
use crate::api::segment::Segmented;
use crate::refusal::Problem;
use crate::request::{Format, PageRequest, SegmentRequest};

const ABOUT: &str = "Main text out of any web page. Pages are sent as JSON, as they are, or as a file of a \
    form; options are fields of the JSON or the form, or stand in the address. Every error is one line of \
    JSON.";

const PAGE: &str = "<h1>Tides</h1><p>High water is at noon today, the harbour office says, and the ferry \
    leaves an hour earlier than it does on other days.<footer><a href=/imprint>Imprint</a></footer>";

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    // Maps and strings can always be written.
    let mut document = serde_json::to_value(document()).unwrap_or_default();
    document["components"]["schemas"] = schemas().into();
    document.to_string()
});

/// `GET /openapi.json`.
pub(crate) async fn openapi() -> Response {
    let mut response = DOCUMENT.as_str().into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn document() -> OpenApi {
    let info = InfoBuilder::new()
        .title("webstrata")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(LicenseBuilder::new().name(env!("CARGO_PKG_LICENSE")).build()));
    OpenApiBuilder::new()
        .info(info.build())
        .paths(paths())
        .components(Some(components().build()))
        .build()
}

/// All paths, in the order of the document.
fn paths() -> PathsBuilder {
    let post = |operation| PathItem::new(HttpMethod::Post, operation);
    let get = |operation| PathItem::new(HttpMethod::Get, operation);
    PathsBuilder::new()
        .path("/v1/extract", post(extract()))
        .path("/v1/explain", post(explain()))
        .path("/v1/segment", post(segment()))
        .path("/v1/batch", post(batch()))
        .path("/v1/extractors", get(extractors()))
        .path("/v1/info", get(info()))
        .path("/v1/search", get(search()))
        .path("/v1/facets", get(facets()))
        .path("/v1/streams", get(streams()))
        .path("/health", get(health()))
        .path("/metrics", get(metrics()))
}

/// What requests and answers are made of.
fn schemas() -> Map<String, Value> {
    let mut schemas = Vec::new();
    macro_rules! add {
        ($($type:ty),* $(,)?) => {$(
            schemas.push((<$type as ToSchema>::name().into_owned(), <$type>::schema()));
            <$type as ToSchema>::schemas(&mut schemas);
        )*};
    }
    add!(PageRequest, SegmentRequest, Extracted<'static>, Explained<'static>, Segmented, Status);
    add!(SearchRequest, FacetsRequest, SearchAnswer, FacetsAnswer);
    add!(BatchProblem, Extractors, Info, Health, Problem, Format);
    schema::flat(schemas)
}

fn components() -> ComponentsBuilder {
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
        "Where the server was started with a token; otherwise none is asked for.",
    ));
    ComponentsBuilder::new().security_scheme("token", SecurityScheme::Http(scheme.build()))
}

fn reference<T: ToSchema>() -> Ref {
    Ref::from_schema_name(T::name())
}

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .description(Some(description.to_owned()))
}

/// A schema of bytes: any at all.
fn bytes(description: &str) -> Content {
    ContentBuilder::new()
        .schema(Some(text(description).build()))
        .example(Some(Value::from(PAGE)))
        .build()
}

/// An operation that all refusals are described of that any request may meet.
fn operation(id: &str, tag: &str, summary: &str) -> OperationBuilder {
    let operation = OperationBuilder::new()
        .operation_id(Some(id))
        .tag(tag)
        .summary(Some(summary))
        .response("400", refusal("The request cannot be understood."))
        .response("408", refusal("The request took too long to come."))
        .response("421", refusal("The server is not known by this name."));
    if tag != "pages" && tag != "search" && id != "metrics" {
        return operation;
    }
    operation
        .security(SecurityRequirement::default())
        .security(SecurityRequirement::new("token", Vec::<String>::new()))
        .response("401", refusal("No token, or a wrong one."))
}

/// An operation that works on pages.
fn on_pages(id: &str, summary: &str) -> OperationBuilder {
    operation(id, "pages", summary)
        .response("403", refusal("Fetching is off, or the address may not be fetched; or the page that asks may not."))
        .response("413", refusal("The body is too long."))
        .response("415", refusal("The body is no page."))
        .response("422", refusal("What was fetched is no page."))
        .response("500", refusal("The server made a mistake."))
        .response("502", refusal("The page could not be fetched."))
        .response("503", busy())
        .response("504", refusal("Fetching the page took too long."))
}

fn refusal(description: &str) -> Described {
    let content = Content::new(Some(reference::<Problem>()));
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

fn busy() -> Described {
    let after = Header::new(u32::schema());
    let mut response = refusal("Too much at once.");
    response.headers.insert("Retry-After".into(), RefOr::T(after));
    response
}

fn answer<T: ToSchema>(description: &str) -> Described {
    let content = Content::new(Some(reference::<T>()));
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

fn extract() -> Operation {
    let whole = |description: &str| Content::new(Some(text(description).build()));
    let answer = ResponseBuilder::new()
        .description("The main text, and what else was asked for.")
        .content("application/json", Content::new(Some(reference::<Extracted<'static>>())))
        .content("text/plain", whole("The main text, with `format=text`."))
        .content("text/markdown", whole("The main text, with `format=markdown`."))
        .content("text/html", whole("With `format=html` or `format=highlight`."));
    on_pages("extract", "The main text of a page")
        .parameters(Some(options::<PageRequest>()))
        .parameter(format())
        .request_body(Some(page_body::<PageRequest>(json!({"html": PAGE, "with": ["markdown"]}))))
        .response("200", answer.build())
        .build()
}

fn explain() -> Operation {
    on_pages("explain", "Which blocks of a page are kept and dropped, and by what")
        .parameters(Some(options::<PageRequest>()))
        .request_body(Some(page_body::<PageRequest>(json!({"html": PAGE, "extractor": "article"}))))
        .response("200", answer::<Explained<'static>>("Every block with its decision."))
        .build()
}

fn segment() -> Operation {
    on_pages("segment", "A page cut into segments by the density of its text")
        .parameters(Some(options::<SegmentRequest>()))
        .request_body(Some(page_body::<SegmentRequest>(
            json!({"html": PAGE, "method": "rule-based"}),
        )))
        .response("200", answer::<Segmented>("The segments and the density curve."))
        .build()
}

fn batch() -> Operation {
    let lines = "{\"id\": 1, \"html\": \"<p>High water is at noon today.\"}\n";
    let line = "Lines of JSON: each a PageRequest.";
    let body = ContentBuilder::new().schema(Some(text(line).build())).example(Some(lines.into()));
    let body = RequestBodyBuilder::new()
        .required(Some(Required::True))
        .content("application/x-ndjson", body.build());
    let answers = "Lines of JSON in the same order: each an ExtractAnswer, or a BatchProblem.";
    let response = ResponseBuilder::new()
        .description(answers)
        .content("application/x-ndjson", Content::new(Some(text(answers).build())));
    let options = options::<PageRequest>().into_iter();
    operation("batch", "pages", "Many pages, line by line")
        .description(Some(
            "Lines are answered as they come, in their order. A line that cannot be answered becomes a line \
             with `error`; the others are answered all the same.",
        ))
        .parameters(Some(options.filter(|option| !["id", "url"].contains(&option.name.as_str()))))
        .request_body(Some(body.build()))
        .response("200", response.build())
        .response("403", refusal("The page that asks may not."))
        .response("415", refusal("The body is no lines of JSON."))
        .build()
}

fn extractors() -> Operation {
    operation("extractors", "pages", "The extractors that there are")
        .response("200", answer::<Extractors>("All extractors with their steps."))
        .build()
}

fn info() -> Operation {
    operation("info", "pages", "What this server is and does")
        .response("200", answer::<Info>("Its release, what is on, and its limits."))
        .build()
}

fn search() -> Operation {
    in_index("search", "Pages of the index, best first")
        .parameters(Some(options::<SearchRequest>()))
        .response("200", answer::<SearchAnswer>("The pages."))
        .build()
}

fn facets() -> Operation {
    in_index("facets", "The facets that the results of a search have")
        .parameters(Some(options::<FacetsRequest>()))
        .response("200", answer::<FacetsAnswer>("The facets, by dimension."))
        .build()
}

fn in_index(id: &str, summary: &str) -> OperationBuilder {
    operation(id, "search", summary)
        .response("404", refusal("There is no index."))
        .response("500", refusal("The server made a mistake."))
        .response("503", busy())
}

fn streams() -> Operation {
    operation("streams", "search", "Where the sites of a stream stand")
        .response("200", answer::<Status>("The status of the store."))
        .response("404", refusal("There is no store, or no stream has run."))
        .response("503", refusal("The store's status cannot be read."))
        .build()
}

fn health() -> Operation {
    operation("health", "watching", "Is the server alive?")
        .response("200", answer::<Health>("It is."))
        .build()
}

fn metrics() -> Operation {
    let numbers = Content::new(Some(text("Text format 0.0.4.").build()));
    let response =
        ResponseBuilder::new().description("The numbers.").content("text/plain", numbers);
    operation("metrics", "watching", "Numbers for Prometheus")
        .response("200", response.build())
        .build()
}

/// A page: as JSON, as it is, or as a file of a form.
fn page_body<T: ToSchema>(example: Value) -> RequestBody {
    let json = ContentBuilder::new().schema(Some(reference::<T>())).example(Some(example));
    RequestBodyBuilder::new()
        .description(Some("The page"))
        .required(Some(Required::True))
        .content("application/json", json.build())
        .content("text/html", bytes("The page, in any encoding."))
        .content("application/octet-stream", bytes("The page, in any encoding."))
        .content("multipart/form-data", Content::new(Some(form::<T>())))
        .build()
}

/// The fields of a request as those of a form, with the page as `file`.
fn form<T: ToSchema>() -> ObjectBuilder {
    let mut form = ObjectBuilder::new()
        .property("file", text("The page, in any encoding."))
        .required("file")
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
    for (name, schema) in properties::<T>() {
        if name != "html" {
            form = form.property(name, schema);
        }
    }
    form
}

/// The fields of a request, but for the page, as parameters of the address.
fn options<T: ToSchema>() -> Vec<Parameter> {
    let option = |(name, schema): (String, RefOr<Schema>)| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .schema(Some(schema))
            .build()
    };
    properties::<T>().into_iter().filter(|(name, _)| name != "html").map(option).collect()
}

/// The fields of a request. In JSON, `null` is as good as no field; elsewhere there is no `null`.
fn properties<T: PartialSchema>() -> Vec<(String, RefOr<Schema>)> {
    let RefOr::T(Schema::Object(object)) = T::schema() else { return Vec::new() };
    object.properties.into_iter().map(|(name, schema)| (name, without_null(schema))).collect()
}

fn without_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.schema_type = not_null(object.schema_type);
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.schema_type = not_null(array.schema_type);
            RefOr::T(Schema::Array(array))
        }
        // What is `null` or something else is described as one of two.
        RefOr::T(Schema::OneOf(mut either)) => {
            let is_null = |item: &RefOr<Schema>| {
                matches!(item, RefOr::T(Schema::Object(object))
                    if object.schema_type == SchemaType::Type(Type::Null))
            };
            either.items.retain(|item| !is_null(item));
            match either.items.len() {
                1 => either.items.remove(0),
                _ => RefOr::T(Schema::OneOf(either)),
            }
        }
        other => other,
    }
}

fn not_null(kind: SchemaType) -> SchemaType {
    match kind {
        SchemaType::Array(mut kinds) => {
            kinds.retain(|kind| *kind != Type::Null);
            match kinds.as_slice() {
                [only] => SchemaType::Type(only.clone()),
                _ => SchemaType::Array(kinds),
            }
        }
        other => other,
    }
}

fn format() -> Parameter {
    ParameterBuilder::new()
        .name("format")
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some("What the answer is; JSON where nothing is said."))
        .schema(Some(reference::<Format>()))
        .build()
}
