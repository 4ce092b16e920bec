//! Where addresses of a page lead: made absolute, and of which scheme and host they are.

use std::borrow::Cow;

use url::{Position, Url};

use crate::html::tag::Tag;
use crate::page::Page;

/// Bytes of an address; browsers and servers take no longer ones.
pub(crate) const LONGEST_URL: usize = 8_192;

/// What addresses in a page are relative to.
pub(crate) struct Addresses {
    /// The page's address.
    page: Option<Url>,
    /// What others are relative to: `<base href>`, or the page's address.
    base: Option<Url>,
    /// The base as far as its host, for addresses that begin with a slash, and as far as its last
    /// slash, for those that begin with a name. Empty where there is no base.
    origin: String,
    folder: String,
}

impl Addresses {
    pub(crate) fn of(page: &Page<'_>) -> Addresses {
        let tree = &page.tree;
        let own = page.document.url.as_deref().and_then(|url| Url::parse(url.trim()).ok());
        let element = tree.nodes.iter().position(|node| node.tag == Tag::Base && node.href);
        let named = element.and_then(|node| tree.attribute(node as u32, "href"));
        let named = named.filter(|base| base.len() <= LONGEST_URL).and_then(|base| {
            let base = base.trim();
            own.as_ref().map_or_else(|| Url::parse(base).ok(), |own| own.join(base).ok())
        });
        let base = named.filter(is_web).or_else(|| own.clone().filter(is_web));
        let until = |end: Position| base.as_ref().map_or("", |base| &base[..end]);
        let origin = until(Position::BeforePath).to_owned();
        let path = until(Position::AfterPath);
        let folder = path[..path.rfind('/').map_or(0, |slash| slash + 1)].to_owned();
        Addresses { base, page: own, origin, folder }
    }

    /// Is anything known that addresses are relative to?
    pub(crate) fn has_base(&self) -> bool {
        self.base.is_some()
    }

    /// The absolute address of a page or a picture on the Web.
    pub(crate) fn resolve(&self, address: &str) -> Option<Url> {
        self.parse(address).filter(is_web)
    }

    /// Where a link leads and whether that is the page's host; none if to no other page.
    pub(crate) fn target(&self, href: &str) -> Option<(String, Option<bool>)> {
        if let Some(plain) = self.resolve_plain(href) {
            let host = match plain.host {
                Some(host) => Some(host),
                None => self.base.as_ref().and_then(Url::host_str),
            };
            let internal = self.page.as_ref().map(|page| host.map(without_www) == self::host(page));
            return Some((plain.url, internal));
        }
        let href = &*cleaned(href);
        if scheme(href).is_some_and(|scheme| !is_scheme_of_web(scheme)) {
            return None;
        }
        let Some(url) = self.resolve(href) else {
            return self.is_relative(href).then(|| (href.to_owned(), None));
        };
        let internal = self.page.as_ref().map(|page| host(page) == host(&url));
        Some((url.into(), internal))
    }

    /// An address that may be followed from the page: on the Web, of a mailbox if `mail`, or as written
    /// where there is nothing that it could be resolved against.
    pub(crate) fn safe(&self, address: &str, mail: bool) -> Option<String> {
        let address = &*cleaned(address);
        if address.is_empty() {
            return None;
        }
        if let Some(plain) = self.resolve_plain(address) {
            return Some(plain.url);
        }
        let Some(url) = self.parse(address) else {
            return self.is_relative(address).then(|| address.to_owned());
        };
        (is_web(&url) || (mail && url.scheme() == "mailto")).then(|| url.into())
    }

    fn parse(&self, address: &str) -> Option<Url> {
        if address.len() > LONGEST_URL {
            return None;
        }
        match &self.base {
            Some(base) => base.join(address).ok(),
            None => Url::parse(address).ok(),
        }
    }

    /// Is there nothing to resolve it against, and has it no scheme of its own? A colon before the first slash ends a
    /// scheme for somebody, whatever stands before it (RFC 3986, section 4.2).
    fn is_relative(&self, address: &str) -> bool {
        let first = address.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        self.base.is_none()
            && !first.contains(':')
            && Url::parse(address) == Err(url::ParseError::RelativeUrlWithoutBase)
    }

    /// The same as [`Addresses::resolve`] for addresses that are in order as they are written, which
    /// most are; parsing would take ten times as long.
    fn resolve_plain<'a>(&self, address: &'a str) -> Option<Plain<'a>> {
        let bytes = address.as_bytes();
        let (before, host, path) = match bytes.first()? {
            b'/' if bytes.get(1) != Some(&b'/') => (&*self.origin, None, address),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => match without_scheme(address) {
                Some(rest) => {
                    let slash = memchr::memchr(b'/', rest.as_bytes());
                    let (host, path) = rest.split_at(slash.unwrap_or(rest.len()));
                    ("", Some(host), path)
                }
                None => (&*self.folder, None, address),
            },
            _ => return None,
        };
        if host.map_or(before.is_empty(), |host| !is_plain_host(host)) {
            return None;
        }
        // What stands before the first colon may be a scheme.
        if host.is_none() && bytes[0] != b'/' && memchr::memchr(b':', bytes).is_some() {
            return None;
        }
        if !is_plain_path(path.as_bytes()) {
            return None;
        }
        let url = match host {
            Some(_) if path.is_empty() => [address, "/"].concat(),
            Some(_) => address.to_owned(),
            None => [before, path].concat(),
        };
        Some(Plain { url, host })
    }
}

/// An address that needed no parsing.
struct Plain<'a> {
    url: String,
    /// Its host, unless that is the base's.
    host: Option<&'a str>,
}

/// An address without what some readers overlook in it. The WHATWG's trims controls and spaces, and drops tabs and
/// line breaks anywhere: `java\nscript:` is a scheme. Others trim all that is not seen, too. Within an address that stays:
/// words of some languages need it.
fn cleaned(address: &str) -> Cow<'_, str> {
    let is_trimmed = |c: char| c.is_whitespace() || c.is_control() || is_invisible(c);
    let address = address.trim_matches(is_trimmed);
    match address.contains(char::is_control) {
        true => Cow::Owned(address.replace(char::is_control, "")),
        false => Cow::Borrowed(address),
    }
}

/// Characters that are not seen: of no width, marks of direction, byte order marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

fn is_web(url: &Url) -> bool {
    is_scheme_of_web(url.scheme())
}

fn is_scheme_of_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

fn without_scheme(address: &str) -> Option<&str> {
    address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))
}

/// The scheme that an address begins with, if it is written without detours.
fn scheme(address: &str) -> Option<&str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let end = address.bytes().position(|byte| !is_part(byte))?;
    let scheme = address[end..].starts_with(':').then(|| &address[..end])?;
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(scheme)
}

fn host(url: &Url) -> Option<&str> {
    url.host_str().map(without_www)
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Is this a name, in lower case and neither encoded nor a number in disguise?
fn is_plain_host(host: &str) -> bool {
    let mut before = b'.';
    for byte in host.bytes() {
        let repeats = before == byte && matches!(byte, b'.' | b'-');
        if !HOST[usize::from(byte)] || repeats {
            return false;
        }
        before = byte;
    }
    before.is_ascii_lowercase()
}

/// Bytes that stand for themselves in a host.
const HOST: [bool; 256] = crate::bytes::set(b"abcdefghijklmnopqrstuvwxyz0123456789.-");

/// Is a path, with its query and fragment, in order as it is written?
fn is_plain_path(path: &[u8]) -> bool {
    // All bytes at once first, without asking of each whether it is the last one to look at.
    let seen = path.iter().fold(0, |seen, byte| seen | PATH[usize::from(*byte)]);
    let is_step = |(at, byte): (usize, &u8)| match byte {
        // A dot that begins a name may be a step up, and `%2e` is a dot.
        b'.' => at == 0 || path[at - 1] == b'/',
        b'%' => matches!(path.get(at + 1..at + 3), Some(b"2e" | b"2E")),
        _ => false,
    };
    seen & OTHER == 0 && (seen & MAY_STEP == 0 || !path.iter().enumerate().any(is_step))
}

/// A byte of a path that does not stand for itself, and one that may be, or begin, a dot.
const OTHER: u8 = 1;
const MAY_STEP: u8 = 2;

/// What the bytes of a path, a query and a fragment are.
const PATH: [u8; 256] = {
    let plain = crate::bytes::set(
        b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_~?=&+,;!@$#:()*",
    );
    let mut path = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        if plain[byte] {
            path[byte] = 0;
        }
        byte += 1;
    }
    path[b'.' as usize] = MAY_STEP;
    path[b'%' as usize] = MAY_STEP;
    path
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extractor, Options};

    fn addresses(url: Option<&str>, html: &str) -> Addresses {
        let options = Options { url: url.map(str::to_owned), ..Options::default() };
        let cutting = Extractor::default_builtin().cutting;
        Addresses::of(&Page::read(html.as_bytes(), cutting, &options))
    }

    #[test]
    fn safe_addresses_become_absolute() {
        let addresses = addresses(Some("https://tides.example/a/b/page.html?x=1#top"), "");
        for (address, expect) in [
            ("c.html", "https://tides.example/a/b/c.html"),
            ("../c d.html", "https://tides.example/a/c%20d.html"),
            ("../../../c/", "https://tides.example/c/"),
            ("..", "https://tides.example/a/"),
            ("/c?y=1", "https://tides.example/c?y=1"),
            ("//other.example/", "https://other.example/"),
            ("?y=2", "https://tides.example/a/b/page.html?y=2"),
            ("#note", "https://tides.example/a/b/page.html?x=1#note"),
            (" HTTP://other.example/c ", "http://other.example/c"),
            ("http://other.example", "http://other.example/"),
            ("mailto:fog@tides.example", "mailto:fog@tides.example"),
        ] {
            assert_eq!(addresses.safe(address, true).as_deref(), Some(expect), "{address}");
        }
        assert_eq!(addresses.safe("mailto:fog@tides.example", false), None);
    }

    #[test]
    fn nothing_that_runs_is_safe() {
        for addresses in [addresses(None, ""), addresses(Some("https://tides.example/"), "")] {
            for address in [
                "javascript:x()",
                " \u{1}JavaScript:x()",
                "java\nscript:x()",
                "java\tscript:x()",
                "java\0script:x",
                "data:text/html,x",
                "vbscript:x",
                "file:///x",
                "blob:x",
                "\u{feff}javascript:x()",
                "\u{200b}javascript:x()",
                "\u{2028}\u{a0}\u{3000}javascript:x()",
                "\u{85}javascript:x()",
                "",
                " ",
            ] {
                assert_eq!(addresses.safe(address, true), None, "{address:?}");
            }
        }
        let nowhere = addresses(None, "");
        assert_eq!(nowhere.safe("a/b:c", true).as_deref(), Some("a/b:c"));
        assert_eq!(nowhere.safe("\u{feff}/c\u{200b}", true).as_deref(), Some("/c"));
        assert_eq!(nowhere.target("\u{feff}javascript:x()"), None);
        // What may be a scheme for a reader who overlooks a sign is none of ours.
        assert_eq!(nowhere.safe("\u{2764}javascript:x()", true), None);
        assert_eq!(nowhere.safe("java\u{200b}script:x()", true), None);
    }

    /// A page that was read from a disk has no address that its links could be relative to.
    #[test]
    fn files_are_no_base() {
        let addresses = addresses(Some("file:///tides.html"), "");
        assert_eq!(addresses.safe("c.html", false).as_deref(), Some("c.html"));
        assert_eq!(addresses.target("c.html"), Some(("c.html".to_owned(), None)));
    }

    /// The fast path against the parser.
    #[test]
    fn plain_addresses() {
        let page = Some("https://www.harbour.example/news/today");
        let bases = ["", "<base href=https://Sea.example:81/deep/>", "<base href=/x?y=/z#/>"];
        let bases = bases.map(|base| addresses(page, base));
        #[rustfmt::skip]
        let parts = [
            "http://", "https://", "HTTP://", "/", "//", "a", "www.", "harbour.example", "sea.example", ".",
            "..", "-", "xn--", "%", "?q=1", "#x", "1", "é", "\\", ":81", " ", "@", "~b", ",", "&amp;c=d",
            ";", "!", "$", "mailto:", "h", ":", "(", ")", "*", "%2E", "%2e%2e", "%20",
        ];
        let mut random = 1u32;
        let mut plain = 0;
        for _ in 0..40_000 {
            let mut href = String::new();
            for _ in 0..(random >> 16) % 6 + 1 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                href.push_str(parts[(random >> 16) as usize % parts.len()]);
            }
            random = random.wrapping_add(1);
            for addresses in &bases {
                let parsed = addresses.resolve(&href).map(|parsed| {
                    let internal = addresses.page.as_ref().map(|page| host(page) == host(&parsed));
                    (String::from(parsed), internal)
                });
                assert_eq!(addresses.target(&href), parsed, "{href}");
                plain += u32::from(addresses.resolve_plain(&href).is_some());
            }
        }
        assert!(plain > 1_000, "{plain} were plain");
    }
}
