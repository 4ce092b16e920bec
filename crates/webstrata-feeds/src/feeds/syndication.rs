//! RSS 0.9x, 1.0 and 2.0 and Atom, told apart by nothing but the names of their elements.
//!
//! Prefixes count by custom, not by declaration, since many feeds forget to declare them.

use std::borrow::Cow;
use std::time::Duration;

use url::Url;

use super::xml::{Tag, Token, Tokens, split};
use super::{Feed, FeedCut, FeedError, Item, MOST_ITEMS, absolute, text};
use crate::dates;

/// Elements within elements that are told apart; what is deeper belongs to the last of them.
const DEEPEST: usize = 64;

/// Prefixes that change nothing: the formats' own.
const OWN: [&str; 4] = ["rss", "atom", "atom10", "a10"];

/// Reads a feed; of one that is cut off, the whole items before the cut.
pub(super) fn parse(source: &str, base: Option<&Url>) -> Result<Feed, FeedError> {
    let mut reader = Reader {
        feed: Feed::default(),
        base: base.cloned(),
        own: String::new(),
        open: Vec::new(),
        root: None,
        item: None,
        field: None,
        period: None,
        frequency: None,
        deeper: 0,
    };
    let mut tokens = Tokens::new(source);
    loop {
        let before = tokens.position();
        let Some(token) = tokens.next() else { break };
        let after = tokens.position();
        match token {
            Token::Start(tag) => {
                if reader.root.is_none() && is_page(tag.name) {
                    return Err(FeedError::Page);
                }
                let (name, is_empty) = (tag.name, tag.is_empty);
                reader.start(&tag, after);
                if is_empty {
                    reader.end(name, &tokens, after);
                }
            }
            Token::End(name) => reader.end(name, &tokens, before),
            Token::Text(text) => reader.text(&text),
        }
    }
    if reader.root.is_none() {
        let is_page = source.get(..14).is_some_and(|it| it.eq_ignore_ascii_case("<!doctype html"));
        return Err(if is_page { FeedError::Page } else { FeedError::Unknown });
    }
    let is_cut = tokens.is_cut || reader.item.is_some() || !reader.open.is_empty();
    Ok(reader.finish(is_cut))
}

fn is_page(name: &str) -> bool {
    ["html", "head", "body"].iter().any(|page| name.eq_ignore_ascii_case(page))
}

/// What an element says about a feed or an item. Of those for the same, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Id,
    Title,
    OtherTitle,
    Link,
    OriginalLink,
    Description,
    Content,
    OtherDescription,
    Published,
    OtherDate,
    Ttl,
    Period,
    Frequency,
}

impl FieldKind {
    /// What an element of this prefix and name says.
    fn of(prefix: &str, name: &str) -> Option<FieldKind> {
        let prefix = prefix.to_ascii_lowercase();
        let name = name.to_ascii_lowercase();
        Some(match (prefix.as_str(), name.as_str()) {
            ("", "guid" | "id") => FieldKind::Id,
            ("", "title") => FieldKind::Title,
            ("dc" | "media", "title") => FieldKind::OtherTitle,
            ("", "link") => FieldKind::Link,
            ("feedburner", "origlink") => FieldKind::OriginalLink,
            ("", "description" | "summary") => FieldKind::Description,
            ("content", "encoded") | ("", "content" | "encoded" | "body") => FieldKind::Content,
            ("dc" | "media", "description") | ("itunes", "summary") => FieldKind::OtherDescription,
            ("", "pubdate" | "published" | "issued") => FieldKind::Published,
            ("" | "dc" | "dcterms", "date" | "created" | "modified" | "updated") => {
                FieldKind::OtherDate
            }
            ("", "ttl") => FieldKind::Ttl,
            ("sy", "updateperiod") => FieldKind::Period,
            ("sy", "updatefrequency") => FieldKind::Frequency,
            _ => return None,
        })
    }

    /// May its content have elements of its own?
    fn is_markup(self) -> bool {
        matches!(self, FieldKind::Description | FieldKind::Content | FieldKind::OtherDescription)
    }
}

/// The text of an element that is being read.
struct Field {
    kind: FieldKind,
    /// How many elements were open before it.
    depth: usize,
    text: String,
    has_elements: bool,
    /// Where its content begins.
    from: usize,
    /// What an attribute says instead of the text.
    href: Option<String>,
    is_permanent: bool,
    base: Option<Url>,
}

/// An item that is being read.
#[derive(Default)]
struct Draft {
    depth: usize,
    item: Item,
    base: Option<Url>,
    other_title: Option<String>,
    original_link: Option<String>,
    /// An identifier that is an address.
    permanent: Option<String>,
    content: Option<String>,
    other_description: Option<String>,
    other_date: Option<i64>,
}

struct Reader {
    feed: Feed,
    base: Option<Url>,
    /// The prefix of the root element, which then all of the format's elements have.
    own: String,
    /// The names of open elements, as they are written.
    open: Vec<String>,
    /// How many elements are open within the one that has the feed's own title.
    root: Option<usize>,
    item: Option<Draft>,
    field: Option<Field>,
    period: Option<Duration>,
    frequency: Option<u32>,
    /// Open elements beyond the deepest.
    deeper: usize,
}

impl Reader {
    fn start(&mut self, tag: &Tag<'_>, after: usize) {
        let (prefix, name) = split(tag.name);
        let prefix = if OWN.contains(&prefix) || prefix == self.own { "" } else { prefix };
        let lower = name.to_ascii_lowercase();
        let is_root = matches!(lower.as_str(), "rss" | "rdf" | "feed" | "channel");
        if self.root.is_none() && !is_root {
            // What stands before a feed is not part of it: warnings of PHP, mostly.
            return;
        }
        if is_root && self.item.is_none() && self.field.is_none() {
            if self.root.is_none() && lower == "feed" {
                split(tag.name).0.clone_into(&mut self.own);
            }
            self.rebase(tag);
            self.root = Some(self.open.len() + 1);
        } else if prefix.is_empty() && matches!(lower.as_str(), "item" | "entry") {
            self.begin_item(tag);
        } else {
            self.begin_field(tag, prefix, name, after);
        }
        if self.open.len() < DEEPEST {
            self.open.push(tag.name.to_owned());
        } else {
            self.deeper += 1;
        }
    }

    fn rebase(&mut self, tag: &Tag<'_>) {
        self.base = base_of(tag, self.base.as_ref());
    }

    fn begin_item(&mut self, tag: &Tag<'_>) {
        // An item within an item: the first one lacks its end.
        if let Some(draft) = self.item.take() {
            self.open.truncate(draft.depth);
            self.deeper = 0;
            self.keep(draft);
        }
        self.field = None;
        let mut draft = Draft { depth: self.open.len(), ..Draft::default() };
        draft.base = base_of(tag, self.base.as_ref());
        // RSS 1.0 has the identifier as an attribute.
        draft.item.id = tag.attribute("about").map(|id| id.trim().to_owned());
        draft.permanent = draft.item.id.clone();
        self.item = Some(draft);
    }

    fn begin_field(&mut self, tag: &Tag<'_>, prefix: &str, name: &str, after: usize) {
        let kind = FieldKind::of(prefix, name);
        if let Some(field) = &mut self.field {
            // A field within one that has no elements: that one lacks its end.
            if kind.is_none() || field.kind.is_markup() {
                field.has_elements = true;
                return;
            }
            let depth = field.depth;
            self.end_field(None);
            self.open.truncate(depth);
        }
        let parent = self.item.as_ref().map(|draft| draft.depth + 1).or(self.root);
        let Some(kind) = kind.filter(|_| parent == Some(self.open.len()) && self.deeper == 0)
        else {
            return;
        };
        let base = self.item.as_ref().map_or(&self.base, |draft| &draft.base);
        self.field = Some(Field {
            kind,
            depth: self.open.len(),
            text: String::new(),
            has_elements: false,
            from: after,
            href: tag.attribute("href").filter(|_| is_alternate(tag)).map(Cow::into_owned),
            is_permanent: tag.attribute("isPermaLink").is_none_or(|it| it.trim() != "false"),
            base: base_of(tag, base.as_ref()),
        });
        if kind == FieldKind::Link && !is_alternate(tag) {
            // It leads to an image, to a next page, or to the feed itself.
            self.field = None;
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(field) = &mut self.field {
            field.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str, tokens: &Tokens<'_>, before: usize) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        // An end without a beginning is nobody's.
        let Some(depth) = self.open.iter().rposition(|open| open.eq_ignore_ascii_case(name)) else {
            return;
        };
        // Nor may an element within a field end what the field is in, unless that is an item or more.
        if self.field.as_ref().is_some_and(|field| depth <= field.depth) {
            self.end_field(Some((tokens, before)));
        }
        self.open.truncate(depth);
        if self.item.as_ref().is_some_and(|draft| depth <= draft.depth)
            && let Some(draft) = self.item.take()
        {
            self.keep(draft);
        }
        if let Some(root) = self.root.filter(|root| depth < *root) {
            // Items of RSS 1.0 follow behind the channel.
            self.root = Some(root.min(depth.max(1)));
        }
    }

    fn end_field(&mut self, end: Option<(&Tokens<'_>, usize)>) {
        let Some(field) = self.field.take() else { return };
        let source = end.filter(|_| field.has_elements && field.kind.is_markup());
        let text = match source {
            // Markup that is not escaped is kept as it stands.
            Some((tokens, before)) => tokens.source(field.from, before).trim(),
            None => field.text.trim(),
        };
        match &mut self.item {
            Some(draft) => draft.set(&field, text),
            None => self.set(&field, text),
        }
    }

    /// What the feed says about itself.
    fn set(&mut self, field: &Field, text: &str) {
        match field.kind {
            FieldKind::Title => first(&mut self.feed.title, text::title(text)),
            FieldKind::Link => first(&mut self.feed.site, field.link(text)),
            FieldKind::Ttl => self.feed.refresh = text.parse().ok().map(minutes),
            FieldKind::Period => self.period = period(text),
            FieldKind::Frequency => self.frequency = text.parse().ok(),
            _ => {}
        }
    }

    fn keep(&mut self, draft: Draft) {
        if self.feed.items.len() < MOST_ITEMS {
            self.feed.items.push(draft.finish());
        } else {
            self.feed.cut = Some(FeedCut::TooManyItems);
        }
    }

    fn finish(mut self, is_cut: bool) -> Feed {
        if is_cut {
            self.feed.cut = Some(FeedCut::BreaksOff);
        }
        if let Some(period) = self.period.filter(|_| self.feed.refresh.is_none()) {
            let often = period / self.frequency.unwrap_or(1).max(1);
            self.feed.refresh = Some(often.max(Duration::from_secs(60)));
        }
        self.feed
    }
}

impl Field {
    fn link(&self, text: &str) -> Option<String> {
        absolute(self.href.as_deref().unwrap_or(text), self.base.as_ref())
    }
}

impl Draft {
    fn set(&mut self, field: &Field, text: &str) {
        let some = || Some(text.to_owned()).filter(|text| !text.is_empty());
        match field.kind {
            FieldKind::Id => {
                if field.is_permanent {
                    self.permanent = some();
                }
                self.item.id = some().or(self.item.id.take());
            }
            FieldKind::Title => first(&mut self.item.title, text::title(text)),
            FieldKind::OtherTitle => first(&mut self.other_title, text::title(text)),
            FieldKind::Link => first(&mut self.item.link, field.link(text)),
            FieldKind::OriginalLink => first(&mut self.original_link, field.link(text)),
            FieldKind::Description => first(&mut self.item.description, some()),
            FieldKind::Content => first(&mut self.content, some()),
            FieldKind::OtherDescription => first(&mut self.other_description, some()),
            FieldKind::Published => first(&mut self.item.published, dates::parse(text)),
            FieldKind::OtherDate => first(&mut self.other_date, dates::parse(text)),
            FieldKind::Ttl | FieldKind::Period | FieldKind::Frequency => {}
        }
    }

    fn finish(self) -> Item {
        let item = self.item;
        // An identifier may be an address, but is never a part of one.
        let permanent = self.permanent.and_then(|id| absolute(&id, None));
        Item {
            title: item.title.or(self.other_title),
            link: self.original_link.or(item.link).or(permanent),
            description: item.description.or(self.content).or(self.other_description),
            published: item.published.or(self.other_date),
            ..item
        }
    }
}

fn first<T>(place: &mut Option<T>, value: Option<T>) {
    if place.is_none() {
        *place = value;
    }
}

/// What addresses within this element are relative to.
fn base_of(tag: &Tag<'_>, outer: Option<&Url>) -> Option<Url> {
    let own = tag.attribute("base").filter(|own| !own.is_empty());
    let own = own.and_then(|own| absolute(&own, outer)).and_then(|own| Url::parse(&own).ok());
    own.or_else(|| outer.cloned())
}

/// Does this link lead to the page itself?
fn is_alternate(tag: &Tag<'_>) -> bool {
    tag.attribute("rel").is_none_or(|rel| rel.trim().eq_ignore_ascii_case("alternate"))
}

/// The pause that a feed asks for; a month is the longest that counts.
fn minutes(minutes: u32) -> Duration {
    Duration::from_secs(60 * u64::from(minutes.clamp(1, 31 * 24 * 60)))
}

fn period(text: &str) -> Option<Duration> {
    let hours = match text.to_ascii_lowercase().as_str() {
        "hourly" => 1,
        "daily" => 24,
        "weekly" => 7 * 24,
        "monthly" | "yearly" => 31 * 24,
        _ => return None,
    };
    Some(minutes(hours * 60))
}
