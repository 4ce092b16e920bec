//! JSON Feed (versions 1 and 1.1).

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use url::Url;

use super::{Feed, FeedCut, FeedError, Item, MOST_ITEMS, absolute, text};
use crate::dates;

/// Reads a feed; of one that is cut off, the whole items before the cut.
pub(super) fn parse(text: &str, base: Option<&Url>) -> Result<Feed, FeedError> {
    // Line breaks within strings are no JSON, but a space is the same elsewhere.
    let text = text.replace(|c: char| c < ' ', " ");
    let mut reader = Reader { feed: Feed::default(), base, is_feed: false };
    let mut json = serde_json::Deserializer::from_str(&text);
    let whole = json.deserialize_map(Top(&mut reader));
    if !reader.is_feed {
        return Err(FeedError::Unknown);
    }
    if whole.is_err() {
        reader.feed.cut = Some(FeedCut::BreaksOff);
    }
    Ok(reader.feed)
}

struct Reader<'a> {
    feed: Feed,
    base: Option<&'a Url>,
    /// Something was there that only feeds have.
    is_feed: bool,
}

impl Reader<'_> {
    fn item(&self, item: &HashMap<&str, String>) -> Item {
        let get = |name: &str| item.get(name).filter(|text| !text.trim().is_empty()).cloned();
        let link = |name| get(name).and_then(|link| absolute(&link, self.base));
        let date = |name| get(name).and_then(|date| dates::parse(&date));
        let content = || get("content_html").or_else(|| get("content_text"));
        Item {
            id: get("id"),
            title: get("title").and_then(|title| text::title(&title)),
            description: get("summary").or_else(content),
            link: link("url").or_else(|| link("external_url")),
            published: date("date_published").or_else(|| date("date_modified")),
        }
    }
}

struct Top<'r, 'a>(&'r mut Reader<'a>);

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "version" => {
                    let version = map.next_value::<Plain>()?.text();
                    self.0.is_feed |= version.is_some_and(|it| it.contains("jsonfeed"));
                }
                "title" => {
                    let title = map.next_value::<Plain>()?.text();
                    self.0.feed.title = title.and_then(|title| text::title(&title));
                }
                "home_page_url" => {
                    let site = map.next_value::<Plain>()?.text();
                    self.0.feed.site = site.and_then(|site| absolute(&site, self.0.base));
                }
                "items" => map.next_value_seed(Items(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The items, each kept as soon as it is whole.
struct Items<'r, 'a>(&'r mut Reader<'a>);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.is_feed = true;
        while self.0.feed.items.len() < MOST_ITEMS {
            match items.next_element::<Plain>()? {
                None => return Ok(()),
                Some(Plain::Item(item)) => {
                    let item = self.0.item(&item);
                    self.0.feed.items.push(item);
                }
                Some(_) => {}
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {
            self.0.feed.cut = Some(FeedCut::TooManyItems);
        }
        Ok(())
    }
}

/// What an item says that we look at.
const NAMES: [&str; 9] = [
    "id",
    "title",
    "summary",
    "content_html",
    "content_text",
    "url",
    "external_url",
    "date_published",
    "date_modified",
];

/// A value as far as feeds need it. Lists are passed over, and so is what lies deeper: a tree of values
/// would have many times the size of the text that it was made of.
enum Plain {
    Text(String),
    Number(String),
    Item(HashMap<&'static str, String>),
    Other,
}

impl Plain {
    fn text(self) -> Option<String> {
        if let Plain::Text(text) = self { Some(text) } else { None }
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Plain, D::Error> {
        from.deserialize_any(PlainVisitor { is_inside: false })
    }
}

/// The value of a name of an item: one that is no text or number is none.
struct Scalar(Plain);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Scalar, D::Error> {
        from.deserialize_any(PlainVisitor { is_inside: true }).map(Scalar)
    }
}

struct PlainVisitor {
    /// Within an item, where no other begins.
    is_inside: bool,
}

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Plain, E> {
        Ok(Plain::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Plain, E> {
        Ok(Plain::Text(text))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Plain, E> {
        Ok(Plain::Number(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Plain, E> {
        Ok(Plain::Number(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Plain, E> {
        Ok(serde_json::Number::from_f64(number)
            .map_or(Plain::Other, |number| Plain::Number(number.to_string())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Plain, E> {
        Ok(Plain::Other)
    }

    fn visit_unit<E>(self) -> Result<Plain, E> {
        Ok(Plain::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Plain, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Plain::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plain, A::Error> {
        let mut item = HashMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let known = NAMES.iter().find(|known| **known == name && !self.is_inside);
            let Some(known) = known else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            match map.next_value::<Scalar>()?.0 {
                // Identifiers should be texts, and are not always.
                Plain::Text(value) | Plain::Number(value) => drop(item.insert(*known, value)),
                Plain::Item(_) | Plain::Other => drop(item.remove(known)),
            }
        }
        Ok(if self.is_inside { Plain::Other } else { Plain::Item(item) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_item_is_passed_over() {
        let text = r#"{"version": ["x"], "title": {"a": [1]}, "items": [[0, [0, {"id": 1}]], 7, null,
            {"id": 7, "title": "Tides", "url": ["/no"], "summary": {"id": "inside"}, "tags": [[]]},
            "x", {"id": 1.5, "title": "One", "title": null}, []]}"#;
        let feed = parse(text, None).unwrap();
        assert_eq!((feed.title, feed.cut), (None, None));
        let shown: Vec<_> = feed.items.iter().map(|it| (it.id.as_deref(), &it.title)).collect();
        assert_eq!(shown, [(Some("7"), &Some("Tides".into())), (Some("1.5"), &None)]);
        assert_eq!((&feed.items[0].link, &feed.items[0].description), (&None, &None));
    }

    #[test]
    fn items_beyond_the_most_are_told() {
        for (count, cut) in [(MOST_ITEMS, None), (MOST_ITEMS + 1, Some(FeedCut::TooManyItems))] {
            let items = vec!["{\"id\":1}"; count].join(",");
            let feed = parse(&format!("{{\"items\":[{items}]}}"), None).unwrap();
            assert_eq!((feed.items.len(), feed.cut), (MOST_ITEMS, cut));
        }
    }
}
