//! URL keys, which identify pages by their address (URL Tree paper, section 3).
//!
//! ```
//! use webstrata_site::url_key::Rules;
//!
//! let rules = Rules::default();
//! let key = |url| rules.key(url, "Los Angeles").unwrap().to_string();
//! let url = "http://abcnews.go.com/kabc/story?section=news/local/los_angeles&id=8691010";
//! assert_eq!(key(url), "abcnews.go.com/kabc/story?id=8691010");
//! assert_eq!(key("https://www.example.org/tides/?utm_source=feed"), "example.org/tides");
//! assert_eq!(key("http://example.org/tides/index.html#top"), "example.org/tides");
//! ```
//!
//! The paper takes three steps. Redirects are followed (by whoever fetches the page: a key is made of
//! the address that answered); the title's hash joins the parameters, which are sorted and written in
//! one way; [`Rules`] say which of them stay. Beyond the paper, what addresses of one page are often
//! told apart by is levelled out: scheme, `www.` and the hosts of small screens, the last slash, `index.html`, `/amp`.

mod learned;
mod parts;
mod rules;

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

pub use learned::{Evidence, LearnedRules};
pub use rules::{Rules, RulesError};

/// How far an address is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Redirects were followed.
    Response,
    /// The title joined the parameters; address and parameters are written in one way.
    Titled,
    /// The rules chose among the parameters: the key.
    Ruled,
}

impl Step {
    /// All steps, in order.
    pub const ALL: [Step; 3] = [Step::Response, Step::Titled, Step::Ruled];
}

/// The name of a page: host and path in one way of writing, and the parameters that matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UrlKey {
    text: Box<str>,
    /// Where in `text` the registrable domain begins, and where the host ends.
    domain: (u32, u32),
}

impl UrlKey {
    /// Reads a key that was written.
    ///
    /// ```
    /// use webstrata_site::url_key::UrlKey;
    ///
    /// let key = UrlKey::parse("news.example.co.uk/a/b?id=3").unwrap();
    /// assert_eq!(key.domain(), "example.co.uk");
    /// assert_eq!(key.branch().collect::<Vec<_>>(), ["example.co.uk", "news", "a", "b?id=3"]);
    /// ```
    pub fn parse(text: &str) -> Option<UrlKey> {
        let end = text.find(['/', '?']).unwrap_or(text.len());
        let host = &text[..end];
        let length = u32::try_from(text.len()).ok()?;
        if host.is_empty() {
            return None;
        }
        let domain = (end - parts::domain(host).len()) as u32;
        debug_assert!(end as u32 <= length);
        Some(UrlKey { text: text.into(), domain: (domain, end as u32) })
    }

    /// The registrable domain, by the public suffix list; the host, where that is an address.
    pub fn domain(&self) -> &str {
        &self.text[self.domain.0 as usize..self.domain.1 as usize]
    }

    /// The way from the root of the URL Tree: the domain, what stands before it in the host, the parts of
    /// the path; parameters belong to the last part.
    pub fn branch(&self) -> impl Iterator<Item = &str> {
        let (start, end) = (self.domain.0 as usize, self.domain.1 as usize);
        let before = self.text[..start].trim_end_matches('.');
        let rest = &self.text[end..];
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let (folders, last) = match path.rfind('/') {
            Some(slash) => (&path[..slash], &rest[slash + 1..]),
            None => ("", query),
        };
        let middle = folders.split('/').filter(|part| !part.is_empty());
        [self.domain(), before]
            .into_iter()
            .chain(middle)
            .chain([last])
            .filter(|part| !part.is_empty())
    }

    /// A number for the key, the same in every version.
    pub fn hash(&self) -> u128 {
        xxh3_128(self.text.as_bytes())
    }

    /// The key as a text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(url: &str, expect: &str) {
        let key = Rules::default().key(url, "A title");
        assert_eq!(key.as_ref().map_or("none", UrlKey::as_str), expect, "{url}");
    }

    #[test]
    fn ways_to_write_one_address() {
        for url in [
            "https://example.org/2026/tides/",
            "http://www.example.org/2026/tides",
            "http://EXAMPLE.org:80/2026/tides/index.html",
            "https://example.org/2026//tides/?utm_source=x&utm_medium=y",
            "https://m.example.org/2026/tides/#comments",
            "https://amp.example.org/2026/tides",
            "https://example.org/2026/tides/amp/",
            "https://example.org/2026/tides?amp=1",
            "https://example.org/amp/2026/tides",
            "https://example.org/2026/tides.amp",
            "https://example.org/2026/%74ides/",
            "https://example.org/2026/tides/;jsessionid=0A1B?ref=newsletter",
            "https://user:secret@example.org./2026/tides",
        ] {
            check(url, "example.org/2026/tides");
        }
    }

    #[test]
    fn what_tells_pages_apart_stays() {
        check("https://example.org/article?id=3&utm_source=x", "example.org/article?id=3");
        check("https://example.org/article?id=4", "example.org/article?id=4");
        check("https://example.org/a?page=2&ID=7", "example.org/a?ID=7&page=2");
        check("https://example.org/index.php?title=Tide&action=edit", "example.org?title=Tide");
        check("https://example.org/wiki/Tide", "example.org/wiki/Tide");
        check("https://example.org/wiki/tide", "example.org/wiki/tide");
        check("https://example.org:8443/x", "example.org:8443/x");
        check("https://example.org/a.html", "example.org/a.html");
        check("https://example.org/index.php?topic=7.0", "example.org?topic=7.0");
        check("https://example.org/?q=node/12", "example.org?q=node/12");
        check("https://example.org/w?title=A+B", "example.org/w?title=A%20B");
        check("https://example.org/a.amp.html", "example.org/a.html");
        check("https://example.org/b?unknown=1", "example.org/b");
        check("https://example.org/潮汐?id=é", "example.org/%E6%BD%AE%E6%B1%90?id=%C3%A9");
        check("https://example.org/a%2fb", "example.org/a%2Fb");
        check("https://www.com/x", "www.com/x");
    }

    #[test]
    fn home_pages_have_titles() {
        let rules = Rules::default();
        let key = |url, title| rules.key(url, title).unwrap().to_string();
        let one = key("https://example.org/", "One");
        assert!(one.starts_with("example.org?_cid_="), "{one}");
        assert_eq!(one, key("http://www.example.org", "One"));
        assert_eq!(one, key("http://www.example.org/?utm_source=a", " One "));
        assert_ne!(one, key("https://example.org/", "Two"));
        assert_eq!(key("https://example.org/?p=7&x=1", "One"), "example.org?p=7");
    }

    #[test]
    fn what_is_no_address_of_a_page_has_no_key() {
        for url in ["", "tides", "mailto:a@example.org", "file:///etc/hosts", "http://", "data:,x"]
        {
            check(url, "none");
        }
    }

    #[test]
    fn domains_and_branches() {
        let branch = |url: &str| -> Vec<String> {
            let key = Rules::default().key(url, "").unwrap();
            key.branch().map(str::to_owned).collect()
        };
        assert_eq!(
            branch("http://a.b.example.co.uk/x/y?id=1"),
            ["example.co.uk", "a.b", "x", "y?id=1"]
        );
        assert_eq!(branch("http://tide.github.io/x"), ["tide.github.io", "x"]);
        assert_eq!(branch("http://127.0.0.1:8080/x/"), ["127.0.0.1:8080", "x"]);
        assert_eq!(branch("http://[::1]:8080/x/"), ["[::1]:8080", "x"]);
        assert_eq!(branch("http://localhost/?p=3"), ["localhost", "?p=3"]);
        assert_eq!(branch("http://a.example.org:81/q"), ["example.org:81", "a", "q"]);
    }

    #[test]
    fn the_steps_of_the_paper() {
        let url = "http://abcnews.go.com/kabc/story?section=news/local/los_angeles&id=8691010";
        let after = |step| Rules::default().after(step, url, "A title").unwrap();
        assert_eq!(after(Step::Response), url);
        let titled = after(Step::Titled);
        assert!(titled.starts_with("abcnews.go.com/kabc/story?_cid_="), "{titled}");
        assert!(titled.ends_with("&id=8691010&section=news/local/los_angeles"), "{titled}");
        assert_eq!(after(Step::Ruled), "abcnews.go.com/kabc/story?id=8691010");
    }

    #[test]
    fn hashes_never_change() {
        let key = UrlKey::parse("example.org/tides?id=3").unwrap();
        assert_eq!(format!("{:032x}", key.hash()), "6226a63b707ca8e712940be1c02b0964");
    }

    proptest! {
        #[test]
        fn a_key_is_its_own_key(url in "https?://(www\\.)?[a-z]{1,3}\\.(org|co\\.uk)(/[a-zé%;=.]{0,4}){0,3}(\\?([a-z]{1,2}=[a-z0-9%&]{0,3}&?){0,3})?(#x)?") {
            let rules = Rules::default();
            if let Some(key) = rules.key(&url, "t") {
                // A home page's title is in its key; given anew it would be hashed again.
                if !key.as_str().contains("_cid_") {
                    let again = rules.key(&format!("http://{key}"), "t").map(|key| key.to_string());
                    prop_assert_eq!(again.as_deref(), Some(key.as_str()));
                }
                prop_assert_eq!(UrlKey::parse(key.as_str()), Some(key.clone()));
                let branch: Vec<&str> = key.branch().collect();
                prop_assert_eq!(branch[0], key.domain());
            }
        }

        #[test]
        fn any_text_at_all(url in ".*", title in ".*") {
            if let Some(key) = Rules::default().key(&url, &title) {
                prop_assert!(key.branch().count() >= 1);
            }
        }
    }
}
