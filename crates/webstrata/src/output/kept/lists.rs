//! Lists without holes: items between written items, the ends of lists that are mostly written, terms with
//! their definitions.

use super::complete::{Frame, Kind, Sheet};

/// How many times the words of the longest written item an item may have that is added.
const MAX_LONGER: u32 = 4;

/// Items of a list that are written, as a measure for those that are not.
#[derive(Default)]
struct Written {
    items: usize,
    words: u32,
    linked: u32,
    longest: u32,
}

impl Written {
    fn of(pieces: &[Frame]) -> Written {
        let mut found = Written::default();
        for item in pieces.iter().filter(|piece| piece.written > 0) {
            found.items += 1;
            found.words += item.words;
            found.linked += item.linked;
            found.longest = found.longest.max(item.words);
        }
        found
    }

    /// Does an item look like something else than those that are written: links among texts, or a page
    /// of its own?
    fn is_unlike(&self, item: &Frame) -> bool {
        (item.is_links() && self.linked * 2 <= self.words)
            || item.words > self.longest * MAX_LONGER + 20
    }
}

/// Completes a list whose items, among them, are `pieces`.
pub(super) fn complete_list(sheet: &mut Sheet<'_>, list: &mut Frame, pieces: &mut [Frame]) {
    if !list.has_holes() {
        return;
    }
    let is_item = |piece: &Frame| piece.kind == Kind::Item;
    let items = pieces.iter().filter(|piece| is_item(piece)).count();
    let is_written = |piece: &Frame| is_item(piece) && piece.written > 0;
    let (Some(first), Some(last)) =
        (pieces.iter().position(is_written), pieces.iter().rposition(is_written))
    else {
        return;
    };
    let written = Written::of(pieces);
    let mostly = written.items * 2 > items || (written.items * 3 >= items && !list.is_links());
    for (index, item) in pieces.iter_mut().enumerate().filter(|(_, piece)| is_item(piece)) {
        let within = mostly || (first < index && index < last);
        if item.is_dropped() && within && !written.is_unlike(item) && sheet.is_likely(item) {
            list.written += item.words;
            sheet.fill(item);
        }
    }
}

/// Completes a definition list: a term with what is said of it, and the other way round.
pub(super) fn complete_definitions(sheet: &mut Sheet<'_>, list: &mut Frame, pieces: &mut [Frame]) {
    if !list.has_holes() {
        return;
    }
    let written = Written::of(pieces);
    let mut start = 0;
    while start < pieces.len() {
        // Terms, then their definitions.
        let mut end = start;
        while end < pieces.len() && pieces[end].kind == Kind::Term {
            end += 1;
        }
        while end < pieces.len() && pieces[end].kind != Kind::Term {
            end += 1;
        }
        let entry = &mut pieces[start..end];
        let is_written = entry.iter().any(|piece| piece.written > 0);
        for piece in entry.iter_mut().filter(|piece| is_written && piece.is_dropped()) {
            let fits = piece.kind == Kind::Term || !written.is_unlike(piece);
            if fits && sheet.is_likely(piece) {
                list.written += piece.words;
                sheet.fill(piece);
            }
        }
        start = end;
    }
}
