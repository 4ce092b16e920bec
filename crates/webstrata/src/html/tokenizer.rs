//! Bytes of HTML to tokens, by the WHATWG rules ("Tokenization"), without copying.
//!
//! A token is a set of positions in the input. The whole page is in memory, so the spec's sixty
//! character-wise states collapse into a few searches: to the next `<`, the next `>`, the closing
//! quote. Attributes are skipped here, and where those stand that are often asked for is noted ([`Noted`]); whoever wants
//! another one parses it then ([`Attributes`]).
//!
//! Every search goes forward from where the last token ended and a failed one ends the input, which
//! keeps the whole linear.

use std::cell::Cell;

use memchr::{memchr, memchr2, memchr3};

use super::noted::Noted;
use super::tag::Tag;
use crate::clock::Deadline;

/// Signs of one text that begin no markup, between two looks at the clock.
const SIGNS_PER_CHECK: u32 = 4096;
/// Attributes of one tag between two looks at the clock.
const ATTRIBUTES_PER_CHECK: u32 = 1 << 14;

/// What the tree builder gets to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Text(Text),
    Start(StartTag),
    End(EndTag),
    /// Comments carry no text for anyone.
    Comment,
    Doctype {
        /// Everything between `<!doctype` and `>`.
        start: usize,
        end: usize,
    },
    Eof,
}

/// A run of character data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Holds a `&` that may begin a character reference.
    pub(crate) references: bool,
    /// Holds a U+0000.
    pub(crate) nulls: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StartTag {
    pub(crate) tag: Tag,
    /// Where the name starts (after `<`) and where the tag ends (before `>`).
    pub(crate) start: usize,
    pub(crate) name_end: usize,
    pub(crate) end: usize,
    pub(crate) self_closing: bool,
    /// An attribute says that the element is not shown.
    pub(crate) hidden: bool,
    /// There is a `href`: of an `<a>`, this makes a link.
    pub(crate) href: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndTag {
    pub(crate) tag: Tag,
    pub(crate) start: usize,
    pub(crate) name_end: usize,
}

/// How the text after a start tag is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Markup,
    /// `title`, `textarea`: text with character references up to the end tag.
    Rcdata(Tag),
    /// `style`, `xmp`, …: text up to the end tag.
    Rawtext(Tag),
    Script,
    Plaintext,
}

pub(crate) struct Tokenizer<'a> {
    input: &'a [u8],
    position: usize,
    content: Content,
    /// A raw text element that the page never closes: the rest of the page is inside it.
    unclosed: bool,
    pub(crate) noted: Noted,
    deadline: Deadline,
    /// The deadline passed inside a tag.
    late: Cell<bool>,
}

impl<'a> Tokenizer<'a> {
    pub(crate) fn new(input: &'a [u8], noted: Noted, deadline: Deadline) -> Tokenizer<'a> {
        let (content, late) = (Content::Markup, Cell::new(false));
        Tokenizer { input, position: 0, content, unclosed: false, noted, deadline, late }
    }

    /// Did the deadline pass inside a tag? The tag then counts as one that the page broke off.
    pub(crate) fn is_late(&self) -> bool {
        self.late.get()
    }

    /// Sets how the text that follows is read; back to markup after one text and its end tag.
    pub(crate) fn set_content(&mut self, content: Content) {
        self.content = content;
    }

    pub(crate) fn met_unclosed_raw_text(&self) -> bool {
        self.unclosed
    }

    /// Does the input close this raw text element? Asked only by the second reading of a page that
    /// was swallowed by an unclosed one.
    pub(crate) fn will_close(&self, tag: Tag) -> bool {
        self.raw_text_end(tag, self.position).is_some()
    }

    /// The next token. `foreign` says whether `<![CDATA[` is known here.
    #[inline]
    pub(crate) fn next(&mut self, foreign: bool) -> Token {
        if self.content != Content::Markup {
            return self.raw_text();
        }
        let start = self.position;
        match self.input.get(start) {
            None => Token::Eof,
            Some(b'<') => self.markup(start, foreign),
            Some(_) => self.text(start, start),
        }
    }

    /// Text from `start`; nothing before `from` can end it.
    fn text(&mut self, start: usize, from: usize) -> Token {
        let mut text = Text { start, end: self.input.len(), references: false, nulls: false };
        let mut at = from;
        let mut until_check = SIGNS_PER_CHECK;
        // One search for all three, until a `&` or NUL was seen; from then on only for `<`.
        loop {
            let rest = &self.input[at..];
            let found =
                if text.references { memchr(b'<', rest) } else { memchr3(b'<', b'&', 0, rest) };
            match found {
                None => break,
                Some(offset) => match rest[offset] {
                    b'<' if begins_markup(&rest[offset + 1..]) => {
                        text.end = at + offset;
                        break;
                    }
                    b'<' => {
                        at += offset + 1;
                        // Few texts have any, so that few look at the clock here.
                        until_check -= 1;
                        if until_check == 0 {
                            until_check = SIGNS_PER_CHECK;
                            if self.deadline.passed() {
                                self.late.set(true);
                                text.end = at;
                                break;
                            }
                        }
                    }
                    byte => {
                        text.references = true;
                        text.nulls |= byte == 0;
                        at += offset + 1;
                    }
                },
            }
        }
        if text.references {
            let run = &self.input[start..text.end];
            text.nulls = text.nulls || memchr(0, run).is_some();
            text.references = memchr(b'&', run).is_some();
        }
        self.position = text.end;
        Token::Text(text)
    }

    /// Whatever begins with the `<` at `start`.
    #[inline]
    fn markup(&mut self, start: usize, foreign: bool) -> Token {
        match self.input.get(start + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(start + 1),
            Some(b'/') => match self.input.get(start + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(start + 2),
                Some(b'>') => self.comment(start + 3),
                Some(_) => self.bogus_comment(start + 2),
                None => self.text(start, start + 2),
            },
            Some(b'!') => self.declaration(start, foreign),
            Some(b'?') => self.bogus_comment(start + 1),
            // A lone `<` is text.
            _ => self.text(start, start + 1),
        }
    }

    #[inline]
    fn start_tag(&mut self, start: usize) -> Token {
        let (tag, name_end) = self.tag_name(start);
        match self.skip_attributes(name_end) {
            Some(AttributesEnd { end, self_closing, hidden, href }) => {
                self.position = end + 1;
                Token::Start(StartTag { tag, start, name_end, end, self_closing, hidden, href })
            }
            None => self.eof(),
        }
    }

    #[inline]
    fn end_tag(&mut self, start: usize) -> Token {
        let (tag, name_end) = self.tag_name(start);
        if self.input.get(name_end) == Some(&b'>') {
            self.position = name_end + 1;
            return Token::End(EndTag { tag, start, name_end });
        }
        match self.skip_attributes(name_end) {
            Some(AttributesEnd { end, .. }) => {
                self.position = end + 1;
                Token::End(EndTag { tag, start, name_end })
            }
            None => self.eof(),
        }
    }

    #[inline]
    fn tag_name(&self, start: usize) -> (Tag, usize) {
        let mut key = 0;
        let mut length = 0;
        for byte in &self.input[start..] {
            if ends_name(*byte) {
                break;
            }
            if length < 8 {
                key |= u64::from(byte.to_ascii_lowercase()) << (8 * length);
            }
            length += 1;
        }
        let end = start + length;
        (Tag::of_key(key, &self.input[start..end]), end)
    }

    /// Goes over attributes to the `>`, which may stand inside quotes without meaning anything.
    #[inline]
    fn skip_attributes(&mut self, from: usize) -> Option<AttributesEnd> {
        if self.input.get(from) == Some(&b'>') {
            let (self_closing, hidden, href) = (false, false, false);
            return Some(AttributesEnd { end: from, self_closing, hidden, href });
        }
        let mut attributes = Attributes { input: self.input, position: from };
        let (mut hidden, mut href) = (false, false);
        let mut until_check = ATTRIBUTES_PER_CHECK;
        loop {
            match attributes.step() {
                Step::Attribute(attribute) => {
                    until_check -= 1;
                    if until_check == 0 {
                        until_check = ATTRIBUTES_PER_CHECK;
                        if self.deadline.passed() {
                            self.late.set(true);
                            return None;
                        }
                    }
                    self.noted.add(self.input, attribute);
                    // Nearly all attributes are none of the four: look at the first letter only.
                    if matches!(self.input[attribute.name.0] | 0x20, b'h' | b'a' | b's') {
                        hidden |= attribute.hides(self.input);
                        href |= attribute.is_href(self.input);
                    }
                }
                Step::End { end, self_closing } => {
                    return Some(AttributesEnd { end, self_closing, hidden, href });
                }
                Step::Eof => return None,
            }
        }
    }

    fn declaration(&mut self, start: usize, foreign: bool) -> Token {
        let rest = &self.input[start + 2..];
        if rest.starts_with(b"--") {
            return self.real_comment(start + 4);
        }
        if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            let from = start + 9;
            let end = memchr(b'>', &self.input[from..]).map_or(self.input.len(), |i| from + i);
            self.position = (end + 1).min(self.input.len());
            return Token::Doctype { start: from, end };
        }
        if foreign && rest.starts_with(b"[CDATA[") {
            let from = start + 9;
            let end = memchr::memmem::find(&self.input[from..], b"]]>");
            let end = end.map_or(self.input.len(), |i| from + i);
            self.position = (end + 3).min(self.input.len());
            let nulls = memchr(0, &self.input[from..end]).is_some();
            return Token::Text(Text { start: from, end, references: false, nulls });
        }
        self.bogus_comment(start + 2)
    }

    /// After `<!--`: up to `-->` or `--!>`; `<!-->` and `<!--->` are empty comments.
    fn real_comment(&mut self, from: usize) -> Token {
        let rest = &self.input[from..];
        if rest.starts_with(b">") {
            return self.comment(from + 1);
        }
        if rest.starts_with(b"->") {
            return self.comment(from + 2);
        }
        let mut at = from;
        while let Some(offset) = memchr(b'>', &self.input[at..]) {
            let end = at + offset;
            let inside = &self.input[from..end];
            if inside.ends_with(b"--") || inside.ends_with(b"--!") {
                return self.comment(end + 1);
            }
            at = end + 1;
        }
        self.comment(self.input.len())
    }

    fn bogus_comment(&mut self, from: usize) -> Token {
        let end = memchr(b'>', &self.input[from..]).map_or(self.input.len(), |i| from + i + 1);
        self.comment(end)
    }

    fn comment(&mut self, end: usize) -> Token {
        self.position = end;
        Token::Comment
    }

    /// A tag that the input breaks off is dropped.
    fn eof(&mut self) -> Token {
        self.position = self.input.len();
        Token::Eof
    }

    /// The text of a raw text element, then (on the next call) its end tag.
    fn raw_text(&mut self) -> Token {
        let start = self.position;
        let (end, references) = match self.content {
            Content::Plaintext => (Some(self.input.len()), false),
            Content::Script => (self.script_end(start), false),
            Content::Rcdata(tag) => (self.raw_text_end(tag, start), true),
            Content::Rawtext(tag) => (self.raw_text_end(tag, start), false),
            Content::Markup => unreachable!("only called in raw text"),
        };
        self.unclosed |= end.is_none();
        self.content = Content::Markup;
        let end = end.unwrap_or(self.input.len());
        self.position = end;
        if start == end {
            // Nothing inside: on to the end tag.
            return self.next(false);
        }
        let run = &self.input[start..end];
        let references = references && memchr(b'&', run).is_some();
        Token::Text(Text { start, end, references, nulls: memchr(0, run).is_some() })
    }

    /// The next `</name` of this element, followed by whitespace, `/` or `>`.
    fn raw_text_end(&self, tag: Tag, from: usize) -> Option<usize> {
        if tag == Tag::Script {
            return self.script_end(from);
        }
        let mut at = from;
        loop {
            at += memchr(b'<', &self.input[at..])?;
            if self.closes(at, tag) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn closes(&self, at: usize, tag: Tag) -> bool {
        self.input[at..].starts_with(b"</") && self.names(at + 2, tag)
    }

    fn names(&self, at: usize, tag: Tag) -> bool {
        let name = tag.name().as_bytes();
        let rest = &self.input[at..];
        rest.len() > name.len()
            && rest[..name.len()].eq_ignore_ascii_case(name)
            && ends_name(rest[name.len()])
    }

    /// The end of a script. Inside `<!--` … `-->`, a `<script>` must be closed before the script is.
    fn script_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += memchr(b'<', &self.input[at..])?;
            if self.closes(at, Tag::Script) {
                return Some(at);
            }
            if !self.input[at..].starts_with(b"<!--") {
                at += 1;
                continue;
            }
            // Escaped: the dashes of `<!--` count as those of `-->`.
            at += 2;
            let mut nested = false;
            loop {
                at += memchr2(b'<', b'-', &self.input[at..])?;
                let rest = &self.input[at..];
                if rest.starts_with(b"-->") {
                    at += 3;
                    break;
                } else if self.closes(at, Tag::Script) {
                    if !nested {
                        return Some(at);
                    }
                    nested = false;
                } else if rest[0] == b'<' && self.names(at + 1, Tag::Script) {
                    nested = true;
                }
                at += 1;
            }
        }
    }
}

struct AttributesEnd {
    end: usize,
    self_closing: bool,
    hidden: bool,
    href: bool,
}

/// Steps over the attributes of a start tag; by default there are none.
#[derive(Clone, Default)]
pub(crate) struct Attributes<'a> {
    input: &'a [u8],
    position: usize,
}

/// One attribute as spans of the input; character references in the value are not decoded yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttributeSpan {
    pub(crate) name: (usize, usize),
    pub(crate) value: (usize, usize),
}

enum Step {
    Attribute(AttributeSpan),
    End { end: usize, self_closing: bool },
    Eof,
}

impl<'a> Attributes<'a> {
    /// The attributes of the start tag whose name ends at `name_end` and which ends at `end`.
    pub(crate) fn of_tag(input: &'a [u8], name_end: usize, end: usize) -> Attributes<'a> {
        Attributes { input: &input[..(end + 1).min(input.len())], position: name_end }
    }

    #[inline]
    fn step(&mut self) -> Step {
        let input = self.input;
        let mut at = self.position;
        let mut self_closing = false;
        // Before an attribute's name: whitespace and stray slashes.
        let name_start = loop {
            match input.get(at) {
                None => return Step::Eof,
                Some(b'>') => {
                    self.position = at;
                    return Step::End { end: at, self_closing };
                }
                Some(b'/') => self_closing = true,
                Some(byte) if is_space(*byte) => self_closing = false,
                Some(_) => break at,
            }
            at += 1;
        };
        // A `=` in first place belongs to the name.
        at += 1;
        let rest = &input[at..];
        at += rest.iter().position(|byte| ENDS_NAME[usize::from(*byte)]).unwrap_or(rest.len());
        let name = (name_start, at);
        let mut value = (at, at);
        let after_name = at;
        at = skip_space(input, at);
        if input.get(at) == Some(&b'=') {
            at = skip_space(input, at + 1);
            match input.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let Some(length) = memchr(*quote, &input[at + 1..]) else { return Step::Eof };
                    value = (at + 1, at + 1 + length);
                    at = value.1 + 1;
                }
                Some(b'>') | None => value = (at, at),
                Some(_) => {
                    let start = at;
                    while input.get(at).is_some_and(|byte| !is_space(*byte) && *byte != b'>') {
                        at += 1;
                    }
                    value = (start, at);
                }
            }
        } else {
            at = after_name;
        }
        self.position = at;
        Step::Attribute(AttributeSpan { name, value })
    }

    /// The next attribute. For loops over all elements of a page: nothing is called for it.
    #[inline]
    pub(crate) fn read_next(&mut self) -> Option<AttributeSpan> {
        match self.step() {
            Step::Attribute(attribute) => Some(attribute),
            Step::End { .. } | Step::Eof => None,
        }
    }
}

impl Iterator for Attributes<'_> {
    type Item = AttributeSpan;

    fn next(&mut self) -> Option<AttributeSpan> {
        self.read_next()
    }
}

impl AttributeSpan {
    fn is_href(&self, input: &[u8]) -> bool {
        input[self.name.0..self.name.1].eq_ignore_ascii_case(b"href")
    }

    /// `hidden`, `aria-hidden="true"` and `style="display: none"` hide an element from readers.
    fn hides(&self, input: &[u8]) -> bool {
        let name = &input[self.name.0..self.name.1];
        let value = &input[self.value.0..self.value.1];
        match name.len() {
            5 => name.eq_ignore_ascii_case(b"style") && hides_by_style(value),
            6 => {
                name.eq_ignore_ascii_case(b"hidden") && !value.eq_ignore_ascii_case(b"until-found")
            }
            11 => name.eq_ignore_ascii_case(b"aria-hidden") && value.eq_ignore_ascii_case(b"true"),
            _ => false,
        }
    }
}

/// Does a `style` attribute say `display: none` or `visibility: hidden`?
fn hides_by_style(style: &[u8]) -> bool {
    style.split(|byte| *byte == b';').any(|declaration| {
        let mut parts = declaration.splitn(2, |byte| *byte == b':');
        let property = parts.next().unwrap_or_default().trim_ascii();
        let value = parts.next().unwrap_or_default().trim_ascii();
        let says = |p: &[u8], v: &[u8]| {
            property.eq_ignore_ascii_case(p)
                && value.len() >= v.len()
                && value[..v.len()].eq_ignore_ascii_case(v)
        };
        says(b"display", b"none") || says(b"visibility", b"hidden")
    })
}

/// Is a `<` followed by this the beginning of a tag or comment, or is it text?
#[inline]
fn begins_markup(rest: &[u8]) -> bool {
    match rest {
        [b'/'] => false,
        [byte, ..] => byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?'),
        [] => false,
    }
}

#[inline]
fn skip_space(input: &[u8], mut at: usize) -> usize {
    while input.get(at).is_some_and(|byte| is_space(*byte)) {
        at += 1;
    }
    at
}

#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'\x0c')
}

#[inline]
pub(crate) fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

/// What ends the name of an attribute.
const ENDS_NAME: [bool; 256] = crate::bytes::set(b" \n\t\r\x0c/>=");
