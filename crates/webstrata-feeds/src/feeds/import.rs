//! Lists of subscriptions as a file of sites.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use toml::Value;
use url::Url;

use super::Subscription;

/// A file of sites made of subscriptions, and those that cannot be in it, since theirs is no address of the
/// Web. Feeds of one site are one reader's, in the order in which they came.
pub fn import(subscriptions: &[Subscription]) -> (String, Vec<&Subscription>) {
    let mut sites: Vec<(String, Vec<(String, &Subscription)>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut known: HashSet<(usize, String)> = HashSet::new();
    let mut left_out = Vec::new();
    for subscription in subscriptions {
        let Some(feed) = feed(&subscription.feed) else {
            left_out.push(subscription);
            continue;
        };
        let site = site(subscription, &feed);
        let place = *places.entry(site.clone()).or_insert_with(|| {
            sites.push((site, Vec::new()));
            sites.len() - 1
        });
        let feed = String::from(feed);
        // Two ways to write the same address.
        if known.insert((place, feed.clone())) {
            sites[place].1.push((feed, subscription));
        }
    }
    (written(&sites), left_out)
}

fn written(sites: &[(String, Vec<(String, &Subscription)>)]) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let mut text = String::from(
        "# The sites of a stream: one reader a site, several feeds.\n\
         # How often feeds are asked, and how; a site may have an `interval` and a `fetch` of its own.\n\
         interval = \"15m\"\n\n[fetch]\nhost-delay = \"1s\"\n",
    );
    for (name, feeds) in sites {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n[[site]]\nname = {}\nfeeds = [", quoted(name));
        for (feed, subscription) in feeds {
            let _ = write!(text, "  {},", quoted(feed));
            let about = subscription.folders.iter().chain(&subscription.title);
            let about: Vec<String> = about.map(|part| comment(part)).collect();
            if !about.is_empty() {
                let _ = write!(text, " # {}", about.join(" / "));
            }
            text.push('\n');
        }
        text.push_str("]\n");
    }
    text
}

/// On one line, as comments of TOML must be.
fn comment(text: &str) -> String {
    let plain = |c: &char| !c.is_control();
    text.chars().filter(plain).take(80).collect()
}

/// The address of a feed. Readers once wrote `feed:` before it, or instead of `http:`.
fn feed(written: &str) -> Option<Url> {
    let bare = match written.strip_prefix("feed:") {
        Some(rest) if rest.starts_with("//") => format!("http:{rest}"),
        Some(rest) => rest.to_owned(),
        None => written.to_owned(),
    };
    let url = Url::parse(&bare).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// The host of the site; many feeds lie with somebody else.
fn site(subscription: &Subscription, feed: &Url) -> String {
    let page = subscription.site.as_deref().and_then(|site| Url::parse(site).ok());
    let host = page.as_ref().and_then(Url::host_str).or(feed.host_str()).unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FeedsFile, opml};
    use super::*;

    fn subscription(feed: &str, site: Option<&str>) -> Subscription {
        let site = site.map(str::to_owned);
        Subscription { feed: feed.into(), site, ..Subscription::default() }
    }

    #[test]
    fn feeds_of_a_site_come_together() {
        let list = [
            subscription("https://feeds.example.com/1", Some("https://www.example.org/")),
            subscription("https://example.net/rss", None),
            subscription("feed://example.org/2", Some("http://example.org/home")),
            subscription("feed:https://example.net/rss", None),
            subscription("mailto:me", None),
        ];
        let (text, left_out) = import(&list);
        let file = FeedsFile::from_toml(&text).unwrap();
        let shown: Vec<_> =
            file.sites.iter().map(|it| (it.name.as_str(), it.feeds.len())).collect();
        assert_eq!(shown, [("example.org", 2), ("example.net", 1)]);
        assert_eq!(file.sites[0].feeds[1], "http://example.org/2");
        assert_eq!(left_out, [&list[4]]);
    }

    proptest! {
        /// Whatever a list says, what is made of it can be read.
        #[test]
        fn any_list(parts in proptest::collection::vec(
            ("https?://[a-c]\\.example/[ -~]{0,9}|feed:.{0,9}|.{0,9}", ".{0,20}"), 0..8,
        )) {
            let list: Vec<Subscription> = parts
                .into_iter()
                .map(|(feed, title)| Subscription {
                    title: Some(title),
                    ..subscription(&feed, None)
                })
                .collect();
            let (text, left_out) = import(&list);
            let file = FeedsFile::from_toml(&text);
            prop_assert!(file.is_ok(), "{file:?} in {text}");
            let feeds: usize = file.unwrap().sites.iter().map(|site| site.feeds.len()).sum();
            prop_assert!(feeds + left_out.len() <= list.len());
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let (text, _) = import(&opml(&bytes));
            prop_assert!(FeedsFile::from_toml(&text).is_ok());
        }
    }
}
