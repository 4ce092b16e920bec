//! The main text as Markdown: CommonMark with GitHub's tables, strikethrough and footnotes.
//!
//! The cutting determines where words end, the tree how they are formatted. Formulas are LaTeX between dollars.

mod front_matter;
mod inline;
mod sink;
mod write;

#[cfg(test)]
mod tests;

pub(super) use self::front_matter::front_matter;
use self::sink::Writer;
use super::OutputOptions;
use super::selection::{Selection, select};
use super::walk;
use crate::metadata::titles::best_title;
use crate::page::Page;
use crate::part::Part;
use crate::thread::LazyThread;

/// Writes the main text of a page as Markdown.
///
/// The title stands above it once. Otherwise the words are those of the [plain text](super::text()), whatever the
/// options. Images are written if asked for. Tables that only arrange the page are written as paragraphs.
///
/// ```
/// use webstrata::output::{OutputOptions, markdown};
/// use webstrata::{Extractor, Options, Page};
///
/// let extractor = Extractor::named("keep-all").unwrap();
/// let html = b"<h2>Tides</h2><p>High at <b>noon</b>, says <a href=/log>the log</a>.<ol><li>Ebb<li>Flood</ol>";
/// let options = Options { url: Some("https://tides.example/".into()), ..Options::default() };
/// let page = extractor.extract_page(html, &options);
/// assert_eq!(
///     markdown(&page, &OutputOptions { links: true, ..OutputOptions::DEFAULT }),
///     "## Tides\n\nHigh at **noon**, says [the log](https://tides.example/log).\n\n1. Ebb\n2. Flood\n",
/// );
/// ```
pub fn markdown(page: &Page<'_>, options: &OutputOptions) -> String {
    page.document.clock.write();
    select(&LazyThread::of(page), options, best_title(page), markdown_of)
}

/// The Markdown of what was selected.
pub(super) fn markdown_of(selection: &Selection<'_, '_>) -> String {
    let Page { tree, document } = selection.page;
    let size = tree.source.len().min(document.spare.for_output());
    let writer = Writer::new(size, selection.kept.formulas);
    let body = walk::write(selection, writer, !selection.options.exclude.has(Part::Title));
    match &selection.front {
        Some(front) => front.clone() + &body,
        None => body,
    }
}
