//! Tokens of XML that need not be well-formed.
//!
//! Parsers of XML must stop at the first mistake, and many feeds have one. This one has no errors: what
//! is no tag is text, a reference that nobody knows stays as it is, a tag ends where another begins, and
//! what the end cuts off is dropped. Entities that a feed defines are not read, so that nothing grows and
//! nothing is loaded.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// Attributes of an element that are looked at.
const MOST_ATTRIBUTES: usize = 64;

/// A piece of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `<name …>`; its end follows at once if it is empty (`<name/>`).
    Start(Tag<'a>),
    /// `</name>`, as it is written.
    End(&'a str),
    /// Text or CDATA, references resolved.
    Text(Cow<'a, str>),
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    /// The name as it is written, with its prefix.
    pub(crate) name: &'a str,
    attributes: &'a str,
    /// `<name/>`.
    pub(crate) is_empty: bool,
}

impl<'a> Tag<'a> {
    /// The value of an attribute, whose name is compared without its prefix and without case.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let named = |(own, _): &(&str, &str)| split(own).1.eq_ignore_ascii_case(name);
        let (_, value) = Attributes(self.attributes).take(MOST_ATTRIBUTES).find(named)?;
        Some(htmlize::unescape_attribute(value))
    }
}

/// The prefix of a name, and what it is without it.
pub(crate) fn split(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// The tokens of a document.
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// The document ends within a tag, a comment or a section.
    pub(crate) is_cut: bool,
    /// A bracket in a declaration had no end. It is not searched for again, or time would be quadratic.
    is_unbalanced: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0, is_cut: false, is_unbalanced: false }
    }

    /// Where the next token begins.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// What is written between two positions.
    pub(crate) fn source(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Passes over what begins here and ends with `end`, or over everything.
    fn pass(&mut self, end: &str) -> &'a str {
        let rest = &self.text[self.at..];
        match memmem::find(rest.as_bytes(), end.as_bytes()) {
            Some(found) => {
                self.at += found + end.len();
                &rest[..found]
            }
            None => {
                self.at = self.text.len();
                self.is_cut = true;
                rest
            }
        }
    }

    /// Passes over `<!DOCTYPE …>`, with what it declares within brackets.
    fn pass_doctype(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let mut is_within = false;
        let rest = if self.is_unbalanced { &[] } else { rest };
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                b'[' => is_within = true,
                b']' => is_within = false,
                b'>' if !is_within => {
                    self.at += index + 1;
                    return;
                }
                _ => {}
            }
        }
        // A bracket without an end; then the first angle is the end.
        self.is_unbalanced = true;
        self.pass(">");
    }

    /// The tag that begins behind this `<`; `None` if it has no end.
    fn tag(&mut self, start: usize) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        let is_end = bytes.get(start) == Some(&b'/');
        let from = start + usize::from(is_end);
        let mut at = from;
        let mut quote = None;
        loop {
            match (bytes.get(at)?, quote) {
                (b'>', None) | (b'<', _) => break,
                (byte @ (b'"' | b'\''), None) if bytes[at - 1] == b'=' || bytes[at - 1] == b' ' => {
                    quote = Some(*byte);
                }
                (byte, Some(open)) if *byte == open => quote = None,
                _ => {}
            }
            at += 1;
        }
        // A `<` is the beginning of the next tag: this one lacks its end.
        self.at = at + usize::from(bytes[at] == b'>');
        let inner = &self.text[from..at];
        if is_end {
            return Some(Token::End(inner.trim()));
        }
        let name = inner.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(name);
        let is_empty = attributes.trim_end().ends_with('/');
        Some(Token::Start(Tag { name, attributes, is_empty }))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
            let bytes = rest.as_bytes();
            if bytes[0] != b'<' || !begins_markup(&bytes[1..]) {
                // At least one byte, since a `<` that is text stands here.
                let end = memchr(b'<', &bytes[1..]).map_or(bytes.len(), |end| end + 1);
                self.at += end;
                return Some(Token::Text(htmlize::unescape(&rest[..end])));
            }
            if rest.starts_with("<!--") {
                self.pass("-->");
            } else if let Some(section) = rest.get(..9)
                && section.eq_ignore_ascii_case("<![CDATA[")
            {
                self.at += section.len();
                return Some(Token::Text(Cow::Borrowed(self.pass("]]>"))));
            } else if rest.starts_with("<!") {
                self.pass_doctype();
            } else if rest.starts_with("<?") {
                self.pass(">");
            } else if let Some(token) = self.tag(self.at + 1) {
                return Some(token);
            } else {
                self.at = self.text.len();
                self.is_cut = true;
            }
        }
    }
}

/// Does markup begin behind a `<`?
fn begins_markup(rest: &[u8]) -> bool {
    let is_name = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80)
    };
    match rest.first() {
        // The end of the document is the end of a tag that was cut off.
        None | Some(b'!' | b'?') => true,
        Some(b'/') => rest.len() == 1 || is_name(rest.get(1)),
        first => is_name(first),
    }
}

/// Names and values of attributes, with quotes or without.
struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let is_between = |c: char| c.is_whitespace() || c == '/';
        let rest = self.0.trim_start_matches(is_between);
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        if name.is_empty() && rest.is_empty() {
            return None;
        }
        let Some(value) = rest.trim_start().strip_prefix('=').map(str::trim_start) else {
            self.0 = rest;
            return Some((name, ""));
        };
        let quote = value.chars().next().filter(|quote| "\"'".contains(*quote));
        let (value, rest) = match quote {
            // Without its end, it is as if there were no quote.
            Some(quote) => value[1..].split_once(quote).unwrap_or_else(|| {
                let end = |c: char| c.is_whitespace() || c == '>';
                value[1..].split_at(value[1..].find(end).unwrap_or(value.len() - 1))
            }),
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}
