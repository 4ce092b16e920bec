//! Where links and images lead: made absolute, and nothing that runs.

use crate::html::tag::Tag;
use crate::page::Page;

/// Bytes of an address; browsers take more, readers of a text do not.
const MAX_LENGTH: usize = 2_048;

/// Resolves the addresses of one page.
pub(crate) struct Links {
    base: Option<Base>,
}

struct Base {
    /// With its colon.
    scheme: String,
    authority: String,
    /// From its first slash.
    path: String,
    query: String,
}

impl Links {
    pub(crate) fn of(page: &Page<'_>) -> Links {
        let own = page.document.url.as_deref().and_then(Base::parse);
        let tree = &page.tree;
        let element = tree.nodes().find(|node| tree.tag(*node) == Some(Tag::Base));
        let named = element.and_then(|node| tree.attribute(node, "href"));
        // The page's own word on its address counts only where the page's address is known: a link
        // in a saved page leads where it did.
        let base = match (&own, named) {
            (Some(own), Some(href)) => {
                let links = Links { base: Some(own.clone()) };
                links
                    .resolve(&href, &["http", "https"])
                    .and_then(|url| Base::parse(&url))
                    .or(Some(own.clone()))
            }
            (None, Some(href)) => Base::parse(href.trim()),
            _ => own,
        };
        Links { base }
    }

    /// A link's address, if it is one that may be followed.
    pub(crate) fn link(&self, href: &str) -> Option<String> {
        self.resolve(href, &["http", "https", "mailto"])
    }

    /// An image's address.
    pub(crate) fn image(&self, src: &str) -> Option<String> {
        self.resolve(src, &["http", "https"])
    }

    fn resolve(&self, written: &str, schemes: &[&str]) -> Option<String> {
        if written.len() > MAX_LENGTH {
            return None;
        }
        let white = |c: char| c <= ' ' || c.is_control();
        // Browsers overlook line breaks and tabs anywhere: `java\nscript:` is a scheme for them.
        let plain: String =
            written.trim_matches(white).chars().filter(|c| !c.is_control()).collect();
        if plain.is_empty() {
            return None;
        }
        let end =
            plain.find([':', '/', '\\', '?', '#']).filter(|end| plain[*end..].starts_with(':'));
        if let Some(end) = end {
            let scheme = plain[..end].to_ascii_lowercase();
            return schemes.contains(&scheme.as_str()).then(|| encode(&plain));
        }
        let absolute = self.base.as_ref().map(|base| base.join(&plain));
        Some(encode(&absolute.unwrap_or(plain)))
    }
}

impl Clone for Base {
    fn clone(&self) -> Base {
        let Base { scheme, authority, path, query } = self;
        let (scheme, authority) = (scheme.clone(), authority.clone());
        Base { scheme, authority, path: path.clone(), query: query.clone() }
    }
}

impl Base {
    fn parse(url: &str) -> Option<Base> {
        let (scheme, rest) = url.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") || url.len() > MAX_LENGTH {
            return None;
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let path = if path.is_empty() { "/" } else { path };
        Some(Base {
            scheme: scheme + ":",
            authority: authority.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
        })
    }

    /// RFC 3986, section 5.2.
    fn join(&self, relative: &str) -> String {
        let Base { scheme, authority, path, query } = self;
        let (relative, fragment) = relative.split_at(relative.find('#').unwrap_or(relative.len()));
        let (to, asked) = relative.split_at(relative.find('?').unwrap_or(relative.len()));
        let to = to.replace('\\', "/");
        if to.starts_with("//") {
            return format!("{scheme}{to}{asked}{fragment}");
        }
        let (path, query) = if to.is_empty() {
            (path.clone(), if asked.is_empty() { query } else { asked })
        } else if to.starts_with('/') {
            (without_dots(&to), asked)
        } else {
            let folder = &path[..=path.rfind('/').unwrap_or(0)];
            (without_dots(&format!("{folder}{to}")), asked)
        };
        format!("{scheme}//{authority}{path}{query}{fragment}")
    }
}

fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut is_folder = false;
    for part in path.split('/').skip(1) {
        is_folder = matches!(part, "." | "..");
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let end = if is_folder && !parts.is_empty() { "/" } else { "" };
    format!("/{}{end}", parts.join("/"))
}

/// Characters that would end the address in Markdown or in HTML, or a cell of a table.
fn encode(url: &str) -> String {
    let mut encoded = String::with_capacity(url.len());
    for c in url.chars() {
        let special = c.is_whitespace()
            || matches!(c, '(' | ')' | '<' | '>' | '"' | '`' | '|' | '\\' | '*' | '~' | '\'');
        if special {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let hex = |digit: u8| {
                    char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase()
                };
                encoded.extend(['%', hex(byte >> 4), hex(byte & 15)]);
            }
        } else {
            encoded.push(c);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(base: &str) -> Links {
        Links { base: Base::parse(base) }
    }

    #[test]
    fn addresses_become_absolute() {
        let links = links("https://tides.example/a/b/page.html?x=1#top");
        for (href, expect) in [
            ("c.html", "https://tides.example/a/b/c.html"),
            ("../c d.html", "https://tides.example/a/c%20d.html"),
            ("../../../c/", "https://tides.example/c/"),
            ("..", "https://tides.example/a/"),
            ("/c?y=(1)", "https://tides.example/c?y=%281%29"),
            ("//other.example/", "https://other.example/"),
            ("?y=2", "https://tides.example/a/b/page.html?y=2"),
            ("#note", "https://tides.example/a/b/page.html?x=1#note"),
            (" HTTP://other.example/c ", "HTTP://other.example/c"),
            ("mailto:fog@tides.example", "mailto:fog@tides.example"),
        ] {
            assert_eq!(links.link(href).as_deref(), Some(expect), "{href}");
        }
        assert_eq!(links.image("mailto:fog@tides.example"), None);
    }

    #[test]
    fn nothing_that_runs_is_an_address() {
        let links = links("");
        for href in [
            "javascript:x()",
            " \u{1}JavaScript:x()",
            "java\nscript:x()",
            "java\tscript:x()",
            "data:text/html,x",
            "vbscript:x",
            "file:///x",
            "blob:x",
            "java\0script:x",
            "",
            " ",
        ] {
            assert_eq!(links.link(href), None, "{href:?}");
        }
        assert_eq!(links.link("a/b:c").as_deref(), Some("a/b:c"));
    }
}
