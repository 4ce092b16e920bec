//! Sitemaps (<https://www.sitemaps.org/protocol.html>): the file, whatever its shape.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use url::Url;

use crate::feeds;
use crate::feeds::xml::{Token, Tokens, split};

/// Addresses of one file, and files of an index: what the protocol allows.
pub const MOST_ENTRIES: usize = 50_000;

/// Bytes of one file, unpacked: what the protocol allows.
pub const MOST_BYTES: usize = 52_428_800;

/// What a sitemap lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Addresses of pages, in their order.
    pub pages: Vec<String>,
    /// Addresses of other sitemaps.
    pub sitemaps: Vec<String>,
    /// There were more than [`MOST_ENTRIES`], or more bytes than [`MOST_BYTES`], or it ends in the middle.
    pub is_cut: bool,
}

/// Why something is no sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSitemap;

impl std::fmt::Display for NoSitemap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "this is no sitemap, expected <urlset>, <sitemapindex>, a feed, a list of addresses or a robots.txt",
        )
    }
}

impl std::error::Error for NoSitemap {}

/// Reads a sitemap that came from this address: XML, also packed with gzip, an index of sitemaps, a feed, a plain list of
/// addresses, or a robots.txt, which names sitemaps. What is broken costs what it touches.
pub fn parse(bytes: &[u8], content_type: Option<&str>, url: &str) -> Result<Sitemap, NoSitemap> {
    let (bytes, is_long) = unpacked(bytes);
    let text = feeds::decode(&bytes, content_type);
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let base = Url::parse(url).ok();
    let mut found = if base.as_ref().is_some_and(|url| url.path() == "/robots.txt") {
        Sitemap { sitemaps: named_in_robots(text), ..Sitemap::default() }
    } else if text.starts_with('<') {
        of_xml(text, &bytes, content_type, url)?
    } else {
        of_lines(text)?
    };
    for list in [&mut found.pages, &mut found.sitemaps] {
        found.is_cut |= list.len() > MOST_ENTRIES;
        list.truncate(MOST_ENTRIES);
        list.retain_mut(|address| match feeds::absolute(address, base.as_ref()) {
            Some(absolute) => {
                *address = absolute;
                true
            }
            None => false,
        });
    }
    found.is_cut |= is_long;
    Ok(found)
}

/// The sitemaps that a robots.txt names.
pub fn named_in_robots(text: &str) -> Vec<String> {
    let named = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_named = name.trim().eq_ignore_ascii_case("sitemap");
        is_named.then(|| value.trim().to_owned()).filter(|value| !value.is_empty())
    });
    named.take(MOST_ENTRIES + 1).collect()
}

/// Unpacks gzip, as far as the limit allows. What is broken ends there.
fn unpacked(bytes: &[u8]) -> (Vec<u8>, bool) {
    if !bytes.starts_with(b"\x1f\x8b") {
        return (bytes[..bytes.len().min(MOST_BYTES)].to_vec(), bytes.len() > MOST_BYTES);
    }
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MOST_BYTES as u64 + 1).read_to_end(&mut unpacked);
    let is_cut = read.is_err() || unpacked.len() > MOST_BYTES;
    unpacked.truncate(MOST_BYTES);
    (unpacked, is_cut)
}

/// A plain list: one address on each line.
fn of_lines(text: &str) -> Result<Sitemap, NoSitemap> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let pages: Vec<String> = lines.take(MOST_ENTRIES + 1).map(str::to_owned).collect();
    let is_address = |line: &String| line.starts_with("http://") || line.starts_with("https://");
    if !pages.first().is_some_and(is_address) {
        return Err(NoSitemap);
    }
    Ok(Sitemap { pages, ..Sitemap::default() })
}

/// The `<loc>` of each `<url>` or `<sitemap>`; those of images and videos have prefixes or stand deeper.
fn of_xml(
    text: &str,
    bytes: &[u8],
    content_type: Option<&str>,
    url: &str,
) -> Result<Sitemap, NoSitemap> {
    let mut found = Sitemap::default();
    let mut tokens = Tokens::new(text);
    let mut has_root = false;
    // The entry that is open, and the text of its address.
    let (mut is_sitemap, mut loc) = (None::<bool>, None::<String>);
    for token in tokens.by_ref() {
        match token {
            Token::Start(tag) => {
                let (prefix, name) = split(tag.name);
                match &*name.to_ascii_lowercase() {
                    "urlset" | "sitemapindex" => has_root = true,
                    "rss" | "feed" | "rdf" if !has_root => {
                        return of_feed(bytes, content_type, url);
                    }
                    "url" if has_root => is_sitemap = Some(false),
                    "sitemap" if has_root => is_sitemap = Some(true),
                    "loc" if is_sitemap.is_some() && !is_media(prefix) => {
                        loc = (!tag.is_empty).then(String::new);
                    }
                    _ if !has_root => return Err(NoSitemap),
                    _ => {}
                }
            }
            Token::Text(text) => {
                if let Some(loc) = &mut loc {
                    loc.push_str(&text);
                }
            }
            Token::End(name) => {
                let name = split(name).1.to_ascii_lowercase();
                if name == "loc"
                    && let Some(loc) = loc.take()
                {
                    let list = match is_sitemap {
                        Some(true) => &mut found.sitemaps,
                        _ => &mut found.pages,
                    };
                    if list.len() <= MOST_ENTRIES {
                        list.push(loc);
                    }
                } else if matches!(&*name, "url" | "sitemap") {
                    is_sitemap = None;
                }
            }
        }
    }
    if !has_root {
        return Err(NoSitemap);
    }
    found.is_cut = tokens.is_cut || loc.is_some() || is_sitemap.is_some();
    Ok(found)
}

/// Prefixes of the extensions whose addresses are of no pages.
fn is_media(prefix: &str) -> bool {
    ["image", "video", "news"].iter().any(|media| prefix.eq_ignore_ascii_case(media))
}

fn of_feed(bytes: &[u8], content_type: Option<&str>, url: &str) -> Result<Sitemap, NoSitemap> {
    let feed = feeds::parse(bytes, content_type, url).map_err(|_| NoSitemap)?;
    let is_cut = feed.cut.is_some();
    let pages = feed.items.into_iter().filter_map(|item| item.link).collect();
    Ok(Sitemap { pages, is_cut, ..Sitemap::default() })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    const HERE: &str = "https://a.example/sitemap.xml";

    fn read(text: &str) -> Sitemap {
        parse(text.as_bytes(), None, HERE).unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn shapes() {
        let xml = "<?xml version='1.0'?><urlset xmlns='x' xmlns:image='y'><url><loc> https://a.example/?a=1&amp;b=2 \
            </loc><lastmod>2026-01-01</lastmod><image:image><image:loc>/i.png</image:loc></image:image></url>\
            <url><loc><![CDATA[/b]]></loc></url><url/><url><loc>mailto:x</loc></url></urlset>";
        let found = read(xml);
        assert_eq!(found.pages, ["https://a.example/?a=1&b=2", "https://a.example/b"]);
        assert_eq!((found.sitemaps.len(), found.is_cut), (0, false));
        assert_eq!(parse(&gzip(xml.as_bytes()), Some("application/gzip"), HERE), Ok(found));
        let index = read("<sitemapindex><sitemap><loc>/1.xml.gz</loc></sitemap></sitemapindex>");
        assert_eq!(index.sitemaps, ["https://a.example/1.xml.gz"]);
        let lines = read("\u{feff}https://a.example/1\r\n\nhttps://a.example/2");
        assert_eq!(lines.pages, ["https://a.example/1", "https://a.example/2"]);
        let feed = read("<rss><channel><item><link>/news</link></item></channel></rss>");
        assert_eq!(feed.pages, ["https://a.example/news"]);
        let robots =
            parse(b"User-agent: *\nSITEMAP: /s.xml\n", None, "https://a.example/robots.txt");
        assert_eq!(robots.unwrap().sitemaps, ["https://a.example/s.xml"]);
        for none in ["", "<!doctype html><p>Not here", "{}", "not a list"] {
            assert_eq!(parse(none.as_bytes(), None, HERE), Err(NoSitemap), "{none}");
        }
    }

    #[test]
    fn what_is_cut_off_says_so() {
        let whole = "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>";
        let cut = read(&whole[..whole.len() - 25]);
        assert_eq!((cut.pages, cut.is_cut), (vec!["https://a.example/a".to_owned()], true));
        let packed = gzip(whole.as_bytes());
        assert!(parse(&packed[..packed.len() - 4], None, HERE).unwrap().is_cut);
    }

    #[test]
    fn bombs_are_bounded() {
        let entry = "<url><loc>/a</loc></url>";
        let many = format!("<urlset>{}</urlset>", entry.repeat(MOST_ENTRIES + 5));
        let found = read(&many);
        assert_eq!((found.pages.len(), found.is_cut), (MOST_ENTRIES, true));
        let long = gzip(format!("<urlset>{entry}{}", " ".repeat(MOST_BYTES)).as_bytes());
        let found = parse(&long, None, HERE).unwrap();
        assert_eq!((found.pages.len(), found.is_cut), (1, true));
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>, cut in 0..200usize) {
            let _ = parse(&bytes, None, HERE);
            let whole = "<urlset><url><loc>/a</loc></url><url><loc>/b&amp;c</loc></url></urlset>";
            let mut damaged = whole.as_bytes().to_vec();
            let at = cut % damaged.len();
            damaged.splice(at..at, bytes.iter().copied());
            if let Ok(found) = parse(&damaged, None, HERE) {
                prop_assert!(found.pages.iter().all(|page| page.starts_with("http")));
            }
        }
    }
}
