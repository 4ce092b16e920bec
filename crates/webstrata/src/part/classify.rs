//! Which part of its page each atom is.
//!
//! What was kept is some kind of main text unless much speaks against it: a paragraph that is lost is
//! worse than a byline that stays. What was dropped is told apart more freely.

use super::Part;
use super::levels::Levels;
use super::names::{self, Hints};
use super::related;
use super::title::Title;
use super::wording;
use crate::class::Class;
use crate::clock::{ATOMS_PER_CHECK, Steps};
use crate::document::{Atom, Document, Label};
use crate::html::tag::Tag;
use crate::metadata::titles::BestTitle;
use crate::page::Page;
use crate::strata::PageType;
use crate::tree::NodeId;

/// From how many words on an atom is running text, whatever it is called.
const LONG: u32 = 40;
/// From how many words on an atom begins the running text.
const BEGINS: u32 = 25;
/// Atoms below the title in which author, date and the title once more are looked for by their words.
const NEAR_TITLE: usize = 8;
/// Atoms below the text in which its author and date may stand.
const BELOW_TEXT: usize = 3;

/// Bytes of a text that is told by its words: one word may be as long as the page.
const LONGEST_LINE: usize = 1 << 16;

/// The bits of `<h1>`, `<h2>` and `<h3>`.
const LARGE_HEADINGS: u16 = 0b111;

/// Hints at what consists of links.
const LINKS: Hints = Hints::MENU.or(Hints::NAVIGATION).or(Hints::RELATED);

/// Hints at lines that tell who wrote the text, and when.
const LINES: Hints = Hints::BYLINE.or(Hints::DATE).or(Hints::META);

/// The part of each atom of a page, kept or dropped. `tables` are those that hold data, `title` is the title that the
/// page's metadata have.
pub(crate) fn parts_of(page: &Page<'_>, tables: &[NodeId], title: Option<&BestTitle>) -> Vec<Part> {
    classify(page, tables, title, true)
}

/// The part of each atom that the extractor kept; [`Part::Other`] for all others, which are not
/// looked at. For outputs that write no other.
pub(crate) fn kept_parts(
    page: &Page<'_>,
    tables: &[NodeId],
    title: Option<&BestTitle>,
) -> Vec<Part> {
    classify(page, tables, title, false)
}

fn classify(
    page: &Page<'_>,
    tables: &[NodeId],
    title: Option<&BestTitle>,
    dropped: bool,
) -> Vec<Part> {
    let document = &page.document;
    let kept = document.content_atoms();
    let mut parts = vec![Part::Other; document.atoms.len()];
    let body = first_body(document, &kept);
    let title = title.and_then(|title| Title::of(page, title, body));
    let mut verdicts = vec![Verdict::default(); if dropped { parts.len() } else { 0 }];
    for block in document.blocks.iter().filter(|_| dropped) {
        for atom in block.atoms() {
            verdicts[atom] =
                Verdict { class: block.class, ends: block.labels.has(Label::EndOfText) };
        }
    }
    let first = kept.iter().position(|kept| *kept).unwrap_or(parts.len());
    let last = kept.iter().rposition(|kept| *kept).unwrap_or(0);
    let mut levels = Levels::new(page, tables, &kept);
    let is_forum = document.page_type == Some(PageType::Forum);
    let mut doubts = Doubts { is_forum, all: Vec::new(), comment_words: 0 };
    let in_title = title.as_ref().map_or(0..0, |title| title.atoms.clone());
    let mut steps = Steps::default();
    for index in
        (0..parts.len()).filter(|index| dropped || kept[*index] || in_title.contains(index))
    {
        if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
            // Of what was kept, the text is what may not be lost.
            let rest = parts[index..].iter_mut().zip(&kept[index..]);
            rest.filter(|(_, kept)| **kept).for_each(|(part, _)| *part = Part::Body);
            break;
        }
        let atom = &document.atoms[index];
        levels.go_to(atom.nodes.start);
        let look = Look {
            page,
            atom,
            text: document.atom_text(index),
            structure: levels.structure(),
            kind: document.page_type,
            is_kept: kept[index],
            is_above: is_above(index, body, title.as_ref()),
            is_near: is_near(index, body, last, title.as_ref()),
        };
        let part = if title.as_ref().is_some_and(|title| is_title(index, &look, body, title)) {
            Part::Title
        } else if kept[index] {
            look.kept(&levels)
        } else {
            look.dropped(&levels, verdicts[index], (first..=last).contains(&index))
        };
        parts[index] = part;
        if kept[index] && doubts.may_take_back(part) {
            doubts.add(index, part, look.main_text(), atom.counts.words);
        }
    }
    let words = document.atoms.iter().zip(&kept).filter(|(_, kept)| **kept);
    doubts.settle(&mut parts, words.map(|(atom, _)| u64::from(atom.counts.words)).sum());
    if !matches!(document.page_type, Some(PageType::Listing | PageType::Collection)) {
        related::mark(page, &kept, &mut parts);
    }
    parts
}

/// Bylines, dates and comments. Where there are many of them, they belong to the
/// entries of a list or to the posts of a discussion, and are main text.
struct Doubts {
    is_forum: bool,
    /// The atom, its part, and what else it may be.
    all: Vec<(usize, Part, Part)>,
    comment_words: u64,
}

/// How many bylines, and how many dates, a text has.
const MOST_LINES: usize = 4;
/// The share of comments in the main text, in per cent, from which on it is a discussion.
const DISCUSSION: u64 = 25;

impl Doubts {
    fn may_take_back(&self, part: Part) -> bool {
        !self.is_forum && matches!(part, Part::Byline | Part::Date | Part::Comment)
    }

    fn add(&mut self, atom: usize, part: Part, instead: Part, words: u32) {
        self.all.push((atom, part, instead));
        if part == Part::Comment {
            self.comment_words += u64::from(words);
        }
    }

    fn settle(self, parts: &mut [Part], kept_words: u64) {
        let count = |part| self.all.iter().filter(|doubt| doubt.1 == part).count();
        let too_many = [Part::Byline, Part::Date].map(|part| count(part) > MOST_LINES);
        let is_discussion = 100 * self.comment_words > DISCUSSION * kept_words;
        for (atom, part, instead) in self.all {
            parts[atom] = match part {
                Part::Byline if too_many[0] => instead,
                Part::Date if too_many[1] => instead,
                Part::Comment if is_discussion && instead == Part::Body => Part::Post,
                Part::Comment if is_discussion => instead,
                part => part,
            };
        }
    }
}

/// What the extractor said of an atom that it dropped.
#[derive(Clone, Copy, Default)]
struct Verdict {
    class: Option<Class>,
    ends: bool,
}

/// The first atom of running text.
fn first_body(document: &Document, kept: &[bool]) -> usize {
    let is_body = |(atom, kept): (&Atom, &bool)| {
        *kept && atom.counts.words >= BEGINS && !is_linked(atom) && !atom.enclosing.heading()
    };
    document.atoms.iter().zip(kept).position(is_body).unwrap_or(document.atoms.len())
}

/// Is it where author and date stand: above the running text, or near below the title?
fn is_above(index: usize, body: usize, title: Option<&Title>) -> bool {
    let is_below = |title: &Title| index >= title.atoms.end && index < title.atoms.end + NEAR_TITLE;
    index < body || title.is_some_and(is_below)
}

/// Is it where the author and the date of this text stand, and not those of a teaser: below the title or right above the
/// running text, in it, or right below?
fn is_near(index: usize, body: usize, last: usize, title: Option<&Title>) -> bool {
    let above_body = body.saturating_sub(NEAR_TITLE);
    let from = match title.map(|title| &title.atoms).filter(|title| title.start < body) {
        Some(title) if index < title.end + NEAR_TITLE => title.start,
        Some(title) => above_body.max(title.start),
        None => above_body,
    };
    (from..=last + BELOW_TEXT).contains(&index)
}

/// Is it the title, or says it the same near by? What is a piece of a list or a table stays there, unless it stands above
/// the title: it is where the reader is among other pages. A second `<h1>` that says the title is the title, wherever it
/// stands; a smaller heading that does heads a section.
fn is_title(index: usize, look: &Look<'_, '_>, body: usize, title: &Title) -> bool {
    let is_main = look.atom.enclosing.0 & related::MAIN_HEADING != 0;
    let is_near = is_main || index < body || index < title.atoms.end + NEAR_TITLE;
    let is_apart = is_main || index < title.atoms.start || !look.structure.has(Hints::STRUCTURE);
    let is_copy = || is_apart && title.is(look.text);
    title.atoms.contains(&index) || (look.is_kept && is_near && is_copy())
}

fn is_linked(atom: &Atom) -> bool {
    2 * atom.counts.linked_words >= atom.counts.words.max(1)
}

/// An atom and what is around it.
struct Look<'a, 't> {
    page: &'a Page<'t>,
    atom: &'a Atom,
    text: &'a str,
    structure: Hints,
    kind: Option<PageType>,
    is_kept: bool,
    is_above: bool,
    is_near: bool,
}

impl Look<'_, '_> {
    fn kept(&self, levels: &Levels<'_, '_>) -> Part {
        if self.structure.has(Hints::CODE) {
            return Part::Code;
        }
        let words = self.atom.counts.words;
        let is_long = words > LONG && !is_linked(self.atom);
        for hints in levels.hinting(self.atom.nodes.end) {
            let hints = self.fitting(hints);
            let part = if is_long { self.long(hints) } else { self.short(hints) };
            if let Some(part) = part {
                return part;
            }
        }
        if !is_long && let Some(part) = self.by_words() {
            return part;
        }
        self.main_text()
    }

    /// The hints that mean what they say on a page of this type, for what was kept of it. Entries of
    /// lists have links, authors and dates; reviews belong to their product.
    fn fitting(&self, hints: Hints) -> Hints {
        match self.kind {
            Some(PageType::Listing | PageType::Collection) => {
                hints.without(LINKS.or(LINES).or(Hints::COMMENT).or(Hints::SUBTITLE))
            }
            Some(PageType::Product | PageType::Service | PageType::Documentation) => {
                let lines = if self.is_above { Hints::NONE } else { LINES };
                let reviews = match self.kind {
                    Some(PageType::Product) => Hints::COMMENT,
                    _ => Hints::NONE,
                };
                hints.without(lines.or(reviews))
            }
            _ => hints,
        }
    }

    /// What a long text is by an element around it.
    fn long(&self, hints: Hints) -> Option<Part> {
        if hints.has(Hints::CAPTION) {
            Some(Part::Caption)
        } else if hints.has(Hints::COMMENT) {
            Some(self.comment())
        } else if hints.has(Hints::SIGNATURE) && self.is_forum() {
            Some(Part::Signature)
        } else {
            None
        }
    }

    /// What a short text is by an element around it.
    fn short(&self, hints: Hints) -> Option<Part> {
        let Look { atom, text, .. } = *self;
        let words = atom.counts.words;
        let is_linked = is_linked(atom);
        let in_data = self.structure.has(Hints::TABLE);
        if hints.has(Hints::CAPTION) {
            return Some(Part::Caption);
        }
        if hints.has(Hints::FIGURE) && !self.structure.has(Hints::STRUCTURE) {
            return Some(Part::Caption);
        }
        // Functions have signatures, too.
        if hints.has(Hints::SIGNATURE) && self.is_forum() {
            return Some(Part::Signature);
        }
        if hints.has(Hints::DATE.or(Hints::BYLINE).or(Hints::META)) && !in_data {
            if wording::is_notice(text) {
                return Some(Part::Notice);
            }
            if wording::is_date(text) || (hints.has(Hints::DATE) && wording::is_time(text)) {
                return Some(Part::Date);
            }
            if hints.has(Hints::BYLINE) || wording::is_byline(text) {
                return Some(Part::Byline);
            }
        }
        if hints.has(Hints::SUBTITLE) && self.is_above && words > 2 {
            return Some(Part::Subtitle);
        }
        let is_heading = atom.enclosing.heading() && self.is_kept;
        // The site's name is a heading on many pages, and leads to the first one.
        let is_main_heading = atom.enclosing.0 & 1 != 0;
        if is_main_heading && is_linked && hints.has(Hints::LOGO.or(Hints::NAVIGATION)) {
            return Some(Part::Navigation);
        }
        if !is_heading
            && (hints.has(Hints::NAVIGATION.or(Hints::MENU)) && is_linked
                || hints.has(Hints::BREADCRUMB.or(Hints::SHARE)) && words <= 12
                || hints.has(Hints::CONTROL) && words <= 5 && is_linked)
        {
            return Some(Part::Navigation);
        }
        if hints.has(Hints::RELATED) && (is_linked || (words <= 20 && !is_heading)) {
            return Some(Part::Related);
        }
        if hints.has(Hints::NOTICE.or(Hints::CONSENT)) {
            return Some(if wording::is_credit(text) { Part::Caption } else { Part::Notice });
        }
        hints.has(Hints::COMMENT).then(|| self.comment())
    }

    fn is_forum(&self) -> bool {
        self.kind == Some(PageType::Forum)
    }

    fn comment(&self) -> Part {
        if self.is_forum() { Part::Post } else { Part::Comment }
    }

    /// What a short text is by its own words.
    fn by_words(&self) -> Option<Part> {
        let Look { atom, text, .. } = *self;
        if self.structure.has(Hints::TABLE) || text.len() > LONGEST_LINE {
            return None;
        }
        let is_linked = is_linked(atom);
        let is_heading = atom.enclosing.heading();
        let is_entry = matches!(self.kind, Some(PageType::Listing | PageType::Collection));
        let in_list = self.structure.has(Hints::LIST);
        // Below the title, small headings are lines in another size of letters.
        let is_line = !is_heading || atom.enclosing.0 & LARGE_HEADINGS == 0;
        if self.is_above && is_line && !(is_entry && self.is_kept) {
            let is_date = wording::is_date(text) && !self.defines_term();
            if is_date || wording::is_reading_time(text) {
                return Some(Part::Date);
            }
            if wording::is_byline(text)
                || wording::names_account(text, in_list)
                || self.names_author()
            {
                return Some(Part::Byline);
            }
        }
        if wording::is_notice(text) && !is_heading && !(in_list && self.is_kept) {
            return Some(Part::Notice);
        }
        let leads = is_linked && !is_heading && wording::leads_away(text);
        if (leads || wording::heads_related(text)) && !(is_entry && self.is_kept) {
            return Some(Part::Related);
        }
        if wording::is_control(text) && !is_heading && (!in_list || is_linked) {
            return Some(Part::Navigation);
        }
        (!is_heading && !in_list && wording::is_credit(text)).then_some(Part::Caption)
    }

    /// Does it say what the term before it stands for? Without it, there would be a hole.
    fn defines_term(&self) -> bool {
        let tree = &self.page.tree;
        let mut around = tree.ancestors(self.atom.nodes.start).skip(1).take(3);
        around.any(|node| tree.tag(node) == Some(Tag::Dd))
    }

    /// Is it a short line with an element for the author in it?
    fn names_author(&self) -> bool {
        let Look { page, atom, .. } = *self;
        if atom.counts.words > 12 || atom.counts.sentences > 1 {
            return false;
        }
        let start = page.tree.parent(atom.nodes.start).unwrap_or(atom.nodes.start);
        (start..atom.nodes.end).take(32).any(|node| {
            let tag = page.tree.tag(node).filter(|tag| matches!(tag, Tag::A | Tag::Span));
            tag.is_some_and(|tag| names::hints(&page.tree, node, tag).has(Hints::BYLINE))
        })
    }

    fn main_text(&self) -> Part {
        if self.structure.has(Hints::CODE) {
            Part::Code
        } else if self.structure.has(Hints::TABLE) {
            Part::Table
        } else if self.atom.enclosing.heading() {
            Part::Heading
        } else if self.structure.has(Hints::LIST) {
            Part::List
        } else if self.structure.has(Hints::QUOTE) {
            Part::Quote
        } else if self.is_forum() {
            Part::Post
        } else {
            Part::Body
        }
    }

    fn dropped(&self, levels: &Levels<'_, '_>, verdict: Verdict, is_inside: bool) -> Part {
        let Look { atom, text, .. } = *self;
        let mut around = Hints::NONE;
        let is_linked = is_linked(atom);
        // Teasers and comments have authors and dates of their own.
        let is_own = |part: &Part| self.is_near || !matches!(part, Part::Byline | Part::Date);
        for hints in levels.hinting(atom.nodes.end) {
            if let Some(part) = self.short(hints).filter(is_own) {
                return part;
            }
            around = around.or(hints);
        }
        if let Some(part) = self.by_words().filter(is_own) {
            return part;
        }
        match verdict.class {
            Some(Class::Related) => return Part::Related,
            // What stands between pieces of the text was taken for comments by its words alone.
            Some(Class::Comments) if !is_inside => return self.comment(),
            _ => {}
        }
        let menus = Hints::NAVIGATION.or(Hints::MENU).or(Hints::CONTROL).or(Hints::SHARE);
        if around.has(menus) {
            Part::Navigation
        } else if around.has(Hints::RELATED) {
            Part::Related
        } else if is_linked || wording::is_control(text) {
            if atom.counts.words > 5 { Part::Related } else { Part::Navigation }
        } else if is_inside && !around.has(Hints::MARGIN) && !atom.hidden && !verdict.ends {
            // Between what was kept: what it is made of is as good a guess as that it is none of it.
            match self.main_text() {
                Part::Body => Part::Other,
                part => part,
            }
        } else if atom.enclosing.heading() && !around.has(Hints::MARGIN) {
            Part::Heading
        } else {
            Part::Other
        }
    }
}
