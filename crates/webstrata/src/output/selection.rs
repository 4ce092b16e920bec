//! What of a page is written: one decision that text, Markdown and HTML share.

use super::OutputOptions;
use super::discussion::{Discussion, Place};
use super::footnotes::Footnotes;
use super::images::{Figures, may_be_caption};
use super::kept::Kept;
use super::markdown::front_matter;
use super::table::data_tables;
use crate::endless::next_article;
use crate::filters::likely::can_be_read;
use crate::limits::Limit;
use crate::metadata::titles::BestTitle;
use crate::page::Page;
use crate::part::{Part, kept_parts, parts_of};
use crate::strata::PageType;
use crate::thread::LazyThread;
use crate::tree::{NodeId, NodeKind, Tree};

/// The nodes of a page that are written, and what has to be known about them.
pub(crate) struct Selection<'p, 't> {
    pub(super) page: &'p Page<'t>,
    pub(super) options: OutputOptions,
    pub(super) kept: Kept,
    /// The title that is written above all.
    pub(super) title: Option<String>,
    /// What `--front-matter` writes above all.
    pub(super) front: Option<String>,
    /// What the page is a discussion of, if it is one.
    pub(super) discussion: Discussion,
    /// Images of the text and their captions.
    pub(super) figures: Figures,
    pub(super) footnotes: Footnotes,
    /// The tables that hold data.
    pub(super) tables: Vec<NodeId>,
}

/// Selects what is written of a page and writes it. Where `title` is known, its heading is not written in its place. The text of some pages
/// is not in their tree but in their data; then a tree is made of that.
pub(super) fn select<T>(
    thread: &LazyThread<'_, '_>,
    options: &OutputOptions,
    title: Option<BestTitle>,
    write: impl FnOnce(&Selection<'_, '_>) -> T,
) -> T {
    // Where the text is in a page's data, the page itself says the rest.
    let front = options.front_matter.then(|| front_matter(thread.page));
    match crate::embedded::as_markup(thread.page) {
        Some(markup) => {
            let clock = &thread.page.document.clock;
            let page = crate::embedded::page_of(&markup, clock);
            let title = title.map(|title| BestTitle { node: None, ..title });
            let written = write(&Selection {
                front,
                ..Selection::of(&LazyThread::of(&page), options, title)
            });
            if page.document.limits().has(Limit::Deadline) {
                clock.be_late();
            }
            written
        }
        None => write(&Selection { front, ..Selection::of(thread, options, title) }),
    }
}

impl<'p, 't> Selection<'p, 't> {
    fn of(
        thread: &LazyThread<'p, 't>,
        options: &OutputOptions,
        title: Option<BestTitle>,
    ) -> Selection<'p, 't> {
        let page = thread.page;
        let content = page.document.content_atoms();
        // What is late is not looked for: then the text is that of the extractor, less well arranged.
        let clock = &page.document.clock;
        let discussion = match clock.passed() {
            true => None,
            false => Discussion::of(thread, &content),
        };
        let mut tables = data_tables(&page.tree);
        let known =
            Known { tables: &tables, title: title.as_ref(), discussion: discussion.as_ref() };
        let (written, never) = written(page, options, content, &known);
        let mut kept =
            Kept::of(page, written, &never, &tables, options.include.has(Part::Navigation));
        let mut discussion = discussion.unwrap_or_default();
        tables.retain(|table| !discussion.has_post(*table, page.tree.end_of(*table)));
        discussion.leave_out_empty(|start, end| kept.any(start, end));
        let with_captions = !options.exclude.has(Part::Caption);
        let mut figures = Figures::default();
        let with_figures = options.images || (with_captions && has_captions(&page.tree));
        if with_figures && !clock.passed() {
            figures = Figures::of(page, |node| kept.has(node));
            let images = if options.images { figures.images() } else { &[] };
            let captions = if with_captions { figures.captions() } else { &[] };
            kept.add_figures(images, captions, page);
        }
        let footnotes = match clock.passed() {
            true => Footnotes::default(),
            false => Footnotes::of(page, &kept),
        };
        Selection {
            page,
            options: *options,
            title: title.map(|title| title.value),
            front: None,
            discussion,
            footnotes,
            tables,
            kept,
            figures,
        }
    }
}

/// May the page have captions, by element or by class? Whether a figure stands in the text is asked only then, if no
/// images are written.
fn has_captions(tree: &Tree<'_>) -> bool {
    let mut words = memchr::memmem::find_iter(tree.source().as_bytes(), b"aption").peekable();
    for node in tree.nodes.iter().filter(|node| node.kind != NodeKind::Text) {
        while words.next_if(|word| *word < node.start as usize).is_some() {}
        match words.peek() {
            None => return false,
            Some(word) if *word < node.end as usize => {
                if may_be_caption(node.tag) {
                    return true;
                }
            }
            Some(_) => {}
        }
    }
    false
}

/// What was found out about a page before its parts.
struct Known<'a> {
    /// The tables that hold data.
    tables: &'a [NodeId],
    title: Option<&'a BestTitle>,
    discussion: Option<&'a Discussion>,
}

/// For each atom, whether the extractor and the parts that were asked for want it written; and whether it must not be,
/// whatever stands around it. The title is not written in its place.
fn written(
    page: &Page<'_>,
    options: &OutputOptions,
    mut written: Vec<bool>,
    known: &Known<'_>,
) -> (Vec<bool>, Vec<bool>) {
    let document = &page.document;
    let Known { tables, title, discussion } = *known;
    let is_discussion = discussion.is_some() || document.page_type == Some(PageType::Forum);
    let OutputOptions { include, exclude, .. } = *options;
    let kept_only = include.is_empty() && exclude.is_empty();
    let parts = match kept_only {
        true => kept_parts(page, tables, title),
        false => parts_of(page, tables, title),
    };
    // On a page that goes on with another article, the text ends there.
    let end = next_article(page).unwrap_or(NodeId::MAX);
    let mut never = Vec::with_capacity(written.len());
    for (index, part) in parts.into_iter().enumerate() {
        let (atom, written) = (&document.atoms[index], &mut written[index]);
        let place = discussion.map_or(Place::Outside, |posts| posts.place_of(index));
        let part = if place == Place::Signature { Part::Signature } else { part };
        let by_default = match place {
            // All posts of a discussion are its text, and nothing else of them is. The title stands above all. What was
            // kept for a menu is one by its names, not only by its links.
            Place::Text => part != Part::Title && !(*written && part == Part::Navigation),
            Place::Signature | Place::Around => false,
            Place::Outside => *written && is_written_by_default(part, is_discussion),
        };
        let is_wanted = by_default || (include.has(part) && part != Part::Title);
        let is_foreign = atom.nodes.start >= end;
        let is_refused = exclude.has(part) || is_foreign || !can_be_read(atom, document.hidden);
        // The title does not fill holes either, where the extractor dropped it: it is written above all.
        never.push(is_refused || ((*written || part == Part::Title) && !is_wanted));
        *written = is_wanted && !is_refused;
    }
    (written, never)
}

/// Which parts of the text that an extractor kept are written. The title stands above the text, and metadata has
/// authors and dates.
fn is_written_by_default(part: Part, is_discussion: bool) -> bool {
    use Part::*;
    match part {
        Title | Byline | Date | Signature | Related | Navigation | Notice => false,
        Comment => is_discussion,
        _ => true,
    }
}
