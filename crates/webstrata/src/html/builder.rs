//! Tree construction: the loop over the tokens, and where nodes are inserted.

use std::borrow::Cow;

use super::formatting::Formatting;
use super::modes::Mode;
use super::noted::Noted;
use super::tag::Tag;
use super::tokenizer::{
    AttributeSpan, Attributes, Content, StartTag, Text, Token, Tokenizer, is_space,
};
use crate::clock::Deadline;
use crate::limits::{Limit, Limits, LimitsHit};
use crate::tree::{NONE, Node, NodeId, NodeKind, Tree};

/// What a raw text element (`script`, `title`, …) that never ends does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swallowing {
    /// It holds the rest of the page, as in browsers.
    Allowed,
    /// It is empty: the second reading of a page of which nothing was left.
    Refused,
}

/// Positions are 32 bits: room for a page and, behind it, for its decoded texts.
const MAX_LENGTH: usize = u32::MAX as usize / 2;
/// Bytes of one text between two looks at the clock.
const TEXT_PER_CHECK: usize = 1 << 16;
/// Tokens between two looks at the clock.
const TOKENS_PER_CHECK: u32 = 256;

pub(crate) fn parse<'a>(
    source: Cow<'a, str>,
    limits: &Limits,
    deadline: Deadline,
    swallowing: Swallowing,
) -> Tree<'a> {
    // Positions are 32 bits; decoding has already cut the page to `limits.bytes`.
    let mut hit = LimitsHit::default();
    let mut end = source.len().min(MAX_LENGTH);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    if end < source.len() {
        hit.add(Limit::Bytes);
    }
    let mut builder = Builder::new(&source[..end], limits, deadline, swallowing);
    builder.limits = hit;
    builder.run();
    let Builder { mut nodes, decoded, mut merged, limits, reordered, tokens, .. } = builder;
    let templates = builder.templates;
    let swallowed = tokens.met_unclosed_raw_text();
    let noted = tokens.noted;
    if reordered {
        (nodes, merged) = in_page_order(&nodes, &merged);
    }
    let source = match source {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    };
    let shows_noscript = false;
    Tree { source, decoded, nodes, merged, noted, limits, swallowed, templates, shows_noscript }
}

/// An element that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) node: NodeId,
    pub(crate) tag: Tag,
    pub(crate) space: Space,
}

/// The language that an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Html,
    Svg,
    Math,
}

pub(crate) struct Builder<'a> {
    pub(crate) source: &'a str,
    pub(crate) tokens: Tokenizer<'a>,
    deadline: Deadline,
    pub(crate) nodes: Vec<Node>,
    decoded: String,
    pub(crate) merged: Vec<(NodeId, u32, u32)>,
    pub(crate) stack: Vec<Open>,
    pub(crate) formatting: Formatting,
    pub(crate) mode: Mode,
    pub(crate) template_modes: Vec<Mode>,
    pub(crate) head: NodeId,
    pub(crate) form: NodeId,
    pub(crate) frameset_ok: bool,
    pub(crate) quirks: bool,
    /// Insert before the table what does not belong into it.
    pub(crate) foster: bool,
    pub(crate) skip_newline: bool,
    /// How many `p` and `template` elements are open: mostly none, which saves walks of the stack.
    pub(crate) open_p: u32,
    pub(crate) open_templates: u32,
    /// The page has any.
    pub(crate) templates: bool,
    /// Elements that were not opened because the stack is full.
    pub(crate) overflow: u32,
    pub(crate) max_depth: usize,
    max_nodes: usize,
    /// What is hit where there are more.
    node_limit: Limit,
    most_decoded: usize,
    pub(crate) limits: LimitsHit,
    /// Some node was inserted elsewhere than at the end of the page.
    pub(crate) reordered: bool,
    swallowing: Swallowing,
    /// Raw text elements that nothing further down closes.
    unclosable: Vec<Tag>,
}

/// Where a node goes.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Into(NodeId),
    Before(NodeId),
}

impl<'a> Builder<'a> {
    fn new(
        source: &'a str,
        limits: &Limits,
        deadline: Deadline,
        swallowing: Swallowing,
    ) -> Builder<'a> {
        let (max_nodes, node_limit) = match limits.nodes_that_fit() {
            fitting if fitting < limits.nodes => (fitting, Limit::Memory),
            _ => (limits.nodes, Limit::Nodes),
        };
        let max_nodes = max_nodes.max(8);
        Builder {
            source,
            tokens: Tokenizer::new(
                source.as_bytes(),
                Noted::with_room(limits.attributes_that_fit()),
                deadline,
            ),
            deadline,
            // A node per 32 bytes is typical; the vector grows where a page has more.
            nodes: Vec::with_capacity((source.len() / 32 + 16).min(max_nodes)),
            decoded: String::new(),
            merged: Vec::new(),
            stack: Vec::with_capacity(64),
            formatting: Formatting::new(source.len()),
            mode: Mode::Initial,
            template_modes: Vec::new(),
            head: NONE,
            form: NONE,
            frameset_ok: true,
            quirks: false,
            foster: false,
            skip_newline: false,
            open_p: 0,
            open_templates: 0,
            templates: false,
            overflow: 0,
            // The depth of a text is 16 bits.
            max_depth: limits.depth.clamp(8, 60_000),
            max_nodes,
            node_limit,
            most_decoded: limits.unescaped_that_fit(),
            limits: LimitsHit::default(),
            reordered: false,
            swallowing,
            unclosable: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut until_check = TOKENS_PER_CHECK;
        loop {
            let token = self.tokens.next(self.in_foreign());
            match token {
                Token::Eof => break,
                Token::Comment => self.skip_newline = false,
                _ => self.dispatch(token),
            }
            until_check -= 1;
            if until_check == 0 {
                until_check = TOKENS_PER_CHECK;
                if self.nodes.len() >= self.max_nodes {
                    self.limits.add(self.node_limit);
                    break;
                }
                if self.decoded.len() > self.most_decoded {
                    self.limits.add(Limit::Memory);
                    break;
                }
                if self.deadline.passed() {
                    self.limits.add(Limit::Deadline);
                    break;
                }
            }
        }
        if self.tokens.is_late() {
            self.limits.add(Limit::Deadline);
        }
        // The end of the page closes every template, then does what it does in the mode below.
        while self.open_templates > 0 {
            self.end_template();
        }
        self.dispatch(Token::Eof);
    }

    /// Processes a token by the rules of the current insertion mode, or of foreign content.
    #[inline]
    pub(crate) fn dispatch(&mut self, mut token: Token) {
        let skip_newline = std::mem::take(&mut self.skip_newline);
        match &mut token {
            Token::Text(text) if skip_newline => {
                self.skip_first_newline(text);
                if text.start == text.end {
                    return;
                }
            }
            Token::End(_) if self.overflow > 0 => {
                // The end of an element that was too deep to be opened.
                self.overflow -= 1;
                return;
            }
            _ => {}
        }
        self.process(token);
    }

    #[inline]
    pub(crate) fn process(&mut self, token: Token) {
        if self.in_foreign() && self.by_foreign_rules(&token) {
            self.foreign(token);
        } else {
            self.by_mode(self.mode, token);
        }
    }

    #[inline]
    pub(crate) fn in_foreign(&self) -> bool {
        self.stack.last().is_some_and(|open| open.space != Space::Html)
    }

    /// The appropriate place for inserting a node, with `target` instead of the current element.
    pub(crate) fn place_for(&mut self, target: NodeId) -> Place {
        let tag = self.nodes[target as usize].tag;
        if !self.foster
            || !matches!(tag, Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr)
        {
            return Place::Into(target);
        }
        self.reordered = true;
        for (i, open) in self.stack.iter().enumerate().rev() {
            if open.tag == Tag::Template {
                return Place::Into(open.node);
            }
            if open.tag == Tag::Table {
                return match self.nodes[open.node as usize].parent {
                    NONE => Place::Into(self.stack[i.saturating_sub(1)].node),
                    _ => Place::Before(open.node),
                };
            }
        }
        Place::Into(self.stack[0].node)
    }

    #[inline]
    fn place(&mut self) -> Place {
        match self.stack.last() {
            Some(open) if !self.foster => Place::Into(open.node),
            Some(open) => self.place_for(open.node),
            None => Place::Into(NONE),
        }
    }

    #[inline]
    pub(crate) fn create(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    #[inline]
    pub(crate) fn attach(&mut self, node: NodeId, place: Place) {
        match place {
            Place::Into(NONE) => {}
            Place::Into(parent) => {
                let last = std::mem::replace(&mut self.nodes[parent as usize].last, node);
                if last == NONE {
                    self.nodes[parent as usize].first = node;
                } else {
                    self.nodes[last as usize].next = node;
                }
                let child = &mut self.nodes[node as usize];
                (child.parent, child.previous, child.next) = (parent, last, NONE);
            }
            Place::Before(sibling) => {
                self.reordered = true;
                let Node { parent, previous, .. } = self.nodes[sibling as usize];
                self.nodes[sibling as usize].previous = node;
                if previous == NONE {
                    self.nodes[parent as usize].first = node;
                } else {
                    self.nodes[previous as usize].next = node;
                }
                let child = &mut self.nodes[node as usize];
                (child.parent, child.previous, child.next) = (parent, previous, sibling);
            }
        }
    }

    pub(crate) fn detach(&mut self, node: NodeId) {
        self.reordered = true;
        let Node { parent, previous, next, .. } = self.nodes[node as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.nodes[parent as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
        let child = &mut self.nodes[node as usize];
        (child.parent, child.previous, child.next) = (NONE, NONE, NONE);
    }

    pub(crate) fn move_children(&mut self, from: NodeId, to: NodeId) {
        let mut child = self.nodes[from as usize].first;
        let last = self.nodes[from as usize].last;
        (self.nodes[from as usize].first, self.nodes[from as usize].last) = (NONE, NONE);
        if child == NONE {
            return;
        }
        // `to` is new and has no children.
        (self.nodes[to as usize].first, self.nodes[to as usize].last) = (child, last);
        while child != NONE {
            self.nodes[child as usize].parent = to;
            child = self.nodes[child as usize].next;
        }
    }

    #[inline]
    fn element_node(tag: &StartTag) -> Node {
        let kind = if tag.hidden { NodeKind::HiddenElement } else { NodeKind::Element };
        Node { href: tag.href, ..Node::new(kind, tag.tag, tag.start as u32, tag.end as u32) }
    }

    /// Inserts an element and opens it.
    #[inline]
    pub(crate) fn insert(&mut self, tag: &StartTag) -> NodeId {
        let place = self.place();
        let node = self.create(Builder::element_node(tag));
        self.attach(node, place);
        if !self.push(node, tag.tag, Space::Html) {
            self.overflow += 1;
        }
        node
    }

    /// Inserts an element that nests too deep to be opened: what is inside it goes into its parent.
    pub(crate) fn insert_flat(&mut self, tag: &StartTag) {
        self.insert_void(tag);
        self.limits.add(Limit::Depth);
        self.overflow += 1;
    }

    /// Inserts an element that has no content.
    #[inline]
    pub(crate) fn insert_void(&mut self, tag: &StartTag) -> NodeId {
        let place = self.place();
        let node = self.create(Builder::element_node(tag));
        self.attach(node, place);
        node
    }

    /// Inserts an element that the page implies without writing it.
    pub(crate) fn insert_implied(&mut self, tag: Tag) -> NodeId {
        let place = self.place();
        let node = self.create(Node::new(NodeKind::Element, tag, 0, 0));
        self.attach(node, place);
        self.push(node, tag, Space::Html);
        node
    }

    /// Inserts an element whose text is not markup, its text, and takes its end tag.
    pub(crate) fn insert_raw_text(&mut self, tag: &StartTag, content: Content) {
        let node = self.insert_void(tag);
        if self.swallowing == Swallowing::Refused && !self.will_close(tag.tag) {
            return;
        }
        self.tokens.set_content(content);
        if let Token::Text(mut text) = self.tokens.next(false) {
            if tag.tag == Tag::Textarea {
                self.skip_first_newline(&mut text);
            }
            let (start, end) = self.text_span(text, "\u{fffd}");
            if start < end {
                let child = self.create(Node::new(NodeKind::Text, Tag::Other, start, end));
                self.attach(child, Place::Into(node));
            }
            // Its end tag; or the end of the page, which the caller will meet again.
            self.tokens.next(false);
        }
    }

    fn will_close(&mut self, tag: Tag) -> bool {
        if self.unclosable.contains(&tag) {
            return false;
        }
        let closes = self.tokens.will_close(tag);
        if !closes {
            self.unclosable.push(tag);
        }
        closes
    }

    #[inline]
    pub(crate) fn insert_text(&mut self, text: Text, null: &str) {
        let (start, end) = self.text_span(text, null);
        if start == end {
            return;
        }
        let place = self.place();
        let node = self.create(Node::new(NodeKind::Text, Tag::Other, start, end));
        self.attach(node, place);
    }

    /// The text's span; where it holds character references or NULs, of a decoded copy.
    #[inline]
    fn text_span(&mut self, text: Text, null: &str) -> (u32, u32) {
        if !text.references && !text.nulls {
            return (text.start as u32, text.end as u32);
        }
        let start = self.decoded.len();
        let mut from = text.start;
        while from < text.end {
            // Pieces end before a `&`, where no character reference is cut.
            let least = (from + TEXT_PER_CHECK).min(text.end);
            let more = memchr::memchr(b'&', &self.source.as_bytes()[least..text.end]);
            let end = more.map_or(text.end, |offset| least + offset);
            self.decode(from, end, text.references, null);
            from = end;
            if self.source.len() + self.decoded.len() > u32::MAX as usize - 16 * TEXT_PER_CHECK {
                self.limits.add(Limit::Bytes);
                break;
            }
            if from < text.end && self.decoded.len() > self.most_decoded {
                self.limits.add(Limit::Memory);
                break;
            }
            if from < text.end && self.deadline.passed() {
                self.limits.add(Limit::Deadline);
                break;
            }
        }
        let base = self.source.len();
        ((base + start) as u32, (base + self.decoded.len()) as u32)
    }

    /// Appends a piece of the page to the decoded texts. A NUL ends a character reference, so it is
    /// replaced after decoding, not before.
    fn decode(&mut self, start: usize, end: usize, references: bool, null: &str) {
        for (i, part) in self.source[start..end].split('\0').enumerate() {
            if i > 0 {
                self.decoded.push_str(null);
            }
            if references {
                self.decoded.push_str(&htmlize::unescape(part));
            } else {
                self.decoded.push_str(part);
            }
        }
    }

    /// A newline right after `<pre>` or `<textarea>` is not part of the text.
    pub(crate) fn skip_first_newline(&self, text: &mut Text) {
        let raw = &self.source.as_bytes()[text.start..text.end];
        text.start += if raw.starts_with(b"\r\n") {
            2
        } else {
            usize::from(raw.first().is_some_and(|b| matches!(b, b'\n' | b'\r')))
        };
    }

    /// Splits a text into its leading whitespace and the rest.
    pub(crate) fn split_whitespace(&self, text: Text) -> (Text, Text) {
        let raw = &self.source.as_bytes()[text.start..text.end];
        let length = raw.iter().position(|byte| !is_space(*byte)).unwrap_or(raw.len());
        let middle = text.start + length;
        let white = Text { end: middle, references: false, nulls: false, ..text };
        (white, Text { start: middle, ..text })
    }

    pub(crate) fn is_whitespace(&self, text: Text) -> bool {
        let raw = &self.source.as_bytes()[text.start..text.end];
        // NULs are dropped wherever this is asked.
        raw.iter().all(|byte| is_space(*byte) || *byte == 0)
    }

    pub(crate) fn attribute_is(&self, tag: &StartTag, name: &str, value: &str) -> bool {
        self.attributes(tag).any(|attribute| {
            self.source[attribute.name.0..attribute.name.1].eq_ignore_ascii_case(name)
                && self.source[attribute.value.0..attribute.value.1].eq_ignore_ascii_case(value)
        })
    }

    pub(crate) fn attributes(&self, tag: &StartTag) -> impl Iterator<Item = AttributeSpan> + '_ {
        Attributes::of_tag(self.source.as_bytes(), tag.name_end, tag.end)
    }
}

/// The nodes renumbered to page order, without those that were detached.
fn in_page_order(
    nodes: &[Node],
    merged: &[(NodeId, u32, u32)],
) -> (Vec<Node>, Vec<(NodeId, u32, u32)>) {
    let mut order = Vec::with_capacity(nodes.len());
    let mut number = vec![NONE; nodes.len()];
    let mut at = if nodes.is_empty() { NONE } else { 0 };
    while at != NONE {
        number[at as usize] = order.len() as NodeId;
        order.push(at);
        let node = &nodes[at as usize];
        at = node.first;
        if at == NONE {
            // Up to the nearest ancestor that has a next sibling.
            let mut up = node;
            while up.next == NONE && up.parent != NONE {
                up = &nodes[up.parent as usize];
            }
            at = up.next;
        }
    }
    let renumber = |id: NodeId| if id == NONE { NONE } else { number[id as usize] };
    let renumbered = order.iter().map(|id| {
        let node = nodes[*id as usize];
        Node {
            parent: renumber(node.parent),
            previous: renumber(node.previous),
            next: renumber(node.next),
            first: renumber(node.first),
            last: renumber(node.last),
            ..node
        }
    });
    let nodes = renumbered.collect();
    let merged = merged.iter().map(|(id, start, end)| (renumber(*id), *start, *end));
    (nodes, merged.filter(|(id, _, _)| *id != NONE).collect())
}
