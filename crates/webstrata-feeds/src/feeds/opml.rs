//! Lists of subscriptions (OPML), as readers of feeds write them.

use std::collections::HashSet;

use super::text::{self, title};
use super::xml::{Token, Tokens};

/// Subscriptions of a list that are read.
const MOST: usize = 100_000;

/// Folders within folders that are told apart.
const DEEPEST: usize = 32;

/// Characters of a name; longer ones are cut.
const LONGEST_NAME: usize = 200;

/// A subscription to a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    /// The address of the feed.
    pub feed: String,
    /// What it is called.
    pub title: Option<String>,
    /// The address of the site.
    pub site: Option<String>,
    /// The folders that it lies in, from the outermost on.
    pub folders: Vec<String>,
}

/// Reads a list of subscriptions, as far as it can be read: each feed once, where it comes first.
pub fn opml(bytes: &[u8]) -> Vec<Subscription> {
    let text = text::decode(bytes, None);
    let mut found = Vec::new();
    let mut known = HashSet::new();
    // For each open outline the folder that it is, if it is one.
    let mut open: Vec<Option<String>> = Vec::new();
    // Outlines beyond the deepest, whose ends must be passed over.
    let mut deeper = 0_usize;
    for token in Tokens::new(&text) {
        match token {
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("outline") => {
                let attribute = |name| {
                    let value = tag.attribute(name)?;
                    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
                };
                let name = attribute("title").or_else(|| attribute("text"));
                let name = name.and_then(|name| title(&name));
                // It is written with every feed of the folder.
                let name = name.map(|name| name.chars().take(LONGEST_NAME).collect::<String>());
                let feed = attribute("xmlUrl").or_else(|| {
                    // Some write the address of the feed as that of a link.
                    let is_feed = tag.attribute("type").is_some_and(|kind| is_feed(&kind));
                    attribute("url").filter(|_| is_feed)
                });
                if let Some(feed) = feed.clone().filter(|feed| known.insert(feed.clone())) {
                    let folders = open.iter().flatten().cloned().collect();
                    let site = attribute("htmlUrl");
                    found.push(Subscription { feed, title: name.clone(), site, folders });
                    if found.len() == MOST {
                        return found;
                    }
                }
                if !tag.is_empty && open.len() < DEEPEST {
                    open.push(name.filter(|_| feed.is_none()));
                } else if !tag.is_empty {
                    deeper += 1;
                }
            }
            Token::End(name) if name.eq_ignore_ascii_case("outline") => {
                if deeper > 0 {
                    deeper -= 1;
                } else {
                    open.pop();
                }
            }
            _ => {}
        }
    }
    found
}

fn is_feed(kind: &str) -> bool {
    ["rss", "atom", "feed"].iter().any(|one| kind.trim().eq_ignore_ascii_case(one))
}
