//! Sections that lead to other pages by what their heading says: `Customers also viewed`, and the cards below it.

use std::ops::Range;

use super::{Part, wording};
use crate::document::Atom;
use crate::html::tag::Tag;
use crate::page::Page;

/// Elements around a heading that may be its section.
const MAX_AROUND: usize = 10;
/// Atoms of a section, at least: a heading and some cards.
const FEWEST: usize = 5;
/// Words of running text, of which a section of cards has next to none.
const LONG: u32 = 25;
/// Nodes of a section in which links are counted, and how many there have to be.
const MAX_NODES: usize = 4_096;
const FEWEST_LINKS: usize = 3;

/// The bit of `<h1>`.
pub(super) const MAIN_HEADING: u16 = 1;
/// Words that have to be left: a page of nothing but cards is there for them.
const FEWEST_OTHERS: u32 = 20;

/// Marks what was kept of such sections.
pub(super) fn mark(page: &Page<'_>, kept: &[bool], parts: &mut [Part]) {
    let document = &page.document;
    let words = |atoms: Range<usize>| -> u32 {
        let own = atoms.filter(|atom| kept[*atom]);
        own.map(|atom| document.atoms[atom].counts.words).sum()
    };
    let mut all = None;
    // The kept atom before.
    let mut before = None;
    for (index, atom) in document.atoms.iter().enumerate().filter(|(index, _)| kept[*index]) {
        let before = before.replace(index);
        if !(2..=9).contains(&atom.counts.words) || !atom.enclosing.heading() {
            continue;
        }
        // The title of a page tells what all of it is.
        let is_title = parts[index] == Part::Title || atom.enclosing.0 & MAIN_HEADING != 0;
        if is_title || !wording::heads_cards(document.atom_text(index)) {
            continue;
        }
        let Some(section) = section(page, before, index) else { continue };
        let all = *all.get_or_insert_with(|| words(0..kept.len()));
        if all - words(section.clone()) >= FEWEST_OTHERS {
            parts[section].fill(Part::Related);
        }
    }
}

/// The atoms of the section that a heading begins, if it is one of cards.
/// Nothing that was kept stands in it before the heading.
fn section(page: &Page<'_>, before: Option<usize>, heading: usize) -> Option<Range<usize>> {
    let Page { tree, document } = page;
    let node = document.atoms[heading].nodes.start;
    let around = tree.ancestors(node).skip(1).take(MAX_AROUND);
    let (element, atoms) = around
        .map(|element| (element, document.atoms_in(element..tree.end_of(element))))
        .find(|(_, atoms)| atoms.len() >= FEWEST)?;
    if before.is_some_and(|before| before >= atoms.start) {
        return None;
    }
    let is_long = |index: &usize| {
        let Atom { counts, .. } = &document.atoms[*index];
        counts.words >= LONG && 2 * counts.linked_words < counts.words
    };
    // What every card says is said once.
    let mut long: Vec<&str> =
        atoms.clone().filter(is_long).map(|index| document.atom_text(index)).collect();
    long.sort_unstable();
    long.dedup();
    let nodes = (element..tree.end_of(element)).take(MAX_NODES);
    let links = nodes.filter(|node| tree.tag(*node) == Some(Tag::A)).take(FEWEST_LINKS).count();
    (8 * long.len() <= atoms.len() && links == FEWEST_LINKS).then_some(atoms)
}
