//! Tables without holes: rows of which some is written, rows between these, and the whole table where
//! most of it is written.

use super::complete::{Frame, Kind, Sheet};
use super::places::Place;

/// Words of a cell, on average and at most, in a table that has data. Longer ones arrange the page.
const MEAN_CELL: u32 = 20;
const LONGEST_CELL: u32 = 80;

/// A table is completed if at least one of so many cells is written. Extractors drop cells for their few
/// words; that they kept some says more.
const LARGELY: u32 = 4;

/// Completes a table whose rows are `pieces`, if it has data.
pub(super) fn complete(sheet: &mut Sheet<'_>, table: &mut Frame, pieces: &mut [Frame]) {
    let rows = pieces.iter().filter(|piece| piece.kind == Kind::Row).count();
    // What is written as a table is one, however long its cells are.
    if sheet.tables.binary_search(&table.node).is_ok() {
        sheet.note(table, Place::TABLE);
    }
    let may_fill = table.columns > 1
        && rows > 1
        && !table.heavy
        && table.longest <= LONGEST_CELL
        && table.words <= table.cells * MEAN_CELL;
    if !may_fill {
        return;
    }
    sheet.note(table, Place::TABLE);
    if !table.has_holes() {
        return;
    }
    let written = |piece: &Frame| piece.written > 0;
    let (Some(first), Some(last)) =
        (pieces.iter().position(written), pieces.iter().rposition(written))
    else {
        return;
    };
    let text_rows = !table.is_links();
    let largely = table.written_cells * LARGELY >= table.cells;
    // The head of a table stands above what is written of it.
    let head = first.min(1);
    for (index, row) in pieces.iter_mut().enumerate() {
        let within = largely || (first <= index && index <= last) || (index == 0 && head == first);
        let is_odd = row.written == 0
            && ((text_rows && row.is_links() && row.cells < 2) || !sheet.is_likely(row));
        if row.written < row.words && within && !is_odd {
            table.written += row.words - row.written;
            sheet.fill(row);
        }
    }
}
