//! JSON Feed (versions 1 and 1.1).

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use url::Url;

use super::{Feed, FeedError, Item, MOST_ITEMS, absolute, text};
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
    reader.feed.truncated |= whole.is_err();
    Ok(reader.feed)
}

struct Reader<'a> {
    feed: Feed,
    base: Option<&'a Url>,
    /// Something was there that only feeds have.
    is_feed: bool,
}

impl Reader<'_> {
    fn item(&self, item: &Value) -> Item {
        let get = |name: &str| match item.get(name)? {
            Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            // Identifiers should be texts, and are not always.
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
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
                    let version: Value = map.next_value()?;
                    self.0.is_feed |= version.as_str().is_some_and(|it| it.contains("jsonfeed"));
                }
                "title" => {
                    let title: Value = map.next_value()?;
                    self.0.feed.title = title.as_str().and_then(text::title);
                }
                "home_page_url" => {
                    let site: Value = map.next_value()?;
                    self.0.feed.site = site.as_str().and_then(|it| absolute(it, self.0.base));
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
        while let Some(item) = items.next_element::<Value>()? {
            if self.0.feed.items.len() == MOST_ITEMS {
                self.0.feed.truncated = true;
            } else if item.is_object() {
                let item = self.0.item(&item);
                self.0.feed.items.push(item);
            }
        }
        Ok(())
    }
}
