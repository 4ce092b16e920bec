//! The feeds that a page names.

use url::Url;
use webstrata::{Limits, Tag, Tree};

use super::text;

/// Feeds of a page that are listed; pages with more are lists of feeds.
const MOST: usize = 100;

/// The addresses of the feeds that a page names (`<link rel=alternate>`), in its order, each once. So a
/// user may give the address of a site.
pub fn discover(page: &[u8], content_type: Option<&str>, url: &str) -> Vec<String> {
    let text = text::decode(page, content_type);
    let tree = Tree::parse(&*text, &Limits::default());
    let own = Url::parse(url).ok();
    let named = tree.nodes().find(|node| tree.tag(*node) == Some(Tag::Base));
    let named = named.and_then(|node| tree.attribute(node, "href"));
    let named = named.and_then(|base| match &own {
        Some(own) => own.join(base.trim()).ok(),
        None => Url::parse(base.trim()).ok(),
    });
    let base = named.or(own);
    let mut found: Vec<String> = Vec::new();
    for node in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Link)) {
        let attribute = |name| tree.attribute(node, name).unwrap_or_default();
        let rel = attribute("rel");
        let is = |rel: &str, word: &str| {
            rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(word))
        };
        // `rel=feed` was in a draft of HTML and is in use; style sheets have alternates, too.
        let is_alternate = is(&rel, "alternate") && !is(&rel, "stylesheet");
        if !(is(&rel, "feed") || is_alternate && is_feed(&attribute("type"))) {
            continue;
        }
        let href = attribute("href");
        let Some(feed) = super::absolute(href.trim(), base.as_ref()) else { continue };
        if !found.contains(&feed) {
            found.push(feed);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Is this the type of a feed?
fn is_feed(content_type: &str) -> bool {
    const TYPES: [&str; 6] = [
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
        "application/json",
        "application/rdf+xml",
        "text/rss+xml",
    ];
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    TYPES.iter().any(|feed| kind.eq_ignore_ascii_case(feed))
}
