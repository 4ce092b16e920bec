//! The main text as plain text that keeps its structure: lines of code, rows of tables, marks of lists, paragraphs.

use super::code::Code;
use super::math::Formula;
use super::selection::{Selection, select};
use super::sink::{Around, Container, Gap, Picture, Sink};
use super::table::Grid;
use super::walk;
use super::{OutputOptions, TextShape};
use crate::metadata::titles::best_title;
use crate::page::Page;
use crate::part::Part;
use crate::thread::LazyThread;
use crate::tree::NodeId;

/// Lists around a line, at most: what is deeper stands at this depth.
const MAX_CONTAINERS: usize = 12;

/// Writes the main text of a page as plain text.
///
/// Code keeps its lines. A row of a table is a line, with tabs between its cells. Items of lists have their marks. An
/// empty line stands between paragraphs. With [`TextShape::Flat`] it is [`Document::text`](crate::Document::text):
/// one line a block.
///
/// ```
/// use webstrata::output::{OutputOptions, text};
/// use webstrata::{Extractor, Options};
///
/// let extractor = Extractor::named("keep-all").unwrap();
/// let html = b"<p>High water:<ul><li>noon<li>midnight</ul><pre>if ebb {\n  sail();\n}</pre>";
/// let page = extractor.extract_page(html, &Options::default());
/// assert_eq!(
///     text(&page, &OutputOptions::default()),
///     "High water:\n\n- noon\n- midnight\n\nif ebb {\n  sail();\n}\n",
/// );
/// ```
pub fn text(page: &Page<'_>, options: &OutputOptions) -> String {
    if options.text == TextShape::Flat {
        return page.document.text();
    }
    page.document.clock.write();
    select(&LazyThread::of(page), options, best_title(page), text_of)
}

/// The text of what was selected.
pub(super) fn text_of(selection: &Selection<'_, '_>) -> String {
    let OutputOptions { include, exclude, .. } = selection.options;
    let with_title = include.has(Part::Title) && !exclude.has(Part::Title);
    let room = selection.page.document.text.len();
    let padding = selection.page.tree.source.len() / 2 + 64;
    let writer = Writer { out: String::with_capacity(room), padding, ..Writer::default() };
    walk::write(selection, writer, with_title)
}

/// An item, a definition or a note that is open.
struct Open {
    /// What its first line begins with, and how far its other lines are indented.
    mark: String,
    indent: usize,
    /// Something was written in it.
    begun: bool,
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The run that is being read; it may have line breaks.
    run: String,
    open: Vec<Open>,
    /// Items and the like that did not fit any more, innermost last.
    too_deep: usize,
    /// The number of lists that are open, and of lists that stood in no other so far.
    lists: u32,
    lists_so_far: u32,
    /// The outermost list that the last line stands in: there are no empty lines in lists.
    last_list: Option<u32>,
    /// For each list and item that is open, whether it is an item; before a list, whether it stands in no item.
    items: Vec<bool>,
    /// How far the lines of the last item are indented.
    last_indent: usize,
    gap: Gap,
    /// The last line is a footnote's: the next one stands right below it.
    after_note: bool,
    table: Option<Grid>,
    /// Empty cells that may still be written.
    padding: usize,
}

impl Writer {
    /// Adds words to the run.
    fn add(&mut self, words: &str, space: bool) {
        if space && !self.run.is_empty() && !self.run.ends_with([' ', '\n']) {
            self.run.push(' ');
        }
        let words = if self.run.is_empty() || self.run.ends_with([' ', '\n']) {
            words.trim_start_matches(' ')
        } else {
            words
        };
        self.run.push_str(words);
    }

    /// Writes lines below the marks of what is open.
    fn lines(&mut self, text: &str) {
        let list = (self.lists > 0).then_some(self.lists_so_far);
        if !self.out.is_empty() {
            let in_same_list = list.is_some() && list == self.last_list;
            let has_gap = self.gap == Gap::Paragraph && !in_same_list;
            self.out.push_str(if has_gap { "\n\n" } else { "\n" });
        }
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.out.push('\n');
            }
            let start = self.out.len();
            for open in &mut self.open {
                if open.begun {
                    self.out.extend(std::iter::repeat_n(' ', open.indent));
                } else {
                    self.out.push_str(&open.mark);
                    open.begun = true;
                }
            }
            self.out.push_str(line);
            if line.is_empty() {
                let end = start + self.out[start..].trim_end_matches(' ').len();
                self.out.truncate(end);
            }
        }
        self.gap = Gap::Line;
        self.last_list = list;
        self.after_note = false;
    }

    fn begin_list(&mut self) {
        self.lists_so_far += u32::from(self.lists == 0);
        self.lists += 1;
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        let text = run.trim_matches([' ', '\n']);
        if !text.is_empty() {
            self.lines(text);
        }
        // The room is used again.
        self.run = run;
        self.run.clear();
    }

    fn open(&mut self, mark: String) {
        if self.open.len() < MAX_CONTAINERS {
            let indent = mark.chars().count();
            self.open.push(Open { mark, indent, begun: false });
        } else {
            self.too_deep += 1;
        }
    }

    fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else {
            self.open.pop();
        }
    }
}

impl Sink for Writer {
    const HEADS_POSTS: bool = false;

    fn text(&mut self, words: &str, space: bool, _around: Around<'_>) {
        self.add(words, space);
    }

    fn line_break(&mut self) {
        if self.run.is_empty() {
            self.gap = self.gap.max(Gap::Line);
        } else if self.run.ends_with('\n') {
            self.flush();
            self.gap = Gap::Paragraph;
        } else {
            let end = self.run.trim_end_matches(' ').len();
            self.run.truncate(end);
            self.run.push('\n');
        }
    }

    fn formula(&mut self, formula: &Formula, space: bool, _around: Around<'_>) {
        let sign = if formula.display { "$$" } else { "$" };
        self.add(sign, space);
        self.run.push_str(&formula.tex);
        self.run.push_str(sign);
    }

    fn image(&mut self, _image: &Picture<'_>, _space: bool, _around: Around<'_>) -> bool {
        false
    }

    fn reference(&mut self, label: &str, space: bool) {
        self.add("[", space);
        self.run.push_str(label);
        self.run.push(']');
    }

    fn check_box(&mut self, ticked: bool) {
        self.run.push_str(if ticked { "[x]" } else { "[ ]" });
    }

    fn link(&mut self, _node: NodeId, _url: String) -> u32 {
        0
    }

    fn boundary(&mut self, gap: Gap) {
        self.flush();
        self.gap = self.gap.max(gap);
    }

    fn code(&mut self, code: &Code) {
        if !code.text.is_empty() {
            self.gap = Gap::Paragraph;
            self.lines(&code.text);
            self.gap = Gap::Paragraph;
        }
    }

    fn rule(&mut self) {
        self.gap = Gap::Paragraph;
    }

    fn begin(&mut self, container: Container<'_>) {
        match container {
            Container::List { .. } => {
                // A list that stands in a list but in no item belongs to the item before it.
                let in_item = self.items.last().is_none_or(|item| *item);
                if !in_item {
                    self.open(" ".repeat(self.last_indent));
                }
                self.items.push(!in_item);
                self.items.push(false);
                self.begin_list();
            }
            Container::Definitions => self.begin_list(),
            Container::Item(number) => {
                let mark = number.map_or("- ".to_owned(), |number| format!("{number}. "));
                self.last_indent = mark.len();
                self.items.push(true);
                self.open(mark);
            }
            Container::Definition => self.open("  ".to_owned()),
            Container::Note(label) => {
                if self.after_note {
                    self.gap = Gap::Line;
                }
                self.open(format!("[{label}] "));
                if let Some(note) = self.open.last_mut() {
                    note.indent = 0;
                }
            }
            Container::Table => self.table = Some(Grid::default()),
            Container::Cell { columns, rows, .. } => {
                if let Some(table) = &mut self.table {
                    table.begin_cell(columns, rows);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, container: Container<'_>) {
        match container {
            Container::List { .. } => {
                self.items.pop();
                if self.items.pop() == Some(true) {
                    self.close();
                }
                self.lists -= 1;
            }
            Container::Definitions => self.lists -= 1,
            Container::Item(_) => {
                self.items.pop();
                self.close();
            }
            Container::Definition => self.close(),
            Container::Note(_) => {
                self.close();
                self.after_note = true;
            }
            Container::Cell { .. } => {
                let text = self.run.trim().replace(['\t', '\n'], " ");
                self.run.clear();
                if let Some(table) = &mut self.table {
                    table.end_cell(text, &mut self.padding);
                }
            }
            Container::Row => {
                if let Some(table) = &mut self.table {
                    table.end_row(&mut self.padding);
                }
            }
            Container::TableCaption => {
                let caption = self.run.trim().to_owned();
                self.run.clear();
                if let Some(table) = &mut self.table {
                    table.caption(&caption);
                }
            }
            Container::Table => {
                let Some(mut table) = self.table.take() else { return };
                table.caption(std::mem::take(&mut self.run).trim());
                let (caption, rows) = table.finish(&mut self.padding);
                if !caption.is_empty() {
                    self.lines(&caption);
                    self.gap = Gap::Paragraph;
                }
                let rows: Vec<String> = rows.iter().map(|row| row.join("\t")).collect();
                let rows: Vec<&str> = rows.iter().map(|row| row.trim_end_matches('\t')).collect();
                if !rows.is_empty() {
                    self.lines(&rows.join("\n"));
                }
                self.gap = Gap::Paragraph;
            }
            _ => {}
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
