//! The same text once: slides that a script copied, one version for phones and one for desktops, a preview
//! and the text that it is of.
//!
//! Short lines may be said twice, as in a song. So may cells of tables, lines of code, and what a
//! quote repeats.

use std::ops::Range;

use super::places::Place;
use crate::document::Document;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Words of a text, or bytes, that nobody writes twice by chance.
const MIN_WORDS: u32 = 8;
const MIN_BYTES: usize = 40;
/// Letters and digits by which a preview and its text are found.
const START: usize = 24;
/// Texts with the same start that a preview is compared with.
const MAX_COMPARED: usize = 8;

/// Words of a passage that is not said again by chance, however often it is there.
const MIN_COPIED: u32 = 60;

/// What elements are called in which a script turns slides or runs a line, and how far around a text they are.
const SLIDES: [&[u8]; 8] =
    [b"slide", b"Slide", b"carousel", b"Carousel", b"swiper", b"slick", b"clone", b"marquee"];
const MAX_SLIDE: usize = 6;

/// What elements are called that one size of screen shows, and elements that show the beginning of a text.
const SCREENS: [&[u8]; 7] =
    [b"desktop", b"Desktop", b"mobile", b"Mobile", b"tablet", b"Tablet", b"ssr-variant"];
const PREVIEWS: [&[u8]; 5] = [b"line-clamp", b"preview", b"excerpt", b"teaser", b"popover"];
const MAX_SCREEN: usize = 10;

/// Words of a text without its end that is left out where another one begins with it and goes on.
const MIN_BEGINNING: u32 = 12;

/// Atoms between two showings of one title in a card.
const NEAR: usize = 6;

/// Atoms on each side of a copy that are compared at once: further ones are found on their own.
const MAX_COPIED: usize = 256;

/// Equal texts on a page that turn out to be no copies, before no more are looked for: a page of one line
/// over and over must not cost more than its length.
const MAX_FAILED: u32 = 512;

/// Takes all but one of equal texts, and previews of texts, out of `written`.
pub(super) fn remove(tree: &Tree<'_>, document: &Document, places: &[Place], written: &mut [bool]) {
    remove_headings(document, places, written);
    remove_pull_quotes(tree, document, places, written);
    let mut texts = long_texts(document, places, written);
    texts.sort_unstable_by_key(|text| (text.start, text.atom));
    let mut runs_of_atoms = Vec::new();
    let mut failed = 0;
    for same_start in texts.chunk_by_mut(|a, b| a.start == b.start) {
        if same_start.len() < 2 {
            continue;
        }
        // Few pages come here.
        if runs_of_atoms.is_empty() {
            runs_of_atoms = runs(document, written);
        }
        for text in same_start.iter_mut() {
            text.all = hash(signs(document.atom_text(text.atom as usize)));
        }
        same_start.sort_unstable_by_key(|text| (text.all, text.atom));
        for equal in same_start.chunk_by(|a, b| a.all == b.all) {
            keep_one(
                &mut Sheet { tree, document, places, written },
                &runs_of_atoms,
                equal,
                &mut failed,
            );
        }
        for preview in same_start.iter().filter(|text| text.ends != Ends::Whole) {
            let sheet = Sheet { tree, document, places, written };
            let is_of = |full: &&Text| {
                sheet.written[full.atom as usize]
                    && is_preview(document, preview.atom, full.atom)
                    && (preview.ends == Ends::CutOff
                        || !sheet.is_refrain(full.atom as usize, preview.atom as usize))
            };
            if same_start.iter().take(MAX_COMPARED).any(|full| is_of(&full)) {
                written[preview.atom as usize] = false;
            }
        }
    }
}

/// A heading that is there once more right behind itself is one for another size of screen.
fn remove_headings(document: &Document, places: &[Place], written: &mut [bool]) {
    for atom in (1..written.len()).rev() {
        let are_headings = places[atom].has(Place::HEADING) && places[atom - 1].has(Place::HEADING);
        if are_headings && written[atom] && written[atom - 1] && equal(document, atom - 1, atom) {
            written[atom] = false;
        }
    }
}

/// Atoms around a pull quote that may have its words.
const NEAR_QUOTE: usize = 16;

/// Sentences that the page repeats in large letters beside the text, if the text has them.
fn remove_pull_quotes(
    tree: &Tree<'_>,
    document: &Document,
    places: &[Place],
    written: &mut [bool],
) {
    for atom in 0..written.len() {
        let words = document.atoms[atom].counts.words;
        if !written[atom]
            || words > 60
            || places[atom].has(Place::PRE)
            || !is_pull_quote(tree, document, atom)
        {
            continue;
        }
        let quote: Vec<u8> = signs(document.atom_text(atom)).collect();
        let near = atom.saturating_sub(NEAR_QUOTE)..(atom + NEAR_QUOTE + 1).min(written.len());
        let has_it = |other: usize| {
            let text: Vec<u8> = signs(document.atom_text(other)).collect();
            memchr::memmem::find(&text, &quote).is_some()
        };
        let mut others = near.filter(|other| *other != atom && written[*other]);
        if others.any(|other| document.atoms[other].counts.words > words && has_it(other)) {
            written[atom] = false;
        }
    }
}

fn is_pull_quote(tree: &Tree<'_>, document: &Document, atom: usize) -> bool {
    let around = tree.ancestors(document.atoms[atom].nodes.start).skip(1).take(4);
    // The `q` is what few names have.
    let names_it = |tag: &[u8]| {
        let quotes = |at: usize| tag[at + 1..].starts_with(b"uote") && ends_pull_quote(&tag[..=at]);
        memchr::memchr2_iter(b'q', b'Q', tag).any(quotes)
    };
    around
        .map(|node| tree.start_tag(node).as_bytes())
        .any(|tag| tag.len() > "pullquote".len() && names_it(tag))
}

/// Is this `…pullq`, `…pull-q` or the like?
fn ends_pull_quote(name: &[u8]) -> bool {
    let Some((b'q' | b'Q', rest)) = name.split_last() else { return false };
    let rest = rest.strip_suffix(b"-").or(rest.strip_suffix(b"_")).unwrap_or(rest);
    let start = rest.len().saturating_sub(4);
    rest[start..].eq_ignore_ascii_case(b"pull")
}

struct Text {
    atom: u32,
    /// A hash of its first letters and digits.
    start: u64,
    /// A hash of all, once another text begins in the same way.
    all: u64,
    ends: Ends,
}

/// May a text be the beginning of another one?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// It ends with an ellipsis.
    CutOff,
    /// It is long, and ends with a word.
    Open,
    /// It is a text of its own.
    Whole,
}

fn long_texts(document: &Document, places: &[Place], written: &[bool]) -> Vec<Text> {
    let mut found = Vec::new();
    for (index, atom) in document.atoms.iter().enumerate() {
        let place = places[index];
        let may_repeat =
            place.has(Place::TABLE) || place.has(Place::PRE) || place.has(Place::QUOTE);
        let is_long = atom.counts.words >= MIN_WORDS || atom.text.len() >= MIN_BYTES;
        if !written[index] || may_repeat || !is_long || atom.counts.words == 0 {
            continue;
        }
        let text = document.atom_text(index);
        let start = hash(signs(text).take(START));
        let end = text.trim_end_matches([' ', '»', ']', ')']);
        let ends = if end.ends_with('…') || end.ends_with("...") {
            Ends::CutOff
        } else if atom.counts.words >= MIN_BEGINNING
            && !place.has(Place::ITEM)
            && end.ends_with(|c: char| c.is_alphanumeric() || c == ',')
        {
            Ends::Open
        } else {
            Ends::Whole
        };
        found.push(Text { atom: index as u32, start, all: 0, ends });
    }
    found
}

/// The letters and digits of a text; ASCII in lowercase.
fn signs(text: &str) -> impl Iterator<Item = u8> + '_ {
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    text.trim_end_matches(['…', '.']).bytes().filter(is_sign).map(|byte| byte.to_ascii_lowercase())
}

/// FNV-1a.
fn hash(signs: impl Iterator<Item = u8>) -> u64 {
    signs.fold(0xcbf2_9ce4_8422_2325, |hash, sign| {
        (hash ^ u64::from(sign)).wrapping_mul(0x100_0000_01b3)
    })
}

fn equal(document: &Document, a: usize, b: usize) -> bool {
    let (a, b) = (document.atom_text(a), document.atom_text(b));
    a == b || signs(a).eq(signs(b))
}

fn is_preview(document: &Document, preview: u32, full: u32) -> bool {
    let (preview, full) = (document.atom_text(preview as usize), document.atom_text(full as usize));
    let mut rest = signs(full);
    preview.len() < full.len() && signs(preview).all(|sign| rest.next() == Some(sign))
}

/// By atom: the words of the run of written atoms that it is in.
fn runs(document: &Document, written: &[bool]) -> Vec<u32> {
    let mut runs = vec![0; written.len()];
    let mut start = 0;
    for end in 0..=written.len() {
        if end < written.len() && written[end] {
            continue;
        }
        let words = document.atoms[start..end].iter().map(|atom| atom.counts.words).sum();
        runs[start..end].fill(words);
        start = end + 1;
    }
    runs
}

/// Of equal texts, the first stays, unless another stands in a longer text: the first is its preview then.
fn keep_one(sheet: &mut Sheet<'_>, runs: &[u32], texts: &[Text], failed: &mut u32) {
    let Some((first, others)) = texts.split_first() else { return };
    let mut stays = first.atom as usize;
    for other in others {
        let other = other.atom as usize;
        // It may have gone already, together with its neighbour.
        if !sheet.written[stays] {
            stays = other;
            continue;
        }
        if *failed > MAX_FAILED {
            return;
        }
        if !sheet.written[other] || !equal(sheet.document, stays, other) {
            continue;
        }
        let (kept, goes) =
            if runs[other] > 2 * runs[stays] { (other, stays) } else { (stays, other) };
        let often = others.len() > 1;
        let copies = |kept, goes| Some(sheet.copies(kept, goes));
        let is_copy = |kept, goes, copies: &Range<usize>| sheet.is_copy(kept, goes, copies, often);
        let pair = copies(kept, goes).filter(|all| is_copy(kept, goes, all)).map(|all| (kept, all));
        // What is left of a copy goes, also where it stands in more text.
        let is_rest =
            |all: &Range<usize>| sheet.written[all.clone()].iter().any(|written| !written);
        let pair = pair.or_else(|| {
            let may_go =
                |all: &Range<usize>| is_rest(all) || sheet.is_other_showing(goes, kept, all);
            let all = copies(goes, kept).filter(|all| may_go(all) && is_copy(goes, kept, all));
            all.map(|all| (goes, all))
        });
        match pair {
            Some((kept, copies)) => {
                sheet.written[copies].fill(false);
                stays = kept;
            }
            None => *failed += 1,
        }
    }
}

struct Sheet<'a> {
    tree: &'a Tree<'a>,
    document: &'a Document,
    places: &'a [Place],
    written: &'a mut [bool],
}

impl Sheet<'_> {
    /// The atoms around one that goes which say the same as those around the one that stays.
    fn copies(&self, kept: usize, goes: usize) -> Range<usize> {
        let apart = kept.abs_diff(goes).min(MAX_COPIED);
        let is_copy = |a: usize, b: usize| {
            a < self.written.len()
                && b < self.written.len()
                && (self.written[a] || !self.written[b])
                && equal(self.document, a, b)
        };
        let behind = (1..apart).take_while(|by| is_copy(kept + by, goes + by)).count();
        let before = (1..apart.min(kept.min(goes) + 1))
            .take_while(|by| is_copy(kept - by, goes - by))
            .count();
        goes - before..goes + behind + 1
    }

    /// Are these atoms a copy, and not a line that is said again?
    fn is_copy(&self, kept: usize, goes: usize, copies: &Range<usize>, often: bool) -> bool {
        let atom = &self.document.atoms[goes];
        let blocks = |atom: usize| {
            let node = self.document.atoms[atom].nodes.start;
            self.tree.ancestors(node).filter(|node| is_block(self.tree, *node))
        };
        let mut around = blocks(goes);
        let (parent, outer) = (around.next(), around.next());
        if self.is_other_showing(kept, goes, copies) {
            return true;
        }
        let is_other_screen = || {
            let screen = |atom| self.named(atom, &SCREENS).map(|node| self.tree.start_tag(node));
            screen(goes).is_some_and(|goes| screen(kept).is_some_and(|kept| kept != goes))
        };
        // Steps of a plan and items of a list come again where they are due. Slides do not.
        let is_far = kept.abs_diff(goes) > 1;
        let is_item = self.places[goes].has(Place::ITEM);
        let words = || self.document.atoms[copies.clone()].iter().map(|atom| atom.counts.words);
        let is_other = self.is_slide(goes) || is_other_screen();
        if is_far && (often || is_item) && words().sum::<u32>() < MIN_COPIED && !is_other {
            return false;
        }
        let is_short = atom.counts.words < MIN_WORDS || self.places[goes].has(Place::HEADING);
        // In a list of things, and where it is said three times and more, it is said of several things,
        // unless all of the thing is there again.
        let whole = if self.places[goes].has(Place::ITEM) {
            let is = |tags: [Tag; 2]| {
                move |node: &NodeId| self.tree.tag(*node).is_some_and(|tag| tags.contains(&tag))
            };
            let list = |atom| blocks(atom).find(is([Tag::Ul, Tag::Ol]));
            match list(goes) {
                own if own == list(kept) => blocks(goes).find(is([Tag::Li, Tag::Li])),
                own => own.filter(|_| is_other),
            }
        } else if is_short || (often && kept.abs_diff(goes) > 1) {
            outer
        } else {
            parent
        };
        whole.is_some_and(|whole| self.covers(copies, whole)) && !self.is_refrain(kept, goes)
    }

    /// The element around a text that has one of these names.
    fn named(&self, atom: usize, names: &[&[u8]]) -> Option<NodeId> {
        let node = self.document.atoms[atom].nodes.start;
        self.tree.ancestors(node).skip(1).take(MAX_SCREEN).find(|node| {
            let tag = self.tree.start_tag(*node).as_bytes();
            names.iter().any(|name| memchr::memmem::find(tag, name).is_some())
        })
    }

    /// Is it a title that its card has once more, or all of a preview?
    fn is_other_showing(&self, kept: usize, goes: usize, copies: &Range<usize>) -> bool {
        let preview = |atom: usize| self.named(atom, &PREVIEWS);
        let is_preview = |node: NodeId| preview(kept).is_none() && self.covers(copies, node);
        self.is_shown_twice(kept, goes) || preview(goes).is_some_and(is_preview)
    }

    /// Is it a title that its card shows twice, once as a heading or a link, and once as something else? Equal elements are
    /// two things, and a link inside the page is an entry of its contents.
    fn is_shown_twice(&self, kept: usize, goes: usize) -> bool {
        if kept.abs_diff(goes) > NEAR {
            return false;
        }
        let around =
            |atom: usize| self.tree.ancestors(self.document.atoms[atom].nodes.start).skip(1);
        let link =
            |atom: usize| around(atom).take(3).find(|node| self.tree.tag(*node) == Some(Tag::A));
        let leads_away = |atom: usize| {
            let href = link(atom).and_then(|link| self.tree.attribute(link, "href"));
            href.is_some_and(|href| !href.starts_with('#'))
        };
        let is_heading = |atom: usize| self.places[atom].has(Place::HEADING);
        let item = |atom: usize| around(atom).find(|node| self.tree.tag(*node) == Some(Tag::Li));
        let tag = |atom: usize| around(atom).next().map(|node| self.tree.start_tag(node));
        (is_heading(kept) || (leads_away(kept) && !is_heading(goes)))
            && (leads_away(kept) || leads_away(goes))
            && tag(kept) != tag(goes)
            && item(kept) == item(goes)
    }

    /// Is the text in something that a script turns or runs, with copies at both ends?
    fn is_slide(&self, atom: usize) -> bool {
        let node = self.document.atoms[atom].nodes.start;
        self.tree.ancestors(node).skip(1).take(MAX_SLIDE).any(|node| {
            let tag = self.tree.start_tag(node).as_bytes();
            SLIDES.iter().any(|name| memchr::memmem::find(tag, name).is_some())
        })
    }

    /// Do the atoms have all that is in an element?
    fn covers(&self, atoms: &Range<usize>, element: NodeId) -> bool {
        let start = |atom: usize| self.document.atoms.get(atom).map(|atom| atom.nodes.start);
        let before = atoms.start.checked_sub(1).and_then(start);
        before.is_none_or(|before| before < element)
            && start(atoms.end).is_none_or(|behind| behind >= self.tree.end_of(element))
    }

    /// Are both lines of one text, apart from each other, or is one of them in a quote?
    fn is_refrain(&self, a: usize, b: usize) -> bool {
        let node = |atom: usize| self.document.atoms[atom].nodes.start;
        let around = |atom: usize, up: usize| self.tree.ancestors(node(atom)).nth(up);
        let same = |up| around(a, up).is_some() && around(a, up) == around(b, up);
        let quotes = |atom: usize| {
            let mut around = self.tree.ancestors(node(atom)).skip(1).take(4);
            around.any(|node| names_quote(self.tree, node))
        };
        let siblings = same(1) || (same(2) && !self.places[b].has(Place::ITEM));
        (siblings && a.abs_diff(b) > 1) || quotes(a) != quotes(b)
    }
}

fn is_block(tree: &Tree<'_>, node: NodeId) -> bool {
    use Tag::*;
    !matches!(
        tree.tag(node),
        None | Some(
            A | B | Strong | Span | Em | I | Font | U | Small | Time | Cite | Mark | Sup | Big
        )
    )
}

fn names_quote(tree: &Tree<'_>, node: NodeId) -> bool {
    let tag = tree.start_tag(node).as_bytes();
    memchr::memmem::find(tag, b"quote").is_some() || memchr::memmem::find(tag, b"Quote").is_some()
}
