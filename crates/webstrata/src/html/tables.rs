//! The insertion modes of tables.

use super::builder::Builder;
use super::modes::Mode;
use super::tag::Tag;
use super::tokenizer::{EndTag, StartTag, Text, Token};
use crate::tree::NONE;

impl Builder<'_> {
    pub(crate) fn in_table(&mut self, token: Token) {
        match token {
            Token::Text(text) => self.text_in_table(text),
            Token::Doctype { .. } => {}
            Token::Start(tag) => self.start_in_table(token, &tag),
            Token::End(tag) => match tag.tag {
                Tag::Table => {
                    if self.in_table_scope(&[Tag::Table]) {
                        self.pop_until(Tag::Table);
                        self.reset_mode();
                    }
                }
                Tag::Body
                | Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr => {}
                Tag::Template => self.in_head(token),
                _ => self.foster_in_body(token),
            },
            Token::Eof | Token::Comment => self.in_body(token),
        }
    }

    /// Whitespace between table tags stays; any other text moves before the table.
    fn text_in_table(&mut self, text: Text) {
        let between = matches!(
            self.current(),
            Tag::Table | Tag::Tbody | Tag::Template | Tag::Tfoot | Tag::Thead | Tag::Tr
        );
        if between && self.is_whitespace(text) {
            self.insert_text(text, "");
        } else {
            self.foster_in_body(Token::Text(text));
        }
    }

    fn start_in_table(&mut self, token: Token, tag: &StartTag) {
        const TABLE_CONTEXT: &[Tag] = &[Tag::Table, Tag::Template, Tag::Html];
        match tag.tag {
            Tag::Caption => {
                self.clear_back_to(TABLE_CONTEXT);
                self.formatting.push_marker();
                self.insert(tag);
                self.mode = Mode::InCaption;
            }
            Tag::Colgroup => {
                self.clear_back_to(TABLE_CONTEXT);
                self.insert(tag);
                self.mode = Mode::InColumnGroup;
            }
            Tag::Col => {
                self.clear_back_to(TABLE_CONTEXT);
                self.insert_implied(Tag::Colgroup);
                self.reprocess(Mode::InColumnGroup, token);
            }
            Tag::Tbody | Tag::Tfoot | Tag::Thead => {
                self.clear_back_to(TABLE_CONTEXT);
                self.insert(tag);
                self.mode = Mode::InTableBody;
            }
            Tag::Td | Tag::Th | Tag::Tr => {
                self.clear_back_to(TABLE_CONTEXT);
                self.insert_implied(Tag::Tbody);
                self.reprocess(Mode::InTableBody, token);
            }
            Tag::Table => {
                if self.in_table_scope(&[Tag::Table]) {
                    self.pop_until(Tag::Table);
                    self.reset_mode();
                    self.process(token);
                }
            }
            Tag::Style | Tag::Script | Tag::Template => self.in_head(token),
            Tag::Input if self.attribute_is(tag, "type", "hidden") => {
                self.insert_void(tag);
            }
            Tag::Form => {
                if self.open_templates == 0 && self.form == NONE {
                    self.form = self.insert_void(tag);
                }
            }
            _ => self.foster_in_body(token),
        }
    }

    fn foster_in_body(&mut self, token: Token) {
        self.foster = true;
        self.in_body(token);
        self.foster = false;
    }

    pub(crate) fn in_caption(&mut self, token: Token) {
        let closes = match token {
            Token::Start(tag) => is_table_part(tag.tag),
            Token::End(tag) => matches!(tag.tag, Tag::Table | Tag::Caption),
            _ => false,
        };
        if closes {
            if !self.in_table_scope(&[Tag::Caption]) {
                return;
            }
            self.generate_implied_end_tags(None);
            self.pop_until(Tag::Caption);
            self.formatting.clear_to_marker();
            self.mode = Mode::InTable;
            if !matches!(token, Token::End(EndTag { tag: Tag::Caption, .. })) {
                self.process(token);
            }
            return;
        }
        match token {
            Token::End(EndTag {
                tag:
                    Tag::Body
                    | Tag::Col
                    | Tag::Colgroup
                    | Tag::Html
                    | Tag::Tbody
                    | Tag::Td
                    | Tag::Tfoot
                    | Tag::Th
                    | Tag::Thead
                    | Tag::Tr,
                ..
            }) => {}
            _ => self.in_body(token),
        }
    }

    pub(crate) fn in_column_group(&mut self, token: Token) {
        let Some(token) = self.after_whitespace(token, |this, text| this.insert_text(text, ""))
        else {
            return;
        };
        match token {
            Token::Doctype { .. } => {}
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::Start(tag) if tag.tag == Tag::Col => {
                self.insert_void(&tag);
            }
            Token::End(EndTag { tag: Tag::Colgroup, .. }) if self.current() == Tag::Colgroup => {
                self.pop();
                self.mode = Mode::InTable;
            }
            Token::End(EndTag { tag: Tag::Col | Tag::Colgroup, .. }) => {}
            Token::Start(StartTag { tag: Tag::Template, .. })
            | Token::End(EndTag { tag: Tag::Template, .. }) => self.in_head(token),
            Token::Eof => self.in_body(token),
            _ if self.current() == Tag::Colgroup => {
                self.pop();
                self.reprocess(Mode::InTable, token);
            }
            Token::Text(text) => self.insert_only_whitespace(text),
            _ => {}
        }
    }

    pub(crate) fn in_table_body(&mut self, token: Token) {
        const BODY_CONTEXT: &[Tag] =
            &[Tag::Tbody, Tag::Tfoot, Tag::Thead, Tag::Template, Tag::Html];
        match token {
            Token::Start(tag) if tag.tag == Tag::Tr => {
                self.clear_back_to(BODY_CONTEXT);
                self.insert(&tag);
                self.mode = Mode::InRow;
            }
            Token::Start(tag) if matches!(tag.tag, Tag::Td | Tag::Th) => {
                self.clear_back_to(BODY_CONTEXT);
                self.insert_implied(Tag::Tr);
                self.reprocess(Mode::InRow, token);
            }
            Token::End(EndTag { tag: tag @ (Tag::Tbody | Tag::Tfoot | Tag::Thead), .. }) => {
                if self.in_table_scope(&[tag]) {
                    self.clear_back_to(BODY_CONTEXT);
                    self.pop();
                    self.mode = Mode::InTable;
                }
            }
            Token::Start(StartTag {
                tag: Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead,
                ..
            })
            | Token::End(EndTag { tag: Tag::Table, .. }) => {
                if self.in_table_scope(&[Tag::Tbody, Tag::Thead, Tag::Tfoot]) {
                    self.clear_back_to(BODY_CONTEXT);
                    self.pop();
                    self.reprocess(Mode::InTable, token);
                }
            }
            Token::End(EndTag {
                tag:
                    Tag::Body
                    | Tag::Caption
                    | Tag::Col
                    | Tag::Colgroup
                    | Tag::Html
                    | Tag::Td
                    | Tag::Th
                    | Tag::Tr,
                ..
            }) => {}
            _ => self.in_table(token),
        }
    }

    pub(crate) fn in_row(&mut self, token: Token) {
        match token {
            Token::Start(tag) if matches!(tag.tag, Tag::Td | Tag::Th) => {
                self.clear_back_to(&[Tag::Tr, Tag::Template, Tag::Html]);
                self.insert(&tag);
                self.mode = Mode::InCell;
                self.formatting.push_marker();
            }
            Token::End(EndTag { tag: Tag::Tr, .. }) => {
                self.close_row();
            }
            Token::Start(StartTag {
                tag:
                    Tag::Caption
                    | Tag::Col
                    | Tag::Colgroup
                    | Tag::Tbody
                    | Tag::Tfoot
                    | Tag::Thead
                    | Tag::Tr,
                ..
            })
            | Token::End(EndTag { tag: Tag::Table, .. }) => {
                if self.close_row() {
                    self.process(token);
                }
            }
            Token::End(EndTag { tag: tag @ (Tag::Tbody | Tag::Tfoot | Tag::Thead), .. }) => {
                if self.in_table_scope(&[tag]) && self.close_row() {
                    self.process(token);
                }
            }
            Token::End(EndTag {
                tag:
                    Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html | Tag::Td | Tag::Th,
                ..
            }) => {}
            _ => self.in_table(token),
        }
    }

    fn close_row(&mut self) -> bool {
        if !self.in_table_scope(&[Tag::Tr]) {
            return false;
        }
        self.clear_back_to(&[Tag::Tr, Tag::Template, Tag::Html]);
        self.pop();
        self.mode = Mode::InTableBody;
        true
    }

    pub(crate) fn in_cell(&mut self, token: Token) {
        match token {
            Token::End(EndTag { tag: tag @ (Tag::Td | Tag::Th), .. }) => {
                if self.in_table_scope(&[tag]) {
                    self.generate_implied_end_tags(None);
                    self.pop_until(tag);
                    self.formatting.clear_to_marker();
                    self.mode = Mode::InRow;
                }
            }
            Token::Start(tag) if is_table_part(tag.tag) => {
                if self.in_table_scope(&[Tag::Td, Tag::Th]) {
                    self.close_cell();
                    self.process(token);
                }
            }
            Token::End(EndTag {
                tag: Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html,
                ..
            }) => {}
            Token::End(EndTag {
                tag: tag @ (Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr),
                ..
            }) => {
                if self.in_table_scope(&[tag]) {
                    self.close_cell();
                    self.process(token);
                }
            }
            _ => self.in_body(token),
        }
    }

    fn close_cell(&mut self) {
        self.generate_implied_end_tags(None);
        while self.pop().is_some_and(|open| !matches!(open.tag, Tag::Td | Tag::Th)) {}
        self.formatting.clear_to_marker();
        self.mode = Mode::InRow;
    }
}

/// The start tags that end a caption or a cell.
fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Caption
            | Tag::Col
            | Tag::Colgroup
            | Tag::Tbody
            | Tag::Td
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Tr
    )
}
