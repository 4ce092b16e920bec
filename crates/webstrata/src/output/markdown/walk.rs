//! The walk over the tree: elements become styles, links, containers and the ends of paragraphs.

use super::inline::{Inline, Place, Style, escape, longest_run, push_url};
use super::table::{Table, data_tables};
use super::write::Writer;
use crate::html::tag::{Tag, flag};
use crate::output::footnotes::Footnotes;
use crate::output::kept::{Kept, Texts};
use crate::output::links::Links;
use crate::output::math::{self, Formula};
use crate::output::visit::{Visitor, walk};
use crate::output::{MarkupOptions, code};
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// What has to be undone where an element ends.
#[derive(Clone, Copy)]
enum Undo {
    Nothing,
    /// A paragraph ends.
    Block,
    Style(Style),
    Link(u32),
    Heading,
    List,
    /// An item or a quote, if it fitted.
    Container(bool),
    /// A definition: an item and a list of its own.
    Definition(bool),
    Term,
    Pre,
    Table,
    Row,
    Cell,
}

struct Open {
    undo: Undo,
    hides: bool,
}

pub(super) struct Walk<'p, 't> {
    tree: &'p Tree<'t>,
    options: MarkupOptions,
    footnotes: Footnotes,
    kept: Kept,
    texts: Texts<'p>,
    links: Links<'p, 't>,
    tables: Vec<NodeId>,
    writer: Writer,
    inline: Inline,
    style: Style,
    /// The number of the link that is open, 0 for none, and the addresses of all.
    link: u32,
    urls: Vec<String>,
    /// Bytes of addresses that may still be written: a link over many paragraphs is repeated.
    urls_left: usize,
    /// The level of the heading that is open, 0 for none.
    heading: u8,
    pre: Option<Preformatted>,
    table: Option<Table>,
    /// Empty cells that may still be written.
    padding: usize,
    /// Whitespace, or a text that was left out, stands before the next text.
    white: bool,
    /// How many of the open elements are hidden: images have no text that would tell.
    hiding: u32,
    /// Nodes before this one are shown in another form already; their texts are only counted.
    skip_to: NodeId,
    open: Vec<Open>,
    /// The first kept node that was not passed yet.
    next_kept: NodeId,
}

/// The code block that is being read: its whitespace is the page's.
struct Preformatted {
    node: NodeId,
    text: String,
    has_text: bool,
    /// Some of it was left out.
    has_gaps: bool,
}

impl Visitor for Walk<'_, '_> {
    /// A block of which nothing is kept ends the paragraph before it, and that is all. Not so where
    /// blocks count: the cells of a table, the items of a numbered list, the lines of code.
    fn passes_over(&mut self, node: NodeId, tag: Tag) -> bool {
        let counts = self.table.is_some() || self.pre.is_some() || self.heading > 0;
        let is_item = tag == Tag::Li && self.writer.is_ordered();
        if counts || is_item || !is_block(tag) || tag == Tag::Hr {
            return false;
        }
        self.next_kept = self.kept.next(self.next_kept.max(node));
        if self.next_kept < self.tree.end_of(node) {
            return false;
        }
        self.end_paragraph();
        true
    }

    fn enter(&mut self, node: NodeId, tag: Tag) {
        let mut undo = Undo::Nothing;
        if node >= self.skip_to {
            if self.is_written_otherwise(node, tag) {
                self.skip_to = self.tree.end_of(node);
            } else {
                undo = self.begin(node, tag);
            }
        }
        let hides = tag != Tag::Body && self.tree.hides(node);
        self.hiding += u32::from(hides);
        self.open.push(Open { undo, hides });
    }

    fn leave(&mut self) {
        let Some(Open { undo, hides }) = self.open.pop() else { return };
        self.hiding -= u32::from(hides);
        self.undo(undo);
    }

    fn text(&mut self, node: NodeId) {
        self.write_text(node, node < self.skip_to);
    }
}

impl<'p, 't> Walk<'p, 't> {
    pub(super) fn new(page: &'p Page<'t>, options: MarkupOptions) -> Walk<'p, 't> {
        let tree = &page.tree;
        let kept = Kept::of(page);
        Walk {
            tree,
            options,
            footnotes: Footnotes::of(tree, &kept),
            tables: data_tables(tree, kept.range.end),
            kept,
            texts: Texts::new(&page.document),
            links: Links::of(page),
            writer: Writer::default(),
            inline: Inline::default(),
            style: Style::default(),
            link: 0,
            urls: Vec::new(),
            urls_left: tree.source.len() + 4096,
            heading: 0,
            pre: None,
            table: None,
            padding: tree.source.len() / 2 + 64,
            white: false,
            hiding: 0,
            skip_to: 0,
            open: Vec::with_capacity(64),
            next_kept: 0,
        }
    }

    pub(super) fn run(mut self) -> String {
        // Behind the last text nothing is written any more.
        walk(self.tree, self.kept.range.end, &mut self);
        self.end_paragraph();
        self.writer.finish()
    }

    /// Formulas and what shows them once more, and the numbers of lines of code.
    fn is_written_otherwise(&mut self, node: NodeId, tag: Tag) -> bool {
        match tag {
            Tag::Math => {
                if self.kept.any(node, self.tree.end_of(node)) {
                    self.formula(&math::of_math(self.tree, node));
                }
                true
            }
            Tag::Script => {
                if self.kept.has(node) {
                    self.formula(&math::of_script(self.tree, node));
                }
                true
            }
            Tag::A if self.footnotes.leads_back(node) => true,
            Tag::A => self.reference(node),
            _ => {
                code::numbers_lines(self.tree, node, tag, self.pre.is_some())
                    || (self.kept.formulas && math::doubles(self.tree, node))
            }
        }
    }

    /// A reference to a footnote, if the link is one.
    fn reference(&mut self, link: NodeId) -> bool {
        let Some(label) = self.footnotes.reference(link).filter(|_| self.pre.is_none()) else {
            return false;
        };
        self.inline.ready(&format!("[^{label}]"), false, 0);
        self.white = false;
        true
    }

    fn formula(&mut self, formula: &Formula) {
        if formula.tex.is_empty() {
            return;
        }
        let sign = if formula.display { "$$" } else { "$" };
        let tex = if self.table.is_some() {
            formula.tex.replace('|', "\\|")
        } else {
            formula.tex.clone()
        };
        if let Some(pre) = &mut self.pre {
            pre.text.push_str(&tex);
            pre.has_text = true;
            return;
        }
        let glued = self.inline.last_char().is_some_and(char::is_alphanumeric);
        self.inline.ready(&format!("{sign}{tex}{sign}"), self.white || glued, self.link);
        self.white = false;
    }

    fn begin(&mut self, node: NodeId, tag: Tag) -> Undo {
        use Tag::*;
        match tag {
            Em | I => return self.styled(|style| style.emphasis = true),
            Strong | B => return self.styled(|style| style.strong = true),
            S | Strike | Del => return self.styled(|style| style.strike = true),
            Code | Tt | Kbd | Samp => return self.styled(|style| style.code = true),
            A => return self.begin_link(node),
            Img => {
                self.image(node);
                return Undo::Nothing;
            }
            Br => {
                self.line_break();
                return Undo::Nothing;
            }
            _ => {}
        }
        if !is_block(tag) {
            return Undo::Nothing;
        }
        if self.pre.is_some() {
            self.end_line();
            return Undo::Block;
        }
        if self.table.is_some() {
            return self.enter_in_table(node, tag);
        }
        if self.heading > 0 && matches!(tag, Div | Center | Hgroup | Header | Section) {
            // A heading is a line, whatever it is made of.
            self.white = true;
            return Undo::Nothing;
        }
        self.end_paragraph();
        if let Some(label) = self.footnotes.label(node) {
            self.heading = 0;
            return Undo::Container(self.writer.begin_note(label));
        }
        self.enter_block(node, tag)
    }

    fn enter_block(&mut self, node: NodeId, tag: Tag) -> Undo {
        use Tag::*;
        // What else stands in a heading ends it.
        self.heading = 0;
        match tag {
            H1 | H2 | H3 | H4 | H5 | H6 => {
                self.heading = tag as u8 - H1 as u8 + 1;
                Undo::Heading
            }
            Blockquote => Undo::Container(self.writer.begin_quote()),
            Ul | Menu | Dir => {
                self.writer.begin_list(None);
                Undo::List
            }
            Ol => {
                self.writer.begin_list(Some(self.number(node, "start").unwrap_or(1)));
                Undo::List
            }
            Li => {
                let numbered = self.writer.is_ordered();
                let value = numbered.then(|| self.number(node, "value")).flatten();
                Undo::Container(self.writer.begin_item(value))
            }
            Dd => {
                self.writer.begin_list(None);
                Undo::Definition(self.writer.begin_item(None))
            }
            Dt => Undo::Term,
            Pre | Listing | Xmp | Plaintext => {
                self.pre = Some(Preformatted {
                    node,
                    text: String::new(),
                    has_text: false,
                    has_gaps: false,
                });
                Undo::Pre
            }
            Table if self.tables.binary_search(&node).is_ok() => {
                self.table = Some(super::table::Table::new(node));
                Undo::Table
            }
            Hr => {
                if self.kept.has(node) {
                    self.writer.rule();
                }
                Undo::Nothing
            }
            _ => Undo::Block,
        }
    }

    /// In a table all is one line, tables inside it, too.
    fn enter_in_table(&mut self, node: NodeId, tag: Tag) -> Undo {
        let outer = self.table.as_ref().map(|table| table.node);
        let own = |node| {
            let mut around = self.tree.ancestors(node);
            around.find(|node| self.tree.tag(*node) == Some(Tag::Table)) == outer
        };
        self.white = true;
        match tag {
            Tag::Td | Tag::Th if own(node) => {
                if let Some(table) = &mut self.table {
                    table.begin_cell(self.tree, node);
                }
                Undo::Cell
            }
            Tag::Tr if own(node) => Undo::Row,
            Tag::Caption if own(node) => Undo::Block,
            _ => Undo::Nothing,
        }
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Style(style) => self.style = style,
            Undo::Link(link) => self.link = link,
            Undo::Block if self.pre.is_some() => self.end_line(),
            Undo::Block => self.end_paragraph(),
            Undo::Heading => {
                self.end_paragraph();
                self.heading = 0;
            }
            Undo::List => {
                self.end_paragraph();
                self.writer.end_list();
            }
            Undo::Container(fitted) => {
                self.end_paragraph();
                if fitted {
                    self.writer.end();
                }
            }
            Undo::Definition(fitted) => {
                self.end_paragraph();
                if fitted {
                    self.writer.end();
                }
                self.writer.end_list();
            }
            Undo::Term => {
                self.inline.make_strong();
                self.end_paragraph();
            }
            Undo::Pre => self.end_pre(),
            Undo::Cell => {
                let text = self.take_inline();
                if let Some(table) = &mut self.table {
                    table.end_cell(text, &mut self.padding);
                }
                self.white = false;
            }
            Undo::Row => {
                if let Some(table) = &mut self.table {
                    table.end_row(&mut self.padding);
                }
            }
            Undo::Table => {
                let stray = self.take_inline();
                if let Some(mut table) = self.table.take() {
                    if !stray.is_empty() {
                        table.end_cell(stray, &mut self.padding);
                    }
                    let text = table.finish(&mut self.padding);
                    self.writer.block(&text, false, false);
                }
                self.white = false;
            }
        }
    }

    fn write_text(&mut self, node: NodeId, skipped: bool) {
        let source = self.tree.text(node);
        let text = if self.kept.has(node) { self.texts.next(node, source) } else { None };
        if let Some(pre) = &mut self.pre {
            let is_kept = text.is_some() && !skipped;
            if is_kept || (!self.texts.shows(node) && source.trim().is_empty()) {
                pre.has_text |= is_kept;
                push_lines(source, &mut pre.text);
            } else {
                pre.has_gaps = true;
            }
            return;
        }
        let starts_white = source.starts_with(char::is_whitespace);
        let Some(text) = text.filter(|_| !skipped) else {
            // What is left out is a gap, whitespace or not.
            self.white |= !source.is_empty() && !skipped;
            return;
        };
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let glues = text.starts_atom
            && is_word(self.inline.last_char())
            && is_word(text.text.chars().next());
        let space = text.space || self.white || glues || (text.starts_atom && starts_white);
        self.white = source.ends_with(char::is_whitespace);
        self.inline.text(text.text, space, self.style, self.link);
    }

    fn styled(&mut self, set: impl FnOnce(&mut Style)) -> Undo {
        let before = self.style;
        set(&mut self.style);
        Undo::Style(before)
    }

    fn begin_link(&mut self, node: NodeId) -> Undo {
        let before = self.link;
        // A link that somebody forgot to end goes on in the tree; for readers it ended.
        let carried = self.tree.nodes[node as usize].carried;
        self.link = 0;
        if self.options.links && !carried && self.pre.is_none() {
            let href = self.tree.attribute(node, "href");
            if let Some(url) = href.and_then(|href| self.links.link(&href)) {
                self.urls.push(url);
                self.link = self.urls.len() as u32;
            }
        }
        Undo::Link(before)
    }

    fn image(&mut self, node: NodeId) {
        let shown = self.kept.has(node) && self.hiding == 0 && self.pre.is_none();
        if !self.options.images || !shown {
            return;
        }
        let dot = |name| {
            self.tree.attribute(node, name).is_some_and(|size| matches!(size.trim(), "0" | "1"))
        };
        if dot("width") && dot("height") {
            // Counts readers.
            return;
        }
        let names = ["src", "data-src", "data-original"].into_iter();
        let mut sources = names.filter_map(|name| self.tree.attribute(node, name));
        let Some(url) = sources.find_map(|src| self.links.image(&src)) else { return };
        let alt = self.tree.attribute(node, "alt").unwrap_or_default();
        let words: Vec<&str> = alt.split_whitespace().collect();
        let mut image = String::from("![");
        escape(&words.join(" "), true, None, self.place(), &mut image);
        image.push_str("](");
        push_url(&url, &mut image);
        image.push(')');
        if image.len() > self.urls_left {
            return;
        }
        self.urls_left -= image.len();
        let glued = self.inline.last_char().is_some_and(|c| !c.is_whitespace());
        self.inline.ready(&image, self.white || glued, self.link);
        // A word before and a word behind an image are two.
        self.white = true;
    }

    fn line_break(&mut self) {
        if self.pre.is_some() {
            self.end_line();
        } else if self.table.is_some() || self.heading > 0 {
            self.white = true;
        } else {
            self.white = false;
            if !self.inline.line_break() {
                self.end_paragraph();
            }
        }
    }

    /// A new line in a code block, unless one has just begun.
    fn end_line(&mut self) {
        if let Some(pre) = &mut self.pre
            && !pre.text.is_empty()
            && !pre.text.ends_with('\n')
        {
            pre.text.push('\n');
        }
    }

    fn end_pre(&mut self) {
        let Some(mut pre) = self.pre.take().filter(|pre| pre.has_text) else { return };
        if pre.has_gaps {
            // What is left of lines whose text was dropped.
            let lines = pre.text.split('\n').filter(|line| !line.trim().is_empty());
            pre.text = lines.collect::<Vec<_>>().join("\n");
        }
        // Whole empty lines go, the indentation of the first line stays.
        let text = pre.text.trim_end();
        let start = text.len() - text.trim_start().len();
        let text = &text[text[..start].rfind('\n').map_or(0, |at| at + 1)..];
        let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
        let language = self.language(pre.node).unwrap_or_default();
        self.writer.block(&format!("{fence}{language}\n{text}\n{fence}"), false, false);
    }

    /// The programming language that class names tell of: the block's own, or those of its neighbours.
    fn language(&self, pre: NodeId) -> Option<String> {
        let inside = self.tree.children(pre).take(3);
        let around = self.tree.ancestors(pre).take(3);
        inside.chain(around).find_map(|node| code::language(self.tree, node))
    }

    fn place(&self) -> Place {
        let (cell, heading) = (self.table.is_some(), self.heading > 0);
        Place { cell, heading, formulas: self.kept.formulas }
    }

    fn take_inline(&mut self) -> String {
        if self.inline.is_empty() {
            return String::new();
        }
        let place = self.place();
        self.inline.drop_links(&self.urls, &mut self.urls_left);
        self.inline.take(place, &self.urls)
    }

    fn end_paragraph(&mut self) {
        self.white = false;
        if self.table.is_some() && !self.inline.is_empty() {
            // The caption. One that the page has behind rows ends the table there.
            let node = self.table.as_ref().map_or(0, |table| table.node);
            let rows = self.table.replace(Table::new(node)).map(|t| t.finish(&mut self.padding));
            self.writer.block(&rows.unwrap_or_default(), false, false);
            let place = Place { cell: false, ..self.place() };
            self.inline.drop_links(&self.urls, &mut self.urls_left);
            let text = self.inline.take(place, &self.urls);
            self.writer.block(&text, true, true);
            return;
        }
        let text = self.take_inline();
        if text.is_empty() {
            return;
        }
        if self.heading > 0 {
            let signs = &"######"[..usize::from(self.heading)];
            self.writer.block(&format!("{signs} {text}"), false, false);
        } else {
            self.writer.block(&text, true, true);
        }
    }

    fn number(&self, node: NodeId, name: &str) -> Option<u32> {
        let value = self.tree.attribute(node, name)?;
        value.trim().parse().ok().filter(|number| *number <= 999_999_999)
    }
}

/// Whitespace as a browser shows it: a line break is one, however the page writes it.
fn push_lines(source: &str, text: &mut String) {
    if source.contains('\r') {
        text.push_str(&source.replace("\r\n", "\n").replace('\r', "\n"));
    } else {
        text.push_str(source);
    }
}

/// Elements that text does not run through.
pub(crate) fn is_block(tag: Tag) -> bool {
    use Tag::*;
    tag.is(flag::BLOCK | flag::HEADING)
        || matches!(
            tag,
            P | Pre
                | Listing
                | Xmp
                | Plaintext
                | Form
                | Li
                | Dd
                | Dt
                | Hr
                | Table
                | Caption
                | Tbody
                | Thead
                | Tfoot
                | Tr
                | Td
                | Th
                | Body
                | Optgroup
                | Option
        )
}
