//! What the store keeps of feeds, items, sites and outputs. JSON in the file, so that fields can be added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The state of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedState {
    /// The `ETag` that the server gave.
    pub etag: Option<String>,
    /// The `Last-Modified` that the server gave.
    pub last_modified: Option<String>,
    /// When it last answered with content, not only with "not modified".
    pub last_full: Option<i64>,
    /// When it is asked next, in seconds since 1970.
    pub next: i64,
    /// How often it failed since it last answered.
    pub failures: u32,
    /// When it last answered.
    pub last_success: Option<i64>,
    /// The feed that the address names, where it is that of a page.
    pub named: Option<String>,
    /// The address that it has moved to permanently.
    pub moved_to: Option<String>,
}

impl FeedState {
    /// The address to ask for the feed that was given by this one.
    pub fn address<'a>(&'a self, given: &'a str) -> &'a str {
        self.moved_to.as_deref().or(self.named.as_deref()).unwrap_or(given)
    }

    /// The address is that of a page. Uses the feed that the page names.
    pub(crate) fn use_named_feed(&mut self, named: String) {
        self.forget_redirects();
        self.named = Some(named);
    }

    /// Goes back to the given address. Validators of other addresses are removed.
    pub(crate) fn forget_redirects(&mut self) {
        (self.named, self.moved_to) = (None, None);
        (self.etag, self.last_modified) = (None, None);
    }
}

/// An item of a feed whose page is not fetched yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// The feed that it came from.
    pub feed: String,
    /// The page.
    pub url: String,
    /// The item's title.
    pub title: String,
    /// The item's date, in seconds since 1970, never later than when it was seen.
    pub published: Option<i64>,
    /// The date that the item claims, where that is in the future.
    pub claimed: Option<i64>,
    /// How many attempts to fetch its page have failed.
    pub attempts: u32,
}

/// Where a pending item lies: its site, when its page may be asked for, and its number. In this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The site.
    pub site: String,
    /// Not before this second since 1970.
    pub not_before: i64,
    /// A number that no other item has.
    pub number: u64,
}

/// What was counted of a site since the store was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Feeds asked for.
    pub polls: u64,
    /// Of these, answered with "not modified".
    pub unchanged: u64,
    /// Feeds that were found on pages given as feeds.
    pub discovered: u64,
    /// Feeds that were cut: they end in the middle, or have too many items.
    pub cut_feeds: u64,
    /// Items of feeds that were new.
    pub items: u64,
    /// Items whose date was in the future.
    pub future: u64,
    /// Pages that were put out.
    pub pages: u64,
    /// Pages that were there before under the same URL key.
    pub duplicates: u64,
    /// Items given up, of those in `errors`.
    pub lost: u64,
    /// Bytes of pages, decoded.
    pub bytes: u64,
    /// What went wrong, by kind. There are few kinds.
    pub errors: BTreeMap<String, u64>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Seconds from publication to the output, of the last page that has a date.
    pub lag: Option<i64>,
    /// Texts and places that the pages of its last domain share.
    pub template: u64,
}

impl Counters {
    /// Counts a failure.
    pub fn error(&mut self, kind: &str, message: &str) {
        *self.errors.entry(kind.to_owned()).or_default() += 1;
        self.last_error = Some(message.to_owned());
    }
}

/// The position of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// The first record that it has not got.
    pub next: u64,
    /// The file that is being written.
    pub file: Option<String>,
    /// The bytes of it that count; what comes behind them is written anew.
    pub offset: u64,
    /// Records that it refused for good.
    pub refused: u64,
}
