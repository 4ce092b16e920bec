//! Headings over written text: without them, a section would stand under the heading of the one before.

use super::complete::{Frame, Sheet};
use super::places::Place;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Elements around a heading among which the text below it is looked for: headings have boxes of their own.
const MAX_AROUND: usize = 4;

/// Nodes of a heading that are looked at for links.
const MAX_INSIDE: NodeId = 16;

/// Writes the headings that stand directly over written text and behind other written text.
pub(super) fn complete(sheet: &mut Sheet<'_>, headings: &[Frame]) {
    let Some(first) = sheet.written.iter().position(|written| *written) else { return };
    // A heading that is a link is the title of another page, unless the page has others like it.
    let linked = headings.iter().filter(|heading| leads_away(sheet.tree, heading));
    let (kept, dropped): (Vec<&Frame>, Vec<&Frame>) = linked.partition(|h| h.written > 0);
    let links_are_headings = kept.len() > dropped.len();
    // From the last, so that a heading over a heading is decided by what is under both.
    for heading in headings.iter().rev() {
        let may_be = heading.is_dropped()
            && heading.first as usize > first
            && (links_are_headings || !leads_away(sheet.tree, heading));
        if may_be && is_over_text(sheet, heading) && sheet.is_likely(heading) {
            sheet.fill(&mut heading.clone());
        }
    }
}

/// Is a heading a link to another page, not to itself?
fn leads_away(tree: &Tree<'_>, heading: &Frame) -> bool {
    let node = heading.node;
    let inside = node..tree.end_of(node).min(node + MAX_INSIDE);
    let mut links = inside.filter(|node| tree.tag(*node) == Some(Tag::A));
    heading.is_links()
        && links.any(|link| tree.attribute(link, "href").is_some_and(|href| leads_on(&href)))
}

/// Does a link lead anywhere, and not only move the page that it is in?
fn leads_on(href: &str) -> bool {
    let script = b"javascript:";
    let starts = href.as_bytes().get(..script.len());
    !href.starts_with('#') && !starts.is_some_and(|start| start.eq_ignore_ascii_case(script))
}

/// Is the next text below a heading written, and does it belong to it?
fn is_over_text(sheet: &Sheet<'_>, heading: &Frame) -> bool {
    let atoms = &sheet.document.atoms;
    let shows = |atom: &usize| {
        sheet.written[*atom]
            || (atoms[*atom].counts.words > 0 && sheet.places[*atom].has(Place::ADDABLE))
    };
    let Some(below) = (heading.behind as usize..atoms.len()).find(shows) else { return false };
    let level = |atom: usize| (atoms[atom].enclosing.0 & 0b11_1111).trailing_zeros();
    let counts = &atoms[below].counts;
    sheet.written[below]
        // A section of its own, not the heading of the next one.
        && level(below) > level(heading.first as usize)
        && counts.linked_words * 2 <= counts.words
        && stands_with(sheet, heading.node, atoms[below].nodes.start)
}

/// Is the node in an element close around the heading?
fn stands_with(sheet: &Sheet<'_>, heading: NodeId, node: NodeId) -> bool {
    let around = sheet.tree.ancestors(heading).skip(1).take(MAX_AROUND);
    around.map(|around| sheet.tree.end_of(around)).any(|end| node < end)
}
