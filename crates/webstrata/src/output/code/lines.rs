//! The characters of a code block, as `innerText` has them.
//!
//! One thing differs: a line break that ends a block (`<div>a<br></div>`) does not begin another line.
//! `innerText` counts it twice; what readers see, and what highlighters mean, is one line.

use super::gutter::{self, is_code_cell, is_control};
use super::language::language_of_block;
use super::{Code, classes, is_line_class};
use crate::html::tag::{Tag, flag};
use crate::tree::{NodeId, Tree};

/// The code in a `pre`, `listing`, `xmp`, `plaintext`, or in what [`super::code_block_root`] found.
pub(crate) fn code_of(tree: &Tree<'_>, block: NodeId) -> Code {
    let mut reader = Reader::new(tree, block);
    reader.read(block);
    Code { text: trimmed(reader.text), language: language_of_block(tree, block) }
}

/// Without the empty lines at both ends. The indentation of the first line is part of it.
fn trimmed(mut text: String) -> String {
    let end = text.trim_end().len();
    let end = memchr::memchr(b'\n', &text.as_bytes()[end..]).map_or(text.len(), |at| end + at);
    text.truncate(end);
    let first = text.len() - text.trim_start().len();
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    text.drain(..start);
    if first == text.len() + start { String::new() } else { text }
}

/// How an element stands in the lines of the code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Inline,
    /// Begins a line and ends one.
    Block,
    /// A block with an empty line around it.
    Paragraph,
    /// One line of code in a block of its own, also if it is empty.
    LineBlock,
    /// One line of code, to which the page may or may not have written a line break.
    Line,
    Cell,
}

struct Open {
    node: NodeId,
    shape: Shape,
    /// The length of the text where it began.
    start: usize,
    /// Its cells so far.
    cells: u32,
    /// Whitespace in it is as the page has it.
    is_pre: bool,
}

struct Reader<'p, 't> {
    tree: &'p Tree<'t>,
    text: String,
    open: Vec<Open>,
    /// Line breaks that must stand before the next text: one behind a block, two behind a paragraph.
    need: usize,
    /// Such breaks that were written, and where the text ended behind them.
    met: (usize, usize),
    /// A line has ended; whatever comes next is on another line.
    ended: bool,
    /// It was a block. A line break behind it is not its own, as it may be behind a line of words.
    ended_block: bool,
    /// Lines are the `code` elements in the block, or the children of this element.
    lines_in: Option<NodeId>,
    /// The children of this element are lines, each with its number.
    numbered: Option<NodeId>,
    /// A text that is no number: nothing around it is a gutter.
    no_number: NodeId,
    /// An editor's lines, where spaces are written as characters that do not collapse.
    is_editor: bool,
}

impl<'p, 't> Reader<'p, 't> {
    fn new(tree: &'p Tree<'t>, block: NodeId) -> Reader<'p, 't> {
        let is_pre = tree.tag(block).is_some_and(is_preformatted);
        Reader {
            tree,
            text: String::new(),
            open: vec![Open { node: block, shape: Shape::Inline, start: 0, cells: 0, is_pre }],
            need: 0,
            met: (0, 0),
            ended: false,
            ended_block: false,
            lines_in: lines_in(tree, block),
            numbered: gutter::numbered_lines(tree, block),
            no_number: block,
            is_editor: !is_pre,
        }
    }

    fn read(&mut self, block: NodeId) {
        let tree = self.tree;
        let end = tree.end_of(block);
        let mut node = block + 1;
        while node < end {
            let parent = tree.parent(node);
            while self.open.len() > 1 && self.open.last().map(|open| open.node) != parent {
                self.leave();
            }
            node = match tree.tag(node) {
                None => {
                    self.write(node);
                    node + 1
                }
                Some(Tag::Br) => {
                    self.line_break();
                    node + 1
                }
                Some(tag) if self.is_left_out(node, tag) => tree.end_of(node),
                Some(tag) => {
                    self.enter(node, tag);
                    node + 1
                }
            };
        }
        while self.open.len() > 1 {
            self.leave();
        }
    }

    fn is_left_out(&mut self, node: NodeId, tag: Tag) -> bool {
        let is_number =
            || self.numbered.is_some_and(|lines| gutter::is_number_of(self.tree, node, lines));
        if is_control(self.tree, node, tag) || is_number() {
            return true;
        }
        if !gutter::may_be_gutter(self.tree, node, tag) {
            return false;
        }
        let end = self.tree.end_of(node);
        if (node..end).contains(&self.no_number) {
            return false;
        }
        match gutter::first_other(self.tree, node, end) {
            None => true,
            Some(other) => {
                self.no_number = other;
                false
            }
        }
    }

    fn enter(&mut self, node: NodeId, tag: Tag) {
        let shape = self.shape(node, tag);
        match shape {
            Shape::Inline => {}
            Shape::Block => self.require(1),
            Shape::Paragraph => self.require(2),
            Shape::LineBlock => {
                self.require(1);
                self.begin_line();
            }
            Shape::Line => self.end_line(),
            Shape::Cell => {
                let row = self.open.iter_mut().rev().find(|open| open.shape == Shape::LineBlock);
                let cells = row.map_or(0, |row| {
                    row.cells += 1;
                    row.cells - 1
                });
                if cells > 0 {
                    self.begin_line();
                    self.text.push('\t');
                }
            }
        }
        let is_pre = self.open.last().is_some_and(|open| open.is_pre)
            || is_preformatted(tag)
            || matches!(shape, Shape::Line | Shape::LineBlock if tag != Tag::Tr)
            || (shape == Shape::Cell && self.is_code_cell(node));
        self.open.push(Open { node, shape, start: self.text.len(), cells: 0, is_pre });
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match open.shape {
            Shape::Inline | Shape::Cell => {}
            Shape::Block => self.require(1),
            Shape::Paragraph => self.require(2),
            Shape::Line | Shape::LineBlock => {
                // A line in a line ends with it: that is one break.
                let is_empty = self.text.len() == open.start;
                self.ended |= is_empty || !self.text.ends_with('\n');
                if is_empty {
                    // Blocks without text in it need no lines of their own.
                    self.need = 0;
                }
                self.ended_block = open.shape == Shape::LineBlock;
            }
        }
    }

    fn shape(&self, node: NodeId, tag: Tag) -> Shape {
        use Tag::*;
        match tag {
            P => return Shape::Paragraph,
            Tr | Li => return Shape::LineBlock,
            Td | Th => return Shape::Cell,
            _ => {}
        }
        if self.lines_in.is_some() && self.lines_in == self.tree.parent(node) {
            return Shape::Line;
        }
        let start_tag = self.tree.start_tag(node).as_bytes();
        let is_line = memchr::memmem::find(start_tag, b"ine").is_some()
            && classes(self.tree, node)
                .is_some_and(|classes| classes.split_ascii_whitespace().any(is_line_class));
        let is_block = is_block(tag);
        if is_line {
            return if is_block { Shape::LineBlock } else { Shape::Line };
        }
        if is_block || shows_as_block(start_tag) { Shape::Block } else { Shape::Inline }
    }

    fn is_code_cell(&self, cell: NodeId) -> bool {
        let classes = classes(self.tree, cell).unwrap_or_default();
        classes.split_ascii_whitespace().any(is_code_cell)
    }

    fn require(&mut self, breaks: usize) {
        if self.ended {
            self.begin_line();
        }
        self.need = self.need.max(breaks);
    }

    /// Writes the line breaks that are due.
    fn begin_line(&mut self) {
        self.end_line();
        if self.need > 0 && !self.text.is_empty() {
            // The break that ends a line is not doubled; one before it is an empty line, and stays one.
            let met = match self.met {
                (met, end) if end == self.text.len() => met,
                _ => usize::from(self.text.ends_with('\n')),
            };
            self.text.extend(std::iter::repeat_n('\n', self.need.saturating_sub(met)));
            self.met = (met.max(self.need), self.text.len());
        }
        self.need = 0;
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.ended) {
            self.text.push('\n');
        }
    }

    fn line_break(&mut self) {
        self.ended &= self.ended_block;
        self.begin_line();
        self.text.push('\n');
    }

    fn write(&mut self, node: NodeId) {
        let mut source = self.tree.text(node);
        let is_pre = self.open.last().is_some_and(|open| open.is_pre);
        if is_space(source) {
            source = match self.space(node, source, is_pre) {
                Some(space) => space,
                None => return,
            };
        }
        if source.is_empty() {
            return;
        }
        // The line break behind a line is its own.
        self.ended &= self.ended_block || !source.starts_with(['\n', '\r']);
        self.begin_line();
        if !is_pre {
            self.text.push_str(source.trim_ascii());
        } else if self.is_editor {
            self.text.extend(source.chars().filter(|c| *c != '\u{200b}').map(|c| match c {
                '\u{a0}' => ' ',
                c => c,
            }));
        } else {
            push_lines(source, &mut self.text);
        }
    }

    /// What is left of whitespace: nothing in lists and tables and outside of preformatted text, and
    /// one line break less between two blocks, which begin lines by themselves.
    fn space<'s>(&self, node: NodeId, source: &'s str, is_pre: bool) -> Option<&'s str> {
        let around = self.tree.parent(node).and_then(|parent| self.tree.tag(parent));
        use Tag::*;
        let is_inside = !matches!(
            around,
            Some(Ol | Ul | Menu | Dir | Dl | Table | Tbody | Thead | Tfoot | Tr | Colgroup)
        );
        if !is_pre || !is_inside {
            return None;
        }
        let is_block = |node: NodeId| {
            let tag = self.tree.tag(node)?;
            Some(matches!(
                self.shape(node, tag),
                Shape::Block | Shape::LineBlock | Shape::Paragraph
            ))
        };
        let previous = self.tree.nodes[node as usize].previous;
        let after = previous != crate::tree::NONE && is_block(previous) == Some(true);
        let before = self.tree.next(node).is_none_or(|next| is_block(next) == Some(true));
        if !(after && before) {
            return Some(source);
        }
        let first = source.find('\n')?;
        let last = source.rfind('\n')?;
        Some(&source[first + 1..(last + 1).max(first + 1)])
    }
}

fn is_space(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// A line break is one, however the page writes it.
fn push_lines(source: &str, text: &mut String) {
    if source.contains('\r') {
        text.push_str(&source.replace("\r\n", "\n").replace('\r', "\n"));
    } else {
        text.push_str(source);
    }
}

/// The element in a code block whose children are its lines, though no line break and no class says so:
/// the block, if it has nothing but `code` elements, or its `code`, if that has nothing but spans of the
/// same class with highlighted words in them.
fn lines_in(tree: &Tree<'_>, block: NodeId) -> Option<NodeId> {
    let only = |node: NodeId, tag: Tag| {
        let mut count = 0;
        for child in tree.children(node) {
            match tree.tag(child) {
                Some(own) if own == tag => count += 1,
                Some(_) => return 0,
                None if is_space(tree.text(child)) && tree.text(child).contains('\n') => {}
                None => return 0,
            }
        }
        count
    };
    let codes = only(block, Tag::Code);
    if codes > 1 {
        return Some(block);
    }
    let code = tree.children(block).find(|_| codes == 1)?;
    let code = tree.ancestors(code).next().filter(|node| tree.tag(*node) == Some(Tag::Code))?;
    if only(code, Tag::Span) < 2 || tree.children(code).any(|child| tree.tag(child).is_none()) {
        return None;
    }
    let class = tree.children(code).next().and_then(|first| classes(tree, first))?;
    let is_line = |span: NodeId| {
        let first = tree.nodes[span as usize].first;
        classes(tree, span) == Some(class)
            && (first == crate::tree::NONE || tree.tag(first).is_some())
    };
    let has_break = |node: NodeId| {
        tree.tag(node) == Some(Tag::Br)
            || memchr::memchr(b'\n', tree.text(node).as_bytes()).is_some()
    };
    (tree.children(code).all(is_line) && !(code..tree.end_of(code)).any(has_break)).then_some(code)
}

pub(crate) fn is_preformatted(tag: Tag) -> bool {
    matches!(tag, Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext)
}

/// Elements that begin lines and end them. Cells and rows have rules of their own.
fn is_block(tag: Tag) -> bool {
    use Tag::*;
    tag.is(flag::BLOCK | flag::HEADING)
        || is_preformatted(tag)
        || matches!(tag, Form | Dd | Dt | Hr | Table | Caption | Li | Tr | P)
}

/// `style="display:block"`.
fn shows_as_block(start_tag: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(start_tag, b"display:") else { return false };
    start_tag[at + 8..].trim_ascii_start().starts_with(b"block")
}
