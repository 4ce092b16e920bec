//! Feeds: RSS 0.9x, 1.0 and 2.0, Atom and JSON Feed in one shape, from whatever sites serve as such.
//!
//! ```
//! let bytes = b"<rss version='2.0'><channel><title>Harbour</title>\
//!     <item><title>Ebb & flow</title><link>/tides/1</link></item>";
//! let feed = webstrata_feeds::feeds::parse(bytes, None, "https://example.org/rss").unwrap();
//! assert_eq!(feed.items[0].title.as_deref(), Some("Ebb & flow"));
//! assert_eq!(feed.items[0].link.as_deref(), Some("https://example.org/tides/1"));
//! ```
//!
//! [`discover`] finds the feeds that a page names, [`opml`] reads lists of subscriptions, [`import`] makes a
//! file of sites of them, and [`FeedsFile`] is that file, of which a stream is made.

mod discovery;
mod file;
mod import;
mod item;
mod json;
mod opml;
mod syndication;
mod text;
pub(crate) mod xml;

use std::fmt;
use std::time::Duration;

pub use self::discovery::discover;
pub use self::file::{FeedSite, FeedsFile};
pub use self::import::import;
pub use self::item::{Item, ItemIdentity, identities};
pub use self::opml::{Subscription, opml};
pub(crate) use self::text::decode;

/// Items of a feed that are read; those that come later are the older ones.
pub const MOST_ITEMS: usize = 10_000;

/// Bytes of an address; browsers and servers take no longer ones.
const LONGEST_URL: usize = 8_192;

/// A feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    /// Its title.
    pub title: Option<String>,
    /// The address of the site that it is about.
    pub site: Option<String>,
    /// Its items, in its order.
    pub items: Vec<Item>,
    /// How long the feed says that it need not be asked again (`ttl`, `sy:updatePeriod`).
    pub refresh: Option<Duration>,
    /// Why these are not all items; each of them is whole.
    pub cut: Option<FeedCut>,
}

/// Why the end of a feed is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedCut {
    /// It has more than [`MOST_ITEMS`].
    TooManyItems,
    /// It ends in the middle.
    BreaksOff,
}

impl fmt::Display for FeedCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeedCut::TooManyItems => write!(
                f,
                "more than {MOST_ITEMS} items, the others are not read; ask the site for a shorter feed"
            ),
            FeedCut::BreaksOff => {
                f.write_str("the feed ends in the middle, what is missing is asked for again")
            }
        }
    }
}

/// Why something is no feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedError {
    /// There is nothing.
    Empty,
    /// It is a web page. [`discover`] finds the feeds that it names.
    Page,
    /// It is something else.
    Unknown,
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FeedError::Empty => "this feed is empty",
            FeedError::Page => "this is a web page, expected a feed",
            FeedError::Unknown => "this is no feed, expected RSS, Atom or JSON Feed",
        })
    }
}

impl std::error::Error for FeedError {}

/// Reads a feed that came from this address. What is broken costs what it touches: a feed that is cut off
/// has the items before the cut.
pub fn parse(bytes: &[u8], content_type: Option<&str>, url: &str) -> Result<Feed, FeedError> {
    let text = text::decode(bytes, content_type);
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let base = url::Url::parse(url).ok();
    match trimmed.chars().next() {
        None => Err(FeedError::Empty),
        Some('{') => json::parse(trimmed, base.as_ref()),
        Some(_) => syndication::parse(trimmed, base.as_ref()),
    }
}

/// An absolute address of the Web.
pub(crate) fn absolute(address: &str, base: Option<&url::Url>) -> Option<String> {
    let address = address.trim();
    if address.is_empty() || address.len() > LONGEST_URL {
        return None;
    }
    let url = match base {
        Some(base) => base.join(address).ok()?,
        None => url::Url::parse(address).ok()?,
    };
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}
