//! The "in body" insertion mode: what nearly every token of a page goes through.

use super::builder::{Builder, Space};
use super::modes::Mode;
use super::tag::{Tag, flag};
use super::tokenizer::{Content, EndTag, StartTag, Text, Token, ends_name};
use crate::tree::{NONE, NodeId};

impl Builder<'_> {
    #[inline]
    pub(crate) fn in_body(&mut self, token: Token) {
        match token {
            Token::Text(text) => self.text_in_body(text),
            Token::Start(tag) => self.start_in_body(token, &tag),
            Token::End(tag) => self.end_in_body(token, tag),
            Token::Comment | Token::Doctype { .. } | Token::Eof => {}
        }
    }

    #[inline]
    fn text_in_body(&mut self, text: Text) {
        // After `<plaintext>` the tokenizer itself replaces NULs; elsewhere the body drops them.
        let mut null = "";
        if text.nulls {
            if self.stack.iter().any(|open| open.tag == Tag::Plaintext) {
                null = "\u{fffd}";
            } else if self.source.as_bytes()[text.start..text.end].iter().all(|byte| *byte == 0) {
                return;
            }
        }
        self.reconstruct_formatting();
        if self.frameset_ok && !self.is_whitespace(text) {
            self.frameset_ok = false;
        }
        self.insert_text(text, null);
    }

    fn start_in_body(&mut self, token: Token, tag: &StartTag) {
        match tag.tag {
            _ if tag.tag.is(flag::BLOCK) => {
                self.close_p();
                self.insert(tag);
            }
            Tag::P => {
                self.close_p();
                self.insert(tag);
            }
            Tag::A => {
                if let Some(open) = self.formatting.last(Tag::A) {
                    self.adoption_agency(Tag::A, (tag.start, tag.name_end));
                    self.formatting.remove(open);
                    self.remove_from_stack(open);
                }
                self.reconstruct_formatting();
                self.insert_formatting(tag);
            }
            Tag::Nobr => {
                self.reconstruct_formatting();
                if self.in_scope(Tag::Nobr) {
                    self.adoption_agency(Tag::Nobr, (tag.start, tag.name_end));
                    self.reconstruct_formatting();
                }
                self.insert_formatting(tag);
            }
            _ if tag.tag.is(flag::FORMATTING) => {
                self.reconstruct_formatting();
                self.insert_formatting(tag);
            }
            Tag::Li | Tag::Dd | Tag::Dt => self.start_list_item(tag),
            _ if tag.tag.is(flag::HEADING) => {
                self.close_p();
                if self.current().is(flag::HEADING) {
                    self.pop();
                }
                self.insert(tag);
            }
            Tag::Br | Tag::Img | Tag::Area | Tag::Embed | Tag::Keygen | Tag::Wbr => {
                self.reconstruct_formatting();
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            Tag::Input => {
                if self.in_scope(Tag::Select) {
                    self.pop_until(Tag::Select);
                }
                self.reconstruct_formatting();
                self.insert_void(tag);
                if self.frameset_ok && !self.attribute_is(tag, "type", "hidden") {
                    self.frameset_ok = false;
                }
            }
            Tag::Script
            | Tag::Style
            | Tag::Link
            | Tag::Meta
            | Tag::Title
            | Tag::Template
            | Tag::Base
            | Tag::Basefont
            | Tag::Bgsound
            | Tag::Noframes => self.in_head(token),
            Tag::Table if !self.has_room_for_modes() => self.insert_flat(tag),
            Tag::Table => {
                if !self.quirks {
                    self.close_p();
                }
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Tag::Form => {
                if self.form == NONE || self.open_templates > 0 {
                    self.close_p();
                    let form = self.insert(tag);
                    if self.open_templates == 0 {
                        self.form = form;
                    }
                }
            }
            Tag::Button => {
                if self.in_scope(Tag::Button) {
                    self.generate_implied_end_tags(None);
                    self.pop_until(Tag::Button);
                }
                self.reconstruct_formatting();
                self.insert(tag);
                self.frameset_ok = false;
            }
            Tag::Svg | Tag::Math => {
                self.reconstruct_formatting();
                let space = if tag.tag == Tag::Svg { Space::Svg } else { Space::Math };
                self.insert_foreign(tag, space);
            }
            Tag::Hr => {
                self.close_p();
                if self.in_scope(Tag::Select) {
                    self.generate_implied_end_tags(None);
                }
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            Tag::Param | Tag::Source | Tag::Track => {
                self.insert_void(tag);
            }
            Tag::Image => self.start_in_body(token, &StartTag { tag: Tag::Img, ..*tag }),
            Tag::Pre | Tag::Listing => {
                self.close_p();
                self.insert(tag);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            Tag::Textarea => {
                self.frameset_ok = false;
                self.insert_raw_text(tag, Content::Rcdata(Tag::Textarea));
            }
            Tag::Xmp => {
                self.close_p();
                self.reconstruct_formatting();
                self.frameset_ok = false;
                self.insert_raw_text(tag, Content::Rawtext(Tag::Xmp));
            }
            Tag::Iframe => {
                self.frameset_ok = false;
                self.insert_raw_text(tag, Content::Rawtext(Tag::Iframe));
            }
            Tag::Noembed => self.insert_raw_text(tag, Content::Rawtext(Tag::Noembed)),
            Tag::Plaintext => {
                self.close_p();
                self.insert(tag);
                self.tokens.set_content(Content::Plaintext);
            }
            Tag::Applet | Tag::Marquee | Tag::Object => {
                self.reconstruct_formatting();
                let node = self.insert(tag);
                if self.is_current(node) {
                    self.formatting.push_marker();
                }
                self.frameset_ok = false;
            }
            Tag::Select => {
                if self.in_scope(Tag::Select) {
                    self.pop_until(Tag::Select);
                } else {
                    self.reconstruct_formatting();
                    self.insert(tag);
                    self.frameset_ok = false;
                }
            }
            Tag::Option | Tag::Optgroup => {
                if self.in_scope(Tag::Select) {
                    let except = (tag.tag == Tag::Option).then_some(Tag::Optgroup);
                    self.generate_implied_end_tags(except);
                } else if self.current() == Tag::Option {
                    self.pop();
                }
                self.reconstruct_formatting();
                self.insert(tag);
            }
            Tag::Rb | Tag::Rtc | Tag::Rp | Tag::Rt => {
                if self.in_scope(Tag::Ruby) {
                    let except = matches!(tag.tag, Tag::Rp | Tag::Rt).then_some(Tag::Rtc);
                    self.generate_implied_end_tags(except);
                }
                self.insert(tag);
            }
            Tag::Html => {
                if self.open_templates == 0 {
                    self.merge_attributes(0, tag);
                }
            }
            Tag::Body => self.second_body(tag),
            Tag::Frameset => self.frameset_in_body(tag),
            Tag::Caption
            | Tag::Col
            | Tag::Colgroup
            | Tag::Frame
            | Tag::Head
            | Tag::Tbody
            | Tag::Td
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Tr => {}
            _ => {
                self.reconstruct_formatting();
                self.insert(tag);
            }
        }
    }

    fn start_list_item(&mut self, tag: &StartTag) {
        self.frameset_ok = false;
        for i in (0..self.stack.len()).rev() {
            let open = self.stack[i].tag;
            let closes = match tag.tag {
                Tag::Li => open == Tag::Li,
                _ => matches!(open, Tag::Dd | Tag::Dt),
            };
            if closes {
                self.generate_implied_end_tags(Some(open));
                self.pop_until(open);
                break;
            }
            if open.is(flag::SPECIAL) && !matches!(open, Tag::Address | Tag::Div | Tag::P) {
                break;
            }
        }
        self.close_p();
        self.insert(tag);
    }

    fn merge_attributes(&mut self, node: NodeId, tag: &StartTag) {
        // A page that repeats its body thousands of times has no more to say about it.
        if tag.name_end < tag.end && self.merged.len() < 64 {
            self.merged.push((node, tag.start as u32, tag.end as u32));
        }
    }

    /// The `body` element, if it is the second on the stack, as it nearly always is.
    fn body(&self) -> Option<NodeId> {
        self.stack.get(1).filter(|open| open.tag == Tag::Body).map(|open| open.node)
    }

    fn second_body(&mut self, tag: &StartTag) {
        if let Some(body) = self.body()
            && self.open_templates == 0
        {
            self.frameset_ok = false;
            self.merge_attributes(body, tag);
        }
    }

    /// Frames replace a body in which nothing was written yet.
    fn frameset_in_body(&mut self, tag: &StartTag) {
        if !self.frameset_ok {
            return;
        }
        let Some(body) = self.body() else { return };
        self.detach(body);
        while self.stack.len() > 1 {
            self.pop();
        }
        self.insert(tag);
        self.mode = Mode::InFrameset;
    }

    fn end_in_body(&mut self, token: Token, end: EndTag) {
        let tag = end.tag;
        match tag {
            _ if tag.is(flag::BLOCK) => self.end_block(tag),
            Tag::Pre | Tag::Listing | Tag::Button | Tag::Select => self.end_block(tag),
            Tag::P => {
                if !self.p_in_button_scope() {
                    self.insert_implied(Tag::P);
                }
                self.close_p();
            }
            _ if tag.is(flag::FORMATTING) => {
                self.adoption_agency(tag, (end.start, end.name_end));
            }
            Tag::Li => {
                if self.in_list_scope(tag) {
                    self.generate_implied_end_tags(Some(tag));
                    self.pop_until(tag);
                }
            }
            Tag::Dd | Tag::Dt => {
                if self.in_scope(tag) {
                    self.generate_implied_end_tags(Some(tag));
                    self.pop_until(tag);
                }
            }
            _ if tag.is(flag::HEADING) => {
                if self.heading_in_scope() {
                    self.generate_implied_end_tags(None);
                    while self.pop().is_some_and(|open| !open.tag.is(flag::HEADING)) {}
                }
            }
            Tag::Body => {
                if self.in_scope(Tag::Body) {
                    self.mode = Mode::AfterBody;
                }
            }
            Tag::Html => {
                if self.in_scope(Tag::Body) {
                    self.mode = Mode::AfterBody;
                    self.process(token);
                }
            }
            Tag::Form => self.end_form(),
            Tag::Applet | Tag::Marquee | Tag::Object => {
                if self.in_scope(tag) {
                    self.end_block(tag);
                    self.formatting.clear_to_marker();
                }
            }
            Tag::Template => self.in_head(token),
            Tag::Br => {
                // `</br>` is a `<br>`.
                let (start, name_end) = (end.start, end.name_end);
                let (self_closing, hidden, href) = (false, false, false);
                let end = name_end;
                let tag = StartTag { tag, start, name_end, end, self_closing, hidden, href };
                self.start_in_body(Token::Start(tag), &tag);
            }
            _ => self.any_other_end_tag(tag, (end.start, end.name_end)),
        }
    }

    fn end_block(&mut self, tag: Tag) {
        if self.in_scope(tag) {
            self.generate_implied_end_tags(None);
            self.pop_until(tag);
        }
    }

    fn end_form(&mut self) {
        if self.open_templates > 0 {
            self.end_block(Tag::Form);
            return;
        }
        let form = std::mem::replace(&mut self.form, NONE);
        if form != NONE && self.node_in_scope(form) {
            self.generate_implied_end_tags(None);
            self.remove_from_stack(form);
        }
    }

    pub(crate) fn any_other_end_tag(&mut self, tag: Tag, name: (usize, usize)) {
        let name = &self.source.as_bytes()[name.0..name.1];
        for i in (0..self.stack.len()).rev() {
            let open = self.stack[i];
            let same = open.tag == tag
                && open.space == Space::Html
                && (tag != Tag::Other || self.is_named(open.node, name));
            if same {
                self.generate_implied_end_tags(Some(tag));
                while self.stack.len() > i {
                    self.pop();
                }
                return;
            }
            if open.tag.is(flag::SPECIAL) {
                return;
            }
        }
    }

    /// Does the element's start tag have this name? Compares, because a scan for the name's end would
    /// cost the whole of a name that may be as long as the page.
    pub(crate) fn is_named(&self, node: NodeId, name: &[u8]) -> bool {
        let node = &self.nodes[node as usize];
        let start_tag = &self.source.as_bytes()[node.start as usize..node.end as usize];
        start_tag.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
            && start_tag.get(name.len()).is_none_or(|byte| ends_name(*byte))
    }
}
