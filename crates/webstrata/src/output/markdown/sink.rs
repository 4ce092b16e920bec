//! What the walk over a page becomes in Markdown.

use super::inline::{Inline, Place, escape, longest_run, push_url};
use super::write::Lines;
use crate::output::code::Code;
use crate::output::math::Formula;
use crate::output::sink::{Around, Container, Gap, Picture, Sink};
use crate::output::table::Grid;
use crate::tree::NodeId;

pub(super) struct Writer {
    lines: Lines,
    inline: Inline,
    /// The addresses of all links so far.
    urls: Vec<String>,
    /// Bytes of addresses that may still be written: a link over many paragraphs is repeated.
    urls_left: usize,
    /// Bytes of addresses that may still be held.
    urls_room: usize,
    /// The level of the heading that is open, 0 for none.
    heading: u8,
    /// A term that is defined is open: it is strong.
    term: bool,
    /// For each list of definitions that is open, whether its term has a list.
    definitions: Vec<bool>,
    table: Option<Grid>,
    /// Empty cells that may still be written.
    padding: usize,
    /// The page has formulas, so dollars in its text are escaped.
    formulas: bool,
    /// Whether each item, quote and note that is open found room.
    fitted: Vec<bool>,
}

impl Writer {
    /// A writer for a page of this many bytes.
    pub(super) fn new(size: usize, formulas: bool) -> Writer {
        Writer {
            lines: Lines::default(),
            inline: Inline::default(),
            urls: Vec::new(),
            urls_left: size + 4096,
            urls_room: size + 4096,
            heading: 0,
            term: false,
            definitions: Vec::new(),
            table: None,
            padding: size / 2 + 64,
            formulas,
            fitted: Vec::new(),
        }
    }

    fn place(&self) -> Place {
        let (cell, heading) = (self.table.is_some(), self.heading > 0);
        Place { cell, heading, formulas: self.formulas, ..Place::default() }
    }

    fn take_run(&mut self, place: Place) -> String {
        if self.inline.is_empty() {
            return String::new();
        }
        self.inline.drop_links(&self.urls, &mut self.urls_left);
        self.inline.take(place, &self.urls)
    }

    fn flush(&mut self) {
        if self.term {
            self.inline.make_strong();
        }
        let text = self.take_run(self.place());
        if text.is_empty() {
            return;
        }
        if self.heading > 0 {
            let signs = &"######"[..usize::from(self.heading)];
            self.lines.block(&format!("{signs} {text}"), false, false);
        } else {
            self.lines.block(&text, true, true);
        }
    }

    /// The definitions of a term are one list.
    fn end_definitions(&mut self) {
        if let Some(has_list) = self.definitions.last_mut()
            && std::mem::take(has_list)
        {
            self.lines.end_list();
        }
    }

    fn end_table(&mut self) {
        let caption = self.take_run(Place { cell: false, ..self.place() });
        let Some(mut table) = self.table.take() else { return };
        table.caption(&caption);
        let (caption, rows) = table.finish(&mut self.padding);
        self.lines.block(&caption, true, true);
        self.lines.block(&table_lines(&rows), false, false);
    }
}

/// The lines of a table. The first row is its head: a table in Markdown has one. It has as many cells as the longest
/// row, or readers would lose the rest.
fn table_lines(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push('|');
        for cell in row {
            out.push(' ');
            out.push_str(cell);
            out.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        if i == 0 {
            out.push_str(&" |".repeat(columns - row.len()));
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(columns));
        }
    }
    out
}

impl Sink for Writer {
    fn text(&mut self, words: &str, space: bool, around: Around<'_>) {
        self.inline.text(words, space, around.style, around.link);
    }

    fn line_break(&mut self) {
        if !self.inline.line_break() {
            self.flush();
        }
    }

    fn formula(&mut self, formula: &Formula, space: bool, around: Around<'_>) {
        let sign = if formula.display { "$$" } else { "$" };
        let tex = match self.table {
            Some(_) => formula.tex.replace('|', "\\|"),
            None => formula.tex.clone(),
        };
        self.inline.ready(&format!("{sign}{tex}{sign}"), space, around.link);
    }

    fn image(&mut self, picture: &Picture<'_>, space: bool, around: Around<'_>) -> bool {
        let mut image = String::from("![");
        escape(picture.alt, true, None, self.place(), &mut image);
        image.push_str("](");
        push_url(picture.url, &mut image);
        image.push(')');
        if image.len() > self.urls_left {
            return false;
        }
        self.urls_left -= image.len();
        self.inline.ready(&image, space, around.link);
        true
    }

    fn reference(&mut self, label: &str, space: bool) {
        self.inline.ready(&format!("[^{label}]"), space, 0);
    }

    fn check_box(&mut self, ticked: bool) {
        self.inline.ready(if ticked { "[x]" } else { "[ ]" }, true, 0);
    }

    fn link(&mut self, _node: NodeId, url: String) -> u32 {
        // They are not all written, but all are held.
        if url.len() > self.urls_room {
            return 0;
        }
        self.urls_room -= url.len();
        self.urls.push(url);
        self.urls.len() as u32
    }

    fn boundary(&mut self, _gap: Gap) {
        self.flush();
    }

    fn code(&mut self, code: &Code) {
        if code.text.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(&code.text, '`').max(2) + 1);
        let language = code.language.as_deref().unwrap_or_default();
        self.lines.block(&format!("{fence}{language}\n{}\n{fence}", code.text), false, false);
    }

    fn rule(&mut self) {
        self.lines.rule();
    }

    fn begin(&mut self, container: Container<'_>) {
        match container {
            Container::Heading(level) => self.heading = level,
            Container::Quote => self.fitted.push(self.lines.begin_quote()),
            Container::Note(label) => self.fitted.push(self.lines.begin_note(label)),
            Container::List { .. } => self.lines.begin_list(),
            Container::Item(number) => self.fitted.push(self.lines.begin_item(number)),
            Container::Definition => {
                if self.definitions.last() != Some(&true) {
                    self.lines.begin_list();
                }
                if let Some(has_list) = self.definitions.last_mut() {
                    *has_list = true;
                }
                self.fitted.push(self.lines.begin_item(None));
            }
            Container::Definitions => self.definitions.push(false),
            Container::Table => self.table = Some(Grid::default()),
            Container::Cell { columns, rows, .. } => {
                if let Some(table) = &mut self.table {
                    table.begin_cell(columns, rows);
                }
            }
            Container::Term => {
                self.end_definitions();
                self.term = true;
            }
            Container::Figure | Container::Caption | Container::TableCaption | Container::Row => {}
        }
    }

    fn end(&mut self, container: Container<'_>) {
        match container {
            Container::Heading(_) => {
                self.flush();
                self.heading = 0;
            }
            Container::Quote | Container::Note(_) | Container::Item(_) | Container::Definition => {
                self.flush();
                if self.fitted.pop() == Some(true) {
                    self.lines.end();
                }
                if container == Container::Definition && self.definitions.is_empty() {
                    self.lines.end_list();
                }
            }
            Container::List { .. } => self.lines.end_list(),
            Container::Cell { .. } => {
                let text = self.take_run(self.place());
                if let Some(table) = &mut self.table {
                    table.end_cell(text, &mut self.padding);
                }
            }
            Container::TableCaption => {
                let place = Place { cell: false, heading: true, caption: true, ..self.place() };
                let text = self.take_run(place);
                if let Some(table) = &mut self.table {
                    table.caption(&text);
                }
            }
            Container::Row => {
                if let Some(table) = &mut self.table {
                    table.end_row(&mut self.padding);
                }
            }
            Container::Table => self.end_table(),
            Container::Term => self.term = false,
            Container::Definitions => {
                self.end_definitions();
                self.definitions.pop();
            }
            Container::Figure | Container::Caption => {}
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        self.lines.finish()
    }
}
