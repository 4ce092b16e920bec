//! What holds for any bytes that a stranger sends, as functions that every fuzzer calls.
//!
//! `cargo test` runs them over the feeds of `tests/feeds` and the corpora of `fuzz/`, over mutations of them and soups of
//! their pieces; the targets of `fuzz/` include this file for libFuzzer.

use webstrata_feeds::feeds::{self, FeedsFile, MOST_ITEMS};
use webstrata_feeds::fetch::may_fetch;

const URL: &str = "https://example.org/feeds/news";

/// A feed of any kind.
pub(crate) fn feed(bytes: &[u8]) {
    let Ok(feed) = feeds::parse(bytes, None, URL) else { return };
    assert!(feed.items.len() <= MOST_ITEMS);
    let links =
        feed.items.iter().filter_map(|item| item.link.as_deref()).chain(feed.site.as_deref());
    for link in links {
        assert!(link.starts_with("http://") || link.starts_with("https://"), "{link}");
    }
    for item in &feed.items {
        let title = item.title.as_deref().unwrap_or("a title");
        assert!(!title.trim().is_empty() && !title.contains(['\n', '\0']), "{title:?}");
        assert_eq!(item.hash(), item.clone().hash());
        // What is kept must come back as it was.
        let json = serde_json::to_string(item).expect("plain data");
        assert_eq!(&serde_json::from_str::<feeds::Item>(&json).expect("just written"), item);
    }
    // A whole feed in another encoding is the same feed.
    if let Ok(text) = str::from_utf8(bytes)
        && !text.starts_with('\u{feff}')
    {
        let again = feeds::parse(&[b"\xef\xbb\xbf", bytes].concat(), None, URL);
        assert!(again.is_ok_and(|again| again == feed || text.contains("2022")));
    }
}

/// A list of feeds, and a page that names feeds.
pub(crate) fn subscriptions(bytes: &[u8]) {
    let found = feeds::opml(bytes);
    let (text, left_out) = feeds::import(&found);
    let file = FeedsFile::from_toml(&text).expect("a file that can be read");
    let feeds: usize = file.sites.iter().map(|site| site.feeds.len()).sum();
    assert!(feeds + left_out.len() <= found.len());
    for feed in feeds::discover(bytes, None, URL) {
        assert!(feed.starts_with("http"), "{feed}");
    }
}

/// The file that says what is followed.
pub(crate) fn sites(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes)
        && let Err(error) = FeedsFile::from_toml(text)
    {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

/// What a site lets crawlers do.
pub(crate) fn robots(bytes: &[u8]) {
    let first = may_fetch(bytes, "tidebot", URL);
    assert_eq!(may_fetch(bytes, "TIDEBOT", URL), first);
    // The file itself is always allowed (RFC 9309, section 2.2.2).
    assert!(may_fetch(bytes, "tidebot", "https://example.org/robots.txt"));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use webstrata_base::random::Random;

    use super::{feed, robots, sites, subscriptions};
    use crate::corpora::hold;

    /// Reads the bytes as whatever a stranger may send.
    fn check(bytes: &[u8]) {
        feed(bytes);
        subscriptions(bytes);
        sites(bytes);
        robots(bytes);
    }

    #[test]
    fn corpora_hold() {
        hold("feed", feed);
        hold("subscriptions", subscriptions);
        hold("sites", sites);
        hold("robots", robots);
    }

    #[rustfmt::skip]
    const TOKENS: &[&str] = &[
        "<rss>", "<channel>", "</channel>", "<item>", "</item>", "<feed>", "<entry>", "</entry>", "<title>",
        "</title>", "<link>", "</link>", "<link href='/a'/>", "<link rel=self href=b>", "<description>",
        "</description>", "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE a [", "]>", "<?xml version='1.0'?>",
        "&amp;", "&", "&nbsp;", "&#0;", "&#x10ffff;", "<", ">", "\"", "'", "=", "/", "a:b", "x", "é", "\0", "\n",
        "<br>", "<p>", "<guid>", "</guid>", "<pubDate>", "Sun, 15 Nov 2026 08:30:00 GMT", "2026-11-15", "99",
        "<outline text='a' xmlUrl='https://example.org/a'>", "</outline>", "{", "}", "[", "]", "\"items\":", ",",
        "User-agent: *\n", "User-agent: tidebot\n", "Disallow: /", "Allow: /*a$", "Crawl-delay: 1e9\n",
        "[[site]]\n", "feeds = ['https://example.org/a']\n", "[fetch]\n", "timeout = 5\n", "xml:base='//b'",
    ];

    fn seeds() -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/feeds");
        let listed = std::fs::read_dir(folder).expect("tests/feeds is there");
        let mut files: Vec<_> = listed.map(|entry| entry.expect("readable").path()).collect();
        files.sort();
        files.iter().map(|file| std::fs::read(file).expect("readable")).collect()
    }

    fn checked(bytes: &[u8]) {
        if let Err(panic) = std::panic::catch_unwind(|| check(bytes)) {
            eprintln!("on {:?}", String::from_utf8_lossy(bytes));
            std::panic::resume_unwind(panic);
        }
    }

    #[test]
    fn feeds_mutations_and_soups_hold() {
        let seeds = seeds();
        seeds.iter().for_each(|seed| checked(seed));
        let mut random = Random::new(1);
        for round in 0..3000 {
            let mut bytes =
                if round % 3 == 0 { Vec::new() } else { seeds[random.below(seeds.len())].clone() };
            for _ in 0..=random.below(if round % 3 == 0 { 60 } else { 6 }) {
                let at = if round % 3 == 0 { bytes.len() } else { random.below(bytes.len() + 1) };
                match random.below(5) {
                    0 if round % 3 > 0 => bytes.truncate(at),
                    1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
                    2 if at < bytes.len() => drop(bytes.drain(at..bytes.len().min(at + 20))),
                    _ => {
                        let token = TOKENS[random.below(TOKENS.len())].bytes();
                        drop(bytes.splice(at..at, token));
                    }
                }
            }
            checked(&bytes);
        }
    }
}
