//! A table as HTML.

use std::fmt::Write;

use crate::output::sink::Container;

/// The table that is being read: its rows as they are written.
#[derive(Default)]
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) rows: String,
    row: String,
    /// The row has a cell that is not empty.
    has_text: bool,
    /// Rows without text that a cell spans. They are written where a row with text follows: without them its
    /// cells would stand in other columns.
    held: String,
    /// How many rows the cells of earlier rows span, from this one on, and those of this row, from the next one on.
    reach: u32,
    own_reach: u32,
}

impl Table {
    pub(super) fn add_caption(&mut self, run: &str) {
        if !self.caption.is_empty() && !run.is_empty() {
            self.caption.push(' ');
        }
        self.caption.push_str(run);
    }

    /// Takes what stood in a cell or a caption, and ends rows.
    pub(super) fn end(&mut self, container: Container<'_>, run: &str) {
        match container {
            Container::TableCaption => self.add_caption(run),
            Container::Cell { head, columns, rows } => {
                let name = if head { "th" } else { "td" };
                let _ = write!(self.row, "<{name}");
                if columns > 1 {
                    let _ = write!(self.row, " colspan=\"{columns}\"");
                }
                if rows > 1 {
                    let _ = write!(self.row, " rowspan=\"{rows}\"");
                }
                let _ = write!(self.row, ">{run}</{name}>");
                self.has_text |= !run.is_empty();
                self.own_reach = self.own_reach.max(rows - 1);
            }
            _ => {
                if std::mem::take(&mut self.has_text) {
                    self.rows.push_str(&std::mem::take(&mut self.held));
                    let _ = writeln!(self.rows, "<tr>{}</tr>", self.row);
                } else if self.reach.max(self.own_reach) > 0 {
                    let _ = writeln!(self.held, "<tr>{}</tr>", self.row);
                }
                self.reach = self.reach.saturating_sub(1).max(std::mem::take(&mut self.own_reach));
                self.row.clear();
            }
        }
    }
}
