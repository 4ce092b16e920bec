//! Accordions without holes: sections that readers open and close, each below a heading that is a button.

use super::complete::{Frame, Sheet};
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Nodes of a heading that are looked at for its button.
const MAX_INSIDE: NodeId = 16;
/// Elements around a heading among which its section is looked for.
const MAX_AROUND: usize = 3;

/// Writes the sections of an accordion of which others are written. `headings` are in page order.
pub(super) fn complete(sheet: &mut Sheet<'_>, headings: &[Frame]) {
    let toggles: Vec<&Frame> =
        headings.iter().filter(|heading| is_toggle(sheet.tree, heading.node)).collect();
    let mut behind = 0;
    // Those that stand in boxes of one box, or in one box, are one accordion.
    for accordion in toggles.chunk_by(|a, b| is_beside(sheet.tree, a.node, b.node)) {
        behind += accordion.len();
        if accordion.len() > 2 {
            // Sections end where any other begins, so that no text is in two of them.
            let end = toggles.get(behind).map_or(NodeId::MAX, |next| next.node);
            complete_accordion(sheet, accordion, end);
        }
    }
}

fn complete_accordion(sheet: &mut Sheet<'_>, headings: &[&Frame], end: NodeId) {
    let mut sections: Vec<Frame> = Vec::with_capacity(headings.len());
    for (at, heading) in headings.iter().enumerate() {
        let next = headings.get(at + 1).map_or(end, |next| next.node);
        sections.push(section(sheet, heading, next));
    }
    let with_words = sections.iter().filter(|section| section.words > 0).count();
    let written = sections.iter().filter(|section| section.written > 0).count();
    // One of many says nothing of the others.
    if written < 2 || written * 3 < with_words {
        return;
    }
    for (heading, section) in headings.iter().zip(&mut sections) {
        if section.written > 0 || (section.is_dropped() && sheet.is_likely(section)) {
            if section.is_dropped() {
                sheet.fill(section);
            }
            sheet.fill(&mut { **heading });
        }
    }
}

/// What stands below a heading, up to the next one and in the nearest box that has any of it.
fn section(sheet: &Sheet<'_>, heading: &Frame, next: NodeId) -> Frame {
    let atoms = &sheet.document.atoms;
    let first = heading.behind as usize;
    let mut frame = *heading;
    frame.first = heading.behind;
    (frame.words, frame.linked, frame.written) = (0, 0, 0);
    for around in sheet.tree.ancestors(heading.node).skip(1).take(MAX_AROUND) {
        let end = sheet.tree.end_of(around).min(next);
        let behind = first + atoms[first..].partition_point(|atom| atom.nodes.start < end);
        if behind > first {
            frame.behind = behind as u32;
            break;
        }
    }
    let own = frame.first as usize..frame.behind as usize;
    for (atom, written) in atoms[own.clone()].iter().zip(&sheet.written[own]) {
        frame.words += atom.counts.words;
        frame.linked += atom.counts.linked_words;
        frame.written += if *written { atom.counts.words } else { 0 };
    }
    frame
}

/// Is the heading a button that opens what is below it, by its own word?
fn is_toggle(tree: &Tree<'_>, heading: NodeId) -> bool {
    let end = tree.end_of(heading).min(heading + MAX_INSIDE);
    let is_button = |node: &NodeId| {
        let may_be = matches!(tree.tag(*node), Some(Tag::A | Tag::Button | Tag::Span | Tag::Div));
        (may_be || *node == heading)
            && memchr::memmem::find(tree.start_tag(*node).as_bytes(), b"aria-expanded").is_some()
    };
    (heading..end).any(|node| is_button(&node))
}

/// Stand two headings in one box, or in boxes that do?
fn is_beside(tree: &Tree<'_>, one: NodeId, other: NodeId) -> bool {
    let boxes =
        |node: NodeId| [tree.parent(node), tree.parent(node).and_then(|box_| tree.parent(box_))];
    tree.tag(one) == tree.tag(other)
        && boxes(one).into_iter().zip(boxes(other)).any(|(a, b)| a.is_some() && a == b)
}
