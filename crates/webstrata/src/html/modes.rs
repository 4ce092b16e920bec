//! The insertion modes of the spec around the body: head, templates, frames, the end.

use super::builder::{Builder, Space};
use super::quirks;
use super::tag::{Tag, flag};
use super::tokenizer::{Content, EndTag, Text, Token, is_space};
use crate::tree::NONE;

/// The spec's insertion modes. "Text" and "in table text" are missing: with the whole page at hand,
/// a raw text element is inserted in one go, and a text between table tags is one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

impl Builder<'_> {
    #[inline]
    pub(crate) fn by_mode(&mut self, mode: Mode, token: Token) {
        match mode {
            Mode::InBody => self.in_body(token),
            Mode::InCell => self.in_cell(token),
            Mode::InRow => self.in_row(token),
            Mode::InTableBody => self.in_table_body(token),
            Mode::InTable => self.in_table(token),
            Mode::InCaption => self.in_caption(token),
            Mode::InColumnGroup => self.in_column_group(token),
            Mode::InTemplate => self.in_template(token),
            Mode::InHead => self.in_head(token),
            Mode::InHeadNoscript => self.in_head_noscript(token),
            Mode::Initial => self.initial(token),
            Mode::BeforeHtml => self.before_html(token),
            Mode::BeforeHead => self.before_head(token),
            Mode::AfterHead => self.after_head(token),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body(token),
            Mode::InFrameset => self.in_frameset(token),
            Mode::AfterFrameset | Mode::AfterAfterFrameset => self.after_frameset(token),
        }
    }

    /// Switches to a mode and processes the token there.
    pub(crate) fn reprocess(&mut self, mode: Mode, token: Token) {
        self.mode = mode;
        self.process(token);
    }

    /// For modes that treat whitespace apart: runs `white` on a text's leading whitespace and gives
    /// back what is left to process.
    pub(crate) fn after_whitespace(
        &mut self,
        token: Token,
        white: impl FnOnce(&mut Self, Text),
    ) -> Option<Token> {
        let Token::Text(text) = token else { return Some(token) };
        let (leading, rest) = self.split_whitespace(text);
        if leading.start < leading.end {
            white(self, leading);
        }
        (rest.start < rest.end).then_some(Token::Text(rest))
    }

    fn initial(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |_, _| {}) else { return };
        if let Token::Doctype { start, end } = token {
            self.quirks = quirks::is_quirky(&self.source[start..end]);
            self.mode = Mode::BeforeHtml;
        } else {
            self.quirks = true;
            self.reprocess(Mode::BeforeHtml, token);
        }
    }

    fn before_html(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |_, _| {}) else { return };
        match token {
            Token::Doctype { .. } => {}
            Token::Start(tag) if tag.tag == Tag::Html => {
                self.insert(&tag);
                self.mode = Mode::BeforeHead;
            }
            Token::End(EndTag { tag, .. })
                if !matches!(tag, Tag::Head | Tag::Body | Tag::Html | Tag::Br) => {}
            _ => {
                self.insert_implied(Tag::Html);
                self.reprocess(Mode::BeforeHead, token);
            }
        }
    }

    fn before_head(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |_, _| {}) else { return };
        match token {
            Token::Doctype { .. } => {}
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::Start(tag) if tag.tag == Tag::Head => {
                self.head = self.insert(&tag);
                self.mode = Mode::InHead;
            }
            Token::End(EndTag { tag, .. })
                if !matches!(tag, Tag::Head | Tag::Body | Tag::Html | Tag::Br) => {}
            _ => {
                self.head = self.insert_implied(Tag::Head);
                self.reprocess(Mode::InHead, token);
            }
        }
    }

    pub(crate) fn in_head(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |this, text| this.insert_text(text, ""))
        else {
            return;
        };
        match token {
            Token::Doctype { .. } => {}
            Token::Start(tag) => match tag.tag {
                Tag::Html => self.in_body(token),
                Tag::Base | Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta => {
                    self.insert_void(&tag);
                }
                Tag::Title => self.insert_raw_text(&tag, Content::Rcdata(Tag::Title)),
                Tag::Noframes | Tag::Style => {
                    self.insert_raw_text(&tag, Content::Rawtext(tag.tag));
                }
                Tag::Noscript => {
                    self.insert(&tag);
                    self.mode = Mode::InHeadNoscript;
                }
                Tag::Script => self.insert_raw_text(&tag, Content::Script),
                Tag::Template if !self.has_room_for_modes() => self.insert_flat(&tag),
                Tag::Template => {
                    self.templates = true;
                    self.formatting.push_marker();
                    self.frameset_ok = false;
                    self.mode = Mode::InTemplate;
                    self.template_modes.push(Mode::InTemplate);
                    self.insert(&tag);
                }
                Tag::Head => {}
                _ => self.leave_head(token),
            },
            Token::End(tag) => match tag.tag {
                Tag::Head => {
                    self.pop();
                    self.mode = Mode::AfterHead;
                }
                Tag::Body | Tag::Html | Tag::Br => self.leave_head(token),
                Tag::Template => self.end_template(),
                _ => {}
            },
            _ => self.leave_head(token),
        }
    }

    fn leave_head(&mut self, token: Token) {
        self.pop();
        self.reprocess(Mode::AfterHead, token);
    }

    pub(crate) fn end_template(&mut self) {
        if self.open_templates == 0 {
            return;
        }
        while self.current().is(flag::IMPLIED | flag::THOROUGH) {
            self.pop();
        }
        self.pop_until(Tag::Template);
        self.formatting.clear_to_marker();
        self.template_modes.pop();
        self.reset_mode();
    }

    fn in_head_noscript(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |this, text| this.insert_text(text, ""))
        else {
            return;
        };
        match token {
            Token::Doctype { .. } => {}
            Token::Start(tag) => match tag.tag {
                Tag::Html => self.in_body(token),
                Tag::Basefont
                | Tag::Bgsound
                | Tag::Link
                | Tag::Meta
                | Tag::Noframes
                | Tag::Style => {
                    self.in_head(token);
                }
                Tag::Head | Tag::Noscript => {}
                _ => self.leave_noscript(token),
            },
            Token::End(tag) if tag.tag == Tag::Noscript => {
                self.pop();
                self.mode = Mode::InHead;
            }
            Token::End(tag) if tag.tag != Tag::Br => {}
            _ => self.leave_noscript(token),
        }
    }

    fn leave_noscript(&mut self, token: Token) {
        self.pop();
        self.reprocess(Mode::InHead, token);
    }

    fn after_head(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |this, text| this.insert_text(text, ""))
        else {
            return;
        };
        match token {
            Token::Doctype { .. } => {}
            Token::Start(tag) => match tag.tag {
                Tag::Html => self.in_body(token),
                Tag::Body => {
                    self.insert(&tag);
                    self.frameset_ok = false;
                    self.mode = Mode::InBody;
                }
                Tag::Frameset => {
                    self.insert(&tag);
                    self.mode = Mode::InFrameset;
                }
                Tag::Base
                | Tag::Basefont
                | Tag::Bgsound
                | Tag::Link
                | Tag::Meta
                | Tag::Noframes
                | Tag::Script
                | Tag::Style
                | Tag::Template
                | Tag::Title => {
                    // Back into the head, which need not be the last element any more.
                    let head = self.head;
                    self.reordered |= self.nodes[0].last != head;
                    self.push(head, Tag::Head, Space::Html);
                    self.in_head(token);
                    self.remove_from_stack(head);
                }
                Tag::Head => {}
                _ => self.imply_body(token),
            },
            Token::End(tag) => match tag.tag {
                Tag::Template => self.in_head(token),
                Tag::Body | Tag::Html | Tag::Br => self.imply_body(token),
                _ => {}
            },
            _ => self.imply_body(token),
        }
    }

    fn imply_body(&mut self, token: Token) {
        self.insert_implied(Tag::Body);
        self.reprocess(Mode::InBody, token);
    }

    pub(crate) fn in_template(&mut self, token: Token) {
        let mode = match token {
            Token::Start(tag) => match tag.tag {
                Tag::Base
                | Tag::Basefont
                | Tag::Bgsound
                | Tag::Link
                | Tag::Meta
                | Tag::Noframes
                | Tag::Script
                | Tag::Style
                | Tag::Template
                | Tag::Title => return self.in_head(token),
                Tag::Caption | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead => {
                    Mode::InTable
                }
                Tag::Col => Mode::InColumnGroup,
                Tag::Tr => Mode::InTableBody,
                Tag::Td | Tag::Th => Mode::InRow,
                _ => Mode::InBody,
            },
            Token::End(EndTag { tag: Tag::Template, .. }) => return self.in_head(token),
            Token::End(_) | Token::Eof => return,
            _ => return self.in_body(token),
        };
        if let Some(top) = self.template_modes.last_mut() {
            *top = mode;
        }
        self.reprocess(mode, token);
    }

    fn after_body(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |this, text| {
            this.in_body(Token::Text(text));
        }) else {
            return;
        };
        match token {
            Token::Doctype { .. } | Token::Eof => {}
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::End(EndTag { tag: Tag::Html, .. }) if self.mode == Mode::AfterBody => {
                self.mode = Mode::AfterAfterBody;
            }
            _ => self.reprocess(Mode::InBody, token),
        }
    }

    fn in_frameset(&mut self, token: Token) {
        match token {
            Token::Text(text) => self.insert_only_whitespace(text),
            Token::Start(tag) => match tag.tag {
                Tag::Html => self.in_body(token),
                Tag::Frameset => {
                    self.insert(&tag);
                }
                Tag::Frame => {
                    self.insert_void(&tag);
                }
                Tag::Noframes => self.in_head(token),
                _ => {}
            },
            Token::End(EndTag { tag: Tag::Frameset, .. }) if self.stack.len() > 1 => {
                self.pop();
                if self.current() != Tag::Frameset {
                    self.mode = Mode::AfterFrameset;
                }
            }
            _ => {}
        }
    }

    fn after_frameset(&mut self, token: Token) {
        match token {
            Token::Text(text) => {
                let raw = &self.source.as_bytes()[text.start..text.end];
                if self.mode == Mode::AfterAfterFrameset && raw.iter().any(|byte| is_space(*byte)) {
                    // After the end of the page, whitespace follows the rules of the body.
                    self.reconstruct_formatting();
                }
                self.insert_only_whitespace(text);
            }
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::Start(tag) if tag.tag == Tag::Noframes => self.in_head(token),
            Token::End(EndTag { tag: Tag::Html, .. }) => self.mode = Mode::AfterAfterFrameset,
            _ => {}
        }
    }

    /// Around frames and columns, of a text only its whitespace counts.
    pub(crate) fn insert_only_whitespace(&mut self, mut text: Text) {
        while text.start < text.end {
            let (white, rest) = self.split_whitespace(text);
            if white.start < white.end {
                self.insert_text(white, "");
            }
            let raw = &self.source.as_bytes()[rest.start..rest.end];
            let visible = raw.iter().position(|byte| is_space(*byte)).unwrap_or(raw.len());
            text = Text { start: rest.start + visible, ..rest };
        }
    }

    pub(crate) fn reset_mode(&mut self) {
        for i in (0..self.stack.len()).rev() {
            self.mode = match self.stack[i].tag {
                Tag::Td | Tag::Th if i > 0 => Mode::InCell,
                Tag::Tr => Mode::InRow,
                Tag::Tbody | Tag::Thead | Tag::Tfoot => Mode::InTableBody,
                Tag::Caption => Mode::InCaption,
                Tag::Colgroup => Mode::InColumnGroup,
                Tag::Table => Mode::InTable,
                Tag::Template => self.template_modes.last().copied().unwrap_or(Mode::InBody),
                Tag::Head if i > 0 => Mode::InHead,
                Tag::Body => Mode::InBody,
                Tag::Frameset => Mode::InFrameset,
                Tag::Html if self.head == NONE => Mode::BeforeHead,
                Tag::Html => Mode::AfterHead,
                _ => continue,
            };
            return;
        }
        self.mode = Mode::InBody;
    }
}
