//! Items of feeds.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use webstrata_site::url_key::Rules;
use xxhash_rust::xxh3::xxh3_128;

/// An item of a feed: what the feed has about one page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Item {
    /// Its id in the feed (`guid`, `id`); often an address, often missing.
    pub id: Option<String>,
    /// Its title, without markup.
    pub title: Option<String>,
    /// A summary, as the feed has it: often HTML.
    pub description: Option<String>,
    /// The address of the page, absolute.
    pub link: Option<String>,
    /// When it was published, in seconds since 1970; as the feed says it, be it in the future.
    pub published: Option<i64>,
}

impl Item {
    /// What the readers of the paper remember an item by (URL Tree, section 2): a hash of its title, description and
    /// publication date. Histories keep it for years, so it is the same in every version: XXH3, 128 bits,
    /// of each part as the feed has it, behind a byte that says whether it is there and its length.
    pub fn hash(&self) -> u128 {
        let mut bytes = Vec::new();
        for text in [&self.title, &self.description] {
            match text {
                None => bytes.push(0),
                Some(text) => {
                    bytes.push(1);
                    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                    bytes.extend_from_slice(text.as_bytes());
                }
            }
        }
        match self.published {
            None => bytes.push(0),
            Some(date) => {
                bytes.push(1);
                bytes.extend_from_slice(&date.to_le_bytes());
            }
        }
        xxh3_128(&bytes)
    }
}

/// What a reader remembers items by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemIdentity {
    /// Their id, else the URL key of their link, else as [`ItemIdentity::Content`].
    #[default]
    Id,
    /// Their title, description and date, as in the paper. Items that have these in common are one item.
    Content,
}

/// What a reader remembers each of these items of a feed by. Histories keep these numbers for years, so they are the
/// same in every version.
///
/// An id that items with different links share names none of them. An id that is no address holds within its
/// feed only: many feeds count from 1.
pub fn identities(items: &[Item], feed: &str, rules: &Rules, by: ItemIdentity) -> Vec<u128> {
    if by == ItemIdentity::Content {
        return items.iter().map(Item::hash).collect();
    }
    let mut links: HashMap<&str, (Option<&str>, bool)> = HashMap::new();
    for item in items {
        if let Some(id) = id(item) {
            let (link, is_shared) = links.entry(id).or_insert((item.link.as_deref(), false));
            *is_shared |= *link != item.link.as_deref();
        }
    }
    let is_shared = |id: &str| links.get(id).is_some_and(|(_, is_shared)| *is_shared);
    let identity = |item: &Item| match id(item).filter(|id| !is_shared(id)) {
        Some(id) if is_address(id) => tagged(2, &[id]),
        Some(id) => tagged(3, &[feed, id]),
        None => {
            let title = item.title.as_deref().unwrap_or_default();
            let key = item.link.as_deref().and_then(|link| rules.key(link, title));
            key.map_or_else(|| item.hash(), |key| tagged(4, &[key.as_str()]))
        }
    };
    items.iter().map(identity).collect()
}

fn id(item: &Item) -> Option<&str> {
    item.id.as_deref().map(str::trim).filter(|id| !id.is_empty())
}

/// Is this id one that no other feed gives to another item?
fn is_address(id: &str) -> bool {
    let scheme = id.split_once(':').map_or("", |(scheme, _)| scheme);
    ["http", "https", "tag", "urn"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// A hash of these texts. The tag keeps it apart from other kinds; that of [`Item::hash`] is 0 or 1.
fn tagged(tag: u8, texts: &[&str]) -> u128 {
    let mut bytes = vec![tag];
    for text in texts {
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    xxh3_128(&bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn item(title: Option<&str>, description: Option<&str>, published: Option<i64>) -> Item {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Item { title: owned(title), description: owned(description), published, ..Item::default() }
    }

    #[test]
    fn items_that_differ_have_hashes_that_differ() {
        let items = [
            item(None, None, None),
            item(Some(""), None, None),
            item(None, Some(""), None),
            item(None, None, Some(0)),
            item(Some("ab"), Some("c"), None),
            item(Some("a"), Some("bc"), None),
            item(Some("abc"), Some(""), None),
            item(Some("abc"), None, None),
        ];
        let hashes: HashSet<u128> = items.iter().map(Item::hash).collect();
        assert_eq!(hashes.len(), items.len());
    }

    fn by_id(items: &[Item]) -> Vec<u128> {
        identities(items, "https://example.org/feed", &Rules::default(), ItemIdentity::Id)
    }

    fn linked(id: Option<&str>, link: &str) -> Item {
        let id = id.map(str::to_owned);
        Item { id, link: Some(link.into()), title: Some("Weather".into()), ..Item::default() }
    }

    #[test]
    fn an_id_is_an_item_whatever_else_changes() {
        let item = linked(Some("urn:tide:1"), "https://example.org/1");
        let moved = Item {
            title: Some("Tide, corrected".into()),
            ..linked(Some(" urn:tide:1 "), "https://example.org/moved")
        };
        assert_eq!(by_id(std::slice::from_ref(&item)), by_id(&[moved]));
        let (here, there) = (
            linked(Some("1"), "https://example.org/1"),
            linked(Some("1"), "https://example.org/2"),
        );
        let elsewhere = |item: &Item| {
            identities(
                std::slice::from_ref(item),
                "https://example.org/sport",
                &Rules::default(),
                ItemIdentity::Id,
            )
        };
        assert_ne!(by_id(&[here]), elsewhere(&there), "each feed counts from 1");
        assert_eq!(by_id(std::slice::from_ref(&item)), elsewhere(&item));
    }

    #[test]
    fn without_an_id_the_link_is_the_item() {
        let one = linked(None, "https://example.org/1?utm_source=feed");
        let items = [
            one,
            linked(Some(" "), "http://www.example.org/1/"),
            linked(None, "https://example.org/2"),
        ];
        let [one, same, other] = by_id(&items)[..] else { panic!("three items") };
        assert_eq!(one, same);
        assert_ne!(one, other);
    }

    #[test]
    fn an_id_that_all_items_have_names_none() {
        let items = [1, 2, 3].map(|page| linked(Some("0"), &format!("https://example.org/{page}")));
        let known: HashSet<u128> = by_id(&items).into_iter().collect();
        assert_eq!(known.len(), 3);
        let twice = [
            linked(Some("0"), "https://example.org/1"),
            linked(Some("0"), "https://example.org/1"),
        ];
        assert_eq!(by_id(&twice)[0], by_id(&twice)[1]);
    }

    #[test]
    fn histories_know_these_numbers() {
        let items = [
            linked(Some("tag:example.org,2026:1"), "https://example.org/1"),
            linked(Some("1"), "https://example.org/1"),
            linked(None, "https://example.org/1"),
            item(Some("Weather"), None, None),
        ];
        let written: Vec<String> =
            by_id(&items).iter().map(|hash| format!("{hash:032x}")).collect();
        assert_eq!(
            written,
            [
                "a5bf895492b627cc3699486a0564b701",
                "fdf0ea90e2c019ac891c69a27fb4e7db",
                "a8951f09f2613c6969ed8795f9405fc9",
                "089e36b72415c1de813d54252b273c8f"
            ]
        );
        assert_eq!(by_id(&items)[3], items[3].hash());
    }

    proptest! {
        #[test]
        fn nothing_else_counts(title: Option<String>, id: Option<String>, link: Option<String>) {
            let one = Item { title, ..Item::default() };
            prop_assert_eq!(Item { id, link, ..one.clone() }.hash(), one.hash());
        }
    }
}
