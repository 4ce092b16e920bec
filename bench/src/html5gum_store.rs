//! html5gum at its fastest: an emitter that stores all text and attributes in reused buffers.

use std::convert::Infallible;
use std::hint::black_box;

use html5gum::{Emitter, Error, State, Tokenizer, naive_next_state};

/// What a page leaves behind. The buffers keep their memory from page to page.
#[derive(Default)]
pub(crate) struct Store {
    text: Vec<u8>,
    attributes: Vec<u8>,
    /// The end of each attribute's name and value in `attributes`.
    ends: Vec<(usize, usize)>,
    comment: Vec<u8>,
    tag: Vec<u8>,
    last_start: Vec<u8>,
    end_tag: bool,
}

impl Store {
    /// Tokenizes a page and returns the bytes of its text.
    pub(crate) fn tokenize(&mut self, html: &str) -> usize {
        self.text.clear();
        self.attributes.clear();
        self.ends.clear();
        self.last_start.clear();
        match Tokenizer::new_with_emitter(html, &mut *self).finish() {
            Ok(()) => black_box(&*self).text.len(),
            Err(never) => match never {},
        }
    }

    fn start(&mut self, end_tag: bool) {
        self.tag.clear();
        self.end_tag = end_tag;
    }
}

impl Emitter for &mut Store {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(name.unwrap_or_default());
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        if self.end_tag {
            return None;
        }
        let store = &mut **self;
        store.last_start.clear();
        store.last_start.extend_from_slice(&store.tag);
        naive_next_state(&store.tag)
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.end_tag && !self.tag.is_empty() && self.tag == self.last_start
    }

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    #[inline]
    fn push_tag_name(&mut self, name: &[u8]) {
        self.tag.extend_from_slice(name);
    }

    fn init_attribute(&mut self) {
        let end = self.attributes.len();
        self.ends.push((end, end));
    }

    #[inline]
    fn push_attribute_name(&mut self, name: &[u8]) {
        self.attributes.extend_from_slice(name);
        let end = self.attributes.len();
        if let Some(last) = self.ends.last_mut() {
            *last = (end, end);
        }
    }

    #[inline]
    fn push_attribute_value(&mut self, value: &[u8]) {
        self.attributes.extend_from_slice(value);
        let end = self.attributes.len();
        if let Some(last) = self.ends.last_mut() {
            last.1 = end;
        }
    }

    fn init_start_tag(&mut self) {
        self.start(false);
    }

    fn init_end_tag(&mut self) {
        self.start(true);
    }

    fn init_comment(&mut self) {
        self.comment.clear();
    }

    #[inline]
    fn push_comment(&mut self, text: &[u8]) {
        self.comment.extend_from_slice(text);
    }

    fn emit_eof(&mut self) {}
    fn emit_error(&mut self, _: Error) {}
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }
    fn emit_current_comment(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_self_closing(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn init_doctype(&mut self) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
