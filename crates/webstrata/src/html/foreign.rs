//! SVG and MathML inside HTML: the rules for foreign content.

use super::builder::{Builder, Space};
use super::tag::{Tag, flag};
use super::tokenizer::{Attributes, EndTag, StartTag, Token};

impl Builder<'_> {
    /// With an SVG or MathML element current: does the token follow the foreign rules?
    pub(crate) fn by_foreign_rules(&self, token: &Token) -> bool {
        match (self.current(), token) {
            (_, Token::Eof) => false,
            (Tag::SvgHtml | Tag::SvgTitle, Token::Start(_) | Token::Text(_)) => false,
            (Tag::MathText, Token::Start(tag)) => matches!(tag.tag, Tag::Mglyph | Tag::Malignmark),
            (Tag::MathText, Token::Text(_)) => false,
            (Tag::MathAnnotation, Token::Start(tag)) => tag.tag != Tag::Svg,
            _ => true,
        }
    }

    pub(crate) fn foreign(&mut self, token: Token) {
        match token {
            Token::Text(text) => {
                if self.frameset_ok && !self.is_whitespace(text) {
                    self.frameset_ok = false;
                }
                self.insert_text(text, "\u{fffd}");
            }
            Token::Start(tag) if self.breaks_out(&tag) => {
                self.leave_foreign();
                self.by_mode(self.mode, token);
            }
            Token::Start(tag) => {
                let space = self.stack.last().map_or(Space::Svg, |open| open.space);
                self.insert_foreign(&tag, space);
            }
            Token::End(EndTag { tag: Tag::Br | Tag::P, .. }) => {
                self.leave_foreign();
                self.by_mode(self.mode, token);
            }
            Token::End(tag) => self.end_in_foreign(token, tag),
            _ => {}
        }
    }

    fn breaks_out(&self, tag: &StartTag) -> bool {
        let font_attribute = |name: &str| {
            ["color", "face", "size"].iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        tag.tag.is(flag::BREAKOUT)
            || (tag.tag == Tag::Font
                && self.attributes(tag).any(|a| font_attribute(&self.source[a.name.0..a.name.1])))
    }

    fn leave_foreign(&mut self) {
        while self.in_foreign() && !self.current().is(flag::INTEGRATION) {
            self.pop();
        }
    }

    fn end_in_foreign(&mut self, token: Token, end: EndTag) {
        let name = &self.source.as_bytes()[end.start..end.name_end];
        for i in (1..self.stack.len()).rev() {
            let open = self.stack[i];
            if open.space == Space::Html {
                self.by_mode(self.mode, token);
                return;
            }
            if self.is_named(open.node, name) {
                while self.stack.len() > i {
                    self.pop();
                }
                return;
            }
        }
    }

    pub(crate) fn insert_foreign(&mut self, tag: &StartTag, space: Space) {
        let known = foreign_tag(tag, space, self.source.as_bytes());
        let node = self.insert_void(tag);
        self.nodes[node as usize].tag = known;
        if !tag.self_closing && !self.push(node, known, space) {
            self.overflow += 1;
        }
    }
}

/// The tag of an element of SVG or MathML: only those that some rule knows have one.
fn foreign_tag(tag: &StartTag, space: Space, source: &[u8]) -> Tag {
    match (space, tag.tag) {
        (Space::Svg, Tag::ForeignObject) => Tag::SvgHtml,
        (Space::Svg, Tag::Desc | Tag::Title) => Tag::SvgTitle,
        (Space::Svg, Tag::Script) => Tag::SvgScript,
        (Space::Svg, Tag::Style) => Tag::SvgStyle,
        (Space::Svg, Tag::Svg) => Tag::Svg,
        (Space::Math, Tag::Math) => Tag::Math,
        (Space::Math, Tag::Mi | Tag::Mo | Tag::Mn | Tag::Ms | Tag::Mtext) => Tag::MathText,
        (Space::Math, Tag::Annotation) => {
            let html = Attributes::of_tag(source, tag.name_end, tag.end).any(|attribute| {
                let value = &source[attribute.value.0..attribute.value.1];
                source[attribute.name.0..attribute.name.1].eq_ignore_ascii_case(b"encoding")
                    && (value.eq_ignore_ascii_case(b"text/html")
                        || value.eq_ignore_ascii_case(b"application/xhtml+xml"))
            });
            if html { Tag::SvgHtml } else { Tag::MathAnnotation }
        }
        _ => Tag::Other,
    }
}
