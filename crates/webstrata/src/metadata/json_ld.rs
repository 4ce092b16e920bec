//! JSON-LD: the scripts that pages write for search engines, read as plain JSON.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Field, Findings, Source};
use crate::tree::{NodeId, Tree};

/// Bytes of one script that are read; the largest on pages of the Web are a tenth of that.
pub(crate) const LONGEST_SCRIPT: usize = 1 << 20;
/// Bytes of all scripts of a page.
pub(crate) const LONGEST_SCRIPTS: usize = 4 << 20;
/// Objects of a page that are read.
pub(crate) const MOST_OBJECTS: usize = 20_000;

type Object = Map<String, Value>;

/// What an object says the page is: the smaller, the more it says about the main text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ObjectKind {
    /// An article, a posting, a question.
    Article,
    /// A product, a book, a film.
    Thing,
    /// The page itself.
    Page,
    /// The site or whoever runs it.
    Site,
    Other,
}

/// Parses scripts, each at the node where it stands. Scripts that are no JSON are repaired once, then
/// passed over.
pub(crate) fn read(scripts: &[(NodeId, String)], findings: &mut Findings) {
    let wanted = findings.wanted;
    let values: Vec<(NodeId, Value)> =
        scripts.iter().filter_map(|(node, script)| Some((*node, parse(script, wanted)?))).collect();
    let mut by_id = HashMap::new();
    let mut objects = Vec::new();
    for (node, value) in &values {
        objects_of(value, *node, &mut objects, &mut by_id);
    }
    // Stable: among objects of a kind, the first of the page comes first.
    objects.sort_by_key(|(_, _, kind)| *kind);
    let mut main = true;
    for (node, object, kind) in objects {
        match kind {
            ObjectKind::Article | ObjectKind::Thing | ObjectKind::Page => {
                // Further articles are other pages' teasers; the page's own object may add something.
                if main || kind == ObjectKind::Page {
                    let is_one_of_many = values.iter().any(|(of, list)| {
                        *of == node && kind == ObjectKind::Article && lists_articles(list)
                    });
                    work(object, kind, node, &by_id, findings, is_one_of_many);
                }
                main = false;
            }
            ObjectKind::Site => {
                let named = object.get("name").and_then(Value::as_str).unwrap_or_default();
                let rank = if is_type(object, "WebSite") { 1 } else { 4 };
                findings.add(Field::Site, Source::JsonLd, rank, node, named);
            }
            ObjectKind::Other => {}
        }
    }
}

/// Is it a list of articles with different titles? None of them is the page's title then.
fn lists_articles(value: &Value) -> bool {
    let Some(values) = value.as_array() else { return false };
    let articles = values.iter().filter_map(Value::as_object);
    let articles = articles.filter(|object| kind(object) == ObjectKind::Article);
    let mut titles = articles.filter_map(|object| object.get("headline"));
    titles.next().is_some_and(|first| titles.any(|title| title != first))
}

/// Is a script of the type of JSON-LD?
pub(super) fn is_linked_data(tree: &Tree<'_>, script: NodeId) -> bool {
    const KIND: &[u8] = b"application/ld+json";
    let kind = tree.attribute(script, "type").unwrap_or_default();
    let kind = kind.trim().as_bytes().get(..KIND.len());
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case(KIND))
}

fn parse(script: &str, wanted: Wanted) -> Option<Value> {
    if script.len() > LONGEST_SCRIPT {
        return None;
    }
    wanted.parse(script).or_else(|_| wanted.parse(&repaired(script))).ok()
}

/// Which fields of objects are read. All others are passed over while parsing: most of a script is reviews, lists
/// and the text once more.
#[derive(Clone, Copy, Default)]
pub(crate) enum Wanted {
    #[default]
    All,
    /// What the title and the language are chosen from.
    Titles,
}

/// What [`Wanted::Titles`] reads, and what more [`Wanted::All`] reads.
const FOR_TITLES: &[&str] = &[
    "@type",
    "@id",
    "@graph",
    "@value",
    "name",
    "headline",
    "url",
    "contentUrl",
    "author",
    "mainEntityOfPage",
    "mainEntity",
    "publisher",
    "isPartOf",
    "inLanguage",
];
const FOR_THE_REST: &[&str] = &[
    "creator",
    "datePublished",
    "dateCreated",
    "uploadDate",
    "dateModified",
    "description",
    "image",
    "thumbnailUrl",
    "keywords",
    "license",
];

impl Wanted {
    fn parse(self, json: &str) -> serde_json::Result<Value> {
        let mut parser = serde_json::Deserializer::from_str(json);
        let value = self.deserialize(&mut parser)?;
        parser.end()?;
        Ok(value)
    }

    /// Is anything of this field wanted?
    pub(crate) fn has(self, field: Field) -> bool {
        let for_titles = [Field::Title, Field::Site, Field::Language, Field::Canonical];
        matches!(self, Wanted::All) || for_titles.contains(&field)
    }
}

/// The name of a field, if it is wanted.
struct Key(Wanted);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<&'static str>;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<&'static str>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let rest = if matches!(self.0, Wanted::All) { FOR_THE_REST } else { &[] };
        Ok(FOR_TITLES.iter().chain(rest).find(|known| **known == name).copied())
    }
}

impl<'de> DeserializeSeed<'de> for Wanted {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Value, D::Error> {
        parser.deserialize_any(self)
    }
}

/// Only texts are of interest: numbers, flags and nothing are all nothing.
impl<'de> Visitor<'de> for Wanted {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key_seed(Key(self))? {
            match key {
                Some(key) => {
                    let value = map.next_value_seed(self)?;
                    object.insert(key.to_owned(), value);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(object))
    }
}

/// The script without what people put around and into JSON: comments of HTML and of scripts, CDATA,
/// commas before a closing bracket, control characters in strings, semicolons at the end.
pub(super) fn repaired(script: &str) -> String {
    let start = script.find(['{', '[']).unwrap_or(script.len());
    // `<![CDATA[` has brackets of its own, and may stand in a comment that ends before the value.
    let start = match script.find("CDATA[") {
        Some(cdata) if cdata <= start + 8 => {
            let value = cdata + "CDATA[".len();
            script[value..].find(['{', '[']).map_or(script.len(), |at| value + at)
        }
        _ => start,
    };
    let mut json = String::with_capacity(script.len() - start);
    let (mut in_string, mut escaped) = (false, false);
    let mut rest = script[start..].char_indices().peekable();
    let text = &script[start..];
    while let Some((at, c)) = rest.next() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            json.push(if c.is_control() { ' ' } else { c });
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                json.push(c);
            }
            '}' | ']' => {
                let kept = json.trim_end().trim_end_matches(',').len();
                json.truncate(kept);
                json.push(c);
            }
            '/' if text[at..].starts_with("/*") => {
                let end = text[at..].find("*/").map_or(text.len(), |end| at + end + 2);
                while rest.next_if(|(at, _)| *at < end).is_some() {}
            }
            '/' => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            ';' => {}
            c if c.is_control() => json.push(' '),
            c => json.push(c),
        }
    }
    // What stands behind the last bracket: `-->`, `]]>`.
    let value = json.trim_end().trim_end_matches("-->").trim_end();
    value.strip_suffix("]>").map(|cut| cut.trim_end_matches(']')).unwrap_or(value).to_owned()
}

/// Lists the objects that may say something about the page, and all that others refer to by `@id`.
fn objects_of<'a>(
    value: &'a Value,
    node: NodeId,
    objects: &mut Vec<(NodeId, &'a Object, ObjectKind)>,
    by_id: &mut HashMap<&'a str, &'a Object>,
) {
    // A stack of our own: serde_json allows a nesting of 128, a graph may be as wide as it likes.
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values.iter().rev()),
            Value::Object(object) => {
                if let Some(id) = object.get("@id").and_then(Value::as_str)
                    && object.len() > 1
                {
                    by_id.entry(id).or_insert(object);
                }
                objects.push((node, object, kind(object)));
                let inner = ["author", "mainEntityOfPage", "mainEntity", "@graph"];
                open.extend(inner.iter().filter_map(|key| object.get(*key)));
            }
            _ => {}
        }
    }
}

fn types(object: &Object) -> impl Iterator<Item = &str> {
    let named = match object.get("@type") {
        Some(Value::Array(types)) => types.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    named.iter().filter_map(Value::as_str).take(8).map(|name| {
        let name = name.rsplit(['/', '#', ':']).next().unwrap_or(name);
        name.trim()
    })
}

fn is_type(object: &Object, name: &str) -> bool {
    types(object).any(|named| named.eq_ignore_ascii_case(name))
}

fn kind(object: &Object) -> ObjectKind {
    types(object).map(kind_of).min().unwrap_or(ObjectKind::Other)
}

fn kind_of(name: &str) -> ObjectKind {
    match name {
        "JobPosting"
        | "Product"
        | "ProductGroup"
        | "Event"
        | "Course"
        | "Book"
        | "Movie"
        | "CreativeWork"
        | "VideoObject"
        | "PodcastEpisode"
        | "SoftwareApplication"
        | "Dataset"
        | "Service" => ObjectKind::Thing,
        "Report" | "Recipe" | "HowTo" | "Question" | "Review" => ObjectKind::Article,
        "WebSite" | "Organization" | "NewsMediaOrganization" | "Corporation" => ObjectKind::Site,
        _ if name.ends_with("Article") || name.ends_with("Posting") => ObjectKind::Article,
        _ if name.ends_with("Page") => ObjectKind::Page,
        _ => ObjectKind::Other,
    }
}

/// What the page's main object says.
fn work(
    object: &Object,
    kind: ObjectKind,
    node: NodeId,
    by_id: &HashMap<&str, &Object>,
    findings: &mut Findings,
    is_one_of_many: bool,
) {
    // The page's own object is often made by a plug-in out of the other sources: it comes after them.
    let rank = if kind == ObjectKind::Page { 3 } else { 0 };
    let mut text = |field: Field, rank: u8, keys: &[&str]| {
        for value in keys.iter().filter_map(|key| object.get(*key)) {
            for value in strings(value, by_id) {
                findings.add(field, Source::JsonLd, rank, node, value);
            }
        }
    };
    // Behind all other titles of the page.
    let title_rank = if is_one_of_many { 16 } else { rank };
    text(Field::Title, title_rank, &["headline"]);
    text(Field::Title, title_rank + 1, &["name"]);
    text(Field::Author, rank, &["author"]);
    text(Field::Author, rank + 1, &["creator"]);
    text(Field::Published, rank, &["datePublished"]);
    text(Field::Published, rank + 1, &["dateCreated", "uploadDate"]);
    text(Field::Modified, rank, &["dateModified"]);
    text(Field::Site, 3, &["publisher", "isPartOf"]);
    text(Field::Description, rank + 1, &["description"]);
    text(Field::Language, 2, &["inLanguage"]);
    text(Field::Image, 2, &["image", "thumbnailUrl"]);
    text(Field::Tag, rank, &["keywords"]);
    text(Field::Licence, rank, &["license"]);
    if let Some(name) = types(object).find(|name| kind_of(name) == kind) {
        findings.add(Field::Kind, Source::JsonLd, rank, node, name);
    }
}

/// The texts that a value stands for: itself, the `name` or the address of an object, all of a list.
fn strings<'a>(value: &'a Value, by_id: &HashMap<&str, &'a Object>) -> Vec<&'a str> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let string = |value: &'a Value| -> Option<&'a str> {
        match value {
            Value::String(text) => Some(text),
            Value::Array(values) => values.first()?.as_str(),
            Value::Object(object) => {
                let known = || by_id.get(object.get("@id")?.as_str()?).copied();
                let object =
                    if object.contains_key("name") { object } else { known().unwrap_or(object) };
                let keys = ["name", "url", "contentUrl", "@value", "@id"];
                keys.iter().find_map(|key| match object.get(*key)? {
                    Value::String(text) => Some(text.as_str()),
                    Value::Array(values) => values.first()?.as_str(),
                    _ => None,
                })
            }
            _ => None,
        }
    };
    values.iter().take(super::MOST_VALUES).filter_map(string).collect()
}
