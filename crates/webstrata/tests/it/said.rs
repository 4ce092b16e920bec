//! What an output says, read back by other programs: its words, its code blocks and its tables.

use pulldown_cmark::{Event, Options as Reading, Parser, Tag, TagEnd};

use crate::oracle::{self, Line};

/// Columns in which spans are followed, as the outputs do.
const MAX_SPANNED: usize = 32;

/// An output as its readers have it.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// All text, with whitespace where words end.
    pub(crate) text: String,
    pub(crate) codes: Vec<String>,
    pub(crate) tables: Vec<Rows>,
}

/// Rows of cells; none is empty or ends with an empty cell.
pub(crate) type Rows = Vec<Vec<String>>;

/// Are the marks of lists words?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    LeftOut,
    Words,
}

impl Said {
    /// Letters and digits in a row, one such row after the other.
    pub(crate) fn words(&self) -> Vec<&str> {
        words(&self.text)
    }

    /// Everything but whitespace.
    pub(crate) fn characters(&self) -> String {
        self.text.split_whitespace().collect()
    }

    /// Read by html5ever.
    pub(crate) fn of_html(html: &str) -> Said {
        let mut said = Said::default();
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut table = Grid::default();
        for line in oracle::lines(html).into_iter().map(Some).chain([None]) {
            let depth = match &line {
                Some(Line::Element { depth, .. } | Line::Text { depth, .. }) => *depth,
                None => 0,
            };
            while let Some((_, name)) = open.pop_if(|(own, _)| *own >= depth) {
                said.separate(&name);
                match name.as_str() {
                    "td" | "th" => table.end_cell(),
                    "tr" => table.end_row(),
                    "table" => said.tables.push(std::mem::take(&mut table).rows),
                    _ => {}
                }
            }
            match line {
                Some(Line::Text { text, .. }) => {
                    said.text.push_str(&text);
                    if let Some(cell) = &mut table.cell {
                        cell.push_str(&text);
                    }
                    if let Some(code) = said.codes.last_mut().filter(|_| is_in(&open, "pre")) {
                        code.push_str(&text);
                    }
                }
                Some(Line::Element { name, attributes, .. }) => {
                    said.separate(&name);
                    match name.as_str() {
                        "pre" => said.codes.push(String::new()),
                        "td" | "th" => table.begin_cell(&attributes),
                        "br" => table.cell.iter_mut().for_each(|cell| cell.push(' ')),
                        _ => {}
                    }
                    open.push((depth, name));
                }
                None => {}
            }
        }
        said
    }

    /// Read by pulldown-cmark. It does not read formulas as such: to it, dollars are text.
    pub(crate) fn of_markdown(markdown: &str, marks: Marks) -> Said {
        let reading =
            Reading::ENABLE_TABLES | Reading::ENABLE_STRIKETHROUGH | Reading::ENABLE_FOOTNOTES;
        let mut said = Said::default();
        let (mut in_image, mut in_code) = (0, false);
        let mut table = Grid::default();
        for (event, place) in Parser::new_ext(markdown, reading).into_offset_iter() {
            match event {
                Event::Start(Tag::Image { .. }) => in_image += 1,
                Event::End(TagEnd::Image) => in_image -= 1,
                Event::Text(part) | Event::Code(part) if in_image == 0 => {
                    said.text.push_str(&part);
                    table.cell.iter_mut().for_each(|cell| cell.push_str(&part));
                    if let Some(code) = said.codes.last_mut().filter(|_| in_code) {
                        code.push_str(&part);
                    }
                }
                Event::FootnoteReference(label) => {
                    said.text.push_str(&format!("[{label}]"));
                    table.cell.iter_mut().for_each(|cell| cell.push_str(&format!("[{label}]")));
                }
                Event::Html(part) | Event::InlineHtml(part) => {
                    panic!("HTML: {part} in\n{markdown}")
                }
                Event::SoftBreak | Event::HardBreak | Event::Rule => said.text.push(' '),
                Event::Start(tag) => {
                    said.separate_markdown(&tag.to_end());
                    match tag {
                        Tag::CodeBlock(_) => {
                            in_code = true;
                            said.codes.push(String::new());
                        }
                        Tag::TableCell => table.cell = Some(String::new()),
                        Tag::FootnoteDefinition(label) => {
                            said.text.push_str(&format!("[{label}] "));
                        }
                        Tag::Item if marks == Marks::Words => {
                            // The number as it is written: readers count on from the first.
                            let rest = markdown[place.start..].trim_start_matches(' ');
                            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                            said.text.push_str(&rest[..digits]);
                            said.text.push(' ');
                        }
                        _ => {}
                    }
                }
                Event::End(tag) => {
                    said.separate_markdown(&tag);
                    match tag {
                        TagEnd::CodeBlock => {
                            in_code = false;
                            if let Some(code) = said.codes.last_mut() {
                                code.truncate(code.strip_suffix('\n').map_or(0, str::len));
                            }
                        }
                        TagEnd::TableCell => table.end_cell(),
                        TagEnd::TableHead | TagEnd::TableRow => table.end_row(),
                        TagEnd::Table => said.tables.push(std::mem::take(&mut table).rows),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        said
    }

    /// Text does not run through an element unless it is one of those that HTML has for words.
    fn separate(&mut self, name: &str) {
        #[rustfmt::skip]
        let inline = [
            "em", "strong", "b", "i", "u", "s", "del", "ins", "code", "kbd", "samp", "var", "sub", "sup", "mark",
            "q", "cite", "abbr", "dfn", "time", "small", "bdo", "a", "img",
        ];
        if !inline.contains(&name) {
            self.text.push(' ');
        }
    }

    fn separate_markdown(&mut self, tag: &TagEnd) {
        use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
        if !matches!(tag, Emphasis | Strong | Strikethrough | Link | Image) {
            self.text.push(' ');
        }
    }
}

fn is_in(open: &[(usize, String)], name: &str) -> bool {
    open.iter().any(|(_, open)| open == name)
}

pub(crate) fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Words with one space between them.
pub(crate) fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A table that is being read. Cells stand in the first column that no other one reaches into, as the HTML
/// standard has it.
#[derive(Default)]
struct Grid {
    rows: Rows,
    row: Vec<String>,
    cell: Option<String>,
    span: (usize, usize),
    /// By column: how many more rows a cell reaches down.
    reach: Vec<usize>,
}

impl Grid {
    fn begin_cell(&mut self, attributes: &[(String, String)]) {
        let span = |name: &str| {
            let value = attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value);
            value.and_then(|value| value.parse().ok()).unwrap_or(1)
        };
        self.span = (span("colspan"), span("rowspan"));
        self.cell = Some(String::new());
    }

    fn end_cell(&mut self) {
        while self.reach.get(self.row.len()).is_some_and(|rows| *rows > 0) {
            self.row.push(String::new());
        }
        let first = self.row.len();
        self.row.push(tidy(&self.cell.take().unwrap_or_default()));
        let (columns, rows) = self.span;
        for column in first..(first + columns).min(MAX_SPANNED) {
            self.reach.resize(self.reach.len().max(column + 1), 0);
            self.reach[column] = rows;
            self.row.resize(self.row.len().max(column + 1), String::new());
        }
    }

    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        while row.pop_if(|cell| cell.is_empty()).is_some() {}
        if !row.is_empty() {
            self.rows.push(row);
        }
        self.reach.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
    }
}
