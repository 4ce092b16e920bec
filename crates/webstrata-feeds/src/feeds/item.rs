//! Items of feeds.

use serde::{Deserialize, Serialize};
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
    /// What a reader remembers an item by (URL Tree, section 2): a hash of its title, description and
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

    proptest! {
        #[test]
        fn nothing_else_counts(title: Option<String>, id: Option<String>, link: Option<String>) {
            let one = Item { title, ..Item::default() };
            prop_assert_eq!(Item { id, link, ..one.clone() }.hash(), one.hash());
        }
    }
}
