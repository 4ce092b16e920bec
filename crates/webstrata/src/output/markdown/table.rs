//! Tables: which of them are tables, and their cells as rows of Markdown.

use std::collections::HashMap;

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Columns in which spans are followed; a cell further right is where the page wrote it.
const MAX_SPANNED: usize = 32;

/// The tables that begin before `end` and hold data. Others only arrange the page, and their cells are
/// paragraphs.
pub(super) fn data_tables(tree: &Tree<'_>, end: NodeId) -> Vec<NodeId> {
    #[derive(Default)]
    struct Seen {
        rows: u32,
        cells: u32,
        columns: u32,
        /// Of the current cell.
        paragraphs: u32,
        headings: u32,
        heads: bool,
        /// A cell has many paragraphs.
        long: bool,
        /// A cell is a text with a heading, or something larger.
        heavy: bool,
        nests: bool,
    }
    let mut seen: HashMap<NodeId, Seen> = HashMap::new();
    let mut found = Vec::new();
    // The tables around the current node, each with the node behind it.
    let mut open: Vec<(NodeId, NodeId)> = Vec::new();
    for node in tree.nodes() {
        while open.last().is_some_and(|(_, end)| *end <= node) {
            open.pop();
        }
        if open.is_empty() && node >= end {
            break;
        }
        let Some(tag) = tree.tag(node) else { continue };
        let Some(table) = open.last().map(|(table, _)| *table) else {
            if tag == Tag::Table {
                open.push((node, tree.end_of(node)));
                found.push(node);
                seen.insert(node, Seen::default());
            }
            continue;
        };
        let Some(state) = seen.get_mut(&table) else { continue };
        match tag {
            Tag::Table => {
                // Tables in tables in tables: only a table without any in it has data.
                state.nests = true;
                open.push((node, tree.end_of(node)));
                found.push(node);
                seen.insert(node, Seen::default());
                continue;
            }
            Tag::Tr => {
                state.rows += 1;
                state.cells = 0;
            }
            Tag::Td | Tag::Th => {
                state.cells += 1;
                state.columns = state.columns.max(state.cells);
                (state.paragraphs, state.headings) = (0, 0);
                state.heads |= tag == Tag::Th;
            }
            Tag::P | Tag::Ul | Tag::Ol | Tag::Dl => state.paragraphs += 1,
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => state.headings += 1,
            Tag::Pre | Tag::Blockquote | Tag::Article => state.heavy = true,
            _ => continue,
        }
        state.long |= state.paragraphs > 2;
        // Alone in its cell, a heading is only a way to make it bold.
        state.heavy |= state.headings > 0 && state.headings + state.paragraphs > 1;
    }
    found.retain(|table| {
        let state = &seen[table];
        let arranges = tree
            .attribute(*table, "role")
            .is_some_and(|role| matches!(&*role, "presentation" | "none"));
        // Cells that are heads are the page's word that there is data, whatever else speaks against it.
        let looks_so = state.rows > 1 && !state.long && !state.nests;
        state.columns > 1 && !state.heavy && (looks_so || state.heads) && !arranges
    });
    found
}

/// The table that is being read.
pub(super) struct Table {
    pub(super) node: NodeId,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    has_text: bool,
    /// How many rows further down a cell reaches, by column.
    spans: [u32; MAX_SPANNED],
    /// The span of the cell that is being read.
    span: (u32, u32),
}

impl Table {
    pub(super) fn new(node: NodeId) -> Table {
        let (rows, row) = (Vec::new(), Vec::new());
        Table { node, rows, row, has_text: false, spans: [0; MAX_SPANNED], span: (1, 1) }
    }

    pub(super) fn begin_cell(&mut self, tree: &Tree<'_>, node: NodeId) {
        let span = |name| {
            let value = tree.attribute(node, name).and_then(|value| value.trim().parse().ok());
            value.unwrap_or(1_u32).clamp(1, 65_534)
        };
        self.span = (span("colspan"), span("rowspan"));
    }

    /// Takes the text of a cell. `padding` is how many empty cells the page may still have.
    pub(super) fn end_cell(&mut self, text: String, padding: &mut usize) {
        self.skip_spanned(padding);
        self.has_text |= !text.is_empty();
        let (columns, rows) = self.span;
        self.span = (1, 1);
        let first = self.row.len();
        self.row.push(text);
        for column in first..(first + columns as usize).min(MAX_SPANNED) {
            self.spans[column] = rows;
            if column > first && *padding > 0 {
                *padding -= 1;
                self.row.push(String::new());
            }
        }
    }

    fn skip_spanned(&mut self, padding: &mut usize) {
        while self.spans.get(self.row.len()).is_some_and(|rows| *rows > 0) && *padding > 0 {
            *padding -= 1;
            self.row.push(String::new());
        }
    }

    pub(super) fn end_row(&mut self, padding: &mut usize) {
        let mut row = std::mem::take(&mut self.row);
        if std::mem::take(&mut self.has_text) {
            // Cells at the end that span rows need not be written.
            while row.last().is_some_and(String::is_empty) && !self.rows.is_empty() {
                row.pop();
                *padding += 1;
            }
            self.rows.push(row);
        }
        for rows in &mut self.spans {
            *rows = rows.saturating_sub(1);
        }
    }

    /// The lines of the table. The first row is its head: a table in Markdown has one. It has as many
    /// cells as the longest row, or readers would lose the rest.
    pub(super) fn finish(mut self, padding: &mut usize) -> String {
        self.end_row(padding);
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for (i, row) in self.rows.iter().enumerate() {
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
}
