//! A tree to a document: one walk in page order that cuts the text into atoms by a [`Cutting`] and
//! counts what is in them.

use crate::clock::{Deadline, NODES_PER_CHECK};
use crate::cutting::{Action, Cutting};
use crate::document::{Atom, Block, Document, Enclosing};
use crate::embedded;
use crate::glue::{Boundary, is_exact};
use crate::hiding::Hiding;
use crate::html::tag::Tag;
use crate::limits::{Limit, Room};
use crate::options::Hidden;
use crate::tree::{Node, NodeId, NodeKind, Tree};
use crate::whitespace::{run_end, whitespace_length};
use crate::words;
use crate::ziegler::Markup;

/// Columns at which text is wrapped for its density, if nobody says otherwise (w_max).
pub(crate) const DEFAULT_WIDTH: u32 = 80;

/// Bytes of one text between two looks at the clock.
const TEXT_PER_CHECK: usize = 1 << 16;

/// Children of a span that are looked at for text.
const MAX_SIDE_BY_SIDE: usize = 16;

/// Cuts the text of a tree's body into the atoms and blocks of `document`. Then the tree knows whether `<noscript>`
/// holds the page, so that what stands in it counts as shown, and of a text that was too long it has what there was room
/// for: outputs write what the tree has.
pub(crate) fn cut(
    tree: &mut Tree<'_>,
    cutting: Cutting,
    hidden: Hidden,
    width: u32,
    room: Room,
    document: &mut Document,
) {
    tree.shows_noscript = false;
    let deadline = document.clock.deadline();
    if cutting == Cutting::Embedded {
        return take_embedded(tree, width, room, document);
    }
    let is_body = |node: &NodeId| tree.tag(*node) == Some(Tag::Body);
    let Some(body) = tree.nodes().find(is_body) else { return };
    let cut = |attributes_hide, noscript_hides| {
        let mut cutter = Cutter {
            tree,
            cutting,
            hidden,
            attributes_hide,
            noscript_hides,
            width,
            room,
            deadline,
            text: String::with_capacity(tree.source.len() / 8),
            atoms: Vec::with_capacity(tree.nodes.len() / 8),
            shown: vec![0; tree.nodes.len().div_ceil(64)],
            open: Vec::with_capacity(64),
            atom: Unfinished::default(),
            space: false,
            anchors: 0,
            linked: false,
            tag_level: 0,
            hiding: 0,
            unseen: 0,
            skipped: 0,
            noscript: 0,
            noscript_end: 0,
            tags: 0,
            read_to: 0,
            records: cutting.records_markup(),
            markup: Markup::default(),
            recorded: Vec::new(),
            late: false,
            is_full: false,
            cut_at: None,
        };
        cutter.read_to = tree.nodes[body as usize].end;
        cutter.walk(body, tree.end_of(body));
        cutter
    };
    let holds_the_page = |all: &Cutter<'_, '_>, shown: &Cutter<'_, '_>| {
        shown_text(&all.atoms) >= 5 * shown_text(&shown.atoms).max(10)
    };
    let mut cutter = cut(true, true);
    if cutter.skipped > cutter.text.len() {
        // More is hidden than shown. Where that is nearly all of the running text, a script shows it
        // later, or the readers do, one tab after the other.
        let all = cut(false, true);
        if holds_the_page(&all, &cutter) {
            cutter = all;
        }
    }
    if cutter.noscript > cutter.text.len() / 2 {
        // Much is there for readers without scripts. Where that is nearly all of the running text, a
        // script builds the page for everybody else.
        let all = cut(cutter.attributes_hide, false);
        if holds_the_page(&all, &cutter) {
            cutter = all;
        }
    }
    if hidden == Hidden::Mark && cutting == Cutting::Strata {
        believe_or_not(&mut cutter.atoms);
    }
    if cutter.late {
        document.limits.add(Limit::Deadline);
    }
    if cutter.is_full {
        document.limits.add(Limit::Memory);
    }
    document.tags = cutter.tags;
    document.text = cutter.text;
    document.shown = cutter.shown;
    document.markup = cutter.recorded;
    document.atoms = cutter.atoms;
    make_blocks(document);
    let (shows_noscript, cut_at) = (!cutter.noscript_hides, cutter.cut_at);
    tree.shows_noscript = shows_noscript;
    if let Some((node, end)) = cut_at {
        tree.nodes[node as usize].end = end;
    }
}

/// Each atom is a block.
fn make_blocks(document: &mut Document) {
    let blocks = document.atoms.iter().enumerate();
    document.blocks = blocks.map(|(i, atom)| Block::of_atom(i as u32, atom)).collect();
}

/// Makes atoms of the texts in the page's data.
fn take_embedded(tree: &Tree<'_>, width: u32, room: Room, document: &mut Document) {
    document.shown = vec![0; tree.nodes.len().div_ceil(64)];
    for (node, text) in embedded::texts(tree, &document.clock, room.for_data()) {
        if room.is_full(document.atoms.len(), document.text.len()) {
            document.limits.add(Limit::Memory);
            break;
        }
        let start = document.text.len() as u32;
        for (index, word) in text.split_whitespace().enumerate() {
            if index > 0 {
                document.text.push(' ');
            }
            document.text.push_str(word);
        }
        let span = start..document.text.len() as u32;
        let rule = Cutting::Embedded.word_rule();
        let own = &document.text[span.start as usize..];
        let counts = words::count(own, &[], false, rule, width);
        document.atoms.push(Atom { text: span, counts, nodes: node..node + 1, ..Atom::default() });
    }
    make_blocks(document);
}

/// Where nearly all running text is marked as hidden, a script shows it later: none of it is hidden.
fn believe_or_not(atoms: &mut [Atom]) {
    let (hidden, shown): (Vec<&Atom>, Vec<&Atom>) = atoms.iter().partition(|atom| atom.hidden);
    if long_text(hidden) >= 5 * long_text(shown).max(10) {
        for atom in atoms {
            (atom.hidden, atom.openable) = (false, false);
        }
    }
}

fn shown_text(atoms: &[Atom]) -> u32 {
    long_text(atoms.iter().filter(|atom| !atom.hidden))
}

/// Words in blocks that look like sentences by Algorithm 2: long, and not mostly links.
fn long_text<'a>(atoms: impl IntoIterator<Item = &'a Atom>) -> u32 {
    let counts = atoms.into_iter().map(|atom| atom.counts);
    let long = counts.filter(|counts| counts.words > 15 && counts.link_density() <= 0.333333);
    long.map(|counts| counts.words).sum()
}

struct Cutter<'a, 't> {
    tree: &'a Tree<'t>,
    cutting: Cutting,
    hidden: Hidden,
    /// Do attributes such as `hidden` count? Tags such as `template` always do.
    attributes_hide: bool,
    noscript_hides: bool,
    width: u32,
    room: Room,
    deadline: Deadline,
    text: String,
    atoms: Vec<Atom>,
    shown: Vec<u64>,
    /// The elements around the current node.
    open: Vec<OpenElement>,
    atom: Unfinished,
    /// Whitespace was met since the last character of the atom.
    space: bool,
    /// How many links are open, and whether the atom's text began inside one.
    anchors: u32,
    linked: bool,
    tag_level: u16,
    /// How many of the open elements are hidden, and how many of these nobody can open.
    hiding: u32,
    unseen: u32,
    /// Bytes of text that were dropped because an attribute hides it.
    skipped: usize,
    /// Bytes of text in `noscript`, and the node behind the last one that was counted.
    noscript: usize,
    noscript_end: NodeId,
    tags: u32,
    /// Where the page has been looked through for comments.
    read_to: u32,
    /// Are the removed elements counted?
    records: bool,
    /// Those met since the last atom ended, and those of each finished atom.
    markup: Markup,
    recorded: Vec<Markup>,
    late: bool,
    /// There are as many atoms as may be.
    is_full: bool,
    /// The text in which that was, and where.
    cut_at: Option<(NodeId, u32)>,
}

#[derive(Clone, Copy)]
struct OpenElement {
    node: NodeId,
    tag: Tag,
    action: Action,
    hides: bool,
    /// It is hidden, and nobody can open it.
    unseen: bool,
    /// It is a link that leads somewhere.
    href: bool,
    enclosing: u16,
}

/// The atom that is being written.
#[derive(Default)]
struct Unfinished {
    start: usize,
    /// Offsets from `start` at which a link begins or ends.
    links: Vec<u32>,
    first_node: NodeId,
    last_node: NodeId,
    tag_level: u16,
    enclosing: u16,
    tags_before: u32,
    /// How many elements were open around the last text, and how few were since.
    depth: usize,
    shallowest: usize,
    /// An element ended since whose text joins what is around it.
    exact: bool,
}

impl Cutter<'_, '_> {
    fn walk(&mut self, start: NodeId, end: NodeId) {
        let nodes = &self.tree.nodes;
        let comments = self.cutting.comments_separate();
        let mut until_check = NODES_PER_CHECK;
        let mut at = start;
        while at < end && !self.late && !self.is_full {
            let node = &nodes[at as usize];
            while self.open.last().is_some_and(|open| open.node != node.parent) {
                self.leave();
            }
            if comments && self.comment_before(node) {
                self.end_atom();
            }
            at = match node.kind {
                NodeKind::Text => {
                    self.characters(at, node);
                    at + 1
                }
                NodeKind::Element | NodeKind::HiddenElement => self.enter(at, node),
            };
            until_check -= 1;
            if until_check == 0 {
                until_check = NODES_PER_CHECK;
                self.late = self.deadline.passed();
            }
        }
        while !self.open.is_empty() {
            self.leave();
        }
        self.end_atom();
    }

    /// Does a comment stand between the node and the one before it? The tree has no comments: they
    /// are looked for in what the page has between its nodes, each stretch of it once.
    fn comment_before(&mut self, node: &Node) -> bool {
        let source = self.tree.source.as_bytes();
        if node.start == node.end || node.end as usize > source.len() {
            // An implied element, or a text that was decoded: it does not say where it stood.
            return false;
        }
        let from = self.read_to;
        self.read_to = from.max(node.end);
        let between = source.get(from as usize..node.start as usize).unwrap_or_default();
        memchr::memmem::find(between, b"<!--").is_some()
    }

    /// Enters an element and returns the node to go on with.
    #[inline]
    fn enter(&mut self, id: NodeId, node: &Node) -> NodeId {
        let mut action = self.cutting.action(node.tag);
        if action == Action::Anchor && node.carried && self.text.len() == self.atom.start {
            // A link that somebody forgot to end goes on in the tree, block after block, until the
            // next one begins. For readers it ended with its block.
            action = Action::Inline;
        }
        let shows_noscript = node.tag == Tag::Noscript && !self.noscript_hides;
        if node.tag == Tag::Noscript && id >= self.noscript_end {
            self.noscript_end = self.tree.end_of(id);
            self.noscript += self.text_length(id, self.noscript_end);
        }
        if shows_noscript {
            action = Action::Separate;
        }
        // Pages hide their body until a script has run; that hides nothing from anybody.
        let by_attribute = node.kind == NodeKind::HiddenElement;
        let hides = self.hidden != Hidden::Keep
            && node.tag != Tag::Body
            && self.tree.hides(id)
            && !shows_noscript
            && (self.attributes_hide || !by_attribute);
        self.tags += u32::from(node.start != node.end);
        match action {
            Action::Separate | Action::Ignore => self.end_atom(),
            Action::InlineSpace => self.space = true,
            Action::Inline | Action::Anchor => {}
        }
        if action == Action::Ignore || (hides && self.hidden == Hidden::Drop) {
            let end = self.tree.end_of(id);
            if by_attribute {
                self.skipped += self.text_length(id, end);
            }
            return end;
        }
        if node.first == crate::tree::NONE {
            self.record(node);
            return id + 1;
        }
        let mut unseen = false;
        if hides {
            self.end_atom();
            self.hiding += 1;
            unseen = self.tree.hiding(id) == Some(Hiding::Unseen);
            self.unseen += u32::from(unseen);
        }
        self.record(node);
        if node.tag == Tag::Table && self.anchors > 0 && !self.open.iter().any(|open| open.href) {
            // Nor is a table, or what stands behind it, in an `<a name>` that was never ended.
            self.anchors = 0;
            self.linked = false;
        }
        if action == Action::Anchor {
            self.anchors += 1;
            if self.anchors == 1 {
                self.toggle_link();
            }
        }
        self.tag_level += u16::from(matches!(action, Action::Separate | Action::Anchor));
        let around = self.open.last().map_or(0, |open| open.enclosing);
        let enclosing = around | enclosing_bit(node.tag);
        let (tag, href) = (node.tag, action == Action::Anchor && node.href);
        self.open.push(OpenElement { node: id, tag, action, hides, unseen, href, enclosing });
        id + 1
    }

    /// Counts an element for the atom that it stands in; one that the tree repeats was written once.
    #[inline]
    fn record(&mut self, node: &Node) {
        if self.records && !node.carried {
            self.markup.add(node.tag);
        }
    }

    /// Bytes of text among these nodes.
    fn text_length(&self, start: NodeId, end: NodeId) -> usize {
        let nodes = &self.tree.nodes[start as usize..end as usize];
        let texts = nodes.iter().filter(|node| node.kind == NodeKind::Text);
        texts.map(|text| (text.end - text.start) as usize).sum()
    }

    #[inline]
    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.atom.shallowest = self.atom.shallowest.min(self.open.len());
        self.atom.exact |= is_exact(open.tag);
        self.tags += u32::from(open.tag != Tag::Body);
        match open.action {
            Action::Separate => self.end_atom(),
            Action::InlineSpace => self.space = true,
            Action::Anchor if self.anchors > 0 => {
                self.anchors -= 1;
                if self.anchors == 0 {
                    self.toggle_link();
                }
            }
            Action::Inline | Action::Anchor | Action::Ignore => {}
        }
        self.tag_level -= u16::from(matches!(open.action, Action::Separate | Action::Anchor));
        if open.hides {
            self.end_atom();
            self.hiding -= 1;
            self.unseen -= u32::from(open.unseen);
        }
    }

    fn toggle_link(&mut self) {
        let offset = (self.text.len() - self.atom.start) as u32;
        if offset == 0 {
            self.linked = self.anchors > 0;
            return;
        }
        self.atom.links.push(offset);
    }

    /// Appends a text, runs of whitespace collapsed to one space.
    #[inline]
    fn characters(&mut self, id: NodeId, node: &Node) {
        let text = self.tree.span(node.start, node.end);
        if text.len() <= TEXT_PER_CHECK {
            self.append(id, text);
            // One atom may have any number of short texts.
            self.is_full |= self.room.is_full(self.atoms.len(), self.text.len());
            return;
        }
        let mut rest = text;
        while !rest.is_empty() && !self.late && !self.is_full {
            let mut end = rest.len().min(TEXT_PER_CHECK);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, after) = rest.split_at(end);
            self.append(id, piece);
            rest = after;
            self.late = self.deadline.passed();
            self.is_full |= self.room.is_full(self.atoms.len(), self.text.len());
        }
        if self.is_full {
            self.cut_at = Some((id, node.end - rest.len() as u32));
        }
    }

    #[inline]
    fn append(&mut self, id: NodeId, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let white = whitespace_length(bytes, at);
            self.space |= white > 0;
            at += white;
            if at == bytes.len() {
                return;
            }
            let end = run_end(bytes, at);
            self.begin(id, &text[at..]);
            self.text.push_str(&text[at..end]);
            at = end;
        }
    }

    /// Before characters are appended: begins an atom, or writes the space between two runs.
    #[inline]
    fn begin(&mut self, id: NodeId, text: &str) {
        if self.text.len() == self.atom.start {
            let atom = &mut self.atom;
            atom.first_node = id;
            atom.tag_level = self.tag_level;
            atom.enclosing = self.open.last().map_or(0, |open| open.enclosing);
            atom.tags_before = self.tags;
            self.linked = self.anchors > 0;
        } else if self.space || self.joins_words(id, text) {
            self.text.push(' ');
        }
        self.space = false;
        self.atom.last_node = id;
        self.atom.depth = self.open.len();
        self.atom.shallowest = self.open.len();
        self.atom.exact = false;
        self.shown[id as usize / 64] |= 1 << (id % 64);
    }

    /// Would `one<a>two` become `onetwo`? Links are words apart even where a page writes no space. The
    /// learned extractor looks closer.
    #[inline]
    fn joins_words(&self, id: NodeId, text: &str) -> bool {
        let offset = self.text.len() - self.atom.start;
        let at_link = || self.atom.links.last().is_some_and(|link| *link as usize == offset);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 128;
        let is_strata = self.cutting == Cutting::Strata;
        (is_strata || at_link())
            && text.as_bytes().first().is_some_and(is_word)
            && self
                .text
                .as_bytes()
                .last()
                .is_some_and(|byte| is_word(byte) || (is_strata && b".!?:%)".contains(byte)))
            && (!is_strata || (id != self.atom.last_node && self.is_apart(text, at_link())))
    }

    fn is_apart(&self, text: &str, linked: bool) -> bool {
        let Unfinished { depth, shallowest, exact, start, last_node, .. } = self.atom;
        let (around, opened) = self.open.split_at(shallowest.min(self.open.len()));
        let boundary = Boundary {
            left: &self.text[start..],
            right: text,
            left_node: self.tree.text(last_node),
            closed: depth > shallowest,
            opened: !opened.is_empty(),
            linked,
            parent: self.around_spans(around),
        };
        !exact && boundary.is_apart() && !self.open.iter().any(|open| is_exact(open.tag))
    }

    /// The innermost of the open elements. A span that holds nothing but elements is none: it only puts them
    /// side by side.
    fn around_spans(&self, around: &[OpenElement]) -> Option<Tag> {
        let has_text = |node: NodeId| {
            let mut children = self.tree.children(node).take(MAX_SIDE_BY_SIDE);
            children.any(|child| {
                self.tree.tag(child).is_none() && !self.tree.text(child).trim().is_empty()
            })
        };
        let innermost = around.last()?.tag;
        let is_group = |open: &&OpenElement| open.tag == Tag::Span && !has_text(open.node);
        let outer = around.iter().rev().take(3).find(|open| !is_group(open));
        Some(outer.map_or(innermost, |open| open.tag))
    }

    fn end_atom(&mut self) {
        let (start, end) = (self.atom.start, self.text.len());
        self.space = false;
        let markup = std::mem::take(&mut self.markup);
        if start == end {
            return;
        }
        if self.records {
            self.recorded.push(markup);
        }
        let rule = self.cutting.word_rule();
        let text = &self.text[start..end];
        let (counts, late) = words::count_until(
            text,
            &self.atom.links,
            self.linked,
            rule,
            self.width,
            self.deadline,
        );
        self.late |= late;
        self.atoms.push(Atom {
            text: start as u32..end as u32,
            counts,
            nodes: self.atom.first_node..self.atom.last_node + 1,
            tag_level: self.atom.tag_level,
            enclosing: Enclosing(self.atom.enclosing),
            hidden: self.hiding > 0,
            openable: self.hiding > 0 && self.unseen == 0,
            tags_before: self.atom.tags_before,
        });
        self.is_full = self.room.is_full(self.atoms.len(), end);
        self.atom.start = end;
        self.atom.links.clear();
        self.linked = self.anchors > 0;
    }
}

fn enclosing_bit(tag: Tag) -> u16 {
    let bit = match tag {
        Tag::H1 => 0,
        Tag::H2 => 1,
        Tag::H3 => 2,
        Tag::H4 => 3,
        Tag::H5 => 4,
        Tag::H6 => 5,
        Tag::P => 6,
        Tag::Div => 7,
        Tag::A => 8,
        Tag::Li => 9,
        _ => return 0,
    };
    1 << bit
}
