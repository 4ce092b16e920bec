//! A page's elements and texts as a browser would nest them: an arena of nodes in page order.
//!
//! Nodes hold positions, not strings: a text is a span of the page (or of a side buffer, where
//! character references had to be decoded), an element is the span of its start tag. Where the attributes
//! stand that are often asked for is noted; others are parsed on demand. A node's index is its place in page order, so a run of
//! the page is a range of indices.
//!
//! ```
//! use webstrata::{Limits, Tag, Tree};
//!
//! let tree = Tree::parse("<p class=lead>Rain &amp; wind<p>Sun", &Limits::default());
//! let lead = tree.nodes().find(|node| tree.tag(*node) == Some(Tag::P)).unwrap();
//! assert_eq!(tree.attribute(lead, "class").as_deref(), Some("lead"));
//! assert_eq!(tree.text_content(lead), "Rain & wind");
//! assert_eq!(tree.path(lead), "html/body/p");
//! ```

use std::borrow::Cow;
use std::collections::HashSet;

use crate::clock::Deadline;
use crate::html::builder;
use crate::html::noted::{Noted, NotedAttribute, NotedName};
use crate::html::tag::Tag;
use crate::html::tokenizer::{AttributeSpan, Attributes};
use crate::limits::{Limit, Limits, LimitsHit};

/// The index of a node; smaller ones come first in the page.
pub type NodeId = u32;

/// How many names a path has, and a selector, at most: a page that nests deeper than this would have
/// paths longer than its texts.
pub const PATH: usize = 48;

/// Bytes of a start tag that are searched for names.
const LONGEST_TAG: usize = 16 << 10;

/// No node: the parent of the root, the sibling of a last child.
pub(crate) const NONE: NodeId = u32::MAX;

/// A page's elements and texts.
pub struct Tree<'a> {
    /// The page as characters.
    pub(crate) source: Cow<'a, str>,
    /// Texts that are not spans of the page: those with decoded character references. Addressed
    /// as if they followed the source.
    pub(crate) decoded: String,
    pub(crate) nodes: Vec<Node>,
    /// Start tags of a second `html` or `body`: their attributes count if the first has no such.
    pub(crate) merged: Vec<(NodeId, u32, u32)>,
    /// The attributes that are asked for most.
    pub(crate) noted: Noted,
    pub(crate) limits: LimitsHit,
    /// A `script`, `title`, … that never ends has swallowed the rest of the page.
    pub(crate) swallowed: bool,
    /// There are `template` elements.
    pub(crate) templates: bool,
    /// What stands in `noscript` is the page, see [`crate::blocks::cut`].
    pub(crate) shows_noscript: bool,
}

/// 32 bytes a node: links as indices, text and tags as positions in the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    pub(crate) previous: NodeId,
    pub(crate) next: NodeId,
    pub(crate) first: NodeId,
    pub(crate) last: NodeId,
    /// Text: its span. Element: from the start tag's name to before its `>`; empty if implied.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) tag: Tag,
    pub(crate) kind: NodeKind,
    /// The element has a `href`.
    pub(crate) href: bool,
    /// A formatting element that the page left open and that was carried on into a further block.
    pub(crate) carried: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum NodeKind {
    Text,
    Element,
    /// An element whose attributes say that it is not shown.
    HiddenElement,
}

impl Node {
    pub(crate) fn new(kind: NodeKind, tag: Tag, start: u32, end: u32) -> Node {
        let (parent, previous, next) = (NONE, NONE, NONE);
        let (first, last, href, carried) = (NONE, NONE, false, false);
        Node { parent, previous, next, first, last, start, end, tag, kind, href, carried }
    }
}

/// An attribute of an element, character references decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The name as written; compare it without regard to case.
    pub name: &'a str,
    /// The value; empty if there is none.
    pub value: Cow<'a, str>,
}

impl<'a> Tree<'a> {
    /// Parses a page that is already text. Never fails; what a limit cut off is in
    /// [`Tree::limits`].
    pub fn parse(page: impl Into<Cow<'a, str>>, limits: &Limits) -> Tree<'a> {
        let mut page = page.into();
        let mut hit = LimitsHit::default();
        if page.len() > limits.bytes {
            let mut end = limits.bytes;
            while !page.is_char_boundary(end) {
                end -= 1;
            }
            page = match page {
                Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
                Cow::Owned(text) => Cow::Owned(text[..end].to_owned()),
            };
            hit.add(Limit::Bytes);
        }
        let deadline = Deadline::start(limits);
        let mut tree = builder::parse(page, limits, deadline, builder::Swallowing::Allowed);
        tree.limits |= hit;
        tree
    }

    /// The page as characters; the rest is gone.
    pub(crate) fn into_source(self) -> Cow<'a, str> {
        self.source
    }

    /// Bytes that are held beside the nodes and what the caller has.
    pub(crate) fn held(&self) -> usize {
        let source = match &self.source {
            Cow::Borrowed(_) => 0,
            Cow::Owned(text) => text.len(),
        };
        source + self.decoded.len() + self.noted.held()
    }

    /// The limits that the page ran into.
    pub fn limits(&self) -> LimitsHit {
        self.limits
    }

    /// All nodes in page order; the first is the root element.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        0..self.nodes.len() as NodeId
    }

    /// The parent element.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].parent)
    }

    /// The children in page order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(some(self.nodes[node as usize].first), |child| {
            some(self.nodes[*child as usize].next)
        })
    }

    /// The sibling behind a node.
    pub(crate) fn next(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].next)
    }

    /// The node and its ancestors, innermost first.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |node| self.parent(*node))
    }

    /// The node and everything below it are the nodes from `node` to before this one.
    pub fn end_of(&self, node: NodeId) -> NodeId {
        self.ancestors(node)
            .find_map(|ancestor| some(self.nodes[ancestor as usize].next))
            .unwrap_or(self.nodes.len() as NodeId)
    }

    /// The element's tag; `None` for a text.
    pub fn tag(&self, node: NodeId) -> Option<Tag> {
        let node = &self.nodes[node as usize];
        (node.kind != NodeKind::Text).then_some(node.tag)
    }

    /// The element's name in lowercase, also where no [`Tag`] stands for it; `None` for a text.
    pub fn name(&self, node: NodeId) -> Option<Cow<'_, str>> {
        self.name_within(node, usize::MAX)
    }

    /// The same, at most so many bytes of it.
    fn name_within(&self, node: NodeId, longest: usize) -> Option<Cow<'_, str>> {
        let tag = self.tag(node)?;
        let node = &self.nodes[node as usize];
        if node.start == node.end {
            return Some(tag.name().into());
        }
        let start_tag = beginning(&self.source[node.start as usize..node.end as usize], longest);
        let written = &start_tag[..name_length(start_tag.as_bytes())];
        if tag == Tag::Img {
            // The spec turns `image` into `img`.
            return Some("img".into());
        }
        if written.bytes().all(|byte| !byte.is_ascii_uppercase() && byte != 0) {
            return Some(written.into());
        }
        Some(written.to_ascii_lowercase().replace('\0', "\u{fffd}").into())
    }

    /// The page as characters: decoded, and as far as [`Limits::bytes`] let it be read.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text of a text node, character references decoded, whitespace as in the page; empty for
    /// an element.
    pub fn text(&self, node: NodeId) -> &str {
        let node = &self.nodes[node as usize];
        if node.kind == NodeKind::Text { self.span(node.start, node.end) } else { "" }
    }

    /// All text inside a node.
    pub fn text_content(&self, node: NodeId) -> String {
        (node..self.end_of(node)).map(|node| self.text(node)).collect()
    }

    /// The attributes of an element, each name once.
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = Attribute<'_>> {
        let own = self.start_tags(node).flat_map(|(start, end)| self.attributes_of_tag(start, end));
        let mut seen = HashSet::new();
        own.filter_map(move |span| {
            let name = &self.source[span.name.0..span.name.1];
            if !seen.insert(name.to_ascii_lowercase()) {
                return None;
            }
            Some(Attribute { name, value: self.attribute_value(span) })
        })
    }

    /// The attributes of an element as the page writes them: names and values, references not decoded,
    /// a name as often as it is there.
    pub(crate) fn raw_attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let text = |(start, end): (usize, usize)| &self.source[start..end];
        self.attribute_spans(node).map(move |span| (text(span.name), text(span.value)))
    }

    /// The same as spans of the page, for those who need few of them.
    pub(crate) fn attribute_spans(&self, node: NodeId) -> impl Iterator<Item = AttributeSpan> {
        // Not flattened as a whole: this is asked for every element, and few have a second start tag.
        let mut tags = self.start_tags(node);
        let first = tags.next().map(|(start, end)| self.attributes_of_tag(start, end));
        let others = tags.flat_map(|(start, end)| self.attributes_of_tag(start, end));
        first.unwrap_or_default().chain(others)
    }

    /// The value of an attribute.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<Cow<'_, str>> {
        let [value] = self.attributes_named(node, [name]);
        value
    }

    /// The values of several attributes, from one pass over the start tag.
    pub(crate) fn attributes_named<const N: usize>(
        &self,
        node: NodeId,
        names: [&str; N],
    ) -> [Option<Cow<'_, str>>; N] {
        let mut values = [const { None }; N];
        let mut missing = N;
        // Too short for a name, a space and an attribute: asked in vain.
        let own = &self.nodes[node as usize];
        if own.end - own.start < 3 && self.merged.is_empty() {
            return values;
        }
        let source = self.source.as_bytes();
        if let Some(noted) = self.noted_attributes(node) {
            let mut wanted = [None; N];
            wanted
                .iter_mut()
                .zip(names)
                .for_each(|(wanted, name)| *wanted = NotedName::of(name.as_bytes()));
            if wanted.iter().all(Option::is_some) {
                for own in noted {
                    let Some(at) = wanted.iter().position(|name| *name == Some(own.name)) else {
                        continue;
                    };
                    if values[at].is_none() {
                        values[at] = Some(self.decoded_value(own.start as usize, own.end as usize));
                    }
                }
                return values;
            }
        }
        // Two loops, not one over all that is flattened: this is asked for every link.
        for (start, end) in self.start_tags(node) {
            let mut attributes = self.attributes_of_tag(start, end);
            while let Some(span) = attributes.read_next() {
                let written = &source[span.name.0..span.name.1];
                let is_it = |name: &&str| written.eq_ignore_ascii_case(name.as_bytes());
                let Some(at) = names.iter().position(is_it) else { continue };
                if values[at].is_none() {
                    values[at] = Some(self.attribute_value(span));
                    missing -= 1;
                }
                if missing == 0 {
                    return values;
                }
            }
        }
        values
    }

    /// The names of the node's ancestors and its own from the root down: `html/body/div/p`. A text
    /// node has the path of its element. Of elements nested deeper than [`PATH`], the outermost are
    /// left out: `…/div/p`.
    pub fn path(&self, node: NodeId) -> String {
        let mut names: Vec<_> =
            self.ancestors(node).filter_map(|node| self.short_name(node)).take(PATH + 1).collect();
        if names.len() > PATH {
            names[PATH] = "…".into();
        }
        names.reverse();
        names.join("/")
    }

    /// Is this element shown, as far as its own tag and attributes say?
    pub fn hides(&self, node: NodeId) -> bool {
        let node = &self.nodes[node as usize];
        node.kind == NodeKind::HiddenElement
            || matches!(node.tag, Tag::Template | Tag::Iframe | Tag::Noframes | Tag::Title)
            || (node.tag == Tag::Noscript && !self.shows_noscript)
    }

    /// The element's name, cut off where no element of any standard has one so long.
    pub(crate) fn short_name(&self, node: NodeId) -> Option<Cow<'_, str>> {
        // A character has four bytes at most.
        let name = self.name_within(node, 4 * 65)?;
        match name.char_indices().nth(64) {
            Some((end, _)) => Some(Cow::Owned(format!("{}…", &name[..end]))),
            None => Some(name),
        }
    }

    /// The start tag as written, from its name on, to be searched for names; empty for a text and an implied element. Of
    /// a tag that is longer than any that people write, the beginning: it is searched again and again, for each text in it.
    pub(crate) fn start_tag(&self, node: NodeId) -> &str {
        let node = &self.nodes[node as usize];
        if node.kind == NodeKind::Text {
            return "";
        }
        beginning(&self.source[node.start as usize..node.end as usize], LONGEST_TAG)
    }

    #[inline]
    pub(crate) fn span(&self, start: u32, end: u32) -> &str {
        let (start, end) = (start as usize, end as usize);
        let source = self.source.len();
        if start >= source && start != end {
            &self.decoded[start - source..end - source]
        } else {
            &self.source[start..end]
        }
    }

    /// The start tags that an element has its attributes from.
    fn start_tags(&self, node: NodeId) -> impl Iterator<Item = (u32, u32)> + '_ {
        let own = &self.nodes[node as usize];
        let may_merge = matches!(own.tag, Tag::Html | Tag::Body);
        let own =
            (own.kind != NodeKind::Text && own.start != own.end).then_some((own.start, own.end));
        let merged = if may_merge { self.merged.as_slice() } else { &[] };
        let merged = merged.iter().filter(move |(to, _, _)| *to == node);
        own.into_iter().chain(merged.map(|(_, start, end)| (*start, *end)))
    }

    /// The attributes of an element's own start tag as the page has them, character references and all.
    pub(crate) fn written_attributes(&self, node: NodeId) -> impl Iterator<Item = (&[u8], &[u8])> {
        let source = self.source.as_bytes();
        let Node { start, end, .. } = self.nodes[node as usize];
        self.attributes_of_tag(start, end)
            .map(|span| (&source[span.name.0..span.name.1], &source[span.value.0..span.value.1]))
    }

    /// The attributes of a start tag.
    #[inline]
    pub(crate) fn attributes_of_tag(&self, start: u32, end: u32) -> Attributes<'_> {
        let start_tag = &self.source.as_bytes()[start as usize..end as usize];
        let name_end = start as usize + name_length(start_tag);
        Attributes::of_tag(self.source.as_bytes(), name_end, end as usize)
    }

    /// The attributes of an element that were noted, their values as written; `None` where they were not, or where it
    /// has some from elsewhere.
    #[inline]
    pub(crate) fn noted_attributes(&self, node: NodeId) -> Option<&[NotedAttribute]> {
        let Node { start, end, tag, kind, .. } = self.nodes[node as usize];
        if kind == NodeKind::Text || start == end {
            return None;
        }
        let may_merge = matches!(tag, Tag::Html | Tag::Body) && !self.merged.is_empty();
        if may_merge { None } else { self.noted.of_tag(start, end) }
    }

    /// The value of such an attribute as it is written.
    #[inline]
    pub(crate) fn written(&self, noted: &NotedAttribute) -> &str {
        &self.source[noted.start as usize..noted.end as usize]
    }

    fn attribute_value(&self, span: AttributeSpan) -> Cow<'_, str> {
        self.decoded_value(span.value.0, span.value.1)
    }

    fn decoded_value(&self, start: usize, end: usize) -> Cow<'_, str> {
        let value = &self.source[start..end];
        if memchr::memchr2(b'&', b'\0', value.as_bytes()).is_none() {
            return value.into();
        }
        if value.contains('\0') {
            let parts: Vec<_> = value.split('\0').map(htmlize::unescape_attribute).collect();
            return parts.join("\u{fffd}").into();
        }
        htmlize::unescape_attribute(value)
    }
}

fn some(node: NodeId) -> Option<NodeId> {
    (node != NONE).then_some(node)
}

/// A text, at most so many bytes of it.
pub(crate) fn beginning(text: &str, longest: usize) -> &str {
    if text.len() <= longest {
        return text;
    }
    let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// What ends the name of an element.
const ENDS_NAME: [bool; 256] = crate::bytes::set(b" \n\t\r\x0c/>");

fn name_length(start_tag: &[u8]) -> usize {
    let ends = |byte: &u8| ENDS_NAME[usize::from(*byte)];
    start_tag.iter().position(ends).unwrap_or(start_tag.len())
}
