//! Tables: which of them hold data, and their cells as rows.

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Columns in which spans are followed; a cell further right is where the page wrote it.
const MAX_SPANNED: usize = 32;

/// The tables that hold data. Others only arrange the page, and their cells are paragraphs.
pub(crate) fn data_tables(tree: &Tree<'_>) -> Vec<NodeId> {
    #[derive(Default)]
    struct Seen {
        rows: u32,
        cells: u32,
        columns: u32,
        /// Of the current cell.
        paragraphs: u32,
        headings: u32,
        heads: bool,
        /// The current row begins with a head.
        is_headed: bool,
        /// A cell stands behind the head of its row.
        is_paired: bool,
        /// A cell has many paragraphs.
        long: bool,
        /// A cell is a text with a heading, or something larger.
        heavy: bool,
        nests: bool,
    }
    let mut found: Vec<(NodeId, Seen)> = Vec::new();
    // The tables around the current node, by their place among those found, each with the node behind it.
    let mut open: Vec<(usize, NodeId)> = Vec::new();
    for node in tree.nodes() {
        while open.last().is_some_and(|(_, end)| *end <= node) {
            open.pop();
        }
        let Some(tag) = tree.tag(node) else { continue };
        if tag == Tag::Table {
            // Tables in tables in tables: only a table without any in it has data.
            if let Some((around, _)) = open.last() {
                found[*around].1.nests = true;
            }
            open.push((found.len(), tree.end_of(node)));
            found.push((node, Seen::default()));
            continue;
        }
        let Some((table, _)) = open.last() else { continue };
        let state = &mut found[*table].1;
        match tag {
            Tag::Tr => {
                state.rows += 1;
                state.cells = 0;
            }
            Tag::Td | Tag::Th => {
                state.cells += 1;
                state.columns = state.columns.max(state.cells);
                (state.paragraphs, state.headings) = (0, 0);
                state.heads |= tag == Tag::Th;
                match (tag, state.cells) {
                    (_, 1) => state.is_headed = tag == Tag::Th,
                    (Tag::Td, 2) => state.is_paired |= state.is_headed,
                    _ => {}
                }
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
    found.retain(|(table, state)| {
        let arranges = tree
            .attribute(*table, "role")
            .is_some_and(|role| matches!(&*role, "presentation" | "none"));
        // Cells that are heads are the page's word that there is data, whatever else speaks against it.
        let looks_so = state.rows > 1 && !state.long && !state.nests;
        // Whoever writes heads of rows beside cells means data, also where a role says otherwise.
        let is_said = state.heads && (!arranges || (looks_so && state.is_paired));
        state.columns > 1 && !state.heavy && ((looks_so && !arranges) || is_said)
    });
    found.into_iter().map(|(table, _)| table).collect()
}

/// The cells of a table that is being read, each a line of text.
#[derive(Default)]
pub(super) struct Grid {
    caption: String,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    has_text: bool,
    /// How many rows further down a cell reaches, by column.
    spans: [u32; MAX_SPANNED],
    /// The columns and rows that the cell spans that is being read.
    span: (u32, u32),
}

impl Grid {
    /// Adds to the caption. Text that stands in no cell is part of it.
    pub(super) fn caption(&mut self, text: &str) {
        if !self.caption.is_empty() && !text.is_empty() {
            self.caption.push(' ');
        }
        self.caption.push_str(text);
    }

    pub(super) fn begin_cell(&mut self, columns: u32, rows: u32) {
        self.span = (columns, rows);
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

    /// The caption, and the rows that have any text.
    pub(super) fn finish(mut self, padding: &mut usize) -> (String, Vec<Vec<String>>) {
        self.end_row(padding);
        (self.caption, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn tables_of_data() {
        let count = |page: &str| {
            let tree = Tree::parse(page.to_owned(), &Limits::default());
            data_tables(&tree).len()
        };
        assert_eq!(count("<table><tr><td>a<td>1<tr><td>b<td>2</table>"), 1);
        assert_eq!(count("<table><tr><td>a<tr><td>b</table>"), 0);
        assert_eq!(count("<table role=presentation><tr><td>a<td>1<tr><td>b<td>2</table>"), 0);
        assert_eq!(count("<table role=presentation><tr><th>a<td>1<tr><th>b<td>2</table>"), 1);
        assert_eq!(count("<table role=presentation><tr><th>a<th>1<tr><th>b<th>2</table>"), 0);
        // A head above all columns is none of a row.
        assert_eq!(count("<table role=presentation><tr><th>a<tr><td>b<td>2</table>"), 0);
    }
}
