//! The one walk over the tree that all outputs are written by: elements become containers, runs of words, code,
//! formulas and images.

mod lists;

use lists::Numbers;

use super::code;
use super::elements::{gap_of, gap_of_container, is_block, is_drawn, is_inline, plain};
use super::images;
use super::kept::Texts;
use super::links::Links;
use super::math;
use super::selection::Selection;
use super::sink::{Around, Container, Gap, Picture, Sink, Style};
use crate::clock::{NODES_PER_CHECK, Steps};
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Stands for an image where the last character of a run is asked for.
const IMAGE: char = '\u{fffc}';

/// What has to be undone where an element ends.
#[derive(Clone, Copy)]
enum Undo {
    Nothing,
    /// A run ends.
    Boundary(Gap),
    Style(Style, bool),
    Link(u32),
    Container(Container<'static>),
    Heading(u8),
    List {
        ordered: bool,
    },
    /// An item that stands in no list: it has one of its own.
    LoneItem,
    Note,
    Cell(Container<'static>),
    Table,
}

struct Open {
    node: NodeId,
    undo: Undo,
    hides: bool,
}

/// Writes the selected nodes of a page.
pub(super) fn write<S: Sink>(
    selection: &Selection<'_, '_>,
    mut sink: S,
    with_title: bool,
) -> String {
    if let Some(title) = selection.title.as_deref().filter(|_| with_title) {
        sink.begin(Container::Heading(1));
        sink.text(title, false, Around { style: Style::default(), link: 0, inline: &[] });
        sink.boundary(Gap::Paragraph);
        sink.end(Container::Heading(1));
    }
    let mut walk = Walk {
        selection,
        tree: &selection.page.tree,
        texts: Texts::new(&selection.page.document),
        links: Links::of(selection.page),
        sink,
        style: Style::default(),
        link: 0,
        inline: Vec::new(),
        last: None,
        white: false,
        heading: 0,
        table: None,
        lists: Vec::new(),
        lone_item: None,
        flat_list: None,
        hiding: 0,
        skip_to: 0,
        next_kept: 0,
        next_post: 0,
        open: Vec::with_capacity(64),
        seen: images::Seen::default(),
    };
    walk.run();
    walk.sink.finish()
}

struct Walk<'s, 'p, 't, S> {
    selection: &'s Selection<'p, 't>,
    tree: &'p Tree<'t>,
    texts: Texts<'p>,
    links: Links<'p, 't>,
    sink: S,
    style: Style,
    /// The number of the link that is open, 0 for none.
    link: u32,
    /// The inline elements that are open.
    inline: Vec<(NodeId, Tag)>,
    /// The last character of the run, `None` where it begins and on a new line of it.
    last: Option<char>,
    /// Whitespace, or a text that was left out, stands before the next text.
    white: bool,
    /// The level of the heading that is open, 0 for none.
    heading: u8,
    /// The table with data that is open.
    table: Option<NodeId>,
    lists: Vec<Numbers>,
    /// The next item in no list, where it follows another one: both are items of one list.
    lone_item: Option<NodeId>,
    /// A list whose items stand for the item around it.
    flat_list: Option<NodeId>,
    /// How many of the open elements are hidden: images have no text that would tell.
    hiding: u32,
    /// Nodes before this one are written in another form, or never; their texts are only counted.
    skip_to: NodeId,
    /// The first selected node that was not passed yet.
    next_kept: NodeId,
    next_post: usize,
    open: Vec<Open>,
    seen: images::Seen,
}

impl<S: Sink> Walk<'_, '_, '_, S> {
    fn run(&mut self) {
        // Behind the last selected node nothing is written any more.
        let end = self.selection.kept.range.end;
        let (mut node, mut steps) = (0, Steps::default());
        while node < end {
            if steps.are_over(&self.selection.page.document.clock, NODES_PER_CHECK) {
                break;
            }
            let parent = self.tree.parent(node);
            while self.open.last().is_some_and(|open| Some(open.node) != parent) {
                self.leave();
            }
            node = match self.tree.tag(node) {
                Some(tag) => self.enter(node, tag),
                None => {
                    self.write_text(node);
                    node + 1
                }
            };
        }
        while !self.open.is_empty() {
            self.leave();
        }
        self.boundary(Gap::Line);
    }

    /// Enters an element and returns the node to go on with.
    fn enter(&mut self, node: NodeId, tag: Tag) -> NodeId {
        self.begin_posts(node);
        let mut undo = Undo::Nothing;
        if node >= self.skip_to {
            if self.passes_over(node, tag) {
                return self.tree.end_of(node);
            }
            if self.is_written_otherwise(node, tag) {
                self.skip_to = self.tree.end_of(node);
            } else {
                undo = self.begin(node, tag);
            }
        }
        if self.lone_item.take_if(|item| *item <= node).is_some() {
            // It turned out to be something else.
            self.end_lone_list();
        }
        let hides = tag != Tag::Body && self.tree.hides(node);
        self.hiding += u32::from(hides);
        self.open.push(Open { node, undo, hides });
        node + 1
    }

    /// An element of which nothing is selected ends the run before it, and that is all. Not so where elements
    /// count: the cells of a table, the items of a numbered list.
    fn passes_over(&mut self, node: NodeId, tag: Tag) -> bool {
        if !is_block(tag) || tag == Tag::Hr {
            return false;
        }
        if self.table.is_some() || self.heading > 0 {
            return false;
        }
        let is_numbered = self.lists.last().is_some_and(|list| list.ordered);
        if (tag == Tag::Li && is_numbered) || self.is_selected(node) {
            return false;
        }
        self.boundary(gap_of(tag));
        true
    }

    /// Is a selected node in this element? Elements are asked about in page order.
    fn is_selected(&mut self, node: NodeId) -> bool {
        self.next_kept = self.selection.kept.next(self.next_kept.max(node));
        self.next_kept < self.tree.end_of(node)
    }

    /// In a discussion, each post has a heading of its own.
    fn begin_posts(&mut self, node: NodeId) {
        let posts = &self.selection.discussion.heads;
        while let Some((first, heading)) =
            posts.get(self.next_post).filter(|(first, _)| *first <= node)
        {
            self.next_post += 1;
            if *first < node || self.table.is_some() || !self.is_selected(node) {
                continue;
            }
            self.boundary(Gap::Paragraph);
            if !S::HEADS_POSTS {
                continue;
            }
            self.sink.begin(Container::Heading(2));
            self.sink.text(
                heading,
                false,
                Around { style: Style::default(), link: 0, inline: &[] },
            );
            self.sink.boundary(Gap::Paragraph);
            self.sink.end(Container::Heading(2));
        }
    }

    fn leave(&mut self) {
        let Some(Open { node, undo, hides }) = self.open.pop() else { return };
        self.hiding -= u32::from(hides);
        match undo {
            Undo::Nothing => {}
            Undo::Style(style, pushed) => {
                self.style = style;
                if pushed {
                    self.inline.pop();
                }
            }
            Undo::Link(link) => self.link = link,
            Undo::Boundary(gap) => self.boundary(gap),
            Undo::Container(container) => {
                self.boundary(gap_of_container(container));
                self.sink.end(container);
            }
            Undo::Heading(level) => {
                self.boundary(Gap::Paragraph);
                if self.heading == level {
                    self.sink.end(Container::Heading(level));
                    self.heading = 0;
                }
            }
            Undo::List { ordered } => {
                self.boundary(Gap::Paragraph);
                self.lists.pop();
                self.sink.end(Container::List { ordered });
            }
            Undo::LoneItem => {
                self.boundary(Gap::Line);
                self.sink.end(Container::Item(None));
                self.lone_item = self.next_lone_item(node);
                if self.lone_item.is_none() {
                    self.end_lone_list();
                }
            }
            Undo::Note => {
                self.boundary(Gap::Line);
                self.sink.end(Container::Note(""));
            }
            Undo::Cell(cell) => {
                self.end_run();
                self.sink.end(cell);
            }
            Undo::Table => {
                self.end_run();
                self.sink.end(Container::Table);
                self.table = None;
            }
        }
    }

    /// What is written in another form, or never: formulas and what shows them once more, the numbers of lines of
    /// code, ways back from footnotes, permalinks.
    fn is_written_otherwise(&mut self, node: NodeId, tag: Tag) -> bool {
        match tag {
            Tag::Math => {
                if self.selection.kept.any(node, self.tree.end_of(node)) {
                    self.formula(&math::of_math(self.tree, node));
                }
                true
            }
            Tag::Script => {
                if self.selection.kept.has(node) {
                    self.formula(&math::of_script(self.tree, node));
                }
                true
            }
            _ if is_drawn(tag) => true,
            Tag::Dialog if self.tree.attribute(node, "open").is_none() => true,
            Tag::Img if self.selection.kept.has(node) && math::is_image(self.tree, node) => {
                self.formula(&math::of_image(self.tree, node));
                true
            }
            Tag::A if self.selection.footnotes.leads_back(node) || self.reference(node) => true,
            _ => {
                self.selection.kept.skips(node)
                    || self.selection.footnotes.leads_back(node)
                    || self.code(node, tag)
                    || code::is_gutter(self.tree, node, tag, false)
                    || (self.selection.kept.formulas && math::doubles(self.tree, node))
            }
        }
    }

    /// A code block, if the element is one. It is written as a whole.
    fn code(&mut self, node: NodeId, tag: Tag) -> bool {
        if self.table.is_some() || self.heading > 0 {
            return false;
        }
        let Some(root) = code::root(self.tree, node, tag) else { return false };
        self.boundary(Gap::Paragraph);
        if self.selection.kept.any(root, self.tree.end_of(root)) {
            self.sink.code(&code::code_of(self.tree, root));
        }
        true
    }

    /// A reference to a footnote, if the link is one.
    fn reference(&mut self, link: NodeId) -> bool {
        let Some(label) = self.selection.footnotes.reference(link) else { return false };
        // It stands right behind its word, but not where a line break became a space.
        self.sink.reference(label, self.last == Some('\n'));
        self.last = Some(']');
        self.white = false;
        true
    }

    fn formula(&mut self, formula: &math::Formula) {
        if formula.tex.is_empty() {
            return;
        }
        let glued = self.last.is_some_and(char::is_alphanumeric);
        let space = (self.white || glued) && self.last.is_some();
        let around = Around { style: self.style, link: self.link, inline: &self.inline };
        self.sink.formula(formula, space, around);
        self.last = Some('$');
        self.white = false;
    }

    fn begin(&mut self, node: NodeId, tag: Tag) -> Undo {
        use Tag::*;
        match tag {
            A => return self.begin_link(node),
            Img | Other => {
                self.image(node);
                return Undo::Nothing;
            }
            Br => {
                self.line_break();
                return Undo::Nothing;
            }
            Input => {
                self.check_box(node);
                return Undo::Nothing;
            }
            _ if is_inline(tag) => return self.begin_inline(node, tag),
            _ => {}
        }
        if !is_block(tag) {
            return Undo::Nothing;
        }
        if self.table.is_some() {
            return self.begin_in_table(node, tag);
        }
        if self.heading > 0 && matches!(tag, Div | Center | Hgroup | Header | Section | P) {
            // A heading is a line, whatever it is made of.
            self.white = true;
            return Undo::Nothing;
        }
        self.boundary(gap_of(tag));
        self.begin_block(node, tag)
    }

    fn begin_block(&mut self, node: NodeId, tag: Tag) -> Undo {
        use Tag::*;
        if self.heading > 0 {
            // What else stands in a heading ends it.
            self.sink.end(Container::Heading(self.heading));
            self.heading = 0;
        }
        if let Some(label) = self.selection.footnotes.label(node) {
            self.sink.begin(Container::Note(label));
            return Undo::Note;
        }
        let container = match tag {
            H1 | H2 | H3 | H4 | H5 | H6 => {
                self.heading = tag as u8 - H1 as u8 + 1;
                self.sink.begin(Container::Heading(self.heading));
                return Undo::Heading(self.heading);
            }
            Ul | Ol | Menu | Dir => return self.begin_list(node, tag == Ol),
            Li => return self.begin_item(node),
            Table => {
                if self.selection.tables.binary_search(&node).is_err() {
                    return Undo::Boundary(Gap::Paragraph);
                }
                self.table = Some(node);
                self.sink.begin(Container::Table);
                return Undo::Table;
            }
            Hr => {
                if self.selection.kept.has(node) {
                    self.sink.rule();
                }
                return Undo::Nothing;
            }
            Blockquote => Container::Quote,
            _ if self.selection.discussion.quotes.binary_search(&node).is_ok() => Container::Quote,
            Dl => Container::Definitions,
            Dt => Container::Term,
            Dd => Container::Definition,
            Figure => Container::Figure,
            Figcaption => Container::Caption,
            _ => return Undo::Boundary(gap_of(tag)),
        };
        self.sink.begin(container);
        Undo::Container(container)
    }

    /// In a table all of a cell is one line, tables inside it, too.
    fn begin_in_table(&mut self, node: NodeId, tag: Tag) -> Undo {
        let is_own = |node| {
            let mut around = self.tree.ancestors(node);
            around.find(|node| self.tree.tag(*node) == Some(Tag::Table)) == self.table
        };
        self.white = true;
        let container = match tag {
            Tag::Td | Tag::Th if is_own(node) => {
                let span = |name| self.number(node, name).unwrap_or(1).clamp(1, 65_534) as u32;
                let (columns, rows) = (span("colspan"), span("rowspan"));
                Container::Cell { head: tag == Tag::Th, columns, rows }
            }
            Tag::Tr if is_own(node) => Container::Row,
            Tag::Caption if is_own(node) => Container::TableCaption,
            _ => return Undo::Nothing,
        };
        self.end_run();
        self.sink.begin(container);
        Undo::Cell(container)
    }

    fn write_text(&mut self, node: NodeId) {
        let source = self.tree.text(node);
        let is_kept = self.selection.kept.has(node);
        let text = if is_kept { self.texts.next(node, source) } else { None };
        if node < self.skip_to {
            return;
        }
        let Some(text) = text else {
            // What is left out is a gap, whitespace or not.
            self.white |= !source.is_empty();
            return;
        };
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let glues = text.starts_atom && is_word(self.last) && is_word(text.text.chars().next());
        let starts_white = text.starts_atom && source.starts_with(char::is_whitespace);
        let space = text.space || self.white || glues || starts_white;
        let words = plain(text.text);
        if words.trim().is_empty() {
            // Nothing that is seen: no writer has to know of it, but for the space.
            self.white = space || !words.is_empty() || source.ends_with(char::is_whitespace);
            return;
        }
        // Behind a space may stand what is not seen.
        self.white = words.ends_with(' ') || source.ends_with(char::is_whitespace);
        let around = Around { style: self.style, link: self.link, inline: &self.inline };
        self.sink.text(&words, space && self.last.is_some(), around);
        self.last = words.chars().next_back().or(self.last);
    }

    fn begin_inline(&mut self, node: NodeId, tag: Tag) -> Undo {
        use Tag::*;
        let before = self.style;
        match tag {
            Em | I => self.style.emphasis = true,
            Strong | B => self.style.strong = true,
            S | Strike | Del => self.style.strike = true,
            Code | Tt | Kbd | Samp => self.style.code = true,
            _ => {}
        }
        // An element that the page left open is repeated in every block: once is enough.
        let is_new = !self.inline.iter().any(|(_, open)| *open == tag);
        if is_new {
            self.inline.push((node, tag));
        }
        Undo::Style(before, is_new)
    }

    fn begin_link(&mut self, node: NodeId) -> Undo {
        let before = self.link;
        // A link that somebody forgot to end goes on in the tree; for readers it ended.
        let carried = self.tree.nodes[node as usize].carried;
        self.link = 0;
        if self.selection.options.links && !carried {
            let href = self.tree.attribute(node, "href");
            if let Some(url) = href.and_then(|href| self.links.link(&href)) {
                self.link = self.sink.link(node, url);
            }
        }
        Undo::Link(before)
    }

    fn image(&mut self, node: NodeId) {
        if !self.selection.options.images || !self.selection.figures.has_image(node) {
            return;
        }
        let Some(image) = images::image_of(self.tree, node) else { return };
        let Some(url) = self.links.image(&image.source) else { return };
        if !self.seen.first(&url) {
            return;
        }
        let space = self.white || self.last.is_some_and(|c| !c.is_whitespace());
        let around = Around { style: self.style, link: self.link, inline: &self.inline };
        let picture = Picture { node, url: &url, alt: &image.alt };
        if self.sink.image(&picture, space && self.last.is_some(), around) {
            self.last = Some(IMAGE);
            // A word before and a word behind an image are two.
            self.white = true;
        }
    }

    /// A box that can be ticked, at the beginning of an item.
    fn check_box(&mut self, node: NodeId) {
        let in_item =
            self.open.iter().rev().take(4).any(|open| {
                matches!(open.undo, Undo::Container(Container::Item(_)) | Undo::LoneItem)
            });
        let is_box = |kind: std::borrow::Cow<'_, str>| kind.eq_ignore_ascii_case("checkbox");
        // Not all outputs have the images before it.
        let is_behind_words = self.last.is_some_and(|last| last != IMAGE);
        let is_line = self.table.is_some() || self.heading > 0;
        if is_behind_words || !in_item || self.hiding > 0 || is_line {
            return;
        }
        if self.tree.attribute(node, "type").is_some_and(is_box)
            && self.selection.kept.any(node, self.item_end())
        {
            self.sink.check_box(self.tree.attribute(node, "checked").is_some());
            self.last = Some(']');
            self.white = true;
        }
    }

    /// The node behind the innermost item that is open.
    fn item_end(&self) -> NodeId {
        let items = self.open.iter().rev();
        let mut items = items.filter(|open| self.tree.tag(open.node) == Some(Tag::Li));
        items.next().map_or(0, |open| self.tree.end_of(open.node))
    }

    fn line_break(&mut self) {
        if self.table.is_some() || self.heading > 0 {
            self.white = !self.sink.soft_break();
            self.last = self.last.filter(|_| self.white).map(|_| '\n');
        } else {
            self.sink.line_break();
            self.white = false;
            self.last = None;
        }
    }

    /// A run ends.
    fn boundary(&mut self, gap: Gap) {
        if self.table.is_some() {
            self.white = true;
        } else {
            self.sink.boundary(gap);
            self.end_run();
        }
    }

    fn end_run(&mut self) {
        self.white = false;
        self.last = None;
    }

    fn number(&self, node: NodeId, name: &str) -> Option<i64> {
        let value = self.tree.attribute(node, name)?;
        value.trim().parse().ok().filter(|number| (0..=999_999_999).contains(number))
    }
}
