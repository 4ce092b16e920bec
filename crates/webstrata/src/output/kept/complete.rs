//! No holes: where an extractor kept most of a list, a table or a code block and dropped a piece, the
//! piece is written, too.
//!
//! One walk over the nodes. Each list, item, row, … is a [`Frame`] while it is open. Where it ends, what
//! is in it is complete already, and its own rule adds what is missing. So every atom is looked at once for
//! each kind of structure around it that has holes, and not at all where there are none.

use super::places::Place;
use super::{headings, lists, sections, tables};
use crate::document::Document;
use crate::html::tag::{Tag, flag};
use crate::options::Hidden;
use crate::tree::{NodeId, Tree};

/// Words of an item or a cell whose middle is filled. A longer one is a page of its own, with
/// advertisements and teasers in it.
const MAX_WHOLE: u32 = 150;
/// Words of an item without links that is one thing: a name and what it stands for.
const SHORT_ITEM: u32 = 12;
/// Words of a code block that is kept for any line of it.
const SHORT_CODE: u32 = 20;

/// The least probability of content of what is added: pieces that the learned extractor was sure to drop stay
/// dropped. Its own threshold is higher.
const MIN_SCORE: f32 = 0.2;

/// What an element is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing that any rule asks for.
    Other,
    /// Nothing is added in it.
    Barred,
    /// A form is barred unless it is most of the page, as some frameworks have it.
    Form,
    Pre,
    Quote,
    Paragraph,
    Heading,
    List,
    Item,
    Definitions,
    Term,
    Definition,
    Table,
    Row,
    Cell,
}

fn kind(tag: Tag) -> Kind {
    match tag {
        Tag::Nav | Tag::Footer | Tag::Button | Tag::Select | Tag::Textarea | Tag::Dialog => {
            Kind::Barred
        }
        Tag::Form => Kind::Form,
        Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext => Kind::Pre,
        Tag::Blockquote => Kind::Quote,
        Tag::P | Tag::Caption | Tag::Figcaption => Kind::Paragraph,
        Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => Kind::List,
        Tag::Li => Kind::Item,
        Tag::Dl => Kind::Definitions,
        Tag::Dt => Kind::Term,
        Tag::Dd => Kind::Definition,
        Tag::Table => Kind::Table,
        Tag::Tr => Kind::Row,
        Tag::Td | Tag::Th => Kind::Cell,
        _ if tag.is(flag::HEADING) => Kind::Heading,
        _ => Kind::Other,
    }
}

/// An element that a rule asks for, and what is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) node: NodeId,
    /// The node behind all that is in it.
    end: NodeId,
    /// The atoms in it, from this one …
    pub(super) first: u32,
    /// … to before this one.
    pub(super) behind: u32,
    /// Words that may be written, those of them in links, and those that are written.
    pub(super) words: u32,
    pub(super) linked: u32,
    pub(super) written: u32,
    /// Direct cells of a row, and those with written words; of a table, the most that a row has, and
    /// the sums over its rows.
    pub(super) columns: u32,
    pub(super) cells: u32,
    pub(super) written_cells: u32,
    /// Words of the longest cell.
    pub(super) longest: u32,
    /// A table, a code block or a quote is in it.
    pub(super) heavy: bool,
    /// Where its pieces begin among all that wait for the end of what they are in.
    pieces: u32,
}

impl Frame {
    /// Has it words, and none of them is written?
    pub(super) fn is_dropped(&self) -> bool {
        self.written == 0 && self.words > 0
    }

    /// Is some of it written, and some is not?
    pub(super) fn has_holes(&self) -> bool {
        self.written > 0 && self.written < self.words
    }

    /// More links than text.
    pub(super) fn is_links(&self) -> bool {
        self.linked * 2 > self.words
    }
}

/// What the rules read and change.
pub(super) struct Sheet<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) document: &'a Document,
    /// The tables that hold data, in page order.
    pub(super) tables: &'a [NodeId],
    pub(super) places: Vec<Place>,
    pub(super) written: &'a mut [bool],
}

impl Sheet<'_> {
    /// Writes what may be added of a structure.
    pub(super) fn fill(&mut self, frame: &mut Frame) {
        for atom in frame.first as usize..frame.behind as usize {
            self.written[atom] |= self.places[atom].has(Place::ADDABLE);
        }
        frame.written = frame.words;
    }

    /// Might a structure belong to the text, by what the extractor thinks of its atoms? Where it does not
    /// tell, it might.
    pub(super) fn is_likely(&self, frame: &Frame) -> bool {
        let Document { blocks, atoms, page_type, .. } = self.document;
        // Each atom is a block of its own where a model has scored them.
        page_type.is_none()
            || blocks.len() != atoms.len()
            || blocks[frame.first as usize..frame.behind as usize]
                .iter()
                .any(|block| block.score >= MIN_SCORE)
    }

    /// Writes what may be added between the first and the last written atom of a structure.
    fn fill_between(&mut self, frame: &mut Frame) {
        let mut atoms = frame.first as usize..frame.behind as usize;
        // What is written of a menu in between is no end of the text.
        let counts = |atom: &usize| self.written[*atom] && self.places[*atom].has(Place::ADDABLE);
        let Some(first) = atoms.find(counts) else { return };
        let last = atoms.rfind(counts).unwrap_or(first);
        for atom in first..last {
            if !self.written[atom] && self.places[atom].has(Place::ADDABLE) {
                self.written[atom] = true;
                frame.written += self.document.atoms[atom].counts.words;
            }
        }
    }

    /// Writes what stands in one line with the first and the last written atom of a paragraph.
    fn fill_lines(&mut self, frame: &mut Frame) {
        let (first, behind) = (frame.first as usize, frame.behind as usize);
        let is_written = |atom: &usize| self.written[*atom];
        let (Some(begin), Some(end)) =
            ((first..behind).find(is_written), (first..behind).rfind(is_written))
        else {
            return;
        };
        for atom in (first..begin).rev() {
            if !self.joins(atom, atom + 1) {
                break;
            }
            self.write(atom, frame);
        }
        for atom in end + 1..behind {
            if !self.joins(atom, atom - 1) {
                break;
            }
            self.write(atom, frame);
        }
    }

    fn write(&mut self, atom: usize, frame: &mut Frame) {
        self.written[atom] = true;
        frame.written += self.document.atoms[atom].counts.words;
    }

    /// May an atom be added that stands in one line with another? Unknown elements part texts for the extractors, and none
    /// for readers; a widget has a hyphen in its name.
    fn joins(&self, atom: usize, other: usize) -> bool {
        let atoms = &self.document.atoms;
        let (left, right) = (atom.min(other), atom.max(other));
        let mut between = atoms[left].nodes.end..atoms[right].nodes.start;
        let is_in_line = |node: NodeId| match self.tree.tag(node) {
            None => true,
            Some(Tag::Other) => !self.tree.name(node).is_some_and(|name| name.contains('-')),
            Some(tag) => {
                matches!(
                    tag,
                    Tag::A | Tag::B | Tag::Em | Tag::Font | Tag::I | Tag::Span | Tag::Strong
                )
            }
        };
        let mut around = self.tree.ancestors(atoms[atom].nodes.start);
        self.places[atom].has(Place::ADDABLE)
            && between.all(is_in_line)
            && around.find(|node| !is_in_line(*node)).is_some_and(|node| {
                self.tree.tag(node).is_some_and(|tag| kind(tag) == Kind::Paragraph)
            })
    }

    fn drop(&mut self, frame: &mut Frame) {
        self.written[frame.first as usize..frame.behind as usize].fill(false);
        frame.written = 0;
    }

    pub(super) fn note(&mut self, frame: &Frame, place: Place) {
        let atoms = &mut self.places[frame.first as usize..frame.behind as usize];
        atoms.iter_mut().for_each(|atom| atom.add(place));
    }
}

/// Completes the structures of which some is written, and says where each atom stands.
pub(super) fn complete(
    tree: &Tree<'_>,
    document: &Document,
    tables: &[NodeId],
    written: &mut [bool],
) -> Vec<Place> {
    let places = vec![Place::default(); document.atoms.len()];
    let mut sheet = Sheet { tree, document, tables, places, written };
    let mut walk = Walk::default();
    let mut atoms = document.atoms.iter().enumerate().peekable();
    for node in tree.nodes() {
        if node >= walk.next_end {
            walk.close(node, &mut sheet);
        }
        walk.atom = match atoms.peek() {
            Some((index, _)) => *index as u32,
            // What is open may have more cells and rows, though no more text.
            None if !walk.frames.is_empty() => document.atoms.len() as u32,
            None => break,
        };
        if let Some(tag) = tree.tag(node) {
            let kind = kind(tag);
            if kind != Kind::Other {
                walk.open(tree, node, kind);
            }
            continue;
        }
        while let Some((index, atom)) = atoms.next_if(|(_, atom)| atom.nodes.start <= node) {
            let hides = atom.hidden && !atom.openable && document.hidden != Hidden::Keep;
            if walk.barred == 0 && !hides {
                sheet.places[index].add(Place::ADDABLE);
                if let Some(frame) = walk.frames.last_mut() {
                    frame.words += atom.counts.words;
                    frame.linked += atom.counts.linked_words;
                    frame.written += if sheet.written[index] { atom.counts.words } else { 0 };
                }
            }
            walk.atom = index as u32 + 1;
        }
    }
    walk.close(NodeId::MAX, &mut sheet);
    complete_code(&mut sheet, &walk.codes);
    sections::complete(&mut sheet, &walk.headings);
    headings::complete(&mut sheet, &walk.headings);
    sheet.places
}

/// Writes code that stands between two written texts, of which at least one is prose: texts speak of the code beside them.
fn complete_code(sheet: &mut Sheet<'_>, codes: &[Frame]) {
    for code in codes.iter().filter(|code| code.is_dropped()) {
        let (first, behind) = (code.first as usize, code.behind as usize);
        let (Some(before), true) = (first.checked_sub(1), behind < sheet.written.len()) else {
            continue;
        };
        let is_prose = |atom: usize| {
            let atom = &sheet.document.atoms[atom];
            atom.counts.words >= MIN_PROSE && 2 * atom.counts.linked_words <= atom.counts.words
        };
        if sheet.written[before] && sheet.written[behind] && (is_prose(before) || is_prose(behind))
        {
            sheet.fill(&mut code.clone());
        }
    }
}

/// Words of a text that speaks of the code beside it.
const MIN_PROSE: u32 = 5;

/// What is open at a node.
struct Walk {
    frames: Vec<Frame>,
    /// What has ended inside the open frames, for the rules of these.
    pieces: Vec<Frame>,
    headings: Vec<Frame>,
    codes: Vec<Frame>,
    /// Where the innermost frame ends.
    next_end: NodeId,
    /// How many of the open elements bar additions.
    barred: u32,
    /// The next atom.
    atom: u32,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk {
            frames: Vec::with_capacity(32),
            pieces: Vec::with_capacity(64),
            headings: Vec::new(),
            codes: Vec::new(),
            next_end: NodeId::MAX,
            barred: 0,
            atom: 0,
        }
    }
}

impl Walk {
    fn open(&mut self, tree: &Tree<'_>, node: NodeId, kind: Kind) {
        let end = tree.end_of(node);
        let kind = match kind {
            Kind::Form if (end - node) as usize * 2 > tree.nodes.len() => return,
            Kind::Form => Kind::Barred,
            kind => kind,
        };
        self.barred += u32::from(kind == Kind::Barred);
        self.next_end = end;
        self.frames.push(Frame {
            kind,
            node,
            end,
            first: self.atom,
            behind: self.atom,
            words: 0,
            linked: 0,
            written: 0,
            columns: 0,
            cells: 0,
            written_cells: 0,
            longest: 0,
            heavy: false,
            pieces: self.pieces.len() as u32,
        });
    }

    /// Ends all that ends before a node.
    fn close(&mut self, node: NodeId, sheet: &mut Sheet<'_>) {
        while let Some(mut frame) = self.frames.pop_if(|frame| frame.end <= node) {
            frame.behind = self.atom;
            let pieces = frame.pieces as usize;
            match frame.kind {
                Kind::Barred => self.barred -= 1,
                Kind::Heading => {
                    sheet.note(&frame, Place::HEADING);
                    if frame.has_holes() && self.pieces.len() == pieces {
                        sheet.fill(&mut frame);
                    }
                    self.headings.push(frame);
                }
                Kind::Quote => sheet.note(&frame, Place::QUOTE),
                Kind::Pre => {
                    sheet.note(&frame, Place::PRE);
                    if frame.has_holes() {
                        if frame.written * 2 >= frame.words || frame.words <= SHORT_CODE {
                            sheet.fill(&mut frame);
                        } else {
                            sheet.drop(&mut frame);
                        }
                    }
                    if self.barred == 0 {
                        self.codes.push(frame);
                    }
                }
                Kind::Paragraph if frame.has_holes() => {
                    sheet.fill_between(&mut frame);
                    sheet.fill_lines(&mut frame);
                }
                Kind::Item => {
                    sheet.note(&frame, Place::ITEM);
                    if frame.has_holes() && frame.words <= SHORT_ITEM && frame.linked == 0 {
                        sheet.fill(&mut frame);
                    } else if frame.has_holes() && frame.words <= MAX_WHOLE {
                        sheet.fill_between(&mut frame);
                    }
                }
                Kind::Definition | Kind::Term | Kind::Cell
                    if frame.has_holes() && frame.words <= MAX_WHOLE =>
                {
                    sheet.fill_between(&mut frame);
                }
                Kind::List => lists::complete_list(sheet, &mut frame, &mut self.pieces[pieces..]),
                Kind::Definitions => {
                    lists::complete_definitions(sheet, &mut frame, &mut self.pieces[pieces..]);
                }
                Kind::Table => tables::complete(sheet, &mut frame, &mut self.pieces[pieces..]),
                _ => {}
            }
            self.pieces.truncate(pieces);
            if let Some(around) = self.frames.last_mut() {
                include(around, &frame);
                if frame.words > 0 && frame.kind != Kind::Barred {
                    self.pieces.push(frame);
                }
            }
        }
        self.next_end = self.frames.last().map_or(NodeId::MAX, |frame| frame.end);
    }
}

/// Counts what has ended into what is around it.
fn include(around: &mut Frame, frame: &Frame) {
    around.words += frame.words;
    around.linked += frame.linked;
    around.written += frame.written;
    around.longest = around.longest.max(frame.longest);
    around.heavy |= frame.heavy || matches!(frame.kind, Kind::Table | Kind::Pre | Kind::Quote);
    match (around.kind, frame.kind) {
        (Kind::Row, Kind::Cell) => {
            around.columns += 1;
            around.cells += u32::from(frame.words > 0);
            around.written_cells += u32::from(frame.written > 0);
            around.longest = around.longest.max(frame.words);
        }
        (Kind::Table, Kind::Row) => {
            around.columns = around.columns.max(frame.columns);
            around.cells += frame.cells;
            around.written_cells += frame.written_cells;
        }
        _ => {}
    }
}

/// How often a line that fills holes may be there, and how many words it has: what stands in every row of a table beside
/// its values, such as the words of a widget, is no part of the rows.
const MOST_ALIKE: usize = 5;
const MIN_TEMPLATE: u32 = 3;

/// Takes back lines that fill holes all over the page. What has a cell of a table for itself is a value.
pub(super) fn leave_out_template(
    tree: &Tree<'_>,
    document: &Document,
    tables: &[NodeId],
    before: &[bool],
    written: &mut [bool],
) {
    let is_added = |index: &usize| {
        written[*index]
            && !before[*index]
            && document.atoms[*index].counts.words >= MIN_TEMPLATE
            && !is_value(tree, document, tables, *index)
    };
    let mut added: Vec<usize> = (0..written.len()).filter(is_added).collect();
    added.sort_by_key(|index| document.atom_text(*index));
    let alike = |a: &usize, b: &usize| document.atom_text(*a) == document.atom_text(*b);
    for group in added.chunk_by(alike).filter(|group| group.len() >= MOST_ALIKE) {
        group.iter().for_each(|index| written[*index] = false);
    }
}

/// Is an atom all that a cell of a table with data has?
fn is_value(tree: &Tree<'_>, document: &Document, tables: &[NodeId], atom: usize) -> bool {
    let atoms = &document.atoms;
    let mut around = tree.ancestors(atoms[atom].nodes.start);
    let Some(cell) = around.find(|node| matches!(tree.tag(*node), Some(Tag::Td | Tag::Th))) else {
        return false;
    };
    let is_table = |node: &NodeId| tree.tag(*node) == Some(Tag::Table);
    let has_data = around.find(is_table).is_some_and(|table| tables.binary_search(&table).is_ok());
    let is_first = atom == 0 || atoms[atom - 1].nodes.start < cell;
    let is_last = atoms.get(atom + 1).is_none_or(|next| next.nodes.start >= tree.end_of(cell));
    has_data && is_first && is_last
}
