//! What the walk over a page tells the writers: text, Markdown and HTML are three answers to the same events.
//!
//! A *run* is a stretch of words, images, formulas and line breaks that stands in one paragraph, heading, cell or
//! item. [`Sink::boundary`] ends it. Containers begin and end around runs. A container in which nothing was
//! written must not show.

use super::code::Code;
use super::math::Formula;
use crate::html::tag::Tag;
use crate::tree::NodeId;

/// How words are set, as far as Markdown has a sign for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) strong: bool,
    pub(super) emphasis: bool,
    pub(super) strike: bool,
    pub(super) code: bool,
}

/// What is around the words of a run.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) style: Style,
    /// The number of the link that is open, 0 for none; see [`Sink::link`].
    pub(super) link: u32,
    /// The inline elements that are open, outermost first.
    pub(super) inline: &'a [(NodeId, Tag)],
}

/// How far two runs stand apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// On lines of their own.
    #[default]
    Line,
    /// With an empty line between them.
    Paragraph,
}

/// What may stand around runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container<'a> {
    /// A heading of level 1 to 6. Its run is one line.
    Heading(u8),
    Quote,
    /// A list; the items of an ordered one have numbers.
    List {
        ordered: bool,
    },
    /// An item of the innermost list, with its number if the list is ordered.
    Item(Option<u32>),
    /// A list of terms and their definitions.
    Definitions,
    Term,
    Definition,
    Figure,
    /// What is said of a figure.
    Caption,
    /// A footnote and what it is called.
    Note(&'a str),
    /// A table with data.
    Table,
    TableCaption,
    Row,
    /// A cell, with the columns and rows that it spans.
    Cell {
        head: bool,
        columns: u32,
        rows: u32,
    },
}

/// An image whose address is resolved.
pub(super) struct Picture<'a> {
    pub(super) node: NodeId,
    pub(super) url: &'a str,
    pub(super) alt: &'a str,
}

/// A writer.
pub(super) trait Sink {
    /// Does each post of a discussion begin with a heading that says who wrote it and when?
    const HEADS_POSTS: bool = true;

    /// Words, after a space if `space`. No-break spaces in them are still there.
    fn text(&mut self, words: &str, space: bool, around: Around<'_>);
    /// A line break in a run; two in a row end the paragraph.
    fn line_break(&mut self);
    /// A line break in a heading or a cell, which are lines in most outputs. Returns whether it was written.
    fn soft_break(&mut self) -> bool {
        false
    }
    fn formula(&mut self, formula: &Formula, space: bool, around: Around<'_>);
    /// Returns whether the image was written.
    fn image(&mut self, image: &Picture<'_>, space: bool, around: Around<'_>) -> bool;
    /// A reference to the footnote of this name, after a space if `space`.
    fn reference(&mut self, label: &str, space: bool);
    /// A box that is ticked or not.
    fn check_box(&mut self, ticked: bool);
    /// Takes the address of a link and returns its number.
    fn link(&mut self, node: NodeId, url: String) -> u32;
    /// A run ends here, and the next one stands this far apart.
    fn boundary(&mut self, gap: Gap);
    fn code(&mut self, code: &Code);
    fn rule(&mut self);
    fn begin(&mut self, container: Container<'_>);
    fn end(&mut self, container: Container<'_>);
    fn finish(self) -> String;
}
